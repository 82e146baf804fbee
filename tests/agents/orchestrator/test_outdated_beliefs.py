"""Tests that who was there when something changed does not go on believing what was so before."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_record
from tests.played_scene import PlayedScene
from tests.program import begin, opened

LINES = (
    "/npc here Jory Penn: a stable boy",
    "/npc here Brena Holt: an innkeeper",
    "/npc here Wat Penn: an innkeeper",
    "/thing Brass Key",
    "/place The Tin Kettle",
    "/place Hollin Bridge",
    "/accept all",
    "/commit",
    "> Brena Holt takes the brass key in The Tin Kettle.",
    "/fact Brena Holt owns Brass Key",
    "/fact Brena Holt located_in The Tin Kettle",
    "/accept all",
    "/commit",
    "/cast - Wat Penn",
    "> Brena Holt hands the brass key to Jory Penn.",
    "/fact Jory Penn owns Brass Key",
    "/accept all",
    "/commit",
    "/cast - Brena Holt",
    "> The rain stops.",
    "/fact Brena Holt located_in Hollin Bridge",
    "/accept all",
    "/commit",
)


async def test_belief_in_an_ended_fact_is_kept_by_who_was_away_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in LINES:
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()

        async def ask(question: str) -> set[tuple[str, str]]:
            answer = await ask_record(program, scene_id, question)
            return {
                (f.believer, f.text)
                for f in (*answer.findings, *answer.nearest)
                if f.standing is AnswerStanding.BELIEVED
            }

        owners = await ask("Who owns the brass key?")
        assert ("Wat Penn", "Brena Holt owns Brass Key.") in owners
        assert ("Jory Penn", "Jory Penn owns Brass Key.") in owners
        assert not owners & {
            ("Brena Holt", "Brena Holt owns Brass Key."),
            ("Jory Penn", "Brena Holt owns Brass Key."),
            ("Mara", "Brena Holt owns Brass Key."),
        }
        where = await ask("Where is Brena Holt?")
        assert ("Brena Holt", "Brena Holt is in The Tin Kettle.") not in where
        assert ("Wat Penn", "Brena Holt is in The Tin Kettle.") in where


HERE_WITH_COMPASS = (
    "/npc here Dob Harrow",
    "/npc here Captain Vess",
    "/thing compass",
    "/accept all",
    "/commit",
)
DOB_HAS_IT = ("> Dob has the compass.", "/accept all", "/commit")
HERO_HAS_IT = ("> Dob gives me the compass.", "/accept all", "/commit")


@pytest.mark.parametrize(
    ("lines", "earlier_belief"),
    [
        ((*HERO_HAS_IT, "I hand the compass to Captain Vess."), ("Mara", "Mara has the compass.")),
        (
            (*HERO_HAS_IT, "I take out the compass and give it to Captain Vess."),
            ("Mara", "Mara has the compass."),
        ),
        ((*HERO_HAS_IT, "> You give the compass to Vess."), ("Mara", "Mara has the compass.")),
        ((*HERO_HAS_IT, "I leave the compass here."), ("Mara", "Mara has the compass.")),
        ((*DOB_HAS_IT, "> Dob yawns and hands the compass to Vess."), ("Dob Harrow", "Dob has the compass.")),
        ((*DOB_HAS_IT, "> Now Dob gives Vess the compass."), ("Dob Harrow", "Dob has the compass.")),
    ],
)
async def test_who_gave_a_thing_away_believes_no_more_that_they_have_it(
    tmp_path: Path, lines: tuple[str, ...], earlier_belief: tuple[str, str]
) -> None:
    beliefs = await _play_and_ask_who_has_it(tmp_path, lines)
    assert beliefs
    assert earlier_belief not in beliefs


@pytest.mark.parametrize(
    ("lines", "kept_belief"),
    [
        ((*DOB_HAS_IT, "> Vess takes the compass from Dob."), ("Dob Harrow", "Dob has the compass.")),
        ((*DOB_HAS_IT, "I take the compass from Dob."), ("Dob Harrow", "Dob has the compass.")),
        (
            (*DOB_HAS_IT, "> Dob gives Vess a kiss.", "/fact Captain Vess has the compass"),
            ("Dob Harrow", "Dob has the compass."),
        ),
        (
            (*DOB_HAS_IT, "> Dob's son hands the compass to Vess.", "/fact Captain Vess has the compass"),
            ("Dob Harrow", "Dob has the compass."),
        ),
    ],
)
async def test_who_did_not_give_the_thing_away_themselves_may_go_on_believing_that_they_have_it(
    tmp_path: Path, lines: tuple[str, ...], kept_belief: tuple[str, str]
) -> None:
    assert kept_belief in await _play_and_ask_who_has_it(tmp_path, lines)


async def _play_and_ask_who_has_it(tmp_path: Path, lines: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return who believes what of the compass after lines that are all accepted."""
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(*HERE_WITH_COMPASS, *lines, "/accept all", "/commit")
        await program.services.jobs.wait_until_idle()
        answer = await ask_record(program, scene.scene_id, "Who has the compass?")
        return {
            (f.believer, f.text)
            for f in (*answer.findings, *answer.nearest)
            if f.standing is AnswerStanding.BELIEVED
        }
