"""A bare application to put widgets on, which keeps every message that reaches it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from monitor_tui.theme import register_themes

M = TypeVar("M", bound=Message)


class Stage(App[None]):
    """Shows the widgets it is given, one below the other."""

    def __init__(self, *widgets: Widget, theme: str = "monitor-dark") -> None:
        self.seen: list[Message] = []
        super().__init__()
        self._given = widgets
        register_themes(self)
        self.theme = theme
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield from self._given

    def post_message(self, message: Message) -> bool:
        self.seen.append(message)
        return super().post_message(message)

    def of(self, kind: type[M]) -> list[M]:
        """Return the messages of one kind that came up, in order."""
        return [message for message in self.seen if isinstance(message, kind)]


def screen_text(app: App[None]) -> str:
    """Return what stands on the screen, without colour."""
    return "\n".join(_lines(app))


def _lines(app: App[None]) -> Iterator[str]:
    for strip in app.screen._compositor.render_strips():
        yield "".join(segment.text for segment in strip).rstrip()
