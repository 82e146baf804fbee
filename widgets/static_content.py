"""Shows content in a `Static` only where it is other than what stands there."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


def show_content(static: Static, shown: Content) -> None:
    """Show it, unless it is there: to update a `Static` lays out the whole screen."""
    current = static.content
    if not (isinstance(current, Content) and current.is_same(shown)):
        static.update(shown)
