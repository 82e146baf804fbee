"""Summarises what left the view: stretches of a scene's line, ended scenes, and stories of many scenes.

A background worker whose subjects are scenes. Each summary is anchored to the turns that it covers and
named by the last of them: after an undo it does not count, and the new line gets one of its own. Writing it
again gives the same summary. What was written of the end of a scene is emptied if that end is taken back.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import LOCATED_IN, SUBJECT
from agents.events import CanonCommitted, Event, HeadMoved, LoopStateChanged, TurnAppended
from agents.jobs.followed_scenes import DueScenes
from agents.jobs.worker import PLAIN_QUEUE, Cursors, JobSubject
from agents.memory_manager.proposal_fingerprint import fingerprint_proposals
from agents.memory_manager.proposed_facts import is_denied
from agents.memory_manager.summary_texts import (
    BULLET_KIND,
    RECAP_KIND,
    ROLL_UP_SIZE,
    SCENE_KIND,
    SCENE_LEVELS,
    STORY_KIND,
    STRETCH_LEVELS,
    TURNS_PER_STRETCH,
    format_story_end,
    plan_scene_levels,
    roll_up_summaries,
    summarise_scene,
    summarise_stretch,
)
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader, MemoryWriter
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import AssertFact, CreateEntity, Fact, FactKind, FactStatus, StateChange, StateOp
from stores.records.ids import Clock, Id, derive_id
from stores.records.jobs import JobKind, derive_job_id
from stores.records.memory import Summary
from stores.records.play import Resolution, Scene, Speaker, Turn
from stores.records.workflow import Loop, ProposedChange

SUMMARY_PRIORITY: Final = 10

STRETCHES_PER_PIECE: Final = 5
"""Stretches of one scene that are summarised at a time."""
MAX_TURNS_SUMMARISED: Final = 400
"""The last turns of a scene that its own summary is made of; stretches cover those before."""
_ENDED_STATES: Final = frozenset({"completed", "failed"})
_KINDS_OF_ENDS: Final = (*SCENE_LEVELS, STORY_KIND, RECAP_KIND)
"""Kinds of summaries that say how a scene or its story ended."""
_STORY_OVER: Final = "completed"
_STORY_OVER_MARK: Final = "+story"


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """What came of turns: who died, the facts with the weights that a model gave them, and the commitments."""

    deaths: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    commitments: list[str] = field(default_factory=list)


def concerns_summaries(event: Event) -> bool:
    """Say whether an event may put summaries out of date."""
    return isinstance(event, TurnAppended | HeadMoved | CanonCommitted | LoopStateChanged)


@dataclass(frozen=True, slots=True)
class SummaryWorker:
    """Keeps the summaries of scenes and stories up to date; see `agents.jobs.followed_scenes.SceneWorker`."""

    kind = JobKind.SUMMARISE
    queue = PLAIN_QUEUE
    priority = SUMMARY_PRIORITY
    version = 1

    log: LogReader
    writer: MemoryWriter
    canon: CanonReader
    cursors: Cursors
    clock: Clock

    async def find_due(self, scenes: Sequence[Scene]) -> DueScenes:
        """Return the scenes whose line has moved since it was summarised, or that ended or were decided on since."""
        if not scenes:
            return DueScenes([])
        jobs = await self.log.jobs(ids=[derive_job_id(self.kind, scene.id) for scene in scenes])
        cursor_by_scene = {job.subject_id: job.cursor for job in jobs}
        states = await self.log.loop_states(Loop.SCENE, [scene.id for scene in scenes])
        story_states = await self.log.loop_states(Loop.STORY, {scene.story_id for scene in scenes})
        last_scene_ids = await self._read_last_scene_ids({scene.story_id for scene in scenes})
        due_subjects: list[JobSubject] = []
        for scene in scenes:
            state = states[scene.id].target if scene.id in states else ""
            if scene.id in last_scene_ids and scene.story_id in story_states:
                state = _state_in_story(state, story_states[scene.story_id].target)
            if cursor_by_scene.get(scene.id) != await self._read_cursor_text(scene, state):
                due_subjects.append(JobSubject(scene.id, scene.universe_id))
        return DueScenes(due_subjects)

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        match event:
            case TurnAppended(turn=turn):
                return (
                    await self._scene_subjects(turn.scene_id)
                    if turn.depth % TURNS_PER_STRETCH == TURNS_PER_STRETCH - 1
                    else []
                )
            case HeadMoved(scene_id=scene_id):
                return await self._scene_subjects(scene_id)
            case CanonCommitted(scene_id=str(scene_id)):
                return await self._scene_subjects(scene_id)
            case LoopStateChanged(transition=move) if (
                move.loop is Loop.SCENE and not _ENDED_STATES.isdisjoint((move.source, move.target))
            ):
                return await self._scene_subjects(move.subject_id)
            case LoopStateChanged(transition=move) if move.loop is Loop.STORY and move.target == _STORY_OVER:
                played_scenes = [s for s in await self.log.scenes(move.subject_id) if s.head]
                return [JobSubject(s.id, s.universe_id) for s in played_scenes[-1:]]
            case _:
                return []

    async def reconcile(self, subject_id: Id) -> int:
        """Summarise a piece of a scene's line; once all is done and the scene has ended, the scene and the story.

        The last scene of a story that is over has ended, too; it gets the GM's recap besides.
        """
        try:
            scene = await self.log.scene(subject_id)
        except NotFound:
            return 0
        state = await self._read_state(Loop.SCENE, scene.id)
        if scene.id in await self._read_last_scene_ids({scene.story_id}):
            state = _state_in_story(state, await self._read_state(Loop.STORY, scene.story_id))
        # Before the work: what is decided during it is due again.
        cursor_text = await self._read_cursor_text(scene, state)
        left_count = await self._summarise_stretches(scene)
        if left_count:
            return left_count
        is_story_over, has_ended = state.endswith(_STORY_OVER_MARK), _has_ended(state)
        await self._empty_summaries_of_ends(scene, kept_head=scene.head if has_ended else None)
        if scene.head and has_ended:
            await self._summarise_ended_scene(scene)
        if scene.head and is_story_over:
            await self._write_recap(scene)
        subject = JobSubject(scene.id, scene.universe_id)
        await self.cursors.write_cursor(self.kind, subject, cursor_text)
        return 0

    async def _read_cursor_text(self, scene: Scene, state: str) -> str:
        """Return what a scene's summaries rest on.

        In play, what is decided comes into its summary with the next stretch; of a scene that has ended, nothing
        else would tell of it.
        """
        if not _has_ended(state):
            return f"{scene.head} {state}"
        proposals = await self.log.proposals(ProposalQuery(scene_id=scene.id))
        return f"{scene.head} {state} {fingerprint_proposals(proposals)}"

    # --- one scene's line ------------------------------------------------------------------------------

    async def _summarise_stretches(self, scene: Scene) -> int:
        """Summarise whole stretches of the line that have no summary; returns how many are left."""
        stretch_count = await self.log.line_length(scene.id) // TURNS_PER_STRETCH
        stored_summaries = {s.id: s for s in await self.log.summaries(scene.id) if s.kind in STRETCH_LEVELS}
        last_turns = await self._read_last_turns(scene, stretch_count)
        missing_indexes = [
            n
            for n, turn in enumerate(last_turns)
            if _summary_id(STRETCH_LEVELS[0], turn) not in stored_summaries
        ]
        for n in missing_indexes[:STRETCHES_PER_PIECE]:
            turns = await self.log.line_slice(scene.id, n * TURNS_PER_STRETCH, TURNS_PER_STRETCH)
            new_summary = await self._build_stretch_summary(scene, turns)
            await self.writer.put_summaries([new_summary])
            stored_summaries[new_summary.id] = new_summary
        if len(missing_indexes) > STRETCHES_PER_PIECE:
            return len(missing_indexes) - STRETCHES_PER_PIECE
        last_indexes = [n for n in range(stretch_count)[-2:] if n not in missing_indexes]
        changed_ids = await self._rewrite_stretches(scene, last_indexes, stored_summaries)
        await self._roll_up_levels(scene, last_turns, stored_summaries, changed_ids)
        return 0

    async def _rewrite_stretches(
        self, scene: Scene, indexes: Sequence[int], stored_summaries: dict[Id, Summary]
    ) -> set[Id]:
        """Write these stretches again if something was said on their last turn since; return which.

        What is declared rests on the latest turn, which may have ended a stretch.
        """
        changed_ids: set[Id] = set()
        for n in indexes:
            turns = await self.log.line_slice(scene.id, n * TURNS_PER_STRETCH, TURNS_PER_STRETCH)
            summary = await self._build_stretch_summary(scene, turns)
            if stored_summaries[summary.id].text != summary.text:
                await self.writer.put_summaries([summary])
                stored_summaries[summary.id] = summary
                changed_ids.add(summary.id)
        return changed_ids

    async def _read_last_turns(self, scene: Scene, stretch_count: int) -> list[Turn]:
        """Return the last turn of every whole stretch of the line."""
        turn_lists = await gather(
            *(self.log.line_slice(scene.id, (n + 1) * TURNS_PER_STRETCH - 1, 1) for n in range(stretch_count))
        )
        return [turns[0] for turns in turn_lists if turns]

    async def _roll_up_levels(
        self,
        scene: Scene,
        last_turns: Sequence[Turn],
        stored_summaries: dict[Id, Summary],
        changed_ids: set[Id],
    ) -> None:
        """Roll ten summaries of one level up into one of the next, again if one of them has changed."""
        open_commitments = await self._read_open_commitments(scene.universe_id)
        for level in range(1, len(STRETCH_LEVELS)):
            size = ROLL_UP_SIZE**level
            for n in range(len(last_turns) // size):
                last = last_turns[(n + 1) * size - 1]
                step = size // ROLL_UP_SIZE
                part_ids = [
                    _summary_id(STRETCH_LEVELS[level - 1], last_turns[n * size + (k + 1) * step - 1])
                    for k in range(ROLL_UP_SIZE)
                ]
                summary_id = _summary_id(STRETCH_LEVELS[level], last)
                if summary_id in stored_summaries and changed_ids.isdisjoint(part_ids):
                    continue
                parts = [stored_summaries[part_id] for part_id in part_ids]
                heading = (
                    f"Turns {n * size * TURNS_PER_STRETCH + 1} to {(n + 1) * size * TURNS_PER_STRETCH}: "
                )
                text = roll_up_summaries(heading, [p.text for p in parts], open_commitments)
                new_summary = self._build_summary(
                    STRETCH_LEVELS[level], scene, text, parts[0].first_turn, last
                )
                await self.writer.put_summaries([new_summary])
                stored_summaries[new_summary.id] = new_summary
                changed_ids.add(new_summary.id)

    async def _build_stretch_summary(self, scene: Scene, turns: Sequence[Turn]) -> Summary:
        outcomes = await self._read_outcomes(scene, {t.id for t in turns})
        ids = {t.id for t in turns}
        bullets = [
            s.text for s in await self.log.summaries(scene.id) if s.kind == BULLET_KIND and s.last_turn in ids
        ]
        text = summarise_stretch(
            turns,
            deaths=outcomes.deaths,
            facts=outcomes.facts,
            weights=outcomes.weights,
            bullets=bullets,
            results=await self._read_results(turns),
            decisions=[m for m in await self.log.decision_marks(scene.id) if m.turn_id in ids],
            commitments=outcomes.commitments,
        )
        return self._build_summary(STRETCH_LEVELS[0], scene, text, turns[0].id, turns[-1])

    # --- a scene that is over, and its story -----------------------------------------------------------

    async def _summarise_ended_scene(self, scene: Scene) -> None:
        await self._write_scene_summary(scene)
        await self._summarise_story(scene)

    async def _empty_summaries_of_ends(self, scene: Scene, *, kept_head: Id | None) -> None:
        """Empty what was written of ends of the scene that were taken back: all but of an end at the kept head.

        The turns before such an end stay on the line, so that its summaries would count. Ended in the same way
        again, the scene has them written again.
        """
        emptied_summaries = [
            s.model_copy(update={"text": ""})
            for s in await self.log.summaries(scene.id)
            if s.kind in _KINDS_OF_ENDS and s.text and (kept_head is None or s.last_turn != kept_head)
        ]
        if emptied_summaries:
            await self.writer.put_summaries(emptied_summaries)

    async def _write_scene_summary(self, scene: Scene) -> str:
        """Write the scene's summary if it has changed; returns its text."""
        assert scene.head is not None
        turns = await self.log.line_tail(scene.id, MAX_TURNS_SUMMARISED)
        proposals = await self.log.proposals(ProposalQuery(scene_id=scene.id))
        outcomes = await self._read_outcomes(scene, {p.turn_id for p in proposals})
        bullets = await self.log.summaries(scene.id)
        ids = {t.id for t in turns}
        text = summarise_scene(
            scene,
            turns,
            deaths=outcomes.deaths,
            facts=outcomes.facts,
            weights=outcomes.weights,
            bullets=[s.text for s in bullets if s.kind == BULLET_KIND and s.last_turn in ids],
            results=await self._read_results(turns),
            decisions=await self.log.decision_marks(scene.id),
            commitments=outcomes.commitments,
        )
        (first,) = await self.log.line_slice(scene.id, 0, 1) or [turns[0]]
        await self._put_if_changed(scene, self._build_summary(SCENE_KIND, scene, text, first.id, turns[-1]))
        return text

    async def _write_recap(self, scene: Scene) -> None:
        """Write the GM's recap as a summary, so that it is found as long as its words are searched."""
        story = await self.log.story(scene.story_id)
        if story.recap.strip():
            (head,) = await self.log.line_tail(scene.id, 1)
            text = format_story_end(story.title, story.recap)
            await self._put_if_changed(scene, self._build_summary(RECAP_KIND, scene, text, None, head))

    async def _read_last_scene_ids(self, story_ids: Collection[Id]) -> set[Id]:
        """Return the last scene of each story that was played."""
        scene_lists = [await self.log.scenes(story_id) for story_id in story_ids]
        return {[s.id for s in scenes if s.head][-1] for scenes in scene_lists if any(s.head for s in scenes)}

    async def _read_state(self, loop: Loop, subject_id: Id) -> str:
        move = await self.log.loop_state(loop, subject_id)
        return move.target if move else ""

    async def _summarise_story(self, scene: Scene) -> None:
        """Summarise the story up to this scene, for the prompts of the next one."""
        scenes = [s for s in await self.log.scenes(scene.story_id) if s.order <= scene.order and s.head]
        open_commitments = await self._read_open_commitments(scene.universe_id)
        texts = [
            text
            for level, first, last in plan_scene_levels(len(scenes))
            if (text := await self._read_or_write_chapter(level, scenes[first : last + 1], open_commitments))
        ]
        (head,) = await self.log.line_tail(scene.id, 1)
        await self._put_if_changed(
            scene, self._build_summary(STORY_KIND, scene, "\n".join(texts), None, head)
        )

    async def _read_or_write_chapter(
        self, level: int, scenes: Sequence[Scene], open_commitments: Collection[str]
    ) -> str:
        """Return the summary of these scenes, and write it if there is none."""
        last, kind = scenes[-1], SCENE_LEVELS[level]
        if last.head is None:
            return ""
        stored_summaries = {s.id: s for s in await self.log.summaries(last.id) if s.text}
        summary_id = derive_id("summary", kind, last.head)
        if summary_id in stored_summaries:
            return stored_summaries[summary_id].text
        if level == 0:
            # Its job may have failed, or come later: what is written without it would not be written again.
            move = await self.log.loop_state(Loop.SCENE, last.id)
            if move is not None and move.target in _ENDED_STATES:
                return await self._write_scene_summary(last)
            return f"Scene {last.order}: {last.summary}" if last.summary else ""
        size = len(scenes) // ROLL_UP_SIZE
        parts = [
            await self._read_or_write_chapter(level - 1, scenes[n * size : (n + 1) * size], open_commitments)
            for n in range(ROLL_UP_SIZE)
        ]
        text = roll_up_summaries(f"Scenes {scenes[0].order} to {last.order}: ", parts, open_commitments)
        head = await self.log.turn(last.head)
        await self.writer.put_summaries([self._build_summary(kind, last, text, None, head)])
        return text

    # --- inside ----------------------------------------------------------------------------------------

    async def _read_outcomes(self, scene: Scene, turn_ids: Collection[Id | None]) -> _Outcomes:
        """Return what came of these turns (None: of the scene itself), as canon has it, if it does.

        What was replaced since is left out, and where somebody was before they went elsewhere.
        """
        proposals = await self.log.proposals(ProposalQuery(scene_id=scene.id))
        counting_proposals = [
            p for p in proposals if p.turn_id in turn_ids and not is_denied(p) and not _is_dropped(p)
        ]
        assertions = [p for p in counting_proposals if isinstance(p.change, AssertFact)]
        facts_by_id = await self.canon.facts_by_id([fact_id_of(p) for p in assertions]) if assertions else {}
        replaced_ids = {i for p in assertions if isinstance(p.change, AssertFact) for i in p.change.ends}
        replaced_ids |= _find_earlier_stays(assertions)
        outcomes = _Outcomes()
        for proposal in assertions:
            change = proposal.change
            assert isinstance(change, AssertFact)
            fact: Fact | None = facts_by_id.get(fact_id_of(proposal))
            if fact is not None and fact.status is FactStatus.RETCONNED:
                continue
            statement = fact.statement if fact else change.statement
            if change.fact_kind is FactKind.COMMITMENT:
                outcomes.commitments.append(statement)
            elif fact_id_of(proposal) not in replaced_ids:
                outcomes.facts.append(statement)
                if proposal.weight is not None:
                    outcomes.weights[statement] = proposal.weight / 100
        outcomes.deaths.extend(await self._read_deaths(counting_proposals))
        return outcomes

    async def _read_deaths(self, proposals: Sequence[ProposedChange]) -> list[str]:
        """Return who died by these proposals, each in a sentence."""
        dead_ids = dict.fromkeys(
            p.change.entity_id
            for p in proposals
            if isinstance(p.change, StateChange)
            and (
                (p.change.key == "alive" and p.change.value is False)
                or (p.change.op is StateOp.TAG and p.change.key.casefold() == "dead")
            )
        )
        entities = await self.canon.entities_by_id(dead_ids.keys()) if dead_ids else {}
        names = {i: entity.name for i, entity in entities.items()}
        names |= {p.change.entity_id: p.change.name for p in proposals if isinstance(p.change, CreateEntity)}
        return [f"{names[i]} died." for i in dead_ids if i in names]

    async def _read_results(self, turns: Sequence[Turn]) -> list[Resolution]:
        oracle_turn_ids = [t.id for t in turns if t.speaker is Speaker.ORACLE]
        resolutions = await self.log.resolutions(oracle_turn_ids) if oracle_turn_ids else []
        return [r for r in resolutions if r.kind in ("check", "move")]

    async def _read_open_commitments(self, universe_id: Id) -> set[str]:
        commitments = await self.canon.facts(universe_id, FactQuery(kind=FactKind.COMMITMENT))
        return {f.statement for f in commitments if not f.closed}

    async def _put_if_changed(self, scene: Scene, summary: Summary) -> None:
        """Write a summary unless it is stored with the same words."""
        stored_summaries = {s.id: s for s in await self.log.summaries(scene.id)}
        stored_summary = stored_summaries.get(summary.id)
        if stored_summary is None or stored_summary.text != summary.text:
            await self.writer.put_summaries([summary])

    async def _scene_subjects(self, scene_id: Id) -> Collection[JobSubject]:
        try:
            scene = await self.log.scene(scene_id)
        except NotFound:
            return []
        return [JobSubject(scene.id, scene.universe_id)]

    def _build_summary(self, kind: str, scene: Scene, text: str, first: Id | None, last: Turn) -> Summary:
        return Summary(
            id=_summary_id(kind, last),
            scene_id=scene.id,
            kind=kind,
            text=text,
            first_turn=first,
            last_turn=last.id,
            created_at=self.clock(),
        )


