"""Tests whom Query means where canon or a description says what somebody is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_standing
from tests.program import begin, opened

CAST = ("/npc here Lisbet Crane: a widow", "/place Harrow: a village")
OUTCOME = "Lisbet killed the reeve of Harrow with her own knife."


async def _ask(
    folder: Path, lines: Sequence[str], questions: Sequence[str]
) -> list[tuple[AnswerStanding, list[str]]]:
    async with opened(folder) as program:
        services, scene_id = program.services, await begin(program)
        for line in lines:
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        return [await ask_standing(program, scene_id, question) for question in questions]


@pytest.mark.parametrize(
    "lines",
    [
        ("/npc here Aldwin: a hard man", "/fact Aldwin is the reeve of Harrow"),
        ("/npc here Aldwin: the reeve of Harrow, a hard man",),
    ],
)
async def test_query_finds_who_killed_somebody_by_the_role_they_had(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    said = "> Lisbet draws a knife and cuts Aldwin's throat."
    played = (*CAST, *lines, "/accept all", "/commit", said, f"/end {OUTCOME}", "/accept all", "/commit")
    by_name, by_role, dead = await _ask(
        tmp_path, played, ("Who killed Aldwin?", "Who killed the reeve?", "Is the reeve of Harrow dead?")
    )
    for standing, texts in (by_name, by_role):
        assert standing is AnswerStanding.CANON
        assert texts[:2] == [OUTCOME, f"the GM: {said[2:]}"]
    assert dead[1][0] == "Aldwin died."


async def test_query_takes_the_role_for_nobody_where_another_has_it_now(tmp_path: Path) -> None:
    played = (
        *CAST,
        "/npc here Aldwin: a hard man",
        "/npc Osk Wendry: a miller",
        "/fact Aldwin is the reeve of Harrow",
        "/fact Osk Wendry is the new reeve of Harrow",
        f"/fact {OUTCOME}",
        "/accept all",
        "/commit",
    )
    ((standing, texts),) = await _ask(tmp_path, played, ("Who killed Aldwin?",))
    assert standing is AnswerStanding.UNKNOWN or OUTCOME not in texts


async def test_query_says_who_has_a_role(tmp_path: Path) -> None:
    played = (
        *CAST,
        "/npc here Aldwin: a hard man",
        "/fact Aldwin is the reeve of Harrow",
        "/accept all",
        "/commit",
    )
    ((_, texts),) = await _ask(tmp_path, played, ("Who is the reeve of Harrow?",))
    assert texts[0] == "Aldwin is the reeve of Harrow."
