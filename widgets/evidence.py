"""The very words, rolls and pages that something rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id
from widgets.ink import Ink, Line
from widgets.row_list import Row, RowList
from widgets.safe_text import ellipsise, one_line, wrap

_KINDS = {
    EvidenceKind.TURN: ("❝", "words"),
    EvidenceKind.RESOLUTION: ("⚄", "roll"),
    EvidenceKind.CHUNK: ("¶", "book"),
    EvidenceKind.SCENE: ("≡", "scene"),
    EvidenceKind.MANUAL: ("✎", "by hand"),
}
_QUOTE_LINES = 4


def evidence_lines(evidence: Evidence, width: int, turn: int | None = None) -> list[Line]:
    """Draw one piece of evidence: what it is and where, then its words."""
    sign, word = _KINDS[evidence.kind]
    places = [word]
    if turn is not None:
        places.append(f"turn {turn}")
    if evidence.page is not None:
        places.append(f"page {evidence.page}")
    lines: list[Line] = [[(f" {sign} ", Ink.NPC), (ellipsise(" · ".join(places), width - 3), Ink.STRONG)]]
    quote = wrap(f"“{one_line(evidence.quote)}”", width - 4) if one_line(evidence.quote) else []
    if len(quote) > _QUOTE_LINES:
        quote = [*quote[: _QUOTE_LINES - 1], ellipsise(" ".join(quote[_QUOTE_LINES - 1 :]), width - 4)]
    lines += [[("   ", Ink.PROSE), (part, Ink.QUOTE)] for part in quote]
    return lines


class EvidenceList(RowList[Evidence]):
    """Evidence by row; Enter jumps to the turn, where there is one."""

    HELP_TITLE: ClassVar[str] = "Evidence"
    HELP_TEXT: ClassVar[str] = (
        "❝ words of a turn, ⚄ a sealed roll, ¶ a page of a book, ≡ a scene, ✎ written by hand. "
        "Enter jumps to the turn."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "jump", "Go to turn", id="evidence.jump", tooltip="Show the turn this was said in"),
    ]

    @dataclass
    class Jump(Message):
        """Show this turn in its scene."""

        turn_id: Id

    def __init__(
        self,
        *,
        empty: str = "It rests on nothing but your word.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)

    def show(self, evidence: Sequence[Evidence], turns: Mapping[Id, int] | None = None) -> None:
        """Show this evidence; `turns` gives the numbers of turns by id, where they are known."""
        numbers = turns or {}
        self.set_rows(
            [
                Row(e.id, partial(self._draw, e, numbers.get(e.turn_id) if e.turn_id else None), e)
                for e in evidence
            ]
        )

    def _draw(self, evidence: Evidence, turn: int | None, width: int) -> list[Line]:
        return [*evidence_lines(evidence, width, turn), []]

    def chosen(self, value: Evidence) -> None:
        self.action_jump()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "jump":
            return self.current is not None and self.current.turn_id is not None
        return super().check_action(action, parameters)

    def action_jump(self) -> None:
        if self.current is not None and self.current.turn_id is not None:
            self.post_message(self.Jump(self.current.turn_id))
