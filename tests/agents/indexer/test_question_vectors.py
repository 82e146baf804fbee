"""Questions as vectors, in time or not at all; and another embedding model while searches go on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

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
    async with library(tmp_path / "home") as opened:
        await fill(opened)
        yield opened


class Hurried:
    """A clock on which no test waits for a second try."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 20.0
        return self.now


class Vectors:
    """What the composition builds for one start of the program with this embedding model set."""

    def __init__(self, stores: Stores, embedder: FakeEmbedder, *others: FakeEmbedder) -> None:
        index = stores.vectors(Role.INDEXER)
        book = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
        known: dict[str, Embedder] = {one.model: one for one in (embedder, *others)}
        self.in_use = ActiveVectorModel(index, book, embedder.model)
        self.meaning = CachedQuestionEmbedder(self.in_use, known.get, timeout_seconds=5.0)
        self.runner = JobRunner(book, EventBus(), seconds=Hurried())
        truth = SourceReader(stores.canon(Role.INDEXER), stores.log(Role.INDEXER))
        indexer = Indexer(truth, VectorIndexWriter(index, embedder, batch_size=2))
        self.runner.register(
            IndexWorker(truth, indexer, JobKind.EMBED, on_complete=self.in_use.mark_complete)
        )

    async def close(self) -> None:
        await self.runner.close()
        await self.meaning.close()


async def models(stores: Stores) -> set[str]:
    index = stores.vectors(Role.INDEXER)
    return {model for name in COLLECTIONS[Store.VECTORS] for model in await index.models(name)}


async def marks(stores: Stores, model: str) -> dict[Id, str]:
    return await stores.vectors(Role.INDEXER).fingerprints("turns", model=model)


async def asked(vectors: Vectors) -> str:
    answer = await vectors.meaning.embed_question("who has the bell?")
    assert isinstance(answer, QuestionVector)
    return answer.model


async def test_vector_model_switches_only_when_complete(stores: Stores) -> None:
    old, new = FakeEmbedder(OLD), FakeEmbedder(NEW, turn=1)
    first = Vectors(stores, old)
    await first.runner.wait_until_idle()
    assert await asked(first) == OLD
    await first.close()
    whole = await marks(stores, OLD)
    assert whole

    # The setting was changed; half way through, the new model goes away.
    new.stops = 5
    second = Vectors(stores, new, old)
    await second.runner.wait_until_idle()
    assert await models(stores) == {OLD, NEW}
    assert await marks(stores, OLD) == whole
    assert await asked(second) == OLD
    assert "The model is away." in dict(second.runner.current_status().rows)["meaning"]
    await second.close()

    # Nor does a new start make it whole.
    third = Vectors(stores, new, old)
    await third.runner.wait_until_idle()
    assert await asked(third) == OLD
    assert await marks(stores, OLD) == whole
    await third.close()

    new.stops = None
    fourth = Vectors(stores, new, old)
    await fourth.runner.wait_until_idle()
    assert await asked(fourth) == NEW
    assert await models(stores) == {NEW}
    assert await marks(stores, NEW) == whole
    await fourth.close()


async def test_vector_model_switched_back_keeps_vectors(stores: Stores) -> None:
    old, new = FakeEmbedder(OLD), FakeEmbedder(NEW, turn=1)
    first = Vectors(stores, old)
    await first.runner.wait_until_idle()
    await first.close()
    made = len(old.made)
    new.stops = 5
    second = Vectors(stores, new, old)
    await second.runner.wait_until_idle()
    await second.close()
    third = Vectors(stores, old, new)
    await third.runner.wait_until_idle()
    assert await asked(third) == OLD
    assert await models(stores) == {OLD}
    assert len([text for text in old.made[made:] if text != "who has the bell?"]) == 0
    await third.close()


async def test_vector_model_that_was_removed_is_not_searched(stores: Stores) -> None:
    first = Vectors(stores, FakeEmbedder(OLD))
    await first.runner.wait_until_idle()
    await first.close()
    second = Vectors(stores, FakeEmbedder(NEW))  # the old one cannot be had
    answer = await second.meaning.embed_question("who has the bell?")
    assert isinstance(answer, str)
    assert OLD in answer
    await second.runner.wait_until_idle()
    assert await asked(second) == NEW
    await second.close()


async def test_vector_cost_is_charged_to_its_universe(stores: Stores) -> None:
    embedder = FakeEmbedder()
    vectors = Vectors(stores, embedder)
    await vectors.runner.wait_until_idle()
    universes = {universe.id for universe in await stores.canon(Role.INDEXER).universes()}
    assert embedder.paid == universes
    await vectors.close()


async def test_question_vector_that_is_late_serves_next_search(stores: Stores) -> None:
    embedder = FakeEmbedder()
    embedder.awake.clear()
    vectors = Vectors(stores, embedder)
    meaning = CachedQuestionEmbedder(vectors.in_use, lambda model: embedder, timeout_seconds=0.0)
    assert await meaning.embed_question("who?") == STARTING_NOTE
    assert await meaning.embed_question("who?") == STARTING_NOTE
    embedder.awake.set()
    patient = CachedQuestionEmbedder(vectors.in_use, lambda model: embedder, timeout_seconds=5.0)
    answer = await patient.embed_question("who?")
    assert isinstance(answer, QuestionVector)
    assert await patient.embed_question("who?") == answer
    # The impatient one's was made meanwhile; each was made once, however often it was asked for.
    assert isinstance(await meaning.embed_question("who?"), QuestionVector)
    assert embedder.made == ["who?", "who?"]
    await meaning.close()
    await patient.close()


async def test_question_vector_reports_switched_off_model(stores: Stores) -> None:
    book = JobStore(stores.log(Role.ORCHESTRATOR), utc_now)
    meaning = CachedQuestionEmbedder(
        ActiveVectorModel(stores.vectors(Role.INDEXER), book, None), lambda model: None
    )
    assert await meaning.embed_question("who?") == SWITCHED_OFF_NOTE


async def test_question_vector_reports_reason_of_model(stores: Stores) -> None:
    class Missing(FakeEmbedder):
        async def embed(self, *args: object, **named: object) -> list[tuple[float, ...]]:  # type: ignore[override]
            raise EmbedderUnavailable("The embedding model needs onnxruntime.")

    vectors = Vectors(stores, Missing())
    assert await vectors.meaning.embed_question("who?") == "The embedding model needs onnxruntime."
    await vectors.close()


async def test_index_writer_skips_text_that_is_refused(stores: Stores) -> None:
    class Picky(FakeEmbedder):
        async def embed(
            self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
        ) -> list[Sequence[float]]:
            if any("swims" in text for text in texts):
                raise TextsRefused("It is too wet.")
            return await super().embed(texts, urgent=urgent, universe_id=universe_id)

    (universe, *_) = await stores.canon(Role.INDEXER).universes()
    fact = make.fact("She swims.", universe_id=universe.id)
    await stores.canon(Role.CANON_KEEPER).commit(make.batch(universe_id=universe.id, facts=(fact,)))
    vectors = Vectors(stores, Picky())
    await vectors.runner.wait_until_idle()
    (given_up,) = vectors.runner.current_status().poisoned
    assert (given_up.subject_id, given_up.error) == (universe.id, "It is too wet.")
    for story in await stores.log(Role.INDEXER).stories():
        for scene in await stores.log(Role.INDEXER).scenes(story.id):
            index = stores.vectors(Role.INDEXER)
            length = await stores.log(Role.INDEXER).line_length(scene.id)
            assert await index.count("turns", model="fake-a", scope={"scene": scene.id}) == length
    await vectors.close()
