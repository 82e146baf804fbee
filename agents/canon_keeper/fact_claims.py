"""What a proposal would make true: the fact it becomes, and how that meets what stands. Pure.

A state change, a clock and an ending become facts as well: nothing in canon moves without a sentence that
says so and evidence for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, assert_never

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.commitments import closed_statement, ended_statement
from agents.canon_keeper.fact_ids import fact_id_of, with_own_id
from agents.canon_keeper.fact_readings import (
    ENDED_PREDICATE,
    IS,
    IS_NOT,
    OBJECT,
    SUBJECT,
    FactKey,
    fact_key_of,
    is_open,
    is_true,
    starts_later,
    times_overlap,
)
from agents.canon_keeper.predicates import Catalogue, Predicate, value_in_words
from agents.canon_keeper.proposal_subjects import is_correction
from agents.canon_keeper.sentence_index import RivalPace, SentenceRival
from agents.canon_keeper.sentences.claims import ALIVE, Claim, ClaimTime
from agents.canon_keeper.sentences.comparison import DEAD
from agents.canon_keeper.sheet_values import is_number, sheet_value_of
from agents.typed_numbers import add_above_floor
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    FactStatus,
    FactValue,
    Involvement,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.clocks import BOXES_PER_TRACK, ProgressClock
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Number

_SEVERAL_STATEMENTS: Final = re.compile(
    r";\s+\w|[.!?]\s+[A-Z“\"]|,\s+(?:and|but)\s+(?:[A-Z]|he\b|she\b|they\b|it\b|we\b|the\b)"
)
"""The words of a fact that says more than one thing: `Bram was shot; Pip carries the ledger`."""


class UnwritableError(Exception):
    """The proposal cannot become canon as it stands; says why, for the GM."""


class MissingError(UnwritableError):
    """It is about an entity that is not in canon."""

    def __init__(self, entity_id: Id) -> None:
        super().__init__("it is about something that is not in canon")
        self.entity_id = entity_id


@dataclass(frozen=True, slots=True)
class FactClaim:
    """What a proposal claims.

    `ended_ids` are facts that it ends by name; `is_movement` says that its kind of fact changes with time.
    """

    proposal: ProposedChange
    fact: Fact
    ended_ids: frozenset[Id] = frozenset()
    is_movement: bool = False


class StateMove(NamedTuple):
    """A state change in canon's terms: a bare truth value is a tag, and some tags are values."""

    predicate: str
    op: StateOp
    value: FactValue | None


def build_claim(proposal: ProposedChange, draft: CanonDraft) -> FactClaim | None:
    """Return what the proposal would make true; None for kinds that make no fact of their own.

    Raises MissingError or UnwritableError.
    """
    claim = _build_claim_of_kind(proposal, draft)
    return claim and replace(claim, fact=with_own_id(claim.fact, draft.facts))


def _build_claim_of_kind(proposal: ProposedChange, draft: CanonDraft) -> FactClaim | None:
    change = proposal.change
    match change:
        case AssertFact():
            return _assertion_claim(proposal, change, draft)
        case NoteAxiom():
            return _axiom_claim(proposal, change, draft)
        case StateChange():
            return _state_claim(proposal, change, draft)
        case AdvanceClock():
            return _clock_claim(proposal, change, draft)
        case EndFact():
            return _ending_claim(proposal, change, draft)
        case CreateEntity() | UpdateEntity() | MergeEntities() | RetconFact() | ChangeSecrecy():
            return None
        case _:
            assert_never(change)


def state_move_of(change: StateChange, catalogue: Catalogue) -> StateMove:
    """Return the change in canon's terms: `+dead` is `alive = false`, `wounded = true` is `+wounded`."""
    if change.op in (StateOp.TAG, StateOp.UNTAG):
        adds_tag = change.op is StateOp.TAG
        for predicate in catalogue.predicates.values():
            for words, tag in predicate.tags.items():
                if tag.casefold() == change.key.casefold() and words in ("true", "false"):
                    return StateMove(predicate.name, StateOp.SET, (words == "true") is adds_tag)
        return StateMove(IS if adds_tag else IS_NOT, change.op, change.key)
    if isinstance(change.value, bool) and change.key not in catalogue.predicates:
        return (
            StateMove(IS, StateOp.TAG, change.key)
            if change.value
            else StateMove(IS_NOT, StateOp.UNTAG, change.key)
        )
    return StateMove(change.key, change.op, change.value)


