"""The relations around an entity, and around those they lead to: walked from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.listing import ListingScreen
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.mentions import Mention, MentionList, Section
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import MapView

ALONE = "Canon knows no relation of {name}'s. /fact or n on the card says one, as in: {name} ally_of ..."


class TiesScreen(ListingScreen):
    """An indented map of two steps. Enter walks on to whoever a line leads to, Backspace walks back."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Map of relations"
    NAME = "Relations"
    BINDINGS = [
        Binding("backspace", "walk_back", "Walk back", id="ties.back", tooltip="To whom you came from"),
        Binding("f", "fact", "Why", id="ties.fact", tooltip="What this relation rests on"),
    ]

    @dataclass
    class Read(Message):
        view: MapView

    def __init__(self, services: Services, entity_id: Id) -> None:
        super().__init__(services)
        self.entity_id = entity_id
        self._walked: list[Id] = []

    async def read_page(self) -> None:
        self.post_message(self.Read(await self.services.world.record.ties(self.entity_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        view = message.view
        self.universe_id = view.root.universe_id
        walked = len(self._walked)
        self.entitle(view.root.name, f"walked {walked}" if walked else "")
        ties = [
            Mention(tie.other, tag=tie.fact_id, indent=tie.depth - 1, lead=_arrow(tie.words))
            for tie in view.ties
        ]
        name = one_line(view.root.name)
        words = () if ties else (ALONE.format(name=name),)
        self.page.show([Section(name, ties, words, count=0)])
        self.refresh_bindings()

    @on(MentionList.Chosen)
    def _walk(self, message: MentionList.Chosen) -> None:
        message.stop()
        message.prevent_default()
        if isinstance(message.mention.thing, Entity) and message.mention.thing.id != self.entity_id:
            self._walked.append(self.entity_id)
            self._stand_at(message.mention.thing.id)

    def _stand_at(self, entity_id: Id) -> None:
        self.close_evidence()
        self.entity_id = entity_id
        self.page.show([])
        self.reload()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "walk_back":
                return bool(self._walked)
            case "fact":
                return self.current is not None
        return super().check_action(action, parameters)

    def action_walk_back(self) -> None:
        self._stand_at(self._walked.pop())

    def action_fact(self) -> None:
        if self.current is not None:
            mention = self.current
            assert isinstance(mention.thing, Entity)
            self.show_evidence(mention.tag, f"{mention.lead} {mention.thing.name}")


def _arrow(words: str) -> str:
    return words if words.startswith("←") else f"{words} →"
