"""Loads the scene context: the scene at its head, its characters, and the working state.

Read-only. The working state is canonical state with the state changes on the line folded in, in order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agents.canon_keeper.fact_readings import ALIVE
from agents.canon_keeper.proposed_records import build_entity
from agents.context_assembly.rejected_deaths import drop_rejected_deaths
from agents.name_matching import find_similar_names, match_names, without_article
from agents.proposals.decisions import is_undone
from agents.proposals.line_order import sort_in_line_order
from agents.prose.called_names import find_called
from agents.prose.hero_name import HERO_PRONOUNS
from agents.resolver.working_state import WorkingState, fold_changes
from agents.story_entries import read_story_entries
from agents.typed_text import OTHER_PRONOUNS
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import AssertFact, CreateEntity, Standing, StateChange
from stores.records.ids import Id, derive_id
from stores.records.play import Scene, Story, Turn
from stores.records.story_journal import (
    JournalEntry,
    PlaceEntry,
    PresenceEntry,
    TimeEntry,
)
from stores.records.workflow import (
    OPEN_STATUSES,
    WAITING_STATUSES,
    ProposalStatus,
    ProposedChange,
    Transition,
    Verdict,
)
from stores.records.world import ACTORS, Entity, EntityKind, EntityStatus, Universe

MAX_PARTIAL_MATCHES = 200
"""Entities of a universe whose names have the typed words somewhere that are looked at."""
MAX_NAMED_MATCHES = 6
"""Entities that are named when a typed name may mean several."""


class StagedIndex(NamedTuple):
    """What is staged on a line, by the entity that it changes."""

    state_changes: dict[Id, list[StateChange]]
    """In the order of the line."""
    deaths: dict[Id, bool]
    """Whether somebody is dead, where a proposal states it: the last one does."""


@dataclass(frozen=True, slots=True)
class SceneContext:
    """A scene as it stands at its head."""

    universe: Universe
    story: Story
    scene: Scene
    head: Turn | None
    staged_proposals: tuple[ProposedChange, ...]
    """Undecided proposals that count on the scene's line, in its order."""
    entities: Mapping[Id, Entity]
    place: Entity | None
    story_entries: tuple[JournalEntry, ...] = ()
    """Entries of the story journal that count, in the order of the line."""
    last_play_turn: Turn | None = None
    """The last turn of play, without the turn that reports the scene's end; declarations are anchored to
    it."""
    undecided: tuple[ProposedChange, ...] = ()
    """Every proposal on the line that no commit has closed, including those that do not count."""
    undone: tuple[ProposedChange, ...] = ()
    """Proposals that were undone by themselves, and not with their turn."""
    undone_entries: tuple[JournalEntry, ...] = ()
    """Entries of the story journal whose turns are on the line and that were undone by themselves."""
    scene_transition: Transition | None = None
    """The last transition of the scene's loop, if it was read already."""
    left_turn_ids: frozenset[Id] = frozenset()
    """Turns of the line after `head`, if this is the scene as it stood before them."""
    _staged_index: StagedIndex | None = field(default=None, init=False, repr=False, compare=False)
    """Made when it is first needed."""

    @property
    def tick(self) -> int:
        """World time at the scene's head, in ticks, with what its narrations let pass."""
        head_tick = self.head.tick if self.head else self.scene.tick
        return max((head_tick, *(entry.until_tick for entry in self._time_entries())))

    def _time_entries(self) -> Iterator[TimeEntry]:
        return (
            entry
            for entry in self.story_entries
            if isinstance(entry, TimeEntry) and entry.scene_id == self.scene.id
        )

    def player_character(self) -> Entity | None:
        return self.entities.get(self.story.pc_id) if self.story.pc_id else None

    def present_actors(self) -> list[Entity]:
        """Return the characters present: the cast and those who came, without those who left."""
        present_ids = dict.fromkeys(self.scene.cast)
        for entry in self.scene_presence_entries():
            if entry.here:
                present_ids.setdefault(entry.entity_id)
            else:
                present_ids.pop(entry.entity_id, None)
        present_entities = (self._current_entity(i) for i in present_ids)
        present_by_id = {e.id: e for e in present_entities if e is not None and e.kind in ACTORS}
        return list(present_by_id.values())

    def _current_entity(self, entity_id: Id) -> Entity | None:
        """Return the entity that an id means now: what was merged away is what it was merged into."""
        entity = self.entities.get(entity_id)
        while entity is not None and entity.merged_into:
            entity = self.entities.get(entity.merged_into)
        return entity

    def is_dead(self, entity: Entity) -> bool:
        """Return whether somebody is dead, by canon or by what is staged on the line."""
        stated_death = self._read_staged_index().deaths.get(entity.id)
        if stated_death is not None:
            return stated_death
        state = self.working_state(entity)
        return state.values.get("alive", "dead" not in {tag.casefold() for tag in state.tags}) is False

    def recorded_place_id(self) -> Id | None:
        """Return where the scene is by what is canon or proposed, without plain words of its turns."""
        return _find_place_id(self, self.staged_proposals, with_narrated=False) or self.scene.place_id

    def has_moved_since(self, turn: Turn) -> bool:
        """Return whether the scene has gone on in another place since a turn of it."""
        return any(
            isinstance(entry, PlaceEntry) and entry.scene_id == turn.scene_id and entry.tick > turn.tick
            for entry in self.story_entries
        )

    def find_narrated_destination(self, stay: PresenceEntry) -> Id | None:
        """Return where the hero went by the words that left somebody behind; where these stay, if it is not said."""
        destinations = (
            entry.place_id
            for entry in self.story_entries
            if isinstance(entry, PlaceEntry) and entry.is_narrated and entry.turn_id == stay.turn_id
        )
        return next(destinations, stay.place_id)

    def scene_presence_entries(self) -> list[PresenceEntry]:
        """Return who came into this scene and who left it, in the order of the line."""
        return [e for e in self.presence_entries() if e.scene_id == self.scene.id]

    def last_presence_entries(self) -> dict[Id, PresenceEntry]:
        """Return by character the last entry of this scene, which says how they are in it now."""
        return {entry.entity_id: entry for entry in self.scene_presence_entries()}

    def presence_entries(self) -> list[PresenceEntry]:
        """Return who came into the story's scenes and who left them, in the order of the line."""
        return [e for e in self.story_entries if isinstance(e, PresenceEntry)]

    def working_state(self, entity: Entity) -> WorkingState:
        """Return the entity's working state on this line."""
        return fold_changes(entity, self.state_changes(entity.id))

    def state_changes(self, entity_id: Id) -> Sequence[StateChange]:
        """Return the staged state changes of one entity, in order."""
        return self.state_changes_by_entity().get(entity_id, [])

    def state_changes_by_entity(self) -> Mapping[Id, Sequence[StateChange]]:
        """Return the staged state changes of every entity, in order."""
        return self._read_staged_index().state_changes

    def _read_staged_index(self) -> StagedIndex:
        """Return what is staged by entity: a scene may have thousands of proposals, and asks of dozens of people."""
        if self._staged_index is None:
            object.__setattr__(self, "_staged_index", index_staged(self.staged_proposals))
        assert self._staged_index is not None
        return self._staged_index


