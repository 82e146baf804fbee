"""Finds deeds of entities that are dead or not born yet.

Ticks are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.checks.check_input import (
    CheckInput,
    FoundConflict,
    actors_in,
    actors_of,
    holds_around,
)
from agents.canon_keeper.fact_readings import (
    ALIVE,
    OWNED_BY,
    SUBJECT,
    FactKey,
    is_open,
    is_true,
    read_fact,
    starts_later,
)
from agents.canon_keeper.proposal_subjects import is_about_the_past, is_outcome
from agents.canon_keeper.sentence_index import read_fact_statement
from agents.canon_keeper.sentences.claims import says_death
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.canon_keeper.sheet_values import sheet_value_of
from stores.records.canon import Fact
from stores.records.ids import Id

_INSTRUMENT_ROLES = ("instrument",)
"""A thing cannot be used before it is made, either."""


def find_acts_of_dead(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find who would act or come to own something after their death, and the deeds that a death would come before."""
    if not is_true(check_input.fact):
        return
    reading = read_fact(check_input.fact, check_input.draft.catalogue)
    # A document says who owned what at no time in particular.
    is_new_owner = reading.predicate == OWNED_BY and check_input.proposal.source_id is None
    owner_ids = [reading.object] if is_new_owner and reading.object is not None else []
    rules = [*((i, "the dead do not act") for i in actors_in(check_input))]
    rules += [(i, "the dead own nothing new") for i in owner_ids]
    for who, rule in rules:
        death = _death_of(check_input, who)
        if death is not None or _is_dead_on_sheet(check_input, who):
            certain = death is None or starts_later(check_input.fact, death)
            text = f"{check_input.entity_name(who)} is dead, and {rule}."
            yield FoundConflict("dead_do_not_act", text, death, certain)
    if reading.predicate == ALIVE and reading.value is False and reading.subject is not None:
        yield from _deeds_after_death(check_input, reading.subject)


def find_acts_of_unborn(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find who would act before they were born (or made), and the deeds that a birth would come after."""
    fact, draft = check_input.fact, check_input.draft
    if not is_true(fact) or check_input.begin_tick is None:
        return
    instrument_ids = [i.entity_id for i in fact.involves if i.role in _INSTRUMENT_ROLES]
    for actor in dict.fromkeys([*actors_in(check_input), *instrument_ids]):
        for birth in draft.origin_facts(actor):
            if (
                birth.id != fact.id
                and birth.valid_from is not None
                and check_input.begin_tick < birth.valid_from
            ):
                text = f"{check_input.attribution(birth)} “{birth.statement}” That is later."
                yield FoundConflict("not_yet_born", text, birth)
    subject = fact.entity(SUBJECT)
    if subject is not None and draft.catalogue[fact.predicate].origin:
        for deed in _other_deeds(check_input, subject):
            if deed.valid_from is not None and deed.valid_from < check_input.begin_tick:
                text = f"{check_input.attribution(deed)} “{deed.statement}” That was before."
                yield FoundConflict("not_yet_born", text, deed)


def _death_of(check_input: CheckInput, actor: Id) -> Fact | None:
    """Return the death that the claim comes after."""
    deaths = (f for f in check_input.draft.facts_under(ALIVE, actor) if f.value is False and is_true(f))
    return next(
        (d for d in deaths if _comes_after_death(check_input, d) and not _tells_of_death(check_input, d)),
        None,
    )


def _tells_of_death(check_input: CheckInput, death: Fact) -> bool:
    """Say whether the claim tells of the death, or is the outcome of the scene that it was in, and so covers both."""
    is_outcome_of_both = is_outcome(check_input.proposal) and check_input.is_same_scene(death)
    return is_outcome_of_both or _says_death_of(check_input, check_input.fact, death.entity(SUBJECT))


def _says_death_of(check_input: CheckInput, deed: Fact, who: Id | None) -> bool:
    """Say whether the words of a deed say that somebody dies by it: `Bran died and Lady Marr was arrested`."""
    entities = check_input.draft.entities
    names = build_name_book([entities[i.entity_id] for i in deed.involves if i.entity_id in entities])
    claims = read_fact_statement(deed, names).claims
    return who is not None and any(says_death(claim) and claim.subject.entity == who for claim in claims)


def _comes_after_death(check_input: CheckInput, death: Fact) -> bool:
    """Say whether the claim comes after the death: by world time, or else by when it was proposed."""
    claim_tick, death_tick = check_input.begin_tick, death.valid_from
    if is_about_the_past(check_input.proposal) or not is_open(death):
        return claim_tick is not None and death_tick is not None and holds_around(death, claim_tick)
    if death_tick is None or (claim_tick is not None and claim_tick != death_tick):
        return death_tick is None or claim_tick is None or claim_tick > death_tick
    killing_proposal = check_input.source_proposals.get(death.id)
    if killing_proposal is not None:
        return (
            check_input.proposal.turn_id is None or check_input.proposal.turn_id != killing_proposal.turn_id
        )
    return check_input.proposal.created_at > death.recorded_at


def _is_dead_on_sheet(check_input: CheckInput, actor: Id) -> bool:
    """Say whether somebody is dead with no fact that says since when."""
    fact_key, entity = FactKey(ALIVE, actor), check_input.draft.entities[actor]
    if is_about_the_past(check_input.proposal) or check_input.draft.current_fact(fact_key) is not None:
        return False
    return sheet_value_of(entity, fact_key, check_input.draft.catalogue) is False


def _deeds_after_death(check_input: CheckInput, who: Id) -> Iterator[FoundConflict]:
    for deed in _other_deeds(check_input, who):
        if (
            check_input.begin_tick is not None
            and deed.valid_from is not None
            and holds_around(check_input.fact, deed.valid_from)
            and not _says_death_of(check_input, deed, who)
        ):
            text = (
                f"{check_input.attribution(deed)} “{deed.statement}” That was later, and the dead do not act."
            )
            yield FoundConflict("dead_do_not_act", text, deed)


def _other_deeds(check_input: CheckInput, who: Id) -> Iterator[Fact]:
    for deed in check_input.draft.deeds_of(who):
        if (
            deed.id != check_input.fact.id
            and is_true(deed)
            and who in actors_of(deed, check_input.draft.catalogue)
        ):
            yield deed
