"""The X-ray of a turn by row: steps, sealed results, warnings, and every call with what was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.proposals.effects import describe_effect
from agents.views.llm_views import ExchangeStepView, XrayView
from stores.records.ids import Id
from stores.records.llm import LlmCall, RecordedSection
from stores.records.play import Degree, Resolution
from stores.records.workflow import TransitionProposal
from widgets.ink import Ink, Line, Piece
from widgets.llm_call_text import (
    CALL_OUTCOMES,
    FALLBACK_STEP_TEXTS,
    cost_text,
    seconds_text,
    times_text,
    tokens_text,
    usage_text,
)
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap
from widgets.step_progress import AGENT_BY_STEP

_STEP_STATES: dict[str, Piece] = {
    "done": ("✓ done", Ink.GOOD),
    "skipped": ("– skipped", Ink.MUTED),
    "failed": ("✗ failed", Ink.BAD),
    "waiting": ("… waiting", Ink.WARN),
}
NAME_CELLS = 16
STEP_CELLS = 24

STEP_PURPOSES = {
    "assemble": "context",
    "direct": "plan",
    "resolve": "dice",
    "validate": "check",
    "narrate": "narrate",
    "critique": "judge",
    "extract": "propose",
    "summarise": "sum up",
    "stage": "stage",
    "arbitrate": "next",
}
"""What a step is, in a word: one agent may take two of them."""
STATE_CELLS = 11
TOKEN_CELLS = 8


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A text that Enter opens: a section that was sent, or the answer."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step, and the call that it made."""

    step: ExchangeStepView


XrayItem = TextPassage | StepRow


