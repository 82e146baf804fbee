"""Who believes something is answered by those who remember it, whatever canon says of it."""

from __future__ import annotations

from pathlib import Path

from agents.views.query_views import Answer, AnswerStanding
from tests.agents.orchestrator.asked_record import ask_record
from tests.played_scene import PlayedScene
from tests.program import begin, opened

LINES = (
    "/npc here Pip: a girl",
    "/npc here Sheriff Hob Tully: the law",
    "/npc here Bram Tolley: porter",
    "/npc Gil Oakum: a sailor",
    "/accept all",
    "/commit",
    "> Bram tells us that Gil is dead.",
)


def believers_of(answer: Answer) -> set[str]:
    """Return who is said to believe what answers; nobody if the head of the answer is no belief."""
    is_belief = answer.standing is AnswerStanding.BELIEVED
    return {finding.believer for finding in answer.findings} if is_belief else set()


async def test_who_believes_a_death_is_answered_by_those_who_were_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(*LINES)
        await program.services.jobs.wait_until_idle()

        async def ask(question: str) -> Answer:
            return await ask_record(program, table.scene_id, question)

        for question in ("Who believes that Gil is dead?", "Who thinks Gil is dead?", "Who thinks Gil died?"):
            assert {"Mara", "Pip", "Sheriff Hob Tully"} <= believers_of(await ask(question)), question
        for question in (
            "What does Sheriff Tully know about Gil?",
            "What does Tully know about Gil?",
            "Does Sheriff Tully believe that Gil is dead?",
        ):
            assert believers_of(await ask(question)) == {"Sheriff Hob Tully"}, question
        # Nobody believes it, or it asks for something else.
        for question in (
            "Who thinks that Gil is alive?",
            "Who believes that Gil is not dead?",
            "Who believes that Bram is dead?",
            "Who thinks of Gil?",
        ):
            assert believers_of(await ask(question)) == set(), question
        assert (await ask("Is Gil dead?")).findings[0].text == "No death of Gil Oakum is recorded."
