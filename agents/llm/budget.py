"""Computes what the model may still cost, and refuses calls that a budget does not allow.

Amounts are whole millionths of a US dollar, of a week's budget tokens. From 80 % of a budget on the personas of
`DEFERRED_PERSONAS` are asked of the cheaper model, if one is set, or wait; at 100 % nothing is sent until the player
raises the budget or narrates the turn by hand. A cheaper model saves no tokens: those of a week hold it back as well.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from agents.llm.call_context import CallContext
from agents.llm.errors import BudgetExhausted
from agents.llm.llm_settings import BudgetSettings
from stores.ports import LlmSpending, LogReader
from stores.records.ids import Clock, Id
from stores.records.llm import Persona
from stores.records.play import Story

WAIT_PERCENT = 80
"""Percent of a budget from which calls that the player did not ask for wait."""

DEFERRED_PERSONAS = (
    Persona.LIBRARIAN,
    Persona.CRITIC,
    Persona.DIRECTOR,
    Persona.STEWARD,
    Persona.ARCHIVIST,
    Persona.CHARACTER,
    Persona.READER,
)
"""Personas that wait at `WAIT_PERCENT`; deterministic code does their part meanwhile."""

BUDGET_RULES = (
    f"At {WAIT_PERCENT} % of a budget the Librarian, Critic, Director, Steward, Archivist and Characters wait: "
    "checks, quotes and proposals that need no model go on.",
    "With a cheaper_model in [budget] of settings.toml they are asked of that one instead, and so is a call that costs "
    "more than what is left.",
    "At 100 % nothing is sent at all: raise the budget with /budget, or narrate yourself with >.",
    "Dice, canon and everything else cost nothing and never wait.",
    "A model without a known price counts tokens, but no money: only a budget of tokens can stop it (/budget week "
    "200000).",
)
"""The rules above, as the Bill screen states them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit and the amount spent against it, in millionths of a US dollar; of a week, in tokens."""

    scope: Literal["story", "universe", "day", "week"]
    spent: int
    limit: int | None
    """None: there is no limit."""

    subject: Id | None = None
    """The story or universe that the budget is for; None for a day."""

    @property
    def percent(self) -> int:
        """The percentage spent: 0 without a limit, 100 if the limit is zero."""
        if self.limit is None:
            return 0
        return self.spent * 100 // self.limit if self.limit else 100

    @property
    def is_in_tokens(self) -> bool:
        return self.scope == "week"

    def describe_amount(self, amount: int) -> str:
        """Return an amount of this budget as text."""
        return f"{amount:,} tokens" if self.is_in_tokens else format_dollars(amount)

    @property
    def limitation(self) -> str:
        """What the budget holds back at the moment, in one line; empty if nothing."""
        if self.limit is None or self.percent < WAIT_PERCENT:
            return ""
        if self.percent < 100:
            return "background personas wait"
        return "nothing is sent: raise it, or narrate yourself with >"


def compute_budgets(
    spent: Iterable[LlmSpending],
    *,
    story: tuple[Id, int | None] | None,
    universe: tuple[Id, int | None] | None,
    day: tuple[str, int | None],
    week: tuple[Id, str, int | None] | None = None,
) -> tuple[Budget, ...]:
    """Return the current budgets of this story, this universe (each an id and a limit) and this day.

    `week` is a universe, the first day of the week, and the tokens that it may use in it.
    """
    rows = list(spent)
    budgets = []
    if story is not None:
        spent_micros = sum(row.micros for row in rows if row.story_id == story[0])
        budgets.append(Budget("story", spent_micros, story[1], story[0]))
    if universe is not None:
        spent_micros = sum(row.micros for row in rows if row.universe_id == universe[0])
        budgets.append(Budget("universe", spent_micros, universe[1], universe[0]))
    budgets.append(Budget("day", sum(row.micros for row in rows if row.day == day[0]), day[1]))
    if week is not None:
        universe_id, first_day, limit = week
        week_rows = (row for row in rows if row.universe_id == universe_id and row.day >= first_day)
        tokens = sum(row.tokens_in + row.tokens_out for row in week_rows)
        budgets.append(Budget("week", tokens, limit, universe_id))
    return tuple(budgets)


def first_day_of_week(now: datetime) -> str:
    """Return the Monday of a moment's week, as YYYY-MM-DD."""
    return (now - timedelta(days=now.weekday())).strftime("%Y-%m-%d")


def find_stopping_budget(
    budgets: Sequence[Budget], persona: Persona, *, is_cheaper: bool = False
) -> Budget | None:
    """Return the fullest budget that does not allow this persona to be called, or None.

    With `is_cheaper` it is the cheaper model that would be called: money holds it back only when it is used up.
    """
    threshold = WAIT_PERCENT if persona in DEFERRED_PERSONAS else 100
    exceeded_budgets = [
        b
        for b in budgets
        if b.limit is not None and b.percent >= (100 if is_cheaper and not b.is_in_tokens else threshold)
    ]
    return max(exceeded_budgets, key=lambda b: b.percent, default=None)