def index_staged(staged_proposals: Iterable[ProposedChange]) -> StagedIndex:
    """Return what the proposals change, by entity."""
    index = StagedIndex({}, {})
    for change in (p.change for p in staged_proposals):
        if isinstance(change, StateChange):
            index.state_changes.setdefault(change.entity_id, []).append(change)
        elif (
            isinstance(change, AssertFact) and change.predicate == ALIVE and change.standing is Standing.TRUE
        ):
            subject_ids = (i.entity_id for i in change.involves if i.role == "subject")
            index.deaths.update(dict.fromkeys(subject_ids, change.value is False))
    return index


FindNamed = Callable[[str], Awaitable[list[Entity]]]
"""Gives the entities of a universe with exactly this name."""


@dataclass(frozen=True, slots=True)
class SceneContextLoader:
    """Loads scene contexts and finds entities by name in them."""

    canon: CanonReader
    log: LogReader

    async def load_context(self, scene_id: Id) -> SceneContext:
        """Return the scene as it stands at its head."""
        scene, story, head, open_proposals = await self.log.scene_records(
            scene_id, (*OPEN_STATUSES, ProposalStatus.WITHDRAWN)
        )
        universe = await self.canon.universe(scene.universe_id)
        last_play_turn = head
        if head is not None and is_scene_end_turn(head):
            last_play_turn = await self._read_turn(head.parent_id)
        entries, undone_entries = await read_story_entries(self.log, story)
        entries = await drop_rejected_deaths(self.log, scene, entries)
        context = SceneContext(
            universe=universe,
            story=story,
            scene=scene,
            head=head,
            staged_proposals=(),
            entities={},
            place=None,
            story_entries=entries,
            last_play_turn=last_play_turn,
            undone=tuple(p for p in open_proposals if is_undone(p)),
            undone_entries=undone_entries,
        )
        return await self._with_undecided(context, [p for p in open_proposals if p.status in OPEN_STATUSES])

    async def advance(
        self,
        context: SceneContext,
        turns: Sequence[Turn],
        proposals: Sequence[ProposedChange],
        entries: Sequence[JournalEntry] = (),
    ) -> SceneContext:
        """Return the context after these turns were appended to its line, these proposals staged and entries made.

        Nothing that the context already holds is read again.
        """
        if turns:
            head = turns[-1]
            scene = context.scene.model_copy(update={"head": head.id})
            context = replace(context, scene=scene, head=head, last_play_turn=head, scene_transition=None)
        if entries:
            story = context.story.model_copy(update={"entries": (*context.story.entries, *entries)})
            context = replace(context, story=story, story_entries=(*context.story_entries, *entries))
        return await self._with_undecided(context, (*context.undecided, *proposals))

    async def rewind(self, context: SceneContext, head: Turn | None) -> SceneContext:
        """Return the context as it stood when `head`, a turn of its line, was the last: without what came later."""
        if context.head is None or context.head == head:
            return context
        start = head.depth + 1 if head else 0
        later_turns = await self.log.line_slice(context.scene.id, start, context.head.depth + 1 - start)
        left_turn_ids = frozenset(turn.id for turn in later_turns)
        rewound_context = replace(
            context,
            scene=context.scene.model_copy(update={"head": head.id if head else None}),
            head=head,
            last_play_turn=head,
            story_entries=tuple(e for e in context.story_entries if e.turn_id not in left_turn_ids),
            scene_transition=None,
            left_turn_ids=left_turn_ids,
        )
        undecided = [p for p in context.undecided if p.turn_id not in left_turn_ids]
        return await self._with_undecided(rewound_context, undecided)

    async def _with_undecided(
        self, context: SceneContext, undecided: Sequence[ProposedChange]
    ) -> SceneContext:
        """Return the context with these proposals on its line, and the entities that they concern."""
        staged_proposals = sort_in_line_order(select_effective_proposals(undecided))
        place_id = _find_place_id(context, staged_proposals) or context.scene.place_id
        entities = await self._read_entities(context, staged_proposals, place_id)
        return replace(
            context,
            undecided=tuple(undecided),
            staged_proposals=staged_proposals,
            entities=entities,
            place=entities.get(place_id) if place_id else None,
        )

    async def _read_turn(self, turn_id: Id | None) -> Turn | None:
        return await self.log.turn(turn_id) if turn_id else None

    async def find_entities(
        self,
        context: SceneContext,
        name: str,
        *,
        allow_partial: bool = False,
        find_named: FindNamed | None = None,
    ) -> list[Entity]:
        """Return the entities that `name` may mean: in the scene first, then in the universe.

        With `allow_partial`, a part of a name is enough (`Mara` for Mara Quill, `Old T` for Old Tam, `Undersinger`
        for The Undersinger). `find_named` gives those of the universe by a whole name, if they were read already.
        """
        scene_entities = list(context.entities.values())
        matching_entities = _match_whole_name(scene_entities, name) or (
            await find_named(name)
            if find_named is not None
            else await self.canon.find_entity(context.universe.id, name)
        )
        if matching_entities or not allow_partial:
            return matching_entities
        if scene_matches := _match_partial_name(scene_entities, name):
            return scene_matches
        searched_entities = await self._search_by_name(context, without_article(name))
        if matches := _match_partial_name(searched_entities, name):
            return matches
        # `Lady Marr` is no run of words of Lady Isolde Marr.
        last_word = name.split()[-1:] if " " in name.strip() else []
        return find_called(name, [e for w in last_word for e in await self._search_by_name(context, w)])

    async def _search_by_name(self, context: SceneContext, words: str) -> list[Entity]:
        return await self.canon.entities(context.universe.id, search=words, limit=MAX_PARTIAL_MATCHES)

    async def find_one_entity(
        self, context: SceneContext, name: str, *, kind: EntityKind | None = None
    ) -> Entity:
        """Return the one entity that `name` means here; `me` is the hero. Of a `kind`, if one is called so.

        Raises InputError, which lists similar names if there is none and all matches if there are several.
        """
        hero = context.player_character()
        if hero is not None and name.strip().casefold() in HERO_PRONOUNS:
            return hero
        is_pronoun = name.strip().casefold() in OTHER_PRONOUNS
        matching_entities = await self.find_entities(context, name, allow_partial=not is_pronoun)
        if is_pronoun and not matching_entities:
            others = [e.name for e in context.present_actors() if hero is None or e.id != hero.id]
            raise InputError(
                f"“{name.strip()}” does not say who or what is meant.",
                kept="Nothing was played.",
                todo=f"Write the name: {', '.join(others[:MAX_NAMED_MATCHES]) or 'as in /show NAME'}.",
            )
        if kind is not None:
            matching_entities = [e for e in matching_entities if e.kind is kind] or matching_entities
        if len(matching_entities) == 1:
            return matching_entities[0]
        if matching_entities:
            names = ", ".join(f"{e.name} ({e.kind})" for e in matching_entities[:MAX_NAMED_MATCHES])
            more = len(matching_entities) - MAX_NAMED_MATCHES
            raise InputError(
                f"{name!r} could be any of: {names}{f', and {more} more' if more > 0 else ''}.",
                kept="Nothing was played.",
                todo="Type more of the name.",
            )
        scene_entities = context.entities.values()
        canon_entities = await self.canon.entities(context.universe.id, limit=2_000)
        entity_names = {e.name for e in (*scene_entities, *canon_entities) if kind is None or e.kind is kind}
        similar_names = find_similar_names(name, sorted(entity_names))
        raise InputError(
            f"There is no {name!r} in {context.universe.name}.",
            kept="Nothing was played.",
            todo=f"Did you mean {' or '.join(similar_names)}?"
            if similar_names
            else _describe_creation(name, kind),
        )

    async def _read_entities(
        self, context: SceneContext, staged_proposals: Sequence[ProposedChange], place_id: Id | None
    ) -> dict[Id, Entity]:
        """Return the entities that the scene concerns, reading only those that the context does not have."""
        wanted_ids = {*context.scene.cast, *filter(None, (context.story.pc_id, place_id))}
        wanted_ids |= {e.entity_id for e in context.scene_presence_entries()}
        wanted_ids |= {p.change.entity_id for p in staged_proposals if isinstance(p.change, StateChange)}
        entities = {i: context.entities[i] for i in wanted_ids if i in context.entities}
        if missing_ids := wanted_ids - entities.keys():
            canon_entities = await self.canon.entities_by_id(missing_ids)
            # A retconned entity is not here, whatever an earlier commit wrote into the scene's record.
            entities |= {i: e for i, e in canon_entities.items() if e.status is not EntityStatus.RETCONNED}
            if (
                merged_into_ids := {e.merged_into for e in entities.values() if e.merged_into}
                - entities.keys()
            ):
                entities |= await self.canon.entities_by_id(merged_into_ids)
        for proposal in staged_proposals:
            if isinstance(proposal.change, CreateEntity) and proposal.change.entity_id not in entities:
                entities[proposal.change.entity_id] = build_entity(proposal, proposal.change)
        return entities


