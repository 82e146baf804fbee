"""What there is to say of one document, beside the list of all."""

from __future__ import annotations

from textual.strip import Strip

from agents.views.ingest_views import SourceView
from widgets.ink import InkView, Line, draw_line
from widgets.source_list import describe_source


class SourcePane(InkView, can_focus=False):
    """The pane; it is empty while the list is."""

    def __init__(self) -> None:
        super().__init__()
        self._view: SourceView | None = None
        self._lines: list[Line] = []

    def show_source(self, view: SourceView | None) -> None:
        """Show this document."""
        if view != self._view:
            self._view = view
            self._rebuild_lines()

    def on_resize(self) -> None:
        self._rebuild_lines()

    def _rebuild_lines(self) -> None:
        width = max(8, self.scrollable_content_region.width)
        self._lines = describe_source(self._view, width) if self._view else []
        self.set_line_count(len(self._lines), width)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        line = self._lines[index] if index < len(self._lines) else []
        return draw_line(line, self.inks(), self.scrollable_content_region.width)
