"""Tests that who died first is told by the clock or the order of play, or that nothing tells it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_standing, ask_texts
from tests.played_scene import PlayedScene
from tests.program import begin, opened

WICK_FIRST = "Wick died before Captain Vess."
NOT_KNOWN = "Nothing tells which of Wick and Captain Vess died first."


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/npc here Wick: a boy", "/npc here Captain Vess", "/npc here Nan", "/accept all", "/commit"
        )
        yield table


async def play_deaths(table: PlayedScene, *lines: str) -> None:
    await table.say(*lines, "/accept all", "/commit")


@pytest.mark.parametrize(
    "lines",
    [
        ("> Vess stabs Wick. Wick dies.", "> Nan kills Vess."),
        ("> Wick dies.", "/time +1 day", "> Nan kills Vess."),
    ],
)
async def test_who_died_first_is_told_by_turns_and_clock(table: PlayedScene, lines: tuple[str, ...]) -> None:
    await play_deaths(table, *lines)
    for question in (
        "Did Wick die before Vess?",
        "Did Vess die before Wick?",
        "Did Vess die after Wick's death?",
        "Who died first, Wick or Vess?",
        "Did Wick die before Captain Vess did?",
    ):
        standing, texts = await ask_standing(table.program, table.scene_id, question)
        assert (standing, texts[0]) == (AnswerStanding.CANON, WICK_FIRST), question


@pytest.mark.parametrize(
    "lines",
    [
        ("> Wick dies, and Vess is killed.",),
        ("> Wick and Vess are dead.",),
        ("> Wick dies.", "> Vess is dead, too."),
        ("> It rains.", "/fact Wick died", "> It snows.", "/fact Captain Vess died"),
    ],
)
async def test_who_died_first_is_unknown_where_nothing_tells_it(
    table: PlayedScene, lines: tuple[str, ...]
) -> None:
    await play_deaths(table, *lines)
    for question in ("Did Wick die before Vess?", "Who died first, Wick or Vess?"):
        standing, texts = await ask_standing(table.program, table.scene_id, question)
        assert (standing, texts[0]) == (AnswerStanding.UNKNOWN, NOT_KNOWN), question


async def test_other_questions_on_the_dead_say_nothing_of_their_order(table: PlayedScene) -> None:
    await play_deaths(table, "> Vess stabs Wick. Wick dies.", "> Nan kills Vess.")
    for question in (
        "Did Wick die?",
        "Where did Wick die?",
        "Who killed Vess?",
        "Did Vess kill Wick?",
        "Did Wick die before Nan arrived?",
        "Did Wick die before Nan?",
        "Are Wick and Vess dead?",
        "Did Vess laugh before Wick died?",
    ):
        assert not {WICK_FIRST, NOT_KNOWN} & {*await ask_texts(table.program, table.scene_id, question)}, (
            question
        )
