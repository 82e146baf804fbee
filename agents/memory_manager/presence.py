"""Who was there at each turn of a line, and what of it they could hear. Pure.

Present are the scene's cast, those whom a turn brings in, and those who came since, until they leave. What
is kept in the books on a turn holds from the next turn on: somebody who leaves behind a turn heard it, and
who comes heard it only if it tells of them. The player's character is always there; the dead and the
senseless hear nothing. Results are seen by all; what an oracle is asked, and the program's own lines, by
nobody. A whisper reaches its hearers alone. World time (ticks) only rises along a line, so it tells before
from after.
Source: design/product.md, pain 12; the issue "Context that remembers", MemoryManager.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agents.memory_manager.whispers import People, Whisper, heard, whispers
from agents.prose.actions import enters_scene, find_spoken_words
from agents.prose.names import any_name_pattern
from stores.records.ids import Id
from stores.records.play import Speaker, Turn
from stores.records.threads import PresenceEntry

_ORACLE_ANSWER = re.compile(r" · tension \d+ · d100 \d+ · ")
"""The wording of an oracle's answer (`agents/resolver/oracle.py`)."""
SENSELESS = frozenset({"dead", "unconscious", "asleep", "sleeping", "comatose", "petrified"})
"""Tags of those who hear and see nothing."""


def asks_oracle(result: str) -> bool:
    """Say whether a result is an oracle's answer: the question was put to nobody in the world."""
    return _ORACLE_ANSWER.search(result) is not None


@dataclass(frozen=True, slots=True)
class Stay:
    """From behind world time `since` (None: from before the scene) until `until`, inclusive (None: still)."""

    since: int | None = None
    until: int | None = None

    def covers(self, tick: int) -> bool:
        return (self.since is None or tick > self.since) and (self.until is None or tick <= self.until)


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who was there when. `cast` were there from the start; `born` were brought in, at that world time;
    `comings` are the books' for this scene, in the order of the line; `senseless` when somebody took in
    nothing; `people` are the names of all that may be meant; `unheard` are turns that nobody in the world
    could hear (questions to an oracle)."""

    pc_id: Id | None
    cast: frozenset[Id]
    people: People
    born: Mapping[Id, int] = field(default_factory=dict)
    comings: Sequence[PresenceEntry] = ()
    senseless: Mapping[Id, Sequence[Stay]] = field(default_factory=dict)
    unheard: Collection[Id] = ()

    def present(self, turn: Turn) -> list[Id]:
        """Return who was there, whether or not they took anything in."""
        everyone = dict.fromkeys((*self._player(), *self.cast, *self.born, *self._came()))
        return [i for i in everyone if self._is_there(i, turn)]

    @property
    def nobody(self) -> bool:
        """Whether there never was anybody."""
        return not (self.pc_id or self.cast or self.born or self.comings)

    def heard(self, turn: Turn) -> dict[Id, str]:
        """Return by hearer what each could hear and see of a turn; empty if it was for nobody."""
        if turn.speaker is Speaker.SYSTEM or turn.id in self.unheard or not turn.text.strip():
            return {}
        awake = [i for i in self.present(turn) if i == self.pc_id or not self._senseless_at(i, turn.tick)]
        if turn.hearers:
            return {i: turn.text for i in awake if i in turn.hearers or i == self.speaker(turn)}
        spoken = self.whispers(turn)
        return {i: heard(turn.text, spoken, i, self.pc_id) for i in awake}

    def whispers(self, turn: Turn) -> list[Whisper]:
        if turn.speaker not in (Speaker.PLAYER, Speaker.GM, Speaker.NPC):
            return []
        return whispers(turn.text, turn.speaker, turn.name, self.people, self.pc_id)

    def speaker(self, turn: Turn) -> Id | None:
        """Return whose words a turn is: the player's character's, or an NPC's by name."""
        if turn.speaker is Speaker.PLAYER:
            return self.pc_id
        if turn.speaker is not Speaker.NPC or not turn.name:
            return None
        wanted = turn.name.casefold()
        return next((i for i, names in self.people.items() if wanted in map(str.casefold, names)), None)

    def _player(self) -> tuple[Id, ...]:
        return (self.pc_id,) if self.pc_id else ()

    def _came(self) -> Iterable[Id]:
        return (entry.entity_id for entry in self.comings)

    def _is_there(self, who: Id, turn: Turn) -> bool:
        if who == self.pc_id:
            return True
        born = self.born.get(who)
        there = born < turn.tick if born is not None else who in self.cast
        at_this_turn = born == turn.tick
        for entry in self.comings:
            if entry.entity_id != who:
                continue
            if entry.tick < turn.tick:
                there, at_this_turn = entry.here, False
            elif entry.tick == turn.tick and entry.here and not there:
                at_this_turn = True
        if at_this_turn and not there:
            return self._is_told_of(who, turn, born == turn.tick)
        return there

    def _is_told_of(self, who: Id, turn: Turn, brought_in: bool) -> bool:
        """Say whether a turn has somebody there who comes with it."""
        names = self.people.get(who, ())
        if not names or turn.speaker not in (Speaker.GM, Speaker.NPC, Speaker.PLAYER):
            return False
        if brought_in:
            return re.search(any_name_pattern(names), turn.text, re.IGNORECASE) is not None
        return (
            enters_scene(turn.text, names) or bool(find_spoken_words(turn.text, names)) or turn.name in names
        )

    def _senseless_at(self, who: Id, tick: int) -> bool:
        return any(stay.covers(tick) for stay in self.senseless.get(who, ()))
