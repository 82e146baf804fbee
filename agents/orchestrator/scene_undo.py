"""Takes back the last thing that was done in a scene, and brings it back.

That is what a commit wrote to canon, what a command proposed, a decision on proposals, an offer that was left, a
branch, or else the last line that was played. The dispatcher runs these, holds the session lock and
hands in the scene's context.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.commit_undo import CommitReversal, CommitUndo
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.passed_offers import OfferPass, PassedOffers
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.timeline import Timeline
from agents.orchestrator.undo_words import list_names, shorten
from agents.orchestrator.undone_canon import UndoneCanonService, UnsupportedCanon
from agents.orchestrator.verdict_undo import VerdictStep, VerdictUndo
from agents.proposals.decisions import VERDICT_WORDS, is_undone
from agents.views.play_views import CommitReport, Reply
from stores.errors import InputError
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.play import HeadMove, MoveKind, Turn
from stores.records.workflow import OPEN_STATUSES, ProposalStatus

MAX_WAITING_READ: Final = 200
"""Proposals of the universe, the newest, among which undo looks for edits made since the last turn."""

_CONFIRM_UNDO_LINE: Final = "/undo yes"
_CONFIRM_REDO_LINE: Final = "/redo yes"

StepOnTurn = CommandEffects | VerdictStep | OfferPass
"""What was done on the last turn."""

_OFFER_LEFT: Final = "Left for the end of the scene."
_OFFER_AGAIN: Final = "The offer that you left is made again. Undo takes back what was done before it."


class SceneUndo:
    """Undoes and redoes, one step at a time."""

    def __init__(
        self,
        log: LogReader,
        timeline: Timeline,
        undone_canon: UndoneCanonService,
        command_undo: CommandUndo,
        verdict_undo: VerdictUndo,
        passed_offers: PassedOffers,
        commit_undo: CommitUndo,
        views: SceneViewBuilder,
    ) -> None:
        self._log = log
        self._timeline = timeline
        self._undone_canon = undone_canon
        self._command_undo = command_undo
        self._verdict_undo = verdict_undo
        self._passed_offers = passed_offers
        self._commit_undo = commit_undo
        self._views = views

    async def undo(self, context: SceneContext, *, is_confirmed: bool = False) -> Outcome:
        """Take back the last thing done.

        What a commit wrote, a line that canon rests on, and anything that something was committed after, is undone
        only when that `is_confirmed`.
        """
        step = await self._find_last_step(context)
        if (commit := await self._commit_undo.find_last(context)) and (step is None or commit.at > step.at):
            reversal = await self._commit_undo.plan_reversal(commit)
            if reversal.proposals:
                return await self._take_commit_back(context, reversal, is_confirmed=is_confirmed)
        if step is None or isinstance(step, HeadMove):
            return await self._undo_move(context, step, is_confirmed=is_confirmed)
        step_text = await self._describe_step(context, step)
        committed = await self._find_committed_since(context, step.at)
        if committed and not is_confirmed:
            return Outcome(_ask_past_commit(step_text, committed, ()))
        match step:
            case CommandEffects():
                await self._command_undo.undo(context, step)
            case VerdictStep():
                await self._verdict_undo.undo(context, step)
            case OfferPass():
                await self._passed_offers.undo(context, step)
                return Outcome(Reply("operation", (_OFFER_AGAIN,)))
            case _:
                assert_never(step)
        return Outcome(Reply("operation", (f"Undone: {step_text}",)))

    async def redo(self, context: SceneContext, *, is_confirmed: bool = False) -> Outcome:
        """Bring back what was undone last; what a commit wrote only when that `is_confirmed`."""
        undone_move = await self._timeline.find_undone_move(context.scene)
        edited_context = await self._with_world_edits(context)
        last_command = find_last_command(edited_context)
        decisions = [self._verdict_undo.find_undone(context), self._passed_offers.find_undone(context)]
        # A decision is not made again over a command that was typed since.
        candidates: list[StepOnTurn | None] = [
            find_undone_command(edited_context),
            *(d for d in decisions if d is not None and (last_command is None or last_command.at < d.at)),
        ]
        undone_commit = await self._commit_undo.find_undone(context)
        steps = [s for s in candidates if s is not None and (undone_move is None or s.at > undone_move.at)]
        last_decision = self._verdict_undo.find_last(context)
        later_acts = [undone_move, last_command, last_decision, *steps]
        if undone_commit and all(act is None or act.at < undone_commit.at for act in later_acts):
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
            case OfferPass():
                await self._passed_offers.redo(context, step)
            case _:
                assert_never(step)
        return Outcome(Reply("operation", (f"Back: {await self._describe_step(context, step)}",)))

    # --- what was done last --------------------------------------------------------------------------

    async def _find_last_step(self, context: SceneContext) -> StepOnTurn | HeadMove | None:
        """Return what was done last, where the move is a branch or another take; None if it was a line of the story."""
        candidates: tuple[StepOnTurn | HeadMove | None, ...] = (
            find_last_command(await self._with_world_edits(context)),
            self._verdict_undo.find_last(context),
            self._passed_offers.find_last(context),
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
        return replace(
            context,
            undecided=(*context.undecided, *(p for p in edits if not is_undone(p))),
            undone=(*context.undone, *filter(is_undone, edits)),
        )

    async def _describe_step(self, context: SceneContext, step: StepOnTurn) -> str:
        if isinstance(step, CommandEffects):
            gate_proposals = [p for p in step.proposals if p.turn_id is None]
            gate_rows = await self._views.build_proposal_rows(gate_proposals) if gate_proposals else ()
            step_text = shorten(step.describe(context, {row.proposal.id: row.title for row in gate_rows}))
            is_world_edit = any(p.scene_id is None for p in gate_proposals)
            return f"{step_text} (proposed in the universe)" if is_world_edit else step_text
        if isinstance(step, OfferPass):
            return _OFFER_LEFT
        rows = await self._views.read_scene_rows(context.scene.id)
        titles = [row.title for row in rows if not step.after.keys().isdisjoint(row.member_ids)]
        others = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        return f"{VERDICT_WORDS[step.verdict]}: {shorten(titles[0]) if titles else 'a proposal'}{others}"

    # --- commits -------------------------------------------------------------------------------------

    async def _take_commit_back(
        self, context: SceneContext, reversal: CommitReversal, *, is_confirmed: bool
    ) -> Outcome:
        """Take from canon what a commit wrote; ask first."""
        if not is_confirmed:
            return Outcome(_ask_to_take_from_canon(reversal))
        report = await self._commit_undo.take_back(context, reversal)
        return Outcome(_tell_reversal("Not canon any more", reversal, report))

    async def _bring_commit_back(
        self, context: SceneContext, reversal: CommitReversal, *, is_confirmed: bool
    ) -> Outcome:
        """Make canon again what was taken from it; ask first."""
        if not is_confirmed:
            return Outcome(_ask_to_bring_back(reversal))
        report = await self._commit_undo.bring_back(context, reversal)
        return Outcome(_tell_reversal("Canon again", reversal, report))

    # --- lines and branches --------------------------------------------------------------------------

    async def _undo_move(
        self, context: SceneContext, jump: HeadMove | None, *, is_confirmed: bool
    ) -> Outcome:
        """Take back a branch or a take or, without one, the last line with all that came of it."""
        scene = context.scene
        if jump is None:
            if scene.head is None:
                await self._refuse_undo_of_canon(context)
            step = await self._timeline.plan_undo(scene)
            target_id, left_turns = step.target_id, step.removed_turns
            done_text, since = shorten(left_turns[0].text), left_turns[0].created_at
        else:
            target_id, since = jump.from_turn, jump.at
            left_turns = await self._timeline.read_turns_left(scene, target_id)
            turn = await self._log.turn(jump.to_turn) if jump.to_turn else None
            done_text = _describe_jump(jump, turn)
        unsupported_canon = await self._undone_canon.find_unsupported(scene, left_turns)
        committed = await self._find_committed_since(context, since)
        if (committed or unsupported_canon) and not is_confirmed:
            return Outcome(_ask_past_commit(done_text, committed, unsupported_canon))
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


def _tell_reversal(done_word: str, reversal: CommitReversal, report: CommitReport) -> Reply:
    """Return what was taken from canon or is so again, and what could not be written."""
    lines = (
        *(f"{done_word}: {title}" for title in reversal.titles),
        *(line for line in commit_lines(report) if line.startswith("Not written")),
    )
    return Reply("operation", lines)


def _describe_jump(jump: HeadMove, turn: Turn | None) -> str:
    """Return in words that play went on from `turn`, or to it as another take."""
    if turn is None:
        return "Going on from: the beginning of the scene"
    if turn.take > 1 or jump.kind is MoveKind.TAKE:
        return f"Take {turn.take}: {shorten(turn.text)}"
    return f"Going on from: {shorten(turn.text)}"


def _ask_to_take_from_canon(reversal: CommitReversal) -> Reply:
    """Return what a commit wrote, that undo takes it from canon, and the line that does."""
    count = len(reversal.titles)
    return Reply(
        "nothing",
        (
            "Last, this became canon:",
            *list_names(reversal.titles),
            f"Undo takes {'it' if count == 1 else f'these {count}'} from canon, to wait at the gate again; what was "
            f"typed stays, and redo brings {'it' if count == 1 else 'them'} back.",
            *(("What stays in canon:", *list_names(reversal.kept)) if reversal.kept else ()),
        ),
        confirm_line=_CONFIRM_UNDO_LINE,
    )


def _ask_to_bring_back(reversal: CommitReversal) -> Reply:
    """Return what undo took from canon, that redo brings it back, and the line that does."""
    return Reply(
        "nothing",
        ("Redo makes this canon again:", *list_names(reversal.titles)),
        confirm_line=_CONFIRM_REDO_LINE,
        confirm_word="Redo",
    )


def _ask_past_commit(
    done_text: str, committed_titles: Sequence[str], unsupported_canon: Sequence[UnsupportedCanon]
) -> Reply:
    """Return what was committed last, what undo takes, and the line that does it all the same."""
    done_line = f"Undo takes back what was typed before: {done_text}"
    committed_lines = (
        ("Last, this became canon:", *list_names(committed_titles), done_line)
        if committed_titles
        else (f"Canon rests on what undo takes back: {done_text}",)
    )
    count = len(unsupported_canon)
    canon_lines = (
        (
            f"Canon rests on it. It proposes a retcon of {'this' if count == 1 else f'these {count}'} for you to "
            "decide at the gate:",
            *list_names([record.label for record in unsupported_canon]),
        )
        if unsupported_canon
        else ("What became canon stays: R in the universe retcons it.",)
    )
    return Reply("nothing", (*committed_lines, *canon_lines), confirm_line=_CONFIRM_UNDO_LINE)
