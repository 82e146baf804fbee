"""What is known of one character, in four panes: sheet, memories beside the truth, history, facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.character_views import CharacterView, MemoryView
from agents.views.play_views import FactView, SheetRow
from widgets.entity_card import fact_lines, hanging
from widgets.ink import Ink, Line
from widgets.plain_rows import words_row
from widgets.row_list import Row, RowList
from widgets.safe_text import one_line, wrap
from widgets.sheet import SheetEdit, sheet_line

Pane = Literal["sheet", "memories", "history", "facts"]
PANES: Final[tuple[Pane, ...]] = ("sheet", "memories", "history", "facts")
BAR: Final = 10
"""Cells of a bar of retention."""
NO_EDIT: Final = SheetEdit({}, {})

EMPTY: Final = {
    "sheet": "No numbers and no tags. e gives them some; in play the story's rules do.",
    "memories": "They remember nothing yet: memories are made of the scenes that they are in.",
    "history": "They were in no scene yet.",
    "facts": "Canon says nothing of them but their name.",
}

Known = MemoryView | FactView | SheetRow | str


def retention_words(view: MemoryView) -> str:
    """Say how much of a memory is left, as a bar, in per cent, and in a word."""
    full = round(view.retention * BAR)
    word = "forgotten" if view.forgotten else _fading(view.retention)
    return f"{'█' * full}{'░' * (BAR - full)} {view.retention:.0%} {word}"


def _fading(retention: float) -> str:
    return "fresh" if retention >= 0.8 else "fading" if retention >= 0.5 else "faint"


def memory_lines(view: MemoryView, width: int) -> list[Line]:
    """Draw a memory: what they remember; how and from whom; how much is left; beside it the truth."""
    ink = Ink.MUTED if view.forgotten else Ink.PROSE
    space = width - 4
    lines: list[Line] = [
        [(" ~ " if n == 0 else "   ", Ink.NPC), (part, ink)]
        for n, part in enumerate(wrap(one_line(view.memory.text), space))
    ]
    below = f"{retention_words(view)} · {one_line(view.where)}"
    lines += [[("   ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(below, space)]
    sign, word, truth_ink = _truth(view)
    lines += [
        [(f"   {sign} " if n == 0 else "     ", truth_ink), (part, Ink.MUTED)]
        for n, part in enumerate(wrap(word, space - 2))
    ]
    if view.lived:
        lived = f"as it was lived: {one_line(view.lived)}"
        lines += [[("     ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(lived, space - 2)]
    return [*lines, []]


def _truth(view: MemoryView) -> tuple[str, str, Ink]:
    """Say what canon has of it, and whether the memory agrees."""
    truth = one_line(view.truth)
    if view.agrees:
        same = not truth or truth == one_line(view.memory.text)
        return "✓", "canon agrees" if same else f"canon agrees: {truth}", Ink.GOOD
    if view.agrees is False:
        return "×", f"canon says otherwise: {truth}" if truth else "they have it wrong", Ink.BAD
    return "?", f"canon has: {truth}" if truth else "canon says nothing of it", Ink.MUTED


class Portrait(RowList[Known]):
    """One pane of a character at a time."""

    HELP_TITLE: ClassVar[str] = "What is known of a character"
    HELP_TEXT: ClassVar[str] = (
        "Memories stand beside the truth: ✓ canon agrees, × canon says otherwise, ? it says nothing. The bar "
        "is what is left; what is forgotten is not recalled by itself. Enter leads to what a row rests on."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "look", "Look", id="portrait.look", tooltip="To what this rests on"),
    ]

    @dataclass
    class Chosen(Message):
        """Lead to what this rests on."""

        known: Known

    pane: Pane = "sheet"

    def show(self, view: CharacterView | None, pane: Pane) -> None:
        """Show a pane of a character; the cursor stays on its row if that is still there."""
        other = pane != self.pane
        self.pane = pane
        self.empty = EMPTY[pane] if view else ""
        if other:
            self.set_rows([])
        self.set_rows(list(_rows(view, pane)) if view else [])
        if other:
            self.move_view(0)

    def highlighted(self, value: Known | None) -> None:
        self.refresh_bindings()

    def chosen(self, value: Known) -> None:
        self.action_look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "look":
            return isinstance(self.current, MemoryView | FactView)
        return super().check_action(action, parameters)

    def action_look(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self.current))


def _rows(view: CharacterView, pane: Pane) -> Iterator[Row[Known]]:
    match pane:
        case "sheet":
            entity = view.card.entity
            if entity.description:
                yield words_row("description", entity.description)
            if view.sheet is not None and view.sheet.rows:
                played = f"By {view.sheet.system or 'no rules'}, as it stands in play:"
                rules = played if view.scene_id else "As canon has it:"
                yield words_row("rules", f"\n{rules}" if entity.description else rules)
                for row in view.sheet.rows:
                    yield Row(f"{row.kind} {row.key}", partial(_sheet, row), row, height=1)
                yield from (words_row(f"hint {n}", hint) for n, hint in enumerate(view.sheet.hints))
            elif entity.description:
                yield words_row("none", f"\n{EMPTY['sheet']}")
        case "memories":
            for memory in view.memories:
                yield Row(memory.memory.id, partial(memory_lines, memory), memory)
        case "history":
            for n, scene in enumerate(view.history):
                yield Row(f"scene {n}", partial(_scene, scene), scene)
        case "facts":
            for fact in (*view.card.facts, *(fact for _, _, fact in view.card.relations), *view.card.history):
                yield Row(fact.fact.id, partial(_fact, fact), fact)


def _sheet(row: SheetRow, width: int) -> Sequence[Line]:
    return [sheet_line(row, NO_EDIT, width)]


def _scene(words: str, width: int) -> Sequence[Line]:
    return hanging("≡", one_line(words), Ink.PROSE, [], width)


def _fact(view: FactView, width: int) -> Sequence[Line]:
    return fact_lines(view, width)
