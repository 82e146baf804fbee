"""The Scene Loop: play, mid-scene commits, and the end through the gate."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from agents.canon_keeper.keeper import CanonKeeper, CommitResult
from agents.context_assembly.scene_context import (
    SceneContext,
    SceneContextLoader,
    is_scene_end_turn,
)
from agents.declarations.declarations import DeclarationService, name_hero_in
from agents.declarations.entity_lookup import scene_entity_finder
from agents.declarations.reader import build_involvements, find_mentioned_entities
from agents.events import CanonCommitted, EventBus, ProposalsChanged, SceneOpened
from agents.loop_states import state_after
from agents.loop_transitions import LoopTransitions
from agents.loop_words import build_refusal
from agents.orchestrator.arbiter import find_winner
from agents.orchestrator.commit_undo import CommitReversal
from agents.orchestrator.folded_rows import close_as_nothing, count_by_row, split_off_nothing
from agents.orchestrator.scene_outcome import (
    build_outcome_evidence,
    find_outcomes,
    find_same_outcome,
    find_undone_outcomes,
)
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.story_loop import StoryLoop
from agents.proposals.evidence import turn_evidence
from agents.proposals.line_order import select_for_next_commit
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from agents.prose.names import any_name_pattern, names_of
from agents.prose.supporting_words import supports_statement
from agents.sanitize import require_title
from agents.solo.scene_end import SceneEndActions
from agents.solo.story_journal import StoryJournal
from agents.views.gate_views import CommitReport
from stores.errors import StoreError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.canon import (
    AssertFact,
    FactKind,
)
from stores.records.ids import Clock, Id
from stores.records.play import Scene, Speaker
from stores.records.workflow import Loop, ProposalStatus, ProposedChange, Transition, TransitionProposal

OUTCOME_LOOKBACK_TURNS = 50
"""The last turns among which those are looked for that tell the outcome of a scene."""


class SceneLoop:
    """Moves one scene at a time from Active through the gate to Completed."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        context: SceneContextLoader,
        keeper: CanonKeeper,
        declarations: DeclarationService,
        stories: StoryLoop,
        views: SceneViewBuilder,
        scene_end: SceneEndActions,
        journal: StoryJournal,
        loops: LoopTransitions,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._keeper = keeper
        self._declarations = declarations
        self._stories = stories
        self._views = views
        self._scene_end = scene_end
        self._journal = journal
        self._loops = loops
        self._clock = clock
        self._events = events

    async def end_scene(self, context: SceneContext, summary: str) -> None:
        """Move from Active to Finalizing; the summary becomes the scene's proposed event, and clocks act."""
        scene_id = context.scene.id
        accepted_proposal = await self._find_accepted_end(context)
        event = accepted_proposal.event if accepted_proposal else "end"
        await self._loops.plan_transition(Loop.SCENE, scene_id, event)
        if summary:
            outcome = name_hero_in(context, summary)
            await self._log.update_scene(context.scene.model_copy(update={"summary": outcome}))
            await self._propose_outcome(context, outcome, summary)
        await self._scene_end.apply_scene_end(context)
        if accepted_proposal is None:
            await self._loops.fire(Loop.SCENE, scene_id, event, proposer="player")
            return
        await self._loops.fire(
            Loop.SCENE,
            scene_id,
            event,
            detail=accepted_proposal.reason[:200],
            proposer=accepted_proposal.proposer,
            score=float(accepted_proposal.score),
        )

    async def _find_accepted_end(self, context: SceneContext) -> TransitionProposal | None:
        """Return the proposal that the last exchange offered, if it was the scene's end: the player takes it."""
        if context.last_play_turn is None:
            return None
        run_ids = (context.last_play_turn.id, context.last_play_turn.exchange_id)
        states = await self._log.loop_states(Loop.TURN, run_ids)
        winner = next(filter(None, (find_winner(states.get(run_id)) for run_id in run_ids)), None)
        return winner if winner is not None and winner.event in ("end", "goal_met") else None

    async def rename_scene(self, scene: Scene, name: str, goal: str) -> Scene:
        """Give the scene a title and, if there is one, a goal. Raises InputError without a title."""
        renamed_scene = scene.model_copy(
            update={"title": require_title(name, "A scene needs a title."), "goal": goal or scene.goal}
        )
        await self._log.update_scene(renamed_scene)
        self._events.publish(SceneOpened(scene.id))
        return renamed_scene

    async def reopen_scene(self, scene_id: Id) -> None:
        """Move from Finalizing to Active, with every decision kept, and revert what the end brought by itself.

        Raises IllegalTransition if the scene is not at its gate.
        """
        await self._loops.fire(Loop.SCENE, scene_id, "reopen")
        await self._scene_end.revert_scene_end(await self._context.load_context(scene_id))

    async def finish_interrupted_end(self, scene: Scene) -> bool:
        """After a crash while an Active scene was ended or reopened, do the rest of it.

        Returns whether the scene is at its gate now.
        """
        context = await self._context.load_context(scene.id)
        if context.head is None or not is_scene_end_turn(context.head):
            return False
        last_transition = await self._log.loop_state(Loop.SCENE, scene.id)
        if last_transition is not None and last_transition.event in ("reopen", "take_back_end"):
            await self._scene_end.revert_scene_end(context)
            return False
        await self._loops.fire(Loop.SCENE, scene.id, "end", detail="recovered")
        return True

    async def end_scene_again(self, context: SceneContext, reversal: CommitReversal) -> CommitReport:
        """End a scene as it was ended before that was undone, and go on in the scene that began with it then."""
        await self._scene_end.apply_scene_end(context)
        await self._loops.fire(Loop.SCENE, context.scene.id, "end")
        return await self._close_scene(await self._context.load_context(context.scene.id), reversal)

    async def commit(
        self, context: SceneContext, only_ids: Sequence[Id] | None, *, reason: str
    ) -> CommitReport:
        """Write what is accepted or ticked in the scene; in a Finalizing one, close it and open the next."""
        scene_id = context.scene.id
        last_transition = await self._loops.read_last_transition(Loop.SCENE, scene_id)
        state = state_after(Loop.SCENE, last_transition)
        if state == "failed":
            await self._loops.fire_after(last_transition, Loop.SCENE, scene_id, "retry")
            state = "finalizing"
        if state == "finalizing":
            return await self._close_scene(context)
        if state != "active":
            raise build_refusal(Loop.SCENE, state, "critical_event")
        return await self._commit_active(context, last_transition, only_ids, reason)

    async def finish_interrupted_close(self, scene: Scene) -> Scene:
        """After a crash between the commit and the scene's end, close the scene and open the next."""
        context = await self._context.load_context(scene.id)
        if await self._loops.read_state(Loop.SCENE, scene.id) == "failed":
            await self._loops.fire(Loop.SCENE, scene.id, "retry", detail="recovered")
        await self._loops.fire(Loop.SCENE, scene.id, "canon_written", detail="recovered")
        return await self._open_next_scene(context)

    async def finish_interrupted_opening(self, scene: Scene) -> None:
        """After a crash while a scene was being opened, do the rest of it."""
        scenes = await self._log.scenes(scene.story_id)
        previous_scene_id = next((s.id for s in reversed(scenes) if s.order < scene.order), None)
        await self._stories.open_scene(scene, previous_scene_id=previous_scene_id)

    async def open_missing_next_scene(self, scene: Scene) -> Scene:
        """After a crash between a scene's end and the next one's beginning, open that one."""
        return await self._open_next_scene(await self._context.load_context(scene.id))

    async def commit_mid_scene(
        self, context: SceneContext, only_ids: Sequence[Id] | None, reason: str
    ) -> CommitReport:
        """Commit in mid-scene; the scene stays Active."""
        last_transition = await self._loops.read_last_transition(Loop.SCENE, context.scene.id)
        return await self._commit_active(context, last_transition, only_ids, reason)

    # --- inside --------------------------------------------------------------------------------------

    async def _commit_active(
        self,
        context: SceneContext,
        last_transition: Transition | None,
        only_ids: Sequence[Id] | None,
        reason: str,
    ) -> CommitReport:
        pending_proposals = select_for_next_commit(context.undecided)
        chosen_proposals = [p for p in pending_proposals if only_ids is None or p.id in only_ids]
        # Stored while the commit is read and planned.
        stored_transition = asyncio.create_task(
            self._loops.fire_after(
                last_transition, Loop.SCENE, context.scene.id, "critical_event", detail=reason[:200]
            )
        )
        try:
            rows = await self._views.build_waiting_rows(context, pending_proposals)
            chosen_proposals, _ = split_off_nothing(rows, chosen_proposals)
            result = await self._keeper.commit(
                chosen_proposals,
                reason=reason,
                scene=context.scene,
                story_id=context.story.id,
                undecided="leave",
                after=stored_transition,
            )
        finally:
            await stored_transition
        result = count_by_row(result, rows, chosen_proposals)
        if any(
            result.statuses.get(p.id) is ProposalStatus.ACCEPTED
            for p in find_outcomes(chosen_proposals, context.scene.id)
        ):
            result = replace(result, has_outcome_of_open_scene=True)
        await self._journal.enter_committed_places(context)
        self._publish_commit(context.scene, result)
        return result

    async def _close_scene(
        self, context: SceneContext, reversal: CommitReversal | None = None
    ) -> CommitReport:
        """Commit in one batch, complete the scene, and open the next; with `reversal`, as it ended before."""
        scene_id = context.scene.id
        # Where the hero is, before it is canon: should a crash come, the next scene begins the same.
        await self._save_place(context)
        arrived_ids = (e.entity_id for e in context.scene_presence_entries() if e.here)
        cast = tuple(dict.fromkeys((*context.scene.cast, *arrived_ids)))
        pending_proposals = select_for_next_commit(context.undecided)
        rows = await self._views.build_waiting_rows(context, pending_proposals)
        committed_proposals, steps_to_nothing = split_off_nothing(rows, pending_proposals)
        try:
            result = await self._keeper.commit(
                committed_proposals,
                reason="scene end",
                scene=context.scene.model_copy(update={"cast": cast}),
                story_id=context.story.id,
                close_scene=True,
                scene_statuses=reversal.scene_statuses if reversal else {},
                undecided="defer",
                undoes=reversal.commit.id if reversal else None,
                decisions=reversal.decisions if reversal else None,
                further_outcomes=close_as_nothing(steps_to_nothing, self._clock()),
            )
        except StoreError:
            await self._loops.fire(Loop.SCENE, scene_id, "write_failed")
            raise
        result = count_by_row(result, rows, pending_proposals)
        await self._loops.fire(Loop.SCENE, scene_id, "canon_written")
        next_scene = await self._open_next_scene(context)
        self._publish_commit(context.scene, result)
        self._events.publish(SceneOpened(next_scene.id))
        return replace(result, next_scene_id=next_scene.id)

    async def _open_next_scene(self, context: SceneContext) -> Scene:
        """Open the scene that follows: same place, a minute later, with nobody but the hero until somebody comes."""
        return await self._stories.open_next_scene(
            context.scene,
            cast=tuple(filter(None, (context.story.pc_id,))),
            place_id=context.place.id if context.place else None,
            tick=context.tick + 1,
        )

    async def _save_place(self, context: SceneContext) -> None:
        """Store in the scene's record where the hero is. Who came and left is in the story's journal."""
        place_id = context.place.id if context.place else None
        if place_id != context.scene.place_id:
            await self._log.update_scene(context.scene.model_copy(update={"place_id": place_id}))

    async def _propose_outcome(self, context: SceneContext, outcome: str, typed_summary: str) -> None:
        find = scene_entity_finder(context, self._context, guess=True)
        hero = context.player_character()
        # `Combat with the orc` names Orc, too.
        named_actors = [
            e
            for e in context.present_actors()
            if re.search(any_name_pattern(names_of(e)), outcome, re.IGNORECASE)
        ]
        involved_by_id = {
            e.id: e
            for e in (
                *await find_mentioned_entities(outcome, find),
                *named_actors,
                *([hero] if hero else []),
            )
        }
        change = AssertFact(
            fact_kind=FactKind.EVENT,
            predicate=STATED_PREDICATE,
            statement=as_sentence(outcome),
            involves=tuple(build_involvements(involved_by_id.values())),
            valid_from=context.tick,
        )
        hero_name = hero.name if hero else ""
        recent_turns = await self._log.line_tail(context.scene.id, OUTCOME_LOOKBACK_TURNS)
        telling_turns = [
            turn
            for turn in recent_turns
            if turn.speaker not in (Speaker.ORACLE, Speaker.SYSTEM)
            and supports_statement(turn.text, change.statement, hero_name)
        ]
        await self._stage_outcome(
            context,
            await self._declarations.build_outcome(
                context,
                change,
                typed_summary,
                evidence=[build_outcome_evidence(context.scene), *map(turn_evidence, telling_turns)],
            ),
        )

    async def _stage_outcome(self, context: SceneContext, new_outcome: Sequence[ProposedChange]) -> None:
        """Propose an outcome in the place of the one that waits since the scene was reopened: a scene has one.

        The same outcome once more is the one that was proposed before, with what was decided of it.
        """
        waiting = find_outcomes(select_for_next_commit(context.undecided), context.scene.id)
        undone = find_undone_outcomes(context.undone, context.scene.id)
        same_waiting = find_same_outcome(waiting, new_outcome)
        same_undone = [] if same_waiting else find_same_outcome(undone, new_outcome)
        same_ids = {p.id for p in same_waiting}
        if replaced := [p for p in waiting if p.id not in same_ids]:
            await self._keeper.undo_proposals(replaced, self._clock())
        if same_undone:
            await self._keeper.redo_proposals(same_undone)
        elif not same_waiting:
            await self._declarations.stage_command(new_outcome)

    def _publish_commit(self, scene: Scene, result: CommitResult) -> None:
        self._events.publish(
            CanonCommitted(
                result.canonization_id or "",
                scene.universe_id,
                scene.id,
                tuple(f.id for f in result.facts),
                tuple(i for i, _ in result.failures),
            )
        )
        self._events.publish(ProposalsChanged(scene.universe_id, scene.id))
