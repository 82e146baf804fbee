"""A scene that nobody has played in is opened by the model: it knows where, who, why, and what was before."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.events import TextStreamed
from stores.records.llm import Persona
from stores.records.play import Speaker
from tests.agents.orchestrator.scripted_program import PROSE, ScriptedProgram, house, telling


async def next_scene(scripted: ScriptedProgram) -> str:
    """Play a scene to its end through the gate; return the one that follows."""
    services = scripted.program.services
    for line in (
        "/npc here Father Ode: a priest with wet sleeves",
        "I ask Ode for the key.",
        "> He lays it on the wall, and does not look at you.",
        "/end Mara has the key of the light",
    ):
        await services.play.submit(scripted.scene_id, line)
    report = await services.gate.commit(scripted.scene_id)
    assert report.next_scene_id
    await services.play.submit(report.next_scene_id, "/cast + Ode")
    await services.gate.rename_scene(report.next_scene_id, "The stair", "Reach the lamp")
    return report.next_scene_id


@pytest.mark.parametrize("backend", ["langgraph", "inmemory"])
async def test_opening_knows_place_cast_goal_and_what_came_before(tmp_path: Path, backend: str) -> None:
    async with telling(tmp_path, settings=house(backend=backend)) as scripted:
        scripted.scene_id = await next_scene(scripted)
        await scripted.program.services.play.continue_narration(scripted.scene_id)
        sent = scripted.sent(Persona.NARRATOR)
        for words in (
            "A scene begins, and nothing of it is narrated yet.",
            "Scene 2: The stair",
            "Goal: Reach the lamp",
            "Place: Yard",
            "Mara, the player's character",
            "a priest with wet sleeves",
            "Mara has the key of the light",  # how the scene before ended
            "Mara: I ask Ode for the key.",  # and its last turns
            "He lays it on the wall",
        ):
            assert words in sent, words
        assert sent.index("He lays it on the wall") < sent.index("(Here scene 2 begins.)")
        (turn,) = await scripted.line()
        assert (turn.speaker, turn.text, turn.depth, turn.parent_id) == (Speaker.GM, PROSE, 0, None)
        assert [e for e in scripted.heard if isinstance(e, TextStreamed) and e.scene_id == scripted.scene_id]


async def test_opening_once_it_is_said_going_on_is_going_on_and_another_opening_is_an_opening(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path) as scripted:
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "/continue")
        opened = "A scene begins, and nothing of it is narrated yet."
        assert opened in scripted.sent(Persona.NARRATOR)
        await services.play.narrate_again(scripted.scene_id, "shorter")
        assert opened in scripted.sent(Persona.NARRATOR)
        assert "shorter" in scripted.sent(Persona.NARRATOR)
        assert [t.take for t in await scripted.line()] == [2]
        await services.play.continue_narration(scripted.scene_id)
        assert opened not in scripted.sent(Persona.NARRATOR)
        assert "The player's character does nothing now." in scripted.sent(Persona.NARRATOR)
        assert len(await scripted.line()) == 2


async def test_opening_can_be_undone_and_the_scene_still_begun_otherwise(tmp_path: Path) -> None:
    async with telling(tmp_path) as scripted:
        services = scripted.program.services
        await services.play.continue_narration(scripted.scene_id)
        assert "/start" in (await services.play.scene(scripted.scene_id)).opening_hint
        await services.play.undo(scripted.scene_id)
        assert await scripted.line() == []
        await services.play.check_start(scripted.scene_id)
        await services.play.continue_narration(scripted.scene_id)
        assert (await scripted.line())[-1].speaker is Speaker.GM


async def test_opening_is_an_opening_after_time_has_passed(tmp_path: Path) -> None:
    """F7 after /time: nothing is narrated yet, so the scene opens."""
    async with telling(tmp_path) as scripted:
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "/time to dusk")
        await services.play.continue_narration(scripted.scene_id)
        assert "A scene begins, and nothing of it is narrated yet." in scripted.sent(Persona.NARRATOR)
        await services.play.continue_narration(scripted.scene_id)
        assert "A scene begins" not in scripted.sent(Persona.NARRATOR)
