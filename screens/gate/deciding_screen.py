"""What the gate and the review of a document share: the notes on decisions, undo, and the line of the filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from agents.events import CanonCommitted, ProposalsChanged
from screens.base import ServiceScreen
from screens.gate.proposal_decisions import (
    NOTHING_TO_UNDO,
    ProposalDecisions,
    nothing_to_edit_line,
    undo_lines,
)
from screens.notice_panel import NoticePanel
from widgets.proposal_list import ProposalList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.views.proposal_views import UndoneDecision


class DecidingScreen(ServiceScreen[None]):
    """A screen with `ProposalDecisions`, a filter and notes."""

    @dataclass
    class DecisionUndone(Message):
        """The last decision was taken back."""

        decision: UndoneDecision

    @property
    def main_list(self) -> Widget:
        """The list that has the focus when nothing else is open."""
        raise NotImplementedError

    async def undo_last_decision(self) -> UndoneDecision:
        """Undo the decision that was made last here. Raises InputError if there is none."""
        raise NotImplementedError

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, ProposalsChanged | CanonCommitted)

    # --- decisions ---------------------------------------------------------------------------------

    @on(ProposalDecisions.DecisionStarted)
    def _clear_notices(self) -> None:
        self.query_one(NoticePanel).clear()

    @on(ProposalDecisions.DecisionRefused)
    def _read_again(self) -> None:
        self.reload()

    @on(ProposalList.NothingToEdit)
    def _explain_edit(self, message: ProposalList.NothingToEdit) -> None:
        self.query_one(NoticePanel).show_lines((nothing_to_edit_line(message.view),))

    @on(ProposalList.NothingToUndo)
    def _explain_undo(self) -> None:
        self.query_one(NoticePanel).show_lines((NOTHING_TO_UNDO,))

    @on(ProposalDecisions.UndoProposed)
    def _show_undo_proposed(self, message: ProposalDecisions.UndoProposed) -> None:
        self.query_one(NoticePanel).show_lines(undo_lines(message))
        self.reload()

    def call_when_stored(self, callback: Callable[[], object]) -> None:
        """Call back once all that was decided by the keys before this one is stored; not at all if it is refused."""
        self.query_one(ProposalDecisions).call_when_stored(callback)

    def action_undo_decision(self) -> None:
        self.call_when_stored(partial(self.start_change, self._undo_decision, "undo decision"))

    async def _undo_decision(self) -> None:
        self.post_message(self.DecisionUndone(await self.undo_last_decision()))

    # --- the filter --------------------------------------------------------------------------------

    def action_filter(self) -> None:
        self.query_one(NoticePanel).clear()
        field = self.query_one("#filter", Input)
        field.add_class("-shown")
        field.focus()

    def type_filter(self, text: str) -> None:
        """Open the filter, and type into it: implements `screens.base.FilterTarget`."""
        self.action_filter()
        self.query_one("#filter", Input).insert_text_at_cursor(text)

    @on(Input.Submitted, "#filter")
    def _leave_filter(self, message: Input.Submitted) -> None:
        message.stop()
        if message.value.strip():
            self.main_list.focus()
        else:
            self.close_filter()

    def close_filter(self) -> bool:
        """Close the filter, and show all again; return whether it was open."""
        field = self.query_one("#filter", Input)
        if not field.has_class("-shown"):
            return False
        field.clear()
        field.remove_class("-shown")
        self.main_list.focus()
        return True


def filter_binding(screen: str, tooltip: str) -> Binding:
    """Return the key of the filter; `screen` begins its identifier."""
    return Binding("slash", "filter", "Filter", id=f"{screen}.filter", tooltip=tooltip, key_display="/")


def undo_binding(screen: str) -> Binding:
    """Return the key that undoes the last decision; `screen` begins its identifier."""
    return Binding(
        "ctrl+z",
        "undo_decision",
        "Undo",
        id=f"{screen}.undo",
        tooltip="Undo the decision that was made last",
        show=False,
    )
