"""Tests that a question what we do, may do or decided is answered by the decision first."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_standing
from tests.program import begin, opened

LINES = (
    "/npc here Osk Wendry: a mercenary who kills for silver",
    "/npc here Brena: a queen",
    "/fact Osk Wendry killed the old king",
    "/fact Brena knows every lie that is told to her",
    "/thing iron key: it opens the gate",
    "/fact Mara owns the iron key",
    "/accept all",
    "/commit",
    "I decide never to kill.",
    "/decide We never lie to Brena.",
    "/decide We spare Osk Wendry.",
    "/decide We keep the iron key hidden.",
    "> Osk Wendry kills a rat.",
)

FIRST_ANSWERS = {
    "Do we kill?": "Decided: I never kill",
    "Do I kill anybody?": "Decided: I never kill",
    "May we murder or kill a guard?": "Decided: I never kill",
    "Am I allowed to kill Osk?": "Decided: I never kill",
    "Is killing allowed?": "Decided: I never kill",
    "Did we decide to spare him?": "Decided: We spare Osk Wendry.",
    "What did we decide about Osk?": "Decided: We spare Osk Wendry.",
    "Are we allowed to lie to Brena?": "Decided: We never lie to Brena.",
    "May we lie to the queen?": "Decided: We never lie to Brena.",
}


async def test_query_answers_with_the_decision_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in LINES:
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()

        ask = partial(ask_standing, program, scene_id)

        first_answers = {}
        for question in FIRST_ANSWERS:
            standing, texts = await ask(question)
            assert standing is AnswerStanding.ON_RECORD
            first_answers[question] = texts[0]
        assert first_answers == FIRST_ANSWERS

        standing, texts = await ask("Do we kill?")
        assert "Osk Wendry killed the old king." in texts
        standing, texts = await ask("What did we decide?")
        assert len(texts) >= 4
        assert all(text.startswith("Decided: ") for text in texts[:4])

        for question in ("What decisions have I made?", "Which rules did we set?", "what vows have I taken"):
            standing, texts = await ask(question)
            assert standing is AnswerStanding.ON_RECORD
            assert all(text.startswith("Decided: ") for text in texts[:4])
        assert (await ask("What rules have I made about the iron key?"))[1][0] == (
            "Decided: We keep the iron key hidden."
        )
        # Others' decisions are none of the player's.
        _, texts = await ask("What decisions has Brena made?")
        assert not any(text.startswith("Decided: ") for text in texts)

        # What is not asked of the player's doing is still answered by canon first.
        assert (await ask("Do we have the iron key?"))[0] is AnswerStanding.CANON
        assert (await ask("Who killed the old king?"))[1][0] == "Osk Wendry killed the old king."
