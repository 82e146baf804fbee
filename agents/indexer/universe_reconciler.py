"""Keeps a universe's items without a scene up to date: canon, snippets of sources, some memories.

Where changes are numbered, what they name is compared. Else everything is compared at a start, and after that
only what a commit wrote: the state of every commit of the universe is known, and those whose end was not seen
yet are compared again. So it does not matter which of them an event named.

A name also occurs in other texts: in facts that involve the entity, and in memories, scenes and turns. An
entity's own item, if it is in the index under another name, is therefore written last: if the work is cut
off before, the next start finds the old name, and looks again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice
from typing import Final, assert_never

from agents.indexer.index_texts import UNFINISHED
from agents.indexer.index_writers import (
    IndexWriter,
    delete_items,
    drop_and_find_outdated,
    find_outdated_in_scope,
    find_outdated_of_ids,
    in_batches,
    put_memories,
)
from agents.indexer.source_reader import SourceReader
from stores.changes import Change, RecordKind
from stores.ports import TextItem
from stores.records.canon import CanonBatch
from stores.records.ids import Id
from stores.records.workflow import CanonizationState

_ENDED_STATES: Final = (CanonizationState.CLOSED, CanonizationState.DROPPED)


class DirtyItem(Enum):
    """Something that is to be compared with the index."""

    CANON = auto()
    COMMITS = auto()
    CHANGES = auto()
    SOURCES = auto()
    MEMORIES = auto()


ALL_ITEMS: Final = frozenset({DirtyItem.CANON, DirtyItem.SOURCES, DirtyItem.MEMORIES})


@dataclass(slots=True)
class SyncState:
    """The state of one universe; all of it may be lost at any time."""

    dirty_items: set[DirtyItem] = field(default_factory=lambda: set(ALL_ITEMS))
    named_commit_ids: set[Id] = field(default_factory=set)
    """Commits that events named."""
    ended_commit_ids: set[Id] = field(default_factory=set)
    """Commits that were compared after they had ended."""
    has_open_commits: bool = False
    """Whether some commits had not ended."""
    names_by_id: Mapping[Id, str] | None = None
    """What everything was called when its facts were compared."""
    read_source_ids: set[Id] = field(default_factory=set)
    """Sources whose snippets were compared."""
    unread_source_ids: dict[Id, None] = field(default_factory=dict)
    """Sources whose snippets are still to be compared."""
    changed_source_ids: set[Id] = field(default_factory=set)
    """Sources that got more snippets."""
    known_snippet_ids: set[Id] | None = field(default_factory=set)
    """All snippets of sources, until the surplus ones were deleted."""
    changed_entity_ids: set[Id] = field(default_factory=set)
    changed_fact_ids: set[Id] = field(default_factory=set)
    changed_memory_ids: set[Id] = field(default_factory=set)
    """Memories without a scene that changed."""
    missing_items: dict[str, dict[Id, TextItem]] = field(default_factory=dict)
    scenes_to_reconcile: dict[Id, None] = field(default_factory=dict)
    renamed_entities: dict[Id, TextItem] = field(default_factory=dict)

    @classmethod
    def up_to_date(cls) -> SyncState:
        """Return the state of a universe in which nothing is out of date but what is noted after."""
        return cls(dirty_items=set(), known_snippet_ids=None)

    @property
    def items_left(self) -> int:
        to_put = sum(len(items) for items in self.missing_items.values()) + len(self.renamed_entities)
        return (
            to_put
            + len(self.scenes_to_reconcile)
            + len(self.unread_source_ids)
            + len(self.changed_memory_ids)
            + (self.known_snippet_ids is not None)
        )

    def add_missing(self, collection: str, items: Iterable[TextItem]) -> None:
        self.missing_items.setdefault(collection, {}).update({item.id: item for item in items})

    def drop_missing(self, collection: str, ids: Iterable[Id]) -> None:
        """Forget what was missing of these items: it is compared again."""
        for id in ids:
            self.missing_items.get(collection, {}).pop(id, None)
            if collection == "entities":
                self.renamed_entities.pop(id, None)

    def find_renamed(self, names_now: Mapping[Id, str]) -> set[Id]:
        """Return which of these entities have another name now, or wait to be indexed under it."""
        names_before = self.names_by_id or {}
        return {
            id
            for id in names_now
            if names_before.get(id, names_now[id]) != names_now[id] or id in self.renamed_entities
        }

    def note_differences(
        self,
        entities: Iterable[TextItem],
        facts: Iterable[TextItem],
        last_ids: Collection[Id],
        scene_ids: list[Id],
    ) -> None:
        """Note what is to be indexed.

        The entities in `last_ids` are indexed last, after the work on the scenes.
        """
        items = {item.id: item for item in entities}
        self.add_missing("entities", (item for item in items.values() if item.id not in last_ids))
        self.add_missing("facts", facts)
        self.renamed_entities |= {id: item for id, item in items.items() if id in last_ids}
        self.scenes_to_reconcile |= dict.fromkeys(scene_ids)

    def note_commits_seen(
        self, states_by_id: Mapping[Id, CanonizationState], compared_ids: Collection[Id], named_ids: set[Id]
    ) -> None:
        """Note how far commits were before those in `compared_ids` were compared."""
        self.ended_commit_ids |= {id for id in compared_ids if states_by_id[id] in _ENDED_STATES}
        self.has_open_commits = not states_by_id.keys() <= self.ended_commit_ids
        self.named_commit_ids -= named_ids

    def drop_source(self, source_id: Id) -> None:
        snippet_items = self.missing_items.get("snippets", {})
        self.drop_missing(
            "snippets", [id for id, item in snippet_items.items() if item.scope["source"] == source_id]
        )


MAX_IDS_COMPARED: Final = 2_000
"""Entities and facts that are read for what commits wrote; if there are more, all of canon is read."""


ReconcileScene = Callable[[Id], Awaitable[int]]


class UniverseReconciler:
    """Keeps one index up to date for items without a scene. Raises what its reader and writer raise."""

    def __init__(self, source_reader: SourceReader, writer: IndexWriter) -> None:
        self._source_reader = source_reader
        self._writer = writer
        self._sync_states: dict[Id, SyncState] = {}

    # --- where to look -------------------------------------------------------------------------------

    def forget_universe(self, universe_id: Id) -> None:
        """Forget all state of a universe."""
        self._sync_states.pop(universe_id, None)

    def mark_all_dirty(self, universe_id: Id) -> None:
        """Compare the whole universe again, without sources that were compared already."""
        self._sync_state(universe_id).dirty_items |= ALL_ITEMS

    def note_commit(self, universe_id: Id, canonization_id: Id = "") -> None:
        """Note that a commit may have been written, and which one if it is named."""
        sync_state = self._sync_state(universe_id)
        sync_state.dirty_items.add(DirtyItem.COMMITS)
        if canonization_id:
            sync_state.named_commit_ids.add(canonization_id)

    def waits_for_commit(self, universe_id: Id) -> bool:
        """Say whether the last look found an unfinished commit."""
        return self._sync_state(universe_id).has_open_commits

    def note_change(self, change: Change) -> None:
        """Note that an entity, a fact, a source or a memory without a scene changed, and not the rest."""
        sync_state = self._sync_states.setdefault(change.universe_id, SyncState.up_to_date())
        match change.kind:
            case RecordKind.ENTITY:
                sync_state.changed_entity_ids.add(change.id)
                sync_state.dirty_items.add(DirtyItem.CHANGES)
            case RecordKind.FACT:
                sync_state.changed_fact_ids.add(change.id)
                sync_state.dirty_items.add(DirtyItem.CHANGES)
            case RecordKind.MEMORY:
                sync_state.changed_memory_ids.add(change.id)
            case RecordKind.SOURCE:
                sync_state.drop_source(change.id)
                sync_state.unread_source_ids[change.id] = None
            case RecordKind.SCENE:
                pass
            case _:
                assert_never(change.kind)

    def note_source(self, universe_id: Id, source_id: Id) -> None:
        """Note that a source is new or has more snippets."""
        sync_state = self._sync_state(universe_id)
        sync_state.dirty_items.add(DirtyItem.SOURCES)
        sync_state.changed_source_ids.add(source_id)

    def note_memories(self, universe_id: Id) -> None:
        """Note that memories without a scene changed."""
        self._sync_state(universe_id).dirty_items.add(DirtyItem.MEMORIES)

    # --- bringing ------------------------------------------------------------------------------------

    async def reconcile(self, universe_id: Id, reconcile_scene: ReconcileScene) -> int:
        """Index the next piece; returns what is left.

        `reconcile_scene` compares a scene's turns, memories and own text again, a piece at a time.
        """
        sync_state = self._sync_state(universe_id)
        if sync_state.dirty_items:
            await self._compare_dirty(universe_id, sync_state)
        if not await self._put_missing_items(sync_state):
            await self._do_next_task(universe_id, sync_state, reconcile_scene)
        has_more = bool(sync_state.dirty_items) or self._sync_states.get(universe_id) is not sync_state
        return max(sync_state.items_left, int(has_more))

    async def _do_next_task(
        self, universe_id: Id, sync_state: SyncState, reconcile_scene: ReconcileScene
    ) -> None:
        """Do one of the remaining tasks when nothing is waiting to be indexed."""
        if sync_state.changed_memory_ids:
            await self._put_changed_memories(sync_state)
        elif sync_state.scenes_to_reconcile:
            await self._reconcile_next_scene(sync_state, reconcile_scene)
        elif sync_state.renamed_entities:
            item_batch = list(islice(sync_state.renamed_entities.values(), self._writer.batch_size))
            await self._writer.put("entities", item_batch)
            sync_state.drop_missing("entities", [item.id for item in item_batch])
        elif sync_state.unread_source_ids:
            await self._compare_next_source(sync_state)
        elif sync_state.known_snippet_ids is not None:
            await self._delete_unknown_snippets(universe_id, sync_state)

    async def _put_missing_items(self, sync_state: SyncState) -> int:
        room = self._writer.batch_size
        for collection, items in list(sync_state.missing_items.items()):
            if item_batch := list(islice(items.values(), room)):
                await self._writer.put(collection, item_batch)
                for item in item_batch:
                    if items.get(item.id) is item:  # else it changed meanwhile, and is compared again
                        del items[item.id]
                room -= len(item_batch)
        return self._writer.batch_size - room

    async def _put_changed_memories(self, sync_state: SyncState) -> None:
        piece_ids = set(islice(sync_state.changed_memory_ids, self._writer.batch_size))
        sync_state.changed_memory_ids -= piece_ids
        try:
            await put_memories(self._writer, *await self._source_reader.read_memories(piece_ids))
        except BaseException:
            sync_state.changed_memory_ids |= piece_ids
            raise

    async def _reconcile_next_scene(self, sync_state: SyncState, reconcile_scene: ReconcileScene) -> None:
        scene_id = next(iter(sync_state.scenes_to_reconcile))
        if not await reconcile_scene(scene_id):
            sync_state.scenes_to_reconcile.pop(scene_id, None)

    # --- comparing -----------------------------------------------------------------------------------

    async def _compare_dirty(self, universe_id: Id, sync_state: SyncState) -> None:
        dirty_items, sync_state.dirty_items = sync_state.dirty_items, set()
        try:
            if DirtyItem.CANON in dirty_items:
                await self._compare_canon(universe_id, sync_state)
            elif DirtyItem.COMMITS in dirty_items:
                await self._compare_commits(universe_id, sync_state)
            if DirtyItem.CHANGES in dirty_items:
                await self._compare_changes(universe_id, sync_state)
            if DirtyItem.SOURCES in dirty_items:
                await self._compare_sources(universe_id, sync_state)
            if DirtyItem.MEMORIES in dirty_items:
                await self._compare_memories(universe_id, sync_state)
        except BaseException:
            sync_state.dirty_items |= dirty_items
            raise

    async def _compare_canon(self, universe_id: Id, sync_state: SyncState) -> None:
        named_commit_ids = set(sync_state.named_commit_ids)
        # First the state of the commits: what is written after that is compared the next time.
        states = await self._source_reader.log.canonization_states(universe_id)
        canon_items, universe_scope = (
            await self._source_reader.read_canon(universe_id),
            {"universe": universe_id},
        )
        stored_fingerprints = await self._writer.read_fingerprints("entities", scope=universe_scope)
        if sync_state.names_by_id is None:
            renamed_ids = {
                item.id
                for item in canon_items.entities
                if stored_fingerprints.get(item.id, item.fingerprint) != item.fingerprint
            }
        else:
            former_names = await self._source_reader.read_all_names(
                sync_state.names_by_id.keys() - canon_items.names_by_id.keys()
            )
            renamed_ids = sync_state.find_renamed(canon_items.names_by_id | former_names)
        scenes = await self._find_scenes_naming(universe_id, sync_state, renamed_ids)
        entities = await drop_and_find_outdated(
            self._writer, "entities", canon_items.entities, stored_fingerprints
        )
        facts = await find_outdated_in_scope(self._writer, "facts", canon_items.facts, universe_scope)
        sync_state.missing_items.pop("entities", None)
        sync_state.missing_items.pop("facts", None)
        sync_state.renamed_entities.clear()
        sync_state.note_differences(entities, facts, renamed_ids & stored_fingerprints.keys(), scenes)
        sync_state.names_by_id = canon_items.names_by_id
        sync_state.note_commits_seen(states, states.keys(), named_commit_ids)

    async def _compare_changes(self, universe_id: Id, sync_state: SyncState) -> None:
        """Compare the entities and facts that changed, and what names the entities."""
        entity_ids, sync_state.changed_entity_ids = sync_state.changed_entity_ids, set()
        fact_ids, sync_state.changed_fact_ids = sync_state.changed_fact_ids, set()
        try:
            if len(entity_ids) + len(fact_ids) > MAX_IDS_COMPARED:
                sync_state.names_by_id = None  # names were not followed meanwhile: fingerprints tell
                await self._compare_canon(universe_id, sync_state)
            else:
                await self._compare_ids(universe_id, sync_state, entity_ids, fact_ids)
        except BaseException:
            sync_state.changed_entity_ids |= entity_ids
            sync_state.changed_fact_ids |= fact_ids
            raise

    async def _compare_ids(
        self, universe_id: Id, sync_state: SyncState, entity_ids: set[Id], fact_ids: set[Id]
    ) -> None:
        stored_fingerprints = await self._writer.read_fingerprints("entities", ids=entity_ids)
        entities = (await self._source_reader.read_canon_of(universe_id, entity_ids, ())).entities
        # One that is neither in the index nor in canon may have been taken out before a stop.
        renamed_ids = entity_ids - {
            item.id
            for item in entities
            if stored_fingerprints.get(item.id) == item.fingerprint
            and item.id not in sync_state.renamed_entities
        }
        fact_ids = fact_ids | await self._source_reader.find_facts_naming(renamed_ids)
        canon_items = await self._source_reader.read_canon_of(universe_id, entity_ids, fact_ids)
        scenes = await self._source_reader.find_scenes_naming(universe_id, renamed_ids)
        sync_state.changed_memory_ids |= await self._source_reader.find_sceneless_memories_of(renamed_ids)
        await self._unseal_entities(canon_items.entities, renamed_ids & stored_fingerprints.keys())
        outdated_entities = await drop_and_find_outdated(
            self._writer, "entities", canon_items.entities, stored_fingerprints
        )
        outdated_facts = await find_outdated_of_ids(self._writer, "facts", canon_items.facts, fact_ids)
        sync_state.drop_missing("entities", entity_ids)
        sync_state.drop_missing("facts", fact_ids)
        outdated_ids = {item.id for item in outdated_entities}
        unsealed_entities = [
            item for item in canon_items.entities if item.id in renamed_ids - outdated_ids and item.text
        ]
        sync_state.note_differences(
            [*outdated_entities, *unsealed_entities], outdated_facts, renamed_ids, scenes
        )

    async def _unseal_entities(self, entities: Sequence[TextItem], ids: Collection[Id]) -> None:
        """Mark the entities as unfinished until all that names them is indexed, so that no stop hides it."""
        unfinished_items = [item._replace(fingerprint=UNFINISHED) for item in entities if item.id in ids]
        for batch in in_batches(self._writer.batch_size, unfinished_items):
            await self._writer.put("entities", batch)

    async def _compare_commits(self, universe_id: Id, sync_state: SyncState) -> None:
        named_commit_ids = set(sync_state.named_commit_ids)
        states = await self._source_reader.log.canonization_states(universe_id)
        open_commit_ids = states.keys() - sync_state.ended_commit_ids
        commits = await self._source_reader.log.canonizations(ids=open_commit_ids) if open_commit_ids else []
        entity_ids, fact_ids = _touched_ids([commit.batch for commit in commits])
        is_incomplete = len(commits) < len(open_commit_ids) or not named_commit_ids <= states.keys()
        if (
            is_incomplete
            or sync_state.names_by_id is None
            or len(entity_ids) + len(fact_ids) > MAX_IDS_COMPARED
        ):
            await self._compare_canon(universe_id, sync_state)
            return
        current_names = await self._source_reader.read_canon_names(universe_id, entity_ids)
        # Renamed, or not in canon any more: the text of the facts that involve it changes.
        renamed_or_gone_ids = {
            id for id in entity_ids if sync_state.names_by_id.get(id) != current_names.get(id)
        }
        fact_ids |= await self._source_reader.find_facts_naming(renamed_or_gone_ids)
        canon_items = await self._source_reader.read_canon_of(universe_id, entity_ids, fact_ids)
        stored_fingerprints = await self._writer.read_fingerprints("entities", ids=entity_ids)
        renamed_ids = sync_state.find_renamed(await self._source_reader.read_all_names(entity_ids))
        scenes = await self._find_scenes_naming(universe_id, sync_state, renamed_ids)
        entities = await drop_and_find_outdated(
            self._writer, "entities", canon_items.entities, stored_fingerprints
        )
        facts = await find_outdated_of_ids(self._writer, "facts", canon_items.facts, fact_ids)
        sync_state.drop_missing("entities", entity_ids)
        sync_state.drop_missing("facts", fact_ids)
        sync_state.note_differences(entities, facts, renamed_ids & stored_fingerprints.keys(), scenes)
        sync_state.names_by_id = {
            id: name for id, name in sync_state.names_by_id.items() if id not in entity_ids
        } | current_names
        sync_state.note_commits_seen(states, open_commit_ids, named_commit_ids)

    async def _find_scenes_naming(
        self, universe_id: Id, sync_state: SyncState, entity_ids: Collection[Id]
    ) -> list[Id]:
        """Return the scenes to be compared again because these entities were renamed."""
        if not entity_ids:
            return []
        sync_state.dirty_items.add(DirtyItem.MEMORIES)
        return await self._source_reader.find_scenes_naming(universe_id, entity_ids)

    async def _compare_sources(self, universe_id: Id, sync_state: SyncState) -> None:
        """Compare the next source; snippets never change, so each source is read once unless it grows."""
        changed_source_ids, sync_state.changed_source_ids = sync_state.changed_source_ids, set()
        try:
            source_ids = set(await self._source_reader.read_source_ids(universe_id))
            for source_id in sync_state.read_source_ids - source_ids:
                sync_state.drop_source(source_id)
                stored_fingerprints = await self._writer.read_fingerprints(
                    "snippets", scope={"source": source_id}
                )
                await delete_items(self._writer, "snippets", stored_fingerprints.keys())
        except BaseException:
            sync_state.changed_source_ids |= changed_source_ids
            raise
        sync_state.read_source_ids = (sync_state.read_source_ids & source_ids) - changed_source_ids
        sync_state.unread_source_ids = dict.fromkeys(sorted(source_ids - sync_state.read_source_ids))

    async def _compare_next_source(self, sync_state: SyncState) -> None:
        source_id = next(iter(sync_state.unread_source_ids))
        snippets = await self._source_reader.read_snippets(source_id)
        sync_state.add_missing(
            "snippets",
            await find_outdated_in_scope(self._writer, "snippets", snippets, {"source": source_id}),
        )
        if sync_state.known_snippet_ids is not None:
            sync_state.known_snippet_ids |= {item.id for item in snippets}
        del sync_state.unread_source_ids[source_id]
        sync_state.read_source_ids.add(source_id)

    async def _delete_unknown_snippets(self, universe_id: Id, sync_state: SyncState) -> None:
        """Delete, once per process, the snippets in the index that no source has."""
        stored_fingerprints = await self._writer.read_fingerprints(
            "snippets", scope={"universe": universe_id}
        )
        await delete_items(
            self._writer, "snippets", stored_fingerprints.keys() - (sync_state.known_snippet_ids or set())
        )
        sync_state.known_snippet_ids = None

    async def _compare_memories(self, universe_id: Id, sync_state: SyncState) -> None:
        memory_ids, wanted_items = await self._source_reader.read_sceneless_memories(universe_id)
        outdated_items = await find_outdated_of_ids(self._writer, "memories", wanted_items, memory_ids)
        sync_state.drop_missing("memories", memory_ids)
        sync_state.add_missing("memories", outdated_items)

    def _sync_state(self, universe_id: Id) -> SyncState:
        return self._sync_states.setdefault(universe_id, SyncState())


def _touched_ids(batches: Iterable[CanonBatch]) -> tuple[set[Id], set[Id]]:
    """Return the entities and the facts that commits changed."""
    entities, facts = set[Id](), set[Id]()
    for batch in batches:
        entities |= {entity.id for entity in batch.entities}
        facts |= {fact.id for fact in batch.facts} | {change.fact_id for change in batch.fact_changes}
        facts |= {id for edge in batch.supersedes for id in (edge.newer_id, edge.older_id)}
    return entities, facts
