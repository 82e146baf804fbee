"""What happens by itself when a scene ends: clocks advance and strike, and untouched threads are named.

What the clocks do stands in a turn of its own at the end of the timeline, with the changes proposed on it.
Reopening the scene steps back before that turn, which withdraws them; ending it again in the same way returns
to the same turn. So nothing acts twice, and all of it has evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.context_assembly.scene_context import SceneContext, derive_scene_end_turn_id, is_scene_end_turn
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.events import EventBus, HeadMoved, ProposalsChanged, TurnAppended
from agents.proposals.evidence import turn_evidence
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal
from agents.proposals.statements import STATED_PREDICATE
from agents.resolver.clocks import ClockMovement, advance_clocks
from agents.resolver.threads import STALE_AFTER, find_stale_threads, is_mentioned
from agents.solo.tension import TensionAdvisor
from stores.ports import OrchestratorLog
from stores.records.canon import AssertFact, Authority, FactKind, Payload
from stores.records.ids import Clock, derive_id
from stores.records.play import MoveKind, Scene, Speaker, Turn
from stores.records.story_journal import Thread, ThreadEntry
from stores.records.workflow import ProposedChange

MAX_NAMED_THREADS = 3
"""Untouched threads that are named."""


class SceneEndActions:
    """Applies and describes what a scene's end brings by itself. The caller holds the session lock."""

    def __init__(
        self,
        log: OrchestratorLog,
        agenda_reader: StoryAgendaReader,
        tension_advisor: TensionAdvisor,
        proposals: Proposals,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._agenda_reader = agenda_reader
        self._tension_advisor = tension_advisor
        self._proposals = proposals
        self._clock = clock
        self._events = events

    async def apply_scene_end(self, context: SceneContext) -> None:
        """Advance the clocks for this end of the scene: changes staged, then the turn appended.

        Calling it twice has no further effect. Raises StoreError.
        """
        if context.head is not None and is_scene_end_turn(context.head):
            return
        movements = advance_clocks((await self._agenda_reader.read_agenda(context)).open_clocks)
        if not movements:
            return
        turn = self._build_end_turn(context, movements)
        # Staged first: what hangs on a turn that is not on the line counts for nothing yet.
        await self._proposals.stage_ahead_of_turn(list(self._build_proposals(context, turn, movements)))
        if await self._log.turns([turn.id]):
            await self._log.move_head(context.scene.id, turn.id, MoveKind.BRANCH)
        else:
            await self._log.append_turn(turn)
        self._events.publish(TurnAppended(turn))
        self._events.publish(HeadMoved(context.scene.id))
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))

    async def revert_scene_end(self, context: SceneContext) -> None:
        """Step back before the turn of the scene's end, if there is one, so that the scene goes on."""
        if context.head is None or not is_scene_end_turn(context.head):
            return
        await self._log.move_head(context.scene.id, context.head.parent_id, MoveKind.BRANCH)
        self._events.publish(HeadMoved(context.scene.id))
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))

    async def describe_scene_end(self, context: SceneContext) -> tuple[str, ...]:
        """Return lines on the scene's end: clocks, untouched threads, tension."""
        clock_lines = (
            [context.head.text] if context.head is not None and is_scene_end_turn(context.head) else []
        )
        untouched_threads = await self._find_untouched_threads(context)
        thread_lines = [
            f"“{thread.name}” has not come up for {STALE_AFTER} scenes." for thread in untouched_threads
        ]
        unnamed_count = len(thread_lines) - MAX_NAMED_THREADS
        if unnamed_count > 0:
            thread_lines = [
                *thread_lines[:MAX_NAMED_THREADS],
                f"... nor have {unnamed_count} more. /thread lists them.",
            ]
        return (*clock_lines, *thread_lines, await self._tension_advisor.describe_tension(context))

    # --- clocks --------------------------------------------------------------------------------------

    def _build_end_turn(self, context: SceneContext, movements: Sequence[ClockMovement]) -> Turn:
        text = f"The scene ends. {'; '.join(movement.text for movement in movements)}."
        parent = context.head
        turn_id = derive_scene_end_turn_id(context.scene.id, parent.id if parent else None, text)
        return Turn(
            id=turn_id,
            scene_id=context.scene.id,
            parent_id=parent.id if parent else None,
            exchange_id=turn_id,
            speaker=Speaker.SYSTEM,
            text=text,
            depth=parent.depth + 1 if parent else 0,
            tick=context.tick + 1,
            created_at=self._clock(),
        )

    def _build_proposals(
        self, context: SceneContext, turn: Turn, movements: Sequence[ClockMovement]
    ) -> Iterator[ProposedChange]:
        for number, change in enumerate(_changes_of(movements, turn.tick)):
            yield build_proposal(
                derive_id("proposal", turn.id, number),
                change,
                [turn_evidence(turn)],
                # The GM set the clock going; that it goes is the GM's word too.
                Authority.GM,
                ProposalSite(
                    context.universe.id, context.story.id, context.scene.id, turn.id, tick=turn.tick
                ),
                turn.created_at,
            )

    # --- threads -------------------------------------------------------------------------------------

    async def _find_untouched_threads(self, context: SceneContext) -> tuple[Thread, ...]:
        agenda = await self._agenda_reader.read_agenda(context)
        scenes = [s for s in await self._log.scenes(context.story.id) if s.order <= context.scene.order]
        recent_scenes = scenes[-STALE_AFTER:]
        if len(recent_scenes) < STALE_AFTER:
            return ()
        texts_by_scene = {scene.id: await self._read_scene_texts(scene) for scene in recent_scenes}
        return find_stale_threads(
            (t, 0 if _is_touched(t, recent_scenes, texts_by_scene, context) else STALE_AFTER)
            for t in agenda.threads
        )

    async def _read_scene_texts(self, scene: Scene) -> list[str]:
        line_turns = await self._log.line_slice(scene.id, 0, await self._log.line_length(scene.id))
        return [scene.title, scene.goal, scene.summary, *(turn.text for turn in line_turns)]


def _changes_of(movements: Sequence[ClockMovement], tick: int) -> Iterator[Payload]:
    for movement in movements:
        yield movement.change
        if movement.is_struck:
            yield AssertFact(
                fact_kind=FactKind.EVENT,
                predicate=STATED_PREDICATE,
                statement=f"The clock “{movement.after.name}” strikes.",
                valid_from=tick,
            )


def _is_touched(
    thread: Thread,
    scenes: Sequence[Scene],
    texts_by_scene: dict[str, list[str]],
    context: SceneContext,
) -> bool:
    """Return whether a thread came up in one of the scenes: in words, in the journal, or by being opened."""
    scene_ids = {scene.id for scene in scenes}
    has_entry = any(
        isinstance(e, ThreadEntry) and e.thread_id == thread.id and e.scene_id in scene_ids
        for e in context.story_entries
    )
    was_opened = thread.since is not None and thread.since >= scenes[0].tick
    return (
        has_entry
        or was_opened
        or any(is_mentioned(thread.name, texts_by_scene[scene.id]) for scene in scenes)
    )
