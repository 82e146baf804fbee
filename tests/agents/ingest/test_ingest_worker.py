"""The worker that reads documents: stopped at any write and begun again, it leaves the same records."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.events import IngestProgressed
from agents.ingest.chunk_server import LadderChunkServer
from agents.ingest.documents.chunking import split_document
from agents.ingest.documents.document import Chunk
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.ingest_worker import EnrichWorker, IngestWorker
from agents.ingest.ladder.chunk_context import ChunkContext
from agents.ingest.ladder.chunk_model import ChunkAnswer
from agents.ingest.ladder.tool_calls import ChunkToolCalls
from agents.ingest.ports import ChunkServer, ServedChunk
from agents.jobs.worker import RetryLater
from agents.story_outline import NewUniverse
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import StoreError
from stores.ports import SourceWriter
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.sources import LadderStage, Snippet, Source, SourcePage, SourceState
from stores.records.workflow import ProposedChange
from tests.agents.ingest.reading_in import BoldNameServer, build_transcriber, read_in, write_book
from tests.program import opened

CHAPTER = """# Chapter {n}

Captain Mara Venn of Gull Point keeps the lamp {n}. The dead cannot cross salt line {n}. {filler}

## Bren Hollow {n}

Bren Hollow is a fisherman. Captain Venn trusts Bren Hollow. {filler}
"""
BOOK = "".join(CHAPTER.format(n=n, filler=f"The tide turns at stone {n}. " * 30) for n in range(6))


class StoppedError(BaseException):
    """Stands for the end of the process: nothing catches it."""


class StoppingWriter:
    """Writes through, and stops before or after its n-th write. Implements `SourceWriter`."""

    def __init__(self, writer: SourceWriter, stops_at: float) -> None:
        self._writer = writer
        self._left = stops_at

    async def put_source(self, source: Source) -> None:
        await self._write(self._writer.put_source(source))

    async def put_pages(self, pages: Sequence[SourcePage]) -> None:
        await self._write(self._writer.put_pages(pages))

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None:
        await self._write(self._writer.put_snippets(snippets))

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        await self._write(self._writer.stage_snippets(snippets, proposals))

    async def _write(self, write: Any) -> None:
        self._left -= 0.5
        if self._left == 0:
            write.close()
            raise StoppedError
        await write
        self._left -= 0.5
        if self._left == 0:
            raise StoppedError


def build_ladder_server(program: Program) -> LadderChunkServer:
    stores, role = program.stores, Role.INGEST
    return LadderChunkServer(stores.canon(role), stores.log(role), program.services.gate.read_catalogue)


def build_worker(program: Program, writer: SourceWriter, server: ChunkServer) -> IngestWorker:
    stores = program.stores
    return IngestWorker(
        stores.log(Role.INGEST),
        writer,
        stores.objects(Role.INGEST),
        DocumentReader(),
        split_document,
        server,
        program.services.events.publish,
    )


def build_enrich_worker(program: Program, server: ChunkServer) -> EnrichWorker:
    """Return a worker whose model is there."""
    services, log = program.services, program.stores.log(Role.INGEST)
    transcriber = build_transcriber(program, [])
    return EnrichWorker(
        log, services.ingest.recorder, server, transcriber, lambda: True, services.events.publish
    )


async def start(program: Program, folder: Path, text: str = BOOK) -> Id:
    universe = await program.services.stories.create_universe(NewUniverse("Salt"))
    (progress,) = await program.services.ingest.start(write_book(folder, text), universe.id)
    return progress.source_id


async def run_to_end(program: Program, worker: IngestWorker | EnrichWorker, source_id: Id) -> None:
    for _ in range(500):
        if not await worker.reconcile(source_id):
            return
    raise AssertionError("it never ends")


async def read_records(program: Program, source_id: Id) -> list[Any]:
    log = program.stores.log(Role.INGEST)
    return [
        await log.source(source_id),
        await log.source_pages(source_id, 1),
        await log.snippets(source_id),
        sorted(await log.proposals(ProposalQuery(source_id=source_id)), key=lambda p: p.id),
    ]


async def read_undisturbed(folder: Path) -> list[Any]:
    async with opened(folder / "undisturbed") as program:
        source_id = await start(program, folder)
        await run_to_end(
            program,
            build_worker(program, program.services.ingest.recorder, build_ladder_server(program)),
            source_id,
        )
        return await read_records(program, source_id)


def comparable(records: list[Any]) -> str:
    """Return records without the order in which chunks added their evidence, and without ids of the universe."""
    source, pages, snippets, proposals = records
    return repr(
        [
            source.model_dump(exclude={"id", "universe_id", "recorded_at"}),
            [(p.number, p.label, p.text) for p in pages],
            [(s.ordinal, s.page, s.span, s.text, s.stage, s.anchors) for s in snippets],
            sorted(
                (p.payload.kind, str(p.evidence[0].quote), len(p.evidence), p.status.value) for p in proposals
            ),
        ]
    )


@pytest.mark.slow
async def test_document_is_whole_after_a_stop_at_every_write(tmp_path: Path) -> None:
    undisturbed = await read_undisturbed(tmp_path)
    assert len(undisturbed[3]) > 5
    stops = 0
    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path)
        recorder = program.services.ingest.recorder
        for n in range(200):
            writer = StoppingWriter(recorder, 1 + n / 2)
            worker = build_worker(program, writer, build_ladder_server(program))
            try:
                await run_to_end(program, worker, source_id)
                break
            except StoppedError:
                stops += 1
        records = await read_records(program, source_id)
    assert stops > 5
    assert records[0].state is SourceState.DONE
    assert comparable(records) == comparable(undisturbed)


@pytest.mark.chaos
@pytest.mark.timeout(1_800)
async def test_document_is_whole_after_a_hundred_stops_at_random(tmp_path: Path) -> None:
    undisturbed, dice = comparable(await read_undisturbed(tmp_path)), random.Random(20_261_126)
    stops = 0
    for run in range(30):
        async with opened(tmp_path / f"home{run}", seed=run + 1) as program:
            source_id = await start(program, tmp_path)
            for attempt in range(9):
                # Reading begins anew at each start, so the last one is left in peace.
                stops_at = dice.randint(1, 8) / 2 if attempt < 8 else 10_000
                writer = StoppingWriter(program.services.ingest.recorder, stops_at)
                try:
                    await run_to_end(
                        program, build_worker(program, writer, build_ladder_server(program)), source_id
                    )
                    break
                except StoppedError:
                    stops += 1
            assert comparable(await read_records(program, source_id)) == undisturbed
    assert stops >= 100


async def test_ladder_gives_every_chunk_its_evidence_and_an_anchor(tmp_path: Path) -> None:
    pages, snippets, proposals = (await read_undisturbed(tmp_path))[1:]
    texts = {page.number: page.text for page in pages}
    for snippet in snippets:
        assert snippet.stage
        assert snippet.anchors
        first, last = snippet.span
        assert texts[snippet.page][first:last] == snippet.text
    by_id = {snippet.id: snippet for snippet in snippets}
    for proposal in proposals:
        for piece in proposal.evidence:
            assert piece.quote in by_id[piece.ref_id].text
            assert piece.page == by_id[piece.ref_id].page


async def test_every_passage_that_names_somebody_is_evidence_of_them(tmp_path: Path) -> None:
    """A player: "Mara is in every chapter, and her card leads to each of them"."""
    _, snippets, proposals = (await read_undisturbed(tmp_path))[1:]
    (mara,) = (p for p in proposals if isinstance(p.payload, CreateEntity) and "Mara" in p.payload.name)
    naming_ids = {snippet.id for snippet in snippets if mara.payload.name in snippet.anchors}
    assert len(naming_ids) > 5
    assert {piece.ref_id for piece in mara.evidence} == naming_ids


@pytest.mark.slow
async def test_store_that_fails_loses_nothing_that_was_served(tmp_path: Path) -> None:
    undisturbed = await read_undisturbed(tmp_path)

    class FailingWriter(StoppingWriter):
        async def stage_snippets(
            self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]
        ) -> None:
            if self.failures:
                self.failures -= 1
                raise StoreError("The disk is full.")
            await super().stage_snippets(snippets, proposals)

        failures = 2

    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path)
        writer = FailingWriter(program.services.ingest.recorder, 1_000)
        worker = build_worker(program, writer, build_ladder_server(program))
        for _ in range(500):
            try:
                if not await worker.reconcile(source_id):
                    break
            except StoreError:
                continue
        assert comparable(await read_records(program, source_id)) == comparable(undisturbed)


async def test_worker_report_never_overrules_the_user(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path)
        ingest, log = program.services.ingest, program.stores.log(Role.INGEST)
        stale = await log.source(source_id)
        await ingest.pause(source_id)
        await ingest.recorder.put_source(
            stale.model_copy(update={"state": SourceState.READING, "pages_read": 4})
        )
        source = await log.source(source_id)
        assert (source.state, source.pages_read) == (SourceState.PAUSED, 4)
        await ingest.cancel(source_id)
        await ingest.recorder.put_source(stale.model_copy(update={"state": SourceState.DONE}))
        assert (await log.source(source_id)).state is SourceState.CANCELLED


class ScriptedModelServer(BoldNameServer):
    """Answers as a model does for the first `answers` chunks, and is away then."""

    answers = 0

    async def serve(self, snippet: Snippet) -> ServedChunk:
        if not self.answers:
            return ServedChunk(LadderStage.FORCED, ("fog",), (), model_problem="No model answers.")
        self.answers -= 1
        served = await BoldNameServer.serve(self, snippet)
        return ServedChunk(LadderStage.PRIMARY, served.anchors, served.proposals, asked_model=True)


async def test_chunks_for_a_model_wait_for_it_and_are_asked_about_once(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        universe = await program.services.stories.create_universe(NewUniverse("Salt"))
        path = write_book(tmp_path, BOOK)
        (progress,) = await program.services.ingest.start(path, universe.id, uses_model=True)
        await read_in(program)
        log, source_id = program.stores.log(Role.INGEST), progress.source_id
        assert {s.stage for s in await log.snippets(source_id)} == {None}
        server = ScriptedModelServer()
        server.answers = 2
        worker = build_enrich_worker(program, server)
        event = IngestProgressed(universe.id, source_id)
        assert [subject.id for subject in await worker.on_event(event)] == [source_id]
        with pytest.raises(RetryLater):
            await worker.reconcile(source_id)
        assert (await log.source(source_id)).error == "No model answers."
        snippets = await log.snippets(source_id)
        assert [s.asked_model for s in snippets].count(True) == 2
        assert [s.stage for s in snippets].count(LadderStage.FORCED) == 1
        (progress,) = await program.services.ingest.read_progress(universe.id)
        assert progress.waits_for_model
        server.answers = 1_000
        await run_to_end(program, worker, source_id)
        assert len(server.served_ids) == len(set(server.served_ids)) == len(snippets)
        assert (await log.source(source_id)).state is SourceState.DONE


async def test_document_is_read_without_the_model_that_it_waits_for(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        universe = await program.services.stories.create_universe(NewUniverse("Salt"))
        path = write_book(tmp_path, BOOK)
        (progress,) = await program.services.ingest.start(path, universe.id, uses_model=True)
        await read_in(program)
        await program.services.ingest.read_without_model(progress.source_id)
        await read_in(program)
        (view,) = (await program.services.ingest.list_sources(universe.id)).sources
        assert view.state is SourceState.DONE
        assert view.progress.served_count == view.progress.chunk_count


class QuotingModel:
    """Reports one person, in the words of each chunk. Implements `ChunkModel`."""

    async def read_chunk(self, chunk: Chunk, context: ChunkContext) -> ChunkAnswer:
        if "Mara Venn" not in chunk.text:
            return ChunkAnswer(message="Nothing here.")
        entity = {"name": "Captain Mara Venn", "kind": "character", "quote": "Captain Mara Venn"}
        calls = ChunkToolCalls.model_validate({"create_entities": [entity]})
        return ChunkAnswer(calls.tool_calls(LadderStage.PRIMARY))


async def test_enrichment_by_the_ladder_doubles_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path)
        ingest, stores = program.services.ingest, program.stores
        log = stores.log(Role.INGEST)
        worker = build_worker(program, ingest.recorder, build_ladder_server(program))
        await run_to_end(program, worker, source_id)
        await ingest.enrich(source_id)
        server = LadderChunkServer(
            stores.canon(Role.INGEST), log, program.services.gate.read_catalogue, QuotingModel()
        )
        await run_to_end(
            program,
            build_enrich_worker(program, server),
            source_id,
        )
        stages = await log.snippet_stages(source_id, 1)
        assert stages[LadderStage.PRIMARY] >= 1
        assert None not in stages
        creations = await log.proposals(ProposalQuery(source_id=source_id, kind="create_entity"))
        names = [p.payload.name for p in creations if isinstance(p.payload, CreateEntity)]
        assert names.count("Captain Mara Venn") == 1
        assert len(names) == len(set(names))


class SilentModel:
    """Says nothing about any chunk. Implements `ChunkModel`."""

    async def read_chunk(self, chunk: Chunk, context: ChunkContext) -> ChunkAnswer:
        return ChunkAnswer()


async def test_enrichment_asks_again_about_what_a_model_left_to_plain_rules(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path)
        ingest, stores = program.services.ingest, program.stores
        log, read_catalogue = stores.log(Role.INGEST), program.services.gate.read_catalogue
        worker = build_worker(program, ingest.recorder, build_ladder_server(program))
        await run_to_end(program, worker, source_id)
        stages = []
        for model in (SilentModel(), QuotingModel()):
            await ingest.enrich(source_id)
            server = LadderChunkServer(stores.canon(Role.INGEST), log, read_catalogue, model)
            await run_to_end(
                program,
                build_enrich_worker(program, server),
                source_id,
            )
            assert all(s.asked_model for s in await log.snippets(source_id))
            stages.append({s.stage for s in await log.snippets(source_id)})
        assert LadderStage.PRIMARY not in stages[0]
        assert LadderStage.PRIMARY in stages[1]


async def test_enrichment_asks_about_what_no_model_was_asked_about(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path)
        await read_in(program)
        log, server = program.stores.log(Role.INGEST), ScriptedModelServer()
        server.answers = 1_000
        worker = build_enrich_worker(program, server)
        assert await worker.subjects() == []
        await program.services.ingest.enrich(source_id)
        await run_to_end(program, worker, source_id)
        assert all(s.asked_model for s in await log.snippets(source_id))
        assert (await log.source(source_id)).state is SourceState.DONE
