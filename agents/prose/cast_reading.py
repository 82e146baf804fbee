"""What a text makes of the people in a scene, while it is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never


class CastMove(StrEnum):
    """What becomes of somebody in the scene."""

    COMES = "comes"
    COMES_ALONG = "comes along"
    """They go with the hero, from now on."""
    LEAVES = "leaves"
    STAYS_BEHIND = "stays behind"
    """The hero goes on without them."""
    GOES_OUT_OF_EARSHOT = "out of earshot"
    FALLS_ASLEEP = "falls asleep"
    WAKES = "wakes"
    DIES = "dies"
    SURVIVES = "survives"
    """They lie here as dead, and live after all."""


@dataclass(frozen=True, slots=True)
class CastState:
    """Who is in the scene before a text, by the numbers of the figures."""

    present: frozenset[int] = frozenset()
    senseless: frozenset[int] = frozenset()
    """Those present who hear nothing, because they sleep."""
    out_of_earshot: frozenset[int] = frozenset()
    """Those present who do not hear what the hero says aside."""
    left_behind: frozenset[int] = frozenset()
    """Those absent because the hero went on without them."""
    gone: frozenset[int] = frozenset()
    """Those absent because they left the scene."""
    dead: frozenset[int] = frozenset()
    bodies: frozenset[int] = frozenset()
    """Those of the dead who lie in the scene."""
    companions: frozenset[int] = frozenset()
    """Those present who came along with the hero before."""
    strangers: frozenset[int] = frozenset()
    """Those whom nobody has made known, and who may be here."""


@dataclass
class CastReading:
    """The moves of one text, and the scene as it becomes on the way."""

    present: set[int]
    senseless: set[int]
    out_of_earshot: set[int]
    left_behind: set[int]
    dead: set[int]
    bodies: set[int] = field(default_factory=set)
    """Those of the dead who lie in the scene, but for who dies in this text."""
    carried: set[int] = field(default_factory=set)
    """Those whom somebody carries or drags."""
    earlier_companions: set[int] = field(default_factory=set)
    """Those who came along with the hero before this text, and in it."""
    moves: list[tuple[CastMove, int]] = field(default_factory=list)
    gone: frozenset[int] = frozenset()
    """Those who had left the scene before this text."""
    strangers: frozenset[int] = frozenset()
    """Those whom nobody has made known, and who may be here."""
    seen_going: set[int] = field(default_factory=set)
    """Those who had left and only do something in this sentence, as who goes may: `whistles as she goes`."""
    arrived: set[int] = field(default_factory=set)
    """Those who came in this text."""
    departed: set[int] = field(default_factory=set)
    """Those who left in this text."""
    just_left_behind: set[int] = field(default_factory=set)
    """Those whom the hero left behind in this sentence."""
    companions: set[int] = field(default_factory=set)
    """Those who come along with the hero."""
    followed: set[int] = field(default_factory=set)
    """Those whom the hero goes after: they are where the hero arrives, and in nobody's company."""
    names_company: bool = False
    """Whether the text says with whom the hero goes, so that nobody else comes along."""
    exit_cast: set[int] | None = None
    """Who was here when the hero left, in this text; None if the hero did not."""
    company_goes: bool = False
    """Whether the hero goes together with everybody."""
    goes_alone: bool = False
    """Whether the hero is said to go alone."""
    deaths: list[tuple[str, int]] = field(default_factory=list)
    """The marks of those who die, here or elsewhere, each with the position of the sentence that says so."""
    survivals: list[tuple[str, int]] = field(default_factory=list)
    """The marks of those who live after all, each with the position of the sentence that says so."""
    sentence_position: int = -1
    is_within_place: bool = False
    """Whether the sentence has people move about where the scene is."""
    staying: set[int] = field(default_factory=set)
    """Those who are said to stay."""
    destination: int | None = None
    """The place that the hero went to last, by its number; None if the text names none."""
    unknown_site: str = ""
    """Where the hero would go, if that place were known; empty if there is none."""
    met_again: set[int] = field(default_factory=set)
    """Those who were left behind, and are met as the hero goes back without a word on where they are."""
    goes_back_alone: bool = False
    """Whether the hero goes back to those who were left behind, and the text says of nobody that they come along."""
    excepted: set[int] = field(default_factory=set)
    """Those whom the sentence excepts from what all do."""
    acting_dead: set[int] = field(default_factory=set)
    """Those of the dead who come in, come along or are brought as only the living do."""
    absent: frozenset[int] = frozenset()
    """Those of whom the sentence says that they are not here, whatever else it has them do."""
    unnamed: frozenset[int] = frozenset()
    """Those whom pronouns alone mean in the sentence."""
    named: set[int] = field(default_factory=set)
    """Those whom the text has named so far."""
    missed: set[int] = field(default_factory=set)
    """Those who were spoken to or fought, and were not here or dead then."""
    shown: set[int] = field(default_factory=set)
    """Those who did what is seen where they are, and were not here then."""
    subject: str = ""
    """The mark of who did something last, in the sentence."""
    last_predicate: str = ""
    """What was said last of people by their marks, which `@1@ too` says again; empty if it was of the hero."""
    last_move: CastMove | None = None
    """The last coming or leaving, in the sentence."""
    is_told_in_present: bool = False
    """Whether the text tells something in the present, so that what it tells in the past was before."""
    names_somebody: bool = False
    """Whether the text names or means anybody but the hero."""
    is_about_strangers: bool = False
    """Whether somebody who is not on record did something last, in the sentence."""
    sees_body: bool = False
    """Whether the sentence before has somebody dead in sight."""
    genders: Mapping[int, str] = field(default_factory=dict)
    """By which pronoun the figures may be meant; by either where it is empty."""

    @classmethod
    def begin(cls, state: CastState) -> CastReading:
        """Return the reading of a text before its first word."""
        return cls(
            set(state.present),
            set(state.senseless),
            set(state.out_of_earshot),
            set(state.left_behind),
            set(state.dead),
            set(state.bodies),
            earlier_companions=set(state.companions),
            gone=state.gone,
            strangers=state.strangers,
        )

    def note_deaths(self, marks: Iterable[object]) -> None:
        """Note that the sentence tells of deaths, by the marks of the dead.

        A pronoun means nobody who has left, unless the text names them.
        """
        not_meant = {str(n) for n in self.unnamed & self.gone - self.named}
        self.deaths += ((str(mark), self.sentence_position) for mark in marks if str(mark) not in not_meant)

    @property
    def killed_again(self) -> set[int]:
        """The dead of whose death the text tells: who killed whom is told of them."""
        return self.dead.intersection(int(mark) for mark, _ in self.deaths if mark.isdecimal())

    def note_survivals(self, marks: Iterable[object]) -> None:
        """Note that the sentence tells who lives, by their marks."""
        texts = [str(mark) for mark in marks]
        self.survivals += ((text, self.sentence_position) for text in texts)
        for number in (int(text) for text in texts if text.isdecimal()):
            if number in self.bodies:
                self._apply(CastMove.SURVIVES, number)
                self.moves.append((CastMove.SURVIVES, number))

    def begin_sentence(
        self,
        excepted: set[int],
        *,
        is_within_place: bool,
        absent: frozenset[int] = frozenset(),
        unnamed: frozenset[int] = frozenset(),
        named: Collection[int] = (),
        says_same: bool = False,
    ) -> None:
        self.named.update(named)
        self.last_predicate = self.last_predicate if says_same else ""
        self.subject, self.last_move, self.excepted = "", None, excepted
        self.absent, self.unnamed = absent, unnamed
        self.is_about_strangers, self.is_within_place = False, is_within_place
        self.just_left_behind, self.seen_going = set(), set()

    def leave_with_hero(self) -> None:
        """Note that the hero leaves, unless within the place, and who is here then."""
        if self.exit_cast is None and not self.is_within_place:
            self.exit_cast = set(self.present)

    def stay_for_unknown_site(self, site: str) -> None:
        """Note a place that the hero goes to and that is not known: the scene and all in it stay where they are."""
        if self.exit_cast is None:
            self.unknown_site = site

    def settle_exit(self) -> None:
        """Leave behind those who were here when the hero left, and do not come along.

        Who came along before comes along again, unless the words say otherwise or name others as the hero's company.
        The dead do not, unless carried.
        """
        if self.exit_cast is not None and not self.company_goes:
            is_by_name = self.goes_alone or self.names_company
            companions = self.companions | (set() if is_by_name else self.earlier_companions)
            arriving = (companions - self.staying) | self.followed
            self.move(CastMove.STAYS_BEHIND, sorted(self.exit_cast & self.present - arriving))
            self.move(CastMove.COMES_ALONG, sorted(self.present & self.companions))
        if self.exit_cast is not None or self.destination is not None:
            self.moves += ((CastMove.STAYS_BEHIND, number) for number in sorted(self.bodies - self.carried))

    def deal_with(self, numbers: Iterable[int]) -> None:
        """Note whom somebody speaks to or fights, if they are not here or dead.

        A pronoun may as well mean somebody here whom it fits.
        """
        genders_here = {self.genders.get(number) for number in self.present} - {"", None}
        unsure = {number for number in self.unnamed if self.genders.get(number) in genders_here}
        self.missed |= set(numbers) - self.present - self.absent - unsure

    def note_shown(self, numbers: Iterable[int]) -> None:
        """Note who does what is seen where they are, if they are not here."""
        self.shown |= set(numbers) - self.present - self.absent

    def bring_in(self, numbers: Iterable[int]) -> None:
        """Have people come in or along; the dead among them, unless they are carried, are noted."""
        numbers = tuple(numbers)
        self.acting_dead |= self.dead.intersection(numbers) - self.carried
        self.move(CastMove.COMES, numbers)

    def act_here(self, numbers: Iterable[int]) -> None:
        """Have people come in who do what only somebody does who is here.

        A pronoun means nobody who has left, unless the text names them since.
        """
        went = (self.departed | (self.gone | self.left_behind) - self.named) - self.present
        numbers = tuple(number for number in numbers if number not in self.unnamed & went)
        self.seen_going |= (self.departed | self.gone - self.arrived).intersection(numbers) - self.present
        self.move(CastMove.COMES, numbers)

    def move(self, kind: CastMove, numbers: Iterable[int]) -> None:
        """Move people; whom the move does not change, and the dead, it does not move."""
        for number in numbers:
            if number not in self.dead and self._changes(kind, number):
                self._apply(kind, number)
                if kind is CastMove.LEAVES and number in self.seen_going:
                    self._take_back((CastMove.COMES, number))  # they are still on their way
                else:
                    self.moves.append((kind, number))

    def _take_back(self, move: tuple[CastMove, int]) -> None:
        """Take back the last move of this kind of somebody."""
        position = len(self.moves) - 1 - self.moves[::-1].index(move)
        del self.moves[position]

    def _changes(self, kind: CastMove, number: int) -> bool:
        is_here = number in self.present
        match kind:
            case CastMove.COMES if number in self.absent:
                return False
            case CastMove.COMES:
                return not is_here or number in self.out_of_earshot
            case CastMove.COMES_ALONG:
                return is_here and number not in self.earlier_companions
            case CastMove.LEAVES | CastMove.STAYS_BEHIND | CastMove.DIES | CastMove.GOES_OUT_OF_EARSHOT:
                return is_here
            case CastMove.FALLS_ASLEEP:
                return is_here and number not in self.senseless
            case CastMove.WAKES:
                return is_here and number in self.senseless
            case CastMove.SURVIVES:
                return number in self.bodies
            case _:
                assert_never(kind)

    def _apply(self, kind: CastMove, number: int) -> None:
        match kind:
            case CastMove.COMES:
                self.present.add(number)
                self.arrived.add(number)
                self.out_of_earshot.discard(number)
                self.left_behind.discard(number)
            case CastMove.COMES_ALONG:
                self.earlier_companions.add(number)
            case CastMove.LEAVES:
                self.present.discard(number)
                self.earlier_companions.discard(number)
                self.departed.add(number)
            case CastMove.STAYS_BEHIND:
                self.present.discard(number)
                self.earlier_companions.discard(number)
                self.left_behind.add(number)
                self.just_left_behind.add(number)
            case CastMove.DIES:
                self.present.discard(number)
                self.dead.add(number)
            case CastMove.SURVIVES:
                self.present.add(number)
                self.dead.discard(number)
                self.bodies.discard(number)
            case CastMove.GOES_OUT_OF_EARSHOT:
                self.out_of_earshot.add(number)
            case CastMove.FALLS_ASLEEP:
                self.senseless.add(number)
            case CastMove.WAKES:
                self.senseless.discard(number)
            case _:
                assert_never(kind)
