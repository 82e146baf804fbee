"""The last rolls of a scene, the newest first, with the faces of their dice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.message import Message

from agents.resolver.roll_kinds import TYPED_KINDS
from stores.records.play import Die, Resolution
from widgets.ink import Ink, Line, Piece
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line
from widgets.transcript.turn_lines import resolution_lines

MAX_DRAWN_DICE = 12
"""Dice of one roll that are drawn; the text of the roll has them all."""


class RollList(RowList[Resolution]):
    """A click on the row under the cursor asks for that roll again, as the dialog's Enter does."""

    HELP_TITLE: ClassVar[str] = "Rolls"
    HELP_TEXT: ClassVar[str] = (
        "The last rolls of this scene, the newest first. Enter makes one of them again."
    )

    class AgainRequested(Message):
        """A roll is to be made again."""

    def show_rolls(self, rolls: Iterable[Resolution]) -> None:
        """Show these rolls, the newest first; the cursor goes to the newest."""
        self.set_rows([ListRow(roll.id, partial(_roll_lines, roll), roll) for roll in rolls])
        if self.rows:
            self.cursor = 0

    def row_chosen(self, value: Resolution) -> None:
        self.post_message(self.AgainRequested())


def repeat_line(roll: Resolution) -> str:
    """Return the line that makes a roll again; empty for one that no line makes."""
    if roll.kind == "oracle":
        return f"/oracle {roll.spec}: {one_line(roll.intent)}"  # the question is what was done
    return f"/{roll.kind} {roll.spec}".rstrip() if roll.kind in TYPED_KINDS else ""


def draw_dice(dice: Sequence[Die], width: int) -> list[Line]:
    """Return dice as boxes with their faces, three lines; dice that do not count are muted."""
    boxes: list[tuple[str, str, str, Ink]] = []
    cells = 0
    for die in dice[:MAX_DRAWN_DICE]:
        face, sides = f"{die.face}{'!' if die.exploded else ''}", f"d{die.sides}"
        inner = max(cell_len(face) + 2, cell_len(sides))
        cells += inner + 3
        if cells > width:
            break
        ink = Ink.MUTED if die.dropped else Ink.STRONG
        boxes.append((f"╭{'─' * inner}╮", f"│{face:^{inner}}│", f"╰{sides:─^{inner}}╯", ink))
    if not boxes:
        return []
    lines: list[list[Piece]] = [[], [], []]
    for *parts, ink in boxes:
        for line, part in zip(lines, parts, strict=True):
            line += [(str(part), ink), (" ", Ink.PROSE)]
    return [list(line) for line in lines]


def _roll_lines(roll: Resolution, width: int) -> Sequence[Line]:
    """Return what was asked, the dice, and what came of it, as loud for an answer as for a check."""
    room = max(8, width - 3)
    asked = one_line(roll.label or repeat_line(roll) or roll.intent)
    indent = ("  ", Ink.PROSE)
    return [
        [indent, (ellipsise(asked, room), Ink.MUTED)],
        *([indent, *line] for line in draw_dice(roll.dice, room)),
        *([indent, *line] for line in resolution_lines(roll, "", room)),
        [],
    ]
