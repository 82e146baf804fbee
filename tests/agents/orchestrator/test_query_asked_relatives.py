"""Tests that a question whether somebody is a relative is answered by what says so, in the player's own words."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.agents.orchestrator.asked_record import ask_standing, ask_texts
from tests.program import begin, opened

NOT_MY_UNCLE = "Ivo Tarrant is not Mara's uncle."
PROMISE = "you: I promise Ivo Tarrant to come back before the thaw"


async def play_on_ivo(program: Program, *lines: str) -> Id:
    """Begin a scene with Ivo, of whom canon says that he is no uncle, and play these lines in it."""
    scene_id = await begin(program)
    for line in (
        "/npc here Ivo Tarrant: a founder",
        "/fact Ivo Tarrant is not my uncle",
        "/accept all",
        "/commit",
    ):
        await program.services.play.submit(scene_id, line)
    for line in lines:
        await program.services.play.submit(scene_id, line)
    await program.services.jobs.wait_until_idle()
    return scene_id


async def test_query_on_my_uncle_is_answered_by_no_line_on_other_matters(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await play_on_ivo(
            program,
            "> Ivo blushes.",
            "> Josper's ghost rings the bell on Sundays.",
            "I ask whether Josper is my uncle too.",
            "I promise Ivo Tarrant to come back before the thaw",
        )
        ask = partial(ask_standing, program, scene_id)
        for question in ("Is Ivo my uncle?", "Is Ivo Tarrant my uncle?"):
            assert await ask(question) == (AnswerStanding.CANON, [NOT_MY_UNCLE])


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("I ask Ivo whether he is my uncle.", "> Ivo nods."), "the GM: Ivo nods."),
        (("I ask Ivo whether he is my uncle.", "I see Ivo nod."), "you: I see Ivo nod."),
        (
            ("> Josper is your uncle. Ivo is your uncle too.",),
            "the GM: Josper is your uncle. Ivo is your uncle too.",
        ),
    ],
)
async def test_line_that_answers_on_my_uncle_is_found(
    tmp_path: Path, lines: tuple[str, ...], answer: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await play_on_ivo(program, *lines)
        assert answer in await ask_texts(program, scene_id, "Is Ivo my uncle?")
