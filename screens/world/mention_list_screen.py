"""The base of screens that are one list of canon with its evidence: retcons, history, ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from agents.events import CanonCommitted, ProposalsChanged
from agents.views.card_views import FactView
from agents.views.proposal_views import ProposalView
from agents.views.world_views import SceneReference, describe_waiting
from screens.base import ServiceScreen
from screens.evidence_panel import EvidencePanel
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToGate, ToReading, ToUniverse, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.mention_list import CanonMention, MentionList

if TYPE_CHECKING:
    from agents.events import Event


class MentionListScreen(ServiceScreen[None]):
    """A title, a list, evidence, notices and keys. Subclasses read, and fill the list with sections."""

    NAME = ""
    BINDINGS = [
        Binding("g", "gate", "Gate", id="listing.gate", tooltip="What waits for your decision in this world"),
        Binding("escape,q", "escape", "Back", id="listing.escape", tooltip="One step back"),
    ]

    universe_id: Id | None = None
    """The universe whose gate `g` opens; set after the first read."""

    _waiting_count = 0
    _title_parts = ("", "")

    @dataclass
    class WaitingCounted(Message):
        """How much waits at the gate."""

        count: int

    def compose(self) -> ComposeResult:
        yield TitleBar(self.NAME)
        yield from self.compose_top()
        with Vertical(id="details"):
            yield MentionList()
            yield EvidencePanel(self.services.world.provenance)
        yield NoticePanel()
        yield KeyBar()

    def compose_top(self) -> ComposeResult:
        """Compose what is between the title and the list."""
        yield from ()

    @property
    def mention_list(self) -> MentionList:
        return self.query_one(MentionList)

    @property
    def current_mention(self) -> CanonMention | None:
        """The row under the cursor; None before the list is there."""
        lists = self.query(MentionList)
        return lists.first().current if lists else None

    @property
    def is_list_focused(self) -> bool:
        """Whether the list has the focus."""
        return isinstance(self.focused, MentionList)

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | ProposalsChanged)

    async def load_view(self) -> None:
        await self.load_page()
        if self.universe_id is not None:
            self.post_message(
                self.WaitingCounted(await self.services.world.previews.count_waiting(self.universe_id))
            )

    async def load_page(self) -> None:
        """Read what the list shows, and post it."""

    def show_title(self, place: str, state: str = "") -> None:
        """Show what the list is about; what waits at the gate takes the place of `state`."""
        self._title_parts = (place, state)
        self.query_one(TitleBar).show_place(place, describe_waiting(self._waiting_count) or state)

    @on(WaitingCounted)
    def _show_waiting_count(self, message: WaitingCounted) -> None:
        self._waiting_count = message.count
        self.show_title(*self._title_parts)

    # --- going on ----------------------------------------------------------------------------------

    @on(MentionList.MentionChosen)
    def _open_mention(self, message: MentionList.MentionChosen) -> None:
        message.stop()
        mentioned = message.mention.mentioned
        match mentioned:
            case FactView():
                self.query_one(EvidencePanel).show_evidence(mentioned.fact.id, mentioned.fact.statement)
            case Entity():
                self.query_one(EvidencePanel).show_evidence(mentioned.id, mentioned.name)
            case SceneReference():
                if mentioned.turn_id:
                    self.post_message(Visit(ToReading(mentioned.turn_id)))
                else:
                    self.query_one(NoticePanel).show_lines(("That scene has no turns.",))
            case ProposalView():
                proposal = mentioned.proposal
                self.post_message(Visit(ToGate(proposal.scene_id, proposal.universe_id, proposal.id)))

    @on(MentionList.EntityOpened)
    def _open_entity(self, message: MentionList.EntityOpened) -> None:
        message.stop()
        self.post_message(
            Visit(ToUniverse(self.universe_id, message.entity_id, beside_play=True, fact_id=message.fact_id))
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "gate":
            return self.universe_id is not None
        return super().check_action(action, parameters)

    def action_gate(self) -> None:
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))

    def action_escape(self) -> None:
        """Go one step back: close notes, evidence, what is typed above, then the screen."""
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif self.query_one(EvidencePanel).close():
            pass
        elif not self.mention_list.has_focus and self.escape_leads_to_list(self.focused):
            self.mention_list.focus()
        else:
            self.post_message(Visit(Back(self)))

    def escape_leads_to_list(self, focused: Widget | None) -> bool:
        """Return whether Escape leads from the focused widget to the list first."""
        return focused is not None and focused is not self.mention_list