def _state_in_story(scene_state: str, story_state: str) -> str:
    """Return the state of a story's last scene, with a mark if the story is over."""
    return scene_state + _STORY_OVER_MARK if story_state == _STORY_OVER else scene_state


def _summary_id(kind: str, last: Turn) -> Id:
    return derive_id("summary", kind, last.id)


def _find_earlier_stays(assertions: Sequence[ProposedChange]) -> set[Id]:
    """Return the facts by which somebody was in a place before the last one."""
    last_stay_by_subject: dict[Id, Id] = {}
    earlier_ids: set[Id] = set()
    for proposal in assertions:
        change = proposal.change
        if isinstance(change, AssertFact) and change.predicate == LOCATED_IN:
            for subject_id in (i.entity_id for i in change.involves if i.role == SUBJECT):
                if subject_id in last_stay_by_subject:
                    earlier_ids.add(last_stay_by_subject[subject_id])
                last_stay_by_subject[subject_id] = fact_id_of(proposal)
    return earlier_ids


def _is_dropped(proposal: ProposedChange) -> bool:
    return proposal.status in ("withdrawn", "failed")


def _has_ended(state: str) -> bool:
    """Say whether a scene in this state, or the story of which it is the last, is over."""
    return state.endswith(_STORY_OVER_MARK) or state in _ENDED_STATES
