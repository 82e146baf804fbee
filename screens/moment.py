"""The time machine: canon at a moment of world time, as it was known at a moment of record time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

from screens.aside import Aside
from screens.fields import Entry, Field
from screens.listing import ListingScreen
from screens.routes import Visit
from screens.world_routes import ToHistory
from stores.records.ids import Id
from widgets.mentions import Mention, Section

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import MomentView


FIELDS = ("when", "recorded", "search")


class MomentScreen(ListingScreen):
    """Two moments and a search; Enter in any of the three goes there."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "#when"
    BINDING_GROUP_TITLE = "At a time"
    NAME = "At a time"
    BINDINGS = [
        Binding("h", "history", "History", id="moment.history", tooltip="How this one went on"),
        Binding(
            "slash", "edit", "Other time", id="moment.edit", tooltip="Type another time", key_display="/"
        ),
    ]

    @dataclass
    class Read(Message):
        view: MomentView

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._asked = ("", "", "")

    def compose_top(self) -> ComposeResult:
        yield Field("In the world", "when", hint="day 3, dusk · empty is now, always is any time")
        yield Field("Known on", "recorded", hint="2026-01-31 20:00 · empty is today")
        yield Field("With the words", "search", hint="part of a sentence")

    async def read_page(self) -> None:
        assert self.universe_id is not None
        when, known, search = self._asked
        self.post_message(
            self.Read(await self.services.world.record.moment(self.universe_id, when, known, search))
        )

    @on(Read)
    def _show(self, message: Read) -> None:
        view = message.view
        self.query_one(Aside).clear()
        known = f", as known on {view.known}" if view.known else ""
        self.entitle(f"{view.universe.name} · {view.when or 'any time'}{known}", _count(view))
        self.page.empty = (
            "Nothing with these words was so then." if view.total else "Nothing was known to be so then."
        )
        mentions = [Mention(fact) for fact in view.facts]
        self.page.show([Section(mentions=mentions)] if mentions else [])
        self.refresh_bindings()

    @on(Input.Submitted)
    def _go_there(self, message: Input.Submitted) -> None:
        message.stop()
        when, known, search = (self.query_one(f"#{id}", Entry).value for id in FIELDS)
        self._asked = (when, known, search)
        self.reload()
        if message.input.id == "search":
            self.page.focus()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "history":
                return self.on_page and self.current is not None
            case "edit":
                return self.on_page
        return super().check_action(action, parameters)

    def action_history(self) -> None:
        if self.current is not None and (fact := self.current.fact):
            self.post_message(Visit(ToHistory(fact.fact.id)))

    def action_edit(self) -> None:
        self.query_one("#when").focus()

    def can_step_to_list(self, focused: object) -> bool:
        return False


def _count(view: MomentView) -> str:
    shown = len(view.facts)
    facts = f"{view.total:,} fact{'' if view.total == 1 else 's'}"
    return f"{shown:,} of {facts}" if shown < view.total else facts
