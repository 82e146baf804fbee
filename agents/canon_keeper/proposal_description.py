"""A proposal in words for the rows and diffs of the proposals panel and the gate. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from agents.canon_keeper.canon_policy import ProposalFindings
from agents.canon_keeper.commitments import (
    CLOSED_WORDS,
    closed_statement,
    commitment_kind,
    ended_statement,
)
from agents.canon_keeper.critical_proposals import is_critical
from agents.canon_keeper.fact_claims import state_move_of
from agents.canon_keeper.fact_readings import IS, IS_NOT
from agents.canon_keeper.predicates import Catalogue, value_in_words
from agents.canon_keeper.sheet_values import is_number
from agents.clock_faces import format_track
from agents.proposals.statements import STATED_PREDICATE
from agents.proposals.written_tables import is_table
from agents.typed_numbers import number_label
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    FactValue,
    Involvement,
    LoreKeys,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    Secrecy,
    Standing,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

ABSENT = "—"
"""How a diff shows that something was not there."""

KNOWN_TO = "known to"
"""What the line of a diff is called that says who may know a fact."""

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
    FactKind.LORE: "lore",
}

_FIELD_LABELS: Mapping[str, str] = {
    "name": "name",
    "aliases": "also called",
    "description": "description",
    "locked": "protected",
}

Diff = tuple[tuple[str, str, str], ...]
"""Lines of what changes, how it was, how it would be."""


@dataclass(frozen=True, slots=True)
class ProposalDescription:
    """`group` is the entity that the proposal is chiefly about."""

    label: str
    title: str
    group: str
    diff: Diff = ()
    critical: bool = False
    quote: str = ""
    is_quotation: bool = True


def describe_proposal(
    proposal: ProposedChange, findings: ProposalFindings, entities: Mapping[Id, Entity], catalogue: Catalogue
) -> ProposalDescription:
    """Put a proposal into words; `entities` are those it mentions, as canon has them or as proposed."""
    label, title, group, diff = _ProposalDescriber(findings, entities, catalogue).parts_of(proposal)
    is_important = is_critical(proposal, catalogue)
    quoted = next((e for e in proposal.evidence if e.quote), None)
    return ProposalDescription(
        label=label,
        title=title,
        group=group,
        diff=diff,
        critical=is_important,
        quote=quoted.quote if quoted else "",
        is_quotation=quoted.is_quotation if quoted else True,
    )


def stated_title(change: Payload) -> str:
    """Return the title of a change that states itself, whatever canon says; empty for the other kinds."""
    match change:
        case AssertFact() | NoteAxiom():
            return change.statement
        case CreateEntity():
            return change.name
        case (
            UpdateEntity()
            | MergeEntities()
            | EndFact()
            | RetconFact()
            | ChangeSecrecy()
            | StateChange()
            | AdvanceClock()
        ):
            return ""
        case _:
            assert_never(change)


def is_rumour(change: Payload) -> bool:
    """Say whether a change enters what nobody vouches for."""
    return isinstance(change, AssertFact) and change.standing is Standing.RUMOUR


def _kind_label(change: AssertFact) -> str:
    return (
        str(commitment_kind(change)) if change.fact_kind is FactKind.COMMITMENT else _LABELS[change.fact_kind]
    )


_DescriptionParts = tuple[str, str, str, Diff]
"""Label, title, group and diff."""


class _ProposalDescriber:
    def __init__(
        self, findings: ProposalFindings, entities: Mapping[Id, Entity], catalogue: Catalogue
    ) -> None:
        self._findings = findings
        self._entities = entities
        self._catalogue = catalogue

    def parts_of(self, proposal: ProposedChange) -> _DescriptionParts:
        change = proposal.change
        match change:
            case CreateEntity():
                return self._describe_creation(change)
            case UpdateEntity():
                return self._describe_update(change)
            case MergeEntities():
                kept_name, absorbed_name = (
                    self._entity_name(change.kept_id),
                    self._entity_name(change.absorbed_id),
                )
                return (
                    "merge",
                    f"{absorbed_name} is {kept_name}",
                    kept_name,
                    (("name", f"{absorbed_name}, {kept_name}", kept_name),),
                )
            case AssertFact():
                return self._describe_assertion(change)
            case EndFact():
                return self._describe_end(change)
            case RetconFact():
                return self._describe_retcon(change)
            case ChangeSecrecy():
                return self._describe_secrecy(change)
            case StateChange():
                return self._describe_state(change)
            case AdvanceClock():
                return self._describe_clock(change)
            case NoteAxiom():
                group = self._subject_name(change.involves) or "World"
                return "axiom", change.statement, group, ((change.severity, ABSENT, change.statement),)
            case _:
                assert_never(change)

    def _describe_creation(self, change: CreateEntity) -> _DescriptionParts:
        """Describe who or what is new, or whom canon holds it to be now, in canon's spelling."""
        title, group = change.name, change.name
        if (kept_entity := self._kept_entity(change.entity_id)) is not None:
            group = kept_entity.name
            is_same_name = kept_entity.name.casefold() == change.name.casefold()
            title = kept_entity.name if is_same_name else f"{change.name} is {kept_entity.name}"
        return change.entity_kind.value, title, group, tuple(_creation_lines(change))

    def _kept_entity(self, entity_id: Id) -> Entity | None:
        """Return whom or what an entity was merged into; None if it was not."""
        entity = self._entities.get(entity_id)
        kept_entity = None
        while entity is not None and entity.merged_into:
            kept_entity = entity = self._entities.get(entity.merged_into)
        return kept_entity

    def _describe_end(self, change: EndFact) -> _DescriptionParts:
        statement = self._concerned_statement()
        kind = commitment_kind(fact) if change.closed and (fact := self._ended_fact()) else None
        diff: Diff = (
            ((str(kind), "open", CLOSED_WORDS[kind].casefold()),) if kind else (("fact", statement, "ended"),)
        )
        if change.closed and self._findings.ended_facts:
            return "settled", closed_statement(self._findings.ended_facts[0]), self._group_name(), diff
        ended_fact = self._ended_fact()
        title = (
            ended_statement(ended_fact, change.unmet_ending) if ended_fact else f"No longer true: {statement}"
        )
        return "ended", title, self._group_name(), diff

    def _describe_update(self, change: UpdateEntity) -> _DescriptionParts:
        entity = self._entities.get(change.entity_id)
        name = self._entity_name(change.entity_id)
        label = "rename" if change.name else "edit"
        if self._findings.fact is not None:
            return label, _as_title(self._findings.fact.statement), name, ()
        diff: list[tuple[str, str, str]] = []
        for field in _FIELD_LABELS:
            after = getattr(change, field)
            before = getattr(entity, field) if entity else None
            if after is not None and after != before:
                show = _yes_or_no if field == "locked" else _show_value
                diff.append((_FIELD_LABELS[field], show(before), show(after)))
        if change.takes_back is not None:
            return label, f"Taken back: {_as_title(self._concerned_statement())}", name, tuple(diff)
        if change.name:
            return label, f"{name} → {change.name}", name, tuple(diff)
        if change.locked is not None and len(diff) == 1:
            verb = "Protect" if change.locked else "Unprotect"
            return "protection", f"{verb} {name} from changes", name, tuple(diff)
        if change.aliases is not None and len(diff) == 1:
            return (
                label,
                _aliases_title(name, entity.aliases if entity else (), change.aliases),
                name,
                tuple(diff),
            )
        return label, f"{name}: {', '.join(d[0] for d in diff)}", name, tuple(diff)

    def _describe_assertion(self, change: AssertFact) -> _DescriptionParts:
        ended_statements = " ".join(fact.statement for fact in self._findings.ended_facts) or ABSENT
        if change.lore is not None:
            return (
                "lore",
                change.lore.title or change.statement,
                "Lore",
                tuple(_lore_lines(change.lore, change)),
            )
        if is_table(change):
            heading = change.statement.partition("\n")[0]
            return "table", heading, "Tables", (("table", ABSENT, change.statement),)
        kind = _kind_label(change)
        diff: Diff = ((self._diff_label(change), ended_statements, change.statement),)
        if change.standing is not Standing.TRUE:
            diff = (*diff, ("said to be", ABSENT, change.standing.value))
            kind = change.standing.value
        if change.secrecy is not None and not change.secrecy.is_revealed:
            diff = (*diff, (KNOWN_TO, "all", self._knower_names(change.secrecy)))
            kind = "secret"
        return (
            kind,
            change.statement,
            self._subject_name(change.involves) or "World",
            diff,
        )

    def _diff_label(self, change: AssertFact) -> str:
        """Return what a new fact stands under: its relation in words, or the kind of fact."""
        is_free_sentence = (
            change.predicate == STATED_PREDICATE or change.predicate not in self._catalogue.names()
        )
        return _kind_label(change) if is_free_sentence else self._catalogue.label(change.predicate)

    def _ended_fact(self) -> Fact | None:
        return self._findings.ended_facts[0] if self._findings.ended_facts else None

    def _describe_retcon(self, change: RetconFact) -> _DescriptionParts:
        entity = self._entities.get(change.fact_id)
        subject_words = f"{entity.name} ({entity.kind})" if entity else self._concerned_statement()
        group = entity.name if entity else self._group_name()
        if change.restore:
            return "restore", f"True again: {subject_words}", group, ((subject_words, "never true", "canon"),)
        return "retcon", f"Never true: {subject_words}", group, ((subject_words, "canon", "never true"),)

    def _describe_secrecy(self, change: ChangeSecrecy) -> _DescriptionParts:
        """`Dob may know: Vess opened the gate`; the diff says who could know it and who can then."""
        before = self._findings.ended_facts[0].secrecy if self._findings.ended_facts else None
        after = change.after(before)
        statement = _as_title(self._concerned_statement())
        is_secret_before = before is not None and not before.is_revealed
        if change.is_secret is False:
            title = f"No longer a secret: {statement}"
        elif change.is_secret and not is_secret_before:
            title = f"A secret: {statement}"
        else:
            told, hidden = self._names(change.tell), self._names(change.hide_from)
            words = (f"{told} may know" if told else "", f"{hidden} may not know" if hidden else "")
            title = f"{', '.join(filter(None, words))}: {statement}"
        diff = ((KNOWN_TO, self._knower_names(before), self._knower_names(after)),)
        return "secret", title, self._group_name(), diff

    def _knower_names(self, secrecy: Secrecy | None) -> str:
        if secrecy is None or secrecy.is_revealed:
            return "all"
        return self._names(secrecy.known_to) or "the GM alone"

    def _names(self, entity_ids: Iterable[Id]) -> str:
        return ", ".join(map(self._entity_name, entity_ids))

    def _describe_state(self, change: StateChange) -> _DescriptionParts:
        """`Mara: HP 10 → 7` where the number before is known; `Mara: HP -3` of a change that is closed."""
        name, move = self._entity_name(change.entity_id), state_move_of(change, self._catalogue)
        fact, previous_value, key = (
            self._findings.fact,
            self._findings.previous_value,
            self._catalogue.label(move.predicate),
        )
        if move.predicate in (IS, IS_NOT):
            has_tag = move.predicate == IS
            sentence = self._catalogue.phrase(move.predicate, name, value=move.value)
            return (
                "state",
                _as_title(sentence),
                name,
                ((str(move.value), _yes_or_no(not has_tag), _yes_or_no(has_tag)),),
            )
        if move.op is StateOp.ADD and fact is None:
            sign = "" if str(move.value).startswith("-") else "+"
            title = f"{name}: {key} {sign}{value_in_words(move.value)}"
            return "state", title, name, ()
        value = fact.value if fact else move.value
        if fact is not None and value is None:
            return "state", _as_title(fact.statement), name, ((key, ABSENT, fact.statement),)
        diff: Diff = ((key, _show_value(previous_value), _show_value(value)),)
        if not is_number(value):
            sentence = self._catalogue.phrase(move.predicate, name, value=value)
            if isinstance(value, bool):
                diff = ((name, ABSENT, _as_title(sentence)),)
            return "state", _as_title(sentence), name, diff
        before = f"{value_in_words(previous_value)} → " if is_number(previous_value) else ""
        if previous_value == value:
            before = "stays "
        return "state", f"{name}: {key} {before}{value_in_words(value)}", name, diff

    def _describe_clock(self, change: AdvanceClock) -> _DescriptionParts:
        """`Tide 2 → 3 of 6`; of one that is started, stopped or goes otherwise, that."""
        label = "track" if change.pace else "clock"
        after = self._findings.fact.clock if self._findings.fact else None
        if after is None:
            return label, f"{change.clock} {change.by:+d}" if change.by else change.clock, change.clock, ()
        before = next((fact.clock for fact in self._findings.ended_facts if fact.clock), None)
        if after.is_track:
            previous_track = format_track(before) if before else ABSENT
            ending_words = ", ends" if after.closed else ""
            title = f"{after.name} {format_track(after)}{ending_words}"
            return label, title, change.clock, ((change.clock, previous_track, format_track(after)),)
        diff = (
            (
                change.clock,
                value_in_words(self._findings.previous_value) or "0",
                value_in_words(after.filled),
            ),
        )
        return label, _clock_title(before, after, self._findings.previous_value), change.clock, diff

    def _concerned_statement(self) -> str:
        return (
            self._findings.ended_facts[0].statement
            if self._findings.ended_facts
            else "a fact that is not in canon"
        )

    def _group_name(self) -> str:
        return (
            self._subject_name(self._findings.ended_facts[0].involves) if self._findings.ended_facts else ""
        ) or "World"

    def _subject_name(self, involves: tuple[Involvement, ...]) -> str:
        subjects = sorted(involves, key=lambda i: i.role != "subject")
        return self._entity_name(subjects[0].entity_id) if subjects else ""

    def _entity_name(self, entity_id: Id) -> str:
        entity = self._entities.get(entity_id)
        return entity.name if entity else "somebody unknown"


