"""The bill by row: budgets with their bars, what was paid by call, turn, agent, story or day, the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message

from agents.llm.budget import format_dollars
from agents.views.llm_views import BillRow, BillView, BudgetView
from stores.records.model import LlmCall
from widgets.calls import OUTCOMES, money, tokens
from widgets.ink import Ink, Line
from widgets.plain_rows import heading, words_row
from widgets.row_list import Row, RowList
from widgets.safe_text import one_line, pad, wrap

Tab = Literal["call", "turn", "agent", "story", "day"]
Thing = BudgetView | BillRow | LlmCall

WAITS_FROM = 80
"""Percent of a budget from which something waits."""

BAR_CELLS = 10
SCOPE_CELLS = 10
FIGURES = 44
"""Cells of the figures at the end of a row."""

NOTHING = "Nothing yet. Each call of a model will stand here, with its tokens and its price."
UNSET = "Nothing: no model is set up, and so nothing costs anything. m on the menu (or /model) sets one up."


class BillList(RowList[Thing]):
    """Budgets first: they can be set here. Then the rows of one tab, then what the rules are."""

    HELP_TITLE: ClassVar[str] = "Bill"
    HELP_TEXT: ClassVar[str] = (
        "What calls of a model have cost. +? after a sum: some of it has no known price. ~ before a number "
        "of tokens: an estimate. Enter on a budget sets it; on a call or a turn it opens the X-ray."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="bill.open", tooltip="Set the budget, or look closer"),
        Binding("s,enter", "set", "Set budget", id="bill.set", tooltip="Set the budget under the cursor"),
        Binding("u,delete", "lift", "No budget", id="bill.lift", tooltip="Lift the budget under the cursor"),
    ]

    @dataclass
    class Opened(Message):
        """A row was asked about."""

        thing: BillRow | LlmCall

    @dataclass
    class SetBudget(Message):
        """A budget is to be set, or lifted."""

        budget: BudgetView
        lift: bool = False

    def show(self, bill: BillView, tab: Tab, *, on: bool = True) -> None:
        """Show the bill; the cursor stays on its row. `on`: a model is set up."""
        self.set_rows(list(_rows(bill, tab, NOTHING if on else UNSET)))

    def highlighted(self, value: Thing | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        budget = self.current if isinstance(self.current, BudgetView) else None
        match action:
            case "set":
                return budget is not None
            case "lift":
                return budget is not None and budget.limit is not None
            case "open":
                return budget is None and _leads_on(self.current)
        return super().check_action(action, parameters)

    def chosen(self, value: Thing) -> None:
        self.action_open()

    def action_open(self) -> None:
        if isinstance(self.current, BillRow | LlmCall):
            self.post_message(self.Opened(self.current))

    def action_set(self) -> None:
        if isinstance(self.current, BudgetView):
            self.post_message(self.SetBudget(self.current))

    def action_lift(self) -> None:
        if isinstance(self.current, BudgetView):
            self.post_message(self.SetBudget(self.current, lift=True))


def _leads_on(thing: Thing | None) -> bool:
    match thing:
        case LlmCall():
            return thing.turn_id is not None
        case BillRow():
            return thing.subject is not None
        case _:
            return False


def _rows(bill: BillView, tab: Tab, nothing: str) -> Iterator[Row[Thing]]:
    yield heading("Budgets")
    for budget in bill.budgets:
        yield Row(f"budget {budget.scope} {budget.subject}", partial(_budget, budget), budget)
    yield heading(f"By {tab}")
    rows = list(_paid(bill, tab))
    yield from rows
    if not rows:
        yield words_row("nothing", nothing)
    if bill.rules:
        yield heading("What waits first, and what asks")
        for number, rule in enumerate(bill.rules):
            yield words_row(f"rule {number}", one_line(rule))


def _paid(bill: BillView, tab: Tab) -> Iterator[Row[Thing]]:
    if tab == "call":
        for call in reversed(bill.by_call):
            yield Row(f"call {call.id}", partial(_call, call), call, height=1)
        return
    tables = {"turn": bill.by_turn, "agent": bill.by_persona, "story": bill.by_story, "day": bill.by_day}
    for number, row in enumerate(tables[tab]):
        yield Row(f"{tab} {row.subject or row.label} {number}", partial(_sum, row), row, height=1)


def percent(budget: BudgetView) -> int:
    """Return how much of a budget is spent; 0 where there is no limit, 100 where the limit is nothing."""
    if budget.limit is None:
        return 0
    return budget.spent * 100 // budget.limit if budget.limit else 100


def _budget(budget: BudgetView, width: int) -> Sequence[Line]:
    """Draw a budget: a bar and the same in words; under it what it makes wait."""
    spent = percent(budget)
    ink = Ink.BAD if spent >= 100 else Ink.WARN if spent >= WAITS_FROM else Ink.GOOD
    full = min(BAR_CELLS, spent * BAR_CELLS // 100)
    if budget.limit is None:
        bar, words, ink = "", f"{format_dollars(budget.spent)} spent, no limit", Ink.MUTED
    else:
        bar = f"{'█' * full}{'░' * (BAR_CELLS - full)} {spent:>3} %"
        words = f"{format_dollars(budget.spent)} of {format_dollars(budget.limit)}"
    room = max(8, width - 2 - SCOPE_CELLS - BAR_CELLS - 6 - cell_len(words) - 3)
    lines: list[Line] = [
        [
            ("  ", Ink.PROSE),
            (pad(budget.scope, SCOPE_CELLS), Ink.STRONG),
            (pad(budget.label, room), Ink.PROSE),
            (f" {bar:<{BAR_CELLS + 6}} ", ink),
            (words, Ink.PROSE),
        ]
    ]
    if budget.degraded:
        sign = "✗" if spent >= 100 else "⚠"
        told = wrap(f"{sign} {one_line(budget.degraded)}", width - 3 - SCOPE_CELLS)
        lines += [[(" " * (2 + SCOPE_CELLS), Ink.PROSE), (line, ink)] for line in told]
    return lines


def _sum(row: BillRow, width: int) -> Sequence[Line]:
    calls = "1 call" if row.calls == 1 else f"{row.calls:,} calls"
    figures = (
        f"{calls:>11}{f'{row.tokens_in:,} in':>12}{f'{row.tokens_out:,} out':>11}"
        f"{money(row.micros, row.unpriced):>10}"
    )
    return [
        [
            ("  ", Ink.PROSE),
            (pad(row.label, max(8, width - 2 - FIGURES)), Ink.PROSE),
            (figures, Ink.MUTED),
        ]
    ]


def _call(call: LlmCall, width: int) -> Sequence[Line]:
    paid = money(call.cost.micros, not call.cost.known)
    figures = (
        f"{f'{tokens(call.tokens_in, call.counted)} in':>12}"
        f"{f'{tokens(call.tokens_out, call.counted)} out':>11}{paid:>10}"
    )
    word, ink = OUTCOMES[call.outcome]
    word = pad(word.removesuffix(" by you"), 11)
    room = max(8, width - 2 - cell_len(figures) - cell_len(word))
    return [
        [
            ("  ", Ink.PROSE),
            (pad(f"{call.persona.value} · {call.model}", room), Ink.PROSE),
            (word, ink),
            (figures, Ink.MUTED),
        ]
    ]
