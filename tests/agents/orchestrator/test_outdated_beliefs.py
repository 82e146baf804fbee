"""Tests that who was there when something changed does not go on believing what was so before."""

from __future__ import annotations

from pathlib import Path

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_record
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
