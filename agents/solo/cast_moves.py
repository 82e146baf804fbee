"""Has plain narration move the cast: who comes, leaves, stays behind or falls asleep by the words of a turn.

What the words say becomes entries of the story's journal on their turn, so that undoing the turn takes them back;
`/cast + NAME` and `/cast - NAME` correct them. Nothing here is canon.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from agents.context_assembly.earlier_stays import find_earlier_stays
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.shared_names import SharedName
from agents.declarations.unknown_names import find_unknown
from agents.personas.reported_cast import NO_REPORT, ReportedCast
from agents.proposals.evidence import turn_evidence
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal
from agents.proposals.statements import build_location_fact
from agents.prose.actions import enters_scene, find_act_of_living
from agents.prose.cast_reader import CastReader, TurnReading
from agents.prose.cast_reading import CastMove, CastState
from agents.prose.destinations import short_names
from agents.prose.mentions import Figure
from agents.prose.names import names_of
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from agents.solo.cast_figures import (
    build_figures,
    is_mentioned,
    read_cast_state,
    read_hero_gender,
    read_hero_names,
    select_people,
)
from agents.solo.cast_readers import STORY_SPEAKERS, CastReaders, other_places
from agents.solo.opening_names import find_subject_name
from agents.solo.presence_entries import build_place_entry, build_presence_entries, is_reported_entry
from agents.solo.reported_moves import find_reported_moves
from agents.solo.story_journal import StoryJournal
from agents.solo.strangers import Stranger, describe_stranger, find_strangers, is_talked_about
from stores.ports import CanonReader, LogReader
from stores.records.canon import Authority
from stores.records.ids import Id, derive_id
from stores.records.play import Speaker, Turn
from stores.records.story_journal import PlaceEntry, PresenceEntry
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind, fold_name

MAX_SCENE_TURNS: Final = 40
"""Last turns of a scene in which a name may stand in full."""
MAX_TURNS_ON_WAY: Final = 6
"""Last turns that may have sent the hero to a place that is declared after them."""


class RecordedMoves(NamedTuple):
    """Who comes and leaves by a turn and where the hero goes, as entered, and who could not be in it."""

    entries: tuple[PresenceEntry | PlaceEntry, ...] = ()
    acting_dead: tuple[Entity, ...] = ()
    """The dead who do something in it, or are spoken to or fought."""
    proposals: tuple[ProposedChange, ...] = ()
    """Where the hero is now, if canon or a proposal has them elsewhere: without it that one would hold."""
    unknown_place: str = ""
    """Where the hero would be, if that place were known: `Old Pier`; empty if they go to no such place."""
    unclear_place: SharedName | None = None
    """Where the hero would be, if it were known which of several places is meant: `The pier`."""
    missed: tuple[Entity, ...] = ()
    """The living who are spoken to or fought in it, and are not here.

    So are those who were with the hero earlier in the story, and do in it what is seen where they are."""
    strangers: tuple[Stranger, ...] = ()
    """Those who are here by its words, or are spoken to or fought, and whom nobody has made known: `Greta`."""
    departed_strangers: tuple[str, ...] = ()
    """Those who are here no more by its words, and whom nobody has made known."""


class CastMoves:
    """Reads turns, and enters who moves by them. The caller holds the session lock."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        readers: CastReaders,
        journal: StoryJournal,
        proposals: Proposals,
    ) -> None:
        self._log = log
        self._canon = canon
        self._readers = readers
        self._journal = journal
        self._proposals = proposals

    async def record_moves(
        self,
        context: SceneContext,
        turn: Turn,
        *,
        needs_entrance: bool = False,
        only_ids: Collection[Id] | None = None,
    ) -> RecordedMoves:
        """Enter who comes and leaves by the words of a turn of this scene. Doing it twice has no further effect.

        `needs_entrance`: nobody comes by merely acting or speaking in the words, only by coming in. `only_ids`: those
        of whom it is entered, when a turn is read again because more is known of them.
        """
        if turn.speaker not in STORY_SPEAKERS:
            return RecordedMoves()
        named = await self._readers.list_named(context, turn.text)
        people = select_people(context, named)
        places = await self._readers.list_places(context)
        # A model's own strangers are proposed as it tells of them.
        strangers = [] if needs_entrance else _find_unknown_people(turn.text, (*named, *places))
        reader = await self._readers.prepare_reader(context, people, places, before=turn, strangers=strangers)
        stranger_numbers = range(len(people), len(people) + len(strangers))
        state = replace(read_cast_state(context, people), strangers=frozenset(stranger_numbers))
        reading = reader.read_turn(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER)
        departed_strangers = _find_departed(reader, turn, state, stranger_numbers)
        met_strangers = {
            number - len(people)
            for number in _list_met(reading)
            if number >= len(people) and not is_talked_about(strangers[number - len(people)], turn.text)
        }
        reading = reading.without_figures(stranger_numbers)
        destination = None
        if reading.destination is not None and turn.speaker is not Speaker.NPC and only_ids is None:
            destination = other_places(context, places)[reading.destination]
        unclear_place = _find_unclear_place(reading.unknown_site, other_places(context, places))
        moves = _select_moves(
            context, turn, reading, people, state, destination, needs_entrance=needs_entrance
        )
        moves = await self._drop_unclear_leaving(context, turn, moves, people)
        if only_ids is not None:
            moves = [(move, number) for move, number in moves if people[number].id in only_ids]
        companion_ids = {people[n].id for n in state.companions} | {
            people[n].id for move, n in moves if move is CastMove.COMES_ALONG
        }
        presence_entries = build_presence_entries(
            context, turn, [(move, people[n].id) for move, n in moves], people, state, companion_ids
        )
        place_entries = (build_place_entry(turn, destination.id),) if destination else ()
        met_before = set[int]() if needs_entrance else _find_met_before(context, reading, people)
        entries = (*place_entries, *presence_entries)
        if entries:
            await self._journal.add_entries(
                context, [e.model_copy(update={"at": turn.created_at}) for e in entries]
            )
        arrivals = (
            await self._propose_arrival(context, turn, destination, is_typed=not needs_entrance)
            if destination
            else ()
        )
        return RecordedMoves(
            entries,
            _find_acting_dead(turn, people, state, reading.acting_dead | (reading.missed & state.dead)),
            arrivals,
            "" if unclear_place else _capitalise(reading.unknown_site),
            unclear_place,
            tuple(people[n] for n in sorted((reading.missed | met_before) - state.dead)),
            tuple(describe_stranger(strangers[number]) for number in sorted(met_strangers)),
            tuple(describe_stranger(strangers[n - len(people)]).name for n in departed_strangers),
        )

    async def _drop_unclear_leaving(
        self,
        context: SceneContext,
        turn: Turn,
        moves: list[tuple[CastMove, int]],
        people: Sequence[Entity],
    ) -> list[tuple[CastMove, int]]:
        """Return moves without the leaving of whom only a pronoun means, if somebody unknown may be meant.

        `Greta ties the bandage.` and then `She leaves.` is of Greta, whom nobody has made known.
        """
        figures = build_figures(people)
        unnamed = {
            n for move, n in moves if move is CastMove.LEAVES and not is_mentioned(figures[n], turn.text)
        }
        if not unnamed:
            return moves
        sentences = [
            (sentence, earlier.text)
            for earlier in await self._readers.read_turns_before(context, turn)
            for sentence in split_sentences(strip_speech(earlier.text))
        ]
        for sentence, text in reversed(sentences):
            if (name := find_subject_name(sentence)) and await self._is_stranger(context, name, text):
                return [(move, n) for move, n in moves if move is not CastMove.LEAVES or n not in unnamed]
            if any(is_mentioned(figures[n], sentence) for n in unnamed):
                return moves
        return moves

    async def _is_stranger(self, context: SceneContext, name: str, text: str) -> bool:
        """Return whether a name of a text is of somebody whom nobody has made known, and of no place."""
        known = await self._readers.list_named(context, text)
        known_words = {
            fold_name(word) for e in known for known_name in names_of(e) for word in known_name.split()
        }
        places = {unknown.name for unknown in find_unknown(text, known) if unknown.kind is EntityKind.PLACE}
        return fold_name(name) not in known_words and name not in places

    async def record_reported_cast(
        self, context: SceneContext, turn: Turn, reported_cast: ReportedCast
    ) -> tuple[PresenceEntry, ...]:
        """Enter who comes and leaves in a narration as a model reports it; `context` is the scene at the turn.

        It adds to what the words plainly said and is right about who is still here. Whoever came must be in the text,
        and alive. Doing it twice has no further effect.
        """
        if reported_cast == NO_REPORT:
            return ()
        people = await self._readers.list_people(context, "\n".join((turn.text, *reported_cast.names)))
        state = read_cast_state(context, people)
        own_entries = {
            e.entity_id: e
            for e in context.scene_presence_entries()
            if e.turn_id == turn.id and not is_reported_entry(e)
        }
        moves = find_reported_moves(reported_cast, turn.text, people, state, own_entries)
        companion_ids = {people[n].id for n in state.companions}
        entries = build_presence_entries(
            context,
            turn,
            [(move, people[n].id) for move, n in moves],
            people,
            state,
            companion_ids,
            is_reported=True,
        )
        if entries:
            await self._journal.add_entries(context, entries)
        return entries

    async def read_scene_words(self, context: SceneContext) -> str:
        """Return the last lines of the scene, with the one that was entered last."""
        turns = await self._log.line_tail(context.scene.id, MAX_SCENE_TURNS)
        return "\n".join(turn.text for turn in turns if turn.speaker in STORY_SPEAKERS)

    async def has_arrived(self, context: SceneContext, entity: Entity) -> bool:
        """Return whether the last exchange brought in somebody who was not on record then.

        By a name that somebody else bears, it meant who was known already.
        """
        turns = await self._readers.read_last_exchange(context)
        known = [
            one
            for turn in turns
            for one in await self._readers.list_people(context, turn.text)
            if one.id != entity.id
        ]
        figure = build_figures(list({one.id: one for one in (entity, *known)}.values()))[0]
        reader = CastReader([figure], read_hero_names(context), hero_gender=read_hero_gender(context))
        state = CastState()
        for turn in turns:
            for move, _ in reader.read(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER):
                is_here = move not in (CastMove.LEAVES, CastMove.STAYS_BEHIND, CastMove.DIES)
                state = CastState(present=frozenset([0] if is_here else []))
        return bool(state.present)

    async def find_turn_on_way(self, context: SceneContext, place: Entity) -> Turn | None:
        """Return the turn by which the hero went to a place that is known only now, and by no later words elsewhere."""
        turns = await self._log.line_tail(context.scene.id, MAX_TURNS_ON_WAY)
        places = await self._readers.list_places(context)
        people = select_people(context, context.present_actors())
        state = read_cast_state(context, people)
        for turn in reversed([t for t in turns if t.speaker in (Speaker.PLAYER, Speaker.GM)]):
            if context.has_moved_since(turn):
                return None
            reader = await self._readers.prepare_reader(context, people, places, before=turn)
            reading = reader.read_turn(turn.text, state, is_gm=turn.speaker is Speaker.GM)
            if reading.destination is not None:
                return turn if other_places(context, places)[reading.destination].id == place.id else None
            known_entities = (*context.entities.values(), *places)
            if reading.unknown_site or any(
                name.kind is EntityKind.PLACE for name in find_unknown(turn.text, known_entities)
            ):
                return None
        return None

    async def find_companions(self, context: SceneContext) -> set[Id]:
        """Return who comes along with the hero, by the words of the last exchange."""
        turns = await self._readers.read_last_exchange(context)
        people = select_people(context, context.present_actors())
        if not turns or not people:
            return set()
        places = await self._readers.list_places(context)
        reader = await self._readers.prepare_reader(context, people, places, before=turns[0])
        state = read_cast_state(context, people)
        return {
            people[number].id
            for turn in turns
            for number in reader.find_companions(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER)
        }

    async def read_last_turn_ids(self, context: SceneContext) -> frozenset[Id]:
        """Return the turns of the last exchange that tell the story."""
        return frozenset(turn.id for turn in await self._readers.read_last_exchange(context))

    # --- inside --------------------------------------------------------------------------------------

    async def _propose_arrival(
        self, context: SceneContext, turn: Turn, place: Entity, *, is_typed: bool
    ) -> tuple[ProposedChange, ...]:
        """Propose that the hero is where the words of a turn took them, if canon or a proposal has them elsewhere."""
        hero = context.player_character()
        if hero is None:
            return ()
        earlier_stays = await find_earlier_stays(context, self._canon, hero.id, place.id)
        if not earlier_stays:
            return ()
        scene = context.scene
        arrival = build_proposal(
            derive_id("proposal", "arrival", turn.id),
            build_location_fact(hero, place, turn.tick, earlier_stays=earlier_stays),
            [turn_evidence(turn)],
            Authority.GM if is_typed else Authority.SYSTEM,
            ProposalSite(scene.universe_id, scene.story_id, scene.id, turn.id, tick=turn.tick),
            turn.created_at,
        )
        await self._proposals.stage([arrival])
        return (arrival,)


