"""What is no longer in canon by the GM's own word: retconned facts and entities, merged entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.folder import SCREENS_FOLDER
from screens.routes import ToLookalikes, ToRetcon, Visit
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus
from widgets.mention_list import CanonMention, MentionSection

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import RetractedView

NOTHING_REMOVED_HINT = "Nothing was removed. What you retcon or merge is listed here and can be restored."


class RemovedCanonScreen(MentionListScreen):
    """R restores what was retconned; on a merged entity it opens where that can be split."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Removed"
    NAME = "Removed"
    BINDINGS = [
        Binding("R", "restore", "Restore", id="taken.restore", tooltip="Make it true again, with a preview"),
    ]

    @dataclass
    class RemovedCanonLoaded(Message):
        view: RetractedView

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id

    async def load_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(
            self.RemovedCanonLoaded(await self.services.world.provenance.read_removed_canon(self.universe_id))
        )

    @on(RemovedCanonLoaded)
    def _show_removed(self, message: RemovedCanonLoaded) -> None:
        view = message.view
        self.show_title(view.universe.name)
        self.mention_list.empty = NOTHING_REMOVED_HINT
        entity_mentions = [CanonMention(entity) for entity in view.entities]
        fact_mentions = [CanonMention(fact) for fact in view.facts]
        self.mention_list.show_sections(
            section
            for section in (
                MentionSection("Entities", entity_mentions),
                MentionSection("Facts", fact_mentions),
            )
            if section.mentions
        )
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "restore":
            return self.current_mention is not None
        return super().check_action(action, parameters)

    def action_restore(self) -> None:
        if self.current_mention is None:
            return
        mentioned = self.current_mention.mentioned
        if isinstance(mentioned, Entity) and mentioned.status is EntityStatus.MERGED and self.universe_id:
            self.post_message(Visit(ToLookalikes(self.universe_id, mentioned.merged_into)))
        else:
            self.post_message(Visit(ToRetcon(self.current_mention.key)))
