"""The panels beside the story: what is proposed and offered, who is here, and what lies ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.worker import Worker

from agents.proposals.evidence import show_words
from screens.base import start_change
from screens.gate.proposal_decisions import (
    NOTHING_TO_UNDO,
    ProposalDecisions,
    nothing_to_edit_line,
    undo_lines,
)
from screens.notice_panel import NoticePanel
from stores.records.ids import Id
from widgets.agenda_box import AgendaBox
from widgets.cast_box import CastBox
from widgets.offer_list import OfferList
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList, ProposalPanel
from widgets.safe_text import one_line
from widgets.worker import post_failed_work

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.scene_views import SceneView


class SceneSide(Vertical):
    """Shows the panels and answers their keys. Without room beside the story, they lie over it while focused."""

    @dataclass
    class RereadRequested(Message):
        """Something was decided in a panel, or could not be: the scene has to be read again."""

    def __init__(
        self,
        services: Services,
        prompt: PlayPrompt,
        notices: NoticePanel,
        *,
        send_offered_command: Callable[[str], None],
        jump_to_turn: Callable[[Id], object],
    ) -> None:
        super().__init__(id="side")
        self._play = services.play
        self._prompt = prompt
        self._notices = notices
        self._send_offered_command = send_offered_command
        self._jump_to_turn = jump_to_turn
        self._decisions = ProposalDecisions(services.gate, services.policy, id="decisions")
        self._view: SceneView | None = None

    def compose(self) -> ComposeResult:
        yield self._decisions

    async def mount_panels(self) -> None:
        """Mount the panels, once; the first frame comes without them."""
        if not self._decisions.query(ProposalPanel):
            await self._decisions.mount(ProposalPanel(), OfferList(), CastBox(), AgendaBox())

    def show_scene(self, view: SceneView) -> None:
        """Show what the panels have to show of the scene."""
        self._view = view
        self.query_one(ProposalPanel).show_proposals(view.proposals)
        self.query_one(OfferList).show_offers(view.offers)
        self.query_one(CastBox).show(view.cast)
        self.query_one(AgendaBox).show(view)

    # --- focus -------------------------------------------------------------------------------------

    @property
    def is_list_focused(self) -> bool:
        """Whether the keys are those of the list of proposals."""
        return any(panel.proposal_list.has_focus for panel in self.query(ProposalPanel))

    def toggle_proposals(self) -> None:
        """Move the focus to the proposals, or back to the prompt."""
        if self.is_list_focused:
            self.leave()
        else:
            self.add_class("-over")
            self.query_one(ProposalPanel).focus_list()

    def toggle_offers(self) -> None:
        """Move the focus to what waits for an answer, or back to the prompt."""
        offers = self.query_one(OfferList)
        if offers.has_focus:
            self.leave()
        else:
            self.add_class("-over")
            offers.focus()

    def leave(self) -> None:
        """Go back to the prompt."""
        self.remove_class("-over")
        self._prompt.focus_input()

    # --- offers ------------------------------------------------------------------------------------

    @on(OfferList.Taken)
    def _take_offer(self, message: OfferList.Taken) -> None:
        """Give the command that is offered; what is being typed stays as it is."""
        message.stop()
        self._send_offered_command(message.offer.command)
        self._leave_last_offer()

    @on(OfferList.Dropped)
    def _drop_offer(self, message: OfferList.Dropped) -> None:
        message.stop()
        self._leave_last_offer()
        command = message.offer.command
        start_change(self, partial(self._forget_offer, command), f"drop {command}")

    def _leave_last_offer(self) -> None:
        if self._view is None or len(self._view.offers) <= 1:
            self.leave()

    async def _forget_offer(self, command: str) -> None:
        assert self._view is not None, "offers come with the scene"
        await self._play.drop_offer(self._view.scene.id, command)
        self.post_message(self.RereadRequested())

    # --- proposals ---------------------------------------------------------------------------------

    @on(ProposalList.ProposalEvidenceRequested)
    def _show_evidence(self, message: ProposalList.ProposalEvidenceRequested) -> None:
        message.stop()
        view = message.view
        quote = show_words(one_line(view.quote), is_quotation=view.is_quotation)
        quote = quote or "No quote: you declared it."
        self._notices.show_lines((view.title, quote))
        if view.proposal.turn_id:
            self._jump_to_turn(view.proposal.turn_id)

    @on(ProposalDecisions.UndoProposed)
    def _show_undo_proposed(self, message: ProposalDecisions.UndoProposed) -> None:
        self._notices.show_lines(undo_lines(message))
        self.post_message(self.RereadRequested())

    @on(ProposalList.NothingToEdit)
    def _explain_edit(self, message: ProposalList.NothingToEdit) -> None:
        self._notices.show_lines([nothing_to_edit_line(message.view)])

    @on(ProposalList.NothingToUndo)
    def _explain_undo(self) -> None:
        self._notices.show_lines([NOTHING_TO_UNDO])

    @on(ProposalDecisions.DecisionRefused)
    def _read_again(self) -> None:
        self.post_message(self.RereadRequested())

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        post_failed_work(self, message)
