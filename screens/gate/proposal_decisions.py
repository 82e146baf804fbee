"""Decides proposals, in play and at the gate: the list has the keys, the services decide."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual import on
from textual.containers import Vertical
from textual.message import Message
from textual.worker import Worker

from agents.canon_keeper.proposal_description import KNOWN_TO
from agents.proposals.editing import editable_text
from agents.proposals.statements import as_sentence
from screens.base import start_change
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.knowers_dialog import EVERYBODY_WORD, knowers_dialog
from screens.dialogs.text_dialog import TextDialog
from screens.routes import ToConflict, Visit
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict
from widgets.proposal_list import ProposalList
from widgets.worker import (
    WorkFailed,
    call_behind_keys,
    let_frame_go_first,
    post_failed_work,
    start_worker,
)

if TYPE_CHECKING:
    from agents.services.gate import GateService
    from agents.services.policy import PolicyService
    from agents.views.proposal_views import ProposalView
    from agents.views.world_views import ProposedUndo


class Decide(Protocol):
    """Sets the verdict of proposals; None removes it. `before_storing` is awaited once it is this decision's turn."""

    def __call__(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        before_storing: Callable[[], Awaitable[None]] | None = None,
    ) -> Awaitable[None]: ...


AfterEdit = Callable[[Collection[Id]], Awaitable[None]]
"""Does what follows from an edit of proposals."""


def edit_hint(label: str, title: str, step_count: int) -> str:
    """Return what stands over the words of a row: of one with several steps only the last is edited and accepted."""
    if step_count <= 1:
        return f"{label}: {title}"
    others = "the other one waits" if step_count == 2 else f"the other {step_count - 1} wait"
    return f"{label}: {title}\nThese are the words of the last of its {step_count} steps; {others} on."


