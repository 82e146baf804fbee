"""Sums up what left the view: stretches of a scene's line, scenes that are over, and stories of many scenes.

A background worker; its subjects are scenes. Each summary is anchored to the turns that it covers and named
by the last of them: behind an undo it does not count, and what is played instead has one of its own. Done
again it is the same. Source: design/loops.md, "Memory layers".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Sequence
from typing import Final

from agents.canon_keeper.fact_claims import fact_id_of
from agents.events import CanonCommitted, Event, LineMoved, LoopMoved, TurnAppended
from agents.jobs.worker import PLAIN_QUEUE, Cursors, JobSubject
from agents.memory_manager.staged import denied
from agents.memory_manager.summaries import (
    BULLET,
    CHAPTERS,
    LEVELS,
    SCENE,
    STORY,
    TENFOLD,
    TURNS,
    covering,
    of_scene,
    of_stretch,
    rolled,
)
from stores.errors import NotFound
from stores.ports import CanonReader, MemoryLog
from stores.records.canon import AssertFact, Fact, FactKind, FactStatus
from stores.records.ids import Clock, Id, derived
from stores.records.jobs import JobKind
from stores.records.ledger import Loop, ProposedChange
from stores.records.memory import Summary
from stores.records.play import Resolution, Scene, Speaker, Turn

PIECE: Final = 5
"""Stretches of one scene that are summed up at a time."""
MOST_TURNS: Final = 400
"""Turns of a scene, the last ones, that its own summary is made of: the stretches tell of those before."""
_OVER: Final = ("completed", "failed")


class Summariser:
    """See `agents.jobs.worker.Worker`. Stateless."""

    kind = JobKind.SUMMARISE
    queue = PLAIN_QUEUE
    priority = 10

    def __init__(self, log: MemoryLog, canon: CanonReader, cursors: Cursors, clock: Clock) -> None:
        self._log = log
        self._canon = canon
        self._cursors = cursors
        self._clock = clock

    async def subjects(self) -> Collection[JobSubject]:
        """Return the scenes whose line is not where it was summed up to, or that ended since."""
        jobs = {job.subject_id: job.reached for job in await self._log.jobs(kinds=[self.kind])}
        found: list[JobSubject] = []
        for story in await self._log.stories():
            scenes = [s for s in await self._log.scenes(story.id) if s.head]
            states = await self._log.loop_states(Loop.SCENE, [s.id for s in scenes]) if scenes else {}
            for scene in scenes:
                state = states[scene.id].target if scene.id in states else ""
                if jobs.get(scene.id) != _reached(scene, state):
                    found.append(JobSubject(scene.id, scene.universe_id))
        return found

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        match event:
            case TurnAppended(turn=turn):
                return await self._scene(turn.scene_id) if turn.depth % TURNS == TURNS - 1 else []
            case LineMoved(scene_id=scene_id):
                return await self._scene(scene_id)
            case CanonCommitted(scene_id=str(scene_id)):
                return await self._scene(scene_id)
            case LoopMoved(transition=move) if move.loop is Loop.SCENE and move.target in _OVER:
                return await self._scene(move.subject_id)
            case _:
                return []

    async def reconcile(self, subject_id: Id) -> int:
        """Sum up a piece of a scene's line; when all of it is and the scene is over, the scene and story."""
        try:
            scene = await self._log.scene(subject_id)
        except NotFound:
            return 0
        left = await self._stretches(scene)
        if left:
            return left
        move = await self._log.loop_state(Loop.SCENE, scene.id)
        state = move.target if move else ""
        if state in _OVER and scene.head:
            await self._scene_itself(scene)
        subject = JobSubject(scene.id, scene.universe_id)
        await self._cursors.write_cursor(self.kind, subject, _reached(scene, state))
        return 0

    # --- one scene's line ------------------------------------------------------------------------------

    async def _stretches(self, scene: Scene) -> int:
        """Sum up the whole stretches of the line that are not yet; returns how many are left."""
        whole = await self._log.line_length(scene.id) // TURNS
        there = {s.id: s for s in await self._log.summaries(scene.id) if s.kind in LEVELS}
        ends = await self._ends(scene, whole)
        missing = [n for n, turn in enumerate(ends) if _id(LEVELS[0], turn) not in there]
        for n in missing[:PIECE]:
            turns = await self._log.line_slice(scene.id, n * TURNS, TURNS)
            made = await self._stretch(scene, turns)
            await self._log.put_summaries([made])
            there[made.id] = made
        if len(missing) > PIECE:
            return len(missing) - PIECE
        await self._roll(scene, ends, there)
        return 0

    async def _ends(self, scene: Scene, whole: int) -> list[Turn]:
        """Return the last turn of every whole stretch of the line."""
        lists = await gather(*(self._log.line_slice(scene.id, (n + 1) * TURNS - 1, 1) for n in range(whole)))
        return [turns[0] for turns in lists if turns]

    async def _roll(self, scene: Scene, ends: Sequence[Turn], there: dict[Id, Summary]) -> None:
        """Roll ten of one level up into one of the next."""
        matters = await self._open_matters(scene.universe_id)
        for level in range(1, len(LEVELS)):
            size = TENFOLD**level
            for n in range(len(ends) // size):
                last = ends[(n + 1) * size - 1]
                if _id(LEVELS[level], last) in there:
                    continue
                step = size // TENFOLD
                parts = [
                    there[_id(LEVELS[level - 1], ends[n * size + (k + 1) * step - 1])] for k in range(TENFOLD)
                ]
                told = f"Turns {n * size * TURNS + 1} to {(n + 1) * size * TURNS}: "
                text = rolled(told, [p.text for p in parts], matters)
                made = self._summary(LEVELS[level], scene, text, parts[0].first_turn, last)
                await self._log.put_summaries([made])
                there[made.id] = made

    async def _stretch(self, scene: Scene, turns: Sequence[Turn]) -> Summary:
        facts, commitments = await self._came_of(scene, {t.id for t in turns})
        ids = {t.id for t in turns}
        bullets = [
            s.text for s in await self._log.summaries(scene.id) if s.kind == BULLET and s.last_turn in ids
        ]
        text = of_stretch(
            turns,
            facts=facts,
            bullets=bullets,
            results=await self._results(turns),
            decisions=[m for m in await self._log.decision_marks(scene.id) if m.turn_id in ids],
            commitments=commitments,
        )
        return self._summary(LEVELS[0], scene, text, turns[0].id, turns[-1])

    # --- a scene that is over, and its story -----------------------------------------------------------

    async def _scene_itself(self, scene: Scene) -> None:
        assert scene.head is not None
        turns = await self._log.line_tail(scene.id, MOST_TURNS)
        on_line = await self._log.proposals(scene_id=scene.id)
        facts, commitments = await self._came_of(scene, {p.turn_id for p in on_line if p.turn_id})
        bullets = await self._log.summaries(scene.id)
        ids = {t.id for t in turns}
        text = of_scene(
            scene,
            turns,
            facts=facts,
            bullets=[s.text for s in bullets if s.kind == BULLET and s.last_turn in ids],
            results=await self._results(turns),
            decisions=await self._log.decision_marks(scene.id),
            commitments=commitments,
        )
        (first,) = await self._log.line_slice(scene.id, 0, 1) or [turns[0]]
        await self._put(scene, self._summary(SCENE, scene, text, first.id, turns[-1]))
        await self._story(scene)

    async def _story(self, scene: Scene) -> None:
        """Sum up the story as far as this scene: what the next one's prompts are told of all before."""
        scenes = [s for s in await self._log.scenes(scene.story_id) if s.order <= scene.order and s.head]
        matters = await self._open_matters(scene.universe_id)
        texts = [
            text
            for level, first, last in covering(len(scenes))
            if (text := await self._chapter(level, scenes[first : last + 1], matters))
        ]
        (head,) = await self._log.line_tail(scene.id, 1)
        await self._put(scene, self._summary(STORY, scene, "\n".join(texts), None, head))

    async def _chapter(self, level: int, scenes: Sequence[Scene], matters: Collection[str]) -> str:
        """Return what these scenes come to together; made if it is not there yet."""
        last, kind = scenes[-1], CHAPTERS[level]
        if last.head is None:
            return ""
        found = {s.id: s for s in await self._log.summaries(last.id)}
        own = derived("summary", kind, last.head)
        if own in found:
            return found[own].text
        if level == 0:
            return f"Scene {last.order}: {last.summary}" if last.summary else ""
        size = len(scenes) // TENFOLD
        parts = [
            await self._chapter(level - 1, scenes[n * size : (n + 1) * size], matters) for n in range(TENFOLD)
        ]
        text = rolled(f"Scenes {scenes[0].order} to {last.order}: ", parts, matters)
        head = await self._log.turn(last.head)
        await self._log.put_summaries([self._summary(kind, last, text, None, head)])
        return text

    # --- inside ----------------------------------------------------------------------------------------

    async def _came_of(self, scene: Scene, turn_ids: Collection[Id]) -> tuple[list[str], list[str]]:
        """Return what came of these turns: facts, and commitments apart; as canon has them, if it does."""
        proposals = await self._log.proposals(scene_id=scene.id)
        counted = [
            p
            for p in proposals
            if p.turn_id in turn_ids and isinstance(p.change, AssertFact) and not denied(p) and not _gone(p)
        ]
        known = await self._canon.facts_by_id([fact_id_of(p) for p in counted]) if counted else {}
        facts: list[str] = []
        commitments: list[str] = []
        for proposal in counted:
            change = proposal.change
            assert isinstance(change, AssertFact)
            fact: Fact | None = known.get(fact_id_of(proposal))
            if fact is not None and fact.status is FactStatus.RETCONNED:
                continue
            statement = fact.statement if fact else change.statement
            if change.fact_kind is FactKind.COMMITMENT:
                commitments.append(statement)
            else:
                facts.append(statement)
        return facts, commitments

    async def _results(self, turns: Sequence[Turn]) -> list[Resolution]:
        rolled_by = [t.id for t in turns if t.speaker is Speaker.ORACLE]
        found = await self._log.resolutions(rolled_by) if rolled_by else []
        return [r for r in found if r.kind in ("check", "move")]

    async def _open_matters(self, universe_id: Id) -> set[str]:
        found = await self._canon.facts(universe_id, kind=FactKind.COMMITMENT)
        return {f.statement for f in found if not f.closed}

    async def _put(self, scene: Scene, summary: Summary) -> None:
        """Write a summary unless it stands there in the same words."""
        there = {s.id: s for s in await self._log.summaries(scene.id)}
        old = there.get(summary.id)
        if old is None or old.text != summary.text:
            await self._log.put_summaries([summary])

    async def _scene(self, scene_id: Id) -> Collection[JobSubject]:
        try:
            scene = await self._log.scene(scene_id)
        except NotFound:
            return []
        return [JobSubject(scene.id, scene.universe_id)]

    def _summary(self, kind: str, scene: Scene, text: str, first: Id | None, last: Turn) -> Summary:
        return Summary(
            id=_id(kind, last),
            scene_id=scene.id,
            kind=kind,
            text=text,
            first_turn=first,
            last_turn=last.id,
            created_at=self._clock(),
        )


def _id(kind: str, last: Turn) -> Id:
    return derived("summary", kind, last.id)


def _gone(proposal: ProposedChange) -> bool:
    return proposal.status in ("withdrawn", "failed")


def _reached(scene: Scene, state: str) -> str:
    return f"{scene.head} {state}"
