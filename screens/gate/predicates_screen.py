"""The predicates of a universe, as YAML: checked whole, refused with the line that is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Static, TextArea

from screens.base import ServiceScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.title_bar import TitleBar
from stores.errors import MonitorError

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.world import Universe

PREDICATES_HINT = """\
This world's own kinds of fact, as YAML. For example:
sworn_to: {cardinality: one, excludes: [enemy_of], statement: "{subject} is sworn to {object}."}"""

_LINE = re.compile(r"\bline (\d+)")


class PredicatesScreen(ServiceScreen[None]):
    """An editor; text that is refused stays as it was typed."""

    CSS_PATH = SCREENS_FOLDER / "gate/policy_screen.tcss"
    AUTO_FOCUS = "TextArea"
    BINDING_GROUP_TITLE = "Kinds of fact"
    BINDINGS = [
        Binding("ctrl+s", "save", "Save", id="predicates.save", tooltip="Check and save them", priority=True),
        Binding(
            "escape", "leave", "Back", id="predicates.leave", tooltip="Back to the gate rules", priority=True
        ),
    ]

    @dataclass
    class PredicatesSaved(Message):
        text: str
        count: int

    def __init__(self, services: Services, universe: Universe, text: str) -> None:
        super().__init__(services)
        self.universe = universe
        self._saved_text = text

    def compose(self) -> ComposeResult:
        yield TitleBar("Kinds of fact")
        yield Static(PREDICATES_HINT, id="hint", markup=False)
        yield TextArea(self._saved_text, show_line_numbers=True, compact=True, tab_behavior="focus")
        yield NoticePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(TitleBar).show_place(self.universe.name)

    def action_save(self) -> None:
        """Save what is typed, after keys that are still on their way into the editor."""
        self.query_one(TextArea).call_later(self._start_save)

    def _start_save(self) -> None:
        self.start_change(partial(self._save_predicates, self.query_one(TextArea).text), "save")

    async def _save_predicates(self, text: str) -> None:
        count = await self.services.policy.set_predicates(self.universe.id, text)
        self.post_message(self.PredicatesSaved(text, count))

    @on(PredicatesSaved)
    def _predicates_saved(self, message: PredicatesSaved) -> None:
        self._saved_text = message.text
        plural = "" if message.count == 1 else "s"
        self.query_one(NoticePanel).show_lines(
            (f"Kept: {message.count} predicate{plural} of this world's own.",)
        )

    def action_leave(self) -> None:
        """Leave; ask first if there is text that is not saved."""
        if self.query_one(TextArea).text == self._saved_text:
            self.dismiss(None)
            return
        question = ConfirmDialog(
            "Leave without saving?",
            "The kinds of fact stay as they were.",
            yes="Leave",
            no="Keep editing",
        )
        self.app.push_screen(question, self._apply_leave_answer)

    def _apply_leave_answer(self, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.dismiss(None)

    def handle_error(self, error: BaseException, worker: str) -> None:
        """Show what is wrong, with the cursor on its line."""
        super().handle_error(error, worker)
        if isinstance(error, MonitorError) and (line := _LINE.search(error.what)) is not None:
            area = self.query_one(TextArea)
            area.move_cursor((min(int(line[1]), area.document.line_count) - 1, 0))
