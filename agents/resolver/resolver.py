"""The Resolver: what happened, settled and sealed before anyone tells it.

It holds no state. Whatever it makes of one request has identifiers derived from the turn that will show
it, and a result that is sealed already is handed out again as it stands: after a crash the same request
gives the same records, and never other dice.

Source: AGENT_ORCHESTRATION, "Resolver Agent"; design/loops.md, "One turn" (5. resolve);
design/authority.md (it writes resolutions and proposals; when it fails, the narrative randomizer speaks).
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from agents.resolver.alter import alter, suffix
from agents.resolver.check import CheckResult, CheckSpec, by_luck, resolve, whole_numbers
from agents.resolver.dice import roll
from agents.resolver.effects import Effect
from agents.resolver.names import Names
from agents.resolver.proposals import proposal_id, proposals_resolved, resolution_id
from agents.resolver.requests import (
    AlterRequest,
    Chance,
    CheckRequest,
    Deciding,
    ProposingRequest,
    RollRequest,
    Sealed,
)
from agents.resolver.words import folded
from stores.errors import InputError
from stores.ports import ResolverLog
from stores.records.canon import StateChange, StateOp
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import ProposalStatus, ProposedChange
from stores.records.play import Degree, Resolution, Stake, Stakes
from stores.records.world import Entity

Rules = Callable[[CheckSpec, random.Random, Sequence[int] | None], CheckResult]
"""Resolves a check with a generator, or with the faces of physical dice."""

_logger = logging.getLogger(__name__)


class Resolver:
    def __init__(self, log: ResolverLog, ids: IdMaker, clock: Clock, *, rules: Rules = resolve) -> None:
        self._log = log
        self._ids = ids
        self._clock = clock
        self._rules = rules

    async def check(self, request: CheckRequest) -> Sealed:
        """Resolve a check; seal its result together with the changes that it proposes.

        Raises InputError, with nothing rolled or stored, if the check cannot be read or an effect of
        any degree names nobody known; StoreError if the log cannot be written.
        """
        if sealed := await self._sealed_before(request.turn_id):
            return sealed
        spec = request.read(request.spec, request.numbers)
        stakes = stakes_of(spec, Names(request.entities))
        result, by_hand = self._apply_rules(spec, request)
        came = next((stake for stake in stakes.by_degree if stake.degree is result.degree), None)
        resolution = self._sealed(
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
            effects=came.effects if came else (),
            label=result.roll.label,
            stakes=stakes,
        )
        proposals = proposals_resolved(request, resolution, came.changes if came else ())
        await self._log.seal(resolution, proposals)
        return Sealed(resolution, proposals)

    async def roll(self, request: RollRequest) -> Sealed:
        """Roll dice that are against nothing and change nothing, and seal them.

        Raises InputError, with nothing stored, if the expression cannot be rolled; StoreError.
        """
        if sealed := await self._sealed_before(request.turn_id):
            return sealed
        rolled = roll(
            request.spec,
            random.Random(request.seed),
            faces=request.faces,
            names=whole_numbers(request.numbers),
        )
        resolution = self._sealed(
            request,
            rule="roll",
            expression=rolled.expression,
            dice=rolled.dice,
            total=rolled.total,
            text=f"{rolled.text} · {rolled.label}" if rolled.label else rolled.text,
            label=rolled.label,
        )
        await self._log.seal(resolution)
        return Sealed(resolution)

    async def draw(self, request: RollRequest, chance: Chance) -> Sealed:
        """Draw what chance says (an oracle's answer, a reaction, spark words), and seal it.

        Raises InputError, with nothing stored, if typed faces do not fit; StoreError if the log cannot
        be written.
        """
        if sealed := await self._sealed_before(request.turn_id):
            return sealed
        drawn = chance(random.Random(request.seed), request.faces)
        came: dict[str, Any] = {}
        if isinstance(drawn, Deciding):
            came = {"degree": drawn.degree, "effects": tuple(drawn.effects)}
        resolution = self._sealed(request, rule=drawn.rule, dice=drawn.dice, text=drawn.text, **came)
        proposals: tuple[ProposedChange, ...] = ()
        if isinstance(drawn, Deciding) and isinstance(request, ProposingRequest):
            proposals = proposals_resolved(request, resolution, drawn.changes)
        await self._log.seal(resolution, proposals)
        return Sealed(resolution, proposals)

    async def alter(self, request: AlterRequest) -> Sealed:
        """Seal what a roll comes to with dice of it rerolled or another result picked, and its changes.

        The old result is not touched. Raises InputError, with nothing stored, if the dice cannot be
        replaced so; StoreError.
        """
        if sealed := await self._sealed_before(request.turn_id):
            return sealed
        old = request.old
        new = alter(old, request.how, random.Random(request.seed), request.faces, request.chance)
        altered = (*old.altered, new.how)
        by_hand = old.by_hand or bool(request.faces)
        resolution = old.model_copy(
            update={
                "id": resolution_id(request.turn_id),
                "turn_id": request.turn_id,
                "rule": new.rule,
                "dice": new.dice,
                "total": new.total,
                "degree": new.degree,
                "margin": new.margin,
                "text": new.text + suffix(by_hand=by_hand, altered=altered),
                "effects": new.effects,
                "by_hand": by_hand,
                "instead_of": old.turn_id,
                "altered": altered,
                "seed": request.seed,
                "created_at": self._clock(),
            }
        )
        proposals = proposals_resolved(request, resolution, new.changes)
        await self._log.seal(resolution, proposals)
        return Sealed(resolution, proposals)

    async def result(self, turn_id: Id) -> Resolution:
        """Return what was sealed for a turn. Raises InputError if nothing was."""
        for resolution in await self._log.resolutions([turn_id]):
            return resolution
        raise InputError("Nothing was rolled there.", kept="Nothing was changed.")

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        """Stage changes that were built elsewhere (the GM's declarations, a world file)."""
        await self._log.stage(proposals)

    def _sealed(
        self, request: RollRequest, *, text: str, by_hand: bool | None = None, **result: Any
    ) -> Resolution:
        """Return the result of a request as it is sealed."""
        by_hand = bool(request.faces) if by_hand is None else by_hand
        return Resolution(
            id=resolution_id(request.turn_id),
            scene_id=request.scene.id,
            turn_id=request.turn_id,
            intent=request.intent,
            kind=request.kind,
            spec=request.spec,
            text=text + suffix(by_hand=by_hand, altered=()),
            by_hand=by_hand,
            seed=request.seed,
            created_at=self._clock(),
            **result,
        )

    def _apply_rules(self, spec: CheckSpec, request: CheckRequest) -> tuple[CheckResult, bool]:
        """Apply the rules; if they break for a reason of ours, luck decides and the result says so.
        Also returns whether it was resolved with the player's own dice."""
        try:
            return self._rules(spec, random.Random(request.seed), request.faces), bool(request.faces)
        except InputError:
            raise
        except Exception as error:
            _logger.exception("the rules failed on %r", spec.rule)
            because = f"instead of {spec.rule}, whose rules failed with {type(error).__name__}"
            return by_luck(spec, random.Random(request.seed), because), False

    async def _sealed_before(self, turn_id: Id) -> Sealed | None:
        wanted = resolution_id(turn_id)
        for resolution in await self._log.resolutions([turn_id]):
            if resolution.id == wanted:
                ids = [proposal_id(turn_id, index) for index in range(len(resolution.effects))]
                stored = await self._log.proposals_by_id(ids)
                return Sealed(resolution, tuple(_as_sealed(stored[i]) for i in ids if i in stored))
        return None


def stakes_of(spec: CheckSpec, names: Names) -> Stakes:
    """Return what each degree of a check would do. Raises InputError for an effect on nobody known."""
    degrees = {d: _settled(spec, d, names) for d in Degree if d in spec.effects or d in spec.says}
    return Stakes(
        odds=spec.odds.value if spec.formula is None else "",
        partial_within=spec.partial_within,
        low_wins=spec.low_wins,
        by_degree=tuple(
            Stake(
                degree=degree,
                says=spec.says.get(degree, ""),
                effects=tuple(str(effect) for effect, _ in settled),
                changes=tuple(change for _, change in settled),
            )
            for degree, settled in degrees.items()
        ),
    )


def _settled(spec: CheckSpec, degree: Degree, names: Names) -> list[tuple[Effect, StateChange]]:
    return [settle(effect, names) for effect in spec.effects.get(degree, ())]


def settle(effect: Effect, names: Names) -> tuple[Effect, StateChange]:
    """Return the effect in the entity's own spelling, and the change that it is.

    Raises InputError if nobody, or more than one, is called so.
    """
    entity = names.find(effect.name)
    effect = replace(effect, name=entity.name, key=_own_spelling(entity, effect))
    change = StateChange(entity_id=entity.id, key=effect.key, op=effect.op, value=effect.value)
    return effect, change


def _own_spelling(entity: Entity, effect: Effect) -> str:
    """`HP` means the `hp` that is there. A new key is in small letters, as predicates are."""
    is_tag = effect.op in (StateOp.TAG, StateOp.UNTAG)
    known = {folded(word): word for word in (entity.tags if is_tag else entity.numbers)}
    return known.get(folded(effect.key), effect.key if is_tag else folded(effect.key))


def _as_sealed(proposal: ProposedChange) -> ProposedChange:
    """A proposal whose oracle turn is not written yet reads as withdrawn; it was sealed as pending."""
    if proposal.status is ProposalStatus.WITHDRAWN:
        return proposal.model_copy(update={"status": ProposalStatus.PENDING})
    return proposal
