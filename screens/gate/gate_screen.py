"""The canon gate: the waiting proposals, what each would change, its evidence, and a key for each verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input, Static

from agents.count_words import count_noun
from agents.views.gate_views import LeftOpen
from agents.views.row_verdicts import is_open, is_undecided
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.evidence_routes import find_evidence_route
from screens.folder import SCREENS_FOLDER
from screens.gate.commit_report_dialog import (
    CommitReportDialog,
)
from screens.gate.deciding_screen import DecidingScreen, filter_binding, undo_binding
from screens.gate.proposal_decisions import ProposalDecisions
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToPolicy, ToReading, ToScene, Visit
from screens.title_bar import TitleBar
from screens.typed_ahead import is_over_prompt
from stores.records.ids import Id
from widgets.proposal_detail import ProposalDetail
from widgets.proposal_list import ProposalList
from widgets.proposal_rows import Grouping, matches_filter
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.gate_views import CommitReport, GateView
    from agents.views.proposal_views import ProposalView, UndoneDecision
    from agents.views.scene_views import TensionSuggestion

MAX_NAMED_ROWS = 3
"""Titles of rows that the question before a commit names, of each kind that it leaves open."""
GROUPINGS = (Grouping.GROUP, Grouping.LABEL, Grouping.NONE)
"""By what it is about, by kind, as it was proposed."""

EMPTY_END_GATE = "Nothing to decide. Enter closes the gate."
EMPTY_SCENE_GATE = "Nothing to decide. Esc goes back to the scene."
EMPTY_UNIVERSE_GATE = (
    "Nothing to decide. Your own edits, what was undecided or deferred at the end of a scene and what could not "
    "be written wait here. Esc goes back."
)


class GateScreen(DecidingScreen):
    """The gate of a scene or, without one, of a universe's manual edits."""

    CSS_PATH = SCREENS_FOLDER / "gate/gate_screen.tcss"
    AUTO_FOCUS = "ProposalList"
    BINDING_GROUP_TITLE = "Canon gate"
    BINDINGS = [
        Binding(
            "enter",
            "commit",
            "Commit",
            id="gate.commit",
            tooltip="Write what is ticked to canon",
            priority=True,
            key_display="⏎",
        ),
        Binding("G", "group", "Group", id="gate.group", tooltip="Group by subject, by kind, or not at all"),
        filter_binding("gate", "Show only rows with these words"),
        Binding("P", "policy", "Rules", id="gate.policy", tooltip="What is accepted or rejected by itself"),
        Binding(
            "ctrl+t",
            "tension",
            "Tension",
            id="gate.tension",
            tooltip="Change the tension as the results suggest",
        ),
        undo_binding("gate"),
        Binding("escape", "escape", "Back", id="gate.escape", tooltip="Back; your decisions are kept"),
    ]

    @dataclass
    class GateLoaded(Message):
        view: GateView

    @dataclass
    class GateCommitted(Message):
        report: CommitReport

    @dataclass
    class TensionChanged(Message):
        """The tension was changed as suggested."""

    @dataclass
    class SceneReopened(Message):
        """The scene is Active again."""

    def __init__(
        self,
        services: Services,
        scene_id: Id | None,
        universe_id: Id | None = None,
        proposal_id: Id | None = None,
    ) -> None:
        """Open a scene's gate, or a universe's, at a proposal.

        It is the universe's without a scene, and with one that is over if the universe is given.
        """
        super().__init__(services)
        self.scene_id = scene_id
        self.universe_id = universe_id
        self.proposal_id = proposal_id
        self.view: GateView | None = None
        self._next_scene_id: Id | None = None
        self._left_open = LeftOpen()
        self._has_failures = False
        self._scene_end_text = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Canon gate")
        yield Input(id="filter", placeholder="only rows with these words", compact=True)
        with ProposalDecisions(self.services.gate, self.services.policy, id="review"):
            yield ProposalList(accept_all="unmarked", empty="Reading …")
            yield ProposalDetail(with_change=True)
        yield Static(id="scene-end", markup=False)
        yield NoticePanel()
        yield KeyBar()

    @property
    def main_list(self) -> ProposalList:
        return self.query_one(ProposalList)

    # --- reading -----------------------------------------------------------------------------------

    async def load_view(self) -> None:
        if self.scene_id is not None and self.universe_id is not None and self.view is None:
            self.scene_id = await self.services.gate.find_scene_of_gate(self.scene_id)
        self.post_message(self.GateLoaded(await self.services.gate.gate(self.scene_id, self.universe_id)))

    @on(GateLoaded)
    def _show_gate(self, message: GateLoaded) -> None:
        is_first_view, self.view = self.view is None, message.view
        proposal_list = self.query_one(ProposalList)
        if is_first_view:
            proposal_list.grouping = GROUPINGS[0]
        proposal_list.empty = self._word_empty_gate(message.view)
        proposal_list.show_proposals(message.view.proposals)
        if is_first_view and self.proposal_id:
            proposal_list.go_to_newest({self.proposal_id})
        self.query_one(TitleBar).show_place(message.view.title, _count_line(message.view))
        self._show_scene_end(message.view.scene_end_lines)
        self.refresh_bindings()

    def _word_empty_gate(self, view: GateView) -> str:
        """Return what a gate without proposals says, with the key that leads on."""
        if self.scene_id is None:
            return EMPTY_UNIVERSE_GATE
        return EMPTY_END_GATE if view.is_finalizing else EMPTY_SCENE_GATE

    def _show_scene_end(self, scene_end_lines: Sequence[str]) -> None:
        """Show what the scene's end brought by itself."""
        scene_end_text = "\n".join(map(one_line, scene_end_lines))
        text_area = self.query_one("#scene-end", Static)
        if scene_end_text != self._scene_end_text:
            self._scene_end_text = scene_end_text
            text_area.update(scene_end_text)
            text_area.display = bool(scene_end_text)

    @on(ProposalList.Highlighted)
    def _show_detail(self, message: ProposalList.Highlighted) -> None:
        detail = self.query_one(ProposalDetail)
        detail.display = message.view is not None
        detail.show_proposal(message.view)

    def action_policy(self) -> None:
        if self.view is not None:
            self.post_message(Visit(ToPolicy(self.view.universe.id)))

    def action_tension(self) -> None:
        """Change the tension as the scene's results suggest."""
        if self.view is not None and self.view.tension_suggestion is not None and self.scene_id is not None:
            self.start_change(
                partial(self._set_tension, self.scene_id, self.view.tension_suggestion), "tension"
            )

    async def _set_tension(self, scene_id: Id, offer: TensionSuggestion) -> None:
        await self.services.play.set_tension(scene_id, offer.after)
        self.post_message(self.TensionChanged())

    @on(TensionChanged)
    def _tension_changed(self) -> None:
        self.reload()

    # --- undo --------------------------------------------------------------------------------------

    async def undo_last_decision(self) -> UndoneDecision:
        assert self.view is not None
        return await self.services.gate.undo_last_decision(self.scene_id, self.view.universe.id)

    @on(DecidingScreen.DecisionUndone)
    def _show_decision_undone(self, message: DecidingScreen.DecisionUndone) -> None:
        proposal_list = self.query_one(ProposalList)
        ids, word = set(message.decision.proposal_ids), message.decision.word
        rows = [row for row in proposal_list.views if not ids.isdisjoint(row.member_ids)]
        self.query_one(NoticePanel).show_lines([f"Undone: {word}: {row.title}" for row in rows])
        proposal_list.go_to_newest({row.proposal.id for row in rows})
        self.reload()

    # --- filter and groups -------------------------------------------------------------------------

    def action_group(self) -> None:
        proposal_list = self.query_one(ProposalList)
        proposal_list.grouping = GROUPINGS[(GROUPINGS.index(proposal_list.grouping) + 1) % len(GROUPINGS)]

    @on(Input.Changed)
    def _filter_changed(self, message: Input.Changed) -> None:
        message.stop()
        self.query_one(ProposalList).filter_text = message.value

    # --- leaving -----------------------------------------------------------------------------------

    def action_escape(self) -> None:
        """Go one step back: close the notes, the filter, then the gate."""
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
            return
        if self.close_filter():
            return
        if self.view is not None and self.view.is_finalizing:
            self.start_change(self._reopen_scene, "reopen")
        else:
            self.post_message(Visit(Back(self)))

    async def _reopen_scene(self) -> None:
        assert self.scene_id is not None
        await self.services.gate.reopen_scene(self.scene_id)
        self.post_message(self.SceneReopened())

    @on(SceneReopened)
    def _return_to_play(self) -> None:
        open_count = sum(map(is_open, self.query_one(ProposalList).views))
        waiting_words = (
            f"{open_count} proposals wait" if open_count > 1 else f"{open_count or 'no'} proposal waits"
        )
        self.post_message(Visit(Back(self, f"The scene goes on; {waiting_words} at the gate (F3).")))

    # --- committing --------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "undo_decision":
            return self.view is not None
        if action == "tension":
            return self.view is not None and self.view.tension_suggestion is not None
        if action == "commit":
            proposal_list = self.query_one(ProposalList)
            has_work = self.view is not None and (
                self.view.is_finalizing or any(map(is_open, proposal_list.views))
            )
            return has_work and proposal_list.has_focus
        return super().check_action(action, parameters)

    def action_commit(self) -> None:
        """Write what is ticked, with all that was decided before this key."""
        self.call_when_stored(self._commit_or_ask)

    def _commit_or_ask(self) -> None:
        """Write what is ticked; ask first only if the filter hides some of it, or a conflict holds something back."""
        if not self.is_current:
            return  # Enter was pressed twice
        proposal_list = self.query_one(ProposalList)
        hidden_rows = [
            p
            for p in proposal_list.views
            if is_open(p) and p.mark == "accept" and not matches_filter(p, proposal_list.filter_text)
        ]
        if not hidden_rows:
            self._commit_or_ask_of_conflicts()
            return
        question = ConfirmDialog(
            f"The filter hides {count_noun(len(hidden_rows), 'ticked row')}. Commit all the same?",
            f"A commit writes every ticked row of the gate. Not shown: {_name_rows(hidden_rows)}",
            yes="Commit all",
            no="Look again",
        )
        self.app.push_screen(question, self._commit_hidden_too)

    def _commit_hidden_too(self, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self._commit_or_ask_of_conflicts()

    def _commit_or_ask_of_conflicts(self) -> None:
        undecided_rows = [p for p in self.query_one(ProposalList).views if is_undecided(p)]
        conflicting_proposals = [p for p in undecided_rows if p.mark == "hold"]
        deferred_rows = [p for p in undecided_rows if p.mark == "defer"]
        if not conflicting_proposals:
            self.start_change(self._commit_proposals, "commit")
            return
        question = ConfirmDialog(
            f"{len(conflicting_proposals)} of these "
            f"{'is' if len(conflicting_proposals) == 1 else 'are'} in conflict. Commit the rest?",
            "What is in conflict stays proposed; nothing in canon is overwritten. In conflict: "
            + _name_rows(conflicting_proposals)
            + (f" Not decided: {_name_rows(deferred_rows)}" if deferred_rows else ""),
            yes="Commit the rest",
            no="Look again",
        )
        self.app.push_screen(question, self._commit_confirmed)

    def _commit_confirmed(self, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.start_change(self._commit_proposals, "commit")

    async def _commit_proposals(self) -> None:
        if self.scene_id is not None:
            report = await self.services.gate.commit(self.scene_id)
        else:
            assert self.view is not None
            report = await self.services.gate.commit_universe(self.view.universe.id)
        self.post_message(self.GateCommitted(report))

    @on(GateCommitted)
    def _show_report(self, message: GateCommitted) -> None:
        self._next_scene_id, self._has_failures = message.report.next_scene_id, bool(message.report.failures)
        self._left_open = message.report.left_open
        titles = {row.proposal.id: row.title for row in self.query_one(ProposalList).views}
        failed_titles = tuple(
            (titles.get(proposal_id, proposal_id), reason) for proposal_id, reason in message.report.failures
        )
        leads_to_prompt = self._next_scene_id is not None or (self._is_mid_scene and is_over_prompt(self))
        report = replace(message.report, failures=failed_titles)
        self.app.push_screen(
            CommitReportDialog(report, leads_to_prompt=leads_to_prompt),
            self._continue_after_report,
        )

    @property
    def _is_mid_scene(self) -> bool:
        return self.scene_id is not None and self.view is not None and not self.view.is_finalizing

    def _continue_after_report(self, _: None) -> None:
        """Go to the next scene if this one is closed, else back.

        Where something failed at a gate that nobody would open again by themselves, stay for the review.
        """
        is_finished = self.scene_id is None and not self._has_failures
        if self._next_scene_id is not None:
            opening_lines = tuple(filter(None, (self._left_open.describe_after_end(),)))
            self.post_message(
                Visit(ToScene(self._next_scene_id, follows_gate=True, opening_lines=opening_lines))
            )
        elif self._is_mid_scene or is_finished:
            self.post_message(Visit(Back(self)))
        else:
            self.reload()

    # --- evidence and errors -----------------------------------------------------------------------

    @on(ProposalList.ProposalEvidenceRequested)
    def _open_evidence_turn(self, message: ProposalList.ProposalEvidenceRequested) -> None:
        message.stop()
        proposal = message.view.proposal
        if (route := find_evidence_route(proposal.evidence)) is not None:
            self.post_message(Visit(route))
        elif proposal.turn_id:
            self.post_message(Visit(ToReading(proposal.turn_id)))
        else:
            self.query_one(NoticePanel).show_lines(("No quote: you declared it.",))


def _name_rows(rows: Sequence[ProposalView]) -> str:
    """Return the first titles of rows and how many more there are: `The bell is gone; 2 more`."""
    names = [one_line(row.title).rstrip(".") for row in rows[:MAX_NAMED_ROWS]]
    more = [f"{len(rows) - MAX_NAMED_ROWS} more"] if len(rows) > MAX_NAMED_ROWS else []
    return "; ".join((*names, *more)) + "."


def _count_line(view: GateView) -> str:
    """Return what a commit now would do, in one line."""
    counts = Counter[str](p.mark for p in view.proposals if is_open(p))
    label_by_mark = (
        ("accept", "accept"),
        ("reject", "reject"),
        ("defer", "undecided"),
        ("hold", "in conflict"),
    )
    count_texts = [f"{counts[mark]} {word}" for mark, word in label_by_mark if counts[mark]]
    if view.elsewhere_count:
        count_texts.append(f"{view.elsewhere_count} more in play")
    return " · ".join(count_texts)
