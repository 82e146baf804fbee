"""A row at the gate that adds nothing but evidence to what is canon says so, in its line and in its details."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.proposal_views import ProposalView
from tests.played_scene import PlayedScene
from tests.program import begin, opened
from widgets.proposal_detail import detail_lines
from widgets.proposal_rows import proposal_line

ONLY_EVIDENCE = "It is canon already; only this evidence is new."


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say("/npc here Wick: a boy", "/thing Bell: glass", "/fact Wick owns Bell")
        await scene.say("/fact Bell is hollow", "/accept all", "/commit", "I nod.")
        yield scene


async def find_row(scene: PlayedScene, title: str) -> ProposalView:
    rows = (await scene.program.services.gate.gate(scene.scene_id)).proposals
    return [row for row in rows if row.title == title][-1]


def read_line(row: ProposalView) -> str:
    return "".join(text for text, _ in proposal_line(row, 90))


def read_details(row: ProposalView) -> str:
    return "\n".join("".join(text for text, _ in line) for line in detail_lines(row, 90, with_change=True))


@pytest.mark.parametrize(
    ("line", "title"),
    [("/fact Wick owns Bell", "Wick owns Bell."), ("/fact Bell is hollow", "Bell is hollow.")],
)
async def test_row_that_adds_evidence_alone_says_that_it_is_canon_already(
    scene: PlayedScene, line: str, title: str
) -> None:
    await scene.say(line)
    row = await find_row(scene, title)
    assert "canon already" in read_line(row)
    assert read_details(row).count(ONLY_EVIDENCE) == 1
    assert "+" not in read_details(row), "nothing is added"
    await scene.say("/accept all")
    accepted_row = await find_row(scene, title)
    assert "accepted" in read_line(accepted_row)
    assert ONLY_EVIDENCE in read_details(accepted_row)


@pytest.mark.parametrize(
    ("line", "title"),
    [("/fact Wick owns Lamp", "Wick owns Lamp."), ("/fact Bell is cracked", "Bell is cracked.")],
)
async def test_row_of_something_new_does_not(scene: PlayedScene, line: str, title: str) -> None:
    await scene.say("/thing Lamp: brass", line)
    row = await find_row(scene, title)
    assert "canon already" not in read_line(row)
    assert f"+ {title}" in read_details(row)
    assert ONLY_EVIDENCE not in read_details(row)
    await scene.say("/accept all", "/commit")
    assert "canon already" not in read_line(await find_row(scene, title))
