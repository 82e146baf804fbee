"""Who is in the scene: `/cast`, `/npc here NAME`, and who comes along on `/go`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader, find_pc_arrivals
from agents.name_forms import name_at_start, name_within
from agents.solo.cast_moves import CastMoves
from agents.solo.described_moves import begin_with_names
from agents.solo.place_occupants import PlaceOccupantReader
from agents.solo.story_journal import NOTHING_CHANGED, StoryJournal
from stores.errors import InputError
from stores.records.canon import AssertFact, CreateEntity
from stores.records.ids import Id, derive_id
from stores.records.play import Turn
from stores.records.story_journal import Awareness, PresenceEntry
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity, EntityKind

_NAME_SEPARATORS: Final = re.compile(r",|\band\b", re.IGNORECASE)
_WITH: Final = re.compile(r"(?P<place>.+)\s+(?:together\s+)?with\s+(?P<names>.+)", re.IGNORECASE | re.DOTALL)
_ALL_WORDS: Final = frozenset(
    {"all", "everyone", "everybody", "them", "the others", "them all", "all of them"}
)


@dataclass(frozen=True, slots=True)
class Journey:
    """What was typed after `/go`: the place, and who is named to come along (None: nobody was named)."""

    place_text: str
    companion_ids: frozenset[Id] | None


_SAYS_DEAD: Final = re.compile(
    r"(?:^|[,;:] ?|\b(?:is|was|been|now|long|already|recently) )(?:dead|deceased)(?=\s*(?:$|[,.;]|since|for|these|now))"
    r"|\bdied\b",
    re.IGNORECASE,
)
"""A description of somebody who is no more."""


class SceneCast:
    """Enters who comes, leaves and comes along in the story's journal. The caller holds the session lock."""

    def __init__(
        self,
        contexts: SceneContextLoader,
        journal: StoryJournal,
        cast_moves: CastMoves,
        occupants: PlaceOccupantReader,
    ) -> None:
        self._contexts = contexts
        self._journal = journal
        self._cast_moves = cast_moves
        self._occupants = occupants

    # --- by name -------------------------------------------------------------------------------------

    async def enter_scene(self, scene_id: Id, typed_names: str) -> tuple[str, ...]:
        """Bring people into the scene: `Tam, Wenna and Gil`. Raises InputError, and then nobody comes."""
        return await self._record_presence(scene_id, typed_names, is_here=True)

    async def leave_scene(self, scene_id: Id, typed_names: str) -> tuple[str, ...]:
        """Have people leave the scene. Raises InputError, and then nobody leaves."""
        return await self._record_presence(scene_id, typed_names, is_here=False)

    async def place_newcomer(
        self, context: SceneContext, proposal: ProposedChange, *, is_here: bool
    ) -> tuple[str, ...]:
        """Bring in somebody whom a command has just proposed, if it says so or if the last words did.

        Returns a line on whether they are here; undoing the command undoes both.
        """
        change = proposal.change
        assert isinstance(change, CreateEntity)
        context_after = await self._contexts.advance(context, (), [proposal])
        entity = context_after.entities[change.entity_id]
        if not is_here and not await self._cast_moves.has_arrived(context, entity):
            return (describe_as_known(change.name, change.description),)
        await self._enter(context, [entity], is_here=True, command_id=proposal.command_id or proposal.id)
        return (f"{change.name} is here.",)

    # --- on the way ----------------------------------------------------------------------------------

    async def find_turn_on_way(self, context: SceneContext, place: Entity) -> Turn | None:
        """Return the turn whose words sent the hero to a place that was not known then."""
        return (
            await self._cast_moves.find_turn_on_way(context, place)
            if context.player_character() is not None
            else None
        )

    async def has_newcomers_since(self, context: SceneContext, turn: Turn) -> bool:
        """Say whether somebody came in after a turn, with a later one or by a command that was given on it.

        Who comes along with the hero by the words of the turn is none, if it is the last one.
        """
        newcomer_ids = {
            entry.entity_id
            for entry in context.scene_presence_entries()
            if entry.here
            and (entry.tick > turn.tick or (entry.turn_id == turn.id and entry.command_id is not None))
        }
        last_turn = context.last_play_turn
        if newcomer_ids and last_turn is not None and last_turn.exchange_id == turn.exchange_id:
            newcomer_ids -= await self._cast_moves.find_companions(context)
        return bool(newcomer_ids)

    async def read_journey(self, context: SceneContext, argument: str) -> Journey:
        """Read `PLACE` or `PLACE with NAME, NAME`. Raises InputError for somebody who cannot come along."""
        match = _WITH.fullmatch(argument.strip())
        if match is None or await self._contexts.find_entities(context, argument):
            return Journey(argument, None)
        living = [e for e in self._list_others(context) if not context.is_dead(e)]
        if match["names"].strip().casefold() in _ALL_WORDS:
            return Journey(match["place"], frozenset(e.id for e in living))
        companions = [
            await self._contexts.find_one_entity(context, name.strip())
            for name in await self._split_names(context, match["names"])
        ]
        for entity in companions:
            self._require_companion(context, entity, living)
        return Journey(match["place"], frozenset(e.id for e in companions))

    async def move_with_hero(
        self, context: SceneContext, journey: Journey, place: Entity, command_id: Id
    ) -> tuple[str, ...]:
        """Leave behind those who do not come along to the place; return lines on who comes, stays and is there.

        Where it was not known where the hero is, or the hero is there already, everybody stays in the scene.
        """
        others = self._list_others(context)
        if context.place is None or context.place.id == place.id:
            return await self._describe_occupants(context, place, others)
        companion_ids = set(journey.companion_ids or ()) | await self._cast_moves.find_companions(context)
        companions = [e for e in others if e.id in companion_ids and not context.is_dead(e)]
        left = [e for e in others if e not in companions]
        await self._enter(context, companions, is_here=True, command_id=command_id, comes_along=True)
        await self._enter(context, left, is_here=False, command_id=command_id, stays_at=context.place.id)
        lines = [f"{_list_names(companions)} {_verb(companions, 'come')} along."] if companions else []
        if left:
            lines.append(f"{_list_names(left)} {_verb(left, 'stay')} behind.")
        if left and not companions:
            lines[-1] += f" /go {place.name} with NAME takes somebody along."
        return (*lines, *await self._describe_occupants(context, place, companions))

    async def follow_stated_move(
        self, context: SceneContext, proposals: Sequence[ProposedChange]
    ) -> tuple[str, ...]:
        """Leave behind those who do not come along, where a fact that was proposed has the hero elsewhere.

        `context` is before it. A place around where the scene is leaves nobody behind.
        """
        arrivals = find_pc_arrivals(proposals, context.story.pc_id)
        proposal, place_id = next(arrivals, (None, None))
        if proposal is None or place_id is None or context.place is None:
            return ()
        places = {**await self._contexts.canon.entities_by_id([place_id]), **context.entities}
        place = places.get(place_id)
        if place is None or place.kind is not EntityKind.PLACE:
            return ()
        proposed_facts = [
            fact_from_assertion(p, p.change)
            for p in context.staged_proposals
            if isinstance(p.change, AssertFact)
        ]
        if await self._occupants.is_around(place, context.place, proposed_facts):
            return ()
        command_id = proposal.command_id or proposal.id
        return await self.move_with_hero(context, Journey(place.name, None), place, command_id)

    async def _describe_occupants(
        self, context: SceneContext, place: Entity, present: Collection[Entity]
    ) -> tuple[str, ...]:
        """Return a line on those who are not in the scene, and whom canon or this scene has at the place."""
        left_ids = {
            i for i, e in context.last_presence_entries().items() if not e.here and e.place_id == place.id
        }
        left_there = [e for e in context.entities.values() if e.id in left_ids and not context.is_dead(e)]
        known_ids = {e.id for e in (*present, *left_there)} | {context.story.pc_id}
        by_canon = [e for e in await self._occupants.find_occupants(place) if e.id not in known_ids]
        lines = []
        if left_there:
            names = ", ".join(e.name for e in left_there)
            lines.append(
                f"You left {name_within(_list_names(left_there))} here: /cast + {names} if they still are."
            )
        if by_canon:
            names = ", ".join(e.name for e in by_canon)
            verb = "is" if len(by_canon) == 1 else "are"
            lines.append(f"{_list_names(by_canon)} {verb} here, by canon: /cast + {names} if you meet.")
        return tuple(lines)

    def _require_companion(self, context: SceneContext, entity: Entity, living: Collection[Entity]) -> None:
        if entity.id == context.story.pc_id:
            raise InputError(
                f"{entity.name} is who you play.", kept=NOTHING_CHANGED, todo="Name who comes along."
            )
        if entity not in living and context.is_dead(entity):
            raise InputError(
                f"{entity.name} is dead and does not come along.",
                kept=NOTHING_CHANGED,
                todo=f"/state {entity.name}.alive = true if they live after all.",
            )
        if entity not in living:
            raise InputError(
                f"{entity.name} is not here to come along.",
                kept=NOTHING_CHANGED,
                todo=f"/cast + {entity.name} lets them come in first.",
            )

    # --- inside --------------------------------------------------------------------------------------

    def _list_others(self, context: SceneContext) -> list[Entity]:
        return [e for e in context.present_actors() if e.id != context.story.pc_id]

    async def _record_presence(self, scene_id: Id, typed_names: str, *, is_here: bool) -> tuple[str, ...]:
        context = await self._journal.load_open_scene(scene_id)
        entities = [
            await self._find_mover(context, typed_name, is_here=is_here)
            for typed_name in await self._split_names(context, typed_names)
        ]
        named = list({e.id: e for e in entities}.values())
        movers = [entity for entity in named if _is_moved(context, entity, is_here=is_here)]
        where = "here" if is_here else "not here"
        unmoved = [entity for entity in named if entity not in movers]
        if not movers:
            raise InputError(
                " ".join(f"{name_at_start(e.name)} is {where}." for e in unmoved), kept=NOTHING_CHANGED
            )
        fetched_ids = await self._find_fetched(context, movers) if is_here else frozenset[Id]()
        await self._enter(context, movers, is_here=is_here, fetched_ids=fetched_ids)
        move_lines = (
            _describe_move(context, entity, is_here=is_here, is_fetched=entity.id in fetched_ids)
            for entity in movers
        )
        return (
            *move_lines,
            *(f"{name_at_start(e.name)} is {where}{' already' if is_here else ''}." for e in unmoved),
        )

    async def _enter(
        self,
        context: SceneContext,
        entities: Iterable[Entity],
        *,
        is_here: bool,
        command_id: Id | None = None,
        stays_at: Id | None = None,
        comes_along: bool = False,
        fetched_ids: Collection[Id] = (),
    ) -> None:
        """Enter that these come or leave; all of one command is undone together.

        Who comes along with the hero, all of them or the `fetched_ids`, goes on doing so.
        """
        last_entries = context.last_presence_entries()
        entries: list[PresenceEntry] = []
        for entity in entities:
            entry_id = derive_id("presence", command_id, entity.id) if command_id else None
            stamp = self._journal.build_stamp(context, entry_id)
            stamp["command_id"] = command_id = command_id or stamp["command_id"]
            awareness = Awareness.DEAD if is_here and context.is_dead(entity) else Awareness.AWARE
            last_entry = last_entries.get(entity.id)
            if comes_along and last_entry:
                awareness = last_entry.awareness
            entries.append(
                PresenceEntry(
                    **stamp,
                    entity_id=entity.id,
                    here=is_here,
                    awareness=awareness,
                    is_left_behind=stays_at is not None,
                    place_id=stays_at,
                    is_companion=is_here and (comes_along or entity.id in fetched_ids),
                )
            )
        await self._journal.add_entries(context, entries)

    async def _find_fetched(self, context: SceneContext, movers: Iterable[Entity]) -> frozenset[Id]:
        """Return which of those who are brought in come along after all: the last words left them behind.

        Once more was played, or a fact has the hero elsewhere, they come to where the hero is.
        """
        last_entries = context.last_presence_entries()
        left_entries = [
            entry
            for mover in movers
            if (entry := last_entries.get(mover.id)) and entry.is_narrated and entry.is_left_behind
        ]
        last_turn_ids = await self._cast_moves.read_last_turn_ids(context) if left_entries else frozenset()
        here_id = context.place.id if context.place else None
        return frozenset(
            entry.entity_id
            for entry in left_entries
            if entry.turn_id in last_turn_ids and context.find_narrated_destination(entry) == here_id
        )

    async def _split_names(self, context: SceneContext, typed_names: str) -> list[str]:
        """Return the names of a list, unless the whole is one name (`Gil and Sons`)."""
        if await self._contexts.find_entities(context, typed_names):
            return [typed_names]
        return [name for name in _NAME_SEPARATORS.split(typed_names) if name.strip()]

    async def _find_mover(self, context: SceneContext, typed_name: str, *, is_here: bool) -> Entity:
        """Return who comes or leaves. Raises InputError if they cannot."""
        entity = await self._contexts.find_one_entity(context, typed_name.strip())
        if entity.kind not in ACTORS:
            raise InputError(
                f"{entity.name} is a {entity.kind}; people and creatures come and go.",
                kept=NOTHING_CHANGED,
                todo="/go Name says where your character is." if entity.kind is EntityKind.PLACE else "",
            )
        if not is_here and entity.id == context.story.pc_id:
            raise InputError(
                f"{entity.name} is who you play.", kept=NOTHING_CHANGED, todo="/end ends the scene."
            )
        return entity


