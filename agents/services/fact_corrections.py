"""A fact corrected by hand: as it should have read all along, on the evidence that it rests on.

A fact of canon is never rewritten: the correction takes its place.
"""

from __future__ import annotations

from agents.canon_keeper.fact_readings import OBJECT, SUBJECT, is_open
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import value_in_words
from agents.declarations import reader as declare
from agents.proposals.statements import as_sentence, require_statement_length
from agents.sanitize import clean
from agents.services.manual_edits import STAGED_NOT, Act, present
from agents.views.world_views import FactEdit
from agents.world_time.moments import read_moment
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    AssertFact,
    Fact,
    FactKind,
    FactStatus,
    FactValue,
    Involvement,
    NoteAxiom,
    RetconFact,
)


class Corrections:
    """Reads edits of facts. Stateless and read-only."""

    def __init__(self, canon: CanonReader, log: LogReader, keeper: CanonKeeper) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper

    async def of(self, fact: Fact, edit: FactEdit) -> tuple[list[Act], int | None]:
        """Return the acts that correct the fact (none if it reads so already), and their tick.

        Raises InputError for a fact that is history, without words, or with times or a value that cannot be.
        """
        if fact.status is not FactStatus.CANONICAL:
            raise InputError(
                "That is history already.", kept=STAGED_NOT, todo="Correct what is so now, or retcon it."
            )
        if not clean(edit.statement):
            raise InputError("A fact needs a sentence.", kept=STAGED_NOT, todo="R retcons what never was so.")
        statement = as_sentence(require_statement_length(clean(edit.statement)))
        now = await present(self._log, fact.universe_id)
        evidence = tuple(await self._canon.evidence_of(fact.id))
        never = Act(RetconFact(fact_id=fact.id), f"Never so: {fact.statement}")
        if fact.kind is FactKind.AXIOM:
            # A rule has no end of its own: the old words go, the new ones come.
            new = Act(_reworded(fact, statement), f"Corrected by hand: {statement}", evidence)
            return ([never, new] if statement != fact.statement else []), now
        change = await self._change(fact, edit, statement, now)
        tick = None if change.valid_from is None else now
        if _says(change, fact):
            return [], tick
        corrected = Act(change, f"Corrected by hand: {change.statement}", evidence)
        return ([corrected] if change.ends else [never, corrected]), tick

    async def _change(self, fact: Fact, edit: FactEdit, statement: str, now: int | None) -> AssertFact:
        calendar = (await self._canon.universe(fact.universe_id)).calendar
        since = read_moment(edit.since, calendar, now) if edit.since.strip() else fact.valid_from
        until = read_moment(edit.until, calendar, now) if edit.until.strip() else fact.valid_to
        if since is not None and until is not None and until <= since:
            raise InputError("It would end before it began.", kept=STAGED_NOT, todo="Change since or until.")
        value = _value(fact, edit.value.strip())
        involves = await self._involved(fact, clean(edit.other))
        if (value != fact.value or involves != fact.involves) and statement == fact.statement:
            statement = await self._worded(fact, value, involves)
        return AssertFact(
            fact_kind=fact.kind,
            predicate=fact.predicate,
            statement=statement,
            involves=involves,
            value=value,
            standing=edit.standing,
            valid_from=since,
            valid_to=until,
            ends=(fact.id,) if is_open(fact) else (),
            because=fact.because,
        )

    async def _involved(self, fact: Fact, name: str) -> tuple[Involvement, ...]:
        """Return whom the fact involves, with another object if one is named. Raises InputError."""
        if not name or fact.entity(OBJECT) is None:
            return fact.involves
        found = await self._canon.find_entity(fact.universe_id, name)
        if fact.entity(OBJECT) in {e.id for e in found}:
            return fact.involves
        if len(found) != 1:
            raise InputError(
                f"{len(found)} in canon are called {name[:60]!r}."
                if found
                else f"There is no {name[:60]!r}.",
                kept=STAGED_NOT,
                todo="Name one that canon has.",
            )
        return tuple(
            i.model_copy(update={"entity_id": found[0].id}) if i.role == OBJECT else i for i in fact.involves
        )

    async def _worded(self, fact: Fact, value: FactValue | None, involves: tuple[Involvement, ...]) -> str:
        known = await self._canon.entities_by_id([i.entity_id for i in involves])
        named = {i.role: known[i.entity_id].name for i in involves if i.entity_id in known}
        catalogue = (await self._keeper.policies.read_policy(fact.universe_id)).catalogue
        return catalogue.phrase(fact.predicate, named.get(SUBJECT, "It"), named.get(OBJECT, ""), value)


def _value(fact: Fact, typed: str) -> FactValue | None:
    """Return the value that was typed, if the fact has one; nothing typed leaves it as it is."""
    if fact.value is None or not typed or typed == value_in_words(fact.value):
        return fact.value
    value = declare.read_value(clean(typed))
    if type(value) is not type(fact.value) and not (_is_number(value) and _is_number(fact.value)):
        raise InputError(
            f"{typed[:40]!r} does not fit where {value_in_words(fact.value)} stands.",
            kept=STAGED_NOT,
            todo="Give a value of the same kind.",
        )
    return value


def _reworded(fact: Fact, statement: str) -> NoteAxiom:
    return NoteAxiom(
        statement=statement,
        predicate=fact.predicate,
        scope=fact.scope,
        severity=fact.severity,
        involves=fact.involves,
        form=fact.form,
    )


def _says(change: AssertFact, fact: Fact) -> bool:
    told = (change.statement, change.involves, change.value, change.standing)
    when = (change.valid_from, change.valid_to)
    return (*told, *when) == (
        fact.statement,
        fact.involves,
        fact.value,
        fact.standing,
        fact.valid_from,
        fact.valid_to,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
