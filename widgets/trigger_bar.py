"""A bar over the prompt that offers a commit after a critical proposal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from widgets.safe_text import content, ellipsise, wrap

_QUESTION_OF_ONE = "Enter: make it canon now · Esc: decide at scene end"
_QUESTION_OF_MANY = "Enter: make these {count} canon now · Esc: decide at scene end"
_PASSED_QUESTION = "Offered earlier · F3: gate · Esc: later"
_PASSED_QUESTION_ELSEWHERE = "Offered earlier · F3: gate"
_SHORT_QUESTION_OF_ONE = "Enter: canon now · Esc: later"
_SHORT_QUESTION_OF_MANY = "Enter: {count} canon now · Esc: later"
MIN_WHY_CELLS = 12
"""Cells that are left to what is critical, however narrow the bar is."""
_GAP = "   "
"""Stands between what is critical and the question, if both fit one line."""


class TriggerBar(Widget, can_focus=True):
    """Says what is critical and takes the answer. Hidden while `why` is empty."""

    HELP_TITLE: ClassVar[str] = "Critical change"
    HELP_TEXT: ClassVar[str] = (
        "Something happened that the rest of the scene can rely on. Enter makes it canon now, with what it "
        "needs; Esc leaves the decision to the end of the scene."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "commit", "Commit now", id="trigger.commit", tooltip="Make it canon now"),
        Binding("escape", "dismiss", "Later", id="trigger.dismiss", tooltip="Decide at the end of the scene"),
    ]
    DEFAULT_CSS = """
    TriggerBar {
        height: auto;
        padding: 0 1;
        display: none;
        background: $warning 18%;
        color: $foreground;
        &.-raised { display: block; }
        &:focus { background: $warning 30%; }
    }
    """

    why: reactive[str] = reactive("", layout=True)
    """What is critical, in one line; empty hides the bar."""
    row_count: reactive[int] = reactive(1)
    """How many rows of the proposals Enter makes canon."""

    is_passed: reactive[bool] = reactive(False)
    """Whether something else was typed since the offer, so that a bare Enter no longer means it."""

    keys_elsewhere: reactive[str] = reactive("")
    """What Enter and Esc do where the focus is; empty: they answer the offer."""

    @dataclass
    class CommitRequested(Message):
        """Commit what is offered; the scene goes on."""

    @dataclass
    class Dismissed(Message):
        """Leave it to the end of the scene."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)

    def watch_why(self, why: str) -> None:
        self.set_class(bool(why), "-raised")
        self.is_passed = False
        self.can_focus = bool(why)

    def watch_row_count(self) -> None:
        self._fit_height()

    def watch_is_passed(self) -> None:
        self._fit_height()

    def watch_keys_elsewhere(self) -> None:
        self._fit_height()

    def _fit_height(self) -> None:
        """Lay the screen out if the words take another line: keys_elsewhere changes with the first letter of a line."""
        if self.why and sum(map(len, self._lines(self.size.width))) != self.size.height:
            self.refresh(layout=True)

    def render(self) -> Content:
        why_lines, question_lines = self._lines(self.size.width)
        separator = "\n" if question_lines else _GAP
        question = "\n".join(question_lines) or self._question
        return Content.assemble(
            content("\n".join(why_lines), "bold"), separator, content(question, "$text-muted")
        )

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return sum(map(len, self._lines(width)))

    def _lines(self, width: int) -> tuple[list[str], list[str]]:
        """Return what is critical and the question below it, wrapped; no question if it stands on the same line."""
        why, question = f"★ {self.why}", self._question
        if self.is_passed:  # it was said in full
            return [ellipsise(why, max(MIN_WHY_CELLS, width - len(_GAP) - len(question)))], []
        if cell_len(why) + len(_GAP) + len(question) <= width:
            return [why], []
        if len(question) > width:
            question = self._short_question
        return wrap(why, width), wrap(question, width)

    @property
    def _question(self) -> str:
        if self._takes_answer:
            return self._count_rows(_QUESTION_OF_ONE, _QUESTION_OF_MANY)
        if self.is_passed:
            return _PASSED_QUESTION_ELSEWHERE if self.keys_elsewhere else _PASSED_QUESTION
        return self.keys_elsewhere

    @property
    def _short_question(self) -> str:
        if self._takes_answer:
            return self._count_rows(_SHORT_QUESTION_OF_ONE, _SHORT_QUESTION_OF_MANY)
        return self.keys_elsewhere

    @property
    def _takes_answer(self) -> bool:
        """Return whether Enter and Esc answer the offer where the focus is."""
        return not self.keys_elsewhere and not self.is_passed

    def _count_rows(self, words_of_one: str, words_of_many: str) -> str:
        return words_of_one if self.row_count <= 1 else words_of_many.format(count=self.row_count)

    def action_commit(self) -> None:
        self.post_message(self.CommitRequested())

    def action_dismiss(self) -> None:
        self.post_message(self.Dismissed())