def _is_moved(context: SceneContext, entity: Entity, *, is_here: bool) -> bool:
    """Say whether somebody comes or leaves by a command, or wakes by it: it corrects a narrated death, too."""
    entry = context.last_presence_entries().get(entity.id)
    is_unaware = entry is not None and entry.here and entry.awareness is not Awareness.AWARE
    if is_here and is_unaware and not context.is_dead(entity):
        return True
    return is_here is not (entity.id in {e.id for e in context.present_actors()})


def describe_as_known(name: str, description: str = "") -> str:
    """Return a line on somebody who is on record and not in the scene; by their description they may be dead."""
    if _SAYS_DEAD.search(description):
        return f"{name_at_start(name)} is known. /fact {name} is dead makes the death true."
    return f"{name_at_start(name)} is known, not here: /cast + {name} brings them in."


def _describe_move(context: SceneContext, entity: Entity, *, is_here: bool, is_fetched: bool) -> str:
    if is_here and context.is_dead(entity):
        return (
            f"{name_at_start(entity.name)} lies here dead, and neither acts nor hears: "
            f"/state {entity.name}.alive = true if they live after all."
        )
    comes = "comes along" if is_fetched else "comes in"
    return f"{name_at_start(entity.name)} {comes if is_here else 'leaves'}."


def _list_names(entities: Sequence[Entity]) -> str:
    return begin_with_names([e.name for e in entities])


def _verb(subjects: Sequence[Entity], verb: str) -> str:
    return verb if len(subjects) > 1 else f"{verb}s"