class ProposalDecisions(Vertical):
    """Contains a list of proposals, and carries out what is decided in it."""

    @dataclass
    class UndoProposed(Message):
        """The undo of a committed decision was proposed."""

        undo: ProposedUndo

    @dataclass
    class DecisionStarted(Message):
        """Something is decided now: what was said of an earlier action is over."""

    @dataclass
    class DecisionRefused(Message):
        """A verdict that the list shows was not stored: the list has to be read again."""

    def __init__(
        self,
        gate: GateService,
        policy: PolicyService,
        *,
        id: str,
        decide: Decide | None = None,
        after_edit: AfterEdit | None = None,
    ) -> None:
        """`decide` sets verdicts in the place of the gate's own; `after_edit` follows each edit of a row."""
        super().__init__(id=id)
        self._gate = gate
        self._policy = policy
        self._decide = decide
        self._after_edit = after_edit
        self._verdict_workers: list[Worker[bool]] = []
        """Those that store verdicts, each done with whether it did."""

    def call_when_stored(self, callback: Callable[[], object]) -> None:
        """Call back once the verdicts of all keys before this one are stored; not at all if one of them is refused."""
        call_behind_keys(self.query_one(ProposalList), self, partial(self._wait_for_verdicts, callback))

    def _wait_for_verdicts(self, callback: Callable[[], object]) -> None:
        storing = [worker for worker in self._verdict_workers if not worker.is_finished]
        if not storing:
            callback()
            return

        async def wait_and_call() -> None:
            results = await asyncio.gather(*(worker.wait() for worker in storing), return_exceptions=True)
            if all(result is True for result in results):
                self.call_later(callback)

        start_worker(self, wait_and_call, "wait for verdicts")

    @on(ProposalList.Decided)
    def _decide_rows(self, message: ProposalList.Decided) -> None:
        message.stop()
        self._decide_proposals(message.ids, message.verdict)

    @on(ProposalList.AllAccepted)
    def _accept_all(self, message: ProposalList.AllAccepted) -> None:
        message.stop()
        self._decide_proposals(message.ids, Verdict.ACCEPT)

    def _decide_proposals(self, ids: Collection[Id], verdict: Verdict | None) -> None:
        """Store a verdict in a worker of the app: to leave the screen at once cancels it not."""
        self._verdict_workers = [worker for worker in self._verdict_workers if not worker.is_finished]
        store = partial(self._store_verdict, ids, verdict)
        self._verdict_workers.append(start_worker(self.app, store, "decide"))

    async def _store_verdict(self, ids: Collection[Id], verdict: Verdict | None) -> bool:
        """Store a verdict, and return whether it is stored; what is asked for after it is done after it."""
        self.post_message(self.DecisionStarted())
        try:
            await (self._decide or self._gate.decide)(ids, verdict, before_storing=let_frame_go_first)
        except MonitorError as error:
            if not self.is_attached:
                raise
            self.post_message(self.DecisionRefused())
            self.post_message(WorkFailed(error, "decide"))
            return False
        return True

    @on(ProposalList.EditRequested)
    def _edit_row(self, message: ProposalList.EditRequested) -> None:
        message.stop()
        current_text = editable_text(message.view.proposal.change)
        if not current_text:
            self.notify("This change has no text to edit. Accept or reject it.", markup=False)
            return
        self.post_message(self.DecisionStarted())
        hint = edit_hint(message.view.label, message.view.title, len(message.view.member_ids))
        save_text = self._save_edit(self._gate.edit_text, message.view.proposal.id)
        self.app.push_screen(TextDialog("Edit and accept", current_text, hint, save_text=save_text))

    @on(ProposalList.KnowersRequested)
    def _choose_knowers(self, message: ProposalList.KnowersRequested) -> None:
        message.stop()
        known_to = next((after for label, _, after in message.view.diff if label == KNOWN_TO), EVERYBODY_WORD)
        self.post_message(self.DecisionStarted())
        save_names = self._save_edit(self._gate.set_knowers, message.view.proposal.id)
        self.app.push_screen(knowers_dialog(message.view.title, known_to, save_names))

    def _save_edit(
        self, edit: Callable[[Id, str], Awaitable[None]], proposal_id: Id
    ) -> Callable[[str], Awaitable[None]]:
        async def save(text: str) -> None:
            await edit(proposal_id, text)
            if self._after_edit is not None:
                await self._after_edit([proposal_id])

        return save

    @on(ProposalList.ConflictOpened)
    def _open_conflict(self, message: ProposalList.ConflictOpened) -> None:
        message.stop()
        self.post_message(Visit(ToConflict(message.view.proposal.id)))

    @on(ProposalList.UndoRequested)
    def _undo_row(self, message: ProposalList.UndoRequested) -> None:
        """Propose to undo what a commit did with a row; what is in canon only after a question."""
        message.stop()
        view = message.view

        def propose(is_confirmed: bool | None) -> None:
            if is_confirmed:
                start_change(self, partial(self._propose_undo, view.proposal.id), "undo")

        if view.status is not ProposalStatus.ACCEPTED or view.is_retconned:
            propose(True)
            return
        detail = (
            f"{as_sentence(view.title)} It is in canon. The next commit retracts it, unless you reject that."
        )
        self.app.push_screen(
            ConfirmDialog("Propose to retract it?", detail, yes="Propose", no="Keep it"), propose
        )

    async def _propose_undo(self, proposal_id: Id) -> None:
        self.post_message(self.UndoProposed(await self._policy.propose_undo(proposal_id)))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        post_failed_work(self, message)


_MARK_SENTENCES = {
    "accept": "A commit writes it unless you reject or defer it.",
    "reject": "A commit rejects it unless you accept it.",
    "defer": "It waits until you decide.",
    "hold": "It waits until you decide the conflict.",
}
"""What a commit does with a proposal that is left undecided, by its mark."""


NOTHING_TO_UNDO = "No decision on this row. Ctrl+Z undoes the last one."


def nothing_to_edit_line(view: ProposalView | None) -> str:
    """Return why there is nothing to edit on a row, and where what it became is edited."""
    if view is None:
        return "Nothing is proposed, so there is nothing to edit."
    if view.is_retconned:
        return "It was taken from canon, and is no longer a proposal. R in the universe restores it."
    if view.status is ProposalStatus.ACCEPTED:
        return "It is in canon, and no longer a proposal. Edit it in the universe; u here proposes to retract it."
    return "It is decided, and no longer waits. u brings it back as a proposal, which can be edited."


def undo_lines(message: ProposalDecisions.UndoProposed) -> list[str]:
    """Return lines on a proposed undo."""
    rows = message.undo.rows
    if not message.undo.is_undecided:
        return [f"Proposed: {as_sentence(row.title)} The next commit writes it." for row in rows]
    return [f"Undecided again: {as_sentence(row.title)} {_MARK_SENTENCES[row.mark]}" for row in rows]
