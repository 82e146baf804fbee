"""Turns whose names lead to cards: by a step from name to name, or by the pointer.

Names are looked for only in the turns on the screen, in the frame that shows them, and only while the transcript
has the focus or the pointer is over it: what is typed in the prompt never waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.cache import LRUCache
from textual.message import Message
from textual.strip import Strip

from agents.prose.entity_name_index import EntityNameIndex
from stores.records.ids import Id
from widgets.safe_text import ellipsise, one_line
from widgets.transcript.name_links import (
    CURRENT_STYLE,
    LINK_STYLE,
    NameLink,
    find_links,
    link_at,
    mark_link,
    put_label,
)
from widgets.transcript.turn_scroll import MIN_DRAWN_TURNS, TurnScroll

PlacedLink = tuple[int, NameLink]
"""The row of a turn, and a name in it."""


class LinkedTurnScroll(TurnScroll):
    """Turns, in which names that canon knows are links."""

    @dataclass
    class NameChosen(Message):
        """The card of somebody or something named is wanted."""

        entity_id: Id

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._names: EntityNameIndex | None = None
        self._links: LRUCache[int, tuple[list[Strip], tuple[NameLink, ...]]] = LRUCache(MIN_DRAWN_TURNS)
        """The names of a row, with the lines in which they were found."""
        self._current_link: PlacedLink | None = None
        """The name that was stepped to."""
        self._hovered_link: PlacedLink | None = None
        """The name under the pointer."""

    def set_names(self, names: EntityNameIndex) -> None:
        """Set what finds the names of canon."""
        self._names = names
        self._links.clear()
        self.refresh()

    @property
    def current_link(self) -> NameLink | None:
        """The name that was stepped to."""
        return self._current_link[1] if self._current_link else None

    def step_to_link(self, step: int, first_row: int) -> int | None:
        """Go to the next name on the screen; the first time to the first from `first_row` on, or the last of all.

        Return its row; None, if nothing that is known is named on the screen.
        """
        links = self._links_in_view()
        if not links:
            self._mark_current(None)
        elif self._current_link in links:
            self._mark_current(links[(links.index(self._current_link) + step) % len(links)])
        else:
            self._mark_current(next((link for link in links if link[0] >= first_row), links[-1]))
        return self._current_link[0] if self._current_link else None

    def leave_link(self) -> None:
        """Stand at no name any more."""
        self._mark_current(None)

    def leave_link_outside(self, row: int | None) -> None:
        """Stand at a name only if it is in this row."""
        if self._current_link is not None and self._current_link[0] != row:
            self.leave_link()

    def links_of_row(self, row: int) -> tuple[NameLink, ...]:
        """Return the names in a turn; none while it or canon's names are not loaded."""
        if self._names is None or row >= self.total or (strips := self._row_strips(row)) is None:
            return ()
        cached = self._links.get(row)
        if cached is not None and cached[0] is strips:
            return cached[1]
        links = find_links(strips, self._names)
        self._links.discard(row)  # LRUCache does not overwrite what it has
        self._links[row] = (strips, links)
        return links

    # --- the pointer -------------------------------------------------------------------------------

    def link_under(self, event: events.MouseEvent) -> NameLink | None:
        """Return the name at the place of a mouse event."""
        placed = self._link_at(event.x, event.y)
        return placed[1] if placed else None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(self._link_at(event.x, event.y))

    def on_leave(self) -> None:
        self._hover(None)

    def _hover(self, link: PlacedLink | None) -> None:
        if link != self._hovered_link:
            self._hovered_link = link
            self.styles.pointer = "pointer" if link else "default"
            self.refresh()

    def _link_at(self, x: int, y: int) -> PlacedLink | None:
        line = y + self.scroll_offset.y
        if not 0 <= line < self._heights.total_lines:
            return None
        row = self._heights.row_at(line)
        link = link_at(self.links_of_row(row), line - self._heights.line_of_row(row), x)
        return (row, link) if link else None

    # --- drawing -----------------------------------------------------------------------------------

    def _mark_current(self, link: PlacedLink | None) -> None:
        if link != self._current_link:
            self._current_link = link
            self.refresh()

    def _links_in_view(self) -> list[PlacedLink]:
        if not self.total:
            return []
        top = self.scroll_offset.y
        bottom = min(top + self.size.height, self._heights.total_lines) - 1
        return [
            (row, link)
            for row in range(self._heights.row_at(top), self._heights.row_at(bottom) + 1)
            for link in self.links_of_row(row)
            if top <= self._heights.line_of_row(row) + link.pieces[0].line <= bottom
        ]

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        marked = self._current_link or self._hovered_link
        line = y + self.scroll_offset.y
        if (self.has_focus or marked) and line < self._heights.total_lines:
            strip = self._mark_names(strip, line)
        if marked and y == self._label_line(marked):
            return put_label(strip, self._label(marked[1]))
        return strip

    def _mark_names(self, strip: Strip, line: int) -> Strip:
        """Mark the names on a line: all of them while the transcript is read, else the one under the pointer."""
        row = self._heights.row_at(line)
        line_in_row = line - self._heights.line_of_row(row)
        for link in self.links_of_row(row):
            if (row, link) == self._current_link:
                strip = mark_link(strip, link, line_in_row, CURRENT_STYLE)
            elif self.has_focus or (row, link) == self._hovered_link:
                strip = mark_link(strip, link, line_in_row, LINK_STYLE)
        return strip

    def _label_line(self, link: PlacedLink) -> int:
        """Return the line of the screen that tells who is named: the last one, unless the name is near it."""
        row, name = link
        name_line = self._heights.line_of_row(row) + name.pieces[-1].line - self.scroll_offset.y
        return self.size.height - 1 if name_line < self.size.height // 2 else 0

    def _label(self, link: NameLink) -> str:
        way = "Enter" if self._current_link else "click"
        who = f"{one_line(link.entity.name)}, {link.entity.kind.value}"
        return f" {ellipsise(who, max(8, self._width - 16))} · {way}: card "
