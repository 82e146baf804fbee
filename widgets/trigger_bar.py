"""One line over the prompt that offers a commit after a critical proposal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from widgets.safe_text import content, ellipsise

_QUESTION_OF_ONE = "Enter: make it canon now · Esc: decide at scene end"
_QUESTION_OF_MANY = "Enter: make these {count} canon now · Esc: decide at scene end"
_PASSED_QUESTION = "Offered earlier · F3: decide at the gate · Esc: decide at scene end"
_SHORT_PASSED_QUESTION = "Offered earlier · F3: gate · Esc: later"
_SHORT_QUESTION_OF_ONE = "Enter: canon now · Esc: later"
_SHORT_QUESTION_OF_MANY = "Enter: {count} canon now · Esc: later"


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
        max-height: 2;
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
    row_count: reactive[int] = reactive(1, layout=True)
    """How many rows of the proposals Enter makes canon."""

    is_passed: reactive[bool] = reactive(False, layout=True)
    """Whether something else was typed since the offer, so that a bare Enter no longer means it."""

    keys_elsewhere: reactive[str] = reactive("", layout=True)
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

    def render(self) -> Content:
        width, question = self.size.width, self._question
        is_one_line = self._fits_one_line(width)
        if not is_one_line and len(question) > width:
            if self._takes_answer:
                question = self._count_rows(_SHORT_QUESTION_OF_ONE, _SHORT_QUESTION_OF_MANY)
            elif question == _PASSED_QUESTION:
                question = _SHORT_PASSED_QUESTION
        why = f"★ {ellipsise(self.why, max(8, width - 2))}"
        return Content.assemble(
            content(why, "bold"), "   " if is_one_line else "\n", content(question, "$text-muted")
        )

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return 1 if self._fits_one_line(width) else 2

    @property
    def _question(self) -> str:
        if self._takes_answer:
            return self._count_rows(_QUESTION_OF_ONE, _QUESTION_OF_MANY)
        return self.keys_elsewhere or _PASSED_QUESTION

    @property
    def _takes_answer(self) -> bool:
        """Return whether Enter and Esc answer the offer where the focus is."""
        return not self.keys_elsewhere and not self.is_passed

    def _count_rows(self, words_of_one: str, words_of_many: str) -> str:
        return words_of_one if self.row_count <= 1 else words_of_many.format(count=self.row_count)

    def _fits_one_line(self, width: int) -> bool:
        return cell_len(self.why) + len(self._question) + 5 <= width

    def action_commit(self) -> None:
        self.post_message(self.CommitRequested())

    def action_dismiss(self) -> None:
        self.post_message(self.Dismissed())
