"""Lines for the user that are not part of the story: answers to commands, notices, errors. Esc clears them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from screens.dialogs.error_dialog import explain_error
from widgets.safe_text import content, plain_text

Severity = Literal["information", "warning", "error"]


class NoticePanel(VerticalScroll, can_focus=False):
    """Lines over the prompt; it takes room only while it has some."""

    HELP_TITLE: ClassVar[str] = "Notes"
    HELP_TEXT: ClassVar[str] = (
        "Messages from MONITOR appear above the prompt. They are not part of the story."
    )
    BINDINGS = [
        Binding("up,k", "scroll_up", "Up", id="aside.up", tooltip="A line up", show=False),
        Binding("down,j", "scroll_down", "Down", id="aside.down", tooltip="A line down", show=False),
    ]
    DEFAULT_CSS = """
    NoticePanel {
        height: auto;
        max-height: 8;
        display: none;
        padding: 0 1;
        margin: 0 1;
        border-left: outer $secondary;
        background: $surface;
        scrollbar-size-vertical: 1;
        &.-shown { display: block; }
        &.-warning { border-left: outer $warning; }
        &.-error { border-left: outer $error; }
        &:focus { background: $panel; }
        & > Static { width: 1fr; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Content, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    @property
    def is_shown(self) -> bool:
        return self.has_class("-shown")

    @property
    def asks_for_attention(self) -> bool:
        """Return whether it shows a warning or an error, which Esc closes before anything else."""
        return self.is_shown and (self.has_class("-warning") or self.has_class("-error"))

    def show_lines(self, lines: Sequence[str], severity: Severity = "information") -> None:
        """Show these lines in place of what was there; no lines clear it."""
        styled_lines = [content(plain_text(line)) for line in lines if line]
        self._set_lines(styled_lines, severity)

    def add_lines(self, lines: Sequence[str]) -> None:
        """Show these lines after what is there."""
        added_lines = [content(plain_text(line)) for line in lines if line]
        if added_lines:
            severity: Severity = (
                "error"
                if self.has_class("-error")
                else "warning"
                if self.has_class("-warning")
                else "information"
            )
            self._set_lines([*self._lines, *added_lines], severity)

    def show_error(self, error: BaseException) -> None:
        """Show an error: what happened, then what was kept and what to do."""
        what_happened, what_was_kept, what_to_do = explain_error(error)
        parts = [
            content(what_happened, "bold"),
            *(content(part) for part in (what_was_kept, what_to_do) if part),
        ]
        self._set_lines(parts, "error")

    def clear(self) -> None:
        if self._lines:
            self._set_lines([], "information")

    def _set_lines(self, styled_lines: Sequence[Content], severity: Severity) -> None:
        self._lines = tuple(styled_lines)
        self.query_one(Static).update(Content("\n").join(styled_lines))
        self.set_class(bool(styled_lines), "-shown")
        self.set_class(severity == "warning", "-warning")
        self.set_class(severity == "error", "-error")
        self.scroll_home(animate=False)
        # More than fits can be read with the keys; what fits needs no stop for Tab.
        self.call_after_refresh(self._update_focusable)

    def _update_focusable(self) -> None:
        self.can_focus = self.max_scroll_y > 0
