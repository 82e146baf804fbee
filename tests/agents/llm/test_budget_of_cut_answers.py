"""Tests that budgets count answers that break off and impossible token counts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.llm.llm_port import ModelFacts, Usage
from agents.llm.scripted_model import ScriptedAnswer, ScriptedModel, ScriptedReply
from agents.llm.usage_estimate import is_plausible, price_tokens
from monitor_tui.compose import Program, open_program
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.llm import MAX_CALL_TOKENS, Money, Persona
from tests.agents.orchestrator.scripted_program import PROSE, house, persona_of
from tests.program import START, begin

PRICED = ModelFacts(
    "", window=32_000, takes_schema=True, takes_tools=True, in_per_million=2.5, out_per_million=10.0
)
CUT = ScriptedReply(tuple(f"{word} " for word in PROSE.split()), cut_after=8)


@asynccontextmanager
async def priced_story(
    home: Path, *, narrator: ScriptedAnswer, archivist: ScriptedAnswer, day: float | None
) -> AsyncIterator[tuple[Program, Id, ScriptedModel]]:
    """Open a story with a model at the price of gpt-4o, and a budget of `day` dollars."""
    answers = {Persona.NARRATOR: narrator, Persona.ARCHIVIST: archivist}
    model = ScriptedModel(lambda request: answers[persona_of(request)], facts=PRICED)
    clock = SteppingClock(START)
    program = await open_program(
        home,
        clock=clock,
        ids=SeededIdGenerator(1, clock, salt=str(home)),
        model=model,
        settings=house(budget={"day": day}),
    )
    try:
        yield program, await begin(program), model
    finally:
        await program.close()


@pytest.mark.slow
async def test_budget_of_one_cent_stops_a_server_that_cuts_every_answer(tmp_path: Path) -> None:
    async with priced_story(tmp_path, narrator=CUT, archivist=CUT, day=0.01) as (program, scene_id, model):
        replies = []
        for number in range(25):
            request_count = len(model.requests)
            replies.append(
                await program.services.play.submit(scene_id, f"I try the door for the {number}th time.")
            )
            if len(model.requests) == request_count:
                break
        else:
            pytest.fail("25 answers were cut and none of them counted")
        stopping_lines = " ".join(replies[-1].lines)
        assert "budget" in stopping_lines
        assert "Nothing was sent." in stopping_lines
        typed_lines = [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 200)]
        assert f"I try the door for the {len(replies) - 1}th time." in typed_lines


@pytest.mark.slow
async def test_budget_that_is_smaller_than_one_call_sends_nothing(tmp_path: Path) -> None:
    async with priced_story(tmp_path, narrator=PROSE, archivist="{}", day=0.000_1) as (
        program,
        scene_id,
        model,
    ):
        reply = await program.services.play.submit(scene_id, "I open the door.")
        assert model.requests == []
        assert "The call may cost up to" in " ".join(reply.lines)


@pytest.mark.parametrize(
    "usage",
    [
        Usage(tokens_in=2**62, tokens_out=1, counted=True),
        Usage(tokens_in=10**30, tokens_out=1, counted=True),
        Usage(tokens_in=-5, tokens_out=1, counted=True),
        Usage(tokens_in=1, tokens_out=1, cost=Money(micros=2**62)),
    ],
)
def test_usage_that_no_call_can_have_is_implausible(usage: Usage) -> None:
    assert not is_plausible(usage)
    assert is_plausible(Usage(tokens_in=MAX_CALL_TOKENS, tokens_out=1))


@pytest.mark.slow
async def test_usage_of_impossible_size_is_estimated_and_play_goes_on(tmp_path: Path) -> None:
    """Two calls of 2^62 tokens once stopped even the GM's own words."""
    impossible = ScriptedReply((PROSE,), usage=Usage(tokens_in=2**62, tokens_out=2**62, counted=True))
    no_changes = json.dumps({"summary": "The door gives way.", "changes": []})
    async with priced_story(tmp_path, narrator=impossible, archivist=no_changes, day=None) as (
        program,
        scene_id,
        _model,
    ):
        await program.services.play.submit(scene_id, "I open the door.")
        await program.services.play.submit(scene_id, "> Behind it the sea begins.")
        texts = [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 200)]
        assert PROSE in texts
        assert texts[-1] == "Behind it the sea begins."
        calls = (await program.services.llm.read_bill()).by_call
        assert {call.persona for call in calls} >= {Persona.NARRATOR}
        assert all(
            0 < call.cost.micros < 100_000 and not call.counted for call in calls if call.answer == PROSE
        )


def test_price_of_tokens_is_known_only_with_a_price_list() -> None:
    assert price_tokens(PRICED, 1_000, 100) == Money(micros=3_500)
    assert price_tokens(ModelFacts("own/model"), 1_000, 100) == Money(known=False)
