"""What Query takes for no answer: a promise for a death, left-handed for leaving, and a rumour behind its hearers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_standing, ask_texts
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.mark.slow
async def test_query_answers_with_what_is_asked_for_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Pell: a scout", "/npc here Widow Arda", "/creature here Biscuit: a mule")
        await table.say("/npc here Kit", "/npc here Jon", "/fact Pell is left-handed", "/fact Jon is dead")
        await table.say("> People say that Pell drowned a toll keeper last winter.")
        assert await table.say("> Rumour has it that the tannery burned down.") == (
            "Proposed as a rumour: The tannery burned down.",
        )
        await table.say(
            "I promise Widow Arda that I will bring Biscuit back alive.", "/accept all", "/commit"
        )
        await program.services.jobs.wait_until_idle()
        ask = partial(ask_texts, program, table.scene_id)
        assert "Pell is left-handed." not in await ask("Where is Pell?")
        assert not any("promised" in text for text in await ask("Who has died?"))
        assert "A rumour: Pell drowned a toll keeper last winter." in await ask(
            "Did Pell drown a toll keeper?"
        )


async def test_query_takes_no_memory_of_something_else_that_was_lost(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Osk Wendry: a clerk", "/npc here Kit: a girl", "/accept all", "/commit")
        await table.say(
            "> Osk reads the letter aloud. He reads badly, like a man calling out lost umbrellas."
        )
        await table.say(
            "> Kit lost her whistle in the mill.", "/end The rain stops.", "/accept all", "/commit"
        )
        await program.services.jobs.wait_until_idle()
        ask = partial(ask_standing, program, table.scene_id)
        standing, texts = await ask("Where did Osk lose his eye?")
        assert standing is AnswerStanding.UNKNOWN, texts
        assert any("in the mill" in text for text in (await ask("Where did Kit lose her whistle?"))[1])
