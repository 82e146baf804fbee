"""A proposal in words for the rows and diffs of the proposals panel and the gate. Pure.

Source: design/interface.md, "Scene screen" and "Canon gate": "the change as a diff against canon".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from agents.canon_keeper.bearing import is_number
from agents.canon_keeper.claims import move_of
from agents.canon_keeper.commitments import told_closed
from agents.canon_keeper.policy import Findings
from agents.canon_keeper.predicates import Catalogue, words_of
from agents.canon_keeper.readings import IS, IS_NOT
from agents.canon_keeper.triggers import is_critical
from agents.clock_faces import show_track
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    CreateEntity,
    EndFact,
    FactKind,
    Involvement,
    Literalish,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    Standing,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.world import Entity

ABSENT = "—"
"""How a diff shows that something was not there."""

_LABELS: Mapping[FactKind, str] = {
    FactKind.ATTRIBUTE: "fact",
    FactKind.STATE: "state",
    FactKind.RELATION: "relation",
    FactKind.AXIOM: "axiom",
    FactKind.ASSERTION: "fact",
    FactKind.COMMITMENT: "promise",
    FactKind.EVENT: "event",
    FactKind.CHANGE: "event",
    FactKind.ENCOUNTER: "event",
}

Diff = tuple[tuple[str, str, str], ...]
"""Lines of what changes, how it was, how it would be."""


@dataclass(frozen=True, slots=True)
class Description:
    """`group` is the entity that the proposal is chiefly about."""

    label: str
    title: str
    group: str
    diff: Diff = ()
    critical: bool = False
    quote: str = ""


def describe(
    proposal: ProposedChange, findings: Findings, entities: Mapping[Id, Entity], catalogue: Catalogue
) -> Description:
    """Put a proposal into words; `entities` are those it mentions, as canon has them or as proposed."""
    label, title, group, diff = _Words(findings, entities, catalogue).of(proposal)
    important = is_critical(proposal, catalogue)
    return Description(
        label=label,
        title=title,
        group=group,
        diff=diff,
        critical=important,
        quote=next((e.quote for e in proposal.evidence if e.quote), ""),
    )


_Parts = tuple[str, str, str, Diff]
"""Label, title, group and diff."""


class _Words:
    def __init__(self, findings: Findings, entities: Mapping[Id, Entity], catalogue: Catalogue) -> None:
        self._findings = findings
        self._entities = entities
        self._catalogue = catalogue

    def of(self, proposal: ProposedChange) -> _Parts:
        change = proposal.change
        match change:
            case CreateEntity():
                return change.entity_kind.value, change.name, change.name, tuple(_new_lines(change))
            case UpdateEntity():
                return self._update(change)
            case MergeEntities():
                kept, absorbed = self._name(change.kept_id), self._name(change.absorbed_id)
                return "merge", f"{absorbed} is {kept}", kept, (("name", f"{absorbed}, {kept}", kept),)
            case AssertFact():
                return self._assertion(change)
            case EndFact():
                return self._end(change)
            case RetconFact():
                return self._retcon(change)
            case StateChange():
                return self._state(change)
            case AdvanceClock():
                return self._clock(change)
            case NoteAxiom():
                group = self._about(change.involves) or "World"
                return "axiom", change.statement, group, ((change.severity, ABSENT, change.statement),)
            case _:
                assert_never(change)

    def _end(self, change: EndFact) -> _Parts:
        statement = self._concerned()
        diff = (("still", statement, "paid off" if change.closed else "ended"),)
        if change.closed and self._findings.ends:
            return "end", told_closed(self._findings.ends[0]), self._group(), diff
        return "end", f"No longer so: {statement}", self._group(), diff

    def _update(self, change: UpdateEntity) -> _Parts:
        entity = self._entities.get(change.entity_id)
        name = self._name(change.entity_id)
        diff: list[tuple[str, str, str]] = []
        for field in ("name", "aliases", "description", "locked"):
            after = getattr(change, field)
            before = getattr(entity, field) if entity else None
            if after is not None and after != before:
                diff.append((field, _shown(before), _shown(after)))
        title = f"{name} -> {change.name}" if change.name else f"{name}: {', '.join(d[0] for d in diff)}"
        return "entity", title, name, tuple(diff)

    def _assertion(self, change: AssertFact) -> _Parts:
        ended = " ".join(fact.statement for fact in self._findings.ends) or ABSENT
        diff: Diff = ((change.predicate.replace("_", " "), ended, change.statement),)
        if change.standing is not Standing.TRUE:
            diff = (*diff, ("standing", ABSENT, change.standing.value))
        return _LABELS[change.fact_kind], change.statement, self._about(change.involves) or "World", diff

    def _retcon(self, change: RetconFact) -> _Parts:
        entity = self._entities.get(change.fact_id)
        what = f"{entity.kind} {entity.name}" if entity else self._concerned()
        group = entity.name if entity else self._group()
        if change.restore:
            return "restore", f"So again: {what}", group, ((what, "retconned", "canon"),)
        return "retcon", f"Never so: {what}", group, ((what, "canon", "retconned"),)

    def _state(self, change: StateChange) -> _Parts:
        """`Mara.hp 10 -> 7` where the number before is known; `Mara.hp -3` of a change that is closed."""
        name, move = self._name(change.entity_id), move_of(change, self._catalogue)
        fact, was, key = self._findings.fact, self._findings.was, move.predicate.replace("_", " ")
        if move.predicate in (IS, IS_NOT):
            tagged = move.predicate == IS
            sentence = self._catalogue.phrase(move.predicate, name, value=move.value)
            return "state", _title(sentence), name, ((str(move.value), _yes(not tagged), _yes(tagged)),)
        if move.op is StateOp.ADD and fact is None:
            sign = "" if str(move.value).startswith("-") else "+"
            title = f"{name}.{move.predicate} {sign}{words_of(move.value)}"
            return "state", title, name, ()
        value = fact.value if fact else move.value
        if fact is not None and value is None:
            return "state", _title(fact.statement), name, ((key, ABSENT, fact.statement),)
        diff: Diff = ((key, _shown(was), _shown(value)),)
        if not is_number(value):
            sentence = self._catalogue.phrase(move.predicate, name, value=value)
            return "state", _title(sentence), name, diff
        before = f"{words_of(was)} -> " if is_number(was) else ""
        return "state", f"{name}.{move.predicate} {before}{words_of(value)}", name, diff

    def _clock(self, change: AdvanceClock) -> _Parts:
        """`Tide 2 -> 3 of 6`; of one that is started, stopped or goes otherwise, that."""
        label = "track" if change.pace else "clock"
        after = self._findings.fact.clock if self._findings.fact else None
        if after is None:
            return label, f"{change.clock} {change.by:+d}", change.clock, ()
        before = next((fact.clock for fact in self._findings.ends if fact.clock), None)
        if after.is_track:
            stood = show_track(before) if before else ABSENT
            ends = ", ends" if after.closed else ""
            title = f"{after.name} {show_track(after)}{ends}"
            return label, title, change.clock, ((change.clock, stood, show_track(after)),)
        diff = ((change.clock, words_of(self._findings.was) or "0", words_of(after.filled)),)
        return label, _clock_title(before, after, self._findings.was), change.clock, diff

    def _concerned(self) -> str:
        return self._findings.ends[0].statement if self._findings.ends else "a fact that is not in canon"

    def _group(self) -> str:
        return (self._about(self._findings.ends[0].involves) if self._findings.ends else "") or "World"

    def _about(self, involves: tuple[Involvement, ...]) -> str:
        subjects = sorted(involves, key=lambda i: i.role != "subject")
        return self._name(subjects[0].entity_id) if subjects else ""

    def _name(self, entity_id: Id) -> str:
        entity = self._entities.get(entity_id)
        return entity.name if entity else "somebody unknown"


def _clock_title(before: ProgressClock | None, after: ProgressClock, was: Literalish | None) -> str:
    """Return what becomes of a clock in a few words."""
    start = before.filled if before else int(was) if is_number(was) else 0
    moved = f"{start} -> {after.filled}" if start != after.filled else f"{after.filled}"
    title = f"{after.name} {moved} of {after.size}"
    if after.closed:
        return f"{title}, {'strikes' if after.is_full else 'ends'}"
    if after.per_scene != (before.per_scene if before else 0):
        return f"{title}, {after.per_scene:+d} each scene"
    return f"{title}, begins" if before is None and start == after.filled else title


def _new_lines(change: CreateEntity) -> Iterator[tuple[str, str, str]]:
    yield change.entity_kind.value, ABSENT, change.name
    if change.aliases:
        yield "aliases", ABSENT, ", ".join(change.aliases)
    if change.description:
        yield "description", ABSENT, change.description
    yield from ((key, ABSENT, words_of(number)) for key, number in change.numbers.items())
    if change.tags:
        yield "tags", ABSENT, ", ".join(change.tags)


def _title(sentence: str) -> str:
    return sentence.removesuffix(".")


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or ABSENT
    if value is None or isinstance(value, bool | int | float | str):
        return words_of(value) or ABSENT
    return str(value)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
