"""The MemoryManager: writes what each character remembers, and keeps up what is recalled.

A background worker: its subjects are scenes, and how far it came with one is its cursor (a turn, and a print
of what was proposed and decided there). Behind an undo it starts anew; what it makes again has the same
identifiers. Beside them there is one subject for the memories that were read. Needs no model. Source:
design/authority.md (memories are its alone); design/loops.md, "Background".
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from agents.events import (
    CanonCommitted,
    Event,
    EventBus,
    LineMoved,
    MemoriesRead,
    MemoriesWritten,
    ProposalsChanged,
    SceneOpened,
    TurnAppended,
)
from agents.jobs.worker import PLAIN_QUEUE, Cursors, JobSubject
from agents.memory_manager.changes import changes, is_by_hand, misremembered_id
from agents.memory_manager.counting import corrected
from agents.memory_manager.decay import recall
from agents.memory_manager.memories import memories_of
from agents.memory_manager.scenes import BEHIND, Scenes, Setting
from stores.errors import NotFound
from stores.ports import MemoryLog
from stores.records.ids import Clock, Id, derived
from stores.records.jobs import JobKind
from stores.records.ledger import ProposedChange
from stores.records.memory import How, Memory
from stores.records.play import Scene, Turn

PIECE: Final = 30
"""Turns of one scene that are gone through at a time."""
UNCOMPARED: Final = 60
"""Turns of a scene, the latest, that are gone through again because what was told there met no fact yet."""
SCENES_SEEN: Final = 8
READ: Final = derived("subject", "memories that were read")
"""The subject of what was recalled: it is of no universe."""


class _Reached(NamedTuple):
    """How far a scene is remembered: the turn, its depth, a print of what was proposed up to there. `edition`
    rises with every change of its memories: it tells the Indexer of them."""

    turn_id: Id = ""
    depth: int = -1
    print: str = ""
    edition: int = 0

    @classmethod
    def read(cls, words: str) -> _Reached:
        turn_id, depth, mark, edition = [*words.split(" "), *("",) * 4][:4]
        if not edition.isdecimal():
            return cls()
        return cls(turn_id, int(depth), mark, int(edition))

    def written(self) -> str:
        return f"{self.turn_id} {self.depth} {self.print} {self.edition}"


AGAIN: Final = "again"
"""The print of a scene whose turns are being gone through again."""


def _behind(reached: _Reached, head: Id) -> bool:
    return reached.turn_id != head or reached.print == AGAIN


class MemoryManager:
    """See `agents.jobs.worker.Worker`. Holds what was read since it last looked, and of the scenes that
    it was at last what was proposed on which turn, so that a decision costs no walk over all of them."""

    kind = JobKind.REMEMBER
    queue = PLAIN_QUEUE
    priority = 30

    def __init__(
        self, log: MemoryLog, scenes: Scenes, cursors: Cursors, clock: Clock, events: EventBus
    ) -> None:
        self._log = log
        self._scenes = scenes
        self._cursors = cursors
        self._clock = clock
        self._events = events
        self._read: dict[Id, int] = {}
        self._seen: dict[Id, dict[Id, str]] = {}

    async def subjects(self) -> Collection[JobSubject]:
        """Return the scenes whose head is not where it was remembered up to, or that were being gone through
        again, the newest first."""
        jobs = await self._log.jobs(kinds=[JobKind.REMEMBER])
        reached = {job.subject_id: _Reached.read(job.reached) for job in jobs}
        found: list[JobSubject] = []
        for story in await self._log.stories():
            found += (
                JobSubject(scene.id, scene.universe_id)
                for scene in reversed(await self._log.scenes(story.id))
                if scene.head and _behind(reached.get(scene.id, _Reached()), scene.head)
            )
        return found

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        match event:
            case TurnAppended(turn=turn):
                return await self._scene(turn.scene_id)
            case LineMoved(scene_id=scene_id) | SceneOpened(scene_id=scene_id):
                return await self._scene(scene_id)
            case ProposalsChanged(scene_id=str(scene_id)) | CanonCommitted(scene_id=str(scene_id)):
                return await self._scene(scene_id)
            case MemoriesRead(memory_ids=ids, tick=tick):
                for memory_id in ids:
                    self._read[memory_id] = max(tick, self._read.get(memory_id, tick))
                return [JobSubject(READ, "")] if ids else []
            case _:
                return []

    async def reconcile(self, subject_id: Id) -> int:
        """Remember a piece of a scene, or keep up what was read."""
        if subject_id == READ:
            return await self._keep_up()
        try:
            return await self._remember(subject_id)
        except NotFound:
            return 0

    # --- a scene --------------------------------------------------------------------------------------

    async def _remember(self, scene_id: Id) -> int:
        setting = await self._scenes.setting(scene_id)
        scene = setting.scene
        total = await self._log.line_length(scene_id)
        subject = JobSubject(scene_id, scene.universe_id)
        reached = await self._where(scene, subject)
        mark = _print(setting)
        written = 0
        if reached.turn_id and reached.print != mark:
            # Noted before it is done: whatever ends us in between, the next start goes through it again.
            await self._cursors.write_cursor(self.kind, subject, reached._replace(print=AGAIN).written())
            written += await self._again(setting, reached.depth)
            reached = reached._replace(print=mark)
        start = reached.depth + 1
        turns = await self._log.line_slice(scene_id, start, PIECE + BEHIND) if start < total else []
        piece, behind = turns[:PIECE], turns[PIECE:]
        if piece:
            written += await self._write(setting, piece, behind)
            reached = _Reached(piece[-1].id, piece[-1].depth, mark, reached.edition)
        reached = reached._replace(edition=reached.edition + written)
        await self._cursors.write_cursor(self.kind, subject, reached.written())
        if written:
            self._events.publish(MemoriesWritten(scene.universe_id, scene_id))
        left = max(0, total - reached.depth - 1)
        if not left:
            self._seen = {**dict(list(self._seen.items())[-SCENES_SEEN:]), scene_id: _by_turn(setting)}
        return left

    async def _where(self, scene: Scene, subject: JobSubject) -> _Reached:
        """Return how far the scene's present line is remembered."""
        reached = _Reached.read(await self._cursors.read_cursor(self.kind, subject.id))
        if reached.turn_id and not await self._log.on_line(scene.id, [reached.turn_id]):
            return _Reached(edition=reached.edition)
        return reached

    async def _again(self, setting: Setting, depth: int) -> int:
        """Go through the turns again that something was proposed or decided on, or told that nobody could
        compare: what they leave may be another memory now."""
        now, before = _by_turn(setting), self._seen.get(setting.scene.id, {})
        ids = {i for i in {*now, *before} if now.get(i) != before.get(i)}
        held = await self._log.memories(scene_id=setting.scene.id)
        open_words = [m.turn_id for m in held if m.turn_id and m.how is How.TOLD and not m.linked_fact_id]
        ids.update(open_words[-UNCOMPARED:])
        turns = sorted((await self._log.turns(ids)).values(), key=lambda t: t.depth)
        on_line = await self._log.on_line(setting.scene.id, ids) if ids else set()
        known = [t for t in turns if t.depth <= depth and t.id in on_line and t.scene_id == setting.scene.id]
        written = 0
        for at in range(0, len(known), PIECE):
            piece = known[at : at + PIECE]
            behind = [
                t
                for turn in piece
                for t in await self._log.line_slice(setting.scene.id, turn.depth + 1, BEHIND)
            ]
            written += await self._write(setting, piece, behind)
        return written

    async def _write(self, setting: Setting, turns: Sequence[Turn], behind: Sequence[Turn]) -> int:
        """Write what the turns leave, where it is not there already; returns how many memories changed."""
        if setting.attendance.nobody:
            return 0  # a log of other play, with nobody known in it
        lived = await self._scenes.lived(setting, turns, behind)
        # In a thread: reading what was said takes a while, and play goes on meanwhile.
        made = await asyncio.to_thread(memories_of, lived, self._clock())
        there = await self._log.memories(turn_ids=[t.id for t in turns])
        changed = await self._marked(changes(made, there, lived))
        if changed:
            await self._log.put_memories(changed)
        return len(changed)

    async def _marked(self, changed: Sequence[Memory]) -> list[Memory]:
        """Return what is to be written, with those memories that it takes the place of marked so."""
        by = {m.corrects: m.id for m in changed if m.corrects}
        every = {m.id: m for m in await self._log.memories(ids=by)} if by else {}
        every |= {m.id: m for m in changed}
        written = {m.id for m in changed}
        marks = {i: by[i] for i, m in every.items() if i in by and m.corrected_by != by[i]}
        return [
            m.model_copy(update={"corrected_by": marks[i]}) if i in marks else m
            for i, m in every.items()
            if i in marks or i in written
        ]

    async def _scene(self, scene_id: Id) -> Collection[JobSubject]:
        try:
            scene = await self._log.scene(scene_id)
        except NotFound:
            return []
        return [JobSubject(scene.id, scene.universe_id)]

    # --- by the GM's hand ----------------------------------------------------------------------------

    async def misremember(self, memory_id: Id, text: str) -> Memory:
        """Have the character remember it so; what was lived stays beneath, and canon is not touched. Without
        text, or with what was lived, they have it as it was again. Returns the memory that counts then.

        Raises NotFound.
        """
        found = {m.id: m for m in await self._log.memories(ids=[memory_id, misremembered_id(memory_id)])}
        if memory_id not in found:
            raise NotFound("That memory is gone.", kept="Nothing was changed.")
        lived = found[memory_id]
        if is_by_hand(lived):
            assert lived.corrects is not None
            return await self.misremember(lived.corrects, text)
        words = " ".join(text.split())
        by_hand = found.get(misremembered_id(memory_id)) or lived.model_copy(
            update={"id": misremembered_id(memory_id), "corrects": memory_id, "corrected_by": None}
        )
        otherwise = bool(words) and words != lived.text
        made = by_hand.model_copy(update={"text": words or lived.text, "mistaken": otherwise})
        await self._log.put_memories([made, lived.model_copy(update={"corrected_by": made.id})])
        if lived.scene_id:
            reached = _Reached.read(await self._cursors.read_cursor(self.kind, lived.scene_id))
            newer = reached._replace(edition=reached.edition + 1)
            await self._cursors.write_cursor(
                self.kind, JobSubject(lived.scene_id, lived.universe_id), newer.written()
            )
        self._events.publish(MemoriesWritten(lived.universe_id, lived.scene_id))
        return made

    # --- what was read -------------------------------------------------------------------------------

    async def _keep_up(self) -> int:
        """Strengthen what came to mind. What was corrected is not: to read the correction, or the error in
        it, must not keep up the error."""
        read, self._read = self._read, {}
        memories = await self._log.memories(ids=list(read))
        now = self._clock()
        gone = await corrected(self._log, memories)
        await self._log.put_memories([recall(m, read[m.id], now) for m in memories if m.id not in gone])
        return 0


def _print(setting: Setting) -> str:
    """Return a print of what was proposed in the scene and how it was decided."""
    return hashlib.sha256("\n".join(map(_told, setting.proposals)).encode()).hexdigest()[:16]


def _by_turn(setting: Setting) -> dict[Id, str]:
    """Return what was proposed on each turn and how it was decided."""
    found: dict[Id, str] = {}
    for proposal in setting.proposals:
        if proposal.turn_id:
            found[proposal.turn_id] = found.get(proposal.turn_id, "") + _told(proposal)
    return found


def _told(proposal: ProposedChange) -> str:
    verdict = proposal.decision.verdict if proposal.decision else ""
    return f"{proposal.id} {proposal.status} {verdict} {proposal.turn_id}"
