"""Reads the correction of a fact by hand, on the evidence that the fact rests on.

A fact of canon is never rewritten: the correction replaces it.
"""

from __future__ import annotations

from agents.canon_keeper.fact_readings import OBJECT, SUBJECT, is_open
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import value_in_words
from agents.declarations import reader as declare
from agents.proposals.lore_entries import read_lore_keys
from agents.proposals.statements import (
    MAX_LORE_LENGTH,
    MAX_STATEMENT_LENGTH,
    as_sentence,
    require_statement_length,
)
from agents.proposals.written_tables import is_table, normalize_table_text
from agents.sanitize import clean
from agents.services.manual_edits import NOTHING_STAGED, Edit, read_present_tick
from agents.views.world_views import FactEdit
from agents.world_time.moments import read_moment
from stores.errors import InputError, parse_field
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    AssertFact,
    Fact,
    FactKind,
    FactStatus,
    FactValue,
    Involvement,
    LoreKeys,
    NoteAxiom,
    RetconFact,
)


class FactCorrections:
    """Reads typed corrections of facts. Read-only."""

    def __init__(self, canon: CanonReader, log: LogReader, keeper: CanonKeeper) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper

    async def plan_correction(self, fact: Fact, edit: FactEdit) -> tuple[list[Edit], int | None]:
        """Return the edits that correct the fact (none if nothing differs), and their tick.

        Raises InputError for a fact that no longer holds, an empty statement, or an impossible time or value.
        """
        if fact.status is not FactStatus.CANONICAL:
            raise InputError(
                "That is history already.", kept=NOTHING_STAGED, todo="Correct what is so now, or retcon it."
            )
        if not clean(edit.statement):
            raise InputError(
                "A fact needs a sentence.",
                kept=NOTHING_STAGED,
                todo="R retcons what was never true.",
                field="statement",
            )
        if is_table(fact):
            statement = parse_field("statement", normalize_table_text, edit.statement)
        else:
            limit = MAX_STATEMENT_LENGTH if fact.lore is None else MAX_LORE_LENGTH
            statement = as_sentence(
                parse_field("statement", require_statement_length, clean(edit.statement), limit)
            )
        current_tick = await read_present_tick(self._log, fact.universe_id)
        evidence = tuple(await self._canon.evidence_of(fact.id))
        retcon_edit = Edit(RetconFact(fact_id=fact.id), f"Never true: {fact.statement}")
        if fact.kind is FactKind.AXIOM:
            # A rule has no end of its own: the old words go, the new ones come.
            axiom_edit = Edit(_build_reworded_axiom(fact, statement), f"Corrected: {statement}", evidence)
            return ([retcon_edit, axiom_edit] if statement != fact.statement else []), current_tick
        change = await self._build_corrected_fact(fact, edit, statement, current_tick)
        tick = None if change.valid_from is None else current_tick
        if _is_unchanged(change, fact):
            return [], tick
        fact_edit = Edit(change, f"Corrected: {change.statement}", evidence)
        return ([fact_edit] if change.ends else [retcon_edit, fact_edit]), tick

    async def _build_corrected_fact(
        self, fact: Fact, edit: FactEdit, statement: str, current_tick: int | None
    ) -> AssertFact:
        calendar = (await self._canon.universe(fact.universe_id)).calendar
        valid_from = (
            parse_field("since", read_moment, edit.since, calendar, current_tick)
            if edit.since.strip()
            else fact.valid_from
        )
        valid_to = (
            parse_field("until", read_moment, edit.until, calendar, current_tick)
            if edit.until.strip()
            else fact.valid_to
        )
        if valid_from is not None and valid_to is not None and valid_to <= valid_from:
            raise InputError(
                "It would end before it began.",
                kept=NOTHING_STAGED,
                todo="Change since or until.",
                field="until" if edit.until.strip() else "since",
            )
        value = parse_field("value", _parse_value, fact, edit.value.strip())
        involves = await self._find_involved(fact, clean(edit.object_name))
        if (value != fact.value or involves != fact.involves) and statement == fact.statement:
            statement = await self._phrase_statement(fact, value, involves)
        return AssertFact(
            fact_kind=fact.kind,
            predicate=fact.predicate,
            statement=statement,
            involves=involves,
            value=value,
            standing=edit.standing,
            valid_from=valid_from,
            valid_to=valid_to,
            ends=(fact.id,) if is_open(fact) else (),
            because=fact.because,
            lore=_read_keys(fact, edit.lore_keys, statement),
            secrecy=fact.secrecy,
        )

    async def _find_involved(self, fact: Fact, name: str) -> tuple[Involvement, ...]:
        """Return the entities that the fact involves, with another object if one is named. Raises InputError."""
        if not name or fact.entity(OBJECT) is None:
            return fact.involves
        matching_entities = await self._canon.find_entity(fact.universe_id, name)
        if fact.entity(OBJECT) in {e.id for e in matching_entities}:
            return fact.involves
        if len(matching_entities) != 1:
            raise InputError(
                f"{len(matching_entities)} in canon are called {name[:60]!r}."
                if matching_entities
                else f"There is no {name[:60]!r}.",
                kept=NOTHING_STAGED,
                todo="Name one that canon has.",
                field="object_name",
            )
        return tuple(
            i.model_copy(update={"entity_id": matching_entities[0].id}) if i.role == OBJECT else i
            for i in fact.involves
        )

    async def _phrase_statement(
        self, fact: Fact, value: FactValue | None, involves: tuple[Involvement, ...]
    ) -> str:
        entities_by_id = await self._canon.entities_by_id([i.entity_id for i in involves])
        names_by_role = {
            i.role: entities_by_id[i.entity_id].name for i in involves if i.entity_id in entities_by_id
        }
        catalogue = (await self._keeper.policies.read_policy(fact.universe_id)).catalogue
        return catalogue.phrase(
            fact.predicate, names_by_role.get(SUBJECT, "It"), names_by_role.get(OBJECT, ""), value
        )


