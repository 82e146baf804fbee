"""The predicates of one world's own, as YAML: checked whole, refused with the line that is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Static, TextArea

from screens.aside import Aside
from screens.base import ServiceScreen
from screens.confirm import ConfirmScreen
from screens.key_bar import KeyBar
from screens.title_bar import TitleBar
from stores.errors import MonitorError

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.world import Universe

HINT = """\
What can be said in this world beside what every world knows. For example:
sworn_to: {cardinality: one, excludes: [enemy_of], statement: "{subject} is sworn to {object}."}"""

_LINE = re.compile(r"\bline (\d+)")


class PredicatesScreen(ServiceScreen[None]):
    """An editor; what is refused stays as it was typed."""

    CSS_PATH = "house.tcss"
    AUTO_FOCUS = "TextArea"
    BINDING_GROUP_TITLE = "Predicates"
    BINDINGS = [
        Binding("ctrl+s", "save", "Keep", id="predicates.save", tooltip="Check and keep them", priority=True),
        Binding(
            "escape", "leave", "Back", id="predicates.leave", tooltip="Back to the house rules", priority=True
        ),
    ]

    @dataclass
    class Kept(Message):
        text: str
        count: int

    def __init__(self, services: Services, universe: Universe, text: str) -> None:
        super().__init__(services)
        self.universe = universe
        self._kept = text

    def compose(self) -> ComposeResult:
        yield TitleBar("Predicates")
        yield Static(HINT, id="hint", markup=False)
        yield TextArea(self._kept, show_line_numbers=True, compact=True, tab_behavior="focus")
        yield Aside()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(TitleBar).show(self.universe.name)

    def action_save(self) -> None:
        """Keep what is typed: what was pasted a moment ago may still be on its way into the editor."""
        self.query_one(TextArea).call_later(self._save_typed)

    def _save_typed(self) -> None:
        self.change(self._save(self.query_one(TextArea).text), "save")

    async def _save(self, text: str) -> None:
        count = await self.services.policy.set_predicates(self.universe.id, text)
        self.post_message(self.Kept(text, count))

    @on(Kept)
    def _told(self, message: Kept) -> None:
        self._kept = message.text
        plural = "" if message.count == 1 else "s"
        self.query_one(Aside).say((f"Kept: {message.count} predicate{plural} of this world's own.",))

    def action_leave(self) -> None:
        """Back; what was typed and not kept is asked about first."""
        if self.query_one(TextArea).text == self._kept:
            self.dismiss(None)
            return
        question = ConfirmScreen(
            "Leave without keeping what you typed?",
            "The predicates stay as they were.",
            yes="Leave",
            no="Go on typing",
        )
        self.app.push_screen(question, self._left)

    def _left(self, leave: bool | None) -> None:
        if leave:
            self.dismiss(None)

    def refused(self, error: BaseException, worker: str) -> None:
        """Show what is wrong, and stand on its line."""
        if not isinstance(error, MonitorError):
            super().refused(error, worker)
            return
        self.query_one(Aside).tell(error)
        if (line := _LINE.search(error.what)) is not None:
            area = self.query_one(TextArea)
            area.move_cursor((min(int(line[1]), area.document.line_count) - 1, 0))
