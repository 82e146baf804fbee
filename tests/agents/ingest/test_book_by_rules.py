"""A rulebook is read in by plain rules, from its file to what is proposed, in the words of a player who does so.

"I drop a rulebook in, without a model, and roll on its tables." Source: docs/ingest.md.
"""

from __future__ import annotations

from pathlib import Path

from agents.canon_keeper.predicates import Catalogue, load_catalogue
from agents.ingest.chunk_server import LadderChunkServer
from agents.ingest.ladder.chunk_model import ChunkModel
from agents.proposals.written_tables import is_table
from monitor_tui.compose import Program
from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, CreateEntity, NoteAxiom
from stores.records.ids import Id
from stores.records.sources import LadderStage
from stores.records.workflow import ProposedChange, Verdict
from tests.agents.ingest.chunk_models import ScriptedChunkModel, tool_calls
from tests.agents.ingest.reading_in import read_in, write_book
from tests.program import begin, opened

BOOK = """# The Salt Coast

Captain Mara Venn rules over Salt Quay. Old Bram keeps the lamp of Salt Quay. Mara Venn fears the tide.

The dead cannot cross salt water.

## Weather on the coast

| d6 | Weather |
|----|---------|
| 1-3 | fog off the water |
| 4 | hard frost |
| 5-6 | clear |
"""


async def read_catalogue(universe_id: Id) -> Catalogue:
    return load_catalogue()


def build_server(program: Program, model: ChunkModel | None = None) -> LadderChunkServer:
    canon, log = program.stores.canon(Role.INGEST), program.stores.log(Role.INGEST)
    return LadderChunkServer(canon, log, read_catalogue, model)


async def read_book(program: Program, universe_id: Id, folder: Path) -> Id:
    (progress,) = await program.services.ingest.start(write_book(folder, BOOK), universe_id)
    await read_in(program, build_server(program))
    return progress.source_id


async def list_proposals(program: Program, source_id: Id) -> list[ProposedChange]:
    return await program.stores.log(Role.INGEST).proposals(ProposalQuery(source_id=source_id))


async def test_book_is_proposed_by_rules_and_its_table_is_rolled(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        source_id = await read_book(program, universe_id, tmp_path)
        proposals = await list_proposals(program, source_id)
        payloads = [proposal.payload for proposal in proposals]
        names = [p.name for p in payloads if isinstance(p, CreateEntity)]
        assert any("Mara Venn" in name for name in names)
        assert "Salt Quay" in names
        assert len(names) == len(set(names))
        assert any(isinstance(p, NoteAxiom) and "dead cannot cross" in p.statement for p in payloads)
        assert all(p.evidence and p.evidence[0].page == 1 for p in proposals)
        (table,) = (p for p in proposals if isinstance(p.payload, AssertFact) and is_table(p.payload))
        await program.services.gate.decide([table.id], Verdict.ACCEPT)
        await program.services.ingest.commit(source_id)
        await program.services.play.submit(scene_id, "/table weather on the coast = 4")
        (row,) = (await program.services.play.transcript(scene_id, 0, 100))[-1:]
        assert row.resolution is not None
        assert "hard frost" in row.resolution.text


async def test_book_read_by_rules_is_read_again_by_a_model(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        source_id = await read_book(program, universe_id, tmp_path)
        log = program.stores.log(Role.INGEST)
        (snippet, *_) = await log.snippets(source_id)
        assert snippet.stage is LadderStage.GENERATED
        bram = {
            "name": "Old Bram",
            "kind": "character",
            "quote": "Old Bram keeps the lamp",
            "description": "A keeper",
        }
        server = build_server(program, ScriptedChunkModel(tool_calls(create_entities=[bram])))
        assert await server.begin(await log.source(source_id))
        served = await server.serve(snippet)
        assert (served.stage, served.asked_model, served.model_problem) == (LadderStage.PRIMARY, True, "")
        await log.stage_snippets([snippet], served.proposals)
        proposals = await list_proposals(program, source_id)
        supported = [p.payload.name for p in proposals if isinstance(p.payload, CreateEntity) and p.evidence]
        assert supported == ["Old Bram"]
