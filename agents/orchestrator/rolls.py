"""Between a typed roll and the Resolver: whose numbers count, who is meant by each name, whose dice fall.

Source: design/loops.md, node `resolve`; AGENT_ORCHESTRATION, Resolver; design/product.md (physical dice).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from agents.canon_keeper.house import ReadCatalogue
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.orchestrator.chances import KINDS, Chances
from agents.orchestrator.exchange import RollPlan
from agents.orchestrator.router import Roll
from agents.resolver import pack_check
from agents.resolver.alter import kind_of, wanted_by_hand
from agents.resolver.check import read_check, whole_numbers
from agents.resolver.dice import throws_of
from agents.resolver.dice_faces import Wanted, by_hand, faces_error
from agents.resolver.dice_formula import Dice
from agents.resolver.dice_parser import parse
from agents.resolver.requests import (
    Alteration,
    AlterRequest,
    Chance,
    CheckRequest,
    IsCritical,
    ProposingRequest,
    ReadCheck,
    RollRequest,
    Sealed,
)
from agents.resolver.resolver import Resolver
from agents.resolver.ruleset_schema import Pack
from agents.resolver.rulesets import Library
from agents.resolver.sheets import NewSheet, Sheet
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.play import DiceBy, Resolution, Turn
from stores.records.world import Entity, Number

CHECKS = ("check", "move")
DRAWN_BY_PROGRAM = ("event", "spark")
"""Draws that the player's own dice are never asked for: those of an event depend on each other, and a
spark's tables have dice that nobody owns."""


