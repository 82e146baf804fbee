"""The bundled world is whole, does not contradict itself, and is ready to play."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import NamedTuple

import pytest

from agents.canon_keeper.predicates import Catalogue, load_catalogue
from agents.services.world_import import FactSeed, WorldSeed, build_world_proposals, parse_world_file
from agents.world_time.calendar import format_clock_time, format_tick
from monitor_tui.sample import sample_text
from stores.records.canon import FactKind, Standing
from stores.records.ids import SteppingClock, derive_id, utc_now
from stores.records.world import EntityKind


@pytest.fixture(scope="module")
def world() -> WorldSeed:
    return parse_world_file(sample_text())


def facts_of(world: WorldSeed, predicate: str) -> list[FactSeed]:
    return [f for f in world.facts if f.predicate == predicate and f.standing is Standing.TRUE]


def one(fact: FactSeed, role: str) -> str:
    (key,) = fact.involves[role]
    return key


def overlap(a: FactSeed, b: FactSeed) -> bool:
    """Whether there is a moment at which both hold (an end is exclusive)."""
    starts = [f.valid_from for f in (a, b) if f.valid_from is not None]
    ends = [f.valid_to for f in (a, b) if f.valid_to is not None]
    return not starts or not ends or max(starts) < min(ends)


class Said(NamedTuple):
    """A fact in the reading that is checked: `owns` turned into `owned_by`."""

    fact: FactSeed
    predicate: str
    subject: str
    value: object


def as_checked(fact: FactSeed, catalogue: Catalogue) -> Said:
    subject = one(fact, "subject")
    value = one(fact, "object") if "object" in fact.involves else fact.value
    if (inverse := catalogue[fact.predicate].inverse_of) and isinstance(value, str):
        return Said(fact, inverse, value, subject)
    return Said(fact, fact.predicate, subject, value)


# --- what it holds ----------------------------------------------------------------------------------


def test_sample_it_holds_enough_to_play(world: WorldSeed) -> None:
    assert world.universe.name == "Salt Coast"
    assert 14 <= len(world.entities) <= 18
    assert {entity.kind for entity in world.entities} == set(EntityKind)
    assert len([e for e in world.entities if e.is_pc]) == 2
    assert len(world.axioms) == 5
    assert len(world.facts) >= 35
    assert len(facts_of(world, "secret")) == 2
    assert {fact.kind for fact in world.facts} == set(FactKind) - {FactKind.AXIOM, FactKind.LORE}
    assert {Standing.TRUE, Standing.RUMOUR, Standing.LIE} == {fact.standing for fact in world.facts}


def test_player_characters_are_ready(world: WorldSeed) -> None:
    for pc in (entity for entity in world.entities if entity.is_pc):
        assert {"hp", "might", "wits", "nerve"} <= set(pc.numbers)
        assert pc.description


def test_sample_every_entity_is_described_and_in_a_fact(world: WorldSeed) -> None:
    involved = {key for fact in world.facts for keys in fact.involves.values() for key in keys}

    assert involved == {entity.key for entity in world.entities}
    assert all(entity.description for entity in world.entities)


def test_sample_there_is_something_to_want_and_something_to_fear(world: WorldSeed) -> None:
    factions = {entity.key for entity in world.entities if entity.kind is EntityKind.FACTION}

    assert {one(fact, "subject") for fact in facts_of(world, "wants")} == factions
    assert facts_of(world, "threatened_by")
    assert any(fact.kind is FactKind.COMMITMENT and fact.valid_to is None for fact in world.facts)


def test_sample_opening_is_ready_to_tell(world: WorldSeed) -> None:
    opening = world.opening
    here = {one(f, "subject") for f in facts_of(world, "located_in") if opening.place in f.involves["object"]}

    assert opening.title == "The Drowned Bell"
    assert format_tick(world.universe.calendar, opening.tick) == "Day 3, dusk"
    assert set(opening.cast) == here
    assert len(opening.prose) == 3
    assert opening.theme
    assert opening.tone
    assert opening.lines_and_veils
    assert opening.scene_goal


def test_sample_calendar_has_its_own_parts_of_the_day(world: WorldSeed) -> None:
    calendar = world.universe.calendar

    assert calendar.parts[0].from_minute == 0
    minutes = [part.from_minute for part in calendar.parts]
    assert minutes == sorted(set(minutes))
    assert format_tick(calendar, 4360) == "Day 4, dead watch"
    assert format_clock_time(calendar, 4360) == "Day 4, 00:40"


# --- it does not contradict itself ------------------------------------------------------------------


def test_sample_nothing_is_in_two_places_or_has_two_owners(world: WorldSeed) -> None:
    catalogue = load_catalogue()
    values = defaultdict(list)
    for said in (as_checked(fact, catalogue) for fact in world.facts if fact.standing is Standing.TRUE):
        if catalogue[said.predicate].cardinality == "one":
            values[said.predicate, said.subject].append(said)

    assert ("located_in", "mara") in values
    assert ("owned_by", "inn") in values
    for several in values.values():
        for a, b in combinations(several, 2):
            assert a.value == b.value or not overlap(a.fact, b.fact), (a.fact.statement, b.fact.statement)


def test_sample_nobody_is_ally_and_enemy_at_once(world: WorldSeed) -> None:
    catalogue = load_catalogue()
    said = [as_checked(fact, catalogue) for fact in world.facts if fact.standing is Standing.TRUE]

    for a, b in combinations(said, 2):
        if a.predicate in catalogue.excluded_by(b.predicate):
            assert {a.subject, a.value} != {b.subject, b.value}, (a.fact.statement, b.fact.statement)


def test_predicates_are_said_of_the_kinds_of_thing_they_are_for(world: WorldSeed) -> None:
    catalogue, kinds = load_catalogue(), {entity.key: entity.kind for entity in world.entities}

    for fact in world.facts:
        predicate = catalogue[fact.predicate]
        for role, allowed in (("subject", predicate.subjects), ("object", predicate.objects)):
            for key in fact.involves.get(role, ()):
                assert not allowed or kinds[key] in allowed, fact.statement
        assert not predicate.about_two or "object" in fact.involves, fact.statement


def test_sample_dead_do_nothing_after_their_death(world: WorldSeed) -> None:
    died = {one(f, "subject"): f.valid_from or 0 for f in facts_of(world, "alive") if f.value is False}

    assert "tam" in died
    for fact in world.facts:
        subject = one(fact, "subject")
        assert fact.predicate == "alive" or subject not in died or (fact.valid_from or 0) < died[subject]


def test_sample_nothing_that_happened_is_later_than_the_opening(world: WorldSeed) -> None:
    for fact in world.facts:
        for tick in (fact.valid_from, fact.valid_to):
            assert tick is None or tick <= world.opening.tick, fact.statement


def test_sample_one_number_of_drowned(world: WorldSeed) -> None:
    (owed,) = facts_of(world, "owes")
    (count,) = (entity for entity in world.entities if entity.key == "count")

    assert owed.value == count.numbers["owed"] == 61


# --- what it proposes -------------------------------------------------------------------------------


def test_sample_every_proposal_has_evidence_in_the_file(world: WorldSeed) -> None:
    words = " ".join(sample_text().split())
    _, proposals, _ = build_world_proposals(world, derive_id("universe", "sample"), clock=utc_now)

    assert len(proposals) == len(world.entities) + len(world.axioms) + len(world.facts)
    for proposal in proposals:
        (evidence,) = proposal.evidence
        assert evidence.quote in words


def test_bringing_it_in_again_later_gives_the_same_identifiers(world: WorldSeed) -> None:
    universe_id = derive_id("universe", "sample")
    _, once, opening = build_world_proposals(world, universe_id, clock=utc_now)
    _, again, same = build_world_proposals(world, universe_id, clock=SteppingClock(utc_now()))

    assert [(p.id, p.payload, p.evidence) for p in once] == [(p.id, p.payload, p.evidence) for p in again]
    assert opening == same
    assert len({p.id for p in once}) == len(once)
