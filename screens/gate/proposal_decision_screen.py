"""Deciding proposals, the same in play and at the gate: the list has the keys, the desk decides."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from textual import on, work
from textual.message import Message

from agents.proposals.editing import editable_text
from screens.base import ServiceScreen
from screens.dialogs.text_dialog import TextDialog
from screens.notice_panel import NoticePanel
from screens.routes import ToConflict, Visit
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.workflow import Verdict
from widgets.proposal_list import ProposalList


class ProposalDecisionScreen(ServiceScreen[None]):
    """A screen with a list of proposals in it, and a place for notes."""

    @dataclass
    class UndoProposed(Message):
        """What undoes a commit's decision is proposed."""

        titles: tuple[str, ...]

    @on(ProposalList.Decided)
    def _decide_rows(self, message: ProposalList.Decided) -> None:
        message.stop()
        self._decide_proposals(message.ids, message.verdict)

    @on(ProposalList.AllAccepted)
    def _accept_all(self, message: ProposalList.AllAccepted) -> None:
        message.stop()
        self._decide_proposals(message.ids, Verdict.ACCEPT)

    @on(ProposalList.EditRequested)
    def _edit_row(self, message: ProposalList.EditRequested) -> None:
        message.stop()
        current_text = editable_text(message.view.proposal.change)
        if not current_text:
            self.notify("This change has no text to edit. Accept or reject it.", markup=False)
            return
        editor = TextDialog("Edit and accept", current_text, f"{message.view.label}: {message.view.title}")
        self.app.push_screen(editor, partial(self._text_edit_closed, message.view.proposal.id))

    def _text_edit_closed(self, proposal_id: Id, new_text: str | None) -> None:
        if new_text is not None:
            self._edit_text(proposal_id, new_text)

    @on(ProposalList.ConflictOpened)
    def _open_conflict(self, message: ProposalList.ConflictOpened) -> None:
        message.stop()
        self.post_message(Visit(ToConflict(message.view.proposal.id)))

    @on(ProposalList.UndoRequested)
    def _undo_row(self, message: ProposalList.UndoRequested) -> None:
        message.stop()
        self.start_change(self._propose_undo(message.view.proposal.id), "undo")

    async def _propose_undo(self, proposal_id: Id) -> None:
        staged_edits = await self.services.policy.propose_undo(proposal_id)
        self.post_message(self.UndoProposed(staged_edits.titles))

    @on(UndoProposed)
    def _show_undo_proposed(self, message: UndoProposed) -> None:
        self.query_one(NoticePanel).show_lines(
            [f"Proposed: {title}. The next commit writes it." for title in message.titles]
        )
        self.reload()

    @work(group="decide", exit_on_error=False)
    async def _decide_proposals(self, ids: Collection[Id], verdict: Verdict | None) -> None:
        """Have it kept. The list shows the verdict already: if it is refused, it is read anew."""
        try:
            await self.services.gate.decide(ids, verdict)
        except MonitorError:
            self.reload()
            raise

    @work(group="decide", exit_on_error=False)
    async def _edit_text(self, proposal_id: Id, new_text: str) -> None:
        await self.services.gate.edit_text(proposal_id, new_text)