def is_change_over_time(claim: FactClaim, other: Fact, draft: CanonDraft) -> bool:
    """Return whether the claim is a change over time that ends the other fact, and no contradiction.

    It is one if it names the fact, if its words tell of the change (`was killed`), if the predicate changes by
    nature (a place), or if play gives the value again at a later time. A final value (a death) ends only by the
    GM's word.
    """
    if other.id in claim.ended_ids:
        return True
    if _predicate(other, draft).is_final(other.value):
        return False
    if any(
        rival.pace is RivalPace.CHANGED and rival.fact.id == other.id
        for rival in draft.sentence_rivals(claim.fact)
    ):
        return True
    claim_key = fact_key_of(claim.fact, draft.catalogue)
    is_in_play = claim.proposal.scene_id is not None
    is_given_anew = is_in_play and claim.fact.valid_to is None and starts_later(claim.fact, other)
    has_same_key = claim_key is not None and claim_key == fact_key_of(other, draft.catalogue)
    return has_same_key and (claim.is_movement or (is_given_anew and is_open(other)))


def conflicting_sentences(claim: FactClaim, draft: CanonDraft) -> list[SentenceRival]:
    """Return the facts that the claim's sentence cannot be true beside.

    What play moves on without a word (who is where, who has what) is a change if it comes later, and a later death
    contradicts nothing that was done before, nor that somebody was not dead then.
    """
    is_in_play = claim.proposal.scene_id is not None
    return [
        rival
        for rival in _sentence_rivals(claim, draft)
        if rival.pace is not RivalPace.CHANGED
        and not (rival.pace is RivalPace.MOVING and is_in_play and starts_later(claim.fact, rival.fact))
        and not (rival.reason == DEAD and starts_later(rival.fact, claim.fact))
        and not (is_in_play and _dies_after(claim, rival.fact, draft))
    ]


def _dies_after(claim: FactClaim, other: Fact, draft: CanonDraft) -> bool:
    """Return whether play tells of a death of which another fact says that it was not so before: `Nan is not dead`."""
    subject_id = claim.fact.entity(SUBJECT)
    if claim.fact.predicate != ALIVE or claim.proposal.authority is not Authority.SYSTEM or not subject_id:
        return False
    who = draft.entity(subject_id)
    is_told_death = who is not None and claim.fact.statement == draft.catalogue.phrase(
        ALIVE, who.name, value=False
    )
    if not is_told_death or starts_later(other, claim.fact):
        return False
    words = draft.read_words(other).claims
    return bool(words) and all(_denies_death(word, subject_id) for word in words)


def _denies_death(words: Claim, who: Id) -> bool:
    is_about_now = words.time is ClaimTime.NOW and not (words.is_ability or words.when)
    is_denial = words.relation == ALIVE and words.value == "false" and not words.is_affirmed
    return is_denial and is_about_now and words.subject.entity == who


def _sentence_rivals(claim: FactClaim, draft: CanonDraft) -> Iterator[SentenceRival]:
    if not is_true(claim.fact):
        return
    rival_ids = {other.id for other in draft.rival_facts(claim.fact)} | claim.ended_ids
    for rival in draft.sentence_rivals(claim.fact):
        if rival.fact.id not in rival_ids and is_true(rival.fact) and times_overlap(claim.fact, rival.fact):
            yield rival


