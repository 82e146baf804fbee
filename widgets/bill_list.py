"""The bill by row: budgets with bars, costs by call, turn, agent, story or day, and the rules."""

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
from stores.records.llm import LlmCall
from widgets.ink import Ink, Line
from widgets.llm_call_text import CALL_OUTCOMES, sum_text, tokens_text
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, pad, wrap

BillTab = Literal["call", "turn", "agent", "story", "day"]
BillItem = BudgetView | BillRow | LlmCall

WARNING_PERCENT = 80
"""Percent of a budget from which something waits."""

BAR_CELLS = 10
SCOPE_CELLS = 10
FIGURE_CELLS = 44
"""Cells of the figures at the end of a row."""

NO_CALLS_HINT = "No calls yet. Each call of a model is listed here with its tokens and its price."
NO_MODEL_HINT = "No model is set up, so nothing costs anything. M on the menu (or /model) sets one up."


class BillList(RowList[BillItem]):
    """Budgets first, which can be set here; then the rows of one tab, then the rules."""

    HELP_TITLE: ClassVar[str] = "Bill"
    HELP_TEXT: ClassVar[str] = (
        "What calls of a model have cost. +? after a sum: some of it has no known price. ~ before a number "
        "of tokens: an estimate. Enter on a budget sets it; on a call or a turn it opens the X-ray."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="bill.open", tooltip="Set the budget, or look closer"),
        Binding("enter", "set", "Set budget", id="bill.set", tooltip="Set the budget under the cursor"),
        Binding("delete", "lift", "No budget", id="bill.lift", tooltip="Lift the budget under the cursor"),
    ]

    @dataclass
    class BillRowOpened(Message):
        """A row was opened."""

        row: BillRow | LlmCall

    @dataclass
    class BudgetEdited(Message):
        """A budget is to be set or lifted."""

        budget: BudgetView
        lift: bool = False

    def show_bill(self, bill: BillView, tab: BillTab, *, is_model_set_up: bool = True) -> None:
        """Show the bill; the cursor stays on its row."""
        self.set_rows(list(_bill_rows(bill, tab, NO_CALLS_HINT if is_model_set_up else NO_MODEL_HINT)))

    def row_highlighted(self, value: BillItem | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        budget = self.current if isinstance(self.current, BudgetView) else None
        match action:
            case "set":
                return budget is not None
            case "lift":
                return budget is not None and budget.limit is not None
            case "open":
                return budget is None and _has_target(self.current)
        return super().check_action(action, parameters)

    def row_chosen(self, value: BillItem) -> None:
        self.action_open()

    def action_open(self) -> None:
        if isinstance(self.current, BillRow | LlmCall):
            self.post_message(self.BillRowOpened(self.current))

    def action_set(self) -> None:
        if isinstance(self.current, BudgetView):
            self.post_message(self.BudgetEdited(self.current))

    def action_lift(self) -> None:
        if isinstance(self.current, BudgetView):
            self.post_message(self.BudgetEdited(self.current, lift=True))


def _has_target(item: BillItem | None) -> bool:
    match item:
        case LlmCall():
            return item.turn_id is not None
        case BillRow():
            return item.subject is not None
        case _:
            return False


def _bill_rows(bill: BillView, tab: BillTab, empty_text: str) -> Iterator[ListRow[BillItem]]:
    yield heading_row("Budgets")
    for budget in bill.budgets:
        yield ListRow(f"budget {budget.scope} {budget.subject}", partial(_budget_lines, budget), budget)
    yield heading_row(f"By {tab}")
    rows = list(_paid_rows(bill, tab))
    yield from rows
    if not rows:
        yield text_row("nothing", empty_text)
    if bill.limitation_rules:
        yield heading_row("What waits, and what asks you")
        for number, rule in enumerate(bill.limitation_rules):
            yield text_row(f"rule {number}", one_line(rule))


def _paid_rows(bill: BillView, tab: BillTab) -> Iterator[ListRow[BillItem]]:
    if tab == "call":
        for call in reversed(bill.by_call):
            yield ListRow(f"call {call.id}", partial(_call_lines, call), call, height=1)
        return
    tables = {"turn": bill.by_turn, "agent": bill.by_persona, "story": bill.by_story, "day": bill.by_day}
    for number, row in enumerate(tables[tab]):
        yield ListRow(f"{tab} {row.subject or row.label} {number}", partial(_sum_lines, row), row, height=1)


def budget_percent(budget: BudgetView) -> int:
    """Return how much of a budget is spent: 0 without a limit, 100 if the limit is nothing."""
    if budget.limit is None:
        return 0
    return budget.spent * 100 // budget.limit if budget.limit else 100


def amount_text(budget: BudgetView, amount: int) -> str:
    """Return an amount of a budget: dollars, or tokens for that of a week."""
    return f"{amount:,} tokens" if budget.scope == "week" else format_dollars(amount)


def _budget_lines(budget: BudgetView, width: int) -> Sequence[Line]:
    """Return a budget as a bar and in words, with what it makes wait."""
    spent_percent = budget_percent(budget)
    ink = Ink.BAD if spent_percent >= 100 else Ink.WARN if spent_percent >= WARNING_PERCENT else Ink.GOOD
    filled_cells = min(BAR_CELLS, spent_percent * BAR_CELLS // 100)
    if budget.limit is None:
        bar, spent_text, ink = "", f"{amount_text(budget, budget.spent)} spent, no limit", Ink.MUTED
    else:
        bar = f"{'█' * filled_cells}{'░' * (BAR_CELLS - filled_cells)} {spent_percent:>3} %"
        spent_text = f"{amount_text(budget, budget.spent)} of {amount_text(budget, budget.limit)}"
    room = max(8, width - 2 - SCOPE_CELLS - BAR_CELLS - 6 - cell_len(spent_text) - 3)
    lines: list[Line] = [
        [
            ("  ", Ink.PROSE),
            (pad(budget.scope, SCOPE_CELLS), Ink.STRONG),
            (pad(budget.label, room), Ink.PROSE),
            (f" {bar:<{BAR_CELLS + 6}} ", ink),
            (spent_text, Ink.PROSE),
        ]
    ]
    if budget.limitation:
        sign = "✗" if spent_percent >= 100 else "⚠"
        degraded_lines = wrap(f"{sign} {one_line(budget.limitation)}", width - 3 - SCOPE_CELLS)
        lines += [[(" " * (2 + SCOPE_CELLS), Ink.PROSE), (line, ink)] for line in degraded_lines]
    return lines


def _sum_lines(row: BillRow, width: int) -> Sequence[Line]:
    calls = "1 call" if row.call_count == 1 else f"{row.call_count:,} calls"
    figures = (
        f"{calls:>11}{f'{row.tokens_in:,} in':>12}{f'{row.tokens_out:,} out':>11}"
        f"{sum_text(row.micros, row.unpriced_count):>10}"
    )
    return [
        [
            ("  ", Ink.PROSE),
            (pad(row.label, max(8, width - 2 - FIGURE_CELLS)), Ink.PROSE),
            (figures, Ink.MUTED),
        ]
    ]


def _call_lines(call: LlmCall, width: int) -> Sequence[Line]:
    cost_text = sum_text(call.cost.micros, not call.cost.known)
    figures = (
        f"{f'{tokens_text(call.tokens_in, call.counted)} in':>12}"
        f"{f'{tokens_text(call.tokens_out, call.counted)} out':>11}{cost_text:>10}"
    )
    outcome_text, ink = CALL_OUTCOMES[call.outcome]
    outcome_text = pad(outcome_text.removesuffix(" by you"), 11)
    room = max(8, width - 2 - cell_len(figures) - cell_len(outcome_text))
    return [
        [
            ("  ", Ink.PROSE),
            (pad(f"{call.persona.value} · {call.model}", room), Ink.PROSE),
            (outcome_text, ink),
            (figures, Ink.MUTED),
        ]
    ]
