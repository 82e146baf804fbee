"""The ledger of commitments: promises, debts and open questions, whose, since when, and paid off or not.

Ticks are minutes of world time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from agents.canon_keeper.fact_readings import OBJECT, PARTICIPANT, SUBJECT
from agents.name_forms import join_names, name_within
from agents.proposals.decisions import NOTHING_DECIDED
from agents.world_time.calendar import DAYS_PER_YEAR, MIN_YEARS, minutes_per_day
from stores.errors import InputError
from stores.ports import CanonReader
from stores.queries import FactQuery
from stores.records.canon import AssertFact, EndFact, Fact, FactKind, FactStatus, UnmetEnding
from stores.records.ids import Id
from stores.records.world import Calendar, Entity

DAYS_PER_WEEK = 7
SOMEBODY_ELSE = "somebody else"
"""Stands in a promise to several for one of whom it is not known who it is."""
_OWES = re.compile(r"\bowe[sd]?\b", re.IGNORECASE)


class CommitmentKind(StrEnum):
    PROMISE = "promise"
    DEBT = "debt"
    QUESTION = "open question"


CLOSED_WORDS = {
    CommitmentKind.PROMISE: "Kept",
    CommitmentKind.DEBT: "Paid",
    CommitmentKind.QUESTION: "Answered",
}

UNMET_WORDS = {
    CommitmentKind.PROMISE: "Not kept",
    CommitmentKind.DEBT: "Not paid",
    CommitmentKind.QUESTION: "Not answered",
}


def is_settlement(statement: str) -> bool:
    """Say whether a statement is the end of a commitment in words: `Kept: ...`, `Not paid: ...`."""
    words = (*CLOSED_WORDS.values(), *UNMET_WORDS.values(), *(e.value.capitalize() for e in UnmetEnding))
    return statement.startswith(tuple(f"{word}: " for word in words))


@dataclass(frozen=True, slots=True)
class Commitment:
    """A promise, a debt or an open question, open or settled.

    `age` is in ticks, None if the beginning is unknown; `is_paid` says that it was settled, not dropped.
    """

    fact: Fact
    kind: CommitmentKind
    who: Entity | None
    to_whom: tuple[Entity, ...]
    """Those to whom it is promised or owed; one for a debt."""
    since_tick: int | None
    age: int | None
    age_words: str
    is_open: bool
    is_paid: bool
    ended_at_tick: int | None

    @property
    def to_whom_words(self) -> str:
        """Those to whom it is promised or owed, as the ledger names them; empty if nobody is known."""
        names = [one.name for one in self.to_whom]
        is_to_others = join_names([*map(name_within, names), SOMEBODY_ELSE]) in self.fact.statement
        return join_names([*names, SOMEBODY_ELSE] if names and is_to_others else names)


class CommitmentReader:
    """Reads the ledger. Writes nothing: a pay-off is a proposal like any other."""

    def __init__(self, canon: CanonReader) -> None:
        self._canon = canon

    async def list_commitments(
        self, universe_id: Id, now: int, *, include_closed: bool = False
    ) -> list[Commitment]:
        """Return what is open at tick `now`, the oldest first; with `closed`, then what is not any more."""
        universe = await self._canon.universe(universe_id)
        facts = await self._canon.facts(universe_id, FactQuery(kind=FactKind.COMMITMENT, history=True))
        facts = [f for f in facts if f.status is not FactStatus.RETCONNED]
        entities = await self._canon.entities_by_id({i.entity_id for f in facts for i in f.involves})
        commitments = [_build_commitment(f, entities, now, universe.calendar) for f in facts]
        selected = [e for e in commitments if e.is_open or include_closed]
        return sorted(selected, key=lambda e: (not e.is_open, -(e.age if e.age is not None else -1)))

    async def pay_off(self, fact_id: Id, at: int | None = None, *, is_met: bool = True) -> EndFact:
        """Return the change that pays a commitment off at tick `at`; propose it with the turn it rests on.

        Without `is_met` it ends unmet: a promise is broken, a debt is let go. Raises InputError if there is no such
        commitment, or it is not open.
        """
        fact = (await self._canon.facts_by_id([fact_id])).get(fact_id)
        if fact is None or fact.kind is not FactKind.COMMITMENT:
            raise InputError("There is no such promise, debt or question.", kept=NOTHING_DECIDED)
        if not _is_open(fact):
            raise InputError("It is settled already.", kept=NOTHING_DECIDED)
        return EndFact(fact_id=fact_id, at=at, closed=is_met)


def age_in_words(ticks: int | None, calendar: Calendar) -> str:
    """Return an age in its largest unit: `30 years`, `2 weeks`, `3 days`, `1 hour`, `just now`."""
    if ticks is None:
        return "since an unknown time"
    day = minutes_per_day(calendar)
    if ticks >= MIN_YEARS * DAYS_PER_YEAR * day:
        return f"{ticks // (DAYS_PER_YEAR * day):,} years"
    for size, word in (
        (day * DAYS_PER_WEEK, "week"),
        (day, "day"),
        (calendar.minutes_per_hour, "hour"),
        (1, "minute"),
    ):
        count = ticks // size
        if count > 0:
            return f"{count} {word}" if count == 1 else f"{count:,} {word}s"
    return "just now"


def _build_commitment(fact: Fact, entities: dict[Id, Entity], now: int, calendar: Calendar) -> Commitment:
    age = None if fact.valid_from is None else max(0, now - fact.valid_from)
    return Commitment(
        fact=fact,
        kind=commitment_kind(fact),
        who=entities.get(fact.entity(SUBJECT) or ""),
        to_whom=_list_creditors(fact, entities),
        since_tick=fact.valid_from,
        age=age,
        age_words=age_in_words(age, calendar),
        is_open=_is_open(fact),
        is_paid=fact.closed,
        ended_at_tick=fact.valid_to,
    )


def _list_creditors(fact: Fact, entities: dict[Id, Entity]) -> tuple[Entity, ...]:
    """Return to whom it is promised or owed: as many as the statement names together, else the first."""
    if owner := entities.get(fact.entity(OBJECT) or ""):
        return (owner,)
    others = [
        entities[i.entity_id] for i in fact.involves if i.role == PARTICIPANT and i.entity_id in entities
    ]
    _, _, promised = fact.statement.partition(" promised ")
    for count in range(len(others), 1, -1):
        if promised.startswith(join_names([name_within(one.name) for one in others[:count]])):
            return tuple(others[:count])
    return tuple(others[:1])


def commitment_kind(fact: Fact | AssertFact) -> CommitmentKind:
    """Say what kind of commitment a fact is: by its predicate, or by its words."""
    if fact.predicate in ("owes", "debt"):
        return CommitmentKind.DEBT
    if fact.predicate in ("question", "open_question") or fact.statement.rstrip().endswith("?"):
        return CommitmentKind.QUESTION
    if _OWES.search(fact.statement):
        return CommitmentKind.DEBT
    return CommitmentKind.PROMISE


def closed_statement(fact: Fact) -> str:
    """Return the words of a commitment that was paid off (`Kept: Mara promised Jon a boat.`)."""
    return f"{CLOSED_WORDS[commitment_kind(fact)]}: {fact.statement}"


def ended_statement(fact: Fact, unmet_ending: UnmetEnding | None = None) -> str:
    """Return the words of a fact that ended; of a commitment, how it went unmet (`Not kept: ...`, `Broken: ...`)."""
    if fact.kind is not FactKind.COMMITMENT:
        return f"No longer true: {fact.statement}"
    word = unmet_ending.value.capitalize() if unmet_ending else UNMET_WORDS[commitment_kind(fact)]
    return f"{word}: {fact.statement}"


def settled_error(fact: Fact, *, kept: str) -> InputError:
    """Return the error for a commitment that is settled already, with how it was (`Kept: ...`, `Not paid: ...`)."""
    ending = closed_statement(fact) if fact.closed else ended_statement(fact)
    return InputError(f"It is settled already. {ending}", kept=kept, todo="/promises lists what is open.")


def _is_open(fact: Fact) -> bool:
    return fact.status is FactStatus.CANONICAL and fact.valid_to is None and not fact.closed