class XrayList(RowList[XrayItem]):
    """Enter opens a text, or goes from a step to its call."""

    HELP_TITLE: ClassVar[str] = "X-ray"
    HELP_TEXT: ClassVar[str] = (
        "Why the turn says this: each step, the dice result and all that was sent to the model. "
        "~ before a number says that it is an estimate; – marks what was not sent, and why."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="xray.open", tooltip="Read the text, or go to the call"),
    ]

    @dataclass
    class PassageOpened(Message):
        """A text is to be shown."""

        passage: TextPassage

    def show_xray(self, view: XrayView) -> None:
        """Show an X-ray; the cursor stays on its row."""
        self.set_rows(list(_xray_rows(view)))

    def row_highlighted(self, value: XrayItem | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "open":
            current_item = self.current
            return isinstance(current_item, TextPassage) or (
                current_item is not None and current_item.step.call_id is not None
            )
        return super().check_action(action, parameters)

    def row_chosen(self, value: XrayItem) -> None:
        self.action_open()

    def action_open(self) -> None:
        current_item = self.current
        if isinstance(current_item, TextPassage):
            self.post_message(self.PassageOpened(current_item))
        elif current_item is not None and current_item.step.call_id:
            self._move_cursor_to_call(current_item.step.call_id)

    def _move_cursor_to_call(self, call_id: Id) -> None:
        row_index = next((n for n, row in enumerate(self.rows) if row.key.startswith(f"{call_id} ")), None)
        if row_index is not None:
            self.cursor = row_index


def _xray_rows(view: XrayView) -> Iterator[ListRow[XrayItem]]:
    yield heading_row("Steps")
    for number, step in enumerate(view.steps):
        yield ListRow(f"step {number}", partial(_step_lines, step), StepRow(step))
    if not view.steps:
        yield text_row("none", "None: this turn is only your words and the dice.")
    if view.weighed:
        yield heading_row("What could come next")
        for number, proposal in enumerate(view.weighed):
            is_offered = number == 0 and view.is_first_offered
            yield ListRow(f"next {number}", partial(_weighed_lines, proposal, is_offered))
    if view.resolution is not None:
        yield heading_row("Dice result, before the narration")
        yield text_row("sealed", *_resolution_lines(view.resolution), ink=Ink.PROSE)
    if view.warnings:
        yield heading_row("Warnings")
        for number, warning in enumerate(view.warnings):
            yield text_row(f"warning {number}", f"⚠ {one_line(warning)}", ink=Ink.WARN)
    if view.prompt_notes:
        yield heading_row("Prompts")
        for number, note in enumerate(view.prompt_notes):
            yield text_row(f"prompt {number}", one_line(note))
    for number, call in enumerate(view.calls, 1):
        yield heading_row(f"Call {number}  {call.persona.value}")
        yield ListRow(f"about {call.id}", partial(_call_lines, call))
        for section_index, section in enumerate(call.sections):
            yield ListRow(
                f"{call.id} {section_index}",
                partial(_section_lines, section),
                _section_passage(call, section),
                height=1,
            )
        if call.answer:
            answer = TextPassage(f"What the {call.persona.value} answered", call.answer)
            yield ListRow(f"{call.id} answer", partial(_answer_lines, call), answer, height=1)
    if not view.calls:
        yield heading_row("Calls of a model")
        yield text_row("no calls", "None: this turn cost nothing.")


def _section_passage(call: LlmCall, section: RecordedSection) -> TextPassage:
    text = section.text or "Its text was not stored."
    return TextPassage(
        f"{'Not sent' if section.dropped else 'Sent'} to the {call.persona.value}: {section.name}", text
    )


def _step_lines(step: ExchangeStepView, width: int) -> Sequence[Line]:
    sign, ink = _STEP_STATES[step.state]
    time = seconds_text(step.seconds) if step.seconds else ""
    room = max(8, width - 2 - STEP_CELLS - STATE_CELLS - 8)
    first, *rest = wrap(one_line(step.summary), room) or [""]
    who = step.agent or AGENT_BY_STEP.get(step.step, step.step)
    indent = " " * (2 + STEP_CELLS + STATE_CELLS)
    return [
        [
            ("  ", Ink.PROSE),
            (pad(who, STEP_CELLS - 10), Ink.STRONG),
            (pad(STEP_PURPOSES.get(step.step, step.step), 10), Ink.MUTED),
            (pad(sign, STATE_CELLS), ink),
            (pad(first, room), Ink.PROSE),
            (f"{time:>7}", Ink.MUTED),
        ],
        *([(indent, Ink.PROSE), (line, Ink.PROSE)] for line in rest),
    ]


def _weighed_lines(proposal: TransitionProposal, is_offered: bool, width: int) -> Sequence[Line]:
    """Return a proposal with its score, who made it and why, and below what the score is made of."""
    state: Piece = ("✓ offered", Ink.GOOD) if is_offered else ("– weighed", Ink.MUTED)
    if is_offered and not proposal.command:
        state = ("✓ it won", Ink.GOOD)
    command = one_line(proposal.command) or "go on"
    room = max(8, width - 2 - STEP_CELLS - STATE_CELLS - 8)
    first, *rest = wrap(f"{command}: {one_line(proposal.reason)}", room) or [""]
    indent = " " * (2 + STEP_CELLS + STATE_CELLS)
    parts = f"urgency {proposal.urgency} · dependency {proposal.dependency} · your intent {proposal.intent}"
    return [
        [
            ("  ", Ink.PROSE),
            (pad(proposal.proposer, STEP_CELLS), Ink.STRONG),
            (pad(state[0], STATE_CELLS), state[1]),
            (pad(first, room), Ink.PROSE),
            (f"{proposal.score:>3}/100", Ink.MUTED),
        ],
        *([(indent, Ink.PROSE), (line, Ink.PROSE)] for line in rest),
        *([(indent, Ink.PROSE), (line, Ink.MUTED)] for line in wrap(parts, max(8, width - len(indent)))),
    ]


def _resolution_lines(resolution: Resolution) -> Iterator[str]:
    text = one_line(resolution.text) or one_line(resolution.expression)
    degree = resolution.degree
    verdict = "" if degree is Degree.NONE or degree.value in text else degree.value
    yield " · ".join(filter(None, (text, verdict)))
    for effect in resolution.effects:
        yield f"→ {one_line(describe_effect(effect))}"


def _call_lines(call: LlmCall, width: int) -> Sequence[Line]:
    """Return a call's figures: model, outcome, fallback step; tokens, cost, times; result."""
    word, ink = CALL_OUTCOMES[call.outcome]
    tries = f" · {call.tries} tries" if call.tries > 1 else ""
    model = ellipsise(call.model, max(8, width - 30))
    lines: list[Line] = [
        [("  ", Ink.PROSE), (model, Ink.STRONG), ("  ", Ink.PROSE), (word, ink), (tries, Ink.WARN)]
    ]
    usage_line = " · ".join((usage_text(call), cost_text(call), times_text(call)))
    fallback_step_text = FALLBACK_STEP_TEXTS[call.fallback_step] if call.answer else ""
    for text in filter(
        None, (usage_line, ": ".join(filter(None, (fallback_step_text, one_line(call.result)))))
    ):
        lines += [[("  ", Ink.PROSE), (line, Ink.MUTED)] for line in wrap(text, width - 3)]
    if call.error:
        lines += [[("  ", Ink.PROSE), (line, Ink.BAD)] for line in wrap(one_line(call.error), width - 3)]
    return lines


def _section_lines(section: RecordedSection, width: int) -> Sequence[Line]:
    sent_label = ("– dropped", Ink.WARN) if section.dropped else ("✓ sent", Ink.GOOD)
    exactness = "exact" if section.exact else "estimate"
    note = section.dropped or ("same every turn" if section.stable else "")
    room = max(0, width - 2 - STATE_CELLS - NAME_CELLS - TOKEN_CELLS - 12)
    return [
        [
            ("  ", Ink.PROSE),
            (pad(sent_label[0], STATE_CELLS), sent_label[1]),
            (pad(section.name, NAME_CELLS), Ink.PROSE),
            (f"{tokens_text(section.tokens, section.exact):>{TOKEN_CELLS}} ", Ink.PROSE),
            (pad(exactness, 10), Ink.MUTED),
            (ellipsise(note, room), Ink.MUTED),
        ]
    ]


def _answer_lines(call: LlmCall, width: int) -> Sequence[Line]:
    count = f"{tokens_text(call.tokens_out, call.counted):>{TOKEN_CELLS}} "
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
