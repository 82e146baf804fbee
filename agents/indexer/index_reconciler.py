"""Brings an index up to date with the stores, in pieces.

A scene's own item is the seal on its turns: its fingerprint says up to which head they are indexed. Before
turns of a scene change in the index the seal is broken, and it is written last; so wherever there is a
seal, the turns are right, even if the process was killed. With it, changes are found without reading the
scene: only the turns between that head and the present one are compared.

What is remembered between pieces (the progress) may be lost at any time.

An index that can keep a cursor follows the numbered changes of log and canon (`stores.changes`): only what changed is
read, and memories are compared one by one. Any other is compared, and events say where to look.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, assert_never

from agents.indexer.change_follower import ChangeFollower, IndexStart
from agents.indexer.index_texts import (
    UNFINISHED,
    SceneFingerprint,
    TurnNeighbours,
    compute_fingerprint,
    parse_scene_fingerprint,
)
from agents.indexer.index_writers import (
    IDS_PER_BATCH,
    IndexWriter,
    find_outdated_in_scope,
    in_batches,
    put_memories,
)
from agents.indexer.source_reader import SourceReader
from agents.indexer.universe_reconciler import UniverseReconciler
from agents.jobs.worker import JobSubject
from agents.memory_manager.memory_cursor import MemoryCursor
from stores.changes import Change, ChangeReader, RecordKind
from stores.ports import TextItem
from stores.records.ids import Id
from stores.records.play import Scene

MAX_TURNS_BACK: Final = 1_000
"""Turns that are followed back from the indexed head; if it takes more, the whole scene is compared."""


MAX_UNSEALED_COUNTED: Final = 20
"""With more unsealed scenes than this, their indexed turns are not counted."""


@dataclass(slots=True)
class _SceneProgress:
    """How far a scene is indexed."""

    next_depth: int = 0
    """The line is right in the index before this depth."""
    last_turn_id: Id | None = None
    """The last turn before that depth."""
    turn_count: int = 0
    """Turns of the scene in the index."""
    compared_head_id: Id | None = None
    """The head up to which turns may be in the index already, beyond `next_depth`; None: there are none."""
    pc_fingerprint: str = ""
    """Fingerprint of what the turns were indexed with (`_fingerprint_turn_texts`)."""
    changed_turn_ids: list[Id] | None = None
    """Turns that came onto the line or left it since the seal; None: there was no seal, so it may be any."""


class _ComparedMemories(NamedTuple):
    """When a scene's memories were compared with the index last."""

    head_id: Id | None
    edition: int
    """Of the `MemoryCursor`, read before the memories."""


