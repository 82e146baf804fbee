"""The GM's declarations, staged: what `/npc`, `/place`, `/fact`, `/state`, `/go`, `/axiom` propose.

Each rests on the words typed and on the turn that play stands on, so that undoing that turn takes the
declaration back with it. Nothing here writes canon. Source: design/authority.md; design/ontology.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.canon_keeper.house import ReadCatalogue
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.messages import EventBus, ProposalsChanged
from agents.orchestrator import declare
from agents.orchestrator.finding import in_scene
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
from stores.records.ids import Clock, Id, IdMaker, derived
from stores.records.ledger import ProposedChange
from stores.records.play import Speaker, Turn
from stores.records.world import Entity, EntityKind

MAX_QUOTE = 500
"""Characters of a turn that a declaration quotes."""


class Declarations:
    """Reads declarations and stages them. Stateless."""

    def __init__(
        self,
        context: ContextAssembly,
        resolver: Resolver,
        predicates: ReadCatalogue,
        ids: IdMaker,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._context = context
        self._resolver = resolver
        self._predicates = predicates
        self._ids = ids
        self._clock = clock
        self._events = events

    async def entity(self, scene_id: Id, kind: EntityKind, argument: str, example: str) -> ProposedChange:
        """Propose a new entity; a name that ends in `!` is a discovery."""
        new = declare.read_entity(argument, example)
        context = await self._context.load(scene_id)
        change = declare.create_entity(new, kind, self._ids.new())
        return await self._stage(context, change, argument, critical=new.important)

    async def place(self, scene_id: Id, argument: str, example: str) -> list[ProposedChange]:
        """Propose a discovered place; `Crypt > Chamber` (or `here > Chamber`) says where it leads on from."""
        context = await self._context.load(scene_id)
        name, colon, description = argument.partition(":")
        start, leads_on, name = name.rpartition(">")
        new = declare.read_entity(f"{name.strip()}{colon}{description}", example)
        change = declare.create_entity(new, EntityKind.PLACE, self._ids.new())
        staged = [self._proposal(context, change, argument, critical=True)]
        if leads_on:
            catalogue = await self._predicates(context.universe.id)
            way = declare.leads_on(await self._start(context, start.strip()), change, catalogue.phrase)
            staged.append(self._proposal(context, way, argument))
        await self._resolver.stage(staged)
        self._told(context)
        return staged

    async def _start(self, context: SceneContext, name: str) -> Entity:
        if name.casefold() not in ("", "here"):
            return await self._context.named(context, name)
        if context.place is None:
            raise InputError(
                "It is not known where you are, so nothing leads on from here.",
                kept="Nothing was staged.",
                todo="/go Name says where you are.",
            )
        return context.place

    async def fact(self, scene_id: Id, argument: str) -> ProposedChange:
        """Propose a fact: a relation, a value, or a sentence."""
        context = await self._context.load(scene_id)
        catalogue = await self._predicates(context.universe.id)
        change = await declare.read_fact(
            argument, catalogue.names(), in_scene(context, self._context), catalogue.phrase, context.tick
        )
        critical = catalogue.is_critical(change.predicate, change.value)
        return await self._stage(context, change, argument, critical=critical)

    async def axiom(self, scene_id: Id, argument: str) -> ProposedChange:
        """Propose a rule of the world."""
        context = await self._context.load(scene_id)
        change = await declare.read_axiom(argument, in_scene(context, self._context))
        return await self._stage(context, change, argument)

    async def go(self, scene_id: Id, argument: str) -> ProposedChange:
        """Propose that the player character is now in a place."""
        context = await self._context.load(scene_id)
        who = context.actor()
        if who is None:
            raise InputError("This story has no player character to go anywhere.", kept="Nothing was staged.")
        place = await self._context.named(context, argument)
        if place.kind is not EntityKind.PLACE:
            raise InputError(
                f"{place.name} is a {place.kind}, not a place.",
                kept="Nothing was staged.",
                todo="/place Name brings in a new place.",
            )
        change = declare.located(who, place, context.tick)
        return await self._stage(context, change, f"{who.name} goes to {place.name}.")

    async def state(self, scene_id: Id, argument: str) -> list[ProposedChange]:
        """Propose changes of numbers, values and tags: `Mara.hp -3, Mara +wounded`."""
        context = await self._context.load(scene_id)
        changes = []
        for effect in parse_effects(argument):
            entity = await self._context.named(context, effect.name)
            changes.append(StateChange(entity_id=entity.id, key=effect.key, op=effect.op, value=effect.value))
        return await self.changes(scene_id, changes, argument)

    async def changes(self, scene_id: Id, changes: Sequence[StateChange], quote: str) -> list[ProposedChange]:
        """Propose changes of numbers, values and tags, all resting on the same words. Raises InputError
        without any."""
        context = await self._context.load(scene_id)
        catalogue = await self._predicates(context.universe.id)
        staged = [
            self._proposal(context, c, quote, critical=catalogue.is_critical(c.key, c.value)) for c in changes
        ]
        if not staged:
            raise InputError(
                "It needs a change.",
                kept="Nothing was staged.",
                todo="As in: /state Mara.hp -3, Mara +wounded",
            )
        await self._resolver.stage(staged)
        self._told(context)
        return staged

    async def stage_plain(
        self, context: SceneContext, change: Payload, quote: str, *, evidence: Sequence[Evidence] = ()
    ) -> ProposedChange:
        """Propose a change in the GM's name that was not typed as a declaration (a scene's outcome)."""
        return await self._stage(context, change, quote, evidence=evidence)

    async def _stage(
        self,
        context: SceneContext,
        change: Payload,
        quote: str,
        *,
        critical: bool = False,
        evidence: Sequence[Evidence] = (),
    ) -> ProposedChange:
        proposal = self._proposal(context, change, quote, critical=critical, evidence=evidence)
        await self._resolver.stage([proposal])
        self._told(context)
        return proposal

    def _proposal(
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
            turn_id=context.last.id if context.last else None,
            payload=change,
            evidence=(*by_hand(proposal_id, quote, context.last), *evidence),
            authority=Authority.GM,
            tick=context.tick,
            critical=critical,
            created_at=self._clock(),
        )

    def _told(self, context: SceneContext) -> None:
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))


def by_hand(proposal_id: Id, quote: str, head: Turn | None) -> tuple[Evidence, ...]:
    """Return what a declaration rests on: the words typed, and the turn that it was declared on."""
    typed = Evidence(
        id=derived("evidence", EvidenceKind.MANUAL, proposal_id),
        kind=EvidenceKind.MANUAL,
        ref_id=proposal_id,
        quote=quote[:MAX_QUOTE],
        turn_id=head.id if head else None,
        scene_id=head.scene_id if head else None,
    )
    if head is None or head.speaker is Speaker.SYSTEM:
        return (typed,)
    return (typed, of_turn(head))


def of_turn(turn: Turn) -> Evidence:
    """Return the evidence that a turn's own words are."""
    return Evidence(
        id=derived("evidence", EvidenceKind.TURN, turn.id),
        kind=EvidenceKind.TURN,
        ref_id=turn.id,
        quote=turn.text[:MAX_QUOTE],
        turn_id=turn.id,
        scene_id=turn.scene_id,
    )
