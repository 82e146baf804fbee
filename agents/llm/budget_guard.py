"""Where budgets meet what was spent: asked before every call. Reads the log; keeps nothing.

Source: design/loops.md, "Background"; V7_ORCHESTRATOR, "Cost Budget Enforcer".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Callable

from agents.llm.budget import Budget, compute_budgets, find_stopping_budget, format_dollars, to_micros
from agents.llm.call_context import CallContext
from agents.llm.errors import BudgetExhausted
from agents.llm.llm_settings import BudgetSettings
from stores.ports import LogReader
from stores.records.ids import Clock, Id
from stores.records.model import Persona
from stores.records.play import Story


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
