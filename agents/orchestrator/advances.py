"""Advancement by the story's rule pack: experience is spent, and what it buys is proposed, in one exchange."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.exchange import Exchange
from agents.orchestrator.rests import EffectExchanges
from agents.resolver.ruleset_schema import Pack, spoken_key
from agents.resolver.sheets import list_advances, numbers_of, take_advance
from agents.solo.story_rules import StoryRules, read_working_sheet
from agents.typed_numbers import number_label
from stores.errors import InputError
from stores.records.world import Entity


class AdvanceService:
    """Reads what is typed after /advance, and begins the exchange of an advance."""

    def __init__(self, rules: StoryRules, exchanges: EffectExchanges) -> None:
        self._rules = rules
        self._exchanges = exchanges

    def list_advances(self, context: SceneContext) -> tuple[str, ...]:
        """Return the hero's experience, and what it buys, a line each. Raises InputError."""
        pack, hero = self._require_pack(context), _require_hero(context)
        sheet = read_working_sheet(context, hero)
        steps = list_advances(pack, sheet)
        if pack.advancement is None or not steps:
            return (f"{pack.name} has no advancement; /state {hero.name}.NUMBER +1 changes a number.",)
        experience = pack.advancement.experience
        return (
            f"{hero.name} has {number_label(experience)} {numbers_of(pack, sheet)[experience]}.",
            *(f"{spoken_key(step.key)} ({cost}): {step.meaning}" for step, cost in steps),
        )

    async def begin_advance(self, context: SceneContext, step_name: str) -> Exchange:
        """Return the exchange in which the hero advances: the cost and the effects are proposed. Raises InputError."""
        pack, hero = self._require_pack(context), _require_hero(context)
        effects = take_advance(pack, step_name, read_working_sheet(context, hero))
        step = next(s for s, _ in list_advances(pack, hero) if spoken_key(s.key) == spoken_key(step_name))
        words = f"{hero.name} has learnt from it: {step.meaning.rstrip('.')}."
        return await self._exchanges.begin(context, words, [(hero, effect) for effect in effects])

    def _require_pack(self, context: SceneContext) -> Pack:
        pack = self._rules.find_pack(context)
        if pack is None:
            raise InputError(
                "This story is played by no rule pack, so nothing says how somebody advances.",
                kept="Nothing was played.",
                todo="/state NAME.might +1 changes a number; /system chooses a pack.",
            )
        return pack


def _require_hero(context: SceneContext) -> Entity:
    hero = context.player_character()
    if hero is None:
        raise InputError(
            "This story has no player character to advance.",
            kept="Nothing was played.",
            todo="/state NAME.might +1 changes a number of anybody.",
        )
    return hero
