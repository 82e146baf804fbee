"""What stands behind one proposal: its change, the words it rests on, what it meets, and why it is marked so.

Drawn line by line, in a pane whose size does not follow what it shows: moving the cursor through a hundred
proposals lays nothing out anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.geometry import Size
from textual.strip import Strip

from agents.views.play_views import ProposalView
from widgets.diff import diff_lines
from widgets.ink import Ink, InkView, Line, strip
from widgets.proposal_rows import ALIKE, CONFLICT, is_open
from widgets.safe_text import one_line, wrap

NEW = "Nothing in canon changes but that this is added."


class ProposalAbout(InkView, can_focus=False):
    """The pane; with `change`, the change as a diff against canon stands first."""

    HELP_TITLE: ClassVar[str] = "What it rests on"
    HELP_TEXT: ClassVar[str] = (
        "− is what canon says now, + what it would say; below it the very words that it rests on, what it "
        "meets, and why it is marked as it is."
    )
    DEFAULT_CSS = """
    ProposalAbout { height: 7; padding: 0 1; scrollbar-gutter: auto; }
    """

    def __init__(self, *, change: bool = False, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._change = change
        self._view: ProposalView | None = None
        self._lines: list[Line] = []

    def show(self, view: ProposalView | None) -> None:
        """Show what stands behind this proposal."""
        if view != self._view:
            self._view = view
            self._lay_out()
            self.move_view(0)

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        width, before = max(8, self.scrollable_content_region.width), len(self._lines)
        self._lines = list(about_lines(self._view, width, change=self._change)) if self._view else []
        self.virtual_size = Size(width, len(self._lines))
        self.refresh_lines(0, max(before, len(self._lines)))

    def render_line(self, y: int) -> Strip:
        place = y + self.scroll_offset.y
        line = self._lines[place] if place < len(self._lines) else []
        return strip(line, self.inks(), self.scrollable_content_region.width)


def about_lines(view: ProposalView, width: int, *, change: bool) -> Iterator[Line]:
    """Yield change, quote with its place, conflicts and reasons; each wrapped to `width` cells."""
    if change and is_open(view):
        yield from diff_lines(view.diff, width) if view.diff else _told(NEW, Ink.MUTED, width)
        yield []
    quote = one_line(view.quote)
    place = f"turn {view.turn_number}" if view.turn_number is not None else ""
    if quote or place:
        yield from _quoted(place, f"“{quote}”" if quote else "", width)
    for conflict in view.conflicts:
        yield from _told(f"{CONFLICT} {one_line(conflict.text)}", Ink.BAD, width)
    for likeness in view.alike:
        yield from _told(f"{ALIKE} {one_line(likeness.text)}", Ink.WARN, width)
    told = {c.text for c in (*view.conflicts, *view.alike)}
    for why in view.reasons:
        if why not in told:
            yield from _told(f"· {one_line(why)}", Ink.MUTED, width)
    if view.by_policy:
        yield from _told("· Nobody had decided it: policy did. u takes it back.", Ink.MUTED, width)


def _told(words: str, ink: Ink, width: int) -> Iterator[Line]:
    return ([(part, ink)] for part in wrap(words, width))


def _quoted(place: str, quote: str, width: int) -> Iterator[Line]:
    """Yield the words with where they stand before them."""
    first, *rest = wrap(f"{place}  {quote}".strip(), width)
    yield [(first[: len(place)], Ink.MUTED), (first[len(place) :], Ink.QUOTE)]
    yield from ([(part, Ink.QUOTE)] for part in rest)
