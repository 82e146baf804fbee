"""How it used to be: every value that something had, in the order of world time, and what took its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.listing import ListingScreen
from screens.routes import Visit
from screens.world_routes import ToRetcon
from stores.records.ids import Id
from widgets.mentions import Mention, Section

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import HistoryView


class HistoryScreen(ListingScreen):
    """The values of one thing through world time; R retcons or restores the one under the cursor."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "How it used to be"
    NAME = "How it was"
    BINDINGS = [
        Binding("R", "retcon", "Retcon", id="history.retcon", tooltip="Retcon this, or restore it"),
    ]

    @dataclass
    class Read(Message):
        view: HistoryView

    def __init__(self, services: Services, fact_id: Id) -> None:
        super().__init__(services)
        self.fact_id = fact_id

    async def read_page(self) -> None:
        self.post_message(self.Read(await self.services.world.record.history(self.fact_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        view = message.view
        self.universe_id = view.universe.id
        self.entitle(view.about, view.universe.name)
        now = [Mention(fact) for fact in view.facts if fact.current]
        before = [Mention(fact) for fact in view.facts if not fact.current]
        sections = [Section("Before", before, () if before else ("It was never otherwise.",))]
        sections.append(Section("Now", now, () if now else ("Nothing of it is so any more.",)))
        self.page.show(sections)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "retcon":
            return self.current is not None
        return super().check_action(action, parameters)

    def action_retcon(self) -> None:
        if self.current is not None and (fact := self.current.fact):
            self.post_message(Visit(ToRetcon(fact.fact.id)))