def _find_departed(reader: CastReader, turn: Turn, state: CastState, strangers: range) -> list[int]:
    """Return which of the strangers, if they were here, are not after the words of a turn."""
    if not strangers:
        return []
    state = replace(state, present=state.present.union(strangers))
    moves = reader.read_turn(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER).moves
    last_moves = {number: move for move, number in moves}
    return [n for n in strangers if last_moves.get(n) in (CastMove.LEAVES, CastMove.STAYS_BEHIND)]


def _find_unknown_people(text: str, known: Sequence[Entity]) -> list[Figure]:
    """Return the strangers of a text without what it names as places: `Greta leaves for Esk` is of one person."""
    strangers = find_strangers(text, known)
    if not any(stranger.names for stranger in strangers):
        return strangers
    place_names = {
        unknown.name
        for unknown in find_unknown(text, known)
        if unknown.kind is EntityKind.PLACE
        and re.search(rf"\b(?:for|to|towards?|into|from|in|at)\s+{re.escape(unknown.name)}\b", text)
    }
    return [stranger for stranger in strangers if place_names.isdisjoint(stranger.names)]


def _list_met(reading: TurnReading) -> set[int]:
    """Return the figures who come in, are spoken to or fought."""
    return {number for move, number in reading.moves if move is CastMove.COMES} | reading.missed


