"""The keys that work now, at the foot of every screen.

Textual's own footer cuts off what does not fit and mounts a widget for each key whenever the focus moves;
this one wraps to a second line and is one widget.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

GAP = "  "
MOST_LINES = 2


class Key(NamedTuple):
    """A key as it is shown, what it does, and the key to press for it."""

    shown: str
    does: str
    press: str

    @property
    def cells(self) -> int:
        return cell_len(self.shown) + 1 + cell_len(self.does)

    @property
    def content(self) -> Content:
        return Content.assemble((self.shown, "bold $footer-key-foreground"), " ", self.does)


class KeyBar(Widget):
    """Shown bindings of the focused widget, of the screen, of the app; then the palette."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom;
        height: auto;
        padding: 0 1;
        color: $footer-description-foreground;
        background: $footer-background;
    }
    """

    keys: reactive[tuple[Key, ...]] = reactive(())

    def watch_keys(self) -> None:
        """Lay the screen out anew only if the keys take another line."""
        if len(lines_of(self.keys, self.content_size.width)) != self.content_size.height:
            self.refresh(layout=True)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def _bindings_updated(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            self.keys = tuple(self._shown())

    def _shown(self) -> Iterator[Key]:
        """Yield each action once, by the first of its keys."""
        told: set[str] = set()
        palette = None
        for active in self.screen.active_bindings.values():
            binding = active.binding
            key = Key(self.app.get_key_display(binding), binding.description, binding.key)
            if binding.key == self.app.COMMAND_PALETTE_BINDING:
                palette = key._replace(does="more")
            elif binding.show and active.enabled and binding.description not in told:
                told.add(binding.description)
                yield key
        if palette:
            yield palette

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(lines_of(self.keys, width))

    def render(self) -> Content:
        lines = lines_of(self.keys, self.content_size.width)
        return Content("\n").join(Content(GAP).join(key.content for key in line) for line in lines)

    def on_click(self, event: events.Click) -> None:
        """A click on a key presses it."""
        at = event.get_content_offset(self)
        lines = lines_of(self.keys, self.content_size.width)
        if at is None or at.y >= len(lines):
            return
        end = 0
        for key in lines[at.y]:
            start, end = end, end + key.cells + len(GAP)
            if start <= at.x < start + key.cells:
                self.app.simulate_key(key.press)


def lines_of(keys: tuple[Key, ...], width: int) -> list[list[Key]]:
    """Lay keys out in lines of `width` cells; what does not fit on the last of them is left out."""
    lines: list[list[Key]] = [[]]
    used = 0
    for key in keys:
        room = used + (len(GAP) if lines[-1] else 0) + key.cells
        if lines[-1] and room > width:
            if len(lines) == MOST_LINES:
                break
            lines.append([])
            room = key.cells
        lines[-1].append(key)
        used = room
    return lines
