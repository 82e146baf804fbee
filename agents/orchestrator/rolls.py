"""Between a typed roll and the Resolver: whose numbers count, and who is meant by each name.

Source: design/loops.md, node `resolve`; AGENT_ORCHESTRATION, Resolver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.canon_keeper.predicates import Catalogue
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.orchestrator.chances import KINDS, Chances
from agents.orchestrator.exchange import RollPlan
from agents.resolver import pack_check
from agents.resolver.check import read_check, whole_numbers
from agents.resolver.dice_parser import parse
from agents.resolver.requests import CheckRequest, ReadCheck, RollRequest, Sealed
from agents.resolver.resolver import Resolver
from agents.resolver.rulesets import Library
from agents.resolver.sheets import NewSheet
from stores.errors import InputError
from stores.records.play import Turn
from stores.records.world import Entity, Number


class Rolls:
    """Prepares rolls and has them sealed. Stateless."""

    def __init__(
        self,
        context: ContextAssembly,
        resolver: Resolver,
        catalogue: Catalogue,
        chances: Chances,
        packs: Callable[[], Library],
    ) -> None:
        self._context = context
        self._resolver = resolver
        self._catalogue = catalogue
        self._chances = chances
        self._packs = packs

    async def check(self, kind: str, spec: str, context: SceneContext) -> None:
        """Raise InputError, before anything is recorded, for a roll that could not be resolved."""
        if kind == "check":
            await self._targets(spec, context)
        elif kind in KINDS:
            await self._chances.ready(kind, spec, context)
        elif not spec:
            raise InputError("Roll what?", kept="Nothing was played.", todo="As in: /roll 2d6+1")
        else:
            parse(spec, whole_numbers(_numbers(context)))

    async def seal(self, plan: RollPlan, context: SceneContext, words: Turn | None, tick: int) -> Sealed:
        """Have the Resolver roll and seal. The same plan gives the same result, sealed once."""
        intent = words.text if words else ""
        if plan.kind == "check":
            return await self._resolver.check(
                CheckRequest(
                    scene=context.scene,
                    turn_id=plan.turn_id,
                    player_turn_id=words.id if words else plan.turn_id,
                    intent=intent,
                    seed=plan.seed,
                    spec=plan.spec,
                    read=self._reader(context),
                    numbers=_numbers(context),
                    entities=await self._targets(plan.spec, context),
                    is_critical=lambda predicate, value: self._catalogue[predicate].is_critical(value),
                    tick=tick,
                )
            )
        request = RollRequest(
            scene=context.scene,
            turn_id=plan.turn_id,
            intent=intent,
            seed=plan.seed,
            spec=plan.spec,
            numbers=_numbers(context),
            tick=tick,
        )
        if plan.kind in KINDS:
            return await self._resolver.draw(
                request, await self._chances.ready(plan.kind, plan.spec, context)
            )
        return await self._resolver.roll(request)

    def _reader(self, context: SceneContext) -> ReadCheck:
        """Return what reads a check by the story's rule pack; without one, the generic check does."""
        actor, pack = context.actor(), self._packs().packs.get(context.story.system)
        if actor is None or pack is None:
            return read_check
        state = context.state(actor)
        sheet = NewSheet(actor.name, actor.is_pc, state.numbers, state.tags)
        return lambda typed, _: pack_check.read_check(pack, typed, sheet)

    async def _targets(self, spec: str, context: SceneContext) -> Sequence[Entity]:
        """Return who the effects mean. Each also goes by the name that was typed for it here."""
        effects = self._reader(context)(spec, _numbers(context)).all_effects()
        targets = []
        for name in dict.fromkeys(effect.name for effect in effects):
            entity = await self._context.named(context, name)
            targets.append(entity.model_copy(update={"aliases": (*entity.aliases, name)}))
        return targets


def _numbers(context: SceneContext) -> dict[str, Number]:
    """Return the acting character's numbers as they stand on this line."""
    actor = context.actor()
    return dict(context.state(actor).numbers) if actor else {}