def _clock_title(before: ProgressClock | None, after: ProgressClock, previous_value: FactValue | None) -> str:
    """Return what becomes of a clock in a few words."""
    start = before.filled if before else int(previous_value) if is_number(previous_value) else 0
    movement_words = f"{start} → {after.filled}" if start != after.filled else f"{after.filled}"
    title = f"{after.name} {movement_words} of {after.size}"
    if after.closed:
        return f"{title}, {'strikes' if after.is_full else 'ends'}"
    if after.per_scene != (before.per_scene if before else 0):
        return f"{title}, {after.per_scene:+d} each scene"
    return f"{title}, begins" if before is None and start == after.filled else title


def _lore_lines(lore: LoreKeys, change: AssertFact) -> Iterator[tuple[str, str, str]]:
    yield "lore", ABSENT, change.statement
    if lore.always:
        yield "shown", ABSENT, "always"
    elif lore.keys:
        second = f"; and one of {', '.join(lore.secondary_keys)}" if lore.secondary_keys else ""
        yield "shown for", ABSENT, f"{', '.join(lore.keys)}{second}"


def _creation_lines(change: CreateEntity) -> Iterator[tuple[str, str, str]]:
    yield change.entity_kind.value, ABSENT, change.name
    if change.aliases:
        yield "also called", ABSENT, ", ".join(change.aliases)
    if change.description:
        yield "description", ABSENT, change.description
    yield from ((number_label(key), ABSENT, value_in_words(number)) for key, number in change.numbers.items())
    if change.tags:
        yield "tags", ABSENT, ", ".join(change.tags)


def _aliases_title(name: str, before: Sequence[str], after: Sequence[str]) -> str:
    added = [alias for alias in after if alias not in before]
    removed = [alias for alias in before if alias not in after]
    parts = [f"also called {', '.join(added)}"] if added else []
    parts += [f"no longer called {', '.join(removed)}"] if removed else []
    return f"{name}: {', '.join(parts) or 'other names in another order'}"


def _as_title(sentence: str) -> str:
    return sentence.removesuffix(".")


def _show_value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or ABSENT
    if value is None or isinstance(value, bool | int | float | str):
        return value_in_words(value) or ABSENT
    return str(value)


def _yes_or_no(value: object) -> str:
    return "yes" if value else "no"
