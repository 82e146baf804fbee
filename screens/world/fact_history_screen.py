"""The history of a value: every value it had, in the order of world time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.folder import SCREENS_FOLDER
from screens.routes import ToRetcon, Visit
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from widgets.mention_list import CanonMention, MentionSection

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import FactHistoryView


class FactHistoryScreen(MentionListScreen):
    """The values of one predicate over world time; R retcons or restores the one under the cursor."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "How it was"
    NAME = "How it was"
    BINDINGS = [
        Binding("R", "retcon", "Retcon", id="history.retcon", tooltip="Retcon this, or restore it"),
    ]

    @dataclass
    class FactHistoryLoaded(Message):
        view: FactHistoryView

    def __init__(self, services: Services, fact_id: Id) -> None:
        super().__init__(services)
        self.fact_id = fact_id

    async def load_page(self) -> None:
        self.post_message(
            self.FactHistoryLoaded(await self.services.world.provenance.read_fact_history(self.fact_id))
        )

    @on(FactHistoryLoaded)
    def _show_history(self, message: FactHistoryLoaded) -> None:
        view = message.view
        self.universe_id = view.universe.id
        self.show_title(view.subject_line, view.universe.name)
        current_mentions = [CanonMention(fact) for fact in view.facts if fact.is_current]
        past_mentions = [CanonMention(fact) for fact in view.facts if not fact.is_current]
        sections = [
            MentionSection("Before", past_mentions, () if past_mentions else ("It has not changed.",))
        ]
        sections.append(
            MentionSection("Now", current_mentions, () if current_mentions else ("No longer true.",))
        )
        self.mention_list.show_sections(sections)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "retcon":
            return self.current_mention is not None
        return super().check_action(action, parameters)

    def action_retcon(self) -> None:
        if self.current_mention is not None and (fact := self.current_mention.fact):
            self.post_message(Visit(ToRetcon(fact.fact.id)))
