"""The card of one entity: everything canon says of it, by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.typed_numbers import living_numbers
from agents.views.card_views import EntityCard, FactView
from agents.views.proposal_views import ProposalView
from stores.records.canon import FactStatus, Standing
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, Number
from widgets.ink import Ink, Line, Piece
from widgets.numbers import numbers_text
from widgets.proposal_rows import proposal_line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, wrap

_SIGNS = {Standing.TRUE: "•", Standing.RUMOUR: "~", Standing.LIE: "≠", Standing.DISPUTED: "?"}


@dataclass(frozen=True, slots=True)
class CardRow:
    """The record of a row: a fact, and the other entity if it is a relation."""

    fact: FactView
    other: Entity | None = None


class EntityCardView(RowList[CardRow]):
    """The card of one entity: description, state, facts, relations, history."""

    HELP_TITLE: ClassVar[str] = "Entity card"
    HELP_TEXT: ClassVar[str] = (
        "• true, ~ a rumour, ≠ a lie, ? disputed; ❝ counts the evidence. Enter or x shows "
        "what a fact rests on, o opens the other end of a relation."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "evidence", "Evidence", id="card.evidence", tooltip="Show the evidence"),
        Binding("o", "open", "Open", id="card.open", tooltip="Open the other end of this relation"),
    ]

    @dataclass
    class EvidenceRequested(Message):
        """The evidence of this fact is to be shown."""

        fact_view: FactView

    @dataclass
    class RelatedEntityOpened(Message):
        """The other entity of a relation is to be shown."""

        entity: Entity

    @dataclass
    class Highlighted(Message):
        """The cursor is on a fact or relation."""

        fact_view: FactView | None
        other: Entity | None

    def __init__(
        self,
        *,
        empty: str = "Choose an entity to see what canon says about it.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self.card: EntityCard | None = None

    def show_card(self, card: EntityCard | None, waiting_proposals: Sequence[ProposalView] = ()) -> None:
        """Show this card, and what waits at the gate to change it; the cursor stays on its fact."""
        is_other_entity = self.card is None or card is None or self.card.entity.id != card.entity.id
        self.card = card
        if is_other_entity:
            self.set_rows([])
        self.set_rows(list(card_rows(card, waiting_proposals)) if card else [])
        if is_other_entity:
            self.scroll_to_line(0)

    def _show_cursor(self) -> None:
        """Scroll to the cursor; the head of the card stays in view until the cursor moves down."""
        if self.has_focus:
            super()._show_cursor()

    def on_focus(self) -> None:
        self._show_cursor()

    def move_cursor_to(self, fact_id: Id) -> None:
        """Put the cursor on a fact."""
        rows = enumerate(self.rows)
        row_index = next((n for n, row in rows if row.value and row.value.fact.fact.id == fact_id), None)
        if row_index is not None:
            self.cursor = row_index

    def row_highlighted(self, value: CardRow | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value.fact if value else None, value.other if value else None))

    def row_chosen(self, value: CardRow) -> None:
        self.action_evidence()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "evidence":
            return self.current is not None
        if action == "open":
            return self.current is not None and self.current.other is not None
        return super().check_action(action, parameters)

    def action_evidence(self) -> None:
        if self.current is not None:
            self.post_message(self.EvidenceRequested(self.current.fact))

    def action_open(self) -> None:
        if self.current is not None and self.current.other is not None:
            self.post_message(self.RelatedEntityOpened(self.current.other))


# --- the card's rows --------------------------------------------------------------------------------


def card_rows(card: EntityCard, waiting_proposals: Sequence[ProposalView] = ()) -> Iterator[ListRow[CardRow]]:
    """Yield the card from top to bottom."""
    yield from _head_rows(card.entity, card.appearance_titles)
    if waiting_proposals:
        yield _heading_row("Proposed, not in canon yet", len(waiting_proposals))
        for proposal in waiting_proposals:
            yield ListRow(f"waiting {proposal.proposal.id}", partial(_waiting_lines, proposal), height=1)
    if card.facts:
        yield _heading_row("Facts", len(card.facts))
        for view in card.facts:
            yield ListRow(f"fact {view.fact.id}", partial(fact_lines, view), CardRow(view))
    if card.relations:
        yield _heading_row("Relations", len(card.relations))
        for label, other, view in card.relations:
            yield ListRow(
                f"relation {view.fact.id} {other.id}",
                partial(_relation_lines, label, other, view),
                CardRow(view, other),
            )
    if card.history:
        yield _heading_row("History", len(card.history))
        for view in card.history:
            yield ListRow(f"history {view.fact.id}", partial(fact_lines, view), CardRow(view))
    if not (card.facts or card.relations or card.history):
        yield _text_row("nothing", "No facts yet.", Ink.MUTED)


def _head_rows(entity: Entity, appears_in: Sequence[str]) -> Iterator[ListRow[CardRow]]:
    signs = ["player character" if entity.is_pc else entity.kind.value]
    if entity.locked:
        signs.append("protected")
    if entity.status is not EntityStatus.CANONICAL:
        signs.append(entity.status.value)
    yield _text_row("name", one_line(entity.name), Ink.HEADING)
    yield _text_row("signs", " · ".join(signs), Ink.MUTED)
    if entity.aliases:
        yield _text_row("aliases", "also " + ", ".join(map(one_line, entity.aliases)), Ink.MUTED)
    if entity.description.strip():
        yield _single_line_row("gap description", [])
        yield _text_row("description", entity.description.strip(), Ink.PROSE)
    state = _state_text(living_numbers(entity.numbers, entity.tags), entity.tags)
    if state:
        yield _single_line_row("gap state", [])
        yield _text_row("state", state, Ink.STRONG)
    if appears_in:
        yield _text_row("appears", "appears in " + ", ".join(map(one_line, appears_in)), Ink.MUTED)


def _state_text(numbers: Mapping[str, Number], tags: Sequence[str]) -> str:
    return "   ".join(filter(None, (numbers_text(numbers), ", ".join(map(one_line, tags)))))


def _waiting_lines(view: ProposalView, width: int) -> list[Line]:
    return [proposal_line(view, width)]


def fact_lines(view: FactView, width: int) -> list[Line]:
    """Return a fact with its standing, its time and the amount of its evidence."""
    fact = view.fact
    is_past = not view.is_current
    notes = []
    if fact.standing is not Standing.TRUE:
        notes.append(fact.standing.value)
    if view.secret_note:
        notes.append(one_line(view.secret_note))
    if is_past:
        notes.append("superseded" if view.superseded_by else _end_word(view))
    if view.when:
        notes.append(one_line(view.when))
    notes.append(f"❝{len(view.evidence)}")
    if view.superseded_by:
        notes.append(f"now: {one_line(view.superseded_by)}")
    sign = "×" if is_past else _SIGNS[fact.standing]
    return hanging_lines(sign, one_line(fact.statement), Ink.STRUCK if is_past else Ink.PROSE, notes, width)


def _end_word(view: FactView) -> str:
    return "retconned" if view.fact.status is FactStatus.RETCONNED else "ended"


def _relation_lines(label: str, other: Entity, view: FactView, width: int) -> list[Line]:
    all_notes = (one_line(view.secret_note), one_line(view.when), f"❝{len(view.evidence)}")
    notes = [note for note in all_notes if note]
    sign = _SIGNS[view.fact.standing] if view.is_current else "×"
    text = f"{one_line(label)} {one_line(other.name)}"
    return hanging_lines(sign, text, Ink.PROSE if view.is_current else Ink.STRUCK, notes, width)


def hanging_lines(sign: str, text: str, ink: Ink, notes: Sequence[str], width: int) -> list[Line]:
    """Return text after a sign, with a hanging indent and muted notes at the end."""
    space = max(8, width - 5)
    lines: list[list[Piece]] = [[("   ", Ink.PROSE), (part, ink)] for part in wrap(text, space)]
    lines[0][0] = (f" {sign} ", Ink.NPC)
    note = " · ".join(notes)
    used = sum(len(part) for part, _ in lines[-1])
    if used + len(note) + 2 <= width - 1:
        lines[-1].append((f"  {note}", Ink.MUTED))
    else:
        lines += [[("   ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(note, space)]
    return list(lines)


def _heading_row(name: str, count: int) -> ListRow[CardRow]:
    draw: Callable[[int], list[Line]] = lambda width: [  # noqa: E731
        [],
        [(f" {name} ", Ink.STRONG), (str(count), Ink.MUTED)],
    ]
    return ListRow(f"heading {name}", draw, height=2)


def _single_line_row(key: str, line: Line) -> ListRow[CardRow]:
    return ListRow(key, lambda width: [line], height=1)


def _text_row(key: str, text: str, ink: Ink) -> ListRow[CardRow]:
    return ListRow(key, lambda width: [[(" ", ink), (part, ink)] for part in wrap(text, width - 3)])
