"""Finds contradictions of proposals with canon and with each other. Pure and deterministic.

Each proposal is checked as though those before it that are not turned down had been written; a clash between
two of them is shown on both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.canon_policy import ProposalFindings
from agents.canon_keeper.canon_snapshot import CanonSnapshot
from agents.canon_keeper.change_application import apply_change, in_writing_order
from agents.canon_keeper.checks import axiom_check as axioms
from agents.canon_keeper.checks import causality_check as causality
from agents.canon_keeper.checks import lifetime_check as lifetimes
from agents.canon_keeper.checks import premise_check as premises
from agents.canon_keeper.checks import presence_check as presence
from agents.canon_keeper.checks.check_input import CheckInput, ContradictionCheck
from agents.canon_keeper.checks.duplicate_check import NameIndex, find_duplicate
from agents.canon_keeper.checks.exclusion_check import find_exclusions
from agents.canon_keeper.checks.lock_check import find_locked_names
from agents.canon_keeper.checks.sentence_check import SENTENCE_RULE, find_sentence_contradictions
from agents.canon_keeper.conflicts.precedents import Precedents, describe_precedent, is_upheld
from agents.canon_keeper.dry_run import DryRun, DryRunStep
from agents.canon_keeper.fact_claims import (
    FactClaim,
    MissingError,
    UnwritableError,
    build_claim,
    facts_ended_by,
)
from agents.canon_keeper.fact_readings import fact_key_of, is_open, read_fact
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import named_entities, named_facts
from agents.canon_keeper.proposed_records import build_entity
from agents.canon_keeper.sheet_values import sheet_value_of
from agents.proposals.decisions import gm_decision, is_rejected
from agents.views.proposal_views import ConflictView
from stores.records.canon import (
    AssertFact,
    Authority,
    ChangeSecrecy,
    CreateEntity,
    Fact,
    FactStatus,
    RetconFact,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import ProposedChange, Verdict
from stores.records.world import Entity

NO_PRECEDENTS = Precedents()

CONTRADICTION_CHECKS: tuple[ContradictionCheck, ...] = (
    lifetimes.find_acts_of_dead,
    lifetimes.find_acts_of_unborn,
    find_exclusions,
    presence.find_absent_actors,
    presence.find_double_presence,
    causality.find_causality_conflicts,
    axioms.find_broken_axioms,
    premises.find_unrecorded_premises,
    find_sentence_contradictions,
)
"""Every check of a claim, in the order in which their conflicts are shown."""


@dataclass(frozen=True, slots=True)
class ContradictionReport:
    """What the checks found of each proposal, and the entities that the findings mention.

    `source_proposals` tells which proposal would bring a fact or an entity; `dry_run` is the result of all
    of them, if nothing stands against any. `replaced_ids` are the proposals whose facts another one's would replace.
    """

    findings: Mapping[Id, ProposalFindings]
    entities: Mapping[Id, Entity]
    source_proposals: Mapping[Id, ProposedChange] = field(default_factory=dict)
    dry_run: DryRun | None = None
    replaced_ids: Mapping[Id, tuple[Id, ...]] = field(default_factory=dict)


def check_proposals(
    proposals: Sequence[ProposedChange],
    canon: CanonSnapshot,
    catalogue: Catalogue,
    precedents: Precedents = NO_PRECEDENTS,
) -> ContradictionReport:
    """Return the conflicts of each proposal, and what canon already has of it.

    A pair that a ruling has decided is no conflict any more: one side is accepted, the other ruled out.
    """
    check_run = CheckRun(canon, catalogue, precedents)
    for proposal in in_writing_order(proposals):
        check_run.check_proposal(proposal)
    return check_run.report()


class CheckRun:
    """Checks proposals in order, each against the draft that those before it leave."""

    def __init__(self, canon: CanonSnapshot, catalogue: Catalogue, precedents: Precedents) -> None:
        self._draft = CanonDraft(canon, catalogue)
        self._precedents = precedents
        self._upheld_notes: defaultdict[Id, list[str]] = defaultdict(list)
        self._overruled_notes: dict[Id, str] = {}
        self._names = NameIndex(canon.everyone)
        self._findings: dict[Id, ProposalFindings] = {}
        self._reported_findings: dict[Id, ProposalFindings] = {}
        self._conflicts_by_proposal: defaultdict[Id, list[ConflictView]] = defaultdict(list)
        self._source_proposals: dict[Id, ProposedChange] = {}
        self._duplicate_ids: dict[Id, Id] = {}
        self._steps: list[DryRunStep] = []
        self._is_conflict_free = True

    def report(self) -> ContradictionReport:
        findings = {i: self._complete_findings(i, f) for i, f in self._findings.items()}
        is_conflict_free = self._is_conflict_free and not self._overruled_notes
        dry_run = DryRun(self._draft, tuple(self._steps)) if is_conflict_free else None
        entities = {**self._draft.entities, **self._draft.canon.entities}
        return ContradictionReport(
            findings, entities, self._source_proposals, dry_run, self._list_replaced_ids()
        )

    def _list_replaced_ids(self) -> dict[Id, tuple[Id, ...]]:
        """Return by proposal those whose facts its own replaces."""
        sources = self._source_proposals
        replaced_ids: dict[Id, tuple[Id, ...]] = {}
        for edge in self._draft.supersessions:
            newer, older = sources.get(edge.newer_id), sources.get(edge.older_id)
            if newer is not None and older is not None and newer.id != older.id:
                replaced_ids[newer.id] = (*replaced_ids.get(newer.id, ()), older.id)
        return replaced_ids

    def _complete_findings(self, proposal_id: Id, findings: ProposalFindings) -> ProposalFindings:
        """Return the findings with what proposals after it found: the object of the last report if nothing changed."""
        conflicts = (
            *self._conflicts_by_proposal.get(proposal_id, ()),
            *self._conflicts_of_repeated(proposal_id),
        )
        ruled_out = self._overruled_notes.get(proposal_id, "")
        notes = (*dict.fromkeys(self._upheld_notes.get(proposal_id, ())), *findings.notes)
        last_findings = self._reported_findings.get(proposal_id)
        if last_findings is None or (conflicts, ruled_out, notes) != (
            last_findings.conflicts,
            last_findings.ruled_out,
            last_findings.notes,
        ):
            last_findings = replace(findings, conflicts=conflicts, ruled_out=ruled_out, notes=notes)
            self._reported_findings[proposal_id] = last_findings
        return last_findings

    def _conflicts_of_repeated(self, proposal_id: Id) -> Sequence[ConflictView]:
        """Return the conflicts of the open proposal that another repeats: saying a thing twice settles nothing."""
        repeated = self._source_proposals.get(self._duplicate_ids.get(proposal_id, ""))
        decision = gm_decision(repeated) if repeated is not None else None
        if repeated is None or (decision is not None and decision.verdict is Verdict.ACCEPT):
            return ()
        return self._conflicts_by_proposal.get(repeated.id, ())

    def add_canon(self, canon: CanonSnapshot, added: CanonSnapshot) -> None:
        """Take in what was read for the proposals that come next; `canon` has all that was read."""
        self._draft.add_canon(canon, added)
        self._names.add_new(added.everyone)

    def check_proposal(self, proposal: ProposedChange) -> None:
        """Check the next proposal in the order of writing."""
        try:
            claim = self._build_claim(proposal)
            findings = self._find_findings(proposal, claim)
            duplicate_id, is_out = self._duplicate_ids.get(proposal.id), self._is_ruled_out(proposal)
            new_facts = self._apply_to_draft(proposal, claim) if duplicate_id is None and not is_out else []
            self._steps.append(DryRunStep(proposal, duplicate_id, tuple(new_facts)))
            self._is_conflict_free = (
                self._is_conflict_free and not is_out and not self._conflicts_by_proposal[proposal.id]
            )
        except UnwritableError as error:
            findings = ProposalFindings(locked_names=find_locked_names(proposal, self._draft))
            self._conflicts_by_proposal[proposal.id] = [
                ConflictView("unwritable", f"It cannot be written: {error}.")
            ]
            self._is_conflict_free = False
        self._findings[proposal.id] = findings

    def _is_ruled_out(self, proposal: ProposedChange) -> bool:
        """Say whether the proposal is rejected: by the GM, or by an old ruling that nobody overrode."""
        return is_rejected(proposal) or (
            proposal.id in self._overruled_notes and gm_decision(proposal) is None
        )

    def _build_claim(self, proposal: ProposedChange) -> FactClaim | None:
        for entity_id in sorted(named_entities(proposal.change)):
            if self._draft.entity(entity_id) is None:
                raise MissingError(entity_id)
        return build_claim(proposal, self._draft)

    def _find_findings(self, proposal: ProposedChange, claim: FactClaim | None) -> ProposalFindings:
        draft = self._draft
        duplicate_id = find_duplicate(proposal, claim, draft)
        if duplicate_id is not None:
            self._duplicate_ids[proposal.id] = duplicate_id
        is_repeated = duplicate_id is not None and duplicate_id in self._source_proposals
        if duplicate_id is None:
            self._conflicts_by_proposal[proposal.id].extend(self._find_conflicts(proposal, claim))
        return ProposalFindings(
            locked_names=find_locked_names(proposal, self._draft),
            duplicate_of=None if is_repeated else duplicate_id,
            is_repeated=is_repeated,
            fact=claim.fact if claim else None,
            previous_value=_previous_value(claim, draft),
            ended_facts=_ended_facts(proposal, claim, draft) if duplicate_id is None else (),
            reading=_read_words(proposal, claim, draft),
            similar_names=(similar_names := tuple(self._similar_name_conflicts(proposal))),
            notes=(*(a.text for a in similar_names), *self._claim_notes(proposal, claim)),
        )

    def _apply_to_draft(self, proposal: ProposedChange, claim: FactClaim | None) -> list[Fact]:
        """Let the proposals that follow meet this one; what it clashes with stands beside it meanwhile."""
        new_facts = apply_change(
            proposal, self._draft, claim=claim, ends_others=not self._conflicts_by_proposal[proposal.id]
        )
        if isinstance(proposal.change, CreateEntity):
            self._names.add(self._draft.entities[proposal.change.entity_id])
            self._source_proposals[proposal.change.entity_id] = proposal
        if claim is not None:
            self._source_proposals[claim.fact.id] = proposal
        return new_facts

    # --- conflicts ----------------------------------------------------------------------------------

    def _find_conflicts(self, proposal: ProposedChange, claim: FactClaim | None) -> Iterator[ConflictView]:
        change = proposal.change
        if isinstance(change, CreateEntity):
            yield from self._same_name_conflicts(proposal, change)
            axiom_conflicts = axioms.find_axioms_broken_at_creation(
                change, build_entity(proposal, change), self._draft
            )
            yield from (ConflictView(f.rule, f.text, f.other, f.is_certain) for f in axiom_conflicts)
        restored_claim = _restored_claim(proposal, self._draft)
        if claim is not None:
            yield from self._run_checks(CONTRADICTION_CHECKS, self._check_input(proposal, claim))
        elif restored_claim is not None:
            yield from self._run_checks((find_exclusions,), self._check_input(proposal, restored_claim))

    def _run_checks(
        self, checks: Iterable[ContradictionCheck], check_input: CheckInput
    ) -> Iterator[ConflictView]:
        shown_ids: set[Id] = set()
        for conflict in (found for check in checks for found in check(check_input)):
            if conflict.rule == SENTENCE_RULE and conflict.other and conflict.other.id in shown_ids:
                continue  # another check says so in its own words
            shown_ids |= {conflict.other.id} if conflict.other else set()
            if conflict.other is not None and self._apply_precedent(check_input, conflict.other):
                continue
            is_with_proposal = conflict.other is not None and conflict.other.id in self._source_proposals
            yield ConflictView(
                conflict.rule,
                conflict.text,
                conflict.other,
                conflict.is_certain,
                is_with_proposal=is_with_proposal,
            )
            earlier_proposal = (
                self._source_proposals.get(conflict.other.id)
                if conflict.other and conflict.counter_text
                else None
            )
            if earlier_proposal is not None and not is_rejected(check_input.proposal):
                counter_conflict = ConflictView(
                    conflict.rule,
                    conflict.counter_text,
                    check_input.fact,
                    conflict.is_certain,
                    is_with_proposal=True,
                )
                self._conflicts_by_proposal[earlier_proposal.id].append(counter_conflict)

    def _apply_precedent(self, check_input: CheckInput, other: Fact) -> bool:
        catalogue = self._draft.catalogue
        ruling = self._precedents.find_ruling(check_input.fact, other, catalogue)
        if ruling is None:
            return False
        statements = ((check_input.fact, check_input.proposal), (other, self._source_proposals.get(other.id)))
        for fact, proposal in statements:
            if proposal is not None and is_upheld(ruling, fact, catalogue):
                self._upheld_notes[proposal.id].append(describe_precedent(ruling))
            elif proposal is not None:
                self._overruled_notes[proposal.id] = describe_precedent(ruling)
        return True

    def _check_input(self, proposal: ProposedChange, claim: FactClaim) -> CheckInput:
        return CheckInput(proposal, claim, self._draft, self._source_proposals)

    def _same_name_conflicts(self, proposal: ProposedChange, change: CreateEntity) -> Iterator[ConflictView]:
        entity = build_entity(proposal, change)
        for namesake in self._not_ruled_different(entity, self._names.same_named(entity)):
            is_proposed = namesake.id in self._source_proposals
            where = "Another proposal has" if is_proposed else "There is"
            text = (
                f"{where} a {namesake.kind} called {namesake.name} already. "
                "The same one, or another with that name?"
            )
            same_kind = namesake.kind is entity.kind
            yield ConflictView(
                "same_name",
                text,
                is_certain=same_kind,
                entity_id=namesake.id,
                is_with_proposal=is_proposed,
            )
        if proposal.authority is Authority.GM and not self._names.same_named(entity):
            for fuller_named in self._not_ruled_different(entity, self._names.called_so_for_short(entity)):
                text = f"There is {fuller_named.name} already. The same one, or another with a name like it?"
                yield ConflictView("alike", text, is_certain=False, entity_id=fuller_named.id)

    def _similar_name_conflicts(self, proposal: ProposedChange) -> Iterator[ConflictView]:
        """Yield what may be the same by another spelling: no conflict, but worth a look."""
        if isinstance(proposal.change, CreateEntity):
            entity = build_entity(proposal, proposal.change)
            looking_alike = self._names.looking_alike(entity)
            for lookalike in self._not_ruled_different(entity, looking_alike):
                text = f"The name looks like {lookalike.name}, written with other letters."
                yield ConflictView("alike", text, is_certain=False, entity_id=lookalike.id)
            lookalike_ids = {lookalike.id for lookalike in looking_alike}
            similarly_named = [e for e in self._names.similarly_named(entity) if e.id not in lookalike_ids]
            for lookalike in self._not_ruled_different(entity, similarly_named):
                text = f"The name is like {lookalike.name}."
                yield ConflictView("alike", text, is_certain=False, entity_id=lookalike.id)

    def _not_ruled_different(self, entity: Entity, others: Iterable[Entity]) -> Iterator[Entity]:
        """Yield those of whom no ruling says that they are somebody else."""
        return (e for e in others if not self._precedents.are_different(entity.id, e.id))

    # --- the rest -----------------------------------------------------------------------------------

    def _claim_notes(self, proposal: ProposedChange, claim: FactClaim | None) -> Iterator[str]:
        if claim is None:
            return
        yield from axioms.axiom_notes(self._check_input(proposal, claim))
        reading = read_fact(claim.fact, self._draft.catalogue)
        predicate = self._draft.catalogue[reading.predicate]
        for who, kinds in ((reading.subject, predicate.subjects), (reading.object, predicate.objects)):
            entity = self._draft.entity(who) if who else None
            if entity is not None and kinds and entity.kind not in kinds:
                label = self._draft.catalogue.label(reading.predicate)
                yield f"{entity.name} is a {entity.kind}, unusual for “{label}”."


def _ended_facts(proposal: ProposedChange, claim: FactClaim | None, draft: CanonDraft) -> tuple[Fact, ...]:
    if isinstance(proposal.change, RetconFact | UpdateEntity | ChangeSecrecy):
        named_facts_found = (draft.facts.get(fact_id) for fact_id in named_facts(proposal.change))
        return tuple(fact for fact in named_facts_found if fact is not None)
    ended_facts = facts_ended_by(claim, draft) if claim is not None else []
    # What another proposal ends before is not what this one replaces.
    return tuple([fact for fact in ended_facts if is_open(fact)] or ended_facts)


def _read_words(
    proposal: ProposedChange, claim: FactClaim | None, draft: CanonDraft
) -> tuple[tuple[str, str, str], ...] | None:
    """Return how the words of a proposed sentence are read.

    None for what is no sentence, for questions, and for a fact of the catalogue in the catalogue's own words, which
    says itself how it is read.
    """
    change = proposal.change
    if claim is None or not isinstance(change, AssertFact) or change.statement.endswith("?"):
        return None
    reading = draft.read_words(claim.fact)
    is_typed = read_fact(claim.fact, draft.catalogue).object is not None or change.value is not None
    if is_typed and (not reading.words or draft.is_in_catalogue_words(claim.fact)):
        return None
    return reading.words


def _previous_value(claim: FactClaim | None, draft: CanonDraft) -> str | int | float | bool | None:
    """Return the value that the claim would replace."""
    fact_key = fact_key_of(claim.fact, draft.catalogue) if claim else None
    if fact_key is None:
        return None
    current_fact = draft.current_fact(fact_key)
    if current_fact is not None:
        return current_fact.value
    entity = draft.entities.get(fact_key.subject) if fact_key.subject else None
    return sheet_value_of(entity, fact_key, draft.catalogue) if entity else None


def _restored_claim(proposal: ProposedChange, draft: CanonDraft) -> FactClaim | None:
    """Return a fact to be restored as though it were claimed anew.

    It finds its own place among the values of its fact key, so that only what excludes it is in its way.
    """
    change = proposal.change
    fact = draft.facts.get(change.fact_id) if isinstance(change, RetconFact) and change.restore else None
    if fact is None:
        return None
    restored_fact = fact.model_copy(update={"status": FactStatus.CANONICAL})
    fact_key = fact_key_of(restored_fact, draft.catalogue)
    value_ids = (
        other.id
        for other in draft.rival_facts(restored_fact)
        if fact_key and fact_key_of(other, draft.catalogue) == fact_key
    )
    return FactClaim(proposal, restored_fact, ended_ids=frozenset(value_ids))
