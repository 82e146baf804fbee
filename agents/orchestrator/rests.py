"""Rests by the story's rule pack: time passes and what they give is proposed, in one exchange.

Source: docs/rule-packs.md (`rests`); design/loops.md, "One turn".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.orchestrator.calendar import clock_time
from agents.orchestrator.declarations import by_hand
from agents.orchestrator.exchange import Exchange, begin
from agents.orchestrator.rolls import Rolls
from agents.resolver.effects import Effect
from agents.resolver.names import Names
from agents.resolver.proposals import proposal_id, touches_critical
from agents.resolver.resolver import settle
from agents.resolver.ruleset_schema import Pack, spoken
from agents.resolver.sheets import rest
from stores.errors import InputError
from stores.records.canon import Authority
from stores.records.ids import Clock, IdMaker
from stores.records.ledger import ProposedChange
from stores.records.world import Entity

_WITH = re.compile(r"(.*?)(?:\s+with\s+(.+))?", re.IGNORECASE | re.DOTALL)


class Rests:
    """Stateless."""

    def __init__(self, context: ContextAssembly, rolls: Rolls, ids: IdMaker, clock: Clock) -> None:
        self._context = context
        self._rolls = rolls
        self._ids = ids
        self._clock = clock

    def list(self, context: SceneContext) -> tuple[str, ...]:
        """List the rests of the story's rules, a line each. Raises InputError without a pack."""
        pack = self._needed(context)
        lines = [f"{spoken(r.key)} ({_length(r.minutes)}): {r.meaning}" for r in pack.rests]
        return tuple(lines) or (f"{pack.name} has no rests; /time +8h lets time pass.",)

    async def rest(self, context: SceneContext, typed: str) -> Exchange:
        """Return the exchange that a rest is: time passes, and its effects are proposed with it.

        `typed` is the rest's name, and who rests along (`night with Old Tam`). Raises InputError.
        """
        pack, hero = self._needed(context), context.actor()
        found = _WITH.fullmatch(typed)
        assert found is not None
        key, others = found[1].strip(), found[2] or ""
        named = [await self._context.named(context, n.strip()) for n in others.split(",") if n.strip()]
        resting = list({one.id: one for one in (*([hero] if hero else []), *named)}.values())
        if not resting:
            raise InputError(
                "This story has no player character to rest.",
                kept="Nothing was played.",
                todo=f"/rest {key} with Old Tam",
            )
        recovered = [(one, rest(pack, key, self._rolls.sheet(context, one))) for one in resting]
        meant = next(r for r in pack.rests if spoken(r.key) == spoken(key))
        until = context.tick + meant.minutes
        who = " and ".join(one.name for one in resting)
        verb = "rests" if len(resting) == 1 else "rest"
        when = clock_time(context.universe.calendar, until)
        words = f"{who} {verb}: {meant.meaning.rstrip('.')}. It is {when}."
        exchange = begin(self._ids, context.scene, context.head, words=words, until=until)
        effects = [(one, effect) for one, recovery in recovered for effect in recovery.effects]
        return exchange.model_copy(update={"proposals": await self._proposed(context, exchange, effects)})

    async def _proposed(
        self, context: SceneContext, exchange: Exchange, effects: Iterable[tuple[Entity, Effect]]
    ) -> tuple[ProposedChange, ...]:
        assert exchange.words_id is not None
        turn, is_critical = exchange.words_turn(self._clock()), await self._rolls.is_critical(context)
        proposals = []
        for index, (entity, effect) in enumerate(effects):
            _, change = settle(replace(effect, name=entity.name), Names([entity]))
            named = proposal_id(exchange.words_id, index)
            proposals.append(
                ProposedChange(
                    id=named,
                    universe_id=context.universe.id,
                    story_id=context.story.id,
                    scene_id=context.scene.id,
                    turn_id=exchange.words_id,
                    payload=change,
                    evidence=by_hand(named, exchange.words, turn),
                    authority=Authority.PLAYER,
                    tick=exchange.tick,
                    critical=touches_critical(change, is_critical),
                    created_at=self._clock(),
                )
            )
        return tuple(proposals)

    def _needed(self, context: SceneContext) -> Pack:
        pack = self._rolls.pack(context)
        if pack is None:
            raise InputError(
                "This story is played by no rule pack, so it has no rests.",
                kept="Nothing was played.",
                todo="/time +8h lets time pass; /system chooses a pack.",
            )
        return pack


def _length(minutes: int) -> str:
    """Return minutes of world time in words: `8 h`, `30 min`, `3 days`."""
    for unit, size in (("days", 1440), ("h", 60)):
        if minutes >= size and minutes % size == 0:
            return f"{minutes // size} {'day' if unit == 'days' and minutes == size else unit}"
    return f"{minutes} min"
