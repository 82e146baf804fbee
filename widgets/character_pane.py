"""One character in four panes: sheet, memories beside the truth, history, facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.card_views import FactView
from agents.views.character_views import CharacterView, MemoryView
from agents.views.sheet_views import SheetRow
from stores.records.canon import Standing
from widgets.entity_card import fact_lines, hanging_lines
from widgets.ink import Ink, Line
from widgets.plain_rows import text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, wrap
from widgets.sheet_list import SheetEdit, sheet_line

CharacterTab = Literal["sheet", "memories", "history", "facts"]
CHARACTER_TABS: Final[tuple[CharacterTab, ...]] = ("sheet", "memories", "history", "facts")
BAR_CELLS: Final = 10
"""Cells of a bar of retention."""
NO_SHEET_EDIT: Final = SheetEdit({}, {})

EMPTY_TAB_HINTS: Final = {
    "sheet": "No numbers and no tags. e adds some.",
    "memories": "No memories yet. They remember the scenes that they are in.",
    "history": "In no scene yet.",
    "facts": "No facts yet.",
}

CharacterItem = MemoryView | FactView | SheetRow | str


def retention_text(view: MemoryView) -> str:
    """Return how much of a memory is left, as a bar, in per cent, and in a word."""
    filled_cells = round(view.retention * BAR_CELLS)
    word = "forgotten" if view.is_forgotten else _fading_word(view.retention)
    return f"{'█' * filled_cells}{'░' * (BAR_CELLS - filled_cells)} {view.retention:.0%} {word}"


def _fading_word(retention: float) -> str:
    return "fresh" if retention >= 0.8 else "fading" if retention >= 0.5 else "faint"


def memory_lines(view: MemoryView, width: int) -> list[Line]:
    """Return a memory: its words; how and from whom; how much is left; the truth beside it."""
    ink = Ink.MUTED if view.is_forgotten else Ink.PROSE
    space = width - 4
    lines: list[Line] = [
        [(" ~ " if n == 0 else "   ", Ink.NPC), (part, ink)]
        for n, part in enumerate(wrap(one_line(view.memory.text), space))
    ]
    source_text = f"{retention_text(view)} · {one_line(view.origin)}"
    lines += [[("   ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(source_text, space)]
    sign, truth_text, truth_ink = _truth_verdict(view)
    lines += [
        [(f"   {sign} " if n == 0 else "     ", truth_ink), (part, Ink.MUTED)]
        for n, part in enumerate(wrap(truth_text, space - 2))
    ]
    if view.original_text:
        lived_text = f"originally: {one_line(view.original_text)}"
        lines += [[("     ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(lived_text, space - 2)]
    return [*lines, []]


def _truth_verdict(view: MemoryView) -> tuple[str, str, Ink]:
    """Return what canon says of it, and whether the memory agrees."""
    truth = one_line(view.canon_statement)
    is_same = not truth or truth == one_line(view.memory.text)
    if view.is_never_true:
        return "×", "retconned: never true" + ("" if is_same else f": {truth}"), Ink.BAD
    if truth and view.is_settled:
        return "✓", f"settled since: {truth}", Ink.GOOD
    if truth and view.canon_standing is not Standing.TRUE:
        standing = "disputed" if view.canon_standing is Standing.DISPUTED else f"a {view.canon_standing}"
        is_lie = view.canon_standing is Standing.LIE
        words = f"canon has it as {standing}" + ("" if is_same else f": {truth}")
        return ("×", words, Ink.BAD) if is_lie else ("?", words, Ink.MUTED)
    if view.agrees_with_canon:
        return "✓", "canon agrees" if is_same else f"canon agrees: {truth}", Ink.GOOD
    if view.agrees_with_canon is False:
        return "×", f"canon says otherwise: {truth}" if truth else "they are mistaken", Ink.BAD
    return "?", f"canon has: {truth}" if truth else "not in canon", Ink.MUTED


class CharacterPane(RowList[CharacterItem]):
    """One pane of a character at a time."""

    HELP_TITLE: ClassVar[str] = "Character"
    HELP_TEXT: ClassVar[str] = (
        "Memories stand beside the truth: ✓ canon agrees, × canon says otherwise, ? not in canon. The bar "
        "shows how much is left; a forgotten memory is not recalled by itself. Enter shows the evidence."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "look", "Look", id="portrait.look", tooltip="Show the evidence"),
    ]

    @dataclass
    class CharacterItemChosen(Message):
        """The evidence or place of this row is to be opened."""

        item: CharacterItem

    tab: CharacterTab = "sheet"

    def show_character(self, view: CharacterView | None, tab: CharacterTab) -> None:
        """Show a pane of a character; the cursor stays on its row if that is still there."""
        is_other_tab = tab != self.tab
        self.tab = tab
        self.empty = EMPTY_TAB_HINTS[tab] if view else ""
        if is_other_tab:
            self.set_rows([])
        self.set_rows(list(_character_rows(view, tab)) if view else [])
        if is_other_tab:
            self.scroll_to_line(0)

    def row_highlighted(self, value: CharacterItem | None) -> None:
        self.refresh_bindings()

    def row_chosen(self, value: CharacterItem) -> None:
        self.action_look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "look":
            return isinstance(self.current, MemoryView | FactView)
        return super().check_action(action, parameters)

    def action_look(self) -> None:
        if self.current is not None:
            self.post_message(self.CharacterItemChosen(self.current))


def _character_rows(view: CharacterView, tab: CharacterTab) -> Iterator[ListRow[CharacterItem]]:
    match tab:
        case "sheet":
            entity = view.card.entity
            if entity.description:
                yield text_row("description", entity.description)
            if view.sheet is not None and view.sheet.rows:
                play_heading = f"Rules: {view.sheet.system or 'none'}. As in play now:"
                rules_heading = play_heading if view.scene_id else "In canon:"
                yield text_row("rules", f"\n{rules_heading}" if entity.description else rules_heading)
                for row in view.sheet.rows:
                    yield ListRow(f"{row.kind} {row.key}", partial(_sheet_lines, row), row, height=1)
                yield from (text_row(f"hint {n}", hint) for n, hint in enumerate(view.sheet.hints))
            elif entity.description:
                yield text_row("none", f"\n{EMPTY_TAB_HINTS['sheet']}")
        case "memories":
            for memory in view.memories:
                yield ListRow(memory.memory.id, partial(memory_lines, memory), memory)
        case "history":
            for n, scene in enumerate(view.scene_history):
                yield ListRow(f"scene {n}", partial(_scene_lines, scene), scene)
        case "facts":
            for fact in (*view.card.facts, *(fact for _, _, fact in view.card.relations), *view.card.history):
                yield ListRow(fact.fact.id, partial(_fact_lines, fact), fact)


def _sheet_lines(row: SheetRow, width: int) -> Sequence[Line]:
    return [sheet_line(row, NO_SHEET_EDIT, width)]


def _scene_lines(text: str, width: int) -> Sequence[Line]:
    return hanging_lines("≡", one_line(text), Ink.PROSE, [], width)


def _fact_lines(view: FactView, width: int) -> Sequence[Line]:
    return fact_lines(view, width)