def derive_scene_end_turn_id(scene_id: Id, parent_id: Id | None, text: str) -> Id:
    """Return the id of the turn that reports a scene's end: the same end has the same id."""
    return derive_id("turn", "scene end", scene_id, parent_id or "", text)


def is_scene_end_turn(turn: Turn) -> bool:
    """Say whether the turn reports the end of its scene."""
    return turn.id == derive_scene_end_turn_id(turn.scene_id, turn.parent_id, turn.text)


def select_effective_proposals(proposals: Iterable[ProposedChange]) -> tuple[ProposedChange, ...]:
    """Return the proposals that count: on the line, not committed, and not rejected."""
    return tuple(
        p
        for p in proposals
        if p.status in WAITING_STATUSES
        and (p.decision is None or p.decision.verdict in (Verdict.ACCEPT, Verdict.DEFER))
    )


def derive_place_entry_id(proposal_id: Id) -> Id:
    """Return the id of the journal entry that keeps a scene in the place to which a committed proposal led."""
    return derive_id("place", proposal_id)


def find_pc_arrivals(
    proposals: Iterable[ProposedChange], pc_id: Id | None
) -> Iterator[tuple[ProposedChange, Id]]:
    """Yield the proposals by which the player character is in a place, each with the place."""
    for proposal in proposals:
        change = proposal.change
        if isinstance(change, AssertFact) and change.predicate == "located_in":
            entity_ids = {i.role: i.entity_id for i in change.involves}
            if pc_id is not None and entity_ids.get("subject") == pc_id and "object" in entity_ids:
                yield proposal, entity_ids["object"]


