"""Tests with a real small model in the real child (`make test-model`). Only structure is asserted."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agents.llm.child_client import ChildModel
from agents.llm.errors import ModelCut, ModelError, ModelTimeout, ModelTooLong
from agents.llm.llm_port import AnswerSchema, LlmRequest, Message, TextChunk, Usage
from monitor_tui.cli.common import open_library
from stores.authority import Role
from stores.queries import LlmCallQuery
from stores.records.llm import FallbackStep, Persona
from tools.small_model import NAME, WINDOW, serve_model

pytestmark = [
    pytest.mark.model,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("a small model"),
    pytest.mark.timeout(300),
]

TEN = Path(__file__).parent / "scripts" / "ten.play"

MOOD = {
    "type": "object",
    "properties": {
        "mood": {"type": "string", "enum": ["calm", "afraid", "angry"]},
        "strength": {"type": "integer", "minimum": 0, "maximum": 100},
        "why": {"type": "string", "maxLength": 80},
    },
    "required": ["mood", "strength", "why"],
    "additionalProperties": False,
}
TELL = (
    Message("system", "You narrate a role-playing game in short sentences, to the player as “you”."),
    Message("user", "I open the cellar door and hold up my lantern."),
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve_model() as address:
        yield address


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def model() -> AsyncIterator[ChildModel]:
    model = ChildModel()
    yield model
    await model.close()


@pytest.fixture
def model_request(address: str) -> LlmRequest:
    return LlmRequest(f"openai/{NAME}", TELL, max_tokens=60, temperature=0.2, seed=1, api_base=address)


async def collect_answer(model: ChildModel, model_request: LlmRequest) -> tuple[list[str], Usage]:
    parts = [part async for part in model.stream(model_request)]
    assert isinstance(parts[-1], Usage)
    return [part.text for part in parts if isinstance(part, TextChunk)], parts[-1]


async def test_small_model_narrates_and_counts_tokens(model: ChildModel, model_request: LlmRequest) -> None:
    words, usage = await collect_answer(model, model_request)
    print("".join(words))
    assert len(words) > 5
    assert usage.counted
    assert usage.tokens_in > 20
    assert 5 < usage.tokens_out <= 60
    assert usage.finish in ("stop", "length")
    assert not usage.cost.known
    second_text, _ = await collect_answer(model, model_request)
    assert second_text == words  # the seed goes through


async def test_small_model_keeps_bounded_schema(model: ChildModel, model_request: LlmRequest) -> None:
    question = (Message("user", "How does a thief feel who hears a dog bark? Answer in JSON."),)
    for seed in range(4):
        shaped = replace(
            model_request, messages=question, max_tokens=160, seed=seed, shape=AnswerSchema("mood", MOOD)
        )
        answer = read("".join((await collect_answer(model, shaped))[0]))
        assert answer is not None
        assert answer["mood"] in ("calm", "afraid", "angry")
        assert 0 <= answer["strength"] <= 100
        assert len(answer["why"]) <= 80


async def test_small_model_tool_call_gives_json_or_words(
    model: ChildModel, model_request: LlmRequest
) -> None:
    """Small models write tool calls as text; the next rung reads those."""
    shaped = replace(model_request, max_tokens=160, shape=AnswerSchema("mood", MOOD, mode="tools"))
    try:
        words, usage = await collect_answer(model, shaped)
    except ModelError as error:
        assert error.code == "ModelRejected", error  # noqa: PT017 - either end is a good one
    else:
        print("".join(words))
        assert usage.tokens_out > 0


async def test_small_model_reports_prompt_beyond_window(model: ChildModel, model_request: LlmRequest) -> None:
    long = replace(model_request, messages=(Message("user", "The door opens. " * WINDOW),))
    with pytest.raises(ModelTooLong, match="does not fit"):
        await collect_answer(model, long)


async def test_small_model_times_out(model: ChildModel, model_request: LlmRequest) -> None:
    with pytest.raises((ModelTimeout, ModelCut), match=r"did not finish in 0\.5 s"):
        await collect_answer(model, replace(model_request, max_tokens=4_000, seconds=0.5, temperature=1.0))


async def test_small_model_serves_next_call_after_stop(model: ChildModel, model_request: LlmRequest) -> None:
    """It has one slot: were the stopped one still at work, this one would wait for 4,000 tokens."""
    endless = replace(
        model_request, max_tokens=4_000, messages=(Message("user", "Count from 1 to 5000: 1 2 3 4 5 6"),)
    )
    async with aclosing(model.stream(endless)) as stream:
        for _ in range(3):
            assert isinstance(await anext(stream), TextChunk)
    words, _ = await collect_answer(model, replace(model_request, max_tokens=10, seconds=10))
    assert words


async def test_small_model_facts(model: ChildModel, model_request: LlmRequest) -> None:
    facts = await model.read_facts(model_request.model)
    assert facts.takes_schema
    assert facts.in_per_million is None


def read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@pytest.mark.timeout(3_600)  # on two cores that other work keeps busy a call takes two minutes
async def test_small_model_plays_ten_exchanges(address: str, tmp_path: Path) -> None:
    """The whole program, by its command: every exchange is told or is said to be untold, every call stands on
    the bill, the ladder makes of a weak model's output what can be made, and nothing became true by it."""
    environ = {
        **os.environ,
        "MONITOR_HOME": str(tmp_path / "home"),
        "MONITOR_MODEL_NAME": f"openai/{NAME}",
        "MONITOR_MODEL_API_BASE": address,
        "MONITOR_MODEL_SECONDS": "300",
        "MONITOR_NARRATOR_MAX_TOKENS": "60",
        "MONITOR_ARCHIVIST_MAX_TOKENS": "250",
    }
    command = [sys.executable, "-m", "monitor_tui", "play", "--script", str(TEN), "--seed", "3", "--json"]
    completed = await asyncio.to_thread(
        lambda: subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    )
    assert completed.returncode == 0, completed.stderr
    report = json.loads(completed.stdout)
    (scene,) = report["scenes"]
    texts_by_exchange = {
        turn["exchange_id"]: turn["text"] for turn in scene["turns"] if turn["speaker"] == "gm"
    }
    player_turns = [turn for turn in scene["turns"] if turn["speaker"] == "player"]
    assert len(player_turns) == 10
    assert len(texts_by_exchange) == 10
    assert all(texts_by_exchange.values())
    assert report["facts"] == []

    async with open_library(tmp_path / "home") as stores:
        calls = await stores.log(Role.ORCHESTRATOR).llm_calls(
            LlmCallQuery(universe_id=report["universe"]["id"])
        )
    by = {persona: [call for call in calls if call.persona is persona] for persona in Persona}
    assert len(by[Persona.NARRATOR]) >= 10
    assert len(by[Persona.ARCHIVIST]) >= 10
    assert {persona for persona, made in by.items() if made} == {Persona.NARRATOR, Persona.ARCHIVIST}
    assert all(call.counted for call in calls if not call.error)  # the server counts what it has finished
    assert not any(call.cost.known for call in calls)
    print("\nrungs of the Archivist:", Counter(call.fallback_step.value for call in by[Persona.ARCHIVIST]))
    for call in calls:
        print(
            f"{call.persona.value:<10} {call.tokens_in:>5} {call.tokens_out:>4} {call.seconds:6.1f} s ",
            end="",
        )
        print(f"{call.fallback_step.value:<10} {call.outcome.value:<8} {call.result or call.error}")
    for turn in player_turns:
        print(f"> {turn['text']}\n{texts_by_exchange[turn['exchange_id']]}\n")
    # One that is cut off in its lists has given its summary first.
    steps = {call.fallback_step for call in by[Persona.ARCHIVIST]}
    assert steps & {FallbackStep.SCHEMA, FallbackStep.TEXT}
