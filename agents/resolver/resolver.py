"""The Resolver, which rolls and seals results before anything is narrated.

Identifiers derive from the turn that will show a result, and a result that is sealed already is returned
as it is: after a crash the same request gives the same records, and never other dice.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from agents.proposals.effects import Effect, fit_value
from agents.resolver.alteration import alter_roll, provenance_suffix
from agents.resolver.check import CheckResult, CheckSpec, resolve_by_luck, roll_check, whole_numbers
from agents.resolver.dice import roll_dice
from agents.resolver.entity_names import EntityNameLookup
from agents.resolver.resolution_proposals import build_resolution_proposals, proposal_id, resolution_id
from agents.resolver.resolution_requests import (
    AlterRequest,
    ChanceDraw,
    CheckRequest,
    DecidingChanceResult,
    FindFloor,
    ProposingRequest,
    RollRequest,
    SealedResult,
    hp_floor,
)
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanRecords, Telemetry
from agents.typed_text import fold_name
from stores.errors import InputError
from stores.ports import ResolverLog
from stores.records.canon import StateChange, StateOp
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Degree, Resolution, Stake, Stakes
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import Entity

CheckRules = Callable[[CheckSpec, random.Random, Sequence[int] | None], CheckResult]
"""Resolves a check with a generator, or with the faces of physical dice."""

_logger = logging.getLogger(__name__)


class Resolver:
    """Rolls, and seals the results in the log; it keeps no state."""

    def __init__(
        self,
        log: ResolverLog,
        ids: IdGenerator,
        clock: Clock,
        *,
        rules: CheckRules = roll_check,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._log = log
        self._ids = ids
        self._clock = clock
        self._rules = rules
        self._telemetry = telemetry

    async def check(self, request: CheckRequest) -> SealedResult:
        """Resolve a check; seal its result together with the changes that it proposes.

        Raises InputError, with nothing rolled or stored, if the check cannot be read or an effect of
        any degree names nobody known; StoreError if the log cannot be written.
        """
        return await self._seal_once(request, partial(self._resolve_check, request))

    async def roll(self, request: RollRequest) -> SealedResult:
        """Roll plain dice, without a target or effects, and seal them.

        Raises InputError, with nothing stored, if the expression cannot be rolled; StoreError.
        """
        return await self._seal_once(request, partial(self._resolve_roll, request))

    async def draw(self, request: RollRequest, chance: ChanceDraw) -> SealedResult:
        """Make a draw (an oracle's answer, a reaction, spark words), and seal it.

        Raises InputError, with nothing stored, if typed faces do not fit; StoreError if the log cannot
        be written.
        """
        return await self._seal_once(request, partial(self._resolve_draw, request, chance))

    async def alter(self, request: AlterRequest) -> SealedResult:
        """Seal a roll with some of its dice rerolled or another result picked, and its changes.

        The old result is not touched. Raises InputError, with nothing stored, if the dice cannot be
        replaced so; StoreError.
        """
        return await self._seal_once(request, partial(self._resolve_alteration, request))

    async def read_result(self, turn_id: Id) -> Resolution:
        """Return what was sealed for a turn. Raises InputError if nothing was."""
        for resolution in await self._log.resolutions([turn_id]):
            return resolution
        raise InputError("Nothing was rolled there.", kept="Nothing was changed.")

    async def _seal_once(self, request: RollRequest, resolve: Callable[[], SealedResult]) -> SealedResult:
        """Return what is sealed for the turn already, or else seal what `resolve` returns."""
        records = SpanRecords(request.scene.universe_id, request.scene.story_id, request.scene.id)
        with self._telemetry.span(MeasuredOperation.SEAL, request.kind, records):
            if sealed_result := await self._find_sealed(request.turn_id):
                return sealed_result
            result = resolve()
            await self._log.seal(result.resolution, result.proposals)
            return result

    def _resolve_check(self, request: CheckRequest) -> SealedResult:
        spec = request.reader(request.spec, request.numbers)
        stakes = build_stakes(spec, EntityNameLookup(request.entities), request.find_floor)
        result, by_hand = self._apply_rules(spec, request)
        degree_stake = next((stake for stake in stakes.by_degree if stake.degree is result.degree), None)
        resolution = self._build_resolution(
            request,
            rule=result.rule,
            expression=result.roll.expression,
            dice=result.roll.dice,
            total=result.roll.total,
            target=result.target,
            degree=result.degree,
            margin=result.margin,
            text=result.text,
            by_hand=by_hand,
            effects=degree_stake.effects if degree_stake else (),
            label=result.roll.label,
            stakes=stakes,
        )
        proposals = build_resolution_proposals(
            request, resolution, degree_stake.changes if degree_stake else ()
        )
        return SealedResult(resolution, proposals)

    def _resolve_roll(self, request: RollRequest) -> SealedResult:
        dice_roll = roll_dice(
            request.spec,
            random.Random(request.seed),
            faces=request.faces,
            numbers_by_name=whole_numbers(request.numbers),
        )
        resolution = self._build_resolution(
            request,
            rule="roll",
            expression=dice_roll.expression,
            dice=dice_roll.dice,
            total=dice_roll.total,
            text=f"{dice_roll.text} · {dice_roll.label}" if dice_roll.label else dice_roll.text,
            label=dice_roll.label,
        )
        return SealedResult(resolution)

    def _resolve_draw(self, request: RollRequest, chance: ChanceDraw) -> SealedResult:
        chance_result = chance(random.Random(request.seed), request.faces)
        decided_fields: dict[str, Any] = {}
        if isinstance(chance_result, DecidingChanceResult):
            decided_fields = {"degree": chance_result.degree, "effects": tuple(chance_result.effects)}
        resolution = self._build_resolution(
            request,
            rule=chance_result.rule,
            dice=chance_result.dice,
            text=chance_result.text,
            **decided_fields,
        )
        proposals: tuple[ProposedChange, ...] = ()
        if isinstance(chance_result, DecidingChanceResult) and isinstance(request, ProposingRequest):
            proposals = build_resolution_proposals(request, resolution, chance_result.changes)
        return SealedResult(resolution, proposals)

    def _resolve_alteration(self, request: AlterRequest) -> SealedResult:
        original = request.original
        altered_roll = alter_roll(
            original, request.alteration, random.Random(request.seed), request.faces, request.chance
        )
        alterations = (*original.altered, altered_roll.description)
        by_hand = original.by_hand or bool(request.faces)
        resolution = original.model_copy(
            update={
                "id": resolution_id(request.turn_id),
                "turn_id": request.turn_id,
                "rule": altered_roll.rule,
                "dice": altered_roll.dice,
                "total": altered_roll.total,
                "degree": altered_roll.degree,
                "margin": altered_roll.margin,
                "text": _with_attempt(request, altered_roll.text)
                + provenance_suffix(by_hand=by_hand, alterations=alterations),
                "effects": altered_roll.effects,
                "by_hand": by_hand,
                "instead_of": original.turn_id,
                "altered": alterations,
                "seed": request.seed,
                "created_at": self._clock(),
            }
        )
        proposals = build_resolution_proposals(request, resolution, altered_roll.changes)
        return SealedResult(resolution, proposals)

    def _build_resolution(
        self, request: RollRequest, *, text: str, by_hand: bool | None = None, **result: Any
    ) -> Resolution:
        """Build the result of a request."""
        by_hand = bool(request.faces) if by_hand is None else by_hand
        return Resolution(
            id=resolution_id(request.turn_id),
            scene_id=request.scene.id,
            turn_id=request.turn_id,
            intent=request.intent,
            kind=request.kind,
            spec=request.spec,
            text=_with_attempt(request, text) + provenance_suffix(by_hand=by_hand, alterations=()),
            by_hand=by_hand,
            seed=request.seed,
            created_at=self._clock(),
            **result,
        )

    def _apply_rules(self, spec: CheckSpec, request: CheckRequest) -> tuple[CheckResult, bool]:
        """Apply the rules; if they fail unexpectedly, luck decides and the result says so.

        Also returns whether it was resolved with the player's own dice.
        """
        try:
            return self._rules(spec, random.Random(request.seed), request.faces), bool(request.faces)
        except InputError:
            raise
        except Exception as error:
            _logger.exception("the rules failed on %r", spec.rule)
            because = f"instead of {spec.rule}, whose rules failed with {type(error).__name__}"
            return resolve_by_luck(spec, random.Random(request.seed), because), False

    async def _find_sealed(self, turn_id: Id) -> SealedResult | None:
        wanted_id = resolution_id(turn_id)
        for resolution in await self._log.resolutions([turn_id]):
            if resolution.id == wanted_id:
                ids = [proposal_id(turn_id, index) for index in range(len(resolution.effects))]
                stored_proposals = await self._log.proposals_by_id(ids)
                return SealedResult(
                    resolution,
                    tuple(
                        _with_sealed_status(stored_proposals[id_]) for id_ in ids if id_ in stored_proposals
                    ),
                )
        return None


def _with_attempt(request: RollRequest, text: str) -> str:
    return f"{request.attempt} · {text}" if request.attempt else text


def build_stakes(spec: CheckSpec, names: EntityNameLookup, find_floor: FindFloor = hp_floor) -> Stakes:
    """Return what each degree of a check would do. Raises InputError for an effect on nobody known."""
    effects_by_degree = {
        degree: _resolve_effects(spec, degree, names, find_floor)
        for degree in Degree
        if degree in spec.effects or degree in spec.says
    }
    return Stakes(
        odds=spec.odds.value if spec.formula is None else "",
        partial_within=spec.partial_within,
        low_wins=spec.low_wins,
        by_degree=tuple(
            Stake(
                degree=degree,
                says=spec.says.get(degree, ""),
                effects=tuple(str(effect) for effect, _ in resolved_effects),
                changes=tuple(change for _, change in resolved_effects),
            )
            for degree, resolved_effects in effects_by_degree.items()
        ),
    )


def _resolve_effects(
    spec: CheckSpec, degree: Degree, names: EntityNameLookup, find_floor: FindFloor
) -> list[tuple[Effect, StateChange]]:
    return [resolve_effect(effect, names, find_floor) for effect in spec.effects.get(degree, ())]


def resolve_effect(
    effect: Effect, names: EntityNameLookup, find_floor: FindFloor = hp_floor
) -> tuple[Effect, StateChange]:
    """Return the effect in the entity's own spelling, and the change that it makes.

    Raises InputError if nobody, or more than one, is called so.
    """
    entity = names.find_entity(effect.name)
    effect = replace(effect, name=entity.name, key=_own_spelling(entity, effect))
    effect = fit_value(effect, entity.numbers)
    floor = find_floor(effect.key) if effect.op is StateOp.ADD else None
    change = StateChange(entity_id=entity.id, key=effect.key, op=effect.op, value=effect.value, floor=floor)
    return effect, change


def _own_spelling(entity: Entity, effect: Effect) -> str:
    """Return the entity's spelling of a key (`hp` for `HP`); a new key is in small letters, as predicates are."""
    is_tag = effect.op in (StateOp.TAG, StateOp.UNTAG)
    spellings = {fold_name(word): word for word in (entity.tags if is_tag else entity.numbers)}
    return spellings.get(fold_name(effect.key), effect.key if is_tag else fold_name(effect.key))


def _with_sealed_status(proposal: ProposedChange) -> ProposedChange:
    """Return the proposal as it was sealed; while its oracle turn is not written, it reads as withdrawn."""
    if proposal.status is ProposalStatus.WITHDRAWN:
        return proposal.model_copy(update={"status": ProposalStatus.PENDING})
    return proposal
