"""What the player's character could do next: by a model, or from what is open in the scene."""

from __future__ import annotations

import json
from pathlib import Path

from agents.llm.errors import ModelRefused
from agents.llm.llm_settings import AppSettings
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import house, telling

THREE = {"actions": ["I bar the door.", "I ask Tom about the bell.", "I bar the door.", "I hum a hymn."]}


async def test_suggested_actions_come_from_open_matters_without_a_model(tmp_path: Path) -> None:
    """I do not know what to do next, so I ask for ideas: they name my thread and the keeper, and nothing is played."""
    async with telling(tmp_path, settings=AppSettings()) as scripted:
        play, scene_id = scripted.program.services.play, scripted.scene_id
        for line in ("/npc Tom: the keeper", "/cast +Tom", "/thread Who moved the bell?"):
            await play.submit(scene_id, line)
        before = await scripted.line()
        suggested = await play.suggest_actions(scene_id)
        assert suggested.actions[:2] == (
            "I try to find out: Who moved the bell?",
            "I ask Tom about “Who moved the bell”.",
        )
        assert (len(suggested.actions), suggested.note) == (3, "")
        reply = await play.submit(scene_id, "/ideas")
        assert reply.lines == suggested.actions
        assert reply.suggested_line == suggested.actions[0]
        assert await scripted.line() == before


async def test_suggested_actions_are_the_models_if_it_names_any(tmp_path: Path) -> None:
    answers: list[object] = [json.dumps(THREE), ModelRefused("It declined."), "Nothing comes to mind."]
    script = {Persona.DIRECTOR: lambda _: answers.pop(0) if len(answers) > 1 else answers[0]}
    async with telling(tmp_path, script, house(backend="inmemory")) as scripted:  # type: ignore[arg-type]
        play, scene_id = scripted.program.services.play, scripted.scene_id
        suggested = await play.suggest_actions(scene_id)
        assert suggested.actions == ("I bar the door.", "I ask Tom about the bell.", "I hum a hymn.")
        assert "Secrets" not in scripted.sent(Persona.DIRECTOR)
        for reason in ("It declined.", "could be read"):
            suggested = await play.suggest_actions(scene_id)
            assert reason in suggested.note
            assert len(suggested.actions) == 3
        assert await scripted.line() == []
