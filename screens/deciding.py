"""Deciding proposals, the same in play and at the gate: the list has the keys, the desk decides."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from textual import on, work

from screens.base import DeskScreen
from screens.edit_text import EditTextScreen
from stores.records.canon import AssertFact, CreateEntity, NoteAxiom, Payload, StateChange, StateOp
from stores.records.ids import Id
from stores.records.ledger import Verdict
from widgets.proposals import ProposalList


class DecidingScreen(DeskScreen[None]):
    """A screen with a list of proposals in it."""

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

    @work(group="decide", exit_on_error=False)
    async def _decide(self, ids: Collection[Id], verdict: Verdict | None) -> None:
        await self.desk.decide(ids, verdict)

    @work(group="decide", exit_on_error=False)
    async def _edit(self, proposal_id: Id, words: str) -> None:
        await self.desk.edit_text(proposal_id, words)


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
