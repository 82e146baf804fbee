"""The bill: what the model has cost, by call, turn, agent, story and day, and the budgets that bound it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, assert_never, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.events import LlmCallRecorded
from agents.llm.budget import format_dollars
from agents.views.llm_views import BudgetView
from screens.base import ServiceScreen
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToXray, Visit
from screens.title_bar import TitleBar
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.llm import LlmCall
from widgets.bill_list import BillList, BillTab, amount_text

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.llm_views import BillView

BILL_TABS: tuple[BillTab, ...] = get_args(BillTab)
MAX_BUDGET_DOLLARS = 1_000_000
MAX_TOKEN_DIGITS = 12
"""Dollars; a larger budget is taken for a typing error."""


class BillScreen(ServiceScreen[None]):
    """Budgets, and one list of costs at a time."""

    CSS_PATH = SCREENS_FOLDER / "llm/bill_screen.tcss"
    AUTO_FOCUS = "BillList"
    BINDING_GROUP_TITLE = "Bill"
    BINDINGS = [
        Binding("right", "turn(1)", "Next list", id="bill.next", tooltip="The next list", key_display="←→"),
        Binding("left", "turn(-1)", "Previous", id="bill.before", tooltip="The previous list", show=False),
        *(
            Binding(
                str(n), f"tab('{tab}')", tab, id=f"bill.{tab}", tooltip=f"What each {tab} cost", show=False
            )
            for n, tab in enumerate(BILL_TABS, 1)
        ),
        Binding("escape,q", "escape", "Back", id="bill.escape", tooltip="One step back"),
    ]

    @dataclass
    class BillLoaded(Message):
        bill: BillView

    def __init__(self, services: Services, story_id: Id | None = None) -> None:
        super().__init__(services)
        self.story_id = story_id
        self.bill: BillView | None = None
        self._tab: BillTab = "turn" if story_id else "agent"

    def compose(self) -> ComposeResult:
        yield TitleBar("Bill")
        yield Static(id="tabs", markup=False)
        yield BillList(empty="Reading …")
        yield NoticePanel()
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, LlmCallRecorded)

    async def load_view(self) -> None:
        self.post_message(self.BillLoaded(await self.services.llm.read_bill(story_id=self.story_id)))

    @on(BillLoaded)
    def _show_bill(self, message: BillLoaded) -> None:
        self.bill = message.bill
        self._refresh_bill()

    def _refresh_bill(self) -> None:
        if self.bill is None:
            return
        total_by_scope = {
            budget.scope: f"{format_dollars(budget.spent)} {_budget_period(budget)}"
            for budget in self.bill.budgets
        }
        budget_totals = [total_by_scope[scope] for scope in ("story", "day") if scope in total_by_scope]
        self.query_one(TitleBar).show_place(
            " · ".join(budget_totals), "" if self.services.llm.is_on else "no model is set up"
        )
        self.query_one("#tabs", Static).update(_tabs_line(self._tab))
        self.query_one(BillList).show_bill(self.bill, self._tab, is_model_set_up=self.services.llm.is_on)

    # --- lists -------------------------------------------------------------------------------------

    def action_turn(self, step: int) -> None:
        self.action_tab(BILL_TABS[(BILL_TABS.index(self._tab) + step) % len(BILL_TABS)])

    def action_tab(self, tab: BillTab) -> None:
        self._tab = tab
        self._refresh_bill()

    @on(BillList.BillRowOpened)
    def _open_row(self, message: BillList.BillRowOpened) -> None:
        """Go from a call or a turn to its X-ray, or from a story to its own bill."""
        message.stop()
        row = message.row
        turn_id = row.turn_id if isinstance(row, LlmCall) else row.subject
        if self._tab == "story" and not isinstance(row, LlmCall):
            self.story_id, self._tab = row.subject, "turn"
            self.reload()
        elif turn_id is not None:
            self.post_message(Visit(ToXray(turn_id)))

    # --- budgets -----------------------------------------------------------------------------------

    @on(BillList.BudgetEdited)
    def _edit_budget(self, message: BillList.BudgetEdited) -> None:
        message.stop()
        budget = message.budget
        if message.lift:
            self.start_change(partial(self._save_budget, budget, None), "budget")
            return
        if budget.scope == "week":
            self._edit_token_budget(budget)
            return
        current_limit = f"{budget.limit / 1_000_000:g}" if budget.limit is not None else ""
        dialog = LineDialog(
            f"What may the model cost {_budget_period(budget)}, in US dollars?",
            value=current_limit,
            explanation=f"{format_dollars(budget.spent)} spent so far. At 80\xa0% background work waits, at "
            "100\xa0% nothing is sent until you allow it. Empty: no limit.",
            validate_line=parse_micros,
        )
        self.app.push_screen(dialog, partial(self._apply_budget_answer, budget))

    def _edit_token_budget(self, budget: BudgetView) -> None:
        dialog = LineDialog(
            f"How many tokens may the model use {_budget_period(budget)}?",
            value="" if budget.limit is None else str(budget.limit),
            explanation=f"{amount_text(budget, budget.spent)} used so far. At 80\xa0% background work waits, at "
            "100\xa0% nothing is sent until you allow it. Empty: as the settings have it.",
            validate_line=parse_tokens,
        )

        def apply_answer(tokens_text: str | None) -> None:
            if tokens_text is not None:
                self.start_change(partial(self._save_budget, budget, parse_tokens(tokens_text)), "budget")

        self.app.push_screen(dialog, apply_answer)

    def _apply_budget_answer(self, budget: BudgetView, dollars_text: str | None) -> None:
        if dollars_text is not None:
            self.start_change(partial(self._save_budget, budget, parse_micros(dollars_text)), "budget")

    async def _save_budget(self, budget: BudgetView, amount: int | None) -> None:
        await self.services.llm.set_budget(budget.scope, amount, subject=budget.subject)
        self.post_message(self.BillLoaded(await self.services.llm.read_bill(story_id=self.story_id)))

    # --- leaving -----------------------------------------------------------------------------------

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))


def parse_micros(dollars_text: str) -> int | None:
    """Return a sum of dollars in millionths; None, no limit, if nothing is typed. Raises InputError."""
    digits = dollars_text.strip().removeprefix("$").removesuffix("$").replace(",", ".").strip()
    if not digits:
        return None
    try:
        amount = float(digits)
    except ValueError:
        amount = -1.0
    if not 0 <= amount <= MAX_BUDGET_DOLLARS:
        raise InputError(
            f"{dollars_text!r} is not an amount in dollars.",
            todo="Type an amount such as 2.50, or leave it empty.",
        )
    return round(amount * 1_000_000)


def parse_tokens(text: str) -> int | None:
    """Return a number of tokens; None, as the settings have it, if nothing is typed. Raises InputError."""
    digits = text.replace(",", "").replace(" ", "")
    if not digits:
        return None
    if not digits.isdecimal() or len(digits) > MAX_TOKEN_DIGITS:
        raise InputError(
            f"{text!r} is not a number of tokens.",
            todo="Type a number such as 200000, or leave it empty.",
        )
    return int(digits)


def _budget_period(budget: BudgetView) -> str:
    match budget.scope:
        case "story" | "universe":
            return f"in {budget.label}"
        case "day":
            return "today"
        case "week":
            return f"in {budget.label}"
        case _ as scope:
            assert_never(scope)


def _tabs_line(current_tab: BillTab) -> Content:
    """Return the lists with their keys; the current one has a sign besides its colour."""
    parts: list[tuple[str, str]] = []
    for number, tab in enumerate(BILL_TABS, 1):
        mark, style = ("▸", "bold $text-primary") if tab == current_tab else (" ", "$text-muted")
        parts.append((f" {mark}{number} by {tab} ", style))
    return Content.assemble(*parts)
