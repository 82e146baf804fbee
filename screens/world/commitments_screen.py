"""The ledger of promises, debts and open questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.folder import SCREENS_FOLDER
from screens.notice_panel import NoticePanel
from screens.routes import ToGate, ToRetcon, Visit
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from widgets.ink import Ink
from widgets.mention_list import CanonMention, MentionSection
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import CommitmentLedgerView, CommitmentView, StagedEdits

OPEN_TAG = "open"
NO_COMMITMENTS_HINT = (
    "Nothing is promised, owed or asked. In play, /fact promise: ..., debt: ... or question: ... notes one; "
    "on the Universe screen, n does."
)


class CommitmentsScreen(MentionListScreen):
    """What is open, the oldest first; `D` proposes that one is settled, `*` also shows the closed ones."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Promises, debts, questions"
    NAME = "Promises, debts, questions"
    BINDINGS = [
        Binding("D", "pay", "Settled", id="ledger.pay", tooltip="Propose that it is kept, paid or answered"),
        Binding(
            "asterisk", "closed", "Show closed", id="ledger.closed", tooltip="Show or hide the closed ones"
        ),
        Binding(
            "R", "retcon", "Retcon", id="ledger.retcon", tooltip="This was never promised, owed or asked"
        ),
    ]

    @dataclass
    class CommitmentsLoaded(Message):
        view: CommitmentLedgerView

    @dataclass
    class PayOffProposed(Message):
        """A pay-off is proposed."""

        staged_edits: StagedEdits

    def __init__(
        self, services: Services, universe_id: Id, scene_id: Id | None, fact_id: Id | None = None
    ) -> None:
        """Open the ledger, with the cursor on `fact_id`."""
        super().__init__(services)
        self._wanted_fact_id = fact_id
        self.universe_id = universe_id
        self.scene_id = scene_id
        self._show_closed = False
        self._view: CommitmentLedgerView | None = None

    async def load_view(self) -> None:
        """Read the ledger; in play without the universe's gate, since proposals wait at the scene's gate."""
        await (super().load_view() if self.scene_id is None else self.load_page())

    async def load_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(
            self.CommitmentsLoaded(
                await self.services.world.commitments.read_commitments(self.universe_id, self.scene_id)
            )
        )

    @on(CommitmentsLoaded)
    def _show_commitments(self, message: CommitmentsLoaded) -> None:
        self._view = message.view
        self._refresh_list()
        if self._wanted_fact_id is not None:
            self.mention_list.move_to_fact(self._wanted_fact_id)
            self._wanted_fact_id = None

    def _refresh_list(self) -> None:
        if self._view is None:
            return
        view = self._view
        place = f"{view.universe.name} · {view.now}" if view.now else view.universe.name
        self.show_title(place, f"{len(view.open_commitments)} open · {len(view.closed_commitments)} closed")
        self.mention_list.show_sections(_commitment_sections(view, with_closed=self._show_closed))
        self.refresh_bindings()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        current = self.current_mention
        match action:
            case "pay":
                return current is not None and current.tag == OPEN_TAG
            case "retcon":
                return current is not None and current.fact is not None
            case "closed":
                return self._view is not None and bool(self._view.closed_commitments)
        return super().check_action(action, parameters)

    def action_closed(self) -> None:
        self._show_closed = not self._show_closed
        self._refresh_list()

    def action_retcon(self) -> None:
        if self.current_mention is not None and (fact := self.current_mention.fact):
            self.post_message(Visit(ToRetcon(fact.fact.id)))

    def action_pay(self) -> None:
        if self.current_mention is not None and (fact := self.current_mention.fact):
            self.query_one(NoticePanel).clear()
            self.start_change(partial(self._propose_pay_off, fact.fact.id), "pay")

    async def _propose_pay_off(self, fact_id: Id) -> None:
        self.post_message(
            self.PayOffProposed(await self.services.world.commitments.propose_pay_off(fact_id, self.scene_id))
        )

    @on(PayOffProposed)
    def _show_pay_off_proposed(self, message: PayOffProposed) -> None:
        scene_gate_hint = "It waits at the scene's gate: g" if self.scene_id else ""
        lines = [f"Proposed: {title}" for title in message.staged_edits.titles]
        self.query_one(NoticePanel).show_lines(
            [*lines, scene_gate_hint] if scene_gate_hint else message.staged_edits.lines
        )

    def action_gate(self) -> None:
        """Open the gate: the scene's own for a pay-off from play."""
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToGate(self.scene_id, self.universe_id)))


def _commitment_sections(view: CommitmentLedgerView, *, with_closed: bool) -> Iterator[MentionSection]:
    open_mentions = [
        CanonMention(entry.fact, _commitment_note(entry), OPEN_TAG, number=entry.number)
        for entry in view.open_commitments
    ]
    yield MentionSection("Open", open_mentions, () if open_mentions else (NO_COMMITMENTS_HINT,))
    if view.proposals:
        proposed_mentions = [
            CanonMention(row, number=view.proposal_numbers.get(row.proposal.id, 0)) for row in view.proposals
        ]
        yield MentionSection("Proposed, not in canon yet", proposed_mentions)
    if with_closed:
        closed_mentions = [
            CanonMention(entry.fact, _commitment_note(entry)) for entry in view.closed_commitments
        ]
        yield MentionSection("Closed", closed_mentions, () if closed_mentions else ("None.",), ink=Ink.MUTED)


def _commitment_note(entry: CommitmentView) -> str:
    parts = [entry.kind]
    if entry.debtor:
        parts.append(
            f"{one_line(entry.debtor)} to {one_line(entry.creditor)}"
            if entry.creditor
            else one_line(entry.debtor)
        )
    if entry.is_open:
        parts.append(entry.age)
    else:
        parts.append(f"{'settled' if entry.is_paid else 'dropped'} {entry.ended_at}".strip())
    if entry.is_staged:
        parts.append("settling proposed")
    return " · ".join(filter(None, parts))
