"""ContextAssembly: what stands before an exchange: the scene, who is in it, and the working state.

Reads every store and writes none. Source: AGENT_ORCHESTRATION, ContextAssembly; design/ontology.md,
"Working state": canonical state plus the state changes on the line, folded in order.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import process

from agents.canon_keeper.change_application import build_entity
from agents.resolver.working_state import WorkingState, fold_changes
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import AssertFact, CreateEntity, StateChange
from stores.records.ids import Id, derived
from stores.records.ledger import ProposalStatus, ProposedChange, Transition, Verdict
from stores.records.play import Scene, Story, Turn
from stores.records.threads import Entry, PresenceEntry
from stores.records.world import ACTORS, Entity, EntityStatus, Universe

_UNDECIDED = (ProposalStatus.PENDING, ProposalStatus.DEFERRED)

UNDECIDED_STATUSES = (ProposalStatus.PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
"""Statuses of proposals that no commit has closed."""


@dataclass(frozen=True, slots=True)
class SceneContext:
    """A scene as it stands at its head. `staged` are the undecided proposals that count on its line,
    `entries` what counts of the story's books; both in the order of the line. `last` is the last turn of
    play, which what is declared hangs on: not the one that tells what the scene's end brought."""

    universe: Universe
    story: Story
    scene: Scene
    head: Turn | None
    staged: tuple[ProposedChange, ...]
    entities: Mapping[Id, Entity]
    place: Entity | None
    entries: tuple[Entry, ...] = ()
    last: Turn | None = None
    undecided: tuple[ProposedChange, ...] = ()
    """Every proposal on the line that no commit has closed, those that do not count included."""
    scene_transition: Transition | None = None
    """The last move of the scene's loop, where that was read already."""

    @property
    def tick(self) -> int:
        """The world time that play stands at, in minutes."""
        return self.head.tick if self.head else self.scene.tick

    def actor(self) -> Entity | None:
        """Return the player character."""
        return self.entities.get(self.story.pc_id) if self.story.pc_id else None

    def cast(self) -> list[Entity]:
        """Return those present: the scene's cast, who was brought in on the line, and who came since; not
        who left."""
        present = dict.fromkeys((*self.scene.cast, *self.born()))
        for entry in self.comings():
            if entry.here:
                present.setdefault(entry.entity_id)
            else:
                present.pop(entry.entity_id, None)
        known = [self.entities[i] for i in present if i in self.entities]
        return [e for e in known if e.kind in ACTORS]

    def born(self) -> list[Id]:
        """Return who and what was brought into the world on the line."""
        return [p.change.entity_id for p in self.staged if isinstance(p.change, CreateEntity)]

    def comings(self) -> list[PresenceEntry]:
        """Return who came into this scene and who left it, in the order of the line."""
        return [e for e in self.presences() if e.scene_id == self.scene.id]

    def presences(self) -> list[PresenceEntry]:
        """Return who came into the story's scenes and who left them, in the order of the line."""
        return [e for e in self.entries if isinstance(e, PresenceEntry)]

    def state(self, entity: Entity) -> WorkingState:
        """Return the entity's working state on this line."""
        return fold_changes(entity, self.changes(entity.id))

    def changes(self, entity_id: Id) -> list[StateChange]:
        """Return the staged state changes of one entity, in the order they were made."""
        changes = (p.change for p in self.staged)
        return [c for c in changes if isinstance(c, StateChange) and c.entity_id == entity_id]


