"""A list of records in sections: facts, entities, scenes, proposals, plain lines.

Retcon previews, merges, the timeline and the ledger are all drawn by this one list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.card_views import FactView
from agents.views.proposal_views import ProposalView
from agents.views.world_views import SceneReference
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.entity_card import fact_lines, hanging_lines
from widgets.ink import Ink, Line
from widgets.proposal_rows import proposal_line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, wrap

Mentionable = FactView | Entity | SceneReference | ProposalView


@dataclass(frozen=True, slots=True)
class CanonMention:
    """The record of a row.

    `note` follows it, `lead` precedes it; `tag` is the screen's own value for it; `indent` is in cells; `number`
    is what commands name it by (0: nothing).
    """

    mentioned: Mentionable
    note: str = ""
    tag: str = ""
    indent: int = 0
    lead: str = ""
    number: int = 0

    @property
    def fact(self) -> FactView | None:
        return self.mentioned if isinstance(self.mentioned, FactView) else None

    @property
    def key(self) -> str:
        match self.mentioned:
            case FactView():
                return self.mentioned.fact.id
            case Entity():
                return self.mentioned.id
            case ProposalView():
                return self.mentioned.proposal.id
            case SceneReference():
                return f"{self.mentioned.title} {self.mentioned.turn_id}"


@dataclass(frozen=True, slots=True)
class MentionSection:
    """A heading and its rows; without a heading, only rows.

    `words` are plain lines; `count` (None: the number of mentions) follows the heading.
    """

    heading: str = ""
    mentions: Sequence[CanonMention] = ()
    text_lines: Sequence[str] = ()
    count: int | None = None
    ink: Ink = field(default=Ink.MUTED)


class MentionList(RowList[CanonMention]):
    """Sections of mentions. The screen says what choosing one does."""

    HELP_TITLE: ClassVar[str] = "List"
    HELP_TEXT: ClassVar[str] = (
        "• true, ~ a rumour, ≠ a lie, ? disputed, × no longer true; ◆ an entity, ≡ a scene. "
        "Enter or x opens a row: the evidence of a fact, the turns of a scene, the card of an entity."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,x",
            "choose",
            "Look",
            id="mentions.choose",
            tooltip="The evidence, or where it leads",
        ),
        Binding("o", "open", "Card", id="mentions.open", tooltip="The card of this entity"),
    ]

    @dataclass
    class MentionChosen(Message):
        """The record of this row is to be shown."""

        mention: CanonMention

    @dataclass
    class EntityOpened(Message):
        """The card of the row's entity is to be shown."""

        entity_id: Id
        fact_id: Id | None

    @dataclass
    class Highlighted(Message):
        """The cursor is on another row."""

        mention: CanonMention | None

    def show_sections(self, sections: Iterable[MentionSection]) -> None:
        """Show these sections; the cursor stays on its row if that is still there."""
        self.set_rows(list(_mention_rows(sections)))

    def move_to_fact(self, fact_id: Id) -> None:
        """Put the cursor on the row of a fact, if there is one."""
        rows = enumerate(self.rows)
        self.cursor = next((i for i, row in rows if row.value and row.value.key == fact_id), self.cursor)

    def row_highlighted(self, value: CanonMention | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value))

    def row_chosen(self, value: CanonMention) -> None:
        self.action_choose()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose":
            return self.current is not None
        if action == "open":
            return self.current is not None and _entity_id_of(self.current) is not None
        return super().check_action(action, parameters)

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.MentionChosen(self.current))

    def action_open(self) -> None:
        if self.current is not None and (about := _entity_id_of(self.current)):
            fact = self.current.fact
            self.post_message(self.EntityOpened(about, fact.fact.id if fact else None))


def _entity_id_of(mention: CanonMention) -> Id | None:
    match mention.mentioned:
        case FactView():
            involves = mention.mentioned.fact.involves
            return involves[0].entity_id if involves else None
        case Entity():
            return mention.mentioned.id
        case _:
            return None


# --- rows -------------------------------------------------------------------------------------------


def _mention_rows(sections: Iterable[MentionSection]) -> Iterator[ListRow[CanonMention]]:
    for section_index, section in enumerate(sections):
        if section.heading:
            count = len(section.mentions) if section.count is None else section.count
            yield ListRow(
                f"heading {section_index}", partial(_heading_lines, section.heading, count, section_index > 0)
            )
        for n, text in enumerate(section.text_lines):
            yield ListRow(f"words {section_index} {n}", partial(_text_lines, text, section.ink))
        count_by_key: dict[str, int] = {}
        for mention in section.mentions:
            occurrence = count_by_key[mention.key] = count_by_key.get(mention.key, 0) + 1
            yield ListRow(
                f"{section_index} {mention.key} {occurrence}", partial(mention_lines, mention), mention
            )


def mention_lines(mention: CanonMention, width: int) -> list[Line]:
    """Return the lines of a row's record."""
    step = " " * (mention.indent * 2)
    number = f"{mention.number:>3}." if mention.number else ""
    lines = _mentioned_lines(mention, width - len(step) - len(number))
    if not step and not number:
        return lines
    leads = [step + number, *[step + " " * len(number)] * (len(lines) - 1)]
    return [[(lead, Ink.MUTED), *line] for lead, line in zip(leads, lines, strict=True)]


def _mentioned_lines(mention: CanonMention, width: int) -> list[Line]:
    mentioned = mention.mentioned
    match mentioned:
        case FactView():
            lines = fact_lines(mentioned, width)
        case Entity():
            is_removed = mentioned.status.value != "canonical"
            notes = [mentioned.kind.value, *([mentioned.status.value] if is_removed else [])]
            name_text = f"{mention.lead} {one_line(mentioned.name)}".strip()
            lines = hanging_lines("×" if is_removed else "◆", name_text, Ink.PROSE, notes, width)
        case SceneReference():
            lines = hanging_lines("≡", one_line(mentioned.title), Ink.PROSE, [], width)
        case ProposalView():
            lines = [proposal_line(mentioned, width)]
    note = [[("   ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(mention.note, width - 5)]
    return [*lines, *note] if mention.note else lines


def _heading_lines(name: str, count: int, with_gap: bool, width: int) -> list[Line]:
    head: list[Line] = [[(f" {part} ", Ink.STRONG)] for part in wrap(one_line(name), width - 8)]
    if count:
        head[-1] = [*head[-1], (str(count), Ink.MUTED)]
    return [[], *head] if with_gap else head


def _text_lines(text: str, ink: Ink, width: int) -> list[Line]:
    return [[(" ", ink), (part, ink)] for part in wrap(text, width - 3)]
