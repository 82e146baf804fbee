"""Works out who was present at each turn of a line, and what of it they could hear.

The scene's cast and those who came since are present until they leave. A presence entry on a turn holds
from the next turn on: somebody who leaves with a turn heard it; somebody who arrives heard it if its own
words bring them in, or mention them. The player character is always present; the dead and the senseless
hear nothing. Everyone sees results; nobody hears what an oracle is asked, or the program's own
lines. Only its hearers hear a whisper, and only whom the hero takes aside what follows in the turn. World
time (ticks) only rises along a line, so it gives the order of events. The answer to a whisper is its
hearers', too (`whispered_exchanges.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from agents.memory_manager.whispered_exchanges import hear_answer
from agents.memory_manager.whispers import NamesById, Whisper, find_whispers, mask_unheard_whispers
from agents.prose.actions import enters_scene, find_spoken_words
from agents.prose.names import any_name_pattern
from agents.prose.unseen_deeds import strike_unseen
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.play import Speaker, Turn
from stores.records.story_journal import Awareness, PresenceEntry

_ORACLE_ANSWER = re.compile(r" · tension \d+ · d100 \d+ · ")
"""The wording of an oracle's answer (`agents/resolver/oracle.py`)."""
SENSELESS_TAGS = frozenset({"dead", "unconscious", "asleep", "sleeping", "comatose", "petrified"})
"""Tags of characters who hear and see nothing."""


_ASIDE: Final = re.compile(
    r"\b(?:aside|apart|to one side|out of earshot|away from|into (?:a|the) (?:\w+ )?corner)\b", re.IGNORECASE
)


def takes_aside(text: str) -> bool:
    """Say whether words may take somebody aside, so that others do not hear what follows."""
    return _ASIDE.search(text) is not None


def _words_before_aside(text: str) -> str:
    """Return what is said and done before somebody is taken aside: what follows, only they hear."""
    return " ".join(takewhile(lambda sentence: not takes_aside(sentence), split_sentences(text)))


def is_oracle_answer(result: str) -> bool:
    """Say whether a result is an oracle's answer, whose question nobody in the world hears."""
    return _ORACLE_ANSWER.search(result) is not None


