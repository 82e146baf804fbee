"""The X-ray of a turn by row: steps, what was sealed, warnings, and every call with what was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.llm_views import StepView, XrayView
from stores.records.ids import Id
from stores.records.model import LlmCall, Section
from stores.records.play import Degree, Resolution
from widgets.calls import OUTCOMES, RUNGS, cost, seconds, times, tokens, usage
from widgets.ink import Ink, Line, Piece
from widgets.plain_rows import heading, words_row
from widgets.row_list import Row, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap
from widgets.steps import NAMES

_STATES: dict[str, Piece] = {
    "done": ("✓ done", Ink.GOOD),
    "skipped": ("– skipped", Ink.MUTED),
    "failed": ("✗ failed", Ink.BAD),
    "waiting": ("… waiting", Ink.WARN),
}
NAME_CELLS = 16
STEP_CELLS = 22

DOES = {
    "assemble": "context",
    "direct": "plan",
    "resolve": "dice",
    "validate": "check",
    "narrate": "tell",
    "critique": "judge",
    "extract": "propose",
    "summarise": "sum up",
    "stage": "stage",
}
"""What a step is, in a word: one agent may take two of them."""
STATE_CELLS = 11
TOKEN_CELLS = 8


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that Enter opens: a section that was sent, or what came back."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that was taken, and the call that it made."""

    step: StepView


Thing = Passage | Taken


