"""Tests of a provider's embedding model: budgets, the bill, and messages when it is unavailable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.indexer.embedding_port import EmbedderUnavailable
from agents.indexer.provider_embedder import MAX_TEXT_CHARS, TEXTS_PER_REQUEST, ProviderEmbedder
from agents.llm.errors import ModelBusy
from agents.llm.llm_port import EmbeddingRequest, Usage
from agents.llm.llm_settings import AppSettings
from agents.llm.model_names import ModelTarget
from agents.llm.scripted_model import ScriptedModel
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.records.ids import Id
from stores.records.llm import Money, Persona
from tests.contract import builders as make

NAME = "openai/text-embedding-3-small"


class FakeEmbeddingModel(ScriptedModel):
    """Implements `agents.llm.llm_port.EmbeddingProvider` too; each text costs a cent."""

    def __init__(self) -> None:
        super().__init__(())
        self.embedding_requests: list[EmbeddingRequest] = []
        self.is_busy = False

    async def embed(self, request: EmbeddingRequest) -> tuple[list[Sequence[float]], Usage]:
        if self.is_busy:
            raise ModelBusy("openai takes no more for the moment.", todo="Wait a little and ask again.")
        self.embedding_requests.append(request)
        vectors: list[Sequence[float]] = [(1.0, float(len(text))) for text in request.texts]
        cost = Money(micros=10_000 * len(request.texts))
        return vectors, Usage(tokens_in=7 * len(request.texts), counted=True, cost=cost)

    @property
    def is_running(self) -> bool:
        return True

    async def warm(self) -> None: ...

    async def send_keys(self, keys: object) -> None: ...


async def open_with_provider(home: Path, provider: FakeEmbeddingModel, **budget: float) -> Program:
    sections = {"embedding": {"model": NAME, "api_base": "http://127.0.0.1:9/v1"}, "budget": budget}
    settings = AppSettings.model_validate(sections)
    return await open_program(home, mode=BackgroundMode.QUERY, model=provider, settings=settings)


async def read_calls(program: Program) -> list[tuple[Persona, str, int, str]]:
    llm_calls = await program.stores.log(Role.CONTEXT_ASSEMBLY).llm_calls()
    return [(call.persona, call.model, call.cost.micros, call.result) for call in llm_calls]


async def test_provider_embedder_cost_is_on_the_bill(tmp_path: Path) -> None:
    provider = FakeEmbeddingModel()
    program = await open_with_provider(tmp_path, provider)
    universe = await program.services.stories.add_sample()
    await program.services.jobs.wait_until_idle()
    texts = sum(len(request.texts) for request in provider.embedding_requests)
    assert texts > 5
    assert {(request.model, request.api_base) for request in provider.embedding_requests} == {
        (NAME, "http://127.0.0.1:9/v1")
    }
    bill = await read_calls(program)
    assert sum(micros for _, _, micros, _ in bill) == 10_000 * texts
    assert {(persona, model) for persona, model, _, _ in bill} == {(Persona.LIBRARIAN, NAME)}
    answer = await program.services.query.answer_question(
        "Who tends the light?", universe_id=universe.id, in_words=False
    )
    assert provider.embedding_requests[-1].texts == ("Who tends the light?",), answer
    await program.close()


async def test_provider_embedder_waits_when_budget_is_nearly_used_up(tmp_path: Path) -> None:
    provider = FakeEmbeddingModel()
    program = await open_with_provider(tmp_path, provider, day=0.01)
    await program.services.stories.add_sample()
    await program.services.jobs.wait_until_idle()
    assert sum(len(request.texts) for request in provider.embedding_requests) <= TEXTS_PER_REQUEST
    meaning = dict(program.services.jobs.current_status().rows)["meaning"]
    assert "today's budget of $0.01 is used up" in meaning
    assert (await program.services.jobs.read_status()).poisoned == ()
    await program.close()


async def test_provider_embedder_waits_for_unavailable_provider(tmp_path: Path) -> None:
    provider = FakeEmbeddingModel()
    provider.is_busy = True
    program = await open_with_provider(tmp_path, provider)
    await program.services.stories.add_sample()
    await program.services.jobs.wait_until_idle()
    rows = dict(program.services.jobs.current_status().rows)
    assert "openai takes no more for the moment." in rows["meaning"]
    assert rows["words"] == "up to date"
    await program.close()


async def test_provider_embedder_sends_batches_of_limited_size() -> None:
    provider, charged_counts = FakeEmbeddingModel(), list[int]()

    async def check_budget(universe_id: Id) -> None: ...

    async def record_cost(universe_id: Id, model: str, texts: int, usage: Usage, seconds: float) -> None:
        charged_counts.append(texts)

    embedder = ProviderEmbedder(provider, ModelTarget(NAME), check_budget, record_cost)
    texts = ["", "x" * (MAX_TEXT_CHARS + 1), *map(str, range(TEXTS_PER_REQUEST))]
    vectors = await embedder.embed(texts, universe_id=make.UNIVERSE)
    assert len(vectors) == len(texts)
    assert charged_counts == [TEXTS_PER_REQUEST, 2]
    assert (
        max(len(text) for request in provider.embedding_requests for text in request.texts) == MAX_TEXT_CHARS
    )
    assert all(text for request in provider.embedding_requests for text in request.texts)
    provider.is_busy = True
    with pytest.raises(EmbedderUnavailable, match="openai takes no more"):
        await embedder.embed(["x"])
