"""Reads what the hero does that moves others: going, taking along, leaving behind, sending away, taking aside."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from agents.prose import cast_words as words
from agents.prose import death_phrases as deaths
from agents.prose.cast_reading import CastMove, CastReading
from agents.prose.destinations import ALONG_WAY, WAY_TAKEN
from agents.prose.mentions import COMPANY
from agents.prose.phrases import PhrasePattern
from agents.prose.place_patterns import PlacePatterns
from agents.prose.sentence_phrases import BY_ONESELF, DOOR_BEHIND_HERO, who_of
from agents.prose.stranger_subjects import is_person_at
from agents.prose.who_is_meant import figures_of

_NO_MEETING: Final = re.compile(r"(?:guilty|wanting|out|innocent|a|an|charming|strange|too)\b")
_GOES_TO: Final = re.compile(
    rf"(?:{WAY_TAKEN}|[a-z]+)(?:\s+(?:{ALONG_WAY}|off|out|back|on|away|up|down|(?:north|south)?(?:north|south|east|west)"
    r"(?:wards?)?|inland|up-?river|down-?river|up-?stream|down-?stream)){0,3}"
    r"\s+(?:in)?(?:to|for|towards?|at|inside)\s+(?:the\s+)?"
)
_LEFT_WITH: Final = re.compile(r"\w+ @[^@]+@ (?:alone )?with @(?P<who>[\d,]+)@")
"""With whom the hero leaves somebody: they stay, too."""
_LEFT_IN_CARE: Final = re.compile(
    r"(?:leave|leaves|left) (?:the|an?|my|his|her|this|that) "
    r"(?=(?:[a-z]+ ){1,3}(?:alone )?with @(?P<who>[\d,]+)@)"
)
"""The hero leaves somebody without a name with others: `leave the girl with @0@`."""
_MOTION: Final = PhrasePattern(
    "[go walk run ride head hurry sail set travel return row march slip step climb rush storm drive fly move swim "
    "leave depart stalk stride stumble]"
)


class HeroActs:
    """Reads the predicates of the hero, alone or with company."""

    def __init__(self, places: PlacePatterns) -> None:
        self._places = places

    def read(self, subject: str, company: Sequence[int], rest: str, reading: CastReading) -> CastMove | None:
        """Move whom a predicate of the hero's moves; return whether those who act with the hero leave.

        `company` are those who are named with the hero: `Vess and I`.
        """
        goes_to_known_place = self.read_destination(rest, reading)
        if goes_to_known_place and words.GOES_BACK.match(rest) and subject != COMPANY:
            # Who is here stays; who stayed where the hero goes back to is met again.
            reading.bring_in(company)
            reading.companions.update(company)
            reading.names_company |= bool(company)
            reading.leave_with_hero()
            reading.goes_alone |= BY_ONESELF.search(rest) is not None
            reading.move(CastMove.COMES, sorted(reading.left_behind - reading.just_left_behind))
            return CastMove.LEAVES if company else None
        if self._read_act_on_others(rest, reading):
            reading.bring_in(company)
            reading.companions.update(company)
            reading.names_company |= bool(company)
            return None
        if words.SHOUTS.match(rest):
            reading.move(CastMove.COMES, sorted(reading.out_of_earshot))
        left_before = reading.left_behind - reading.just_left_behind
        apart = left_before | reading.out_of_earshot
        if apart and words.GOES_BACK.match(rest):
            reading.companions.update(company)
            reading.met_again |= left_before
            reading.goes_back_alone = bool(left_before) and subject != COMPANY and not company
            reading.move(CastMove.COMES, sorted(apart))
            reading.exit_cast = None
            return None
        if not self._places.has_place and not goes_to_known_place and _GOES_TO.match(rest):
            # From nowhere in particular nobody stays behind for it.
            site = self._places.destinations.find_unknown_site(rest)
            if site and not self._places.elsewhere.search(site):
                reading.unknown_site = site
        if subject == COMPANY:
            reading.company_goes |= goes_to_known_place or bool(
                words.LEAVES.match(rest) or words.COMPANY_GOES.match(rest)
            )
            if not goes_to_known_place and (site := self._find_unknown_site(rest)):
                reading.unknown_site = site
            return None
        reading.bring_in(company)
        reading.companions.update(company)
        is_going_alone = BY_ONESELF.search(rest) is not None and words.GOES.match(rest) is not None
        stays_here = words.GOES_ABOUT_HERE.match(rest) is not None or self._runs_after_stranger(rest)
        is_leaving = self.is_leaving(rest) and not stays_here
        if goes_to_known_place or is_leaving or is_going_alone or DOOR_BEHIND_HERO.match(rest):
            if site := self._find_unknown_site(rest):
                # `I walk out on the bridge` may go to no other place, unless it leaves somebody behind.
                if _GOES_TO.match(rest) or reading.present - reading.companions - reading.earlier_companions:
                    reading.stay_for_unknown_site(site)
                return None
            reading.leave_with_hero()
            reading.names_company |= bool(company)
            reading.goes_alone |= BY_ONESELF.search(rest) is not None
            return CastMove.LEAVES if company else None
        if _GOES_TO.match(rest) and (site := self._find_unknown_site(rest)):
            reading.unknown_site = site
            return None
        match = words.MEETS.match(rest)
        if match is not None and not _NO_MEETING.match(match["where"] or ""):
            reading.move(CastMove.COMES, figures_of(who_of(match), reading))
        elif match := words.TOUCHES.match(rest):
            reading.act_here(figures_of(who_of(match), reading))
        return None

    def read_destination(self, rest: str, reading: CastReading) -> bool:
        """Note the place that the hero goes to; return whether the predicate names one."""
        destination = self._places.destinations.find_destination(rest)
        if destination is None:
            return False
        reading.destination = destination
        return True

    def _find_unknown_site(self, rest: str) -> str:
        """Return the place that the hero goes to from a known one, and that is not known itself; empty if none is."""
        if not self._places.has_place:
            return ""
        site = self._places.destinations.find_unknown_site(rest)
        return "" if self._places.here.search(site) or self._places.elsewhere.search(site) else site

    def is_leaving(self, rest: str) -> bool:
        """Say whether a predicate is that somebody leaves the scene."""
        if self._gets_out_here(rest):
            return False
        if words.LEAVES.match(rest):
            return True
        direction = _GOES_TO.match(rest)
        return (
            direction is not None
            and _MOTION.match(rest) is not None
            and self._places.elsewhere.match(rest, direction.end()) is not None
        )

    def _runs_after_stranger(self, rest: str) -> bool:
        """Say whether somebody runs after a person who is not on record, and no words say that it is out of here."""
        match = words.GOES_AFTER_SOMEBODY.match(rest)
        return (
            match is not None
            and is_person_at(rest, match.end())
            and words.TO_ANOTHER_PLACE.search(rest, match.end()) is None
            and words.TO_ELSEWHERE.search(rest, match.end()) is None
            and self._places.elsewhere.search(rest, match.end()) is None
        )

    def _gets_out_here(self, rest: str) -> bool:
        """Say whether somebody gets out of what is in the scene, and not out of the place: a boat, a bed, the water.

        Without a place the scene may be in the boat.
        """
        match = words.GETS_OUT.match(rest)
        if match is None or (not self._places.has_place and match["vehicle"]):
            return False
        return not self._places.has_place or self._places.here.search(match[0]) is None

    def _read_act_on_others(self, rest: str, reading: CastReading) -> bool:
        """Read what the hero does to others; return whether that was all."""
        for pattern, move in (
            (deaths.KILLS, CastMove.DIES),
            (words.STUNS, CastMove.FALLS_ASLEEP),
            (words.ROUSES, CastMove.WAKES),
            (words.LEAVES_BEHIND, CastMove.STAYS_BEHIND),
        ):
            if match := pattern.match(rest):
                numbers = figures_of(who_of(match), reading)
                if move is CastMove.DIES:
                    reading.note_deaths(numbers)
                reading.move(move, numbers)
                if move is CastMove.STAYS_BEHIND and (keepers := _LEFT_WITH.match(rest)):
                    reading.staying.update(figures_of(keepers["who"], reading))
                return True
        if (in_care := _LEFT_IN_CARE.match(rest)) and is_person_at(rest, in_care.end()):
            reading.staying.update(figures_of(in_care["who"], reading))
            return True
        if words.CLEARS.match(rest):
            reading.move(CastMove.LEAVES, sorted(reading.present))
            return True
        if match := words.TAKES.match(rest):
            reading.companions.update(figures_of(who_of(match), reading))
            return True
        if read_others_going(rest, reading):
            return True
        if match := words.TAKES_ASIDE.match(rest):
            self._take_aside(figures_of(who_of(match), reading), reading)
            return True
        goes_along = words.GOES_WITH_OBJECT.match(rest) or re.search(r"\bwith\s+@H@", rest)
        if (match := words.SENDS_AWAY.match(rest)) and not goes_along:
            reading.move(CastMove.LEAVES, figures_of(who_of(match), reading))
            return True
        goes_to_known_place = self._places.destinations.find_destination(rest) is not None
        # `I carry @0@ back to the mill` leaves here with them alone.
        if (match := words.BRINGS.match(rest)) and not goes_to_known_place:
            brought = figures_of(who_of(match), reading)
            reading.bring_in(brought)
            if reading.exit_cast is not None:  # `I go to the mill and take @0@ along`
                reading.companions.update(brought)
            return True
        if match := words.FOLLOWS.match(rest):
            self._follow(figures_of(who_of(match), reading), rest, reading)
            return True
        if match := words.PULLS_OUT.match(rest):
            pulled = figures_of(who_of(match), reading)
            reading.carried.update(pulled)
            reading.bring_in(n for n in pulled if n in reading.present or n not in reading.unnamed)
            return True
        if match := words.TAKES_ALONG.match(rest):
            companions = figures_of(who_of(match), reading)
            is_away = not reading.present.issuperset(companions)
            if is_away and reading.unnamed.issuperset(companions):
                return True  # `I lead her out` is hardly of somebody who is not here
            if goes_to_known_place or is_away or words.TO_ANOTHER_PLACE.search(rest):
                reading.leave_with_hero()
            reading.bring_in(companions)
            reading.companions.update(companions)
            return True
        return False

    def _follow(self, followed: Collection[int], rest: str, reading: CastReading) -> None:
        """Have the hero go after others, who are where the hero arrives and come along nowhere else."""
        if site := self._find_unknown_site(rest):
            reading.unknown_site = site
            return
        is_away = not (reading.present | reading.strangers).issuperset(followed)
        goes_to_known_place = self._places.destinations.find_destination(rest) is not None
        if goes_to_known_place or is_away or words.TO_ANOTHER_PLACE.search(rest):
            reading.leave_with_hero()
        reading.bring_in(followed)
        reading.followed.update(followed)

    def _take_aside(self, numbers: Collection[int], reading: CastReading) -> None:
        reading.act_here(numbers)
        if reading.present.intersection(numbers):
            reading.move(CastMove.GOES_OUT_OF_EARSHOT, sorted(reading.present - set(numbers)))


def read_others_going(rest: str, reading: CastReading) -> bool:
    """Read that somebody watches others go, or lets them; return whether the predicate says that."""
    match = words.WATCHES.match(rest)
    if match is None or not (
        words.LEAVES.match(rest, match.end()) or re.match(r"(?:go|went)\b", rest[match.end() :])
    ):
        return False
    reading.move(CastMove.LEAVES, figures_of(who_of(match), reading))
    return True
