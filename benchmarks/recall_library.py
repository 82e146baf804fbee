"""Builds a library with an imported and indexed log, to be searched.

Vectors are made by the built-in model, and cached by a hash of the text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.embeddings import TOKEN_CODE_BYTES, Embedding, TokenCodes
from agents.importers.import_views import ImportRequest
from agents.indexer.embedding_port import QuestionVector
from agents.indexer.index_texts import TurnNeighbours, compute_fingerprint
from agents.indexer.index_writers import VectorIndexWriter
from agents.indexer.minilm_embedder import MiniLmEmbedder
from agents.indexer.source_reader import SourceReader
from benchmarks.libraries import cache_folder
from monitor_tui.compose import open_program
from stores.authority import Role
from stores.ports import TextItem
from stores.records.canon import (
    CanonBatch,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    Supersession,
    Support,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Turn
from stores.records.world import Entity, EntityKind
from stores.stores import Stores

AT_ONCE: Final = 64
START: Final = datetime(2023, 1, 1, tzinfo=UTC)


class CachedEmbedder:
    """Embeds texts, each once: what was made is kept in a file between runs. Implements `Embedder`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._embedder = MiniLmEmbedder()
        self._embeddings_by_print = _read_embeddings(file) if file.exists() else {}
        self._has_new_embeddings = False

    @property
    def model(self) -> str:
        return self._embedder.model

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        prints = [compute_fingerprint(text) for text in texts]
        new_texts = {
            p: text for p, text in zip(prints, texts, strict=True) if p not in self._embeddings_by_print
        }
        new_prints = list(new_texts)
        for start in range(0, len(new_prints), AT_ONCE):
            batch = new_prints[start : start + AT_ONCE]
            embeddings = await self._embedder.embed([new_texts[p] for p in batch])
            self._embeddings_by_print |= zip(batch, embeddings, strict=True)
            self._has_new_embeddings = True
        return [self._embeddings_by_print[p] for p in prints]

    async def embed_question(self, question: str) -> QuestionVector | str:
        """Embed a question without a time limit; see `agents.indexer.embedding_port.QuestionEmbedder`."""
        (embedding,) = await self.embed([question])
        return QuestionVector(self.model, embedding.vector, embedding.tokens.codes)

    def warm(self) -> None:
        self._embedder.warm()

    async def close(self) -> None:
        await self._embedder.close()
        if self._has_new_embeddings:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            _write_embeddings(self._file, self._embeddings_by_print)


def _read_embeddings(file: Path) -> dict[str, Embedding]:
    with np.load(file) as arrays:
        codes, ends = arrays["codes"].tobytes(), arrays["ends"].tolist()
        vectors, counts = arrays["vectors"], arrays["token_counts"].tolist()
        embeddings_by_print, first = {}, 0
        for text_print, vector, count in zip(arrays["prints"].tolist(), vectors, counts, strict=True):
            code_bytes = codes[TOKEN_CODE_BYTES * first : TOKEN_CODE_BYTES * (first + count)]
            tokens = TokenCodes(code_bytes, ends[first : first + count])
            embeddings_by_print[text_print] = Embedding(vector.tolist(), tokens)
            first += count
    return embeddings_by_print


def _write_embeddings(file: Path, embeddings_by_print: Mapping[str, Embedding]) -> None:
    embeddings = list(embeddings_by_print.values())
    np.savez(
        file,
        prints=list(embeddings_by_print),
        vectors=np.array([embedding.vector for embedding in embeddings], np.float32),
        token_counts=[len(embedding.tokens.ends) for embedding in embeddings],
        codes=np.frombuffer(b"".join(embedding.tokens.codes for embedding in embeddings), np.uint8),
        ends=np.concatenate([np.asarray(embedding.tokens.ends, np.uint32) for embedding in embeddings]),
    )


@dataclass(frozen=True, slots=True)
class QuestionLibrary:
    """A library to be searched; `turns` are those of the log by the log's own references."""

    stores: Stores
    universe_id: Id
    meaning: CachedEmbedder
    turns: dict[str, Turn]


@asynccontextmanager
async def open_indexed(
    home: Path, log: Path, vectors_file: Path | None = None
) -> AsyncIterator[QuestionLibrary]:
    """Import the log, index it, and return what is needed to search it."""
    meaning = CachedEmbedder(vectors_file or cache_folder() / "embeddings.npz")
    data = await asyncio.to_thread(log.read_bytes)
    program = await open_program(home)
    try:
        import_result = await program.services.imports.import_log(
            ImportRequest(log.name, data, universe="Measured")
        )
        turns = await index(program.stores, import_result.universe_id, meaning)
        yield QuestionLibrary(program.stores, import_result.universe_id, meaning, {t.ref: t for t in turns})
    finally:
        await meaning.close()
        await program.close()


