"""What is no longer in canon by the GM's own word: retconned facts and things, things merged away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.listing import ListingScreen
from screens.routes import Visit
from screens.world_routes import ToLookalikes, ToRetcon
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus
from widgets.mentions import Mention, Section

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import TakenBack

NOTHING = "Nothing was taken back in this world. What you retcon or merge away stands here, to be restored."


class TakenBackScreen(ListingScreen):
    """R restores what was retconned; on what was merged it leads to where it can be split."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Taken back"
    NAME = "Taken back"
    BINDINGS = [
        Binding("R", "restore", "Restore", id="taken.restore", tooltip="Make it so again, with a preview"),
    ]

    @dataclass
    class Read(Message):
        view: TakenBack

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id

    async def read_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(self.Read(await self.services.world.record.taken_back(self.universe_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        view = message.view
        self.entitle(view.universe.name)
        self.page.empty = NOTHING
        things = [Mention(entity) for entity in view.entities]
        facts = [Mention(fact) for fact in view.facts]
        self.page.show(
            section for section in (Section("Things", things), Section("Facts", facts)) if section.mentions
        )
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "restore":
            return self.current is not None
        return super().check_action(action, parameters)

    def action_restore(self) -> None:
        if self.current is None:
            return
        thing = self.current.thing
        if isinstance(thing, Entity) and thing.status is EntityStatus.MERGED and self.universe_id:
            self.post_message(Visit(ToLookalikes(self.universe_id, thing.merged_into)))
        else:
            self.post_message(Visit(ToRetcon(self.current.key)))
