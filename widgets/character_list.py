"""The characters of a universe, a row each: player characters first, the dead last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.count_words import count_noun
from agents.views.character_views import CharacterRow
from widgets.entity_tree import DEAD_SIGN
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line


def character_row_lines(row: CharacterRow, width: int) -> list[Line]:
    """Return a sign and the name; below, description, number of memories, and the last scene."""
    entity = row.entity
    sign = (DEAD_SIGN, Ink.MUTED) if row.is_dead else ("★", Ink.YOU) if entity.is_pc else ("◆", Ink.NPC)
    kind_text = "PC" if entity.is_pc else entity.kind.value
    memories = count_noun(row.memory_count, "memory") if row.memory_count else ""
    details_text = " · ".join(
        filter(None, ("dead" if row.is_dead else "", kind_text, memories, one_line(row.last_seen)))
    )
    return [
        [(f" {sign[0]} ", sign[1]), (ellipsise(one_line(entity.name), width - 4), Ink.STRONG)],
        [("   ", Ink.PROSE), (ellipsise(details_text, width - 4), Ink.MUTED)],
    ]


class CharacterList(RowList[CharacterRow]):
    """Characters by row; Enter moves to the pane of one."""

    HELP_TITLE: ClassVar[str] = "Characters"
    HELP_TEXT: ClassVar[str] = (
        "★ a player character (PC), ◆ anybody else, † the dead. Enter opens their sheet, memories, history and facts."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "into", "Open", id="roster.into", tooltip="Sheet, memories, history, facts"),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor is on another character."""

        row: CharacterRow | None

    class PaneRequested(Message):
        """The focus is to move to the pane of the character under the cursor."""

    def show_characters(self, rows: Sequence[CharacterRow]) -> None:
        """Show these; the cursor stays on its character."""
        self.set_rows([ListRow(row.entity.id, partial(_row_lines, row), row, height=2) for row in rows])

    def move_cursor_to(self, entity_id: str) -> None:
        """Put the cursor on somebody."""
        if (row_index := self.find_row(entity_id)) is not None:
            self.cursor = row_index

    def row_highlighted(self, value: CharacterRow | None) -> None:
        self.post_message(self.Highlighted(value))

    def row_chosen(self, value: CharacterRow) -> None:
        self.action_into()

    def action_into(self) -> None:
        self.post_message(self.PaneRequested())


def _row_lines(row: CharacterRow, width: int) -> Sequence[Line]:
    return character_row_lines(row, width)
