"""The quotes, rolls, pages and manual edits that a record rests on, and the place of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.proposals.evidence import show_words
from agents.views.world_views import EvidenceSource
from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id
from stores.records.play import Resolution
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, wrap

_KIND_LABELS = {
    EvidenceKind.TURN: ("❝", "quote"),
    EvidenceKind.RESOLUTION: ("⚄", "roll"),
    EvidenceKind.CHUNK: ("¶", "page"),
    EvidenceKind.SCENE: ("≡", "scene"),
    EvidenceKind.MANUAL: ("✎", "edit"),
}
_MAX_QUOTE_LINES = 4


def evidence_lines(basis: EvidenceSource, width: int) -> list[Line]:
    """Return one piece of evidence: its kind, author and place, then its words or dice."""
    evidence = basis.evidence
    sign, word = _KIND_LABELS[evidence.kind]
    head = " · ".join(filter(None, [word, basis.who, basis.place]))
    lines: list[Line] = [
        [(f" {sign} " if n == 0 else "   ", Ink.NPC), (part, Ink.STRONG)]
        for n, part in enumerate(wrap(one_line(head), width - 3))
    ]
    words = show_words(one_line(evidence.quote), is_quotation=evidence.is_quotation)
    quote = wrap(words, width - 4) if words else []
    if len(quote) > _MAX_QUOTE_LINES:
        quote = [
            *quote[: _MAX_QUOTE_LINES - 1],
            ellipsise(" ".join(quote[_MAX_QUOTE_LINES - 1 :]), width - 4),
        ]
    lines += [[("   ", Ink.PROSE), (part, Ink.QUOTE)] for part in quote]
    if basis.resolution is not None:
        resolution_text = " · ".join(_resolution_details(basis.resolution))
        lines += [[("   ", Ink.PROSE), (part, Ink.MUTED)] for part in wrap(resolution_text, width - 4)]
    return lines


def _resolution_details(result: Resolution) -> Iterator[str]:
    """Yield what a sealed result has besides its line: the intent, and every die as it fell."""
    if intent := one_line(result.intent):
        yield f"for “{ellipsise(intent, 60)}”"
    if faces := " ".join(f"{die.sides}:{die.face}{'×' if die.dropped else ''}" for die in result.dice):
        yield f"dice {faces}"
    if result.effects:
        yield ", ".join(map(one_line, result.effects))


class EvidenceList(RowList[EvidenceSource]):
    """Evidence by row; Enter opens the turn or the page, if there is one."""

    HELP_TITLE: ClassVar[str] = "Evidence"
    HELP_TEXT: ClassVar[str] = (
        "❝ a quote from a turn, ⚄ a sealed roll, ¶ a page of a document, ≡ a scene, ✎ your own edit. Enter "
        "goes to the turn, where x shows what it made true, or to the page."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "jump", "Go to turn", id="evidence.jump", tooltip="The turn that this is from"),
        Binding(
            "enter,x", "open_page", "Open", id="evidence.open_page", tooltip="The page that this is from"
        ),
    ]

    @dataclass
    class TurnRequested(Message):
        """The turn of a piece of evidence is to be shown in its scene."""

        turn_id: Id
        evidence: Evidence

    @dataclass
    class PageRequested(Message):
        """The page of a piece of evidence is to be shown."""

        evidence: Evidence

    def __init__(
        self,
        *,
        empty: str = "No quote: you declared it.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)

    def show_evidence(self, bases: Sequence[EvidenceSource]) -> None:
        """Show this evidence."""
        self.set_rows([ListRow(b.evidence.id, partial(self._draw_evidence, b), b) for b in bases])

    def _draw_evidence(self, basis: EvidenceSource, width: int) -> list[Line]:
        return [*evidence_lines(basis, width), []]

    def row_chosen(self, value: EvidenceSource) -> None:
        self.action_jump()
        self.action_open_page()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "jump":
            return self.current is not None and self.current.turn_id is not None
        if action == "open_page":
            return self.current is not None and self.current.evidence.page is not None
        return super().check_action(action, parameters)

    def row_highlighted(self, value: EvidenceSource | None) -> None:
        self.refresh_bindings()

    def action_jump(self) -> None:
        if self.current is not None and self.current.turn_id is not None:
            self.post_message(self.TurnRequested(self.current.turn_id, self.current.evidence))

    def action_open_page(self) -> None:
        if self.current is not None and self.current.evidence.page is not None:
            self.post_message(self.PageRequested(self.current.evidence))