def _parse_value(fact: Fact, typed_value: str) -> FactValue | None:
    """Return the typed value if the fact has one; nothing typed leaves it as it is."""
    if fact.value is None or not typed_value or typed_value == value_in_words(fact.value):
        return fact.value
    value = declare.read_value(clean(typed_value))
    if type(value) is not type(fact.value) and not (_is_number(value) and _is_number(fact.value)):
        raise InputError(
            f"{typed_value[:40]!r} does not fit where {value_in_words(fact.value)} stands.",
            kept=NOTHING_STAGED,
            todo="Give a value of the same kind.",
        )
    return value


def _build_reworded_axiom(fact: Fact, statement: str) -> NoteAxiom:
    return NoteAxiom(
        statement=statement,
        predicate=fact.predicate,
        scope=fact.scope,
        severity=fact.severity,
        involves=fact.involves,
        form=fact.form,
    )


def _is_unchanged(change: AssertFact, fact: Fact) -> bool:
    change_content = (change.statement, change.involves, change.value, change.standing, change.lore)
    change_span = (change.valid_from, change.valid_to)
    return (*change_content, *change_span) == (
        fact.statement,
        fact.involves,
        fact.value,
        fact.standing,
        fact.lore,
        fact.valid_from,
        fact.valid_to,
    )


def _read_keys(fact: Fact, keys_text: str, statement: str) -> LoreKeys | None:
    """Return the keys of a lore entry; nothing typed leaves them as they are. Raises InputError."""
    if fact.lore is None or not keys_text.strip():
        return fact.lore
    before = AssertFact(
        fact_kind=fact.kind, predicate=fact.predicate, statement=fact.statement, lore=fact.lore
    )
    return parse_field("lore_keys", read_lore_keys, keys_text, statement, before)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
