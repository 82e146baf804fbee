"""Writes what each character remembers, and strengthens the memories that are recalled. Needs no model.

A background worker whose subjects are scenes; its cursor for a scene is a turn, and a fingerprint of what
was proposed and decided there. After an undo it starts again; memories that it writes again have the same
identifiers. One more subject stands for the memories that were read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

from agents.events import (
    CanonCommitted,
    Event,
    EventBus,
    HeadMoved,
    MemoriesRead,
    MemoriesWritten,
    ProposalsChanged,
    SceneOpened,
    TurnAppended,
)
from agents.jobs.followed_scenes import DueScenes
from agents.jobs.worker import PLAIN_QUEUE, Cursors, JobSubject, RetryLater
from agents.memory_manager.attendance import takes_aside
from agents.memory_manager.memory_changes import (
    derive_misremembered_id,
    find_changed_memories,
    is_misremembered,
)
from agents.memory_manager.memory_cursor import REPEATING, WORDS_VERSION, MemoryCursor
from agents.memory_manager.memory_decay import recall_memory
from agents.memory_manager.memory_extraction import extract_memories
from agents.memory_manager.proposal_fingerprint import describe_decision, fingerprint_proposals
from agents.memory_manager.scene_reader import TURNS_READ_AFTER, SceneReader, SceneSetting
from agents.memory_manager.valid_memories import find_corrected_ids
from stores.errors import NotFound
from stores.ports import LogReader, MemoryWriter
from stores.queries import MemoryQuery, ProposalQuery
from stores.records.ids import Clock, Id, derive_id
from stores.records.jobs import JobKind, derive_job_id
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Scene, Turn

MEMORY_PRIORITY: Final = 30

TURNS_PER_PIECE: Final = 30
"""Turns of one scene that are processed at a time."""
MAX_UNCOMPARED_TURNS: Final = 60
"""The latest turns of a scene that are processed again because what was told there matched no fact yet."""
MAX_SCENES_CACHED: Final = 8
RETRY_SECONDS: Final = 1.0
"""Seconds until a turn is tried again that play has not done with yet."""
_STEPS_BEFORE_MOVES: Final = frozenset({"record", "assemble"})
"""Steps of an exchange (`agents.orchestrator.exchange.EXCHANGE_STEPS`) after which its words have moved nobody yet."""
READ_SUBJECT: Final = derive_id("subject", "memories that were read")
"""The subject for recalled memories, which belongs to no universe."""


def concerns_memories(event: Event) -> bool:
    """Say whether an event may put memories out of date."""
    return isinstance(
        event, TurnAppended | HeadMoved | SceneOpened | ProposalsChanged | CanonCommitted | MemoriesRead
    )


class MemoryManager:
    """Keeps the memories of all characters up to date; see `agents.jobs.followed_scenes.SceneWorker`.

    It caches the proposals by turn of the scenes that it processed last, so that a decision does not need a
    walk over all turns.
    """

    kind = JobKind.REMEMBER
    queue = PLAIN_QUEUE
    priority = MEMORY_PRIORITY
    version = WORDS_VERSION

    def __init__(
        self,
        log: LogReader,
        writer: MemoryWriter,
        scene_reader: SceneReader,
        cursors: Cursors,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._writer = writer
        self._scene_reader = scene_reader
        self._cursors = cursors
        self._clock = clock
        self._events = events
        self._read_ticks: dict[Id, int] = {}
        self._proposals_by_scene: dict[Id, dict[Id, str]] = {}
        self._unannounced_scenes: dict[Id, Id] = {}
        """Scenes with new memories of which no event told yet, and their universes."""

    async def find_due(self, scenes: Sequence[Scene]) -> DueScenes:
        """Return the scenes whose head has moved, where something was proposed or decided, or that are being processed.

        What was decided without a new turn has no other trace than the fingerprint, if the process ended before
        it worked on it.
        """
        jobs = await self._log.jobs(ids=[derive_job_id(self.kind, scene.id) for scene in scenes])
        cursors = {job.subject_id: MemoryCursor.parse(job.cursor) for job in jobs}
        due_subjects: list[JobSubject] = []
        for scene in scenes:
            cursor = cursors.get(scene.id, MemoryCursor())
            if scene.head and (
                cursor.is_behind(scene.head) or await self._has_decisions_since(cursor, scene)
            ):
                due_subjects.append(JobSubject(scene.id, scene.universe_id))
        return DueScenes(due_subjects)

    async def _has_decisions_since(self, cursor: MemoryCursor, scene: Scene) -> bool:
        proposals = await self._log.proposals(ProposalQuery(scene_id=scene.id))
        return cursor.fingerprint != fingerprint_proposals(proposals)

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        match event:
            case TurnAppended(turn=turn):
                return await self._scene_subjects(turn.scene_id)
            case HeadMoved(scene_id=scene_id) | SceneOpened(scene_id=scene_id):
                return await self._scene_subjects(scene_id)
            case ProposalsChanged(scene_id=str(scene_id)) | CanonCommitted(scene_id=str(scene_id)):
                return await self._scene_subjects(scene_id)
            case MemoriesRead(memory_ids=memory_ids, tick=tick):
                for memory_id in memory_ids:
                    self._read_ticks[memory_id] = max(tick, self._read_ticks.get(memory_id, tick))
                return [JobSubject(READ_SUBJECT, "")] if memory_ids else []
            case _:
                return []

    async def reconcile(self, subject_id: Id) -> int:
        """Process one piece of a scene, or strengthen the memories that were read. Raises RetryLater."""
        if subject_id == READ_SUBJECT:
            return await self._strengthen_read_memories()
        left_count = 0
        try:
            left_count = await self._remember_piece(subject_id)
        except NotFound:
            pass
        finally:
            # Once for a scene, and at once if a piece fails: what it wrote is not written again.
            if not left_count and subject_id in self._unannounced_scenes:
                self._events.publish(MemoriesWritten(self._unannounced_scenes.pop(subject_id), subject_id))
        return left_count

    # --- a scene --------------------------------------------------------------------------------------

    async def _remember_piece(self, scene_id: Id) -> int:
        setting = await self._scene_reader.read_setting(scene_id)
        scene = setting.scene
        turn_count = await self._log.line_length(scene_id)
        subject = JobSubject(scene_id, scene.universe_id)
        cursor = await self._read_scene_cursor(scene, subject)
        fingerprint = fingerprint_proposals(setting.proposals)
        if cursor.turn_id and cursor.fingerprint != fingerprint:
            # Saved before the work: if the process ends meanwhile, the next start processes the turns
            # again.
            cursor = await self._save(subject, cursor._replace(fingerprint=REPEATING))
            cursor = await self._repeat_turns(setting, cursor)
            cursor = cursor._replace(fingerprint=fingerprint)
        start_depth = cursor.depth + 1
        turns = (
            await self._log.line_slice(scene_id, start_depth, TURNS_PER_PIECE + TURNS_READ_AFTER)
            if start_depth < turn_count
            else []
        )
        turn_piece, following_turns = turns[:TURNS_PER_PIECE], turns[TURNS_PER_PIECE:]
        if any(takes_aside(turn.text) for turn in turn_piece):
            setting = await self._read_setting_after_moves(setting)
        if turn_piece:
            cursor = await self._write_memories(setting, cursor, turn_piece, following_turns)
            cursor = MemoryCursor(turn_piece[-1].id, turn_piece[-1].depth, fingerprint, cursor.edition)
        cursor = await self._save(subject, cursor.end_change())
        left_count = max(0, turn_count - cursor.depth - 1)
        if not left_count:
            self._proposals_by_scene = {
                **dict(list(self._proposals_by_scene.items())[-MAX_SCENES_CACHED:]),
                scene_id: _proposal_texts_by_turn(setting),
            }
        return left_count

    async def _read_setting_after_moves(self, setting: SceneSetting) -> SceneSetting:
        """Read a scene again once play has written who went out of earshot by its last turn. Raises RetryLater."""
        checkpoints = await self._log.checkpoints(setting.scene.id)
        if any(checkpoint.step in _STEPS_BEFORE_MOVES for checkpoint in checkpoints):
            raise RetryLater("Who hears the last turn is still being read.", seconds=RETRY_SECONDS)
        return await self._scene_reader.read_setting(setting.scene.id)

    async def _read_scene_cursor(self, scene: Scene, subject: JobSubject) -> MemoryCursor:
        """Return how far the scene's present line is processed."""
        cursor = MemoryCursor.parse(await self._cursors.read_cursor(self.kind, subject.id))
        if cursor.turn_id and not await self._log.on_line(scene.id, [cursor.turn_id]):
            return MemoryCursor(edition=cursor.edition)
        return cursor

    async def _save(self, subject: JobSubject, cursor: MemoryCursor) -> MemoryCursor:
        await self._cursors.write_cursor(self.kind, subject, cursor.as_text())
        return cursor

    async def _repeat_turns(self, setting: SceneSetting, cursor: MemoryCursor) -> MemoryCursor:
        """Process again the turns whose proposals changed, or where something was told that could not be compared.

        They may leave different memories now. Returns the cursor with the edition after that.
        """
        texts_now = _proposal_texts_by_turn(setting)
        texts_before = self._proposals_by_scene.get(setting.scene.id)
        stored_memories = await self._log.memories(MemoryQuery(scene_id=setting.scene.id))
        if (
            texts_before is None
        ):  # after a restart: what was undone since is known by what is remembered of it
            ids = {*texts_now, *(m.turn_id for m in stored_memories if m.turn_id and m.linked_fact_id)}
        else:
            ids = {i for i in {*texts_now, *texts_before} if texts_now.get(i) != texts_before.get(i)}
        uncompared_turn_ids = [
            m.turn_id
            for m in stored_memories
            if m.turn_id and m.how is MemoryOrigin.TOLD and not m.linked_fact_id
        ]
        ids.update(uncompared_turn_ids[-MAX_UNCOMPARED_TURNS:])
        turns = sorted((await self._log.turns(ids)).values(), key=lambda t: t.depth)
        on_line = await self._log.on_line(setting.scene.id, ids) if ids else set()
        repeated_turns = [
            t for t in turns if t.depth <= cursor.depth and t.id in on_line and t.scene_id == setting.scene.id
        ]
        for start in range(0, len(repeated_turns), TURNS_PER_PIECE):
            turn_piece = repeated_turns[start : start + TURNS_PER_PIECE]
            following_turns = [
                t
                for turn in turn_piece
                for t in await self._log.line_slice(setting.scene.id, turn.depth + 1, TURNS_READ_AFTER)
            ]
            cursor = await self._write_memories(setting, cursor, turn_piece, following_turns)
        return cursor

    async def _write_memories(
        self,
        setting: SceneSetting,
        cursor: MemoryCursor,
        turns: Sequence[Turn],
        following_turns: Sequence[Turn],
    ) -> MemoryCursor:
        """Write the memories that the turns leave, where they differ from what is stored.

        Returns the cursor with the edition after that.
        """
        if setting.attendance.is_empty:
            return cursor  # an imported log without any entity of canon
        stretch = await self._scene_reader.read_stretch(setting, turns, following_turns)
        # In a thread: this takes a while, and play goes on meanwhile.
        new_memories = await asyncio.to_thread(extract_memories, stretch, self._clock())
        stored_memories = await self._log.memories(MemoryQuery(turn_ids=[t.id for t in turns]))
        changed_memories = await self._mark_corrected(
            find_changed_memories(new_memories, stored_memories, stretch)
        )
        if changed_memories:
            if not cursor.is_changing:
                subject = JobSubject(setting.scene.id, setting.scene.universe_id)
                cursor = await self._save(subject, cursor.start_change())
            self._unannounced_scenes[setting.scene.id] = setting.scene.universe_id
            await self._writer.put_memories(changed_memories)
        return cursor

    async def _mark_corrected(self, changed_memories: Sequence[Memory]) -> list[Memory]:
        """Return the memories to write, with those marked that are replaced by others."""
        corrector_by_id = {m.corrects: m.id for m in changed_memories if m.corrects}
        memories_by_id = (
            {m.id: m for m in await self._log.memories(MemoryQuery(ids=corrector_by_id))}
            if corrector_by_id
            else {}
        )
        memories_by_id |= {m.id: m for m in changed_memories}
        changed_ids = {m.id for m in changed_memories}
        corrector_updates = {
            i: corrector_by_id[i]
            for i, m in memories_by_id.items()
            if i in corrector_by_id and m.corrected_by != corrector_by_id[i]
        }
        return [
            m.model_copy(update={"corrected_by": corrector_updates[i]}) if i in corrector_updates else m
            for i, m in memories_by_id.items()
            if i in corrector_updates or i in changed_ids
        ]

    async def _scene_subjects(self, scene_id: Id) -> Collection[JobSubject]:
        try:
            scene = await self._log.scene(scene_id)
        except NotFound:
            return []
        return [JobSubject(scene.id, scene.universe_id)]

    # --- by the GM's hand ----------------------------------------------------------------------------

    async def misremember(self, memory_id: Id, text: str) -> Memory:
        """Have a character remember something differently, without changing what they lived or canon.

        Without text, or with the original text, the memory is as it was again. Returns the memory that
        counts then. Raises NotFound.
        """
        memories_by_id = {
            m.id: m
            for m in await self._log.memories(
                MemoryQuery(ids=[memory_id, derive_misremembered_id(memory_id)])
            )
        }
        if memory_id not in memories_by_id:
            raise NotFound("That memory is gone.", kept="Nothing was changed.")
        lived_memory = memories_by_id[memory_id]
        if is_misremembered(lived_memory):
            assert lived_memory.corrects is not None
            return await self.misremember(lived_memory.corrects, text)
        clean_text = " ".join(text.split())
        misremembered_memory = memories_by_id.get(
            derive_misremembered_id(memory_id)
        ) or lived_memory.model_copy(
            update={"id": derive_misremembered_id(memory_id), "corrects": memory_id, "corrected_by": None}
        )
        is_mistaken = bool(clean_text) and clean_text != lived_memory.text
        new_memory = misremembered_memory.model_copy(
            update={"text": clean_text or lived_memory.text, "mistaken": is_mistaken}
        )
        changed_memories = [new_memory, lived_memory.model_copy(update={"corrected_by": new_memory.id})]
        if lived_memory.scene_id:
            subject = JobSubject(lived_memory.scene_id, lived_memory.universe_id)
            cursor = MemoryCursor.parse(await self._cursors.read_cursor(self.kind, subject.id))
            changing_cursor = await self._save(subject, cursor.start_change())
            await self._writer.put_memories(changed_memories)
            await self._save(subject, changing_cursor.end_change())
        else:
            await self._writer.put_memories(changed_memories)
        self._events.publish(MemoriesWritten(lived_memory.universe_id, lived_memory.scene_id))
        return new_memory

    # --- what was read -------------------------------------------------------------------------------

    async def _strengthen_read_memories(self) -> int:
        """Strengthen the memories that were read.

        Corrected ones are not: reading the correction, or the error in it, must not strengthen the error.
        """
        read_ticks, self._read_ticks = self._read_ticks, {}
        memories = await self._log.memories(MemoryQuery(ids=list(read_ticks)))
        now = self._clock()
        corrected_ids = await find_corrected_ids(self._log, memories)
        await self._writer.put_memories(
            [recall_memory(m, read_ticks[m.id], now) for m in memories if m.id not in corrected_ids]
        )
        return 0


def _proposal_texts_by_turn(setting: SceneSetting) -> dict[Id, str]:
    """Return what was proposed on each turn and how it was decided."""
    texts_by_turn: dict[Id, str] = {}
    for proposal in setting.proposals:
        if proposal.turn_id:
            texts_by_turn[proposal.turn_id] = texts_by_turn.get(proposal.turn_id, "") + describe_decision(
                proposal
            )
    return texts_by_turn
