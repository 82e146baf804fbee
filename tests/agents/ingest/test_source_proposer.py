"""A document's proposals in the stores, chunk after chunk, and after a stop in between."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from agents.canon_keeper.predicates import Catalogue, load_catalogue
from agents.ingest.documents.document import Chunk
from agents.ingest.ladder.chunk_context import ChunkContext, ChunkOutcome
from agents.ingest.ladder.chunk_ladder import ChunkLadder
from agents.ingest.ladder.chunk_model import ChunkModel
from agents.ingest.source_proposals import SourceProposer
from monitor_tui.compose import Program
from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.sources import Snippet, Source, derive_snippet_id
from stores.records.workflow import ProposedChange, Verdict
from tests.agents.ingest.chunk_models import ScriptedChunkModel, find_names, tool_calls
from tests.contract import builders as make
from tests.program import begin, opened

AT = datetime(2026, 1, 1, tzinfo=UTC)
PAGES = (
    "Old Bram keeps the lamp of Salt Quay. He fears Mara Venn.",
    "At night Mara Venn comes to Salt Quay. They call Captain Venn a smuggler.",
)


async def read_catalogue(universe_id: Id) -> Catalogue:
    return load_catalogue()


def make_proposer(program: Program) -> SourceProposer:
    stores = program.stores
    return SourceProposer(stores.canon(Role.INGEST), stores.log(Role.INGEST), read_catalogue, ())


async def read_chunk(source: Source, number: int, model: ChunkModel | None = None) -> ChunkOutcome:
    text = PAGES[number]
    context = ChunkContext(
        source.universe_id, source.id, derive_snippet_id(source.id, text), source.title, "book.pdf"
    )
    chunk = Chunk(number, number + 1, (0, len(text)), text)
    return await ChunkLadder(find_names, model).process_chunk(chunk, context)


async def store(
    program: Program, source: Source, outcome: ChunkOutcome, changed: Sequence[ProposedChange]
) -> None:
    snippet = Snippet(
        id=outcome.evidence.record.ref_id,
        source_id=source.id,
        universe_id=source.universe_id,
        ordinal=outcome.chunk.ordinal,
        text=outcome.chunk.text,
        page=outcome.chunk.page,
        stage=outcome.stage,
    )
    await program.stores.log(Role.INGEST).stage_snippets([snippet], changed)


async def staged(program: Program, source: Source) -> dict[str, ProposedChange]:
    query = ProposalQuery(universe_id=source.universe_id, source_id=source.id)
    proposals = await program.stores.log(Role.INGEST).proposals(query)
    return {p.payload.name: p for p in proposals if isinstance(p.payload, CreateEntity)}


async def add_source(program: Program) -> Source:
    scene_id = await begin(program)
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    source = make.source(universe_id=universe_id, title="The Salt Coast", recorded_at=AT)
    await program.stores.log(Role.INGEST).put_source(source)
    return source


async def test_document_is_proposed_once_though_reading_stopped_and_began_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        source = await add_source(program)
        for number in (0, 1, 0, 1):
            outcome = await read_chunk(source, number)
            changed = await make_proposer(program).propose(source, outcome)
            await store(program, source, outcome, changed)
        proposals = await staged(program, source)
        assert sorted(proposals) == ["Captain Venn", "Mara Venn", "Old Bram", "Salt Quay"]
        assert [e.page for e in proposals["Salt Quay"].evidence] == [1, 2]
        proposer = make_proposer(program)
        (merge,) = await proposer.propose_merges(source, ())
        assert [e.page for e in merge.evidence] == [1, 2]


async def test_proposals_of_a_document_wait_at_no_gate_of_play(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        source = await add_source(program)
        outcome = await read_chunk(source, 0)
        await store(program, source, outcome, await make_proposer(program).propose(source, outcome))
        assert await staged(program, source)
        query = ProposalQuery(universe_id=source.universe_id)
        at_gates = await program.stores.log(Role.INGEST).proposals(query)
        assert all(proposal.source_id is None for proposal in at_gates)


async def test_model_reads_a_chunk_again_over_undecided_proposals_only(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        source = await add_source(program)
        outcome = await read_chunk(source, 0)
        await store(program, source, outcome, await make_proposer(program).propose(source, outcome))
        first = await staged(program, source)
        rejected = make.decision(Verdict.REJECT)
        await program.stores.log(Role.CANON_KEEPER).decide({first["Old Bram"].id: rejected})
        quay = {
            "name": "Salt Quay",
            "kind": "place",
            "quote": "the lamp of Salt Quay",
            "description": "A harbour",
        }
        reread = await read_chunk(source, 0, ScriptedChunkModel(tool_calls(create_entities=[quay])))
        await store(program, source, reread, await make_proposer(program).propose(source, reread))
        second = await staged(program, source)
        assert second["Old Bram"].decision == rejected
        assert second["Mara Venn"].evidence == ()
        assert isinstance(second["Salt Quay"].payload, CreateEntity)
        assert second["Salt Quay"].payload.description == "A harbour."
        assert second["Salt Quay"].evidence[0].quote == "the lamp of Salt Quay"
