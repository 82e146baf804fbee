"""Takes back the last thing that was done in a scene, and brings it back.

That is what a commit wrote to canon, what a command proposed, a decision on proposals, a branch, the last line that was
played or, at the beginning of a scene, the end of the one before. The dispatcher runs these, holds the session lock
and hands in the scene's context.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final, assert_never

from agents.canon_keeper.fact_ids import is_open_again
from agents.context_assembly.scene_context import SceneContext
from agents.count_words import count_noun
from agents.orchestrator.command_undo import (
    CommandEffects,
    CommandUndo,
    find_last_command,
    find_undone_command,
)
from agents.orchestrator.commit_undo import CommitReversal, CommitUndo
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.scene_end_undo import SceneEndUndo, UndoableSceneEnd
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.timeline import Timeline
from agents.orchestrator.undo_questions import (
    ask_past_commit,
    ask_to_bring_back,
    ask_to_end_again,
    ask_to_take_end_back,
    ask_to_take_from_canon,
    describe_jump,
    tell_reversal,
)
from agents.orchestrator.undo_words import shorten
from agents.orchestrator.undone_canon import UndoneCanonService
from agents.orchestrator.verdict_undo import VerdictStep, VerdictUndo
from agents.proposals.decisions import is_undone
from agents.views.replies import Reply
from stores.errors import InputError
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.play import HeadMove
from stores.records.workflow import OPEN_STATUSES, ProposalStatus

MAX_WAITING_READ: Final = 200
"""Proposals of the universe, the newest, among which undo looks for edits made since the last turn."""


StepOnTurn = CommandEffects | VerdictStep
"""What was done on the last turn."""


class SceneUndo:
    """Undoes and redoes, one step at a time."""

    def __init__(
        self,
        log: LogReader,
        timeline: Timeline,
        undone_canon: UndoneCanonService,
        command_undo: CommandUndo,
        verdict_undo: VerdictUndo,
        commit_undo: CommitUndo,
        end_undo: SceneEndUndo,
        views: SceneViewBuilder,
    ) -> None:
        self._log = log
        self._timeline = timeline
        self._undone_canon = undone_canon
        self._command_undo = command_undo
        self._verdict_undo = verdict_undo
        self._commit_undo = commit_undo
        self._end_undo = end_undo
        self._views = views

    async def undo(self, context: SceneContext, *, is_confirmed: bool = False) -> Outcome:
        """Take back the last thing done.

        What a commit wrote, a line that canon rests on, and anything that something was committed after, is undone
        only when that `is_confirmed`.
        """
        step = await self._find_last_step(context)
        # A line that redo brought back is what was done last, though it was written before the commit.
        last_at = step.at if step else await self._timeline.find_redone_at(context.scene)
        if (commit := await self._commit_undo.find_last(context)) and (
            last_at is None or commit.at > last_at
        ):
            reversal = await self._commit_undo.plan_reversal(commit)
            if reversal.proposals:
                return await self._take_commit_back(context, reversal, is_confirmed=is_confirmed)
        if step is None and context.scene.head is None:
            await self._refuse_undo_of_canon(context)
            if end := await self._end_undo.find_last(context):
                return await self._take_end_back(end, is_confirmed=is_confirmed)
        if step is None or isinstance(step, HeadMove):
            return await self._undo_move(context, step, is_confirmed=is_confirmed)
        step_text = await self._describe_step(context, step)
        committed = await self._find_committed_since(context, step.at)
        if committed and not is_confirmed:
            return Outcome(ask_past_commit(step_text, committed, ()))
        match step:
            case CommandEffects():
                await self._command_undo.undo(context, step)
            case VerdictStep():
                await self._verdict_undo.undo(context, step)
            case _:
                assert_never(step)
        return Outcome(Reply("operation", (f"Undone: {step_text}",)))

    async def redo(self, context: SceneContext, *, is_confirmed: bool = False) -> Outcome:
        """Bring back what was undone last; what a commit wrote only when that `is_confirmed`."""
        undone_move = await self._timeline.find_undone_move(context.scene)
        edited_context = await self._with_world_edits(context)
        last_command = find_last_command(edited_context)
        undone_decision = await self._verdict_undo.find_undone(context)
        # A decision is not made again over a command that was typed since.
        candidates: list[StepOnTurn | None] = [
            find_undone_command(edited_context),
            undone_decision
            if undone_decision and (last_command is None or last_command.at < undone_decision.at)
            else None,
        ]
        undone_commit = await self._commit_undo.find_undone(context)
        steps = [s for s in candidates if s is not None and (undone_move is None or s.at > undone_move.at)]
        last_decision = await self._verdict_undo.find_last(context)
        later_acts = [undone_move, last_command, last_decision, *steps]
        if undone_commit and all(act is None or act.at < undone_commit.at for act in later_acts):
            if end := await self._end_undo.plan_return(context, undone_commit):
                return await self._bring_end_back(context, end, is_confirmed=is_confirmed)
            returning = await self._commit_undo.plan_return(undone_commit)
            if returning.proposals:
                return await self._bring_commit_back(context, returning, is_confirmed=is_confirmed)
        if not steps:
            if undone_move is None and any(map(is_open_again, context.undecided)):
                raise InputError(
                    "What was taken from canon is not brought back once something else was done.",
                    kept="It is proposed again and waits at the gate.",
                    todo="Decide it there (F3); a commit makes it canon again.",
                )
            turn = await self._timeline.redo(context.scene)
            return Outcome(Reply("operation", (f"Back: {shorten(turn.text)}",)))
        step = max(steps, key=lambda s: s.at)
        match step:
            case CommandEffects():
                await self._command_undo.redo(context, step)
            case VerdictStep():
                await self._verdict_undo.redo(context, step)
            case _:
                assert_never(step)
        return Outcome(Reply("operation", (f"Back: {await self._describe_step(context, step)}",)))

    # --- what was done last --------------------------------------------------------------------------

    async def _find_last_step(self, context: SceneContext) -> StepOnTurn | HeadMove | None:
        """Return what was done last, where the move is a branch or another take; None if it was a line of the story."""
        candidates: tuple[StepOnTurn | HeadMove | None, ...] = (
            find_last_command(await self._with_world_edits(context)),
            await self._verdict_undo.find_last(context),
            await self._timeline.find_last_jump(context.scene),
        )
        return max((step for step in candidates if step is not None), key=lambda s: s.at, default=None)

    async def _with_world_edits(self, context: SceneContext) -> SceneContext:
        """Return the scene with what was edited in its universe since the last turn, which waits at no scene's gate."""
        waiting_proposals = await self._log.proposals(
            ProposalQuery(
                universe_id=context.universe.id,
                statuses=(*OPEN_STATUSES, ProposalStatus.WITHDRAWN),
                last=MAX_WAITING_READ,
            )
        )
        last_turn = context.last_play_turn
        since = last_turn.created_at if last_turn else context.scene.created_at
        edits = [p for p in waiting_proposals if p.scene_id is None and p.command_id and p.created_at > since]
        undecided = (*context.undecided, *(p for p in edits if not is_undone(p)))
        undone = (*context.undone, *filter(is_undone, edits))
        loose_proposals = [
            p for p in (*undecided, *undone) if last_turn and p.turn_id is None and p.created_at > since
        ]
        if loose_proposals:
            # The turn was brought back by redo, perhaps: what was typed while it was undone is no part of it.
            last_turns = await self._timeline.read_last_turns_at(
                context.scene, [p.created_at for p in loose_proposals]
            )
            turn_ids = zip(loose_proposals, last_turns, strict=True)
            other_ids = {p.id for p, turn_id in turn_ids if last_turn and turn_id != last_turn.id}
            undecided = tuple(p for p in undecided if p.id not in other_ids)
            undone = tuple(p for p in undone if p.id not in other_ids)
        return replace(context, undecided=undecided, undone=undone)

    async def _describe_step(self, context: SceneContext, step: StepOnTurn) -> str:
        if isinstance(step, CommandEffects):
            gate_proposals = [p for p in step.proposals if p.turn_id is None]
            gate_rows = await self._views.build_proposal_rows(gate_proposals) if gate_proposals else ()
            step_text = shorten(step.describe(context, {row.proposal.id: row.title for row in gate_rows}))
            is_world_edit = any(p.scene_id is None for p in gate_proposals)
            return f"{step_text} (proposed in the universe)" if is_world_edit else step_text
        rows = await self._views.read_scene_rows(context.scene.id)
        titles = [row.title for row in rows if not step.proposal_ids.isdisjoint(row.member_ids)]
        others = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        return f"{step.word}: {shorten(titles[0]) if titles else 'a proposal'}{others}"

    # --- commits -------------------------------------------------------------------------------------

    async def _take_commit_back(
        self, context: SceneContext, reversal: CommitReversal, *, is_confirmed: bool
    ) -> Outcome:
        """Take from canon what a commit wrote; ask first."""
        if not is_confirmed:
            return Outcome(ask_to_take_from_canon(reversal))
        report = await self._commit_undo.take_back(context, reversal)
        return Outcome(tell_reversal("Not canon any more", reversal, report))

    async def _bring_commit_back(
        self, context: SceneContext, reversal: CommitReversal, *, is_confirmed: bool
    ) -> Outcome:
        """Make canon again what was taken from it; ask first."""
        if not is_confirmed:
            return Outcome(ask_to_bring_back(reversal))
        report = await self._commit_undo.bring_back(context, reversal)
        return Outcome(tell_reversal("Canon again", reversal, report))

    # --- ends of scenes ------------------------------------------------------------------------------

    async def _take_end_back(self, end: UndoableSceneEnd, *, is_confirmed: bool) -> Outcome:
        """Go back into the scene that ended last; ask first."""
        if not is_confirmed:
            return Outcome(ask_to_take_end_back(end))
        report = await self._end_undo.take_back(end)
        reply = tell_reversal("Not canon any more", end.reversal, report)
        lines = (f"{end.scene.label} goes on. Ctrl+Y ends it again.", *reply.lines)
        return Outcome(replace(reply, lines=lines, goto="scene", subject=end.scene.id))

    async def _bring_end_back(
        self, context: SceneContext, end: UndoableSceneEnd, *, is_confirmed: bool
    ) -> Outcome:
        """End the scene again; ask first."""
        if not is_confirmed:
            return Outcome(ask_to_end_again(end))
        report = await self._end_undo.bring_back(context, end)
        reply = tell_reversal("Canon again", end.reversal, report)
        lines = (f"{end.scene.label} has ended again.", *reply.lines)
        return Outcome(replace(reply, lines=lines, goto="scene", subject=end.next_scene_id))

    # --- lines and branches --------------------------------------------------------------------------

    async def _undo_move(
        self, context: SceneContext, jump: HeadMove | None, *, is_confirmed: bool
    ) -> Outcome:
        """Take back a branch or a take or, without one, the last line with all that came of it."""
        scene = context.scene
        if jump is None:
            step = await self._timeline.plan_undo(scene)
            target_id, left_turns = step.target_id, step.removed_turns
            done_text = shorten(left_turns[0].text)
            since = await self._timeline.find_redone_at(scene) or left_turns[0].created_at
        else:
            target_id, since = jump.from_turn, jump.at
            left_turns = await self._timeline.read_turns_left(scene, target_id)
            turn = await self._log.turn(jump.to_turn) if jump.to_turn else None
            done_text = describe_jump(jump, turn)
        unsupported_canon = await self._undone_canon.find_unsupported(scene, left_turns)
        committed = await self._find_committed_since(context, since)
        if (committed or unsupported_canon) and not is_confirmed:
            return Outcome(ask_past_commit(done_text, committed, unsupported_canon))
        waiting_proposals = await self._log.proposals(
            ProposalQuery(scene_id=scene.id, statuses=OPEN_STATUSES)
        )
        await self._timeline.undo(scene, target_id)
        left_ids = {turn.id for turn in left_turns}
        withdrawn_count = sum(p.turn_id in left_ids for p in waiting_proposals)
        withdrawn_note = (
            f" (and {count_noun(withdrawn_count, 'proposal')} with it)" if withdrawn_count else ""
        )
        retcon_lines = await self._undone_canon.propose_retcons(scene, unsupported_canon)
        return Outcome(Reply("operation", (f"Undone: {done_text}{withdrawn_note}", *retcon_lines)))

    # --- what became canon meanwhile -----------------------------------------------------------------

    async def _refuse_undo_of_canon(self, context: SceneContext) -> None:
        """Raise InputError if all that was done in the scene, which has no turns, became canon."""
        committed = await self._find_committed_since(context, context.scene.created_at)
        if committed:
            raise InputError(
                f"All that is left in this scene became canon: {', '.join(map(shorten, committed))}.",
                kept="Nothing was changed.",
                todo="u on its row at the gate (F3) proposes a retcon.",
            )

    async def _find_committed_since(self, context: SceneContext, since: datetime) -> list[str]:
        """Return the titles of what commits after `since` wrote and no later one took back."""
        return await self._commit_undo.read_titles(await self._commit_undo.list_standing(context, since))