class XrayList(RowList[Thing]):
    """Enter opens a text, or goes from a step to its call."""

    HELP_TITLE: ClassVar[str] = "X-ray"
    HELP_TEXT: ClassVar[str] = (
        "What the turn rests on: who did what, the sealed result, all that a model was sent, part by part. "
        "~ before a number says that it is an estimate; – marks what was not sent, and why."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="xray.open", tooltip="Read the text, or go to the call"),
    ]

    @dataclass
    class Opened(Message):
        """A text was asked for."""

        passage: Passage

    def show(self, view: XrayView) -> None:
        """Show an X-ray; the cursor stays on its row."""
        self.set_rows(list(_rows(view)))

    def highlighted(self, value: Thing | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "open":
            current = self.current
            return isinstance(current, Passage) or (current is not None and current.step.call_id is not None)
        return super().check_action(action, parameters)

    def chosen(self, value: Thing) -> None:
        self.action_open()

    def action_open(self) -> None:
        current = self.current
        if isinstance(current, Passage):
            self.post_message(self.Opened(current))
        elif current is not None and current.step.call_id:
            self._stand_on(current.step.call_id)

    def _stand_on(self, call_id: Id) -> None:
        first = next((n for n, row in enumerate(self.rows) if row.key.startswith(f"{call_id} ")), None)
        if first is not None:
            self.cursor = first


def _rows(view: XrayView) -> Iterator[Row[Thing]]:
    yield heading("Steps")
    for number, step in enumerate(view.steps):
        yield Row(f"step {number}", partial(_step, step), Taken(step))
    if not view.steps:
        yield words_row("none", "None were kept: nothing but your words and the dice made this turn.")
    if view.resolution is not None:
        yield heading("Sealed result, before any word was told")
        yield words_row("sealed", *_sealed(view.resolution), ink=Ink.PROSE)
    if view.warnings:
        yield heading("Warnings")
        for number, warning in enumerate(view.warnings):
            yield words_row(f"warning {number}", f"⚠ {one_line(warning)}", ink=Ink.WARN)
    for number, call in enumerate(view.calls, 1):
        yield heading(f"Call {number}  {call.persona.value}")
        yield Row(f"about {call.id}", partial(_about, call))
        for place, section in enumerate(call.sections):
            yield Row(f"{call.id} {place}", partial(_section, section), _passage(call, section), height=1)
        if call.answer:
            answer = Passage(f"What the {call.persona.value} answered", call.answer)
            yield Row(f"{call.id} answer", partial(_answer, call), answer, height=1)
    if not view.calls:
        yield heading("Calls of a model")
        yield words_row("no calls", "None: this turn cost nothing.")


def _passage(call: LlmCall, section: Section) -> Passage:
    text = section.text or "Its words were not kept, only that it was there."
    return Passage(
        f"{'Not sent' if section.dropped else 'Sent'} to the {call.persona.value}: {section.name}", text
    )


def _step(step: StepView, width: int) -> Sequence[Line]:
    sign, ink = _STATES[step.state]
    time = seconds(step.seconds) if step.seconds else ""
    room = max(8, width - 2 - STEP_CELLS - STATE_CELLS - 8)
    first, *rest = wrap(one_line(step.line), room) or [""]
    who = step.agent or NAMES.get(step.step, step.step)
    indent = " " * (2 + STEP_CELLS + STATE_CELLS)
    return [
        [
            ("  ", Ink.PROSE),
            (pad(who, STEP_CELLS - 10), Ink.STRONG),
            (pad(DOES.get(step.step, step.step), 10), Ink.MUTED),
            (pad(sign, STATE_CELLS), ink),
            (pad(first, room), Ink.PROSE),
            (f"{time:>7}", Ink.MUTED),
        ],
        *([(indent, Ink.PROSE), (line, Ink.PROSE)] for line in rest),
    ]


def _sealed(resolution: Resolution) -> Iterator[str]:
    text = one_line(resolution.text) or one_line(resolution.expression)
    degree = resolution.degree
    verdict = "" if degree is Degree.NONE or degree.value in text else degree.value
    yield " · ".join(filter(None, (text, verdict)))
    for effect in resolution.effects:
        yield f"→ {one_line(effect)}"


def _about(call: LlmCall, width: int) -> Sequence[Line]:
    """Draw a call's figures: model, how it ended, on which rung; tokens, cost, times; what came of it."""
    word, ink = OUTCOMES[call.outcome]
    tries = f" · {call.tries} tries" if call.tries > 1 else ""
    model = ellipsise(call.model, max(8, width - 30))
    lines: list[Line] = [
        [("  ", Ink.PROSE), (model, Ink.STRONG), ("  ", Ink.PROSE), (word, ink), (tries, Ink.WARN)]
    ]
    told = " · ".join((usage(call), cost(call), times(call)))
    read = RUNGS[call.rung] if call.answer else ""
    for text in filter(None, (told, ": ".join(filter(None, (read, one_line(call.result)))))):
        lines += [[("  ", Ink.PROSE), (line, Ink.MUTED)] for line in wrap(text, width - 3)]
    if call.error:
        lines += [[("  ", Ink.PROSE), (line, Ink.BAD)] for line in wrap(one_line(call.error), width - 3)]
    return lines


def _section(section: Section, width: int) -> Sequence[Line]:
    sent = ("– dropped", Ink.WARN) if section.dropped else ("✓ sent", Ink.GOOD)
    graded = "exact" if section.exact else "estimate"
    about = section.dropped or ("same every turn" if section.stable else "")
    room = max(0, width - 2 - STATE_CELLS - NAME_CELLS - TOKEN_CELLS - 12)
    return [
        [
            ("  ", Ink.PROSE),
            (pad(sent[0], STATE_CELLS), sent[1]),
            (pad(section.name, NAME_CELLS), Ink.PROSE),
            (f"{tokens(section.tokens, section.exact):>{TOKEN_CELLS}} ", Ink.PROSE),
            (pad(graded, 10), Ink.MUTED),
            (ellipsise(about, room), Ink.MUTED),
        ]
    ]


def _answer(call: LlmCall, width: int) -> Sequence[Line]:
    count = f"{tokens(call.tokens_out, call.counted):>{TOKEN_CELLS}} "
    room = max(0, width - 2 - STATE_CELLS - NAME_CELLS - TOKEN_CELLS - 12)
    return [
        [
            ("  ", Ink.PROSE),
            (pad("← came", STATE_CELLS), Ink.NPC),
            (pad("answer", NAME_CELLS), Ink.PROSE),
            (count, Ink.PROSE),
            (pad("exact" if call.counted else "estimate", 10), Ink.MUTED),
            (ellipsise(call.answer, room), Ink.QUOTE),
        ]
    ]
