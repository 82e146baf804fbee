"""What was typed of a name that nobody had is read as any fact once a proposal makes the name known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_record
from tests.played_scene import PlayedScene
from tests.program import begin, opened

ONE_PLACE = "Only one of the two can hold at that time."
WHERE_NELL_IS = ("/npc here Nell: a girl", "/place Stone Bridge: a bridge", "/fact Nell is in Crow Tower")


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        yield PlayedScene(program, await begin(program))


async def read_kinds(scene: PlayedScene) -> dict[str, str]:
    """Return what kind of proposal each row is, by its title."""
    return {row.title: row.label for row in (await scene.view()).proposals}


async def read_conflicts(scene: PlayedScene) -> dict[str, list[str]]:
    """Return the conflicts of each row that has some, by its title."""
    return {
        row.title: [conflict.text for conflict in row.conflicts]
        for row in (await scene.view()).proposals
        if row.conflicts
    }


async def ask_where_nell_is(scene: PlayedScene) -> list[str]:
    answer = await ask_record(scene.program, scene.scene_id, "Where is Nell?")
    return [f.text for f in answer.findings if f.standing is AnswerStanding.CANON]


async def test_place_that_is_known_later_is_one_of_two_places_at_once(scene: PlayedScene) -> None:
    await scene.say(*WHERE_NELL_IS, "/fact Nell is in Stone Bridge", "/fact Nell is in debt")
    assert await read_conflicts(scene) == {}
    await scene.say("/place Crow Tower: black stones")
    assert await read_conflicts(scene) == {
        "Nell is in Crow Tower.": [f"Another proposal says “Nell is in Stone Bridge.” {ONE_PLACE}"],
        "Nell is in Stone Bridge.": [f"Another proposal says “Nell is in Crow Tower.” {ONE_PLACE}"],
    }
    await scene.say("/accept all", "/accept 3 4", "/commit")
    assert await ask_where_nell_is(scene) == ["Nell is in Stone Bridge."]


async def test_place_of_canon_that_nobody_knew_then_is_left_for_a_later_one(scene: PlayedScene) -> None:
    await scene.say(*WHERE_NELL_IS, "/accept all", "/commit", "/place Crow Tower")
    await scene.say("/fact Nell is in Stone Bridge")
    reason = "Only one of the two can be true at a time."
    assert await read_conflicts(scene) == {
        "Nell is in Stone Bridge.": [f"Canon says “Nell is in Crow Tower.” {reason}"]
    }
    await scene.say("/accept 5", "/commit")
    assert await ask_where_nell_is(scene) == ["Nell is in Stone Bridge."]


@pytest.mark.parametrize(
    ("sentence", "declaration", "kind"),
    [
        ("Nell is in Crow Tower.", "/place Crow Tower", "relation"),
        ("Nell owns the tin drum.", "/thing tin drum: red", "relation"),
        ("Bram is dead.", "/npc Bram: a carter", "state"),
        # These name it, and say nothing that is one of a kind.
        ("Nell is afraid of Crow Tower.", "/place Crow Tower", "fact"),
        ("Nell is in Crow Towers.", "/place Crow Tower", "fact"),
    ],
)
async def test_sentence_is_of_its_kind_while_the_name_is_known(
    scene: PlayedScene, sentence: str, declaration: str, kind: str
) -> None:
    await scene.say("/npc here Nell: a girl", f"/fact {sentence}")
    assert (await read_kinds(scene))[sentence] == "fact"
    await scene.say(declaration)
    assert (await read_kinds(scene))[sentence] == kind
    await scene.say("/undo")
    assert (await read_kinds(scene))[sentence] == "fact"


async def test_sentence_is_written_alone_if_its_place_is_rejected(scene: PlayedScene) -> None:
    await scene.say(*WHERE_NELL_IS, "/place Crow Tower", "/reject 4", "/accept all", "/commit")
    assert await ask_where_nell_is(scene) == ["Nell is in Crow Tower."]