def facts_ended_by(claim: FactClaim, draft: CanonDraft) -> list[Fact]:
    """Return what the claim ends once it is accepted: what it names, and what cannot hold beside it.

    A fact with an end of its own is left as it is: it tells of its time; one that another ended can be
    named, and ends sooner. A claim with an end ends only what it names: what holds now holds on after it. A correction
    ends what it corrects, and no other sentence unless the player rules so. A fact of several statements is not ended
    by what changes one of them as play goes on: the others are still true.
    """
    named_facts = [draft.facts[i] for i in sorted(claim.ended_ids) if i in draft.facts]
    is_current = is_true(claim.fact) and claim.fact.valid_to is None
    rival_facts = list(draft.rival_facts(claim.fact)) if is_current else []
    if is_current:
        rival_facts += [
            rival.fact
            for rival in _sentence_rivals(claim, draft)
            # A theft of yesterday does not end who has the thing since today.
            if not (rival.pace is RivalPace.CHANGED and starts_later(rival.fact, claim.fact))
            and not is_correction(claim.proposal)
            and not (rival.passes_in_play and _SEVERAL_STATEMENTS.search(rival.fact.statement))
        ]
    named_facts = [f for f in named_facts if is_open(f) or f.status is FactStatus.SUPERSEDED]
    rival_facts = [f for f in rival_facts if is_open(f)]
    return list({f.id: f for f in (*named_facts, *rival_facts) if is_true(f)}.values())


def first_value_fact(claim: FactClaim, draft: CanonDraft) -> Fact | None:
    """Return the fact that keeps the value an entity was created with, when the claim is the first to change it.

    Without it the old value would be lost. It is the GM's word, whoever changes it.
    """
    fact_key = fact_key_of(claim.fact, draft.catalogue)
    entity = draft.entities.get(fact_key.subject) if fact_key and fact_key.subject else None
    if (
        fact_key is None
        or entity is None
        or claim.fact.kind is not FactKind.STATE
        or draft.current_fact(fact_key)
    ):
        return None
    value = sheet_value_of(entity, fact_key, draft.catalogue)
    if value is None:
        return None
    predicate = IS if fact_key.tag else fact_key.predicate
    return claim.fact.model_copy(
        update={
            "id": derive_id("fact", "first value", claim.proposal.id),
            "predicate": predicate,
            "value": value,
            "statement": draft.catalogue.phrase(predicate, entity.name, value=value),
            "involves": (Involvement(role=SUBJECT, entity_id=entity.id),),
            "valid_from": None,
            "authority": Authority.GM,
            "proposal_id": None,
        }
    )


# --- one function a kind ----------------------------------------------------------------------------


def _assertion_claim(proposal: ProposedChange, change: AssertFact, draft: CanonDraft) -> FactClaim:
    if any(cause not in draft.facts for cause in change.because):
        raise UnwritableError("what caused it is not in canon")
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=change.fact_kind,
        predicate=change.predicate,
        statement=change.statement,
        involves=tuple(_current_involvements(change.involves, draft)),
        value=change.value,
        valid_from=proposal.tick if change.valid_from is None else change.valid_from,
        valid_to=change.valid_to,
        standing=change.standing,
        because=change.because,
        lore=change.lore,
        secrecy=change.secrecy,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return FactClaim(proposal, fact, ended_ids=frozenset(change.ends))


def _axiom_claim(proposal: ProposedChange, change: NoteAxiom, draft: CanonDraft) -> FactClaim:
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.AXIOM,
        predicate=change.predicate,
        statement=change.statement,
        involves=tuple(_current_involvements(change.involves, draft)),
        scope=change.scope,
        severity=change.severity,
        form=change.form,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return FactClaim(proposal, fact)


def _state_claim(proposal: ProposedChange, change: StateChange, draft: CanonDraft) -> FactClaim:
    entity = draft.entity(change.entity_id)
    if entity is None:
        raise MissingError(change.entity_id)
    move = state_move_of(change, draft.catalogue)
    predicate = draft.catalogue[move.predicate]
    involves = [Involvement(role=SUBJECT, entity_id=entity.id)]
    value = move.value
    object_name = ""
    if predicate.about_two and isinstance(value, str):
        target = draft.entity(value)
        if target is None:
            raise MissingError(value)
        involves.append(Involvement(role=OBJECT, entity_id=target.id))
        value, object_name = None, target.name
    elif move.op is StateOp.ADD:
        value = _sum_after(entity.id, move, draft, change.floor)
    elif value is None:
        raise UnwritableError(f"it gives {entity.name}'s {move.predicate} no value")
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.RELATION if object_name else FactKind.STATE,
        predicate=move.predicate,
        statement=draft.catalogue.phrase(move.predicate, entity.name, object_name, value),
        involves=tuple(involves),
        value=value,
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return FactClaim(proposal, fact, is_movement=True)


