"""Tests of question vectors, the time limit, and the switch to another embedding model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from agents.embeddings import Embedding
from agents.events import EventBus
from agents.indexer.embedding_port import Embedder, EmbedderUnavailable, QuestionVector, TextsRefused
from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_worker import IndexWorker
from agents.indexer.index_writers import VectorIndexWriter
from agents.indexer.question_vectors import (
    STARTING_NOTE,
    SWITCHED_OFF_NOTE,
    ActiveVectorModel,
    CachedQuestionEmbedder,
)
from agents.indexer.source_reader import SourceReader
from agents.jobs.job_runner import JobRunner
from agents.jobs.job_store import JobStore
from stores.authority import COLLECTIONS, Role, Store
from stores.open import Stores
from stores.records.ids import Id, utc_now
from stores.records.jobs import JobKind
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.contract import builders as make
from tests.libraries import fill, library

OLD, NEW = "fake-a", "fake-b"


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    async with library(tmp_path / "home") as filled_stores:
        await fill(filled_stores)
        yield filled_stores


class FastClock:
    """A clock that advances with every reading, so that no test waits for a retry."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 20.0
        return self.now


class VectorSetup:
    """The parts that one start of the program builds with this embedding model configured."""

    def __init__(self, stores: Stores, embedder: FakeEmbedder, *other_embedders: FakeEmbedder) -> None:
        index = stores.vectors(Role.INDEXER)
        job_store = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
        embedders_by_model: dict[str, Embedder] = {e.model: e for e in (embedder, *other_embedders)}
        self.active_model = ActiveVectorModel(index, job_store, embedder.model)
        self.question_embedder = CachedQuestionEmbedder(
            self.active_model, embedders_by_model.get, timeout_seconds=5.0
        )
        self.runner = JobRunner(job_store, EventBus(), seconds=FastClock())
        source_reader = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
        indexer = Indexer(source_reader, VectorIndexWriter(index, embedder, batch_size=2))
        self.runner.register(
            IndexWorker(source_reader, indexer, JobKind.EMBED, on_complete=self.active_model.mark_complete)
        )

    async def close(self) -> None:
        await self.runner.close()
        await self.question_embedder.close()


async def read_models(stores: Stores) -> set[str]:
    index = stores.vectors(Role.INDEXER)
    return {model for name in COLLECTIONS[Store.VECTORS] for model in await index.models(name)}


async def read_turn_fingerprints(stores: Stores, model: str) -> dict[Id, str]:
    return await stores.vectors(Role.INDEXER).fingerprints("turns", model=model)


async def answering_model(vectors: VectorSetup) -> str:
    """Return the model whose vectors a question gets."""
    answer = await vectors.question_embedder.embed_question("who has the bell?")
    assert isinstance(answer, QuestionVector)
    return answer.model


async def test_vector_model_switches_only_when_complete(stores: Stores) -> None:
    old, new = FakeEmbedder(OLD), FakeEmbedder(NEW, rotation=1)
    first = VectorSetup(stores, old)
    await first.runner.wait_until_idle()
    assert await answering_model(first) == OLD
    await first.close()
    complete = await read_turn_fingerprints(stores, OLD)
    assert complete

    # The configured model has changed; half way through, the new one becomes unavailable.
    new.max_texts = 5
    second = VectorSetup(stores, new, old)
    await second.runner.wait_until_idle()
    assert await read_models(stores) == {OLD, NEW}
    assert await read_turn_fingerprints(stores, OLD) == complete
    assert await answering_model(second) == OLD
    assert "The model is away." in dict(second.runner.current_status().rows)["meaning"]
    await second.close()

    # A restart does not complete it either.
    third = VectorSetup(stores, new, old)
    await third.runner.wait_until_idle()
    assert await answering_model(third) == OLD
    assert await read_turn_fingerprints(stores, OLD) == complete
    await third.close()

    new.max_texts = None
    fourth = VectorSetup(stores, new, old)
    await fourth.runner.wait_until_idle()
    assert await answering_model(fourth) == NEW
    assert await read_models(stores) == {NEW}
    assert await read_turn_fingerprints(stores, NEW) == complete
    await fourth.close()


