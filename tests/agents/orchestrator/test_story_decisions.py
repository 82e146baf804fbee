"""Decisions of the player's, the GM's and the model's: in every prompt of the story until they are lifted."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import InputError
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import ScriptedProgram, telling

NEVER = "We never go back to the pier, whatever they offer."


async def play(scripted_program: ScriptedProgram, *lines: str) -> list[str]:
    """Play the lines, going on in the scene to which one leads; returns what was replied."""
    replies: list[str] = []
    for line in lines:
        reply = await scripted_program.program.services.play.submit(scripted_program.scene_id, line)
        replies += reply.lines
        if reply.goto == "scene" and reply.subject:
            scripted_program.scene_id = reply.subject
    return replies


def read_exports(home: Path) -> list[str]:
    return [file.read_text() for file in home.rglob("*.md")]


async def decisions(scripted_program: ScriptedProgram) -> list[str]:
    return await play(scripted_program, "/decisions")


@pytest.mark.slow
async def test_decision_of_the_first_scene_is_in_every_prompt_thirty_scenes_later(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(story, "I look back at the pier.", f"/decide {NEVER}")
        await play(story, "/fact promise: Mara brings Tam the bell before winter")
        for number in range(2, 31):
            await play(story, f"I walk on, day {number}.", "/end We walked.", "/commit")
        await play(story, "I knock at the last door.")
        assert (await story.program.services.play.scene(story.scene_id)).scene.order == 30
        for persona in (Persona.NARRATOR,):
            sent = story.sent(persona)
            assert f"- {NEVER}" in sent
            assert "Mara brings Tam the bell before winter" in sent


async def test_decision_holds_until_it_is_lifted_or_replaced(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(story, "I look back.", f"/decide {NEVER}", "/decide Bela is not to be trusted.")
        assert await decisions(story) == [
            f"1. {NEVER}  (scene 1)",
            "2. Bela is not to be trusted.  (scene 1)",
        ]
        assert await play(story, "/lift 2") == ["No longer decided: Bela is not to be trusted."]
        assert await play(story, "/lift 1 We go back at night.") == [
            "Decided: We go back at night.",
            f"No longer decided: {NEVER}",
        ]
        assert await decisions(story) == ["1. We go back at night.  (scene 1)"]
        await play(story, "I wait for the night.")
        assert "We go back at night." in story.sent(Persona.NARRATOR)
        assert NEVER not in story.sent(Persona.NARRATOR)
        await play(story, "/lift back at night")
        assert await decisions(story) == ["Nothing is decided yet. /decide WORDS does it."]


async def test_undo_takes_back_a_decision_and_redo_brings_it_again(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(story, "I look back.", f"/decide {NEVER}")
        assert any(NEVER in line for line in await play(story, "/undo"))
        assert await decisions(story) == ["Nothing is decided yet. /decide WORDS does it."]
        await play(story, "/redo")
        assert await decisions(story) == [f"1. {NEVER}  (scene 1)"]
        await play(story, "/lift 1", "/undo")
        assert await decisions(story) == [f"1. {NEVER}  (scene 1)"]


async def test_decision_before_the_first_turn_counts(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(story, f"/decide {NEVER}", "I set out.")
        assert NEVER in story.sent(Persona.NARRATOR)


async def test_marker_in_words_of_the_gm_or_the_player_is_a_decision_and_not_shown(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(
            story,
            '> The gate falls shut. @DECISION(reason="the pier is lost", impact="no way back")',
            "I swear off the sea. @decision(I never sail again)",
        )
        texts = [turn.text for turn in await story.line()]
        assert texts[:2] == ["The gate falls shut.", "I swear off the sea."]
        listed = await decisions(story)
        assert listed == [
            "1. the pier is lost; so: no way back  (scene 1)",
            "2. I never sail again  (scene 1)",
        ]
        await play(story, "/lift 1")
        assert await decisions(story) == ["1. I never sail again  (scene 1)"]


async def test_words_that_only_look_like_a_marker_are_kept(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        line = "I write @decision on the wall, and leave."
        await play(story, line)
        assert (await story.line())[0].text == line
        with pytest.raises(InputError, match="no words of the story"):
            await play(story, "> @DECISION(reason=a, impact=b)")


async def test_answer_out_of_character_decides_nothing_and_shows_no_marker(tmp_path: Path) -> None:
    async with telling(tmp_path, {Persona.NARRATOR: "Yes, it is. @DECISION(reason=a, impact=b)"}) as story:
        assert await play(story, "/gm Is it late?") == ["Yes, it is."]
        assert "@" not in "".join(await play(story, "/notes"))
        assert await decisions(story) == ["Nothing is decided yet. /decide WORDS does it."]


async def test_decisions_are_answered_recalled_and_exported(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(story, "I look back.", f"/decide {NEVER}")
        services = story.program.services
        universe_id = (await services.play.scene(story.scene_id)).universe.id
        answer = await services.query.answer_question(
            "Do we go back to the pier?", universe_id=universe_id, in_words=False
        )
        assert f"Decided: {NEVER}" in [finding.text for finding in answer.findings]
        assert any(line == f"Decided: {NEVER}" for line in await play(story, "/recap"))
        await play(story, "/export")
    assert any(f"Decided: {NEVER}" in text for text in read_exports(tmp_path))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"/decide {'so ' * 200}", "400"),
        ("/lift 7", "Which decision"),
        ("/lift the moon", "Which decision"),
    ],
)
async def test_decision_refuses_what_it_cannot_use(tmp_path: Path, line: str, words: str) -> None:
    async with telling(tmp_path) as story:
        await play(story, "I look back.", f"/decide {NEVER}")
        with pytest.raises(InputError, match=words):
            await play(story, line)
        with pytest.raises(InputError, match="decided already"):
            await play(story, f"/decide {NEVER.lower()}")
        assert await decisions(story) == [f"1. {NEVER}  (scene 1)"]


async def test_player_is_asked_when_decisions_take_much_of_each_prompt(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        await play(story, "I look back.")
        replies: list[str] = []
        for number in range(12):
            replies = await play(story, f"/decide Number {number}: " + "we never go back there " * 14)
        assert "/lift NUMBER takes one back" in replies[-1]
        await play(story, "I go.")
        assert all(f"Number {number}: we never" in story.sent(Persona.NARRATOR) for number in range(12))
