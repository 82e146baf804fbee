"""The cast of the scene, with the numbers and tags that play changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content
from textual.widgets import Static

from agents.views.play_views import CastMember
from widgets.numbers import CHANGED_SIGN, number_parts
from widgets.safe_text import content, one_line


def cast_content(cast: Sequence[CastMember]) -> Content:
    """Return a line for each member, player characters first: name, numbers, tags."""
    lines = []
    for member in sorted(cast, key=lambda m: not m.is_pc):
        parts = [content(one_line(member.name), "bold $text-primary" if member.is_pc else "bold")]
        for text, is_changed in number_parts(member.numbers, member.changed_keys):
            parts.append(content(_unbroken(text), "$text-warning" if is_changed else ""))
        for tag in member.tags:
            is_changed = tag in member.changed_keys
            text = f"{one_line(tag)}{CHANGED_SIGN * is_changed}"
            parts.append(content(_unbroken(text), "italic $text-warning" if is_changed else "italic $text-muted"))
        lines.append(Content("").join(parts))
    return Content("\n").join(lines)


def _unbroken(text: str) -> str:
    """Return the text after two spaces, all of it on one line: a number stays with its name."""
    return "  " + text.replace(" ", "\xa0")


class CastBox(Static):
    """The cast of the scene; what this scene has changed has an asterisk."""

    HELP_TITLE: ClassVar[str] = "CastBox"
    HELP_TEXT: ClassVar[str] = (
        "Who is here, with their numbers. An asterisk marks a change that is not canon yet."
    )
    DEFAULT_CSS = """
    CastBox {
        height: auto;
        padding: 0 1;
        color: $foreground;
        background: $background;
        border: round $border-blurred;
        border-title-color: $text-muted;
    }
    """
    BORDER_TITLE = "cast"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(markup=False, id=id, classes=classes)

    def show(self, cast: Sequence[CastMember]) -> None:
        """Show these."""
        self.update(cast_content(cast) if cast else content("Nobody yet. /npc adds someone.", "$text-muted"))