@dataclass(frozen=True, slots=True)
class TickInterval:
    """A span of world time."""

    since_tick: int | None = None
    """Exclusive; None means from before the scene."""
    until_tick: int | None = None
    """Inclusive; None means that it still lasts."""

    def includes(self, tick: int) -> bool:
        return (self.since_tick is None or tick > self.since_tick) and (
            self.until_tick is None or tick <= self.until_tick
        )


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who was present when in a scene."""

    pc_id: Id | None
    cast: frozenset[Id]
    """Those who were present from the start."""
    names_by_id: NamesById
    """The names of everyone who may be meant."""
    created_ticks: Mapping[Id, int] = field(default_factory=dict)
    """World time at which somebody was created in the scene; that alone does not make them present."""
    presence_entries: Sequence[PresenceEntry] = ()
    """Arrivals and departures of this scene, in the order of the line."""
    senseless_intervals: Mapping[Id, Sequence[TickInterval]] = field(default_factory=dict)
    """When somebody could hear and see nothing."""
    unheard_turn_ids: Collection[Id] = ()
    """Turns that nobody in the world could hear: questions to an oracle."""
    slept_turn_ids: Collection[Id] = ()
    """Turns that the player character sleeps through."""
    insiders_by_exchange: Mapping[Id, frozenset[Id]] = field(default_factory=dict)
    """Who alone heard the whisper that an exchange begins with, and hears the answer."""

    def list_present(self, turn: Turn) -> list[Id]:
        """Return who was present at a turn, whether or not they could hear."""
        possible_ids = dict.fromkeys((*self._player_ids(), *self.cast, *self._presence_ids()))
        return [i for i in possible_ids if self._is_there(i, turn)]

    @property
    def is_empty(self) -> bool:
        """Whether nobody was ever present."""
        return not (self.pc_id or self.cast or self.presence_entries)

    def heard_texts(self, turn: Turn) -> dict[Id, str]:
        """Return by hearer what each could hear and see of a turn; empty if it was for nobody.

        What others do while somebody sleeps, by the words of the turn, they do not see.
        """
        heard = {
            i: self._strike_unseen(_words_before_aside(text) if self._goes_apart(i, turn) else text, i, turn)
            for i, text in self._list_heard(turn).items()
        }
        return {i: text for i, text in heard.items() if text}

    def _strike_unseen(self, text: str, entity_id: Id, turn: Turn) -> str:
        is_hero = entity_id == self.pc_id and turn.speaker is not Speaker.NPC
        return strike_unseen(text, self.names_by_id.get(entity_id, ()), is_hero=is_hero)

    def _goes_apart(self, entity_id: Id, turn: Turn) -> bool:
        """Say whether the words of a turn take others aside, out of somebody's earshot."""
        entries = [e for e in self.presence_entries if e.entity_id == entity_id and e.tick == turn.tick]
        return any(e.is_narrated and e.awareness is Awareness.OUT_OF_EARSHOT for e in entries[-1:])

    def _list_heard(self, turn: Turn) -> dict[Id, str]:
        if turn.speaker is Speaker.SYSTEM or turn.id in self.unheard_turn_ids or not turn.text.strip():
            return {}
        awake_ids = [i for i in self.list_present(turn) if not self._is_asleep(i, turn)]
        if turn.hearers:
            return {i: turn.text for i in awake_ids if i in turn.hearers or i == self.find_speaker_id(turn)}
        turn_whispers = self.read_whispers(turn)
        if insider_ids := self.insiders_by_exchange.get(turn.exchange_id):
            speaker_id = self.find_speaker_id(turn)
            answers = (
                (i, hear_answer(turn, i, insider_ids, self.names_by_id, speaker_id)) for i in awake_ids
            )
            return {
                i: mask_unheard_whispers(text, turn_whispers, i, self.pc_id) if text == turn.text else text
                for i, text in answers
                if text
            }
        return {i: mask_unheard_whispers(turn.text, turn_whispers, i, self.pc_id) for i in awake_ids}

    def read_whispers(self, turn: Turn) -> list[Whisper]:
        if turn.speaker not in (Speaker.PLAYER, Speaker.GM, Speaker.NPC):
            return []
        return find_whispers(turn.text, turn.speaker, turn.name, self.names_by_id, self.pc_id)

    def find_speaker_id(self, turn: Turn) -> Id | None:
        """Return who speaks in a turn: the player character, or an NPC by name."""
        if turn.speaker is Speaker.PLAYER:
            return self.pc_id
        if turn.speaker is not Speaker.NPC or not turn.name:
            return None
        folded_name = turn.name.casefold()
        return next(
            (i for i, names in self.names_by_id.items() if folded_name in map(str.casefold, names)), None
        )

    def _player_ids(self) -> tuple[Id, ...]:
        return (self.pc_id,) if self.pc_id else ()

    def _presence_ids(self) -> Iterable[Id]:
        return (entry.entity_id for entry in self.presence_entries)

    def _is_there(self, entity_id: Id, turn: Turn) -> bool:
        if entity_id == self.pc_id:
            return True
        is_there = entity_id in self.cast
        arrival: PresenceEntry | None = None
        for entry in self.presence_entries:
            if entry.entity_id != entity_id:
                continue
            if entry.tick < turn.tick:
                is_there, arrival = entry.here, None
            elif entry.tick == turn.tick and entry.here and not is_there:
                arrival = arrival or entry
        if arrival is not None:
            return arrival.is_narrated or self._is_mentioned_arriving(entity_id, turn)
        return is_there

    def _is_mentioned_arriving(self, entity_id: Id, turn: Turn) -> bool:
        """Say whether a turn mentions somebody whom a command brings in after it."""
        names = self.names_by_id.get(entity_id, ())
        if not names or turn.speaker not in (Speaker.GM, Speaker.NPC, Speaker.PLAYER):
            return False
        if self.created_ticks.get(entity_id) == turn.tick:
            return re.search(any_name_pattern(names), turn.text, re.IGNORECASE) is not None
        return (
            enters_scene(turn.text, names) or bool(find_spoken_words(turn.text, names)) or turn.name in names
        )

    def _is_asleep(self, entity_id: Id, turn: Turn) -> bool:
        if entity_id == self.pc_id:
            return turn.id in self.slept_turn_ids
        return self._is_senseless_at(entity_id, turn.tick)

    def _is_senseless_at(self, entity_id: Id, tick: int) -> bool:
        if any(interval.includes(tick) for interval in self.senseless_intervals.get(entity_id, ())):
            return True
        last_entries = [
            e
            for e in self.presence_entries
            if e.entity_id == entity_id
            and (e.tick < tick or (e.tick == tick and e.is_narrated and e.awareness is Awareness.AWARE))
        ][-1:]
        return any(entry.awareness is not Awareness.AWARE for entry in last_entries)