def find_too_small_budget(
    budgets: Sequence[Budget], upcoming_micros: int, upcoming_tokens: int = 0
) -> Budget | None:
    """Return the budget with the least left of those that a call of this price and size would exceed, or None."""
    left = {b: b.limit - b.spent for b in budgets if b.limit is not None}
    upcoming = {b: upcoming_tokens if b.is_in_tokens else upcoming_micros for b in left}
    too_small = [budget for budget, amount in left.items() if amount < upcoming[budget]]
    return min(too_small, key=lambda budget: left[budget], default=None)


def to_micros(dollars: float | None) -> int | None:
    """Convert dollars to millionths of a dollar. None (no limit) stays None."""
    return None if dollars is None else round(dollars * 1_000_000)


def format_dollars(amount: int) -> str:
    """Return an amount as text: `$0.04`, `$0.0004`, `$12.50`. It is never rounded to zero."""
    value = amount / 1_000_000
    if amount == 0 or value >= 0.01:
        return f"${value:.2f}"
    return f"${value:.4f}" if amount >= 50 else f"${value:.6f}"


@dataclass(frozen=True, slots=True)
class BudgetGuard:
    """Decides whether a persona may be called, from the calls that the log has recorded."""

    log: LogReader
    settings: Callable[[], BudgetSettings]
    clock: Clock

    async def budgets(self, universe_id: Id, story_id: Id | None) -> tuple[Budget, ...]:
        """Return the current budgets that a call with this context counts against."""
        general = self.settings()
        story_record, policy = await gather(self._read_story(story_id), self.log.policy(universe_id))
        story = None
        if story_record is not None:
            story = (
                story_record.id,
                to_micros(general.story) if story_record.budget is None else story_record.budget,
            )
        limit = policy.budget if policy else None
        universe = (universe_id, to_micros(general.universe) if limit is None else limit)
        day = (self.clock().strftime("%Y-%m-%d"), to_micros(general.day))
        week_limit = policy.weekly_tokens if policy else None
        week_limit = general.weekly_tokens if week_limit is None else week_limit
        week = (universe_id, first_day_of_week(self.clock()), week_limit)
        limits = (story[1] if story else None, universe[1], day[1], week_limit)
        spending = await self.log.llm_spending() if any(limit is not None for limit in limits) else []
        return compute_budgets(spending, story=story, universe=universe, day=day, week=week)

    async def _read_story(self, story_id: Id | None) -> Story | None:
        return await self.log.story(story_id) if story_id is not None else None

    async def check_allowed(
        self,
        persona: Persona,
        call_context: CallContext,
        *,
        upcoming_micros: int = 0,
        upcoming_tokens: int = 0,
        unrecorded_micros: int = 0,
        is_cheaper: bool = False,
    ) -> None:
        """Raise BudgetExhausted, before anything is sent, if a budget does not allow this call.

        `upcoming_micros` and `upcoming_tokens` are the most that it may cost and use, `unrecorded_micros` is what it
        has cost already. `is_cheaper`: it would be made to the cheaper model.
        """
        budgets = [
            budget if budget.is_in_tokens else replace(budget, spent=budget.spent + unrecorded_micros)
            for budget in await self.budgets(call_context.universe_id, call_context.story_id)
        ]
        stopping_budget = find_stopping_budget(budgets, persona, is_cheaper=is_cheaper)
        exceeded_budget = stopping_budget or find_too_small_budget(budgets, upcoming_micros, upcoming_tokens)
        if exceeded_budget is None or exceeded_budget.limit is None:
            return
        show = exceeded_budget.describe_amount
        example = "500000 (in tokens)" if exceeded_budget.is_in_tokens else "5 (in dollars)"
        budget_text = f"today's budget of {show(exceeded_budget.limit)}"
        if exceeded_budget.scope != "day":
            budget_text = f"this {exceeded_budget.scope}'s budget of {show(exceeded_budget.limit)}"
        if stopping_budget is None:
            upcoming = upcoming_tokens if exceeded_budget.is_in_tokens else upcoming_micros
            verb = "use" if exceeded_budget.is_in_tokens else "cost"
            message = (
                f"The call may {verb} up to {show(upcoming)}, and "
                f"{show(max(0, exceeded_budget.limit - exceeded_budget.spent))} is left of {budget_text}. "
                "Nothing was sent."
            )
        elif exceeded_budget.percent < 100:
            message = f"{exceeded_budget.percent} % of {budget_text} is spent, so the {persona.value} waits."
        else:
            message = f"{show(exceeded_budget.spent)} is spent: {budget_text} is used up. Nothing was sent."
        raise BudgetExhausted(
            message,
            todo=f"Raise it: /budget {exceeded_budget.scope} {example}, or narrate yourself with >.",
        )
