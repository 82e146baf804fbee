"""Tests of the built-in embedding model: its vectors, the order of calls, and the end of its child process."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.embeddings import TOKEN_CODE_BYTES, Embedding
from agents.indexer import minilm_embedder
from agents.indexer.embedding_port import EmbedderUnavailable
from agents.indexer.minilm_embedder import BATCH_CHARACTERS, BATCH_TEXTS, MiniLmEmbedder, plan_batches
from agents.search.token_similarity import compare_tokens

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]


def cosine(one: Embedding, other: Embedding) -> float:
    return math.fsum(a * b for a, b in zip(one.vector, other.vector, strict=True))


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


async def test_minilm_matches_model_card(embedder: MiniLmEmbedder) -> None:
    """Source: huggingface.co/sentence-transformers/all-MiniLM-L6-v2, the example of its inference API; ours
    is the int8 export, so it agrees within 0.02."""
    happy, *others = await embedder.embed(
        [
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        ]
    )
    assert len(happy.vector) == 384
    assert cosine(happy, happy) == pytest.approx(1.0, abs=1e-5)
    assert [cosine(happy, one) for one in others] == pytest.approx([0.695, 0.943, 0.257], abs=0.02)


async def test_minilm_accepts_any_text(embedder: MiniLmEmbedder) -> None:
    odd_texts = [
        "",
        " ",
        "a" * 100_000,
        "word " * 5_000,
        "\ud800 half",
        "\0\x1b[31m",
        "龍は川で死んだ",
        "🐉" * 300,
    ]
    embeddings = await embedder.embed(odd_texts)
    assert [len(embedding.vector) for embedding in embeddings] == [384] * len(odd_texts)
    assert all(math.isfinite(number) for embedding in embeddings for number in embedding.vector)
    token_counts = [len(embedding.tokens.ends) for embedding in embeddings]
    assert token_counts[:4] == [0, 0, 1, 254]
    assert [len(one.tokens.codes) for one in embeddings] == [TOKEN_CODE_BYTES * n for n in token_counts]
    assert await embedder.embed([]) == []


async def test_minilm_vector_is_independent_of_batch(embedder: MiniLmEmbedder) -> None:
    texts = [f"Mara pays {n} coins " + "to the ferryman " * n for n in range(30)]
    together = await embedder.embed(texts)
    alone = await embedder.embed(texts[7:8])
    assert cosine(together[7], alone[0]) == pytest.approx(1.0, abs=0.02)


async def test_minilm_codes_tokens_of_a_text_and_of_its_first_part(embedder: MiniLmEmbedder) -> None:
    own, previous = "The ferryman wants silver.", "Mara: How much is it?"
    both, alone, kitten, tax, cat = await embedder.embed(
        [f"{own}\n{previous}", own, "a kitten", "a tax", "a cat"]
    )
    assert alone.tokens.ends[-1] == len(own)
    assert both.tokens.up_to(len(own)) == both.tokens.codes[: len(alone.tokens.codes)]
    assert len(both.tokens.codes) > len(alone.tokens.codes)
    similarities = compare_tokens(cat.tokens.codes, {"kitten": kitten.tokens.codes, "tax": tax.tokens.codes})
    assert similarities["kitten"] > similarities["tax"] + 0.1


async def test_minilm_answers_question_before_indexing(embedder: MiniLmEmbedder) -> None:
    await embedder.embed(["wake up"])
    finished_names: list[str] = []

    async def embed(name: str, texts: Sequence[str], urgent: bool) -> None:
        await embedder.embed(texts, urgent=urgent)
        finished_names.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(embed("many", ["a line of the log " * 9] * 60, False))
        await asyncio.sleep(0)
        group.create_task(embed("question", ["who has the ring?"], True))
    assert finished_names == ["question", "many"]


async def test_minilm_child_is_restarted_after_kill(embedder: MiniLmEmbedder) -> None:
    before = await embedder.embed(["the ford"])
    assert embedder.pid is not None
    os.kill(embedder.pid, signal.SIGKILL)
    after = await embedder.embed(["the ford"])
    assert cosine(before[0], after[0]) == pytest.approx(1.0, abs=1e-5)


async def test_minilm_child_killed_over_two_batches_answers_both(embedder: MiniLmEmbedder) -> None:
    await embedder.embed(["wake up"])
    assert embedder.pid is not None
    both_calls = asyncio.gather(
        embedder.embed(["a line of the log " * 9] * 30), embedder.embed(["who has the ring?"], urgent=True)
    )
    await asyncio.sleep(0)
    os.kill(embedder.pid, signal.SIGKILL)
    many, one = await both_calls
    assert len(many) == 30
    assert len(one) == 1


async def test_minilm_child_stops_when_idle() -> None:
    embedder = MiniLmEmbedder(idle=0.05)
    try:
        await embedder.embed(["the ford"])
        process_id = embedder.pid
        assert process_id is not None
        while _is_running(process_id):  # noqa: ASYNC110 - nothing signals the end of another process
            await asyncio.sleep(0.01)
        assert embedder.pid is None
        assert len(await embedder.embed(["and again"])) == 1
    finally:
        await embedder.close()


async def test_minilm_reports_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_embedder, "NEEDS", ("numpy", "not_there_at_all"))
    embedder = MiniLmEmbedder()
    with pytest.raises(EmbedderUnavailable, match=r"needs not_there_at_all.*pip install not-there-at-all"):
        await embedder.embed(["the ford"])
    await embedder.close()


async def test_minilm_after_close_raises_unavailable() -> None:
    embedder = MiniLmEmbedder()
    call = asyncio.create_task(embedder.embed(["the ford " * 50] * 50))
    await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(EmbedderUnavailable):
        await call
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed(["the ford"])


async def test_minilm_close_ends_pending_calls() -> None:
    embedder = MiniLmEmbedder()
    await embedder.embed(["wake up"])
    process_id = embedder.pid
    assert process_id is not None
    calls = [
        asyncio.create_task(embedder.embed(["the ford " * 50] * 50, urgent=urgent))
        for urgent in (True, False)
    ]
    for _ in range(20):  # until both calls are with the child, which takes far longer to answer
        await asyncio.sleep(0)
    await embedder.close()
    for call in calls:
        with pytest.raises(EmbedderUnavailable, match="closing"):
            await call
    assert not _is_running(process_id)


async def test_minilm_child_that_cannot_start_ends_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(Path(__file__).with_name("no_python_here")))
    embedder = MiniLmEmbedder()
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match=r"could not be started: No such file"):
            await embedder.embed(["the ford"])
    await embedder.close()


async def test_minilm_cancelled_call_does_not_disturb_others(embedder: MiniLmEmbedder) -> None:
    call = asyncio.create_task(embedder.embed(["the ford " * 50] * 50))
    await asyncio.sleep(0)
    call.cancel()
    assert len(await embedder.embed(["the ford", "the mill"])) == 2


async def test_minilm_batches_are_small_and_even() -> None:
    texts = ["x" * n for n in (10, 3_000, 20, 900, 700, 30, 5, 5, 5, 5, 5, 5)]
    batches = plan_batches(texts)
    assert sorted(place for batch in batches for place in batch) == list(range(len(texts)))
    for batch in batches:
        longest = max(len(texts[place]) for place in batch)
        assert len(batch) == 1 or (len(batch) <= BATCH_TEXTS and longest * len(batch) <= BATCH_CHARACTERS)
