"""Prepares typed rolls for the Resolver: whose numbers count, who is meant by each name, who throws the dice."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.orchestrator.exchange import RollPlan
from agents.orchestrator.input.parser import RollInput
from agents.proposals.effects import fit_value
from agents.prose.supporting_words import mentions_person
from agents.resolver import pack_check
from agents.resolver.alteration import dice_to_throw_by_hand, die_type_of
from agents.resolver.check import read_check, whole_numbers
from agents.resolver.dice import dice_in_throw_order
from agents.resolver.dice_faces import DiceToThrow, faces_error, read_physical_dice
from agents.resolver.dice_formula import Dice
from agents.resolver.dice_parser import parse
from agents.resolver.resolution_requests import (
    Alteration,
    AlterRequest,
    ChanceDraw,
    CheckRequest,
    IsCritical,
    ProposingRequest,
    ReadCheck,
    RollRequest,
    SealedResult,
)
from agents.resolver.resolver import Resolver
from agents.resolver.roll_kinds import CHECK_KINDS, DRAW_KINDS, PROGRAM_DRAWN_KINDS
from agents.resolver.sheets import describe_missing_number, find_floor, find_missing_number
from agents.solo.gear_things import read_sheet_with_gear
from agents.solo.oracle_draws import OracleDraws
from agents.solo.story_rules import StoryRules
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import Degree, DiceRoller, Resolution, Speaker, Turn
from stores.records.world import Entity, Number

_ATTEMPT_WORDS = re.compile(r"[^\W\d](?:(?!\s+vs\b)[^\d+])*")
"""The name of a move or of a number at the beginning of a check: neither its dice nor its target."""

_NAME_WORD = re.compile(r"[^\W\d_]{3,}")
"""A word by which somebody may be meant: `Hound` of the Pane-Hound."""


class RollService:
    """Prepares rolls for the Resolver, and seals their results."""

    def __init__(
        self,
        context: SceneContextLoader,
        resolver: Resolver,
        read_catalogue: ReadCatalogue,
        oracle_draws: OracleDraws,
        rules: StoryRules,
    ) -> None:
        self._context = context
        self._resolver = resolver
        self._read_catalogue = read_catalogue
        self._oracle_draws = oracle_draws
        self._rules = rules

    async def find_missing_dice(self, roll: RollInput, context: SceneContext) -> tuple[DiceToThrow, ...]:
        """Return the dice that the player still has to throw by hand; none if all faces are given.

        Raises InputError, before anything is recorded, for a roll that could not be resolved, and for faces
        that cannot have fallen.
        """
        thrown_dice = await self._list_thrown_dice(roll, context)
        if roll.faces is not None and roll.kind == "event":
            raise faces_error("The dice of an event depend on each other, so the program throws them.")
        asks_player_dice = context.story.dice is DiceRoller.PHYSICAL and roll.kind not in PROGRAM_DRAWN_KINDS
        if roll.faces is None and not asks_player_dice:
            return ()
        return read_physical_dice(thrown_dice, roll.faces or ()).dice_to_throw

    async def find_missing_reroll_dice(
        self, original: Resolution, alteration: Alteration, faces: Sequence[int] | None, context: SceneContext
    ) -> tuple[DiceToThrow, ...]:
        """Return the dice that the player still has to throw by hand for a reroll. Raises InputError."""
        if not alteration.places or alteration.faces:
            return ()
        if faces is None and context.story.dice is DiceRoller.PROGRAM:
            return ()
        return dice_to_throw_by_hand(original, alteration, faces or ())

    async def seal_roll(
        self, plan: RollPlan, context: SceneContext, words_turn: Turn | None, tick: int, *, is_bare: bool
    ) -> SealedResult:
        """Have the Resolver roll and seal. The same plan gives the same result, sealed once.

        A roll that `is_bare` was typed without words, so its text says who tries what; it rests on the words before it
        unless they are of something else.
        """
        is_check = plan.kind in CHECK_KINDS and plan.alteration is None
        targets = await self._find_targets(plan.kind, plan.spec, context) if is_check else ()
        if is_bare and words_turn is not None and _is_of_something_else(words_turn, targets, context):
            words_turn = None
        request_fields: dict[str, Any] = {
            "scene": context.scene,
            "turn_id": plan.turn_id,
            "intent": words_turn.text if words_turn else "",
            "kind": plan.kind,
            "spec": plan.spec,
            "attempt": _attempt_text(plan.kind, plan.spec, context, is_bare=is_bare),
            "seed": plan.seed,
            "faces": plan.faces or None,
            "numbers": _actor_numbers(context),
            "tick": tick,
        }
        proposal_fields: dict[str, Any] = {
            "player_turn_id": words_turn.id if words_turn else None,
            "is_critical": await self.critical_rule(context),
        }
        if plan.alteration is not None and plan.altered_turn_id is not None:
            return await self._seal_alteration(
                plan.altered_turn_id, plan.alteration, context, request_fields | proposal_fields
            )
        if plan.kind in CHECK_KINDS:
            return await self._resolver.check(
                CheckRequest(
                    **request_fields,
                    **proposal_fields,
                    reader=await self._choose_check_reader(plan.kind, context),
                    entities=targets,
                    find_floor=partial(find_floor, self._rules.find_pack(context)),
                )
            )
        if plan.kind in DRAW_KINDS:
            draw = await self.prepare_draw(plan.kind, plan.spec, context)
            return await self._resolver.draw(ProposingRequest(**request_fields, **proposal_fields), draw)
        return await self._resolver.roll(RollRequest(**request_fields))

    async def prepare_draw(self, kind: str, spec: str, context: SceneContext) -> ChanceDraw:
        """Return the draw that was asked for. Raises InputError if it makes no sense here."""
        return await self._oracle_draws.prepare_draw(kind, spec, context)

    async def describe_tables(self, context: SceneContext) -> tuple[str, ...]:
        """Return the lines that list the tables to roll on."""
        return await self._oracle_draws.tables.describe_tables(context.universe.id)

    async def critical_rule(self, context: SceneContext) -> IsCritical:
        """Return the rule that says which changes are critical in this universe."""
        return (await self._read_catalogue(context.universe.id)).is_critical

    # --- inside --------------------------------------------------------------------------------------

    async def _list_thrown_dice(self, roll: RollInput, context: SceneContext) -> list[Dice]:
        """Return the dice of a roll. Raises InputError if it could not be resolved."""
        if roll.kind in CHECK_KINDS:
            await self._find_targets(roll.kind, roll.spec, context)
            check_reader = await self._choose_check_reader(roll.kind, context)
            return dice_in_throw_order(check_reader(roll.spec, _actor_numbers(context)).dice)
        if roll.kind in DRAW_KINDS:
            # A draw throws the same dice whatever falls: one try tells which.
            sample_draw = (await self.prepare_draw(roll.kind, roll.spec, context))(random.Random(0), None)
            return [Dice(1, die_type_of(die)) for die in sample_draw.dice]
        if not roll.spec:
            raise InputError("Roll what?", kept="Nothing was played.", todo="As in: /roll 2d6+1")
        return dice_in_throw_order(parse(roll.spec, whole_numbers(_actor_numbers(context))))

    async def _seal_alteration(
        self, turn_id: Id, alteration: Alteration, context: SceneContext, request_fields: dict[str, Any]
    ) -> SealedResult:
        original = await self._resolver.read_result(turn_id)
        if not original.intent:
            request_fields |= {"intent": "", "player_turn_id": None}
        attempts = [
            _attempt_text(original.kind, original.spec, context, is_bare=is_bare) for is_bare in (True, False)
        ]
        request_fields["attempt"] = next((a for a in attempts if a and original.text.startswith(a)), "")
        draw = (
            await self.prepare_draw(original.kind, original.spec, context)
            if original.kind in DRAW_KINDS
            else None
        )
        return await self._resolver.alter(
            AlterRequest(**request_fields, original=original, alteration=alteration, chance=draw)
        )

    async def _choose_check_reader(self, kind: str, context: SceneContext) -> ReadCheck:
        """Return what reads a check: the story's rule pack, or else the generic check."""
        actor, pack = context.player_character(), self._rules.find_pack(context)
        if pack is None and kind == "move":
            raise InputError(
                "This story is played by no rule pack, so it has no moves.",
                kept="Nothing was rolled.",
                todo="/check might 9 rolls a number; /system chooses a pack.",
            )
        if pack is None or (actor is None and kind != "move"):
            return read_check
        sheet = await read_sheet_with_gear(context, self._context.canon, pack, actor)
        pack_reader = pack_check.read_pack_move if kind == "move" else pack_check.read_pack_check
        return lambda typed, _: pack_reader(pack, typed, sheet)

    async def _find_targets(self, kind: str, spec: str, context: SceneContext) -> Sequence[Entity]:
        """Return the entities that the effects are about, each also under the name typed here.

        Raises InputError for a name that nobody has, for a number that nobody has set, and for a value that does not
        fit its key.
        """
        pack = self._rules.find_pack(context)
        read_check_here = await self._choose_check_reader(kind, context)
        effects = read_check_here(spec, _actor_numbers(context)).all_effects()
        targets: dict[str, Entity] = {}
        for effect in effects:
            if effect.name not in targets:
                entity = await self._context.find_one_entity(context, effect.name)
                targets[effect.name] = entity.model_copy(update={"aliases": (*entity.aliases, effect.name)})
            target = targets[effect.name]
            numbers = context.working_state(target).numbers
            fitted_effect = replace(fit_value(effect, numbers), name=target.name)
            if missing := find_missing_number(pack, fitted_effect, numbers):
                raise InputError(
                    describe_missing_number(missing),
                    kept="Nothing was rolled, and your words are still in the prompt.",
                    todo=f"/state {missing} gives it, as an example; then this can be rolled.",
                )
        return list(targets.values())


