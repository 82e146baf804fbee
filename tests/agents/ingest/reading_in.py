"""Reads documents into a library in tests: real stores and readers, and a chunk server that finds what is bold."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agents.ingest.documents.chunking import split_document
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.ingest_worker import IngestWorker
from agents.ingest.page_transcription import PageTranscriber, PictureText
from agents.ingest.ports import ChunkServer, ServedChunk
from agents.llm.errors import ModelError
from monitor_tui.compose import Program
from stores.authority import Role
from stores.ports import SourceWriter
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    FactKind,
    Involvement,
    Payload,
)
from stores.records.ids import Id, derive_id
from stores.records.sources import LadderStage, Snippet, Source
from stores.records.workflow import ProposedChange
from stores.records.world import EntityKind

NAME = re.compile(r"\*\*(.+?)\*\*([^.]*\.)")


@dataclass(slots=True)
class BoldNameServer:
    """Proposes each bold name, and the sentence that it begins. Implements `ChunkServer`."""

    served_ids: list[Id] = field(default_factory=list)
    _source: Source | None = None

    async def begin(self, source: Source) -> bool:
        self._source = source
        return True

    async def serve(self, snippet: Snippet) -> ServedChunk:
        self.served_ids.append(snippet.id)
        proposals: list[ProposedChange] = []
        names = []
        for number, match in enumerate(NAME.finditer(snippet.text)):
            name, sentence = match[1], f"{match[1]}{match[2]}"
            names.append(name)
            entity_id = derive_id("test entity", snippet.universe_id, name)
            creation = CreateEntity(entity_id=entity_id, entity_kind=EntityKind.CHARACTER, name=name)
            statement = AssertFact(
                fact_kind=FactKind.ATTRIBUTE,
                predicate="stated",
                statement=sentence,
                involves=(Involvement(role="subject", entity_id=entity_id),),
            )
            proposals += [
                propose(snippet, creation, f"create {name}", f"**{name}**"),
                propose(snippet, statement, f"{snippet.id} {number}", match[0]),
            ]
        stage = LadderStage.GENERATED if names else LadderStage.FORCED
        return ServedChunk(stage, tuple(names) or (snippet.text[:40],), tuple(proposals))

    def forget(self) -> None:
        self._source = None

    async def finish(self, source: Source) -> tuple[ProposedChange, ...]:
        return ()


def propose(snippet: Snippet, payload: Payload, key: str, quote: str) -> ProposedChange:
    evidence = Evidence(
        id=derive_id("evidence", EvidenceKind.CHUNK, snippet.id, quote),
        kind=EvidenceKind.CHUNK,
        ref_id=snippet.id,
        quote=quote,
        source_id=snippet.source_id,
        page=snippet.page,
    )
    return ProposedChange(
        id=derive_id("test proposal", snippet.source_id, key),
        universe_id=snippet.universe_id,
        source_id=snippet.source_id,
        payload=payload,
        evidence=(evidence,),
        authority=Authority.SOURCE,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def build_worker(
    program: Program, server: ChunkServer | None = None, writer: SourceWriter | None = None
) -> IngestWorker:
    """Return the worker of the program's library, with `server` and `writer` in place of its own."""
    stores = program.stores
    return IngestWorker(
        stores.log(Role.INGEST),
        writer or program.services.ingest.recorder,
        stores.objects(Role.INGEST),
        DocumentReader(),
        split_document,
        server or BoldNameServer(),
        program.services.events.publish,
    )


async def read_in(program: Program, server: ChunkServer | None = None) -> None:
    """Read every document that waits, to its end."""
    worker = build_worker(program, server)
    for subject in await worker.subjects():
        while await worker.reconcile(subject.id):
            pass


def write_book(folder: Path, text: str, name: str = "Salt Coast.md") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@dataclass(slots=True)
class ScriptedPictureModel:
    """Reads each picture as the next of its answers says, or raises it. Implements `PictureModel`."""

    answers: list[str | ModelError]
    numbers: list[int] = field(default_factory=list)
    """The pages that it was shown."""

    async def read_picture(self, source: Source, number: int, picture: bytes) -> PictureText:
        assert picture.startswith(b"\x89PNG")
        self.numbers.append(number)
        answer = self.answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return PictureText(answer, "scripted/eyes")


def build_transcriber(program: Program, answers: list[str | ModelError]) -> PageTranscriber:
    """Return what has pictures of pages read by a scripted model."""
    log, objects = program.stores.log(Role.INGEST), program.stores.objects(Role.INGEST)
    model = ScriptedPictureModel(answers)
    return PageTranscriber(
        log, program.services.ingest.recorder, objects, DocumentReader(), model, time.monotonic
    )
