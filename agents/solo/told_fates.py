"""Finds who dies, lives after all or owes something by the words of a turn, also where a pronoun means them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.sentences.lasting_statements import reports_words
from agents.context_assembly.scene_context import SceneContext
from agents.prose.cast_reader import CastReader, NarratedFate
from agents.prose.death_phrases import TELLS_DEATH, TELLS_LIFE
from agents.prose.frames import find_framed_sentences
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from agents.solo.cast_figures import build_figures, is_mentioned
from agents.solo.cast_readers import CastReaders
from stores.records.play import Speaker, Turn
from stores.records.world import Entity

_OWES: Final = re.compile(r"(?:He|She)(?P<owes> (?:now |still )?owes? [^;:?¶]+?)[\s.!…]*$")
"""What somebody owes whom only a pronoun names."""


class ToldFate(NamedTuple):
    """Who dies by a turn, or lives after all, and the words that say so."""

    who: Entity
    quote: str


_OWES_PRONOUN: Final = re.compile(
    r"(?:^|[,;—–] (?:(?:and|so|but) )?)(?P<debt>(?:I|[Yy]ou) (?:now )?owe (?:him|her) [^,;:?]+)$"
    r"|[,;—–] (?:(?:and|so|but) )?(?P<credit>(?:now )?(?:he|she) (?:now )?owes (?:me|you) [^,;:?]+)$"
)
"""That the hero owes something to somebody who is meant by a pronoun, or they to the hero, to the sentence's end."""
_KILLS_PRONOUN: Final = re.compile(
    r"\b(?P<kills>kill(?:s|ed)|murder(?:s|ed)|poison(?:s|ed)|strangle[sd]|slays|slew) (?:him|her)\b(?! \w+['’]s?\b)"
)
_UNCERTAIN: Final = re.compile(r"\b(?:that|if|whether|unless|when|once|until|would)\b", re.IGNORECASE)


class ToldDeed(NamedTuple):
    """A sentence of what somebody owes or whom they killed, with all names in it, and its words in the turn."""

    sentence: str
    quote: str


