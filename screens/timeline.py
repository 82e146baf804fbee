"""What happened, in the order of world time, day by day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

from screens.listing import ListingScreen
from stores.records.ids import Id
from widgets.mentions import Mention, Section

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import Happening

NOTHING = "Nothing has happened yet. Events that you accept at the gate stand here in their order."
NOT_FOUND = "Nothing that happened is told in these words."


class TimelineScreen(ListingScreen):
    """Happenings under their days, the latest last and in view."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Timeline"
    NAME = "Timeline"
    BINDINGS = [
        Binding("slash", "search", "Search", id="timeline.search", tooltip="Find by words", key_display="/"),
    ]

    @dataclass
    class Read(Message):
        happenings: tuple[Happening, ...]

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._search = ""
        self._shown = False

    def compose_top(self) -> ComposeResult:
        yield Input(id="search", placeholder="part of a sentence", compact=True)

    def on_mount(self) -> None:
        self.query_one("#search").display = False

    async def read_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(
            self.Read(await self.services.world.record.timeline(self.universe_id, self._search))
        )

    @on(Read)
    def _show(self, message: Read) -> None:
        count = len(message.happenings)
        self.entitle("", f"{count} happening{'' if count == 1 else 's'}")
        self.page.empty = NOT_FOUND if self._search else NOTHING
        self.page.show(_days(message.happenings))
        if not self._shown:
            self._shown = True
            self.page.action_edge(1)
        self.refresh_bindings()

    def action_search(self) -> None:
        self.query_one("#search").display = True
        self.query_one("#search").focus()

    @on(Input.Changed)
    def _searching(self, message: Input.Changed) -> None:
        message.stop()
        self._search = message.value.strip()
        self.reload()

    @on(Input.Submitted)
    def _searched(self, message: Input.Submitted) -> None:
        message.stop()
        self.page.focus()


def _days(happenings: Sequence[Happening]) -> Iterator[Section]:
    for day, those in groupby(happenings, key=lambda happening: happening.day):
        yield Section(day, [Mention(happening.fact) for happening in those])