class Rolls:
    """Prepares rolls and has them sealed. Stateless."""

    def __init__(
        self,
        context: ContextAssembly,
        resolver: Resolver,
        predicates: ReadCatalogue,
        chances: Chances,
        packs: Callable[[], Library],
    ) -> None:
        self._context = context
        self._resolver = resolver
        self._predicates = predicates
        self._chances = chances
        self._packs = packs

    async def ready(self, roll: Roll, context: SceneContext) -> tuple[Wanted, ...]:
        """Return the dice that the player has still to throw by hand; none if all is there.

        Raises InputError, before anything is recorded, for a roll that could not be resolved, and for
        faces that cannot be what fell.
        """
        throws = await self._throws(roll, context)
        if roll.faces is not None and roll.kind == "event":
            raise faces_error("The dice of an event depend on each other, so the program throws them.")
        asks = context.story.dice is DiceBy.PHYSICAL and roll.kind not in DRAWN_BY_PROGRAM
        if roll.faces is None and not asks:
            return ()
        return by_hand(throws, roll.faces or ()).wanted

    async def ready_again(
        self, old: Resolution, how: Alteration, faces: Sequence[int] | None, context: SceneContext
    ) -> tuple[Wanted, ...]:
        """Return the dice that the player has still to throw by hand for a reroll. Raises InputError."""
        if not how.places or how.faces:
            return ()
        if faces is None and context.story.dice is DiceBy.PROGRAM:
            return ()
        return wanted_by_hand(old, how, faces or ())

    async def seal(self, plan: RollPlan, context: SceneContext, words: Turn | None, tick: int) -> Sealed:
        """Have the Resolver roll and seal. The same plan gives the same result, sealed once."""
        asked: dict[str, Any] = {
            "scene": context.scene,
            "turn_id": plan.turn_id,
            "intent": words.text if words else "",
            "kind": plan.kind,
            "spec": plan.spec,
            "seed": plan.seed,
            "faces": plan.faces or None,
            "numbers": _numbers(context),
            "tick": tick,
        }
        rests_on: dict[str, Any] = {
            "player_turn_id": words.id if words else plan.turn_id,
            "is_critical": await self.is_critical(context),
        }
        if plan.alter is not None and plan.of is not None:
            return await self._alter(plan.of, plan.alter, context, asked | rests_on)
        if plan.kind in CHECKS:
            return await self._resolver.check(
                CheckRequest(
                    **asked,
                    **rests_on,
                    read=self._reader(plan.kind, context),
                    entities=await self._targets(plan.kind, plan.spec, context),
                )
            )
        if plan.kind in KINDS:
            chance = await self.chance(plan.kind, plan.spec, context)
            return await self._resolver.draw(ProposingRequest(**asked, **rests_on), chance)
        return await self._resolver.roll(RollRequest(**asked))

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        """Stage what an exchange proposes without a roll."""
        await self._resolver.stage(proposals)

    async def chance(self, kind: str, spec: str, context: SceneContext) -> Chance:
        """Return the draw that is asked for. Raises InputError if it makes no sense here."""
        return await self._chances.ready(kind, spec, context)

    async def is_critical(self, context: SceneContext) -> IsCritical:
        """Return what says whether giving a predicate a value is critical in this world."""
        return (await self._predicates(context.universe.id)).is_critical

    # --- the story's rules ---------------------------------------------------------------------------

    def pack(self, context: SceneContext) -> Pack | None:
        """Return the rule pack that the story is played by, if it has one and that is there."""
        return self._packs().packs.get(context.story.system)

    def sheet(self, context: SceneContext, entity: Entity | None) -> Sheet:
        """Return somebody's numbers and tags as they stand on this line."""
        if entity is None:
            return NewSheet()
        state = context.state(entity)
        return NewSheet(entity.name, entity.is_pc, state.numbers, state.tags)

    # --- inside --------------------------------------------------------------------------------------

    async def _throws(self, roll: Roll, context: SceneContext) -> list[Dice]:
        """Return the dice that are thrown. Raises InputError if the roll could not be resolved."""
        if roll.kind in CHECKS:
            await self._targets(roll.kind, roll.spec, context)
            read = self._reader(roll.kind, context)
            return throws_of(read(roll.spec, _numbers(context)).dice)
        if roll.kind in KINDS:
            # A draw throws the same dice whatever falls: one try tells which.
            drawn = (await self.chance(roll.kind, roll.spec, context))(random.Random(0), None)
            return [Dice(1, kind_of(die)) for die in drawn.dice]
        if not roll.spec:
            raise InputError("Roll what?", kept="Nothing was played.", todo="As in: /roll 2d6+1")
        return throws_of(parse(roll.spec, whole_numbers(_numbers(context))))

    async def _alter(
        self, turn_id: Id, how: Alteration, context: SceneContext, asked: dict[str, Any]
    ) -> Sealed:
        old = await self._resolver.result(turn_id)
        chance = await self.chance(old.kind, old.spec, context) if old.kind in KINDS else None
        return await self._resolver.alter(AlterRequest(**asked, old=old, how=how, chance=chance))

    def _reader(self, kind: str, context: SceneContext) -> ReadCheck:
        """Return what reads a check by the story's rule pack; without one, the generic check does."""
        actor, pack = context.actor(), self.pack(context)
        if pack is None and kind == "move":
            raise InputError(
                "This story is played by no rule pack, so it has no moves.",
                kept="Nothing was rolled.",
                todo="/check might 9 rolls a number; /system chooses a pack.",
            )
        if pack is None or (actor is None and kind != "move"):
            return read_check
        sheet = self.sheet(context, actor)
        read = pack_check.read_move if kind == "move" else pack_check.read_check
        return lambda typed, _: read(pack, typed, sheet)

    async def _targets(self, kind: str, spec: str, context: SceneContext) -> Sequence[Entity]:
        """Return who the effects mean. Each also goes by the name that was typed for it here."""
        effects = self._reader(kind, context)(spec, _numbers(context)).all_effects()
        targets = []
        for name in dict.fromkeys(effect.name for effect in effects):
            entity = await self._context.named(context, name)
            targets.append(entity.model_copy(update={"aliases": (*entity.aliases, name)}))
        return targets


def _numbers(context: SceneContext) -> dict[str, Number]:
    """Return the acting character's numbers as they stand on this line."""
    actor = context.actor()
    return dict(context.state(actor).numbers) if actor else {}
