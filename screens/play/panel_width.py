"""How wide the panels beside the story are."""

from __future__ import annotations

from enum import StrEnum

from textual.message import Message


class PanelWidth(StrEnum):
    """A width of the panels beside the story; `scene_screen.tcss` says what each is in cells."""

    NORMAL = "normal"
    WIDE = "wide"
    HIDDEN = "hidden"
    NARROW = "narrow"

    @property
    def css_class(self) -> str:
        """The class of the app while the panels are this wide."""
        return f"-panel-{self.value}"

    @property
    def next_width(self) -> PanelWidth:
        """The width that one more press of the key brings."""
        widths = list(PanelWidth)
        return widths[(widths.index(self) + 1) % len(widths)]


class PanelResizeRequested(Message):
    """The panels are to take the next width; the app remembers it."""
