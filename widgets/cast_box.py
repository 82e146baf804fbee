"""The cast of the scene, with the numbers and tags that play changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.content import Content
from textual.widgets import Static

from agents.typed_numbers import living_numbers
from agents.views.scene_views import CastMember
from widgets.numbers import CHANGED_SIGN, number_parts
from widgets.safe_text import content, one_line
from widgets.static_content import show_content

PART_GAP = CONTINUATION_INDENT = "  "


def cast_content(cast: Sequence[CastMember], width: int | None = None) -> Content:
    """Return each member, player characters first: name, numbers, tags.

    With a `width` in cells, what does not fit goes on below, and a number stays with its name.
    """
    lines: list[Content] = []
    for member in sorted(cast, key=lambda m: not m.is_pc):
        name, *parts = _member_parts(member)
        lines.append(name)
        for part in parts:
            if width is not None and lines[-1].cell_length + len(PART_GAP) + part.cell_length > width:
                lines.append(Content.assemble(CONTINUATION_INDENT, part))
            else:
                lines[-1] = Content.assemble(lines[-1], PART_GAP, part)
    return Content("\n").join(lines)


def _member_parts(member: CastMember) -> Iterator[Content]:
    yield content(one_line(member.name), "bold $text-primary" if member.is_pc else "bold")
    numbers = living_numbers(member.numbers, (*member.tags, member.note), member.changed_keys)
    for text, is_changed in number_parts(numbers, member.changed_keys):
        yield content(text, "$text-warning" if is_changed else "")
    if member.note and member.note not in member.tags:
        yield _tag_part(member.note, is_changed=member.is_note_staged)
    for tag in member.tags:
        yield _tag_part(tag, is_changed=tag in member.changed_keys)


def _tag_part(tag: str, *, is_changed: bool) -> Content:
    text = f"{one_line(tag)}{CHANGED_SIGN * is_changed}"
    return content(text, "italic $text-warning" if is_changed else "italic $text-muted")


class CastBox(Static):
    """The cast of the scene; what this scene has changed has an asterisk."""

    HELP_TITLE: ClassVar[str] = "Who is here"
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
        self._cast: Sequence[CastMember] | None = None

    def show(self, cast: Sequence[CastMember]) -> None:
        """Show these."""
        self._cast = cast
        self._redraw()

    def on_resize(self) -> None:
        self._redraw()

    def _redraw(self) -> None:
        if self._cast is None:
            return
        nobody_hint = content("Nobody yet. /cast + NAME brings somebody in.", "$text-muted")
        width = self.content_size.width or None  # no width before the first layout
        show_content(self, cast_content(self._cast, width) if self._cast else nobody_hint)
