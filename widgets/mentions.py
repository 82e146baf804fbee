"""A page of things that are mentioned, in sections: facts, entities, scenes, proposals, plain lines.

Each row that stands for something leads to it; what rests on a retcon, what a merge moves, a timeline
and the ledger are all drawn by this one list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.play_views import FactView, ProposalView
from agents.views.world_views import SceneNote
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.entity_card import fact_lines, hanging
from widgets.ink import Ink, Line
from widgets.proposal_rows import proposal_line
from widgets.row_list import Row, RowList
from widgets.safe_text import one_line, wrap

Thing = FactView | Entity | SceneNote | ProposalView


@dataclass(frozen=True, slots=True)
class Mention:
    """What a row stands for. `note` is said of it, `lead` before it; `tag` is the screen's own word for it;
    `indent` steps it in."""

    thing: Thing
    note: str = ""
    tag: str = ""
    indent: int = 0
    lead: str = ""

    @property
    def fact(self) -> FactView | None:
        return self.thing if isinstance(self.thing, FactView) else None

    @property
    def key(self) -> str:
        match self.thing:
            case FactView():
                return self.thing.fact.id
            case Entity():
                return self.thing.id
            case ProposalView():
                return self.thing.proposal.id
            case SceneNote():
                return f"{self.thing.title} {self.thing.turn_id}"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it; without a heading, only that. `words` are plain lines; `count`
    (None: as many as there are mentions) is said behind the heading."""

    heading: str = ""
    mentions: Sequence[Mention] = ()
    words: Sequence[str] = ()
    count: int | None = None
    ink: Ink = field(default=Ink.MUTED)


class MentionList(RowList[Mention]):
    """Sections of mentions. The screen says what choosing one does."""

    HELP_TITLE: ClassVar[str] = "A list of what canon says"
    HELP_TEXT: ClassVar[str] = (
        "• true, ~ a rumour, ≠ a lie, ? disputed, × no longer so; ◆ a thing of the world, ≡ a scene. "
        "Enter or x leads to what a row stands for: what a fact rests on, a scene's words, a thing's card."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,x",
            "choose",
            "Look",
            id="mentions.choose",
            tooltip="What this rests on, or where it leads",
        ),
        Binding("o", "open", "Card", id="mentions.open", tooltip="The card of whom or what this is about"),
    ]

    @dataclass
    class Chosen(Message):
        """Show what this row stands for."""

        mention: Mention

    @dataclass
    class OpenEntity(Message):
        """Show the card of whom this is about."""

        entity_id: Id
        fact_id: Id | None

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another row."""

        mention: Mention | None

    def show(self, sections: Iterable[Section]) -> None:
        """Show these sections; the cursor stays on its row if that is still there."""
        self.set_rows(list(_rows(sections)))

    def highlighted(self, value: Mention | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value))

    def chosen(self, value: Mention) -> None:
        self.action_choose()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "choose":
            return self.current is not None
        if action == "open":
            return self.current is not None and _about(self.current) is not None
        return super().check_action(action, parameters)

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self.current))

    def action_open(self) -> None:
        if self.current is not None and (about := _about(self.current)):
            fact = self.current.fact
            self.post_message(self.OpenEntity(about, fact.fact.id if fact else None))


def _about(mention: Mention) -> Id | None:
    match mention.thing:
        case FactView():
            involves = mention.thing.fact.involves
            return involves[0].entity_id if involves else None
        case Entity():
            return mention.thing.id
        case _:
            return None


# --- rows -------------------------------------------------------------------------------------------


def _rows(sections: Iterable[Section]) -> Iterator[Row[Mention]]:
    for place, section in enumerate(sections):
        if section.heading:
            count = len(section.mentions) if section.count is None else section.count
            yield Row(f"heading {place}", partial(_heading, section.heading, count, place > 0))
        for n, words in enumerate(section.words):
            yield Row(f"words {place} {n}", partial(_words, words, section.ink))
        seen: dict[str, int] = {}
        for mention in section.mentions:
            again = seen[mention.key] = seen.get(mention.key, 0) + 1
            yield Row(f"{place} {mention.key} {again}", partial(mention_lines, mention), mention)


def mention_lines(mention: Mention, width: int) -> list[Line]:
    """Draw what a row stands for."""
    step = mention.indent * 2
    lines = _thing_lines(mention, width - step)
    return [[(" " * step, Ink.PROSE), *line] for line in lines] if step else lines


def _thing_lines(mention: Mention, width: int) -> list[Line]:
    thing = mention.thing
    match thing:
        case FactView():
            lines = fact_lines(thing, width)
        case Entity():
            gone = thing.status.value != "canonical"
            notes = [thing.kind.value, *([thing.status.value] if gone else [])]
            words = f"{mention.lead} {one_line(thing.name)}".strip()
            lines = hanging("×" if gone else "◆", words, Ink.PROSE, notes, width)
        case SceneNote():
            lines = hanging("≡", one_line(thing.title), Ink.PROSE, [], width)
        case ProposalView():
            lines = [proposal_line(thing, width)]
    note = [[("   ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(mention.note, width - 5)]
    return [*lines, *note] if mention.note else lines


def _heading(name: str, count: int, gap: bool, width: int) -> list[Line]:
    head: list[Line] = [[(f" {part} ", Ink.STRONG)] for part in wrap(one_line(name), width - 8)]
    if count:
        head[-1] = [*head[-1], (str(count), Ink.MUTED)]
    return [[], *head] if gap else head


def _words(words: str, ink: Ink, width: int) -> list[Line]:
    return [[(" ", ink), (part, ink)] for part in wrap(words, width - 3)]
