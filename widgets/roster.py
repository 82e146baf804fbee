"""Who lives in a world, a row each: player characters first, with what they were last seen in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.character_views import CharacterRow
from widgets.ink import Ink, Line
from widgets.row_list import Row, RowList
from widgets.safe_text import ellipsise, one_line


def roster_lines(row: CharacterRow, width: int) -> list[Line]:
    """Draw one: a sign and the name; beneath, what they are, how much they remember, where they were seen."""
    entity = row.entity
    sign = ("★", Ink.YOU) if entity.is_pc else ("◆", Ink.NPC)
    what = "PC" if entity.is_pc else entity.kind.value
    memories = f"{row.memories} memor{'y' if row.memories == 1 else 'ies'}" if row.memories else ""
    below = " · ".join(filter(None, (what, memories, one_line(row.seen))))
    return [
        [(f" {sign[0]} ", sign[1]), (ellipsise(one_line(entity.name), width - 4), Ink.STRONG)],
        [("   ", Ink.PROSE), (ellipsise(below, width - 4), Ink.MUTED)],
    ]


class CharacterList(RowList[CharacterRow]):
    """Characters by row; Enter goes into what is known of one."""

    HELP_TITLE: ClassVar[str] = "Characters"
    HELP_TEXT: ClassVar[str] = (
        "★ a player character (PC), ◆ anybody else. Enter goes to what is known of them."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "into", "Into", id="roster.into", tooltip="To what is known of them"),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor stands on somebody else."""

        row: CharacterRow | None

    class Into(Message):
        """Over to what is known of who the cursor stands on."""

    def show(self, rows: Sequence[CharacterRow]) -> None:
        """Show these; the cursor stays on who it stood on."""
        self.set_rows([Row(row.entity.id, partial(_lines, row), row, height=2) for row in rows])

    def stand_on(self, entity_id: str) -> None:
        """Put the cursor on somebody."""
        place = next((n for n, row in enumerate(self.rows) if row.key == entity_id), None)
        if place is not None:
            self.cursor = place

    def highlighted(self, value: CharacterRow | None) -> None:
        self.post_message(self.Highlighted(value))

    def chosen(self, value: CharacterRow) -> None:
        self.action_into()

    def action_into(self) -> None:
        self.post_message(self.Into())


def _lines(row: CharacterRow, width: int) -> Sequence[Line]:
    return roster_lines(row, width)