def _find_place_id(
    context: SceneContext, staged_proposals: Iterable[ProposedChange], *, with_narrated: bool = True
) -> Id | None:
    """Return the place that the scene went to last on this line, by a proposal or by plain words, if any."""
    arrivals = [
        (proposal.tick or 0, proposal.created_at, place_id)
        for proposal, place_id in find_pc_arrivals(staged_proposals, context.story.pc_id)
    ]
    arrivals += [
        (entry.tick, entry.at, entry.place_id)
        for entry in context.story_entries
        if isinstance(entry, PlaceEntry)
        and entry.scene_id == context.scene.id
        and (with_narrated or not entry.is_narrated)
    ]
    return max(arrivals)[2] if arrivals else None


def _describe_creation(name: str, kind: EntityKind | None) -> str:
    """Return how to make a name known that nobody and nothing has."""
    if kind is EntityKind.PLACE:
        return f"/place {name.strip()} makes it known first."
    return "Create it with /npc, /place or /thing."


def _match_whole_name(entities: Iterable[Entity], name: str) -> list[Entity]:
    folded_name = name.casefold()
    return [e for e in entities if folded_name in (e.name.casefold(), *(a.casefold() for a in e.aliases))]


def _match_partial_name(entities: Iterable[Entity], name: str) -> list[Entity]:
    """Return those whom a part of a name may mean: of people all who bear it, wherever in the name it stands."""
    entities_by_id = {entity.id: entity for entity in entities}
    spellings = [(s, e.id) for e in entities_by_id.values() for s in (e.name, *e.aliases)]
    matches = [entities_by_id[i] for i in match_names(name, spellings)]
    called = find_called(name, list(entities_by_id.values())) if " " in name or matches else []
    # `Tam` is Old Tam as well as Tam Marrow.
    is_shared = len(matches) == 1 and matches[0] in called and matches[0].kind in ACTORS
    bearers = [e for e in called if e.kind in ACTORS] if is_shared else []
    return bearers or matches or called
