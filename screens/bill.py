"""The bill: what the model has cost, by call, turn, agent, story and day, and the budgets that bound it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, get_args

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.events import ModelCalled
from agents.llm.budget import format_dollars
from agents.views.llm_views import BudgetView
from screens.aside import Aside
from screens.ask_line import AskLineScreen
from screens.base import ServiceScreen
from screens.key_bar import KeyBar
from screens.model_routes import ToXray
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.errors import InputError, MonitorError
from stores.records.ids import Id
from stores.records.model import LlmCall
from widgets.bill import BillList, Tab

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.llm_views import BillView

TABS: tuple[Tab, ...] = get_args(Tab)
MOST = 1_000_000
"""Dollars. More than that was meant as something else."""


class BillScreen(ServiceScreen[None]):
    """Budgets, and one list of what was paid at a time."""

    CSS_PATH = "bill.tcss"
    AUTO_FOCUS = "BillList"
    BINDING_GROUP_TITLE = "Bill"
    BINDINGS = [
        Binding("right", "turn(1)", "Next list", id="bill.next", tooltip="The next list", key_display="←→"),
        Binding("left", "turn(-1)", "Before", id="bill.before", tooltip="The list before", show=False),
        *(
            Binding(
                str(n), f"tab('{tab}')", tab, id=f"bill.{tab}", tooltip=f"What each {tab} cost", show=False
            )
            for n, tab in enumerate(TABS, 1)
        ),
        Binding("escape,q", "escape", "Back", id="bill.escape", tooltip="One step back"),
    ]

    @dataclass
    class Read(Message):
        bill: BillView

    def __init__(self, services: Services, story_id: Id | None = None) -> None:
        super().__init__(services)
        self.story_id = story_id
        self.bill: BillView | None = None
        self._tab: Tab = "turn" if story_id else "agent"

    def compose(self) -> ComposeResult:
        yield TitleBar("Bill")
        yield Static(id="tabs", markup=False)
        yield BillList(empty="Reading …")
        yield Aside()
        yield KeyBar()

    def concerns(self, event: Event) -> bool:
        return isinstance(event, ModelCalled)

    async def read(self) -> None:
        self.post_message(self.Read(await self.services.llm.bill(story_id=self.story_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        self.bill = message.bill
        self._draw()

    def _draw(self) -> None:
        if self.bill is None:
            return
        sums = {budget.scope: f"{format_dollars(budget.spent)} {_of(budget)}" for budget in self.bill.budgets}
        told = [sums[scope] for scope in ("story", "day") if scope in sums]
        self.query_one(TitleBar).show(" · ".join(told), "" if self.services.llm.on else "no model is set up")
        self.query_one("#tabs", Static).update(_tabs(self._tab))
        self.query_one(BillList).show(self.bill, self._tab, on=self.services.llm.on)

    # --- lists -------------------------------------------------------------------------------------

    def action_turn(self, step: int) -> None:
        self.action_tab(TABS[(TABS.index(self._tab) + step) % len(TABS)])

    def action_tab(self, tab: Tab) -> None:
        self._tab = tab
        self._draw()

    @on(BillList.Opened)
    def _opened(self, message: BillList.Opened) -> None:
        """From a call or a turn to its X-ray; from a story to its own bill."""
        message.stop()
        thing = message.thing
        turn_id = thing.turn_id if isinstance(thing, LlmCall) else thing.subject
        if self._tab == "story" and not isinstance(thing, LlmCall):
            self.story_id, self._tab = thing.subject, "turn"
            self.reload()
        elif turn_id is not None:
            self.post_message(Visit(ToXray(turn_id)))

    # --- budgets -----------------------------------------------------------------------------------

    @on(BillList.SetBudget)
    def _set_budget(self, message: BillList.SetBudget) -> None:
        message.stop()
        budget = message.budget
        if message.lift:
            self.change(self._keep(budget, None), "budget")
            return
        now = f"{budget.limit / 1_000_000:g}" if budget.limit is not None else ""
        ask = AskLineScreen(
            f"What may the model cost {_of(budget)}, in US dollars?",
            value=now,
            about=f"{format_dollars(budget.spent)} is spent. At 80\xa0% what works in the background waits, at "
            "100\xa0% nothing is sent before you say so. Empty: no limit.",
            check=micros_of,
        )
        self.app.push_screen(ask, partial(self._asked, budget))

    def _asked(self, budget: BudgetView, typed: str | None) -> None:
        if typed is not None:
            self.change(self._keep(budget, micros_of(typed)), "budget")

    async def _keep(self, budget: BudgetView, micros: int | None) -> None:
        await self.services.llm.set_budget(budget.scope, micros, subject=budget.subject)
        self.post_message(self.Read(await self.services.llm.bill(story_id=self.story_id)))

    # --- leaving -----------------------------------------------------------------------------------

    def action_escape(self) -> None:
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        else:
            self.post_message(Visit(Back(self)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)


def micros_of(typed: str) -> int | None:
    """Read a sum of dollars as millionths; nothing typed is no limit. Raises InputError."""
    words = typed.strip().removeprefix("$").removesuffix("$").replace(",", ".").strip()
    if not words:
        return None
    try:
        sum_ = float(words)
    except ValueError:
        sum_ = -1.0
    if not 0 <= sum_ <= MOST:
        raise InputError(f"{typed!r} is no sum of dollars.", todo="Type one such as 2.50, or nothing at all.")
    return round(sum_ * 1_000_000)


def _of(budget: BudgetView) -> str:
    return {"story": f"in {budget.label}", "universe": f"in {budget.label}", "day": "today"}[budget.scope]


def _tabs(chosen: Tab) -> Content:
    """The lists by their keys; the one that is shown has a sign, and not just another colour."""
    parts: list[tuple[str, str]] = []
    for number, tab in enumerate(TABS, 1):
        mark, style = ("▸", "bold $text-primary") if tab == chosen else (" ", "$text-muted")
        parts.append((f" {mark}{number} by {tab} ", style))
    return Content.assemble(*parts)
