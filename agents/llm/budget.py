"""Budgets: what the model may still cost, and what waits first. Pure, on whole millionths of a dollar.

Source: V7_ORCHESTRATOR, "Cost Budget Enforcer"; design/loops.md ("at 80 % of a budget background model work
waits, at 100 % everything but the player's own turn stops and asks"). Here the player's own turn asks too:
at 100 % nothing is sent before the GM has raised the budget or told it by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from stores.ports import Spent
from stores.records.ids import Id
from stores.records.model import Persona

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
