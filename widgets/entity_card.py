"""Everything canon says of one entity, on one scrolled card whose facts can be stood on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.play_views import EntityCard, FactView, ProposalView
from stores.records.canon import FactStatus, Standing
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, Number
from widgets.ink import Ink, Line, Piece
from widgets.numbers import numbers_text
from widgets.proposal_rows import proposal_line
from widgets.row_list import Row, RowList
from widgets.safe_text import one_line, wrap

_SIGNS = {Standing.TRUE: "•", Standing.RUMOUR: "~", Standing.LIE: "≠", Standing.DISPUTED: "?"}


@dataclass(frozen=True, slots=True)
class CardRow:
    """What a row of the card stands for: a fact, and the other entity if it is a relation."""

    fact: FactView
    other: Entity | None = None


class EntityCardView(RowList[CardRow]):
    """The card of one entity: description, state, facts, relations, history."""

    HELP_TITLE: ClassVar[str] = "Entity card"
    HELP_TEXT: ClassVar[str] = (
        "• true, ~ a rumour, ≠ a lie, ? disputed; the number after ❝ counts the evidence. Enter or x shows "
        "what a fact rests on, o opens the other end of a relation."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "evidence", "Evidence", id="card.evidence", tooltip="Show what this rests on"),
        Binding("o", "open", "Open", id="card.open", tooltip="Open the other end of this relation"),
    ]

    @dataclass
    class ShowEvidence(Message):
        """Show what this fact rests on."""

        fact_view: FactView

    @dataclass
    class OpenEntity(Message):
        """Show the other end of a relation."""

        entity: Entity

    @dataclass
    class Highlighted(Message):
        """The cursor stands on a fact or relation."""

        fact_view: FactView | None
        other: Entity | None

    def __init__(
        self,
        *,
        empty: str = "Choose an entity to see all that canon says of it.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self.card: EntityCard | None = None

    def show(self, card: EntityCard | None, waiting: Sequence[ProposalView] = ()) -> None:
        """Show this card, and what waits at the gate to change it; the cursor stays on its fact if it is
        still there."""
        other = self.card is None or card is None or self.card.entity.id != card.entity.id
        self.card = card
        if other:
            self.set_rows([])
        self.set_rows(list(card_rows(card, waiting)) if card else [])
        if other:
            self.move_view(0)

    def _show_cursor(self) -> None:
        """The head of the card stays in view until somebody walks down it."""
        if self.has_focus:
            super()._show_cursor()

    def on_focus(self) -> None:
        self._show_cursor()

    def stand_on(self, fact_id: Id) -> None:
        """Put the cursor on a fact, wherever on the card it stands."""
        rows = enumerate(self.rows)
        place = next((n for n, row in rows if row.value and row.value.fact.fact.id == fact_id), None)
        if place is not None:
            self.cursor = place

    def highlighted(self, value: CardRow | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value.fact if value else None, value.other if value else None))

    def chosen(self, value: CardRow) -> None:
        self.action_evidence()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "evidence":
            return self.current is not None
        if action == "open":
            return self.current is not None and self.current.other is not None
        return super().check_action(action, parameters)

    def action_evidence(self) -> None:
        if self.current is not None:
            self.post_message(self.ShowEvidence(self.current.fact))

    def action_open(self) -> None:
        if self.current is not None and self.current.other is not None:
            self.post_message(self.OpenEntity(self.current.other))


# --- the card's rows --------------------------------------------------------------------------------


def card_rows(card: EntityCard, waiting: Sequence[ProposalView] = ()) -> Iterator[Row[CardRow]]:
    """Yield the card from top to bottom."""
    yield from _head(card.entity, card.appears_in)
    if waiting:
        yield _heading("Proposed, not in canon yet", len(waiting))
        for proposal in waiting:
            yield Row(f"waiting {proposal.proposal.id}", partial(_waiting_line, proposal), height=1)
    if card.facts:
        yield _heading("Facts", len(card.facts))
        for view in card.facts:
            yield Row(f"fact {view.fact.id}", partial(fact_lines, view), CardRow(view))
    if card.relations:
        yield _heading("Relations", len(card.relations))
        for role, other, view in card.relations:
            yield Row(
                f"relation {view.fact.id} {other.id}",
                partial(_relation_lines, role, other, view),
                CardRow(view, other),
            )
    if card.history:
        yield _heading("History", len(card.history))
        for view in card.history:
            yield Row(f"history {view.fact.id}", partial(fact_lines, view), CardRow(view))
    if not (card.facts or card.relations or card.history):
        yield _text("nothing", "Canon says nothing of it yet.", Ink.MUTED)


def _head(entity: Entity, appears_in: Sequence[str]) -> Iterator[Row[CardRow]]:
    signs = ["player character" if entity.is_pc else entity.kind.value]
    if entity.locked:
        signs.append("locked")
    if entity.status is not EntityStatus.CANONICAL:
        signs.append(entity.status.value)
    yield _text("name", one_line(entity.name), Ink.HEADING)
    yield _text("signs", " · ".join(signs), Ink.MUTED)
    if entity.aliases:
        yield _text("aliases", "also " + ", ".join(map(one_line, entity.aliases)), Ink.MUTED)
    if entity.description.strip():
        yield _line("gap description", [])
        yield _text("description", entity.description.strip(), Ink.PROSE)
    state = _state(entity.numbers, entity.tags)
    if state:
        yield _line("gap state", [])
        yield _text("state", state, Ink.STRONG)
    if appears_in:
        yield _text("appears", "appears in " + ", ".join(map(one_line, appears_in)), Ink.MUTED)


def _state(numbers: dict[str, Number], tags: Sequence[str]) -> str:
    return "   ".join(filter(None, (numbers_text(numbers), ", ".join(map(one_line, tags)))))


def _waiting_line(view: ProposalView, width: int) -> list[Line]:
    return [proposal_line(view, width)]


def fact_lines(view: FactView, width: int) -> list[Line]:
    """Draw a fact with its standing, its time and how much it rests on."""
    fact = view.fact
    gone = not view.current
    notes = []
    if fact.standing is not Standing.TRUE:
        notes.append(fact.standing.value)
    if gone:
        notes.append("superseded" if view.superseded_by else _how_it_ended(view))
    if view.when:
        notes.append(one_line(view.when))
    notes.append(f"❝{len(view.evidence)}")
    if view.superseded_by:
        notes.append(f"now: {one_line(view.superseded_by)}")
    sign = "×" if gone else _SIGNS[fact.standing]
    return hanging(sign, one_line(fact.statement), Ink.STRUCK if gone else Ink.PROSE, notes, width)


def _how_it_ended(view: FactView) -> str:
    return "retconned" if view.fact.status is FactStatus.RETCONNED else "ended"


def _relation_lines(role: str, other: Entity, view: FactView, width: int) -> list[Line]:
    notes = [note for note in (one_line(view.when), f"❝{len(view.evidence)}") if note]
    sign = _SIGNS[view.fact.standing] if view.current else "×"
    text = f"{one_line(role)} → {one_line(other.name)}"
    return hanging(sign, text, Ink.PROSE if view.current else Ink.STRUCK, notes, width)


def hanging(sign: str, text: str, ink: Ink, notes: Sequence[str], width: int) -> list[Line]:
    """Draw text after a sign, its further lines indented, its notes muted at the end."""
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


def _heading(name: str, count: int) -> Row[CardRow]:
    draw: Callable[[int], list[Line]] = lambda width: [  # noqa: E731
        [],
        [(f" {name} ", Ink.STRONG), (str(count), Ink.MUTED)],
    ]
    return Row(f"heading {name}", draw, height=2)


def _line(key: str, line: Line) -> Row[CardRow]:
    return Row(key, lambda width: [line], height=1)


def _text(key: str, text: str, ink: Ink) -> Row[CardRow]:
    return Row(key, lambda width: [[(" ", ink), (part, ink)] for part in wrap(text, width - 3)])
