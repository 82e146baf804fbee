"""Has plain narration move the cast: who comes, leaves, stays behind or falls asleep by the words of a turn.

What the words say becomes entries of the story's journal on their turn, so that undoing the turn takes them back;
`/cast + NAME` and `/cast - NAME` correct them. Nothing here is canon.
"""

from __future__ import annotations

import re
from asyncio import gather
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from agents.context_assembly.earlier_stays import find_earlier_stays
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.shared_names import SharedName
from agents.declarations.unknown_names import find_unknown
from agents.memory_manager.attendance import SENSELESS_TAGS
from agents.personas.reported_cast import NO_REPORT, ReportedCast
from agents.proposals.evidence import turn_evidence
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal
from agents.proposals.statements import build_location_fact
from agents.prose.actions import enters_scene, find_act_of_living
from agents.prose.cast_reader import CastReader, NarratedFate, TurnReading
from agents.prose.cast_reading import CastMove, CastState
from agents.prose.death_phrases import TELLS_DEATH, TELLS_LIFE
from agents.prose.destinations import short_names
from agents.prose.mentions import Figure, Gender, is_role, read_called_role, read_gender, read_roles
from agents.prose.names import NON_NAME_WORDS, any_name_pattern, names_of
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.stranger_subjects import read_called_nouns
from agents.prose.words import split_sentences
from agents.solo.story_journal import StoryJournal
from agents.solo.strangers import Stranger, describe_stranger, find_strangers, is_talked_about
from stores.ports import CanonReader, LogReader
from stores.records.canon import Authority
from stores.records.ids import Id, derive_id
from stores.records.play import Speaker, Turn
from stores.records.story_journal import Awareness, PlaceEntry, PresenceEntry
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity, EntityKind, fold_name

MAX_SEARCHED_WORDS: Final = 12
"""Words of one text that are looked up among the names of canon."""
MAX_SAME_WORD: Final = 20
"""Characters of canon with one word in their name that are read."""
EARLIER_TURNS: Final = 3
"""Turns before, which say whom a pronoun means."""
MAX_SCENE_TURNS: Final = 40
"""Last turns of a scene in which a name may stand in full."""
MAX_TURNS_ON_WAY: Final = 6
"""Last turns that may have sent the hero to a place that is declared after them."""
MAX_PLACES: Final = 200
"""Places of a universe whose names are known as elsewhere."""
MAX_EXCHANGE_TURNS: Final = 6
_AWARENESS_BY_MOVE: Final = {
    CastMove.SURVIVES: Awareness.AWARE,
    CastMove.FALLS_ASLEEP: Awareness.ASLEEP,
    CastMove.GOES_OUT_OF_EARSHOT: Awareness.OUT_OF_EARSHOT,
    CastMove.DIES: Awareness.DEAD,
}
"""How somebody is after a move that says so."""
_OWES: Final = re.compile(r"(?:He|She)(?P<owes> (?:now |still )?owes? [^;:?¶]+?)[\s.!…]*$")
"""What somebody owes whom only a pronoun names."""
_STORY_SPEAKERS: Final = (Speaker.PLAYER, Speaker.GM, Speaker.NPC)
_CAPITALISED_WORD: Final = re.compile(r"\b[^\W\d_a-z][\w-]{2,}")
_ROLE_PHRASE: Final = re.compile(r"\b(?:[Tt]he|[Oo]ur|[Mm]y|[Tt]hat)\s+(\w+)(?:\s+([a-z]{3,}))?\b")
"""What may say who somebody is: `the captain`, `the old captain`."""


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


class ToldFate(NamedTuple):
    """Who dies by a turn, or lives after all, and the words that say so."""

    who: Entity
    quote: str


class ToldDebt(NamedTuple):
    """A sentence of what somebody owes, with their name in it, and its words in the turn."""

    sentence: str
    quote: str