def _capitalise(words: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in words.split())


def _find_unclear_place(site: str, places: Iterable[Entity]) -> SharedName | None:
    """Return the place that somebody goes to and that may be any of several, with these; None if it is not."""
    called = [p for p in places if site.casefold() in _fold_short_names(p)] if site else []
    return SharedName(f"The {site}", tuple(sorted(called, key=lambda p: p.name))) if len(called) > 1 else None


def _fold_short_names(place: Entity) -> set[str]:
    names = names_of(place)
    return {word.casefold().removeprefix("the ") for name in names for word in (name, *short_names(name))}


def _stays_elsewhere(context: SceneContext, entity: Entity, place: Entity | None) -> bool:
    """Return whether somebody was left behind in another place than where the hero is then."""
    stay_id = context.last_presence_entries()[entity.id].place_id
    return place is not None and stay_id is not None and stay_id != place.id


def _select_moves(
    context: SceneContext,
    turn: Turn,
    reading: TurnReading,
    people: Sequence[Entity],
    state: CastState,
    destination: Entity | None,
    *,
    needs_entrance: bool,
) -> list[tuple[CastMove, int]]:
    """Return the moves of a turn that are entered, with those that follow from where the hero goes."""
    kept_out = _find_kept_out(
        context, turn, reading, people, state, destination, needs_entrance=needs_entrance
    )
    moves = [
        (move, number)
        for move, number in reading.moves
        if number not in kept_out or move not in (CastMove.COMES, CastMove.COMES_ALONG)
    ]
    if destination is not None and not needs_entrance:
        moves += _find_reunions(context, people, state, destination, {number for _, number in moves})
    if reading.goes_back_alone:
        moves += _find_left_again(context, people, state, reading.met_again - kept_out)
    return moves


