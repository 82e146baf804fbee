"""The GM's declarations, staged: what `/npc`, `/place`, `/fact`, `/state`, `/go`, `/axiom` propose.

Each rests on the words typed and on the turn that play stands on, so that undoing that turn takes the
declaration back with it. Nothing here writes canon.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations import reader as declare
from agents.declarations.entity_lookup import scene_entity_finder
from agents.events import EventBus, ProposalsChanged
from agents.proposals.statements import build_location_fact
from agents.resolver.effects import parse_effects
from agents.resolver.resolver import Resolver
from stores.errors import InputError
from stores.records.canon import (
    Authority,
    Evidence,
    EvidenceKind,
    Payload,
    StateChange,
)
from stores.records.ids import Clock, Id, IdGenerator, derive_id
from stores.records.play import Speaker, Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind

MAX_QUOTE_LENGTH = 500
"""Characters of a turn that a declaration quotes."""


class DeclarationService:
    """Reads declarations and stages them. Stateless."""

    def __init__(
        self,
        context: SceneContextLoader,
        resolver: Resolver,
        read_catalogue: ReadCatalogue,
        ids: IdGenerator,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._context = context
        self._resolver = resolver
        self._read_catalogue = read_catalogue
        self._ids = ids
        self._clock = clock
        self._events = events

    async def declare_entity(
        self, context: SceneContext, kind: EntityKind, argument: str, example: str
    ) -> ProposedChange:
        """Propose a new entity; a name that ends in `!` is a discovery."""
        new_entity = declare.read_entity(argument, example)
        change = declare.build_entity_creation(new_entity, kind, self._ids.new())
        return await self._stage_proposal(context, change, argument, critical=new_entity.is_important)

    async def declare_place(self, context: SceneContext, argument: str, example: str) -> list[ProposedChange]:
        """Propose a discovered place; `Crypt > Chamber` (or `here > Chamber`) says where it leads on from."""
        name, colon, description = argument.partition(":")
        start_name, arrow, name = name.rpartition(">")
        new_place = declare.read_entity(f"{name.strip()}{colon}{description}", example)
        change = declare.build_entity_creation(new_place, EntityKind.PLACE, self._ids.new())
        proposals = [self._build_proposal(context, change, argument, critical=True)]
        if arrow:
            catalogue = await self._read_catalogue(context.universe.id)
            connection = declare.build_connection_fact(
                await self._find_start_place(context, start_name.strip()), change, catalogue.phrase
            )
            proposals.append(self._build_proposal(context, connection, argument))
        await self._resolver.stage(proposals)
        self._publish_changed(context)
        return proposals

    async def _find_start_place(self, context: SceneContext, name: str) -> Entity:
        if name.casefold() not in ("", "here"):
            return await self._context.find_one_entity(context, name)
        if context.place is None:
            raise InputError(
                "It is not known where you are, so nothing leads on from here.",
                kept="Nothing was staged.",
                todo="/go Name says where you are.",
            )
        return context.place

    async def declare_fact(self, context: SceneContext, argument: str) -> ProposedChange:
        """Propose a fact: a relation, a value, or a sentence."""
        catalogue = await self._read_catalogue(context.universe.id)
        change = await declare.read_fact(
            argument,
            catalogue.names(),
            scene_entity_finder(context, self._context),
            catalogue.phrase,
            context.tick,
        )
        critical = catalogue.is_critical(change.predicate, change.value)
        return await self._stage_proposal(context, change, argument, critical=critical)

    async def declare_axiom(self, context: SceneContext, argument: str) -> ProposedChange:
        """Propose a rule of the world."""
        change = await declare.read_axiom(argument, scene_entity_finder(context, self._context))
        return await self._stage_proposal(context, change, argument)

    async def declare_move(self, context: SceneContext, argument: str) -> ProposedChange:
        """Propose that the player character is now in a place."""
        actor = context.player_character()
        if actor is None:
            raise InputError("This story has no player character to go anywhere.", kept="Nothing was staged.")
        place = await self._context.find_one_entity(context, argument)
        if place.kind is not EntityKind.PLACE:
            raise InputError(
                f"{place.name} is a {place.kind}, not a place.",
                kept="Nothing was staged.",
                todo="/place Name brings in a new place.",
            )
        change = build_location_fact(actor, place, context.tick)
        return await self._stage_proposal(context, change, f"{actor.name} goes to {place.name}.")

    async def declare_state(self, context: SceneContext, argument: str) -> list[ProposedChange]:
        """Propose changes of numbers, values and tags: `Mara.hp -3, Mara +wounded`."""
        changes = []
        for effect in parse_effects(argument):
            entity = await self._context.find_one_entity(context, effect.name)
            changes.append(StateChange(entity_id=entity.id, key=effect.key, op=effect.op, value=effect.value))
        return await self.propose_state_changes(context, changes, argument)

    async def propose_state_changes(
        self, context: SceneContext, changes: Sequence[StateChange], quote: str
    ) -> list[ProposedChange]:
        """Propose changes of numbers, values and tags, all resting on the same words. Raises InputError
        without any."""
        catalogue = await self._read_catalogue(context.universe.id)
        proposals = [
            self._build_proposal(context, c, quote, critical=catalogue.is_critical(c.key, c.value))
            for c in changes
        ]
        if not proposals:
            raise InputError(
                "It needs a change.",
                kept="Nothing was staged.",
                todo="As in: /state Mara.hp -3, Mara +wounded",
            )
        await self._resolver.stage(proposals)
        self._publish_changed(context)
        return proposals

    async def stage_change(
        self, context: SceneContext, change: Payload, quote: str, *, evidence: Sequence[Evidence] = ()
    ) -> ProposedChange:
        """Propose a change in the GM's name that was not typed as a declaration (a scene's outcome)."""
        return await self._stage_proposal(context, change, quote, evidence=evidence)

    async def _stage_proposal(
        self,
        context: SceneContext,
        change: Payload,
        quote: str,
        *,
        critical: bool = False,
        evidence: Sequence[Evidence] = (),
    ) -> ProposedChange:
        proposal = self._build_proposal(context, change, quote, critical=critical, evidence=evidence)
        await self._resolver.stage([proposal])
        self._publish_changed(context)
        return proposal

    def _build_proposal(
        self,
        context: SceneContext,
        change: Payload,
        quote: str,
        *,
        critical: bool = False,
        evidence: Sequence[Evidence] = (),
    ) -> ProposedChange:
        proposal_id = self._ids.new()
        return ProposedChange(
            id=proposal_id,
            universe_id=context.universe.id,
            story_id=context.story.id,
            scene_id=context.scene.id,
            turn_id=context.last_play_turn.id if context.last_play_turn else None,
            payload=change,
            evidence=(*manual_evidence(proposal_id, quote, context.last_play_turn), *evidence),
            authority=Authority.GM,
            tick=context.tick,
            critical=critical,
            created_at=self._clock(),
        )

    def _publish_changed(self, context: SceneContext) -> None:
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))


def manual_evidence(proposal_id: Id, quote: str, head: Turn | None) -> tuple[Evidence, ...]:
    """Return what a declaration rests on: the words typed, and the turn that it was declared on."""
    typed_evidence = Evidence(
        id=derive_id("evidence", EvidenceKind.MANUAL, proposal_id),
        kind=EvidenceKind.MANUAL,
        ref_id=proposal_id,
        quote=quote[:MAX_QUOTE_LENGTH],
        turn_id=head.id if head else None,
        scene_id=head.scene_id if head else None,
    )
    if head is None or head.speaker is Speaker.SYSTEM:
        return (typed_evidence,)
    return (typed_evidence, turn_evidence(head))


def turn_evidence(turn: Turn) -> Evidence:
    """Return the evidence that a turn's own words are."""
    return Evidence(
        id=derive_id("evidence", EvidenceKind.TURN, turn.id),
        kind=EvidenceKind.TURN,
        ref_id=turn.id,
        quote=turn.text[:MAX_QUOTE_LENGTH],
        turn_id=turn.id,
        scene_id=turn.scene_id,
    )
