"""Budgets: what the model may still cost, and what waits first. Pure, on whole millionths of a dollar.

Source: V7_ORCHESTRATOR, "Cost Budget Enforcer"; design/loops.md ("at 80 % of a budget background model work
waits, at 100 % everything but the player's own turn stops and asks"). Here the player's own turn asks too:
at 100 % nothing is sent before the GM has raised the budget or told it by hand.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.llm.call_context import CallContext
from agents.llm.errors import BudgetExhausted
from agents.llm.llm_settings import BudgetSettings
from stores.ports import LogReader, Spent
from stores.records.ids import Clock, Id
from stores.records.model import Persona
from stores.records.play import Story

WAIT_PERCENT = 80
"""Percent of a budget at which all waits but what the player asked for."""

DEFERRED_PERSONAS = (
    Persona.LIBRARIAN,
    Persona.CRITIC,
    Persona.DIRECTOR,
    Persona.STEWARD,
    Persona.ARCHIVIST,
    Persona.CHARACTER,
)
"""Background work: at 80 % these wait, and what needs no model does their part."""

BUDGET_RULES = (
    f"At {WAIT_PERCENT} % of a budget the Librarian, Critic, Director, Steward, Archivist and Characters wait: "
    "checks, quotes and proposals that need no model go on.",
    "At 100 % nothing is sent at all: raise the budget with /budget, or tell it yourself with >.",
    "Dice, canon and everything else cost nothing and never wait.",
    "A model without a known price counts tokens, but no money: no budget can stop it.",
)


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit and what was spent of it, in millionths of a US dollar. `subject`: the story or universe."""

    scope: Literal["story", "universe", "day"]
    spent: int
    limit: int | None
    subject: Id | None = None

    @property
    def percent(self) -> int:
        """How much of it is spent; 0 where there is no limit, 100 where the limit is nothing."""
        if self.limit is None:
            return 0
        return self.spent * 100 // self.limit if self.limit else 100

    @property
    def limitation(self) -> str:
        """What waits or asks because of it, in one line; empty while nothing does."""
        if self.limit is None or self.percent < WAIT_PERCENT:
            return ""
        if self.percent < 100:
            return "background personas wait"
        return "nothing is sent: raise it, or tell it yourself with >"


def compute_budgets(
    spent: Iterable[Spent],
    *,
    story: tuple[Id, int | None] | None,
    universe: tuple[Id, int | None] | None,
    day: tuple[str, int | None],
) -> tuple[Budget, ...]:
    """Return the three budgets as they stand: of this story and universe (id and limit) and of a day."""
    rows = list(spent)
    budgets = []
    if story is not None:
        spent_micros = sum(row.micros for row in rows if row.story_id == story[0])
        budgets.append(Budget("story", spent_micros, story[1], story[0]))
    if universe is not None:
        spent_micros = sum(row.micros for row in rows if row.universe_id == universe[0])
        budgets.append(Budget("universe", spent_micros, universe[1], universe[0]))
    budgets.append(Budget("day", sum(row.micros for row in rows if row.day == day[0]), day[1]))
    return tuple(budgets)


def find_stopping_budget(budgets: Sequence[Budget], persona: Persona) -> Budget | None:
    """Return the budget that keeps this persona from speaking, if one does: the fullest."""
    threshold = WAIT_PERCENT if persona in DEFERRED_PERSONAS else 100
    exceeded_budgets = [b for b in budgets if b.limit is not None and b.percent >= threshold]
    return max(exceeded_budgets, key=lambda b: b.percent, default=None)


def to_micros(dollars: float | None) -> int | None:
    """Return a sum of dollars in millionths (None: no limit)."""
    return None if dollars is None else round(dollars * 1_000_000)


def format_dollars(amount: int) -> str:
    """Return a sum in words: `$0.04`, `$0.0004`, `$12.50`; never rounded to nothing."""
    value = amount / 1_000_000
    if amount == 0 or value >= 0.01:
        return f"${value:.2f}"
    return f"${value:.4f}" if amount >= 50 else f"${value:.6f}"


class BudgetGuard:
    """Says whether a persona may still be asked. Stateless: what was spent is in the log."""

    def __init__(self, log: LogReader, settings: Callable[[], BudgetSettings], clock: Clock) -> None:
        self._log = log
        self._settings = settings
        self._clock = clock

    async def budgets(self, universe_id: Id, story_id: Id | None) -> tuple[Budget, ...]:
        """Return the budgets that a call here counts against, as they stand."""
        general = self._settings()
        story_record, policy = await gather(self._read_story(story_id), self._log.policy(universe_id))
        story = None
        if story_record is not None:
            story = (
                story_record.id,
                to_micros(general.story) if story_record.budget is None else story_record.budget,
            )
        limit = policy.budget if policy else None
        universe = (universe_id, to_micros(general.universe) if limit is None else limit)
        day = (self._clock().strftime("%Y-%m-%d"), to_micros(general.day))
        limits = (story[1] if story else None, universe[1], day[1])
        spending = await self._log.spent() if any(limit is not None for limit in limits) else []
        return compute_budgets(spending, story=story, universe=universe, day=day)

    async def _read_story(self, story_id: Id | None) -> Story | None:
        return await self._log.story(story_id) if story_id is not None else None

    async def check_allowed(self, persona: Persona, call_context: CallContext) -> None:
        """Raise BudgetExhausted, with nothing sent, if a budget keeps this persona from speaking."""
        exceeded_budget = find_stopping_budget(
            await self.budgets(call_context.universe_id, call_context.story_id), persona
        )
        if exceeded_budget is None or exceeded_budget.limit is None:
            return
        budget_text = f"today's budget of {format_dollars(exceeded_budget.limit)}"
        if exceeded_budget.scope != "day":
            budget_text = f"this {exceeded_budget.scope}'s budget of {format_dollars(exceeded_budget.limit)}"
        if exceeded_budget.percent < 100:
            message = f"{exceeded_budget.percent} % of {budget_text} is spent, so the {persona.value} waits."
        else:
            message = f"{format_dollars(exceeded_budget.spent)} is spent: {budget_text} is used up. Nothing was sent."
        raise BudgetExhausted(
            message,
            todo=f"Raise it: /budget {exceeded_budget.scope} 5 (in dollars), or tell it yourself with >.",
        )