def _find_kept_out(
    context: SceneContext,
    turn: Turn,
    reading: TurnReading,
    people: Sequence[Entity],
    state: CastState,
    destination: Entity | None,
    *,
    needs_entrance: bool,
) -> set[int]:
    """Return who is not here though they act in the words: they have not come in, or were left behind elsewhere."""

    def is_kept_out(number: int) -> bool:
        if needs_entrance and not enters_scene(turn.text, names_of(people[number])):
            return True
        place = context.place if number in reading.met_again else destination
        return number in state.left_behind and _stays_elsewhere(context, people[number], place)

    return {number for move, number in reading.moves if move is CastMove.COMES and is_kept_out(number)}


def _find_met_before(context: SceneContext, reading: TurnReading, people: Sequence[Entity]) -> set[int]:
    """Return who is shown in the words and was with the hero earlier in the story."""
    if not reading.shown:
        return set()
    met_ids = {*context.scene.cast, *(e.entity_id for e in context.presence_entries() if e.here)}
    return {n for n in reading.shown if people[n].id in met_ids}


def _find_reunions(
    context: SceneContext,
    people: Sequence[Entity],
    state: CastState,
    destination: Entity,
    moved: Collection[int],
) -> list[tuple[CastMove, int]]:
    """Return that those come in who stayed behind where the hero goes now, and whom the words do not move."""
    last_entries = context.last_presence_entries()
    return [
        (CastMove.COMES, number)
        for number in sorted(state.left_behind - state.dead - set(moved))
        if last_entries[people[number].id].place_id == destination.id
    ]