class FateReader:
    """Reads who dies, lives after all or owes something by the words of turns. The caller holds the session lock."""

    def __init__(self, readers: CastReaders) -> None:
        self._readers = readers

    async def find_deaths(self, context: SceneContext, turn: Turn) -> list[ToldFate]:
        """Return who dies by the words of a turn that is not entered yet, present or not."""
        if not TELLS_DEATH.search(turn.text):
            return []
        people = await self._readers.list_people(context, turn.text)
        reader = await self._prepare_reader(context, people, turn)
        gone = await self._find_unnamed_since_leaving(context, people, before=turn)
        deaths = reader.find_deaths(turn.text, is_gm=turn.speaker is not Speaker.PLAYER, gone=gone)
        return _name_fates(deaths, people, context)

    async def find_survivors(self, context: SceneContext, turn: Turn) -> list[ToldFate]:
        """Return which of those who are dead, by canon or a proposal, live after all by the words of a turn."""
        if not TELLS_LIFE.search(turn.text):
            return []
        people = await self._readers.list_people(context, turn.text)
        hero = context.player_character()
        if not any(context.is_dead(one) for one in (*people, *([hero] if hero else []))):
            return []
        reader = await self._prepare_reader(context, people, turn)
        survivors = reader.find_survivors(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        return [fate for fate in _name_fates(survivors, people, context) if context.is_dead(fate.who)]

    async def find_debtors(self, context: SceneContext, turn: Turn) -> list[ToldDeed]:
        """Return what those owe by a turn who are here and meant by a pronoun: `He owes me three crowns`."""
        sentences = split_sentences(strip_speech(SINGLE_QUOTED.sub(" ¶ ", turn.text)))
        if not any(map(_OWES.match, sentences)):
            return []
        people = await self._readers.list_people(context, turn.text)
        reader = await self._prepare_reader(context, people, turn)
        subjects = reader.find_pronoun_subjects(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        here_ids = {e.id for e in context.present_actors()}
        return [
            ToldDeed(f"{people[number].name}{debt['owes']}", sentences[position].strip(" .!…"))
            for position, number in subjects.items()
            if position < len(sentences)
            and (debt := _OWES.match(sentences[position]))
            and people[number].id in here_ids
        ]

    async def find_killings(self, context: SceneContext, turn: Turn) -> list[ToldDeed]:
        """Return whom somebody named kills by a turn where a pronoun means the dead one: `Tully killed him`."""
        told_text = strip_speech(SINGLE_QUOTED.sub(" ¶ ", turn.text))
        sentences, framed = split_sentences(told_text), find_framed_sentences(told_text)
        if not any(map(_KILLS_PRONOUN.search, sentences)):
            return []
        people = await self._readers.list_people(context, turn.text)
        reader = await self._prepare_reader(context, people, turn)
        victims = reader.find_pronoun_victims(turn.text, is_gm=turn.speaker is not Speaker.PLAYER)
        return [
            ToldDeed(_KILLS_PRONOUN.sub(rf"\g<kills> {people[number].name}", quote), quote)
            for position, number in victims.items()
            if position < len(sentences)
            and position not in framed
            and _KILLS_PRONOUN.search(quote := sentences[position].strip(" .!…"))
            and not (_UNCERTAIN.search(quote) or reports_words(quote))
        ]

    async def find_hero_debts(self, context: SceneContext, turn: Turn) -> list[ToldDeed]:
        """Return what the hero and those here owe each other who are meant by a pronoun: `I owe her ten crowns`.

        A debt to the hero is one behind another clause: `I pay his bill, so now he owes me six crowns`.
        """
        told_text = strip_speech(SINGLE_QUOTED.sub(" ¶ ", turn.text))
        sentences, framed = split_sentences(told_text), find_framed_sentences(told_text)
        debts = {
            position: (debt["debt"] or debt["credit"]).strip(" .!…")
            for position, sentence in enumerate(sentences)
            if (debt := _OWES_PRONOUN.search(sentence))
            and not (position in framed or _UNCERTAIN.search(sentence) or reports_words(sentence))
        }
        if not debts:
            return []
        people = await self._readers.list_people(context, turn.text)
        reader = await self._prepare_reader(context, people, turn)
        is_gm = turn.speaker is not Speaker.PLAYER
        here_ids = {e.id for e in context.present_actors()}
        return [
            ToldDeed(
                f"{people[debt.number].name} owes me {debt.what}"
                if debt.is_owed_to_hero
                else f"I owe {people[debt.number].name} {debt.what}",
                debts[position],
            )
            for position, debt in reader.find_debts(turn.text, is_gm=is_gm).items()
            if position in debts and people[debt.number].id in here_ids
        ]

    async def _prepare_reader(
        self, context: SceneContext, people: Sequence[Entity], turn: Turn
    ) -> CastReader:
        """Return a reader of a turn that may mean these people."""
        places = await self._readers.list_places(context)
        return await self._readers.prepare_reader(context, people, places, before=turn)

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
        turns = await self._readers.read_turns_before(context, before) if left else []
        figures = build_figures(people) if left else []
        places = {turn.id: place for place, turn in enumerate(turns, 1)}
        return frozenset(
            n
            for n, turn_id in left.items()
            if not any(is_mentioned(figures[n], turn.text) for turn in turns[places.get(turn_id or "", 0) :])
        )


def _name_fates(
    fates: Iterable[NarratedFate], people: Sequence[Entity], context: SceneContext
) -> list[ToldFate]:
    """Return fates with whom they are of, which is the hero where there is no number."""
    hero = context.player_character()
    named = ((hero if number is None else people[number], quote) for number, quote in fates)
    return [ToldFate(who, quote) for who, quote in named if who is not None]
