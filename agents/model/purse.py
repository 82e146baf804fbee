"""Where budgets meet what was spent: asked before every call. Reads the log; keeps nothing.

Source: design/loops.md, "Background"; V7_ORCHESTRATOR, "Cost Budget Enforcer".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Callable

from agents.model.asking import Occasion
from agents.model.budget import Budget, dollars, micros, stands, stopped_by
from agents.model.errors import BudgetExhausted
from agents.model.settings import BudgetSettings
from stores.ports import LogReader
from stores.records.ids import Clock, Id
from stores.records.model import Persona
from stores.records.play import Story


class Purse:
    """Says whether a persona may still be asked. Stateless: what was spent is in the log."""

    def __init__(self, log: LogReader, settings: Callable[[], BudgetSettings], clock: Clock) -> None:
        self._log = log
        self._settings = settings
        self._clock = clock

    async def budgets(self, universe_id: Id, story_id: Id | None) -> tuple[Budget, ...]:
        """Return the budgets that a call here counts against, as they stand."""
        general = self._settings()
        told, policy = await gather(self._story(story_id), self._log.policy(universe_id))
        story = None
        if told is not None:
            story = (told.id, micros(general.story) if told.budget is None else told.budget)
        limit = policy.budget if policy else None
        universe = (universe_id, micros(general.universe) if limit is None else limit)
        day = (self._clock().strftime("%Y-%m-%d"), micros(general.day))
        limits = (story[1] if story else None, universe[1], day[1])
        spent = await self._log.spent() if any(limit is not None for limit in limits) else []
        return stands(spent, story=story, universe=universe, day=day)

    async def _story(self, story_id: Id | None) -> Story | None:
        return await self._log.story(story_id) if story_id is not None else None

    async def allow(self, persona: Persona, occasion: Occasion) -> None:
        """Raise BudgetExhausted, with nothing sent, if a budget keeps this persona from speaking."""
        over = stopped_by(await self.budgets(occasion.universe_id, occasion.story_id), persona)
        if over is None or over.limit is None:
            return
        whose = f"today's budget of {dollars(over.limit)}"
        if over.scope != "day":
            whose = f"this {over.scope}'s budget of {dollars(over.limit)}"
        if over.percent < 100:
            what = f"{over.percent} % of {whose} is spent, so the {persona.value} waits."
        else:
            what = f"{dollars(over.spent)} is spent: {whose} is used up. Nothing was sent."
        raise BudgetExhausted(
            what, todo=f"Raise it: /budget {over.scope} 5 (in dollars), or tell it yourself with >."
        )