class CastMoves:
    """Reads turns, and enters who moves by them. The caller holds the session lock."""

    def __init__(
        self, log: LogReader, canon: CanonReader, journal: StoryJournal, proposals: Proposals
    ) -> None:
        self._log = log
        self._canon = canon
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
        if turn.speaker not in _STORY_SPEAKERS:
            return RecordedMoves()
        named = await self._list_named(context, turn.text)
        people = _select_people(context, named)
        places = await self._list_places(context)
        # A model's own strangers are proposed as it tells of them.
        strangers = [] if needs_entrance else find_strangers(turn.text, (*named, *places))
        reader = await self._prepare_reader(context, people, places, before=turn, strangers=strangers)
        stranger_numbers = range(len(people), len(people) + len(strangers))
        state = replace(_read_state(context, people), strangers=frozenset(stranger_numbers))
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
            destination = _other_places(context, places)[reading.destination]
        kept_out = {
            number
            for move, number in reading.moves
            if move is CastMove.COMES
            and (
                (needs_entrance and not enters_scene(turn.text, names_of(people[number])))
                or (
                    number in state.left_behind
                    and _stays_elsewhere(
                        context,
                        people[number],
                        context.place if number in reading.met_again else destination,
                    )
                )
            )
        }
        unclear_place = _find_unclear_place(reading.unknown_site, _other_places(context, places))
        moves = [
            (move, number)
            for move, number in reading.moves
            if number not in kept_out or move not in (CastMove.COMES, CastMove.COMES_ALONG)
        ]
        if destination is not None and not needs_entrance:
            moves += _find_reunions(context, people, state, destination, {number for _, number in moves})
        if reading.goes_back_alone:
            moves += _find_left_again(context, people, state, reading.met_again - kept_out)
        if only_ids is not None:
            moves = [(move, number) for move, number in moves if people[number].id in only_ids]
        companion_ids = {people[n].id for n in state.companions} | {
            people[n].id for move, n in moves if move is CastMove.COMES_ALONG
        }
        presence_entries = _build_entries(
            context, turn, [(move, people[n].id) for move, n in moves], people, state, companion_ids
        )
        place_entries = (_build_place_entry(turn, destination.id),) if destination else ()
        met_before = set[int]()
        if reading.shown and not needs_entrance:
            met_ids = {*context.scene.cast, *(e.entity_id for e in context.presence_entries() if e.here)}
            met_before = {n for n in reading.shown if people[n].id in met_ids}
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

    async def record_reported_cast(
        self, context: SceneContext, turn: Turn, reported_cast: ReportedCast
    ) -> tuple[PresenceEntry, ...]:
        """Enter who comes and leaves in a narration as a model reports it; `context` is the scene at the turn.

        It adds to what the words plainly said and is right about who is still here. Whoever came must be in the text,
        and alive. Doing it twice has no further effect.
        """
        if reported_cast == NO_REPORT:
            return ()
        people = await self._list_people(context, "\n".join((turn.text, *reported_cast.names)))
        state = _read_state(context, people)
        own_entries = {
            e.entity_id: e
            for e in context.scene_presence_entries()
            if e.turn_id == turn.id and not _is_reported(e)
        }
        moves = _find_reported_moves(reported_cast, turn.text, people, state, own_entries)
        companion_ids = {people[n].id for n in state.companions}
        entries = _build_entries(
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

    async def find_deaths(self, context: SceneContext, turn: Turn) -> list[ToldFate]:
        """Return who dies by the words of a turn that is not entered yet, present or not."""
        if not TELLS_DEATH.search(turn.text):
            return []
        people = await self._list_people(context, turn.text)
        reader = await self._prepare_reader(context, people, await self._list_places(context), before=turn)
        gone = await self._find_unnamed_since_leaving(context, people, before=turn)
        deaths = reader.find_deaths(turn.text, is_gm=turn.speaker is not Speaker.PLAYER, gone=gone)
        return _name_fates(deaths, people, context)

    async def find_survivors(self, context: SceneContext, turn: Turn) -> list[ToldFate]:
        """Return which of those who are dead, by canon or a proposal, live after all by the words of a turn."""
        if not TELLS_LIFE.search(turn.text):
            return []
        people = await self._list_people(context, turn.text)
        hero = context.player_character()
        if not any(context.is_dead(one) for one in (*people, *([hero] if hero else []))):
            return []
        reader = await self._prepare_reader(context, people, await self._list_places(context), before=turn)
        survivors = reader.find_survivors(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        return [fate for fate in _name_fates(survivors, people, context) if context.is_dead(fate.who)]

    async def find_debtors(self, context: SceneContext, turn: Turn) -> list[ToldDebt]:
        """Return what those owe by a turn who are here and meant by a pronoun: `He owes me three crowns`."""
        sentences = split_sentences(strip_speech(SINGLE_QUOTED.sub(" ¶ ", turn.text)))
        if not any(map(_OWES.match, sentences)):
            return []
        people = await self._list_people(context, turn.text)
        reader = await self._prepare_reader(context, people, await self._list_places(context), before=turn)
        subjects = reader.find_pronoun_subjects(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        here_ids = {e.id for e in context.present_actors()}
        return [
            ToldDebt(f"{people[number].name}{debt['owes']}", sentences[position].strip(" .!…"))
            for position, number in subjects.items()
            if position < len(sentences)
            and (debt := _OWES.match(sentences[position]))
            and people[number].id in here_ids
        ]

    async def read_scene_words(self, context: SceneContext) -> str:
        """Return the last lines of the scene, with the one that was entered last."""
        turns = await self._log.line_tail(context.scene.id, MAX_SCENE_TURNS)
        return "\n".join(turn.text for turn in turns if turn.speaker in _STORY_SPEAKERS)

    async def has_arrived(self, context: SceneContext, entity: Entity) -> bool:
        """Return whether the last exchange brought in somebody who was not on record then."""
        turns = await self._read_last_exchange(context)
        reader = CastReader(_build_figures([entity]), _hero_names(context), hero_gender=_hero_gender(context))
        state = CastState()
        for turn in turns:
            for move, _ in reader.read(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER):
                is_here = move not in (CastMove.LEAVES, CastMove.STAYS_BEHIND, CastMove.DIES)
                state = CastState(present=frozenset([0] if is_here else []))
        return bool(state.present)

    async def find_turn_on_way(self, context: SceneContext, place: Entity) -> Turn | None:
        """Return the turn by which the hero went to a place that is known only now, and by no later words elsewhere."""
        turns = await self._log.line_tail(context.scene.id, MAX_TURNS_ON_WAY)
        places = await self._list_places(context)
        people = _select_people(context, context.present_actors())
        state = _read_state(context, people)
        for turn in reversed([t for t in turns if t.speaker in (Speaker.PLAYER, Speaker.GM)]):
            if context.has_moved_since(turn):
                return None
            reader = await self._prepare_reader(context, people, places, before=turn)
            reading = reader.read_turn(turn.text, state, is_gm=turn.speaker is Speaker.GM)
            if reading.destination is not None:
                return turn if _other_places(context, places)[reading.destination].id == place.id else None
            known = (*context.entities.values(), *places)
            if reading.unknown_site or any(
                name.kind is EntityKind.PLACE for name in find_unknown(turn.text, known)
            ):
                return None
        return None

    async def find_companions(self, context: SceneContext) -> set[Id]:
        """Return who comes along with the hero, by the words of the last exchange."""
        turns = await self._read_last_exchange(context)
        people = _select_people(context, context.present_actors())
        if not turns or not people:
            return set()
        places = await self._list_places(context)
        reader = await self._prepare_reader(context, people, places, before=turns[0])
        state = _read_state(context, people)
        return {
            people[number].id
            for turn in turns
            for number in reader.find_companions(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER)
        }

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

    async def _list_places(self, context: SceneContext) -> list[Entity]:
        """Return the places of canon, and those that are proposed in the scene."""
        canon_places = await self._canon.entities(
            context.universe.id, kind=EntityKind.PLACE, limit=MAX_PLACES
        )
        staged_places = (e for e in context.entities.values() if e.kind is EntityKind.PLACE)
        return list({e.id: e for e in (*canon_places, *staged_places) if not e.merged_into}.values())

    async def _prepare_reader(
        self,
        context: SceneContext,
        people: Sequence[Entity],
        places: Sequence[Entity],
        *,
        before: Turn,
        strangers: Sequence[Figure] = (),
    ) -> CastReader:
        """Return a reader that has passed over the turns before, for the people and, behind them, the strangers."""
        here_names = {context.place.name, *context.place.aliases} if context.place else set()
        other_names = [name for p in places for name in (p.name, *p.aliases) if name not in here_names]
        reader = CastReader(
            [*_without_roles(_build_figures(people), strangers), *strangers],
            _hero_names(context),
            other_names,
            here_names,
            [(p.name, *p.aliases) for p in _other_places(context, places)],
            _hero_gender(context),
        )
        for turn in await self._read_turns_before(context, before):
            reader.pass_over(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        return reader

    async def _read_turns_before(self, context: SceneContext, turn: Turn) -> list[Turn]:
        """Return the turns of the story before a turn that say whom its pronouns mean."""
        start = max(0, turn.depth - EARLIER_TURNS)
        turns = await self._log.line_slice(context.scene.id, start, turn.depth - start)
        return [one for one in turns if one.speaker in _STORY_SPEAKERS]

    async def _find_unnamed_since_leaving(
        self, context: SceneContext, people: Sequence[Entity], *, before: Turn
    ) -> frozenset[int]:
        """Return who of the people has left the scene and is named in none of the last turns after that."""
        last_entries = context.last_presence_entries()
        left = {
            n: last_entries[e.id].turn_id
            for n, e in enumerate(people)
            if e.id in last_entries and not last_entries[e.id].here
        }
        turns = await self._read_turns_before(context, before) if left else []
        figures = _build_figures(people) if left else []
        places = {turn.id: place for place, turn in enumerate(turns, 1)}
        return frozenset(
            n
            for n, turn_id in left.items()
            if not any(_is_mentioned(figures[n], turn.text) for turn in turns[places.get(turn_id or "", 0) :])
        )

    async def _list_people(self, context: SceneContext, text: str) -> list[Entity]:
        """Return whom the text may mean, but for the hero."""
        return _select_people(context, await self._list_named(context, text))

    async def _list_named(self, context: SceneContext, text: str) -> list[Entity]:
        """Return what the text may mean: all of the scene, and all of canon whose names it has words of."""
        universe_id = context.universe.id
        capitalised = (w for w in _CAPITALISED_WORD.findall(text) if w.casefold() not in NON_NAME_WORDS)
        roles = (w for phrase in _ROLE_PHRASE.findall(text) for w in phrase if w and is_role(w))
        searched_words = list(dict.fromkeys(w.casefold() for w in (*capitalised, *roles)))[
            :MAX_SEARCHED_WORDS
        ]
        matches = await gather(
            *(self._canon.entities(universe_id, search=w, limit=MAX_SAME_WORD) for w in searched_words)
        )
        named = {e.id: e for e in (*context.entities.values(), *(e for found in matches for e in found))}
        return [e for e in named.values() if not e.merged_into]

    async def read_last_turn_ids(self, context: SceneContext) -> frozenset[Id]:
        """Return the turns of the last exchange that tell the story."""
        return frozenset(turn.id for turn in await self._read_last_exchange(context))

    async def _read_last_exchange(self, context: SceneContext) -> list[Turn]:
        turn = context.last_play_turn
        if turn is None:
            return []
        turns = await self._log.line_tail(context.scene.id, MAX_EXCHANGE_TURNS)
        return [t for t in turns if t.exchange_id == turn.exchange_id and t.speaker in _STORY_SPEAKERS]


def _select_people(context: SceneContext, named: Iterable[Entity]) -> list[Entity]:
    """Return the people among the entities, but for the hero."""
    return [e for e in named if e.kind in ACTORS and e.id != context.story.pc_id]


def _find_departed(reader: CastReader, turn: Turn, state: CastState, strangers: range) -> list[int]:
    """Return which of the strangers, if they were here, are not after the words of a turn."""
    if not strangers:
        return []
    state = replace(state, present=state.present.union(strangers))
    moves = reader.read_turn(turn.text, state, is_gm=turn.speaker is not Speaker.PLAYER).moves
    last_moves = {number: move for move, number in moves}
    return [n for n in strangers if last_moves.get(n) in (CastMove.LEAVES, CastMove.STAYS_BEHIND)]


def _list_met(reading: TurnReading) -> set[int]:
    """Return the figures who come in, are spoken to or fought."""
    return {number for move, number in reading.moves if move is CastMove.COMES} | reading.missed


def _name_fates(
    fates: Iterable[NarratedFate], people: Sequence[Entity], context: SceneContext
) -> list[ToldFate]:
    """Return fates with whom they are of, which is the hero where there is no number."""
    hero = context.player_character()
    named = ((hero if number is None else people[number], quote) for number, quote in fates)
    return [ToldFate(who, quote) for who, quote in named if who is not None]


def _other_places(context: SceneContext, places: Iterable[Entity]) -> list[Entity]:
    """Return the places that the scene is not in."""
    return [p for p in places if context.place is None or p.id != context.place.id]


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


def _build_place_entry(turn: Turn, place_id: Id) -> PlaceEntry:
    return PlaceEntry(
        id=derive_id("place", turn.id),
        scene_id=turn.scene_id,
        turn_id=turn.id,
        tick=turn.tick,
        at=turn.created_at,
        place_id=place_id,
        is_narrated=True,
    )


def _build_entries(
    context: SceneContext,
    turn: Turn,
    moves: Sequence[tuple[CastMove, Id]],
    people: Sequence[Entity],
    state: CastState,
    companion_ids: Collection[Id],
    *,
    is_reported: bool = False,
) -> tuple[PresenceEntry, ...]:
    """Return the entries of a turn's moves. An id says whose and which move it is: read again, it is the same."""
    dead_ids = {people[n].id for n in state.dead}
    last_entries = context.last_presence_entries()
    sleeper_ids = {i for i, e in last_entries.items() if e.here and e.awareness is Awareness.ASLEEP}
    here_id = context.place.id if context.place else None
    counts: Counter[Id] = Counter()
    entries = []
    for move, entity_id in moves:
        counts[entity_id] += 1
        if move is not CastMove.COMES_ALONG:  # who is carried sleeps on
            sleeper_ids.discard(entity_id)
        entry_id = derive_presence_entry_id(turn.id, entity_id, counts[entity_id], is_reported=is_reported)
        usual_awareness = Awareness.DEAD if entity_id in dead_ids else Awareness.AWARE
        awareness = (
            Awareness.ASLEEP if entity_id in sleeper_ids else _AWARENESS_BY_MOVE.get(move, usual_awareness)
        )
        entries.append(_build_entry(entry_id, turn, entity_id, move, companion_ids, awareness, here_id))
    return tuple(entries)


def derive_presence_entry_id(turn_id: Id, entity_id: Id, nth: int, *, is_reported: bool) -> Id:
    """Return the id of the nth entry of somebody on a turn, by its words or by what a model reports of them."""
    return derive_id("presence", "reported" if is_reported else "words", turn_id, entity_id, nth)


def _is_reported(entry: PresenceEntry) -> bool:
    turn_id = entry.turn_id or ""
    return entry.id == derive_presence_entry_id(turn_id, entry.entity_id, 1, is_reported=True)


def _build_entry(
    entry_id: Id,
    turn: Turn,
    entity_id: Id,
    move: CastMove,
    companion_ids: Collection[Id],
    awareness: Awareness,
    here_id: Id | None,
) -> PresenceEntry:
    is_here = move not in (CastMove.LEAVES, CastMove.STAYS_BEHIND)
    return PresenceEntry(
        id=entry_id,
        scene_id=turn.scene_id,
        turn_id=turn.id,
        tick=turn.tick,
        at=turn.created_at,
        entity_id=entity_id,
        here=is_here,
        awareness=awareness,
        is_companion=is_here and entity_id in companion_ids,
        is_narrated=True,
        is_left_behind=move is CastMove.STAYS_BEHIND,
        place_id=here_id if move is CastMove.STAYS_BEHIND else None,
    )


def _find_reported_moves(
    reported_cast: ReportedCast,
    text: str,
    people: Sequence[Entity],
    state: CastState,
    own_entries: Mapping[Id, PresenceEntry],
) -> list[tuple[CastMove, int]]:
    """Return the moves that a model reports beyond those that the words plainly said, which are `own_entries`.

    Whom it has here at the end has not left, and who left is not here at the end.
    """
    figures = _build_figures(people)
    here, came, left = (
        {n for name in names if (n := _find_figure(name, figures)) is not None}
        for names in (reported_cast.here, reported_cast.came, reported_cast.left)
    )
    moved = {n for n, entity in enumerate(people) if entity.id in own_entries}
    misread = {
        n
        for n in moved & (here - left)
        if not own_entries[people[n].id].here and not own_entries[people[n].id].is_left_behind
    }
    arrivals = {
        n
        for n in came - moved - state.present - state.dead
        if _is_mentioned(figures[n], text) and (not here or n in here)
    }
    departures = (left - here - moved) & state.present
    return [
        *((CastMove.COMES, n) for n in sorted(misread | arrivals)),
        *((CastMove.LEAVES, n) for n in sorted(departures)),
    ]


def _find_figure(name: str, figures: Sequence[Figure]) -> int | None:
    """Return whom a name or a title (`the sexton`) means alone."""
    folded_name = name.casefold().strip().removeprefix("the ")
    matches = [
        n
        for n, figure in enumerate(figures)
        if folded_name in map(str.casefold, (*figure.names, *figure.roles))
    ]
    return matches[0] if len(matches) == 1 else None


def _is_mentioned(figure: Figure, text: str) -> bool:
    words = (*figure.names, *figure.roles)
    return re.search(any_name_pattern(words), text, re.IGNORECASE) is not None


def _find_acting_dead(
    turn: Turn, people: Sequence[Entity], state: CastState, arriving: Collection[int]
) -> tuple[Entity, ...]:
    """Return the dead of whom a turn tells what they do, and those `arriving` among them.

    What the hero says or dreams of them is no act of theirs.
    """
    figures = _build_figures(people)
    return tuple(
        people[number]
        for number in sorted(state.dead)
        if number in arriving
        or (turn.speaker is not Speaker.NPC and find_act_of_living(turn.text, figures[number].names))
    )


def _read_state(context: SceneContext, people: Sequence[Entity]) -> CastState:
    """Return who of the people is here and how, by their positions."""
    present_ids = {e.id for e in context.present_actors()}
    last_entries = context.last_presence_entries()
    dead = frozenset(n for n, e in enumerate(people) if _is_dead(context, e, last_entries))

    def find(awareness: Awareness) -> frozenset[int]:
        return frozenset(
            n
            for n, e in enumerate(people)
            if e.id in present_ids and e.id in last_entries and last_entries[e.id].awareness is awareness
        )

    senseless = {
        n
        for n, e in enumerate(people)
        if e.id in present_ids
        and SENSELESS_TAGS.intersection(map(str.casefold, context.working_state(e).tags))
    }
    return CastState(
        present=frozenset(n for n, e in enumerate(people) if e.id in present_ids) - dead,
        senseless=find(Awareness.ASLEEP) | senseless,
        out_of_earshot=find(Awareness.OUT_OF_EARSHOT),
        left_behind=frozenset(
            n
            for n, e in enumerate(people)
            if e.id not in present_ids and e.id in last_entries and last_entries[e.id].is_left_behind
        ),
        gone=frozenset(
            n
            for n, e in enumerate(people)
            if (entry := last_entries.get(e.id)) and not entry.here and not entry.is_left_behind
        ),
        dead=dead,
        bodies=frozenset(n for n in dead if people[n].id in present_ids),
        companions=frozenset(
            n
            for n, e in enumerate(people)
            if e.id in present_ids and e.id in last_entries and last_entries[e.id].is_companion
        ),
    )


def _is_dead(context: SceneContext, entity: Entity, last_entries: Mapping[Id, PresenceEntry]) -> bool:
    entry = last_entries.get(entity.id)
    return context.is_dead(entity) or (entry is not None and entry.awareness is Awareness.DEAD)


def _build_figures(people: Sequence[Entity]) -> list[Figure]:
    """Return the people by the names and titles that mean one of them alone."""
    names_by_id = {e.id: names_of(e) for e in people}
    name_counts = Counter(n for names in names_by_id.values() for n in set(names))
    roles_by_id = {e.id: (*read_roles(e.name, e.description), *_read_creature_words(e)) for e in people}
    # Who is called The Miller is meant by `the miller`, though others are millers.
    called_roles = Counter(called for e in people if (called := read_called_role(e.name)))
    for e in people:
        called = read_called_role(e.name)
        own_roles = (r for r in roles_by_id[e.id] if r not in called_roles)
        roles_by_id[e.id] = (called, *own_roles) if called else tuple(own_roles)
    role_counts = Counter(r for roles in roles_by_id.values() for r in roles)
    return [
        Figure(
            tuple(n for n in names_by_id[e.id] if name_counts[n] == 1),
            tuple(r for r in roles_by_id[e.id] if role_counts[r] == 1),
            read_gender(e.name, e.description),
            e.kind is EntityKind.CREATURE,
            read_called_nouns(e.description),
        )
        for e in people
    ]


def _without_roles(figures: Iterable[Figure], strangers: Sequence[Figure]) -> list[Figure]:
    """Return figures without what somebody else is said to be: by `Osric the miller` no other miller is meant."""
    taken = {role for stranger in strangers if stranger.names for role in stranger.roles}
    return [replace(one, roles=tuple(r for r in one.roles if r not in taken)) for one in figures]


def _read_creature_words(entity: Entity) -> tuple[str, ...]:
    """Return what prose calls a creature in small letters: `rat`, `toll dog`, `dog`; nothing for a person."""
    if entity.kind is not EntityKind.CREATURE:
        return ()
    name = fold_name(entity.name).removeprefix("the ")
    return tuple(dict.fromkeys((name, name.split()[-1])))


def _hero_names(context: SceneContext) -> tuple[str, ...]:
    hero = context.player_character()
    return names_of(hero) if hero else ()


def _hero_gender(context: SceneContext) -> Gender:
    hero = context.player_character()
    return read_gender(hero.name, hero.description) if hero else ""
