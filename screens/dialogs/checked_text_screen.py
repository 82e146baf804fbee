"""An editor of a text that is checked whole: what is refused stays, with the cursor on the line that is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
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

_LINE = re.compile(r"\bline (\d+)")


class CheckedTextScreen(ServiceScreen[None]):
    """Subclasses bind keys to `save` and `leave`, and save the text."""

    CSS_PATH = SCREENS_FOLDER / "gate/policy_screen.tcss"
    AUTO_FOCUS = "TextArea"

    @dataclass
    class TextSaved(Message):
        text: str
        lines: tuple[str, ...]

    def __init__(self, services: Services, heading: str, place: str, hint: str, text: str) -> None:
        super().__init__(services)
        self._heading = heading
        self._place = place
        self._hint = hint
        self._saved_text = text

    async def save_text(self, text: str) -> tuple[str, ...]:
        """Save the text, and return what to say of it. Raises MonitorError."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield TitleBar(self._heading)
        yield Static(self._hint, id="hint", markup=False)
        yield TextArea(self._saved_text, show_line_numbers=True, compact=True, tab_behavior="focus")
        yield NoticePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(TitleBar).show_place(self._place)

    def action_save(self) -> None:
        """Save what is typed, after keys that are still on their way into the editor."""
        self.query_one(TextArea).call_later(self._start_save)

    def _start_save(self) -> None:
        self.start_change(partial(self._save, self.query_one(TextArea).text), "save")

    async def _save(self, text: str) -> None:
        self.post_message(self.TextSaved(text, await self.save_text(text)))

    @on(TextSaved)
    def _text_saved(self, message: TextSaved) -> None:
        self._saved_text = message.text
        self.query_one(NoticePanel).show_lines(message.lines)

    def action_leave(self) -> None:
        """Leave; ask first if there is text that is not saved."""
        if self.query_one(TextArea).text == self._saved_text:
            self.dismiss(None)
            return
        question = ConfirmDialog(
            "Leave without saving?", "What was saved before stays as it is.", yes="Leave", no="Keep editing"
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