def _find_left_again(
    context: SceneContext, people: Sequence[Entity], state: CastState, met_again: Collection[int]
) -> list[tuple[CastMove, int]]:
    """Return that those stay behind whom the hero met since leaving those who are met again, and takes nowhere."""
    entries = context.scene_presence_entries()
    last_entries = context.last_presence_entries()
    turn_ids = {last_entries[people[number].id].turn_id for number in met_again}
    start = next((n for n, entry in enumerate(entries) if entry.turn_id in turn_ids), len(entries))
    were_here = dict.fromkeys(context.scene.cast, True)
    were_here |= {entry.entity_id: entry.here for entry in entries[:start]}
    return [
        (CastMove.STAYS_BEHIND, number)
        for number in sorted(state.present - state.companions)
        if met_again and not were_here.get(people[number].id, False)
    ]


def _find_acting_dead(
    turn: Turn, people: Sequence[Entity], state: CastState, arriving: Collection[int]
) -> tuple[Entity, ...]:
    """Return the dead of whom a turn tells what they do, and those `arriving` among them.

    What the hero says or dreams of them is no act of theirs.
    """
    figures = build_figures(people)
    return tuple(
        people[number]
        for number in sorted(state.dead)
        if number in arriving
        or (turn.speaker is not Speaker.NPC and find_act_of_living(turn.text, figures[number].names))
    )
