"""A conflict: a pane for each of its two sides, and the rulings by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.proposals.evidence import show_words
from agents.typed_numbers import living_numbers
from agents.views.card_views import EntityCard
from agents.views.conflict_views import ConflictStatement, RulingOption, RulingVariant
from agents.views.world_views import EvidenceSource
from widgets.ink import Ink, Line
from widgets.numbers import numbers_text
from widgets.row_list import ListRow, RowList
from widgets.safe_text import content, one_line, wrap
from widgets.single_keys import SingleKeys

MAX_FACTS = 40
"""Facts of an entity that its pane shows."""


class StatementPane(VerticalScroll):
    """One side: its statement, standing and evidence. Scrolls when focused."""

    HELP_TITLE: ClassVar[str] = "One statement"
    HELP_TEXT: ClassVar[str] = "What is said, whether it is canon, when, and by whom; below it the evidence."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", id="side.up", tooltip="A line up", show=False),
        Binding("down,j", "scroll_down", "Down", id="side.down", tooltip="A line down", show=False),
    ]
    DEFAULT_CSS = """
    StatementPane {
        width: 1fr;
        height: 1fr;
        padding: 0 1;
        border: round $border-blurred;
        border-title-color: $text-muted;
        scrollbar-size-vertical: 1;
        &:focus { border: heavy $primary; border-title-color: $primary; border-title-style: bold; }
        & > Static { width: 1fr; }
    }
    """

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show_statement(self, title: str, statement: ConflictStatement | None) -> None:
        """Show this statement under a heading."""
        self.border_title = title
        lines = (
            []
            if statement is None
            else _card_lines(statement, statement.card)
            if statement.card
            else _statement_lines(statement)
        )
        self.query_one(Static).update(Content("\n").join(lines))
        self.scroll_home(animate=False)


def _statement_lines(statement: ConflictStatement) -> Iterator[Content]:
    yield content(one_line(statement.text), "bold")
    yield content(_standing_sentence(statement), "$text-muted")
    yield from _evidence_lines(statement.evidence)


def _standing_sentence(statement: ConflictStatement) -> str:
    """Return how far it may be relied on, from when, and by whose word, as a sentence."""
    words = ", ".join(filter(None, (statement.standing, statement.when, statement.authority)))
    return f"{words[:1].upper()}{words[1:]}."


def _card_lines(statement: ConflictStatement, card: EntityCard) -> Iterator[Content]:
    entity = card.entity
    yield Content.assemble((one_line(entity.name), "bold"), (f"  {entity.kind}", "$text-muted"))
    yield content(_standing_sentence(statement), "$text-muted")
    if entity.aliases:
        yield content(f"also {', '.join(map(one_line, entity.aliases))}")
    if entity.description:
        yield content(one_line(entity.description))
    numbers = numbers_text(living_numbers(entity.numbers, entity.tags))
    state = [*filter(None, [numbers]), *map(one_line, entity.tags)]
    if state:
        yield content(" · ".join(state), "$text-secondary")
    facts = [*card.facts, *(view for _, _, view in card.relations)]
    for view in facts[:MAX_FACTS]:
        when = f"  {view.when}" if view.when else ""
        yield Content.assemble(f"• {one_line(view.fact.statement)}", (when, "$text-muted"))
    if len(facts) > MAX_FACTS:
        yield content(f"and {len(facts) - MAX_FACTS} more", "$text-muted")
    if not facts:
        yield content("No facts yet.", "$text-muted")
    yield from _evidence_lines(statement.evidence)


def _evidence_lines(evidence: Sequence[EvidenceSource]) -> Iterator[Content]:
    if not evidence:
        yield content("No quote: you declared it.", "$text-muted")
    for piece in evidence:
        words = show_words(one_line(piece.evidence.quote), is_quotation=piece.evidence.is_quotation)
        if words:
            yield content(words, "italic")
        if source := ", ".join(filter(None, (piece.who, piece.place))):
            yield content(f"  {'by' if piece.who else 'from'} {one_line(source)}", "$text-muted")


def find_readable_source(statement: ConflictStatement | None) -> EvidenceSource | None:
    """Return the best evidence of a statement that leads to a turn or a page, if there is one."""
    evidence = statement.evidence if statement else ()
    return next((source for source in evidence if source.turn_id or source.evidence.page is not None), None)


class RulingOptionList(RowList[RulingOption | RulingVariant], SingleKeys):
    """Rulings, or the variants of one: a row's number moves to it, Enter takes it."""

    HELP_TITLE: ClassVar[str] = "Ways to resolve it"
    HELP_TEXT: ClassVar[str] = (
        "Each row is one way to resolve it; none is chosen yet. Its number or ↓ moves to it, below stands what it "
        "would do, and Enter takes it; Esc leaves it undecided. It is written at once, and you are not asked "
        "about these two again."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Resolve", id="ways.take", tooltip="Resolve it this way", key_display="⏎"),
        *(
            Binding(f"{n}", f"number({n})", f"Row {n}", id=f"ways.{n}", tooltip=f"To row {n}", show=False)
            for n in range(1, 10)
        ),
    ]

    @dataclass
    class Highlighted(Message):
        """The cursor is on another row."""

        value: RulingOption | RulingVariant | None

    @dataclass
    class OptionTaken(Message):
        """The option that the GM chose."""

        value: RulingOption | RulingVariant

    def show_options(self, options: Sequence[RulingOption | RulingVariant]) -> None:
        """Show these, with the cursor on none: Enter alone makes nothing canon."""
        self.set_rows(
            [
                ListRow(f"{n} {v.words}", partial(_option_lines, n, v), v)
                for n, v in enumerate(options, start=1)
            ],
            selects_row=False,
        )

    def row_highlighted(self, value: RulingOption | RulingVariant | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value))

    def row_chosen(self, value: RulingOption | RulingVariant) -> None:
        self.action_take()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "take":
            return self.current is not None
        return super().check_action(action, parameters)

    def action_number(self, number: int) -> None:
        if number <= len(self.rows):
            self.cursor = number - 1

    def action_take(self) -> None:
        if self.current is not None:
            self.post_message(self.OptionTaken(self.current))


def _option_lines(number: int, option: RulingOption | RulingVariant, width: int) -> list[Line]:
    leads_further = isinstance(option, RulingOption) and (option.variants or option.asks)
    first, *rest = wrap(one_line(option.words) + (" …" if leads_further else ""), width - 5)
    return [
        [(f" {number}  ", Ink.YOU), (first, Ink.PROSE)],
        *([("    ", Ink.PROSE), (line, Ink.PROSE)] for line in rest),
    ]
