"""The keys that work now, at the foot of every screen.

Textual's own footer cuts off what does not fit and mounts a widget for each key whenever the focus moves; this
one wraps to a second line and is one widget. On the screens it always has the height of two lines, so that nothing
moves when other keys work.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.keys import key_to_character
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

KEY_GAP = "  "
MAX_LINES = 2
WAY_BACK = "escape"
"""The key that goes one step back, on every screen."""
_TYPED_CHARACTERS: Final = {
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "at": "@",
    "backslash": "\\",
    "underscore": "_",
}
"""What these keys type: Textual's `key_to_character` does not know it of them."""


class Key(NamedTuple):
    """A key as it is shown, its action, and the key to press for it."""

    label: str
    action_text: str
    key: str

    @property
    def cells(self) -> int:
        return cell_len(self.label) + 1 + cell_len(self.action_text)

    @property
    def content(self) -> Content:
        return Content.assemble((self.label, "bold $footer-key-foreground"), " ", self.action_text)


class KeyBar(Widget):
    """The bindings of the focused widget, of the screen and of the app; then the palette."""

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
        """Update the layout only if the bar is as high as its keys and they take another line."""
        is_auto_height = self.styles.height is not None and self.styles.height.is_auto
        if (
            is_auto_height
            and len(layout_keys(self.keys, self.content_size.width)) != self.content_size.height
        ):
            self.refresh(layout=True)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def _bindings_updated(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            self.keys = tuple(self._visible_keys())

    def _visible_keys(self) -> Iterator[Key]:
        """Yield each action once, with the first of its keys that is not typed into what has the focus."""
        typed_keys: Container[str] = getattr(self.screen, "TYPED_KEYS", ())
        focused = self.screen.focused
        listed_descriptions: set[str] = set()
        palette = None
        for active in self.screen.active_bindings.values():
            binding = active.binding
            key = Key(self.app.get_key_display(binding), binding.description, binding.key)
            if binding.key == self.app.COMMAND_PALETTE_BINDING:
                palette = key._replace(action_text="more")
            elif binding.key in typed_keys or (
                focused and focused.check_consume_key(binding.key, _read_typed_character(binding.key))
            ):
                continue
            elif binding.show and active.enabled and binding.description not in listed_descriptions:
                listed_descriptions.add(binding.description)
                yield key
        if palette:
            yield palette

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(layout_keys(self.keys, width))

    def render(self) -> Content:
        lines = layout_keys(self.keys, self.content_size.width)
        return Content("\n").join(Content(KEY_GAP).join(key.content for key in line) for line in lines)

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        offset = event.get_content_offset(self)
        lines = layout_keys(self.keys, self.content_size.width)
        if offset is None or offset.y >= len(lines):
            return
        end = 0
        for key in lines[offset.y]:
            start, end = end, end + key.cells + len(KEY_GAP)
            if start <= offset.x < start + key.cells:
                self.app.simulate_key(key.key)


def _read_typed_character(key: str) -> str | None:
    """Return what a key types; None if nothing."""
    return _TYPED_CHARACTERS.get(key) or key_to_character(key)


def layout_keys(keys: tuple[Key, ...], width: int) -> list[list[Key]]:
    """Return the keys in lines of `width` cells.

    Where not all fit, the way back and the last key, which lists them all, stay.
    """
    lines: list[list[Key]] = [[]]
    for key in keys:
        if lines[-1] and _line_cells([*lines[-1], key]) > width:
            if len(lines) == MAX_LINES:
                lasting_keys = [k for k in keys[:-1] if k.key == WAY_BACK and k not in lines[0]]
                lasting_keys.append(keys[-1])
                fitting_keys = [k for k in lines[-1] if k not in lasting_keys]
                while fitting_keys and _line_cells([*fitting_keys, *lasting_keys]) > width:
                    fitting_keys.pop()
                lines[-1] = [*fitting_keys, *lasting_keys]
                break
            lines.append([])
        lines[-1].append(key)
    return lines


def _line_cells(line: list[Key]) -> int:
    return sum(key.cells for key in line) + len(KEY_GAP) * (len(line) - 1)
