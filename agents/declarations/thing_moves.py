"""Reads from facts where a thing is and who has it, and which of them the next one ends. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import LOCATED_IN, SUBJECT
from agents.proposals.statements import STATED_PREDICATE
from agents.prose.words import SHORT_TITLE_PATTERN
from stores.records.canon import AssertFact, Fact
from stores.records.ids import Id
from stores.records.world import EntityKind

DETERMINER: Final = (
    r"(?:the|my|this|that|our|a|an|his|her|their|(?:[^\W\d_a-z][\w-]*[ -]){0,2}[^\W\d_a-z][\w-]*['’]s?) "
)
"""What stands before a thing: `the`, `his`, `Dob's`; whose it is said to be does not say who has it."""
WORDS: Final = r"[\w'’-]+(?: [\w'’-]+){0,4}?"
NAME_WORD: Final = r"[^\W\d_a-z][\w'’-]*"
PROPER_NAME: Final = rf"(?!(?:I|You)\b){NAME_WORD}(?: (?:of the |of |the )?{NAME_WORD}){{0,4}}"
THING: Final = rf"(?:{DETERMINER}(?P<thing>{WORDS})|(?P<proper_name>{PROPER_NAME}))"
"""A thing with what stands before it, or one with a name of its own: `Oathkeeper`, `Lament of the Hills`."""
_SOME_THING: Final = rf"(?:{DETERMINER}|(?={NAME_WORD})).*"
NAME: Final = (
    rf"(?P<actor>{SHORT_TITLE_PATTERN}{NAME_WORD}(?: (?:of |the |de |von |van )?{NAME_WORD}){{0,4}})"
)
_HAS: Final = re.compile(
    rf"(?:The )?{NAME} (?P<verb>has|(?:has )?stolen|stole|steals|takes|took) {THING}(?: from (?P<from>{WORDS}))?\."
)
"""A fact of who has a thing: it also says so that somebody stole it."""
_IS_KEPT: Final = re.compile(
    rf"(?:The )?(?:[\w'’-]+ ){{1,5}}?is in {NAME}['’]s? (?:keeping|possession|hands|care|safekeeping)\."
)
"""A fact that a thing is with somebody: `The key is in Tam's keeping.`"""
_THROWS: Final = (
    r"(?:throws|threw|hurls|hurled|flings|flung|toss(?:es|ed)|casts?|chucks|chucked|pitch(?:es|ed)|"
    r"heaves|heaved)"
)
_OUT_OF_REACH: Final = r"(?:away|overboard|(?:in|into|off|over|out of|through|down) .*)"
_LOST: Final = re.compile(
    rf"(?:The )?{NAME} (?:(?:loses|lost|mislays|mislaid|drops|dropped) {THING}(?: down)?"
    rf"(?: (?:again|in|into|inside|at|on|under|by|beside|near|behind|before|to|onto) .*| {_OUT_OF_REACH})?"
    rf"|{_THROWS} (?:away {_SOME_THING}|{_SOME_THING} {_OUT_OF_REACH}))\."
    r"|(?:The )?(?:[\w'’-]+ ){1,5}?(?:was|is|has been) stolen(?: from .*)?\."
)
"""A fact of who has a thing no more."""
IS_MISSING: Final = (
    r"(?:is|has gone|goes) (?:lost|missing|gone)(?: again| forever| for good)?"
    # What is lost in the fog is out of sight.
    r"(?: (?:in|on|under|beneath|among|amid|at|somewhere in) "
    r"(?!.*\b(?:fog|mist|haze|smoke|dark|darkness|gloom|shadows?|distance|thought|crowd)\b).*)?"
)
_MISSING: Final = re.compile(rf"(?:The )?(?:[\w'’-]+ ){{1,5}}?{IS_MISSING}\.")
"""A fact that nobody knows where a thing is."""
_BURNT: Final = r"(?:burned|burnt|destroyed|incinerated|smashed|shattered)"
_DESTROYED: Final = re.compile(
    rf"(?:The )?{NAME} (?:"
    rf"(?:burns|destroys|incinerates|smashes|shatters|{_BURNT}) {THING}(?: (?:in|on|with|to) .*)?"
    rf"|(?:tears|tore|rips|ripped) (?:up {_SOME_THING}|{_SOME_THING} (?:up|(?:in)?to (?:pieces|shreds))))\."
    rf"|(?:The )?(?:[\w'’-]+ ){{1,5}}?(?:is|was|has been) (?:{_BURNT}|ash|ashes)(?: .*)?\."
    r"|(?:The )?(?:[\w'’-]+ ){1,5}?"
    r"(?:burn(?:s|ed|t) (?:down|up|to (?:the (?:ground|waterline)|ashes|cinders))|sinks|sank|has sunk)(?: .*)?\."
    r"|(?:The )?(?:[\w'’-]+ ){1,5}?(?:has )?"
    r"(?:shatter(?:s|ed)|melt(?:s|ed))(?: (?:away|down|(?:in)?to|in) ?.*)?\."
)
"""A fact that a thing is no more."""
_HAPPENS_SOMEWHERE: Final = re.compile(
    r" (?:in|on|at|inside|aboard|near|by|off|from|under|behind|with) (?!the night\b|the storm\b|a storm\b|all hands\b)"
)
"""Behind these words a place may be where something else was destroyed."""
LIES: Final = re.compile(
    r"(?:The )?(?:[\w'’-]+ ){1,5}?(?:is|lies|stands|hangs|rests) (?:in|inside|within|under|beneath) the \w"
)
"""A fact of where a thing is, though the place is not known."""


class ThingMoveKind(Enum):
    """What a fact says of where a thing is."""

    STAYS = auto()
    """It, or somebody, is in a place."""
    IS_HELD = auto()
    """Somebody has it."""
    IS_TAKEN = auto()
    """Somebody took it, and has it since."""
    IS_LOST = auto()
    """Somebody has it no more."""
    IS_MISSING = auto()
    """Nobody knows where it is."""
    IS_DESTROYED = auto()
    """It is no more."""


class ThingMove(NamedTuple):
    """A fact that says who has a thing or where it is, or has it no more: of several, the last one counts."""

    fact: Fact
    thing_id: Id
    kind: ThingMoveKind


def read_move(fact: Fact, kinds: Mapping[Id, EntityKind]) -> ThingMove | None:
    """Return what a fact says of where a thing, or somebody, is; None for any other fact."""
    if fact.predicate == LOCATED_IN:
        who_id = fact.entity(SUBJECT)
        return ThingMove(fact, who_id, ThingMoveKind.STAYS) if who_id else None
    kind = _kind_of_statement(fact.statement) if fact.predicate == STATED_PREDICATE else None
    if kind is None:
        return None
    thing_ids = (i.entity_id for i in fact.involves if kinds.get(i.entity_id) is EntityKind.OBJECT)
    thing_id = next(thing_ids, None)
    if thing_id is None and kind is ThingMoveKind.IS_DESTROYED:
        thing_id = _find_destroyed_place(fact, kinds)
    return ThingMove(fact, thing_id, kind) if thing_id else None


def _find_destroyed_place(fact: Fact, kinds: Mapping[Id, EntityKind]) -> Id | None:
    """Return the place that a fact has destroyed, as a boat may be one; None if the words may mean something in it."""
    place_ids = {i.entity_id for i in fact.involves if kinds.get(i.entity_id) is EntityKind.PLACE}
    return place_ids.pop() if len(place_ids) == 1 and not _HAPPENS_SOMEWHERE.search(fact.statement) else None


def _kind_of_statement(statement: str) -> ThingMoveKind | None:
    if match := _HAS.fullmatch(statement):
        return ThingMoveKind.IS_HELD if match["verb"] == "has" else ThingMoveKind.IS_TAKEN
    if LIES.match(statement):
        return ThingMoveKind.STAYS
    patterns = (
        (_IS_KEPT, ThingMoveKind.IS_HELD),
        (_LOST, ThingMoveKind.IS_LOST),
        (_MISSING, ThingMoveKind.IS_MISSING),
        (_DESTROYED, ThingMoveKind.IS_DESTROYED),
    )
    return next((kind for pattern, kind in patterns if pattern.fullmatch(statement)), None)


def is_same_move(one: ThingMove, other: ThingMove) -> bool:
    """Say whether `other` says already what `one` does, by whatever names: one thing with one holder, in one place.

    Who is known to have a thing may yet be said to have stolen it.
    """
    says_as_much = one.kind is other.kind or (one.kind, other.kind) == (
        ThingMoveKind.IS_HELD,
        ThingMoveKind.IS_TAKEN,
    )
    # Of a place that is not known only the words say which it is.
    is_by_words = one.kind is ThingMoveKind.STAYS and one.fact.predicate != LOCATED_IN
    is_same_place = not is_by_words or one.fact.statement.casefold() == other.fact.statement.casefold()
    return says_as_much and is_same_place and set(one.fact.involves) == set(other.fact.involves)


def find_ended_ids(fact: AssertFact, moves: Iterable[ThingMove]) -> tuple[Id, ...]:
    """Return which facts no longer hold: where the thing lay that somebody took, who had what was put away.

    That somebody stole or lost it stays so, wherever it is by now; that it is lost ends as it is found.
    """
    kind = ThingMoveKind.STAYS if fact.predicate == LOCATED_IN else _kind_of_statement(fact.statement)
    if kind is None:
        return ()
    return tuple(
        move.fact.id
        for move in moves
        if move.kind in _ENDED_KINDS[kind] or (kind is ThingMoveKind.IS_LOST and _is_holding_of(fact, move))
    )


def _is_holding_of(loss: AssertFact, move: ThingMove) -> bool:
    """Say whether a move has the thing with who loses it."""
    people = {i.entity_id for i in loss.involves}
    return move.kind is ThingMoveKind.IS_HELD and people == {i.entity_id for i in move.fact.involves}


_ENDED_KINDS: Final = {
    ThingMoveKind.STAYS: (ThingMoveKind.IS_HELD, ThingMoveKind.IS_MISSING),
    # Who else has it no more follows from the words.
    ThingMoveKind.IS_HELD: (ThingMoveKind.STAYS, ThingMoveKind.IS_MISSING),
    ThingMoveKind.IS_TAKEN: (ThingMoveKind.STAYS, ThingMoveKind.IS_MISSING),
    ThingMoveKind.IS_LOST: (ThingMoveKind.STAYS,),
    ThingMoveKind.IS_MISSING: (ThingMoveKind.STAYS, ThingMoveKind.IS_HELD),
    ThingMoveKind.IS_DESTROYED: (ThingMoveKind.STAYS, ThingMoveKind.IS_HELD, ThingMoveKind.IS_MISSING),
}
"""What each kind of move puts an end to."""


def tells_loss_by_nobody(fact: AssertFact) -> bool:
    """Say whether a fact is that a thing was lost or stolen, without a word of who lost it or did it."""
    kind = _kind_of_statement(fact.statement)
    return len(fact.involves) == 1 and kind in (ThingMoveKind.IS_MISSING, ThingMoveKind.IS_LOST)


def says_who_has_thing(statement: str) -> bool:
    """Say whether a statement is that somebody has a thing, and no deed by which they got it."""
    return _kind_of_statement(statement) is ThingMoveKind.IS_HELD
