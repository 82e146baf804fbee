"""What comes next is offered with its reason, and going in circles is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.orchestrator.arbiter import OFFER_THRESHOLD, STUCK_EXCHANGES, NextStepOffer, choose_offer
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import PROSE, telling


def offer(urgency: int, dependency: int, intent: int, command: str = "/end") -> NextStepOffer:
    return NextStepOffer(command, "because", urgency, dependency, intent)


def test_arbiter_score_is_weighed_as_designed() -> None:
    assert offer(100, 0, 0).score == 30
    assert offer(0, 100, 0).score == 40
    assert offer(0, 0, 100).score == 30
    assert offer(100, 100, 100).score == 100


def test_arbiter_best_wins_and_what_is_weak_is_not_offered() -> None:
    strong, weak = offer(60, 100, 100, "/go Chapel"), offer(10, 10, 10)
    assert choose_offer([weak, strong]) is strong
    assert weak.score < OFFER_THRESHOLD
    assert choose_offer([weak]) is None
    assert choose_offer([]) is None


async def test_arbiter_place_that_was_gone_to_is_offered(tmp_path: Path) -> None:
    arrives = "You cross the wet stones. The Chapel stands open before you, and cold."
    async with telling(tmp_path, {Persona.NARRATOR: arrives}) as scripted:
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "/place Chapel: roofless")
        await services.gate.commit(scripted.scene_id)
        reply = await services.play.submit(scripted.scene_id, "I walk to the Chapel.")
        assert any(line.startswith("Next? /go Chapel") for line in reply.lines), reply.lines


async def test_arbiter_failure_offers_the_clock(tmp_path: Path) -> None:
    async with telling(tmp_path) as scripted:
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "/clock Tide 4")
        reply = await services.play.submit(scripted.scene_id, "I force the door. /check might 40")
        assert any(line.startswith("Next? /clock Tide +1") for line in reply.lines), reply.lines


async def test_arbiter_innocent_exchange_offers_nothing(tmp_path: Path) -> None:
    async with telling(tmp_path) as scripted:
        reply = await scripted.program.services.play.submit(scripted.scene_id, "I look at the sky.")
        assert not any("Next?" in line or "circles" in line for line in reply.lines)


@pytest.mark.parametrize("varied", [True, False])
async def test_going_in_circles_is_said(tmp_path: Path, varied: bool) -> None:
    told = _varied() if varied else _same()
    async with telling(tmp_path, {Persona.NARRATOR: lambda ask: next(told)}) as scripted:
        said = False
        for _ in range(STUCK_EXCHANGES + 1):
            reply = await scripted.program.services.play.submit(scripted.scene_id, "I wait.")
            said = any("Going in circles" in line and "/event" in line for line in reply.lines)
        assert said is not varied


def _same() -> Iterator[str]:
    while True:
        yield PROSE


def _varied() -> Iterator[str]:
    words = ("tide", "lantern", "gulls", "chapel", "silver", "ropes", "smoke", "thunder", "fiddle", "market")
    for n in range(100):
        one, two, three = (words[(n * 3 + k) % len(words)] for k in range(3))
        yield f"Number {n}: {one} {two}{n} {three}{n} beyond{n} stirring{n} where{n} nobody{n} looked{n}."