class Indexer:
    """Brings one index (words, or one model's vectors) up to date."""

    def __init__(
        self, source_reader: SourceReader, writer: IndexWriter, changes: ChangeReader | None = None
    ) -> None:
        """`changes` are those of log and canon, if they are numbered."""
        self._source_reader = source_reader
        self._writer = writer
        self._follower = ChangeFollower(changes, writer) if changes and writer.keeps_cursor else None
        self._trusts_changes = False
        """Whether what is out of date without a change was found, so that changes tell all the rest."""
        self._changed_subjects: dict[Id, JobSubject] = {}
        self._changed_memory_ids: dict[Id, set[Id]] = {}
        """Memories that changed, by scene."""
        self._progress_by_scene: dict[Id, _SceneProgress] = {}
        self._universe_reconciler = UniverseReconciler(source_reader, writer)
        self._suspect_scene_ids: set[Id] = set()
        self._dirty_memory_scene_ids: set[Id] = set()
        self._compared_memories: dict[Id, _ComparedMemories] = {}

    # --- changes -------------------------------------------------------------------------------------

    @property
    def follows_changes(self) -> bool:
        """Whether changes say what is out of date, so that events are needed for nothing but when to look."""
        return self._follower is not None

    async def start_following(self) -> IndexStart:
        """Begin to follow the changes, where the index is."""
        self._trusts_changes = False
        start = await self._follower.start() if self._follower else IndexStart.NEVER_FOLLOWED
        self._trusts_changes = start is IndexStart.FOLLOWS
        return start

    def trust_changes(self) -> None:
        """Note that everything was compared since `start_following`: scenes are found, or noted as outdated."""
        self._trusts_changes = self.follows_changes

    async def note_new_changes(self) -> None:
        """Note what changed since the last call."""
        for change in await self._follower.read_new() if self._follower else ():
            self._note_change(change)

    def take_changed_subjects(self) -> list[JobSubject]:
        """Return, once, the scenes and universes that `note_new_changes` found."""
        changed_subjects, self._changed_subjects = self._changed_subjects, {}
        return list(changed_subjects.values())

    async def store_cursor(self) -> None:
        """Store that every change that was noted is in the index."""
        if self._follower:
            await self._follower.store_cursor()

    def _note_change(self, change: Change) -> None:
        subject_id = change.universe_id
        match change.kind:
            case RecordKind.SCENE:
                subject_id = change.id
            case RecordKind.MEMORY if change.scene_id:
                subject_id = change.scene_id
                self._changed_memory_ids.setdefault(subject_id, set()).add(change.id)
            case RecordKind.MEMORY | RecordKind.ENTITY | RecordKind.FACT | RecordKind.SOURCE:
                self._universe_reconciler.note_change(change)
            case _:
                assert_never(change.kind)
        self._changed_subjects[subject_id] = JobSubject(subject_id, change.universe_id)

    # --- where to look -------------------------------------------------------------------------------

    async def find_outdated_scenes(
        self, universe_id: Id, *, trusts_seals: bool = True
    ) -> list[tuple[Scene, int]]:
        """Return the scenes without a valid seal, with about how many turns each lacks.

        Takes a few queries a scene, whatever its length. If the seals do not add up to what is in the
        index, or are not to be trusted, all scenes are returned.
        """
        scenes = await self._source_reader.read_scenes(universe_id)
        if not trusts_seals:
            self.distrust([scene.id for scene in scenes])
            return await self._with_missing_counts(scenes, {scene.id: 0 for scene in scenes})
        fingerprints = await self._writer.read_fingerprints("scenes", scope={"universe": universe_id})
        memory_cursors = await self._source_reader.read_memory_cursors()
        pc_fingerprints = dict[Id, str]()
        turn_counts, counted_turns = dict[Id, int](), 0
        for scene in scenes:
            if scene.story_id not in pc_fingerprints:
                pc_fingerprints[scene.story_id] = _fingerprint_turn_texts(
                    await self._source_reader.read_pc_name(scene), self._writer.neighbours
                )
            scene_fingerprint = parse_scene_fingerprint(fingerprints.get(scene.id))
            if scene_fingerprint is None:
                turn_counts[scene.id] = 0
                continue
            counted_turns += scene_fingerprint.turn_count
            item = await self._source_reader.read_scene_item(scene)
            if scene_fingerprint != SceneFingerprint(
                item.fingerprint,
                pc_fingerprints[scene.story_id],
                scene.head,
                scene_fingerprint.turn_count,
                fingerprint_memories(memory_cursors.get(scene.id)),
            ):
                turn_counts[scene.id] = scene_fingerprint.turn_count
                self._dirty_memory_scene_ids.add(scene.id)  # no change tells which memories these are
        for removed_scene_id in fingerprints.keys() - {scene.id for scene in scenes}:
            await self._delete_scene(removed_scene_id)
        unsealed_ids = [
            scene.id for scene in scenes if parse_scene_fingerprint(fingerprints.get(scene.id)) is None
        ]
        if len(unsealed_ids) > MAX_UNSEALED_COUNTED:
            # The counts do not add up yet: these scenes are compared whole, the others counted at the next
            # start.
            return await self._with_missing_counts(scenes, turn_counts)
        for scene_id in unsealed_ids:
            turn_counts[scene_id] = await self._writer.count("turns", {"scene": scene_id})
            counted_turns += turn_counts[scene_id]
        if counted_turns != await self._writer.count("turns", {"universe": universe_id}):
            turn_counts = dict.fromkeys((scene.id for scene in scenes), 0)
            self.distrust(turn_counts)
        return await self._with_missing_counts(scenes, turn_counts)

    async def _with_missing_counts(
        self, scenes: Sequence[Scene], turn_counts: dict[Id, int]
    ) -> list[tuple[Scene, int]]:
        line_length = self._source_reader.log.line_length
        return [
            (s, max(1, await line_length(s.id) - turn_counts[s.id])) for s in scenes if s.id in turn_counts
        ]

    def distrust(self, ids: Collection[Id]) -> None:
        """Compare these scenes whole when they are next reconciled, and these universes again."""
        self._suspect_scene_ids |= set(ids)
        for subject_id in ids:
            self._progress_by_scene.pop(subject_id, None)
            self._compared_memories.pop(subject_id, None)
            self._universe_reconciler.forget_universe(subject_id)

    def recheck_universes(self, universe_ids: Collection[Id]) -> None:
        """Compare all that canon, sources and memories of these universes hold."""
        for universe_id in universe_ids:
            self._universe_reconciler.mark_all_dirty(universe_id)

    def note_commit(self, universe_id: Id, canonization_id: Id = "") -> None:
        """Note that a commit may have been written, and which one if it is named."""
        self._universe_reconciler.note_commit(universe_id, canonization_id)

    def waits_for_commit(self, universe_id: Id) -> bool:
        """Say whether the last look found an unfinished commit."""
        return self._universe_reconciler.waits_for_commit(universe_id)

    def note_source(self, universe_id: Id, source_id: Id) -> None:
        """Note that a source of the universe is new or has more snippets."""
        self._universe_reconciler.note_source(universe_id, source_id)

    def note_sceneless_memories(self, universe_id: Id) -> None:
        """Note that memories without a scene changed."""
        self._universe_reconciler.note_memories(universe_id)

    # --- a scene -------------------------------------------------------------------------------------

    async def reconcile_scene(self, scene_id: Id) -> int:
        """Index the next piece of a scene's turns, memories and own item; returns how many turns are left."""
        scene = await self._source_reader.find_scene(scene_id)
        if scene is None:
            await self._delete_scene(scene_id)
            return 0
        pc_name, item = (
            await self._source_reader.read_pc_name(scene),
            await self._source_reader.read_scene_item(scene),
        )
        memory_cursor = (await self._source_reader.read_memory_cursors([scene.id])).get(scene.id)
        memory_fingerprint = fingerprint_memories(memory_cursor)
        # After the cursor was read: so all that it stands for is noted.
        await self.note_new_changes()
        if left_count := await self._put_changed_memories(scene.id):
            return left_count
        stored_text = (await self._writer.read_fingerprints("scenes", ids=[scene.id])).get(scene.id)
        stored_fingerprint = (
            None if scene.id in self._suspect_scene_ids else parse_scene_fingerprint(stored_text)
        )
        if stored_fingerprint == SceneFingerprint(
            item.fingerprint,
            _fingerprint_turn_texts(pc_name, self._writer.neighbours),
            scene.head,
            stored_fingerprint.turn_count if stored_fingerprint else 0,
            memory_fingerprint,
        ):
            self._progress_by_scene.pop(scene.id, None)
            if scene.id in self._dirty_memory_scene_ids:
                await self._reconcile_memories(scene, memory_cursor)
            return 0
        if self._is_behind_in_memories_alone(scene, stored_fingerprint, item, pc_name):
            assert stored_fingerprint is not None
            sealed_item = fingerprint_scene_item(
                item,
                pc_name,
                self._writer.neighbours,
                scene.head,
                stored_fingerprint.turn_count,
                memory_fingerprint,
            )
            await self._writer.put("scenes", [sealed_item])
            self._progress_by_scene.pop(scene.id, None)
            return 0
        if stored_text is not None and stored_text != UNFINISHED:
            await self._writer.put("scenes", [item._replace(fingerprint=UNFINISHED)])
        try:
            progress = await self._find_progress(
                scene, stored_fingerprint, _fingerprint_turn_texts(pc_name, self._writer.neighbours)
            )
            if left_count := await self._put_next_piece(scene, pc_name, progress):
                return left_count
        except BaseException:
            # The result is unknown: without a seal or progress, the whole scene is compared.
            self._progress_by_scene.pop(scene.id, None)
            raise
        if (
            self._trusts_changes
            and progress.changed_turn_ids is not None
            and scene.id not in self._dirty_memory_scene_ids
        ):
            await self._put_memories_of_turns(progress.changed_turn_ids)
        elif not await self._has_current_memories(scene, memory_cursor):
            await self._reconcile_memories(scene, memory_cursor)
        await self._writer.put(
            "scenes",
            [
                fingerprint_scene_item(
                    item,
                    pc_name,
                    self._writer.neighbours,
                    progress.last_turn_id,
                    progress.turn_count,
                    memory_fingerprint,
                )
            ],
        )
        self._progress_by_scene.pop(scene.id, None)
        self._suspect_scene_ids.discard(scene.id)
        return 0

    def _is_behind_in_memories_alone(
        self, scene: Scene, stored_fingerprint: SceneFingerprint | None, item: TextItem, pc_name: str
    ) -> bool:
        """Say whether the seal is valid but for what it says of memories, and changes told which those were."""
        return (
            self._trusts_changes
            and stored_fingerprint is not None
            and scene.id not in self._dirty_memory_scene_ids
            and stored_fingerprint[:3]
            == (item.fingerprint, _fingerprint_turn_texts(pc_name, self._writer.neighbours), scene.head)
        )

    async def _find_progress(
        self, scene: Scene, stored_fingerprint: SceneFingerprint | None, pc_fingerprint: str
    ) -> _SceneProgress:
        """Return up to where the scene's turns are right, and delete those that are not on the line."""
        progress = self._progress_by_scene.get(scene.id)
        if stored_fingerprint is not None and stored_fingerprint.pc_fingerprint != pc_fingerprint:
            stored_fingerprint = None
        if progress is not None and progress.pc_fingerprint != pc_fingerprint:
            progress = None  # the player character was renamed: indexed turns have the old name
        last_turn_id = (
            progress.last_turn_id if progress else stored_fingerprint.head_id if stored_fingerprint else None
        )
        turn_count = (
            progress.turn_count if progress else stored_fingerprint.turn_count if stored_fingerprint else 0
        )
        is_undone = progress is not None and not await self._is_on_line(scene, progress.compared_head_id)
        if is_undone or (progress is None and stored_fingerprint is None):
            progress = await self._compare_whole(scene)
        elif last_turn_id is not None and last_turn_id != scene.head:
            progress = await self._walk_back_to_line(scene, last_turn_id, turn_count)
        elif progress is None:
            progress = await self._progress_at(last_turn_id, turn_count)
        progress.pc_fingerprint = pc_fingerprint
        self._progress_by_scene[scene.id] = progress
        return progress

    async def _walk_back_to_line(self, scene: Scene, last_turn_id: Id, turn_count: int) -> _SceneProgress:
        """Go back from the indexed head to a turn on the line, deleting the turns that are not on it."""
        off_line_ids: list[Id] = []
        turn_id: Id | None = last_turn_id
        while turn_id is not None and turn_id not in await self._source_reader.log.on_line(
            scene.id, [turn_id]
        ):
            off_line_ids.append(turn_id)
            if len(off_line_ids) > MAX_TURNS_BACK:
                return await self._compare_whole(scene)
            turn_id = (await self._source_reader.log.turn(turn_id)).parent_id
        if off_line_ids:
            turn_count -= len(await self._writer.read_fingerprints("turns", ids=off_line_ids))
            await self._writer.delete("turns", off_line_ids)
        progress = await self._progress_at(turn_id, turn_count)
        earlier_progress = self._progress_by_scene.get(scene.id)
        progress.compared_head_id = earlier_progress.compared_head_id if earlier_progress else None
        earlier_turn_ids = earlier_progress.changed_turn_ids if earlier_progress else []
        progress.changed_turn_ids = None if earlier_turn_ids is None else [*earlier_turn_ids, *off_line_ids]
        return progress

    async def _compare_whole(self, scene: Scene) -> _SceneProgress:
        """Delete every turn that is not on the line, and begin again at its first one."""
        turn_count = await self._delete_off_line_turns(scene)
        return _SceneProgress(turn_count=turn_count, compared_head_id=scene.head if turn_count else None)

    async def _is_on_line(self, scene: Scene, turn_id: Id | None) -> bool:
        return turn_id is None or turn_id in await self._source_reader.log.on_line(scene.id, [turn_id])

    async def _progress_at(self, turn_id: Id | None, turn_count: int) -> _SceneProgress:
        depth = (await self._source_reader.log.turn(turn_id)).depth + 1 if turn_id is not None else 0
        return _SceneProgress(depth, turn_id, turn_count, changed_turn_ids=[])

    async def _put_next_piece(self, scene: Scene, pc_name: str, progress: _SceneProgress) -> int:
        """Index the next piece of the line; returns how many turns are left."""
        # The last turn that was indexed is compared again: another may follow it now, or none.
        repeated_count = 1 if self._writer.neighbours is TurnNeighbours.BOTH and progress.next_depth else 0
        start = progress.next_depth - repeated_count
        line_stretch = await self._source_reader.read_line_stretch(
            scene, pc_name, start, self._writer.batch_size + repeated_count, self._writer.neighbours
        )
        if line_stretch.turn_ids:
            followed_id = line_stretch.turn_ids[0] if repeated_count else line_stretch.previous_turn_id
            if followed_id != progress.last_turn_id:
                return 1  # the line changed since this pass began: start again
            progress.turn_count += await self._put_missing("turns", line_stretch.items)
            progress.next_depth, progress.last_turn_id = (
                start + len(line_stretch.turn_ids),
                line_stretch.last_turn_id,
            )
            if progress.changed_turn_ids is not None:
                progress.changed_turn_ids += line_stretch.turn_ids[repeated_count:]
        return max(0, await self._source_reader.log.line_length(scene.id) - progress.next_depth)

    async def _delete_off_line_turns(self, scene: Scene) -> int:
        """Delete every turn of the scene that is not on its line; returns how many are left."""
        stored_fingerprints = await self._writer.read_fingerprints("turns", scope={"scene": scene.id})
        id_iterator, left_count = iter(stored_fingerprints), len(stored_fingerprints)
        while id_batch := list(islice(id_iterator, IDS_PER_BATCH)):
            if off_line_ids := set(id_batch) - await self._source_reader.log.on_line(scene.id, id_batch):
                await self._writer.delete("turns", off_line_ids)
                left_count -= len(off_line_ids)
        return left_count

    async def _put_changed_memories(self, scene_id: Id) -> int:
        """Compare some of the scene's changed memories with the index; returns how many are left."""
        changed_ids = self._changed_memory_ids.pop(scene_id, set())
        piece_ids = set(islice(changed_ids, self._writer.batch_size))
        try:
            if piece_ids:
                await put_memories(self._writer, *await self._source_reader.read_memories(piece_ids))
        except BaseException:
            self._changed_memory_ids.setdefault(scene_id, set()).update(changed_ids)
            raise
        if left_ids := changed_ids - piece_ids:
            self._changed_memory_ids.setdefault(scene_id, set()).update(left_ids)
        return len(left_ids)

    async def _put_memories_of_turns(self, turn_ids: Sequence[Id]) -> None:
        for id_batch in in_batches(IDS_PER_BATCH, turn_ids):
            await put_memories(self._writer, *await self._source_reader.read_memories_of_turns(id_batch))

    async def _has_current_memories(self, scene: Scene, cursor: MemoryCursor | None) -> bool:
        """Return whether the scene's memories are as they were when they were compared last.

        They are if none was written since, if the line only went on, and if what it went on with left none: a turn
        that was redone has its memories already.
        """
        compared = self._compared_memories.get(scene.id)
        if compared is None or compared.head_id is None or scene.id in self._dirty_memory_scene_ids:
            return False
        if cursor is None or cursor.is_changing or cursor.edition != compared.edition:
            return False
        if not await self._is_on_line(scene, compared.head_id):
            return False
        depth = (await self._source_reader.log.turn(compared.head_id)).depth
        new_turns = await self._source_reader.log.line_slice(scene.id, depth + 1, MAX_TURNS_BACK)
        if len(new_turns) == MAX_TURNS_BACK or await self._source_reader.has_memories(new_turns):
            return False
        self._compared_memories[scene.id] = compared._replace(head_id=scene.head)
        return True

    async def _reconcile_memories(self, scene: Scene, cursor: MemoryCursor | None) -> None:
        """Compare the scene's memories with the index; the cursor was read before."""
        self._dirty_memory_scene_ids.discard(scene.id)
        self._compared_memories.pop(scene.id, None)
        try:
            wanted_items = await self._source_reader.read_scene_memories(scene.id)
            outdated_items = await find_outdated_in_scope(
                self._writer, "memories", wanted_items, {"scene": scene.id}
            )
            for item_batch in in_batches(IDS_PER_BATCH, outdated_items):
                await self._writer.put("memories", item_batch)
        except BaseException:
            self._dirty_memory_scene_ids.add(scene.id)
            raise
        self._compared_memories[scene.id] = _ComparedMemories(scene.head, cursor.edition if cursor else 0)

    async def _delete_scene(self, scene_id: Id) -> None:
        self._compared_memories.pop(scene_id, None)
        self._changed_memory_ids.pop(scene_id, None)
        for collection in ("turns", "memories"):
            fingerprints = await self._writer.read_fingerprints(collection, scope={"scene": scene_id})
            await self._writer.delete(collection, list(fingerprints))
        await self._writer.delete("scenes", [scene_id])
        self._progress_by_scene.pop(scene_id, None)

    # --- a universe ----------------------------------------------------------------------------------

    async def reconcile_universe(self, universe_id: Id) -> int:
        """Index the next piece of canon, sources and memories without a scene; returns what is left."""
        return await self._universe_reconciler.reconcile(universe_id, self._reconcile_scene_again)

    async def _reconcile_scene_again(self, scene_id: Id) -> int:
        self._dirty_memory_scene_ids.add(scene_id)
        return await self.reconcile_scene(scene_id)

    # --- both ----------------------------------------------------------------------------------------

    async def _put_missing(self, collection: str, items: Sequence[TextItem]) -> int:
        """Index what is missing or out of date; returns how many items were missing."""
        fingerprints = await self._writer.read_fingerprints(collection, ids=[item.id for item in items])
        await self._writer.put(
            collection, [item for item in items if fingerprints.get(item.id) != item.fingerprint]
        )
        return sum(item.id not in fingerprints for item in items)


def fingerprint_scene_item(
    item: TextItem,
    pc_name: str,
    neighbours: TurnNeighbours,
    head_id: Id | None,
    turn_count: int,
    memory_fingerprint: str,
) -> TextItem:
    """Return a scene's own item as the seal on its turns up to the head."""
    return item._replace(
        fingerprint=SceneFingerprint(
            item.fingerprint,
            _fingerprint_turn_texts(pc_name, neighbours),
            head_id,
            turn_count,
            memory_fingerprint,
        ).as_text()
    )


def fingerprint_memories(cursor: MemoryCursor | None) -> str:
    """Return a fingerprint of how far a scene's memories are written; empty if none are."""
    return compute_fingerprint(cursor.as_text())[:8] if cursor else ""


def _fingerprint_turn_texts(pc_name: str, neighbours: TurnNeighbours) -> str:
    """Return the fingerprint of what turns are indexed with: the player character's name and the neighbours."""
    return compute_fingerprint(neighbours, pc_name)[:8]
