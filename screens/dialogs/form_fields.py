"""Parts of forms for the keyboard: a labelled line, a choice, a list to pick from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea

from screens.dialogs.field_problems import clear_field_problem, is_refused
from widgets.wrapped_area import WrappedArea

MAX_FIELD_LENGTH = 4_000
"""Characters that a form's line accepts, against a chapter pasted by mistake."""


class Picker(OptionList):
    """An option list whose Enter is shown in the key bar."""

    BINDINGS = [
        Binding(
            "enter",
            "select",
            "Choose",
            id="picker.choose",
            tooltip="Take the highlighted row",
            key_display="⏎",
        ),
        Binding("j", "cursor_down", "Down", id="picker.down", tooltip="The row below", show=False),
        Binding("k", "cursor_up", "Up", id="picker.up", tooltip="The row above", show=False),
    ]


class FieldInput(Input):
    """One line of a form: Enter goes on, the arrows move through the form."""

    BINDINGS = [
        Binding(
            "enter", "submit", "Go on", id="entry.submit", tooltip="On to the next step", key_display="⏎"
        ),
        Binding("down", "app.focus_next", "Next field", id="entry.next", tooltip="The field below"),
        Binding(
            "up",
            "app.focus_previous",
            "Field above",
            id="entry.previous",
            tooltip="The field above",
            show=False,
        ),
    ]


class Field(Horizontal):
    """A label, a line to type on, and a hint inside the line or, as `about`, beside it."""

    def __init__(
        self,
        label: str,
        id: str,
        *,
        hint: str = "",
        value: str = "",
        suggestions: Sequence[str] = (),
        explanation: str = "",
    ) -> None:
        super().__init__(classes="field short" if explanation else "field")
        self._label = label
        self._explanation = explanation
        self._input = FieldInput(
            value,
            id=id,
            placeholder=hint,
            compact=True,
            max_length=MAX_FIELD_LENGTH,
            suggester=SuggestFromList(suggestions, case_sensitive=False) if suggestions else None,
        )

    def compose(self) -> ComposeResult:
        yield Static(self._label, classes="label", markup=False)
        yield self._input
        if self._explanation:
            yield Static(self._explanation, classes="beside", markup=False)


class TextField(Horizontal):
    """A label and a few lines to type on."""

    def __init__(self, label: str, id: str, *, value: str = "") -> None:
        super().__init__(classes="field lines")
        self._label = label
        self._area = WrappedArea(value, id=id)

    def compose(self) -> ComposeResult:
        yield Static(self._label, classes="label", markup=False)
        yield self._area

    def on_mount(self) -> None:
        self._area.move_cursor(self._area.document.end)


class ChoiceField(Widget, can_focus=True):
    """One of a few values; left, right and space change it."""

    BINDINGS = [
        Binding(
            "left", "turn(-1)", "Previous", id="choice.previous", tooltip="The previous choice", show=False
        ),
        Binding("right,space", "turn(1)", "Next", id="choice.next", tooltip="The next choice"),
        Binding("down", "app.focus_next", "Next field", id="choice.down", tooltip="The field below"),
        Binding(
            "up", "app.focus_previous", "Field above", id="choice.up", tooltip="The field above", show=False
        ),
    ]

    index: reactive[int] = reactive(0)

    class Changed(Message):
        """Another value was chosen."""

    def __init__(self, label: str, options: Sequence[tuple[str, str]], id: str) -> None:
        """`options` are pairs of value and what it means."""
        super().__init__(id=id, classes="field")
        self._label = label
        self._options = options

    @property
    def value(self) -> str:
        return self._options[self.index][0]

    def render(self) -> Content:
        value, meaning = self._options[self.index]
        return Content.assemble(
            (f"{self._label:<16}", "$foreground 70%"),
            ("‹ ", "$accent"),
            (value, "bold"),
            (" ›", "$accent"),
            f"  {meaning}",
        )

    def action_turn(self, step: Literal[-1, 1]) -> None:
        self.index = (self.index + step) % len(self._options)
        self.post_message(self.Changed())


class FormPage(VerticalScroll, can_focus=False):
    """A page of fields. What is wrong with one is shown at it, until something else is typed there."""

    def __init__(self, heading: str, fields: Iterable[Widget], id: str) -> None:
        super().__init__(Static(heading, classes="heading", markup=False), *fields, id=id, classes="page")
        self._suggestions: dict[str, str] = {}
        """What was suggested last for each field that had a suggestion."""

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _clear_problem(self, message: Input.Changed | TextArea.Changed) -> None:
        if is_refused(message.control):
            clear_field_problem(self)

    def __getitem__(self, id: str) -> str:
        """Return what is typed or chosen in a field, without space around it."""
        field = self.query_one(f"#{id}")
        if isinstance(field, TextArea):
            return field.text.strip()
        return field.value.strip() if isinstance(field, FieldInput | ChoiceField) else ""

    def __setitem__(self, id: str, value: str) -> None:
        self.query_one(f"#{id}", FieldInput).value = value

    def suggest(self, id: str, text: str) -> None:
        """Put a suggestion in a field, unless something else than the last one was typed there."""
        if self[id] == self._suggestions.get(id, "").strip():
            self.fill(id, text)

    def fill(self, id: str, text: str) -> None:
        """Put a suggestion in a field that was asked for, in the place of what is typed there."""
        self._suggestions[id] = self[id] = text
