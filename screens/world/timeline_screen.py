"""Scenes, events, deaths and promises in the order of world time, day by day."""

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

from screens.folder import SCREENS_FOLDER
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from widgets.mention_list import CanonMention, MentionSection

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import TimelineEvent

EMPTY_TIMELINE_HINT = "Nothing yet. Scenes, and events, deaths and promises in canon are listed here by date."
NO_MATCH_HINT = "Nothing with these words."


class TimelineScreen(MentionListScreen):
    """What happened under its day, the latest last and in view."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Timeline"
    NAME = "Timeline"
    BINDINGS = [
        Binding("slash", "search", "Search", id="timeline.search", tooltip="Find by words", key_display="/"),
    ]

    @dataclass
    class TimelineLoaded(Message):
        events: tuple[TimelineEvent, ...]

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._search_text = ""
        self._has_been_shown = False

    def compose_top(self) -> ComposeResult:
        yield Input(id="search", placeholder="part of a sentence", compact=True)

    def on_mount(self) -> None:
        self.query_one("#search").display = False

    async def load_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(
            self.TimelineLoaded(
                await self.services.world.timeline.read_timeline(self.universe_id, self._search_text)
            )
        )

    @on(TimelineLoaded)
    def _show_timeline(self, message: TimelineLoaded) -> None:
        count = len(message.events)
        self.show_title("", f"{count} {'entry' if count == 1 else 'entries'}")
        self.mention_list.empty = NO_MATCH_HINT if self._search_text else EMPTY_TIMELINE_HINT
        self.mention_list.show_sections(_day_sections(message.events))
        if not self._has_been_shown:
            self._has_been_shown = True
            self.mention_list.action_edge(1)
        self.refresh_bindings()

    def action_search(self) -> None:
        self.query_one("#search").display = True
        self.query_one("#search").focus()

    @on(Input.Changed)
    def _search_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._search_text = message.value.strip()
        self.reload()

    @on(Input.Submitted)
    def _search_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.mention_list.focus()


def _day_sections(events: Sequence[TimelineEvent]) -> Iterator[MentionSection]:
    for day, day_events in groupby(events, key=lambda event: event.day):
        yield MentionSection(day, [CanonMention(event.mentioned, event.note) for event in day_events])
