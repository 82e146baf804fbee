"""A week's tokens bound a model without a price; a cheaper model takes over what money holds back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.llm.budget import (
    Budget,
    compute_budgets,
    find_stopping_budget,
    find_too_small_budget,
    first_day_of_week,
)
from agents.llm.llm_settings import BudgetSettings
from stores.authority import Role
from stores.ports import LlmSpending
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import ScriptedProgram, house, persona_of, telling
from tests.contract import builders as make


def spending(day: str, tokens: int, universe_id: str = "u") -> LlmSpending:
    return LlmSpending(universe_id, None, "narrator", "m", day, 1, tokens - 10, 10, 0, 1)


def test_week_budget_counts_the_tokens_of_this_week_and_universe() -> None:
    rows = [spending("2026-02-27", 500), spending("2026-03-02", 300), spending("2026-03-04", 100, "other")]
    monday = first_day_of_week(datetime(2026, 3, 4, 12, tzinfo=UTC))
    assert monday == "2026-03-02"
    budgets = compute_budgets(
        rows, story=None, universe=None, day=("2026-03-04", None), week=("u", monday, 1_000)
    )
    assert Budget("week", 300, 1_000, "u") in budgets


def test_week_budget_holds_back_from_80_percent_and_stops_at_100() -> None:
    used = [Budget("week", 800, 1_000, "u")]
    assert find_stopping_budget(used, Persona.ARCHIVIST) is not None
    assert find_stopping_budget(used, Persona.ARCHIVIST, is_cheaper=True) is not None, "it saves no tokens"
    assert find_stopping_budget(used, Persona.NARRATOR) is None
    assert find_stopping_budget([Budget("week", 1_000, 1_000, "u")], Persona.NARRATOR) is not None
    assert find_too_small_budget(used, 0, 300) is not None
    assert find_too_small_budget(used, 5_000_000, 200) is None, "dollars are no tokens"


def test_money_holds_the_cheaper_model_back_only_when_it_is_used_up() -> None:
    assert find_stopping_budget([Budget("day", 85, 100)], Persona.ARCHIVIST) is not None
    assert find_stopping_budget([Budget("day", 85, 100)], Persona.ARCHIVIST, is_cheaper=True) is None
    assert find_stopping_budget([Budget("day", 100, 100)], Persona.ARCHIVIST, is_cheaper=True) is not None


@pytest.mark.slow
async def test_player_bounds_a_week_and_sees_it(tmp_path: Path) -> None:
    async with telling(tmp_path) as scripted:
        play = scripted.program.services.play
        reply = await play.submit(scripted.scene_id, "/budget week 10")
        assert reply.lines == ("Tokens of a week in this universe: 10.",)
        reply = await play.submit(scripted.scene_id, "I look about.")
        assert any("this week's budget of 10 tokens" in line for line in reply.lines), reply.lines
        assert scripted.asked == [], "nothing was sent"
        reply = await play.submit(scripted.scene_id, "/budget")
        assert any(line.startswith("week: 0 of 10 tokens used") for line in reply.lines)
        reply = await play.submit(scripted.scene_id, "/budget share 3")
        assert "3 to 1" in reply.lines[0]
        policy = await scripted.program.stores.log(Role.CONTEXT_ASSEMBLY).policy(
            (await play.scene(scripted.scene_id)).universe.id
        )
        assert policy is not None
        assert (policy.weekly_tokens, policy.share) == (10, 3)


async def models_asked_after_85_percent(tmp_path: Path, cheaper_model: str) -> dict[Persona, str]:
    settings = house(budget=BudgetSettings(day=1.0, cheaper_model=cheaper_model))
    async with telling(tmp_path, settings=settings) as scripted:
        await spend(scripted, 850_000)
        await scripted.program.services.play.submit(scripted.scene_id, "I look about.")
        return {persona_of(ask): ask.model for ask in scripted.model.requests}


async def spend(scripted: ScriptedProgram, micros: int) -> None:
    log = scripted.program.stores.log(Role.NARRATOR)
    scene = await log.scene(scripted.scene_id)
    await log.record_call(make.call(scene, micros=micros, at=datetime(2026, 1, 1, 1, tzinfo=UTC)))


@pytest.mark.slow
async def test_cheaper_model_takes_over_what_a_budget_holds_back(tmp_path: Path) -> None:
    asked = await models_asked_after_85_percent(tmp_path, "scripted/cheap")
    assert asked == {Persona.NARRATOR: "scripted/good", Persona.ARCHIVIST: "scripted/cheap"}


@pytest.mark.slow
async def test_without_a_cheaper_model_what_a_budget_holds_back_waits(tmp_path: Path) -> None:
    assert await models_asked_after_85_percent(tmp_path, "") == {Persona.NARRATOR: "scripted/good"}
