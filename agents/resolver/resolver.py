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

from agents.resolver.check import CheckResult, CheckSpec, by_luck, resolve, whole_numbers
from agents.resolver.dice import roll
from agents.resolver.effects import Effect
from agents.resolver.names import Names
from agents.resolver.proposals import proposal_id, proposals_resolved, resolution_id
from agents.resolver.requests import Chance, CheckRequest, RollRequest, Sealed
from agents.resolver.words import folded
from stores.errors import InputError
from stores.ports import ResolverLog
from stores.records.canon import StateChange, StateOp
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import ProposalStatus, ProposedChange
from stores.records.play import Resolution
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
        names = Names(request.entities)
        for effect in spec.all_effects():
            settle(effect, names)
        result = self._apply_rules(spec, request)
        settled = [settle(effect, names) for effect in result.effects]
        resolution = Resolution(
            id=resolution_id(request.turn_id),
            scene_id=request.scene.id,
            turn_id=request.turn_id,
            rule=result.rule,
            intent=request.intent,
            expression=result.roll.expression,
            dice=result.roll.dice,
            total=result.roll.total,
            target=result.target,
            degree=result.degree,
            margin=result.margin,
            text=result.text,
            effects=tuple(str(effect) for effect, _ in settled),
            seed=request.seed,
            created_at=self._clock(),
        )
        proposals = proposals_resolved(request, resolution, [change for _, change in settled])
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
        resolution = Resolution(
            id=resolution_id(request.turn_id),
            scene_id=request.scene.id,
            turn_id=request.turn_id,
            rule="roll",
            intent=request.intent,
            expression=rolled.expression,
            dice=rolled.dice,
            total=rolled.total,
            text=f"{rolled.text} · {rolled.label}" if rolled.label else rolled.text,
            seed=request.seed,
            created_at=self._clock(),
        )
        await self._log.seal(resolution)
        return Sealed(resolution)

    async def draw(self, request: RollRequest, chance: Chance) -> Sealed:
        """Draw what chance says (an oracle's answer, a reaction, spark words), and seal it.

        Raises StoreError if the log cannot be written.
        """
        if sealed := await self._sealed_before(request.turn_id):
            return sealed
        drawn = chance(random.Random(request.seed))
        resolution = Resolution(
            id=resolution_id(request.turn_id),
            scene_id=request.scene.id,
            turn_id=request.turn_id,
            rule=drawn.rule,
            intent=request.intent,
            dice=drawn.dice,
            text=drawn.text,
            seed=request.seed,
            created_at=self._clock(),
        )
        await self._log.seal(resolution)
        return Sealed(resolution)

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        """Stage changes that were built elsewhere (the GM's declarations, a world file)."""
        await self._log.stage(proposals)

    def _apply_rules(self, spec: CheckSpec, request: CheckRequest) -> CheckResult:
        """Apply the rules; if they break for a reason of ours, luck decides and the result says so."""
        try:
            return self._rules(spec, random.Random(request.seed), request.faces)
        except InputError:
            raise
        except Exception as error:
            _logger.exception("the rules failed on %r", spec.rule)
            because = f"instead of {spec.rule}, whose rules failed with {type(error).__name__}"
            return by_luck(spec, random.Random(request.seed), because=because)

    async def _sealed_before(self, turn_id: Id) -> Sealed | None:
        wanted = resolution_id(turn_id)
        for resolution in await self._log.resolutions([turn_id]):
            if resolution.id == wanted:
                ids = [proposal_id(turn_id, index) for index in range(len(resolution.effects))]
                stored = await self._log.proposals_by_id(ids)
                return Sealed(resolution, tuple(_as_sealed(stored[i]) for i in ids if i in stored))
        return None


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