class ContextAssembly:
    """Builds contexts. Stateless and read-only."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self._log = log

    async def load(self, scene_id: Id) -> SceneContext:
        """Return the scene as it stands at its head."""
        scene = await self._log.scene(scene_id)
        # Together: each read by itself waits for a thread.
        story, head, undecided, universe = await gather(
            self._log.story(scene.story_id),
            self._turn(scene.head),
            self._log.proposals(scene_id=scene_id, statuses=UNDECIDED_STATUSES),
            self._canon.universe(scene.universe_id),
        )
        last = head
        if head is not None and tells_end(head):
            last = await self._turn(head.parent_id)
        context = SceneContext(
            universe=universe,
            story=story,
            scene=scene,
            head=head,
            staged=(),
            entities={},
            place=None,
            entries=await self._entries(story),
            last=last,
        )
        return await self._with_undecided(context, undecided)

    async def advance(
        self, context: SceneContext, turns: Sequence[Turn], proposals: Sequence[ProposedChange]
    ) -> SceneContext:
        """Return the scene once these turns were appended to its line and these proposals were staged.

        Nothing that the context holds already is read again.
        """
        if turns:
            scene = context.scene.model_copy(update={"head": turns[-1].id})
            context = replace(context, scene=scene, head=turns[-1], last=turns[-1], scene_transition=None)
        return await self._with_undecided(context, (*context.undecided, *proposals))

    async def _with_undecided(
        self, context: SceneContext, undecided: Sequence[ProposedChange]
    ) -> SceneContext:
        """Return the context with these proposals on its line, and with everybody whom they concern."""
        staged = in_line_order(counting(undecided))
        place_id = _moved_to(staged, context.story.pc_id) or context.scene.place_id
        entities = await self._entities(context, staged, place_id)
        return replace(
            context,
            undecided=tuple(undecided),
            staged=staged,
            entities=entities,
            place=entities.get(place_id) if place_id else None,
        )

    async def _turn(self, turn_id: Id | None) -> Turn | None:
        return await self._log.turn(turn_id) if turn_id else None

    async def find(self, context: SceneContext, name: str, *, guess: bool = False) -> list[Entity]:
        """Return the entities that `name` may mean here: in the scene first, then in the universe.

        With `guess`, a word of the name of someone present will do (`Mara` for Mara Quill).
        """
        here = list(context.entities.values())
        found = _exact(here, name) or await self._canon.find_entity(context.universe.id, name)
        return _part(here, name) if guess and not found else found

    async def named(self, context: SceneContext, name: str) -> Entity:
        """Return the one entity that `name` means here.

        Raises InputError that lists near names when there is none, or all when there are several.
        """
        found = await self.find(context, name, guess=True)
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(f"{e.name} ({e.kind})" for e in found)
            raise InputError(f"{name!r} could be any of: {names}.", kept="Nothing was played.")
        here = context.entities.values()
        known = {e.name for e in (*here, *await self._canon.entities(context.universe.id, limit=2_000))}
        near = [n for n, _, _ in process.extract(name, sorted(known), limit=3, score_cutoff=60)]
        raise InputError(
            f"There is no {name!r} in {context.universe.name}.",
            kept="Nothing was played.",
            todo=f"Did you mean {' or '.join(near)}?" if near else "Bring it in with /npc, /place or /thing.",
        )

    async def _entries(self, story: Story) -> tuple[Entry, ...]:
        """Return what counts of the story's books: what hangs on a turn that is on its line, or on none.
        World time only rises along the line, so it tells their order, whichever was made first."""
        turns = {entry.turn_id for entry in story.entries if entry.turn_id}
        standing = await self._log.on_line(None, turns) if turns else set()
        counted = (e for e in story.entries if e.turn_id is None or e.turn_id in standing)
        return tuple(sorted(counted, key=lambda entry: entry.tick))

    async def _entities(
        self, context: SceneContext, staged: Sequence[ProposedChange], place_id: Id | None
    ) -> dict[Id, Entity]:
        """Return everybody and everything that the scene concerns, reading only what the context has not."""
        scene = context.scene
        wanted_ids = {*scene.cast, *filter(None, (context.story.pc_id, place_id))}
        wanted_ids |= {e.entity_id for e in context.comings()}
        wanted_ids |= {p.change.entity_id for p in staged if isinstance(p.change, StateChange)}
        entities = {i: context.entities[i] for i in wanted_ids if i in context.entities}
        if missing_ids := wanted_ids - entities.keys():
            canon_entities = await self._canon.entities_by_id(missing_ids)
            # Who never was is not here, whatever the scene's record has of an earlier commit.
            entities |= {i: e for i, e in canon_entities.items() if e.status is not EntityStatus.RETCONNED}
        for proposal in staged:
            if isinstance(proposal.change, CreateEntity) and proposal.change.entity_id not in entities:
                entities[proposal.change.entity_id] = build_entity(proposal, proposal.change)
        return entities


def end_turn_id(scene_id: Id, parent_id: Id | None, text: str) -> Id:
    """Return the id of the turn that tells what a scene's end brought: the same end is the same turn."""
    return derived("turn", "scene end", scene_id, parent_id or "", text)


def tells_end(turn: Turn) -> bool:
    """Say whether the turn tells what its scene's end brought."""
    return turn.id == end_turn_id(turn.scene_id, turn.parent_id, turn.text)


def counting(proposals: Iterable[ProposedChange]) -> tuple[ProposedChange, ...]:
    """Return the proposals that count: on the line, undecided by a commit, and not rejected."""
    return tuple(
        p
        for p in proposals
        if p.status in _UNDECIDED
        and (p.decision is None or p.decision.verdict in (Verdict.ACCEPT, Verdict.DEFER))
    )


def in_line_order(proposals: Sequence[ProposedChange]) -> tuple[ProposedChange, ...]:
    """Return the proposals of one line in its order: what was done earlier on it comes first, even if it
    was proposed later, after an undo. World time only rises along a line; what tells none keeps its place."""
    timed = iter(sorted((p for p in proposals if p.tick is not None), key=lambda p: p.tick or 0))
    return tuple(next(timed) if p.tick is not None else p for p in proposals)


def _moved_to(staged: Iterable[ProposedChange], pc_id: Id | None) -> Id | None:
    """Return where the player character went on this line, if anywhere."""
    place: Id | None = None
    for proposal in staged:
        change = proposal.change
        if isinstance(change, AssertFact) and change.predicate == "located_in":
            who = next((i.entity_id for i in change.involves if i.role == "subject"), None)
            if who is not None and who == pc_id:
                place = next((i.entity_id for i in change.involves if i.role == "object"), place)
    return place


def _exact(entities: Iterable[Entity], name: str) -> list[Entity]:
    wanted = name.casefold()
    return [e for e in entities if wanted in (e.name.casefold(), *(a.casefold() for a in e.aliases))]


def _part(entities: Iterable[Entity], name: str) -> list[Entity]:
    """Return those one of whose words is the name: `Mara` for Mara Quill, `orc` for The Orc."""
    wanted = name.casefold()
    return [e for e in entities if wanted in e.name.casefold().split()]
