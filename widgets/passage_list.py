"""Passages that a search within a document found, each with its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.ingest_views import SourceHit
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, wrap

MAX_LINES: Final = 4
"""Lines of a passage that are shown."""


class PassageList(RowList[SourceHit]):
    """Passages by row; Enter opens the page of one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="passages.open", tooltip="Open its page", key_display="⏎"),
    ]

    @dataclass
    class Chosen(Message):
        """The page of a passage is to be opened."""

        hit: SourceHit

    def show_passages(self, hits: Sequence[SourceHit]) -> None:
        """Show these, the best first."""
        self.set_rows([ListRow(hit.passage.snippet_id, partial(_row_lines, hit), hit) for hit in hits])

    def row_chosen(self, value: SourceHit) -> None:
        self.post_message(self.Chosen(value))

    def action_open(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self.current))


def _row_lines(hit: SourceHit, width: int) -> Sequence[Line]:
    page = f"page {hit.passage.page}" if hit.passage.page is not None else "no page"
    label = f" · {one_line(hit.label)}" if hit.label else ""
    parts = wrap(one_line(hit.passage.text), max(8, width - 3))
    shown = [*parts[: MAX_LINES - 1], parts[MAX_LINES - 1] + " …"] if len(parts) > MAX_LINES else parts
    return [[(f" {page}{label}", Ink.HEADING)], *([("  ", Ink.PROSE), (part, Ink.PROSE)] for part in shown)]