def describe_partial_without_effect(resolution: Resolution) -> tuple[str, ...]:
    """Return a line on a partial success for which a typed check names no effect, though it names others."""
    stakes = resolution.stakes
    if resolution.kind != "check" or resolution.degree is not Degree.PARTIAL or stakes is None:
        return ()
    effects_by_degree = {stake.degree: stake.effects for stake in stakes.by_degree if stake.effects}
    if not effects_by_degree or Degree.PARTIAL in effects_by_degree:
        return ()
    example = next(iter(effects_by_degree.values()))[0]
    return (
        f"A partial success has no effect here. /state {example} proposes one now; "
        f"a check names it with: ; partial: {example}",
    )


def _is_of_something_else(words_turn: Turn, targets: Sequence[Entity], context: SceneContext) -> bool:
    """Return whether words before a roll name nobody else whom it may change, and are the GM's or name others.

    `I swing my axe.` is of any roll behind it, and any words are of what may change the hero alone.
    """
    targets = [target for target in targets if target.id != context.story.pc_id]
    if not targets:
        return False
    words = set(map(str.casefold, _NAME_WORD.findall(words_turn.text)))
    if any(words.intersection(map(str.casefold, _NAME_WORD.findall(target.name))) for target in targets):
        return False
    others = (e for e in context.present_actors() if e.id != context.story.pc_id)
    return words_turn.speaker is Speaker.GM or any(mentions_person(words_turn.text, e.name) for e in others)


def _attempt_text(kind: str, spec: str, context: SceneContext, *, is_bare: bool) -> str:
    """Return who tries what: `Mara: strike Pane-Hound`, `Mara: might`; only the move where words say the rest."""
    attempt_match = _ATTEMPT_WORDS.match(spec.partition(";")[0].strip())
    attempt = attempt_match[0].strip() if attempt_match and kind in CHECK_KINDS else ""
    if not attempt or not (is_bare or kind == "move"):
        return ""
    actor = context.player_character()
    return f"{actor.name}: {attempt}" if is_bare and actor else attempt


def _actor_numbers(context: SceneContext) -> dict[str, Number]:
    """Return the acting character's numbers at the end of the timeline."""
    actor = context.player_character()
    return dict(context.working_state(actor).numbers) if actor else {}