def _sum_after(entity_id: Id, move: StateMove, draft: CanonDraft, floor: Number | None) -> FactValue:
    """Return the number after something was added to it: what the sheet says, in the order of play."""
    fact_key = FactKey(move.predicate, entity_id)
    current_fact = draft.current_fact(fact_key)
    before = (
        current_fact.value
        if current_fact
        else sheet_value_of(draft.entities[entity_id], fact_key, draft.catalogue)
    )
    if not is_number(move.value):
        raise UnwritableError(
            f"{value_in_words(move.value) or 'nothing'} is no number to add to {move.predicate}"
        )
    if before is not None and not is_number(before):
        raise UnwritableError(f"{move.predicate} is {value_in_words(before)}, which nothing can be added to")
    return add_above_floor(before or 0, move.value, floor)


def _clock_claim(proposal: ProposedChange, change: AdvanceClock, draft: CanonDraft) -> FactClaim:
    current_fact = draft.current_fact(FactKey(change.predicate, None))
    before = _standing_clock(current_fact, change) if current_fact else None
    clock = change.after(before)
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.STATE,
        predicate=change.predicate,
        statement=_clock_sentence(clock),
        value=clock.filled,
        clock=clock,
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    # One that only goes otherwise has the same value, and is no rival of what stood there.
    is_other_setting = current_fact is not None and before is not None and before != clock
    return FactClaim(
        proposal,
        fact,
        ended_ids=frozenset([current_fact.id]) if current_fact and is_other_setting else frozenset(),
        is_movement=True,
    )


def _standing_clock(clock_fact: Fact, change: AdvanceClock) -> ProgressClock:
    """Return the clock of a fact; one that says no more than how far it is filled is as the change has it."""
    if clock_fact.clock is not None:
        return clock_fact.clock
    filled = max(0, int(clock_fact.value)) if is_number(clock_fact.value) else 0
    return ProgressClock(name=change.clock, filled=filled, size=max(change.size, filled), pace=change.pace)


def _clock_sentence(clock: ProgressClock) -> str:
    subject_words = f"The {'track' if clock.is_track else 'clock'} “{clock.name}”"
    progress_words = (
        f"{clock.boxes} of {BOXES_PER_TRACK} boxes" if clock.is_track else f"{clock.filled} of {clock.size}"
    )
    if clock.closed:
        ending_verb = "ended" if clock.is_track else "struck" if clock.is_full else "was stopped"
        return f"{subject_words} {ending_verb} at {progress_words}."
    pace_words = f" and moves by {clock.per_scene} each scene" if clock.per_scene else ""
    return f"{subject_words} stands at {progress_words}{pace_words}."


def _ending_claim(proposal: ProposedChange, change: EndFact, draft: CanonDraft) -> FactClaim:
    """An ending is an event that supersedes the fact: so it has evidence, and can be retconned itself."""
    ended_fact = draft.facts.get(change.fact_id)
    if ended_fact is None:
        raise UnwritableError("the fact that it ends is not in canon")
    if not is_open(ended_fact):
        raise UnwritableError("the fact that it ends holds no more")
    candidate_ticks = (change.at, proposal.tick, ended_fact.valid_from, 0)
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.EVENT,
        predicate=ENDED_PREDICATE,
        statement=closed_statement(ended_fact)
        if change.closed
        else ended_statement(ended_fact, change.unmet_ending),
        involves=ended_fact.involves,
        valid_from=next(tick for tick in candidate_ticks if tick is not None),
        authority=proposal.authority,
        closed=change.closed,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return FactClaim(proposal, fact, ended_ids=frozenset([ended_fact.id]), is_movement=True)


def _current_involvements(involves: tuple[Involvement, ...], draft: CanonDraft) -> Iterator[Involvement]:
    for involvement in involves:
        entity = draft.entity(involvement.entity_id)
        if entity is None:
            raise MissingError(involvement.entity_id)
        yield Involvement(role=involvement.role, entity_id=entity.id)


def _predicate(fact: Fact, draft: CanonDraft) -> Predicate:
    inverse_of = draft.catalogue[fact.predicate].inverse_of
    return draft.catalogue[inverse_of or fact.predicate]
