"""Screens that are one list of what canon says, with its evidence under it: retcons, the past, the ledger."""

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
from agents.views.play_views import FactView, ProposalView
from agents.views.world_views import SceneNote, at_the_gate
from screens.aside import Aside
from screens.evidence_panel import EvidenceScreen
from screens.key_bar import KeyBar
from screens.routes import Back, ToGate, ToTurn, ToUniverse, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.mentions import Mention, MentionList

if TYPE_CHECKING:
    from agents.events import Event


class ListingScreen(EvidenceScreen):
    """A title, a list, notes and keys. Subclasses read, and fill the list with sections."""

    NAME = ""
    BINDINGS = [
        Binding("g", "gate", "Gate", id="listing.gate", tooltip="What waits for your decision in this world"),
        Binding("escape,q", "escape", "Back", id="listing.escape", tooltip="One step back"),
    ]

    universe_id: Id | None = None
    """Whose gate `g` leads to; known once something was read."""

    _waiting = 0
    _place = ("", "")

    @dataclass
    class Waiting(Message):
        """How much waits at the gate."""

        count: int

    def compose(self) -> ComposeResult:
        yield TitleBar(self.NAME)
        yield from self.compose_top()
        with Vertical(id="known"):
            yield MentionList()
        yield Aside()
        yield KeyBar()

    def compose_top(self) -> ComposeResult:
        """What stands between the title and the list."""
        yield from ()

    @property
    def page(self) -> MentionList:
        return self.query_one(MentionList)

    @property
    def current(self) -> Mention | None:
        """What the cursor stands on; keys are asked for before the page is there."""
        pages = self.query(MentionList)
        return pages.first().current if pages else None

    @property
    def on_page(self) -> bool:
        """Whether the focus is on the page itself."""
        return isinstance(self.focused, MentionList)

    # --- reading -----------------------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | ProposalsChanged)

    async def read(self) -> None:
        await self.read_page()
        if self.universe_id is not None:
            self.post_message(self.Waiting(await self.services.world.previews.waiting(self.universe_id)))

    async def read_page(self) -> None:
        """Read what the page shows, and post it."""

    def entitle(self, place: str, state: str = "") -> None:
        """Say what the page shows and how it stands, unless there is something waiting at the gate."""
        self._place = (place, state)
        self.query_one(TitleBar).show(place, at_the_gate(self._waiting) or state)

    @on(Waiting)
    def _count(self, message: Waiting) -> None:
        self._waiting = message.count
        self.entitle(*self._place)

    # --- going on ----------------------------------------------------------------------------------

    @on(MentionList.Chosen)
    def _chosen(self, message: MentionList.Chosen) -> None:
        message.stop()
        thing = message.mention.thing
        match thing:
            case FactView():
                self.show_evidence(thing.fact.id, thing.fact.statement)
            case Entity():
                self.show_evidence(thing.id, thing.name)
            case SceneNote():
                if thing.turn_id:
                    self.post_message(Visit(ToTurn(thing.turn_id)))
                else:
                    self.query_one(Aside).say(("Nothing was said in that scene.",))
            case ProposalView():
                self.post_message(Visit(ToGate(thing.proposal.scene_id, thing.proposal.universe_id)))

    @on(MentionList.OpenEntity)
    def _open_entity(self, message: MentionList.OpenEntity) -> None:
        message.stop()
        self.post_message(
            Visit(ToUniverse(self.universe_id, message.entity_id, beside_play=True, fact_id=message.fact_id))
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "gate":
            return self.universe_id is not None
        return super().check_action(action, parameters)

    def action_gate(self) -> None:
        self.query_one(Aside).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))

    def action_escape(self) -> None:
        """One step back: from notes, evidence, what is typed above, then off the screen."""
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif self.close_evidence():
            pass
        elif not self.page.has_focus and self.can_step_to_list(self.focused):
            self.page.focus()
        else:
            self.post_message(Visit(Back(self)))

    def can_step_to_list(self, focused: Widget | None) -> bool:
        """Whether Escape leads from here to the list first."""
        return focused is not None and focused is not self.page
