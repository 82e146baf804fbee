"""Deciding proposals, the same in play and at the gate: the list has the keys, the desk decides."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from textual import on, work
from textual.message import Message

from screens.aside import Aside
from screens.base import ServiceScreen
from screens.edit_text import EditTextScreen
from screens.routes import ToCourt, Visit
from stores.errors import MonitorError
from stores.records.canon import AssertFact, CreateEntity, NoteAxiom, Payload, StateChange, StateOp
from stores.records.ids import Id
from stores.records.ledger import Verdict
from widgets.proposals import ProposalList


class DecidingScreen(ServiceScreen[None]):
    """A screen with a list of proposals in it, and a place for notes."""

    @dataclass
    class TakenBack(Message):
        """What undoes a commit's decision is proposed."""

        titles: tuple[str, ...]

    @on(ProposalList.Decide)
    def _decide_rows(self, message: ProposalList.Decide) -> None:
        message.stop()
        self._decide(message.ids, message.verdict)

    @on(ProposalList.AcceptAll)
    def _accept_all(self, message: ProposalList.AcceptAll) -> None:
        message.stop()
        self._decide(message.ids, Verdict.ACCEPT)

    @on(ProposalList.Edit)
    def _edit_row(self, message: ProposalList.Edit) -> None:
        message.stop()
        words = words_of(message.view.proposal.change)
        if not words:
            self.notify("This change has no words to edit. Accept or reject it as it stands.", markup=False)
            return
        editor = EditTextScreen(
            "Change the words, then accept", words, f"{message.view.label}: {message.view.title}"
        )
        self.app.push_screen(editor, partial(self._edited, message.view.proposal.id))

    def _edited(self, proposal_id: Id, words: str | None) -> None:
        if words is not None:
            self._edit(proposal_id, words)

    @on(ProposalList.Court)
    def _to_court(self, message: ProposalList.Court) -> None:
        message.stop()
        self.post_message(Visit(ToCourt(message.view.proposal.id)))

    @on(ProposalList.Undo)
    def _undo_row(self, message: ProposalList.Undo) -> None:
        message.stop()
        self.change(self._undo(message.view.proposal.id), "undo")

    async def _undo(self, proposal_id: Id) -> None:
        staged = await self.services.policy.undo(proposal_id)
        self.post_message(self.TakenBack(staged.titles))

    @on(TakenBack)
    def _taken_back(self, message: TakenBack) -> None:
        self.query_one(Aside).say(
            [f"Proposed: {title}. The next commit writes it." for title in message.titles]
        )
        self.reload()

    @work(group="decide", exit_on_error=False)
    async def _decide(self, ids: Collection[Id], verdict: Verdict | None) -> None:
        """Have it kept. The list shows the verdict already: if it is refused, it is read anew."""
        try:
            await self.services.gate.decide(ids, verdict)
        except MonitorError:
            self.reload()
            raise

    @work(group="decide", exit_on_error=False)
    async def _edit(self, proposal_id: Id, words: str) -> None:
        await self.services.gate.edit_text(proposal_id, words)


def words_of(change: Payload) -> str:
    """Return the words that an edit of this change starts from; empty when it has none."""
    match change:
        case AssertFact() | NoteAxiom():
            return change.statement
        case CreateEntity():
            return f"{change.name}: {change.description}" if change.description else change.name
        case StateChange(op=StateOp.ADD, value=value):
            return f"{value:+}" if isinstance(value, int | float) else str(value)
        case StateChange(op=StateOp.SET):
            return str(change.value)
        case StateChange():
            return change.key
    return ""