async def test_vector_model_switched_back_keeps_vectors(stores: Stores) -> None:
    old, new = FakeEmbedder(OLD), FakeEmbedder(NEW, rotation=1)
    first = VectorSetup(stores, old)
    await first.runner.wait_until_idle()
    await first.close()
    text_count = len(old.embedded_texts)
    new.max_texts = 5
    second = VectorSetup(stores, new, old)
    await second.runner.wait_until_idle()
    await second.close()
    third = VectorSetup(stores, old, new)
    await third.runner.wait_until_idle()
    assert await answering_model(third) == OLD
    assert await read_models(stores) == {OLD}
    assert len([text for text in old.embedded_texts[text_count:] if text != "who has the bell?"]) == 0
    await third.close()


async def test_vector_model_that_was_removed_is_not_searched(stores: Stores) -> None:
    first = VectorSetup(stores, FakeEmbedder(OLD))
    await first.runner.wait_until_idle()
    await first.close()
    second = VectorSetup(stores, FakeEmbedder(NEW))  # the old model is not available
    answer = await second.question_embedder.embed_question("who has the bell?")
    assert isinstance(answer, str)
    assert OLD in answer
    await second.runner.wait_until_idle()
    assert await answering_model(second) == NEW
    await second.close()


async def test_vector_cost_is_charged_to_its_universe(stores: Stores) -> None:
    embedder = FakeEmbedder()
    vectors = VectorSetup(stores, embedder)
    await vectors.runner.wait_until_idle()
    universes = {universe.id for universe in await stores.canon(Role.INDEXER).universes()}
    assert embedder.charged_universe_ids == universes
    await vectors.close()


async def test_question_vector_that_is_late_serves_next_search(stores: Stores) -> None:
    embedder = FakeEmbedder()
    embedder.is_awake.clear()
    vectors = VectorSetup(stores, embedder)
    impatient = CachedQuestionEmbedder(vectors.active_model, lambda model: embedder, timeout_seconds=0.0)
    assert await impatient.embed_question("who?") == STARTING_NOTE
    assert await impatient.embed_question("who?") == STARTING_NOTE
    embedder.is_awake.set()
    patient = CachedQuestionEmbedder(vectors.active_model, lambda model: embedder, timeout_seconds=5.0)
    answer = await patient.embed_question("who?")
    assert isinstance(answer, QuestionVector)
    assert await patient.embed_question("who?") == answer
    # The first vector arrived meanwhile. Each embedder computed it once, however often it was asked.
    assert isinstance(await impatient.embed_question("who?"), QuestionVector)
    assert embedder.embedded_texts == ["who?", "who?"]
    await impatient.close()
    await patient.close()


async def test_question_vector_reports_switched_off_model(stores: Stores) -> None:
    job_store = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    impatient = CachedQuestionEmbedder(
        ActiveVectorModel(stores.vectors(Role.INDEXER), job_store, None), lambda model: None
    )
    assert await impatient.embed_question("who?") == SWITCHED_OFF_NOTE


async def test_question_vector_reports_reason_of_model(stores: Stores) -> None:
    class MissingEmbedder(FakeEmbedder):
        async def embed(self, *args: object, **kwargs: object) -> list[Embedding]:
            raise EmbedderUnavailable("The embedding model needs onnxruntime.")

    vectors = VectorSetup(stores, MissingEmbedder())
    assert await vectors.question_embedder.embed_question("who?") == "The embedding model needs onnxruntime."
    await vectors.close()


async def test_index_writer_skips_text_that_is_refused(stores: Stores) -> None:
    class RefusingEmbedder(FakeEmbedder):
        async def embed(
            self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
        ) -> list[Embedding]:
            if any("swims" in text for text in texts):
                raise TextsRefused("This text is refused.")
            return await super().embed(texts, urgent=urgent, universe_id=universe_id)

    (universe, *_) = await stores.canon(Role.INDEXER).universes()
    fact = make.fact("She swims.", universe_id=universe.id)
    await stores.canon(Role.CANON_KEEPER).commit(make.batch(universe_id=universe.id, facts=(fact,)))
    vectors = VectorSetup(stores, RefusingEmbedder())
    await vectors.runner.wait_until_idle()
    (poisoned_job,) = vectors.runner.current_status().poisoned
    assert (poisoned_job.subject_id, poisoned_job.error) == (universe.id, "This text is refused.")
    for story in await stores.log(Role.INDEXER).stories():
        for scene in await stores.log(Role.INDEXER).scenes(story.id):
            index = stores.vectors(Role.INDEXER)
            length = await stores.log(Role.INDEXER).line_length(scene.id)
            assert await index.count("turns", model="fake-a", scope={"scene": scene.id}) == length
    await vectors.close()
