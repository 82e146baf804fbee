"""Importing character cards and lorebooks: what is proposed at the gate, and that nothing is proposed twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.importers.cards.card_receipt import CardReceipt, receipt_lines
from agents.importers.import_views import ImportRequest
from agents.search.source_texts import read_source_texts
from monitor_tui.compose import Program
from stores.authority import Role
from stores.backup.restoring import verify_backup
from stores.backup.writing import write_backup
from stores.records.canon import AssertFact, CreateEntity, EvidenceKind
from stores.records.workflow import ProposedChange, Verdict
from tests.agents.importers.card_files import card_v2, card_v3, png, text_chunk, world_info
from tests.program import begin, opened


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path / "home") as opened_program:
        yield opened_program


async def import_card(
    program: Program, data: bytes, name: str = "ila.png", universe: str = "", hero: str = ""
) -> CardReceipt:
    receipt = await program.services.imports.import_file(ImportRequest(name, data, universe, hero=hero))
    assert isinstance(receipt, CardReceipt)
    return receipt


async def waiting(program: Program, universe_id: str) -> list[ProposedChange]:
    """Return what waits at the gate of the universe."""
    view = await program.services.gate.gate(None, universe_id)
    return [row.proposal for row in view.proposals]


async def test_card_is_proposed_at_the_gate_of_its_universe_with_evidence(program: Program) -> None:
    receipt = await import_card(program, png(text_chunk("chara", card_v2())), hero="Tam")
    assert receipt.universe == "The Salt Coast"
    assert (receipt.entities, receipt.facts, receipt.lore_entries, receipt.kept_texts) == (1, 2, 1, 3)
    lines = "\n".join(receipt_lines(receipt))
    assert "1 character, 2 facts and 1 lore entry proposed in The Salt Coast (new)." in lines
    assert "you decide at the gate" in lines
    proposals = await waiting(program, receipt.universe_id)
    changes = [proposal.change for proposal in proposals]
    (person,) = (change for change in changes if isinstance(change, CreateEntity))
    assert (person.name, person.description) == (
        "Ila Rook",
        "Ila Rook keeps the salt house. She owes Tam a favour.",
    )
    facts = {change.statement: change for change in changes if isinstance(change, AssertFact)}
    assert facts.keys() == {
        "Ila Rook’s personality: dry, patient.",
        "The scenario of Ila Rook: Tam comes in from the rain.",
        "The salt house stands on piles over the mud.",
    }
    lore = facts["The salt house stands on piles over the mud."].lore
    assert lore is not None
    assert lore.keys == ("salt house", "salthouse")
    sources = await program.services.world.provenance.locate_evidence(
        [evidence for proposal in proposals for evidence in proposal.evidence]
    )
    assert {source.place for source in sources} == {"ila.png"}
    assert {source.evidence.kind for source in sources} == {EvidenceKind.CHUNK}
    assert any("entry “salt house”: The salt house" in source.evidence.quote for source in sources)
    assert (await program.services.stories.menu()).fact_count == 0


async def test_card_keeps_its_greeting_and_its_file_but_proposes_neither(program: Program) -> None:
    data = png(text_chunk("chara", card_v2()))
    receipt = await import_card(program, data)
    log = program.stores.log(Role.INGEST)
    (source,) = await log.sources(receipt.universe_id)
    texts = [snippet.text for snippet in await log.snippets(source.id)]
    assert texts[0] == "First message: *Ila Rook looks up.* You are late."
    assert await program.stores.objects(Role.INGEST).get("originals", source.object_key) == data
    assert not [p for p in await waiting(program, receipt.universe_id) if "late" in p.model_dump_json()]
    snippets = await log.snippets(source.id)
    assert await read_source_texts(log, [snippet.id for snippet in snippets]) == {}


async def test_card_proposes_nothing_twice(program: Program) -> None:
    first = await import_card(program, png(text_chunk("chara", card_v2())))
    before = await waiting(program, first.universe_id)
    again = await import_card(program, png(text_chunk("chara", card_v2())))
    as_json = await import_card(program, card_v3(), "ila.json", universe=first.universe, hero="Tam")
    for receipt in (again, as_json):
        assert receipt.universe_id == first.universe_id
        assert (receipt.proposal_count, receipt.proposed_before) == (0, 4)
    assert await waiting(program, first.universe_id) == before
    assert "nothing new for The Salt Coast" in "\n".join(receipt_lines(again))


async def test_card_preview_changes_nothing(program: Program) -> None:
    preview = await program.services.imports.preview(ImportRequest("ila.png", card_v2()))
    assert isinstance(preview, CardReceipt)
    assert (preview.universe, preview.new_universe, preview.proposal_count) == ("The Salt Coast", True, 4)
    assert await program.services.stories.universes() == []


async def test_card_of_somebody_in_canon_proposes_facts_of_them_and_the_hero_is_the_user(
    program: Program,
) -> None:
    scene_id = await begin(program)
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    receipt = await import_card(program, card_v2(name="Mara"), universe="Test")
    changes = [proposal.change for proposal in await waiting(program, universe_id)]
    assert (receipt.entities, receipt.facts, receipt.user) == (0, 4, "Mara")
    (mara,) = await program.services.stories.characters(universe_id)
    facts = [change for change in changes if isinstance(change, AssertFact) and change.lore is None]
    assert {involvement.entity_id for fact in facts for involvement in fact.involves} == {mara.id}


async def test_lorebook_is_committed_and_kept_in_a_backup(program: Program, tmp_path: Path) -> None:
    receipt = await import_card(program, world_info(), "coast.json", universe="The Coast")
    proposals = await waiting(program, receipt.universe_id)
    await program.services.gate.decide([proposal.id for proposal in proposals], Verdict.ACCEPT)
    report = await program.services.gate.commit_universe(receipt.universe_id)
    assert sorted(fact.statement for fact in report.facts) == [
        "Orsk is a city of bells.",
        "The tide rules here.",
    ]
    (evidence, *_) = await program.services.world.provenance.read_evidence(report.facts[0].id)
    assert evidence.place == "coast.json"
    backup = await write_backup(program.stores, tmp_path / "backups", library_id="library")
    assert [universe.name for universe in verify_backup(backup.path).universes] == ["The Coast"]
