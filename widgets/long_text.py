"""A long text: wrapped once for its width, drawn as far as it is visible, scrolled by keys."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.strip import Strip

from widgets.ink import Ink, InkView, draw_line
from widgets.safe_text import wrap

TEXT_MARGIN = 2


class LongText(InkView, can_focus=True):
    """Shows words as they are: nothing in them is markup."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "by(-1)", "Up", show=False, id="text.up", tooltip="A line up"),
        Binding("down,j", "by(1)", "Down", show=False, id="text.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", "Page up", id="text.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", "Page down", id="text.page_down", tooltip="A page down"),
        Binding("home", "edge(0)", "Top", show=False, id="text.top", tooltip="The first line"),
        Binding("end", "edge(1)", "End", show=False, id="text.end", tooltip="The last line"),
        Binding("y", "copy", "Copy", id="text.copy", tooltip="Copy all of it"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._lines: list[str] = []
        self._wrapped_width = 0

    def on_resize(self) -> None:
        width = max(1, self.scrollable_content_region.width)
        if width != self._wrapped_width:
            self._wrapped_width = width
            self._lines = wrap(self._text.strip("\n"), width - 2 * TEXT_MARGIN)
            self.set_line_count(len(self._lines), width)
            self.refresh()
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("by", "page", "edge"):
            return self.max_scroll_y > 0
        return super().check_action(action, parameters)

    def action_by(self, lines: int) -> None:
        self.scroll_to_line(max(0, min(self.scroll_offset.y + lines, self.max_scroll_y)))

    def action_page(self, step: int) -> None:
        self.action_by(step * max(1, self.size.height - 2))

    def action_edge(self, end: int) -> None:
        self.scroll_to_line(self.max_scroll_y if end else 0)

    def action_copy(self) -> None:
        self.app.copy_to_clipboard("\n".join(self._lines))

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        line_text = self._lines[line] if line < len(self._lines) else ""
        return draw_line([(" " * TEXT_MARGIN + line_text, Ink.PROSE)], self.inks(), self._wrapped_width)
