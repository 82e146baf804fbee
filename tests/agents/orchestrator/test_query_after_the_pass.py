"""Tests what Query tells of whereabouts, deaths and rumours, asked in the player's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.search.death_questions import tells_of_death
from agents.search.question import RecordQuestion
from agents.views.query_views import Answer, AnswerStanding
from tests.played_scene import PlayedScene
from tests.program import begin, opened


async def ask(scene: PlayedScene, question: str) -> Answer:
    await scene.program.services.jobs.wait_until_idle()
    view = await scene.view()
    return await scene.program.services.query.answer_question(
        question, universe_id=view.universe.id, story_id=view.story.id
    )


def texts(answer: Answer) -> list[str]:
    return [finding.text for finding in answer.findings]


@pytest.mark.slow
async def test_query_of_a_rumour_a_death_and_who_stayed_behind(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(
            "/npc here Pell: a thief", "/npc here Widow Arda", "/npc here Orrel Finch", "/place Mill: a mill"
        )
        await scene.say(
            "/creature here Biscuit: a mule",
            "/fact Pell is left-handed",
            "I promise Widow Arda to bring Biscuit back alive.",
            "> Orrel Finch staggers in with an arrow in his back and dies.",
            "> People say that Pell drowned a toll keeper last winter.",
            "/accept all",
            "/commit",
            "I give Pell my silver whistle.",
            "> Pell tucks the whistle into his boot and smiles.",
            "> Biscuit comes in.",
        )
        assert texts(await ask(scene, "Where is Pell?")) == ["Pell is at Yard."]
        rumour = await ask(scene, "Did Pell drown a toll keeper?")
        assert rumour.standing is AnswerStanding.BELIEVED
        assert rumour.findings[0].text == "A rumour: Pell drowned a toll keeper last winter."
        assert not [text for text in texts(rumour) if "whistle" in text], "they stand below, as the nearest"
        for question in ("Who has died?", "Who all died?"):
            deaths = await ask(scene, question)
            assert deaths.findings[0].text == "Orrel Finch died."
            assert not [text for text in texts(deaths) if "alive" in text]
        await scene.say("I walk to the Mill with Pell.")
        assert texts(await ask(scene, "Where is Biscuit?")) == ["Biscuit stayed behind at Yard."]


@pytest.mark.parametrize(
    ("text", "is_death"),
    [
        ("Orrel Finch died.", True),
        ("Pell drowned a toll keeper.", True),
        ("The rider was found dead in the ditch.", True),
        ("Sanna promised Arda to bring Biscuit back alive.", False),
        ("Pell swears to kill the captain.", False),
        ("Nobody was killed in the fire.", False),
    ],
)
def test_death_is_told_of_anybody_where_all_the_dead_are_asked_for(text: str, is_death: bool) -> None:
    question = RecordQuestion("Who has died?", (), frozenset({"die"}), {})
    assert tells_of_death(question, text) is is_death