async def commit_canon(stores: Stores, universe_id: Id, file: Path, turns: Mapping[str, Turn]) -> None:
    """Commit the entities and facts of a file with their evidence and supersessions, then index them."""
    text = await asyncio.to_thread(file.read_text, "utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    entities = {line["entity"]: _entity(line, universe_id) for line in lines if "entity" in line}
    fact_lines = [line for line in lines if "fact" in line]
    since = {line["fact"]: turns[line["turns"][0]].tick for line in fact_lines}
    until = {older: since[line["fact"]] for line in fact_lines for older in line["ends"]}
    facts, evidence, supports, edges = [], [], [], []
    for line in fact_lines:
        fact = _fact(line, universe_id, entities, since, until)
        facts.append(fact)
        for ref in line["turns"]:
            piece = Evidence(
                id=derive_id("measured evidence", fact.id, ref),
                kind=EvidenceKind.TURN,
                ref_id=turns[ref].id,
                turn_id=turns[ref].id,
            )
            evidence.append(piece)
            supports.append(Support(subject_id=fact.id, evidence_id=piece.id))
        edges += [Supersession(newer_id=fact.id, older_id=_fact_id(older)) for older in line["ends"]]
    batch = CanonBatch(
        id=derive_id("measured canon"),
        universe_id=universe_id,
        entities=tuple(entities.values()),
        facts=tuple(facts),
        evidence=tuple(evidence),
        supports=tuple(supports),
        supersedes=tuple(edges),
    )
    await stores.canon(Role.CANON_KEEPER).commit(batch)


async def index_canon(stores: Stores, universe_id: Id, meaning: CachedEmbedder) -> None:
    source_reader = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
    canon = await source_reader.read_canon(universe_id)
    await put(stores, "entities", canon.entities, meaning)
    await put(stores, "facts", canon.facts, meaning)


def _entity(line: Mapping[str, Any], universe_id: Id) -> Entity:
    return Entity(
        id=derive_id("measured entity", line["entity"]),
        universe_id=universe_id,
        kind=EntityKind(line["kind"]),
        name=line["entity"],
        aliases=tuple(line["aliases"]),
        recorded_at=START,
    )


def _fact(
    line: Mapping[str, Any],
    universe_id: Id,
    entities: Mapping[str, Entity],
    since: Mapping[str, int],
    until: Mapping[str, int],
) -> Fact:
    roles = ("subject", "object", "witness")
    is_superseded = line["fact"] in until
    return Fact(
        id=_fact_id(line["fact"]),
        universe_id=universe_id,
        kind=FactKind.STATE,
        predicate="stated",
        statement=line["says"],
        involves=tuple(
            Involvement(role=role, entity_id=entities[name].id)
            for role, name in zip(roles, line["about"], strict=False)
        ),
        valid_from=since[line["fact"]],
        valid_to=until.get(line["fact"]),
        status=FactStatus.SUPERSEDED if is_superseded else FactStatus.CANONICAL,
        recorded_at=START,
    )


def _fact_id(key: str) -> Id:
    return derive_id("measured fact", key)


async def index(stores: Stores, universe_id: Id, meaning: CachedEmbedder) -> list[Turn]:
    """Put every turn of the universe into both indexes; returns the turns."""
    log, canon = stores.log(Role.INDEXER), stores.canon(Role.INDEXER)
    source_reader, turns = SourceReader(canon, log), list[Turn]()
    for scene in await source_reader.read_scenes(universe_id):
        length, pc_name = await log.line_length(scene.id), await source_reader.read_pc_name(scene)
        turns += await log.line_slice(scene.id, 0, length)
        items_by_neighbours = {
            neighbours: (await source_reader.read_line_stretch(scene, pc_name, 0, length, neighbours)).items
            for neighbours in TurnNeighbours
        }
        await _put_words(stores, "turns", items_by_neighbours[TurnNeighbours.BOTH])
        await _put_vectors(stores, "turns", items_by_neighbours[TurnNeighbours.PREVIOUS], meaning)
    return turns


async def put(stores: Stores, collection: str, items: Sequence[TextItem], meaning: CachedEmbedder) -> None:
    """Put the items into both indexes."""
    await _put_words(stores, collection, items)
    await _put_vectors(stores, collection, items, meaning)


async def _put_words(stores: Stores, collection: str, items: Sequence[TextItem]) -> None:
    await stores.words(Role.INDEXER).put(collection, items)


async def _put_vectors(
    stores: Stores, collection: str, items: Sequence[TextItem], meaning: CachedEmbedder
) -> None:
    await VectorIndexWriter(stores.vectors(Role.INDEXER), meaning).put(collection, items)
