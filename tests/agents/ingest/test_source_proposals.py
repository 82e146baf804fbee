"""What a document's chunks propose: once for each thing, with their evidence, and never over what was decided.

Source: docs/decisions/0029-a-write-of-the-ladder-is-a-proposal.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agents.canon_keeper.canon_policy import confidence_of
from agents.canon_keeper.predicates import load_catalogue
from agents.ingest.findings import (
    Finding,
    FoundEntity,
    FoundRelation,
    FoundRule,
    FoundStatement,
    FoundTable,
    FoundTableRow,
    Observation,
)
from agents.ingest.ladder.chunk_context import ChunkOutcome, build_evidence
from agents.ingest.source_changes import SourceSite, predicates_by_words
from agents.ingest.source_names import SourceNames
from agents.ingest.source_proposals import (
    build_chunk_proposals,
    build_lookalike_proposals,
    merge_with_staged,
    replace_chunk_proposals,
)
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    EvidenceKind,
    FactKind,
    MergeEntities,
    NoteAxiom,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.sources import LadderStage
from stores.records.workflow import ProposedChange, Verdict
from stores.records.world import Entity, EntityKind
from tests.agents.ingest.chunk_models import TEXT, make_chunk, make_context
from tests.contract import builders as make

AT = datetime(2026, 1, 1, tzinfo=UTC)
QUOTE = "Captain Mara Venn rules over Salt Quay."
MARA = FoundEntity("Mara Venn", EntityKind.CHARACTER, QUOTE)
QUAY = FoundEntity("Salt Quay", EntityKind.PLACE, QUOTE)
RULES = FoundRelation("Mara Venn", "rules over", "Salt Quay", QUOTE)


def site(entities: Iterable[Entity] = (), clusters: Iterable[Sequence[str]] = ()) -> SourceSite:
    catalogue = load_catalogue()
    names = SourceNames.create("source", entities, clusters)
    return SourceSite("universe", "source", AT, names, catalogue, predicates_by_words(catalogue))


def outcome(*findings: Finding, ordinal: int = 0, text: str = TEXT) -> ChunkOutcome:
    chunk = make_chunk(text, ordinal)
    evidence = build_evidence(chunk, make_context(f"chunk-{ordinal}"))
    return ChunkOutcome(chunk, evidence, LadderStage.PRIMARY, findings, ())


def propose(*findings: Finding, at: SourceSite | None = None, ordinal: int = 0) -> list[ProposedChange]:
    return list(build_chunk_proposals(outcome(*findings, ordinal=ordinal), at or site()).proposals)


def by_id(proposals: Iterable[ProposedChange]) -> dict[Id, ProposedChange]:
    return {proposal.id: proposal for proposal in proposals}


# --- what is proposed --------------------------------------------------------------------------------


def test_source_proposal_rests_on_words_of_its_chunk() -> None:
    (proposal,) = propose(MARA)
    (evidence,) = proposal.evidence
    assert (evidence.kind, evidence.ref_id, evidence.source_id) == (EvidenceKind.CHUNK, "chunk-0", "source")
    assert (evidence.page, evidence.quote) == (3, QUOTE)
    assert evidence.span is not None
    assert TEXT[slice(*evidence.span)] == QUOTE
    assert (proposal.authority, proposal.source_id) == (Authority.SOURCE, "source")
    assert confidence_of(proposal) == 1.0
    assert confidence_of(proposal.model_copy(update={"evidence": ()})) == 0.5


def test_findings_become_changes_of_their_kinds() -> None:
    rule = FoundRule("the dead cannot cross salt water", "The dead cannot cross salt water.")
    fact = FoundStatement("Mara Venn", "She serves the Tide Council.", "She serves the Tide Council")
    strange = FoundRelation("Mara Venn", "sings of", "Salt Quay", QUOTE)
    proposals = propose(MARA, QUAY, RULES, strange, rule, fact, Observation("", TEXT[:20]))
    mara, quay, rules, sings, axiom, stated = (proposal.payload for proposal in proposals)
    assert isinstance(mara, CreateEntity)
    assert isinstance(quay, CreateEntity)
    assert isinstance(rules, AssertFact)
    assert (rules.fact_kind, rules.predicate) == (FactKind.RELATION, "rules_over")
    assert [i.entity_id for i in rules.involves] == [mara.entity_id, quay.entity_id]
    assert isinstance(sings, AssertFact)
    assert (sings.predicate, sings.statement) == ("stated", "Mara Venn sings of Salt Quay.")
    assert axiom == NoteAxiom(statement="The dead cannot cross salt water.")
    assert isinstance(stated, AssertFact)
    assert stated.statement == "Mara Venn: She serves the Tide Council."


def test_same_chunk_twice_gives_the_same_proposals() -> None:
    assert propose(MARA, QUAY, RULES) == propose(MARA, QUAY, RULES)


def test_stat_block_becomes_numbers_of_its_entity() -> None:
    wolf = FoundEntity("Tide Council", EntityKind.CREATURE, QUOTE, numbers=(("HP", 12), ("Armor Class", 15)))
    (proposal,) = propose(wolf)
    assert isinstance(proposal.payload, CreateEntity)
    assert proposal.payload.numbers == {"hp": 12, "armor_class": 15}


# --- one proposal for one thing ----------------------------------------------------------------------


def test_entity_of_two_chunks_is_one_proposal_with_both_as_evidence() -> None:
    first, second = (
        propose(MARA),
        propose(replace(MARA, aliases=("the Gull",), description="A smuggler."), ordinal=1),
    )
    (merged,) = merge_with_staged(second, by_id(first))
    assert merged.id == first[0].id
    assert [e.ref_id for e in merged.evidence] == ["chunk-0", "chunk-1"]
    assert isinstance(merged.payload, CreateEntity)
    assert (merged.payload.aliases, merged.payload.description) == (("the Gull",), "A smuggler.")
    assert merge_with_staged(second, by_id([merged])) == ()


def test_names_of_one_cluster_are_one_entity_with_aliases() -> None:
    at = site(clusters=[("Mara Venn", "the Gull", "Venn")])
    gull = FoundEntity("the Gull", EntityKind.CONCEPT, QUOTE)
    staged = by_id(propose(gull, at=at))
    (merged,) = merge_with_staged(propose(MARA, at=at, ordinal=1), staged)
    assert isinstance(merged.payload, CreateEntity)
    assert (merged.payload.name, merged.payload.aliases) == ("Mara Venn", ("the Gull",))
    assert merged.payload.entity_kind is EntityKind.CHARACTER


def test_name_that_two_clusters_share_means_neither() -> None:
    names = SourceNames.create("source", (), [("Mara Venn", "Venn"), ("Bela Venn", "Venn")])
    assert names.find("Venn").name == "Venn"


def test_lookalikes_are_merges_that_nobody_pre_ticked() -> None:
    venn = FoundEntity("Captain Venn", EntityKind.CHARACTER, QUOTE)
    bram = FoundEntity("Old Bram", EntityKind.CHARACTER, QUOTE)
    proposals = propose(MARA, venn, bram)
    (merge,) = build_lookalike_proposals(proposals, site())
    ids = [p.payload.entity_id for p in proposals if isinstance(p.payload, CreateEntity)]
    assert merge.payload == MergeEntities(kept_id=ids[0], absorbed_id=ids[1])
    assert merge.authority is Authority.SYSTEM
    assert confidence_of(merge) == 0.5
    cousins = propose(MARA, venn, FoundEntity("Bela Venn", EntityKind.CHARACTER, QUOTE))
    assert build_lookalike_proposals(cousins, site()) == ()


# --- beside canon ------------------------------------------------------------------------------------


def test_entity_of_canon_gets_statements_and_no_second_proposal() -> None:
    known = make.entity("Mara Venn", aliases=("Venn",), numbers={"hp": 8})
    told = replace(
        MARA, aliases=("Venn", "the Gull"), description="A smuggler", numbers=(("HP", 12), ("Might", 3))
    )
    aliases, stated, other_hp, might = propose(told, at=site([known]))
    assert aliases.payload == UpdateEntity(entity_id=known.id, aliases=("Venn", "the Gull"))
    assert isinstance(stated.payload, AssertFact)
    assert stated.payload.statement == "Mara Venn: A smuggler."
    assert isinstance(other_hp.payload, AssertFact), "a number that canon has otherwise is a claim, no change"
    assert (other_hp.payload.predicate, other_hp.payload.value) == ("hp", 12)
    assert isinstance(might.payload, StateChange)
    assert (might.payload.key, might.payload.value) == ("might", 3)


def test_alias_that_another_entity_of_canon_has_is_not_taken() -> None:
    others = [make.entity("Mara Venn"), make.entity("The Gull")]
    assert propose(replace(MARA, aliases=("The Gull",)), at=site(others)) == []


# --- tables ------------------------------------------------------------------------------------------


def test_table_becomes_lore_and_a_bad_one_says_its_line_and_the_remedy() -> None:
    rows = (FoundTableRow(1, 3, "fog"), FoundTableRow(4, 6, "rain"))
    table = FoundTable("Weather", "d6", rows, QUOTE)
    gap = replace(table, rows=(rows[0], FoundTableRow(5, 6, "rain")))
    built = build_chunk_proposals(outcome(table, gap), site())
    (proposal,) = built.proposals
    assert isinstance(proposal.payload, AssertFact)
    assert proposal.payload.statement == "Weather (d6)\n1-3: fog\n4-6: rain"
    (dropped,) = built.dropped
    assert "line 3: 4 is missing before it" in dropped.reason
    assert "Each result from 1 to 6 stands in one row" in dropped.reason


# --- read again --------------------------------------------------------------------------------------


def test_reading_a_chunk_again_replaces_what_it_alone_said() -> None:
    forced = FoundEntity("Salt Quay", EntityKind.CONCEPT, QUOTE)
    wrong = FoundEntity("Captain Mara", EntityKind.CONCEPT, QUOTE)
    staged = by_id(propose(forced, wrong))
    changed = by_id(replace_chunk_proposals("chunk-0", propose(QUAY, MARA), staged))
    by_name = {p.payload.name: p for p in changed.values() if isinstance(p.payload, CreateEntity)}
    assert by_name["Captain Mara"].evidence == ()
    assert confidence_of(by_name["Captain Mara"]) == 0.5
    quay = by_name["Salt Quay"]
    assert isinstance(quay.payload, CreateEntity)
    assert (quay.payload.entity_kind, len(quay.evidence)) == (EntityKind.PLACE, 1)
    assert len(by_name["Mara Venn"].evidence) == 1


def test_reading_a_chunk_again_leaves_other_chunks_and_decisions_alone() -> None:
    mara, quay = propose(MARA, QUAY)
    (shared,) = merge_with_staged(propose(MARA, ordinal=1), by_id([mara]))
    rejected = quay.model_copy(update={"decision": make.decision(Verdict.REJECT)})
    changed = replace_chunk_proposals(
        "chunk-0", propose(replace(QUAY, description="x")), by_id([shared, rejected])
    )
    (kept,) = changed
    assert kept.id == mara.id
    assert [e.ref_id for e in kept.evidence] == ["chunk-1"]


def test_proposal_that_lost_its_words_regains_them_when_they_are_found_again() -> None:
    staged = by_id(propose(MARA))
    staged |= by_id(replace_chunk_proposals("chunk-0", [], staged))
    (again,) = replace_chunk_proposals("chunk-0", propose(MARA), staged)
    assert again.evidence == propose(MARA)[0].evidence


@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.REJECT, Verdict.DEFER, Verdict.UNDO])
def test_decided_proposal_is_never_replaced(verdict: Verdict) -> None:
    (mara,) = propose(MARA)
    decided = mara.model_copy(update={"decision": make.decision(verdict)})
    assert merge_with_staged(propose(MARA, ordinal=1), by_id([decided])) == ()
    assert replace_chunk_proposals("chunk-0", propose(MARA), by_id([decided])) == ()
