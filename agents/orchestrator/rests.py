"""Rests by the story's rule pack: time passes and the effects are proposed, in one exchange."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.orchestrator.exchange import Exchange, begin_exchange
from agents.orchestrator.rolls import RollService
from agents.proposals.effects import Effect
from agents.proposals.evidence import typed_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.resolver.entity_names import EntityNameLookup
from agents.resolver.resolution_proposals import is_critical_change, proposal_id
from agents.resolver.resolver import resolve_effect
from agents.resolver.ruleset_schema import Pack, spoken_key
from agents.resolver.sheets import take_rest
from agents.solo.story_rules import StoryRules, read_working_sheet
from agents.world_time.calendar import format_clock_time
from stores.errors import InputError
from stores.records.canon import Authority
from stores.records.ids import Clock, IdGenerator
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

_REST_PATTERN = re.compile(r"(.*?)(?:\s+with\s+(.+))?", re.IGNORECASE | re.DOTALL)


class EffectExchanges:
    """Begins exchanges that propose effects by the rules, without a roll."""

    def __init__(self, rolls: RollService, ids: IdGenerator, clock: Clock) -> None:
        self._rolls = rolls
        self._ids = ids
        self._clock = clock

    async def begin(
        self,
        context: SceneContext,
        words: str,
        effects: Iterable[tuple[Entity, Effect]],
        *,
        until_tick: int | None = None,
    ) -> Exchange:
        """Return the exchange of these words, with the effects as its proposals."""
        exchange = begin_exchange(self._ids, context.scene, context.head, words=words, until_tick=until_tick)
        return exchange.model_copy(
            update={"proposals": await self._build_proposals(context, exchange, effects)}
        )

    async def _build_proposals(
        self, context: SceneContext, exchange: Exchange, effects: Iterable[tuple[Entity, Effect]]
    ) -> tuple[ProposedChange, ...]:
        assert exchange.words_id is not None
        turn, is_critical = exchange.build_words_turn(self._clock()), await self._rolls.critical_rule(context)
        site = ProposalSite(
            context.universe.id, context.story.id, context.scene.id, exchange.words_id, tick=exchange.tick
        )
        proposals = []
        for index, (entity, effect) in enumerate(effects):
            _, change = resolve_effect(replace(effect, name=entity.name), EntityNameLookup([entity]))
            effect_proposal_id = proposal_id(exchange.words_id, index)
            proposals.append(
                build_proposal(
                    effect_proposal_id,
                    change,
                    [typed_evidence(effect_proposal_id, exchange.words, turn)],
                    Authority.PLAYER,
                    site,
                    self._clock(),
                    critical=is_critical_change(change, is_critical),
                )
            )
        return tuple(proposals)


class RestService:
    """Reads what is typed after /rest, and begins the exchange of a rest."""

    def __init__(self, context: SceneContextLoader, rules: StoryRules, exchanges: EffectExchanges) -> None:
        self._context = context
        self._rules = rules
        self._exchanges = exchanges

    def list_rests(self, context: SceneContext) -> tuple[str, ...]:
        """Return the rests of the story's rules, a line each. Raises InputError without a rule pack."""
        pack = self._require_pack(context)
        lines = [f"{spoken_key(r.key)} ({_format_minutes(r.minutes)}): {r.meaning}" for r in pack.rests]
        return tuple(lines) or (f"{pack.name} has no rests; /time +8h lets time pass.",)

    async def begin_rest(self, context: SceneContext, text: str) -> Exchange:
        """Return the exchange of a rest: time passes, and its effects are proposed with it.

        `typed` is the rest's name, and who rests too (`night with Old Tam`). Raises InputError.
        """
        pack, hero = self._require_pack(context), context.player_character()
        match = _REST_PATTERN.fullmatch(text)
        assert match is not None
        rest_name, other_names = match[1].strip(), match[2] or ""
        companions = [
            await self._context.find_one_entity(context, n.strip())
            for n in other_names.split(",")
            if n.strip()
        ]
        resting_entities = list({one.id: one for one in (*([hero] if hero else []), *companions)}.values())
        if not resting_entities:
            raise InputError(
                "This story has no player character to rest.",
                kept="Nothing was played.",
                todo=f"/rest {rest_name} with NAME",
            )
        recoveries = [
            (one, take_rest(pack, rest_name, read_working_sheet(context, one))) for one in resting_entities
        ]
        pack_rest = next(r for r in pack.rests if spoken_key(r.key) == spoken_key(rest_name))
        until_tick = context.tick + pack_rest.minutes
        resting_names = " and ".join(one.name for one in resting_entities)
        verb = "rests" if len(resting_entities) == 1 else "rest"
        when = format_clock_time(context.universe.calendar, until_tick)
        words = f"{resting_names} {verb}: {pack_rest.meaning.rstrip('.')}. It is {when}."
        effects = [(one, effect) for one, recovery in recoveries for effect in recovery.effects]
        return await self._exchanges.begin(context, words, effects, until_tick=until_tick)

    def _require_pack(self, context: SceneContext) -> Pack:
        pack = self._rules.find_pack(context)
        if pack is None:
            raise InputError(
                "This story is played by no rule pack, so it has no rests.",
                kept="Nothing was played.",
                todo="/time +8h lets time pass; /system chooses a pack.",
            )
        return pack


def _format_minutes(minutes: int) -> str:
    """Return minutes of world time in words: `8 h`, `30 min`, `3 days`."""
    for unit, size in (("days", 1440), ("h", 60)):
        if minutes >= size and minutes % size == 0:
            return f"{minutes // size} {'day' if unit == 'days' and minutes == size else unit}"
    return f"{minutes} min"
