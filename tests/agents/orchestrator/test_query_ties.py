"""Query names whoever is asked for by what they are to somebody, before what only speaks of them."""

from __future__ import annotations

from pathlib import Path

from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_record
from tests.program import begin, opened

PEOPLE = ("/npc here Lisbet Crane: a widow", "/npc Aldwin: a lord", "/place Harrow: a village")
PROMISE = "Mara promised Lisbet Crane: “I will find her brother.”"
SAID = "the GM: Lisbet's brother Corm was the smith of Harrow."


async def test_query_who_a_brother_is_by_who_names_him_and_not_by_a_promise(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in (
            *PEOPLE,
            "I promise Lisbet that I will find her brother.",
            "/accept all",
            "/commit",
            "> Lisbet's brother was taken by the reeve.",
        ):
            await play.submit(scene_id, line)
        await program.services.jobs.wait_until_idle()
        answer = await ask_record(program, scene_id, "Who is Lisbet's brother?")
        assert PROMISE not in [finding.text for finding in answer.findings], "it does not say who he is"
        await play.submit(scene_id, "> Lisbet's brother Corm was the smith of Harrow.")
        await program.services.jobs.wait_until_idle()
        for question in ("Who is Lisbet's brother?", "Who is the brother of Lisbet?"):
            answer = await ask_record(program, scene_id, question)
            assert (answer.findings[0].text, answer.standing) == (SAID, AnswerStanding.ON_RECORD)
            assert PROMISE not in [finding.text for finding in answer.findings]
            assert PROMISE in [finding.text for finding in answer.nearest]


async def test_query_who_a_brother_is_by_canon_before_the_line_that_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in (
            *PEOPLE,
            "/npc Corm: a smith",
            "I promise Lisbet that I will find her brother.",
            "> Lisbet's brother Corm was the smith of Harrow.",
        ):
            await play.submit(scene_id, line)
        tie = "Corm is Lisbet's brother."
        for standing in (AnswerStanding.PROPOSED, AnswerStanding.CANON):
            await program.services.jobs.wait_until_idle()
            answer = await ask_record(program, scene_id, "Who is Lisbet's brother?")
            assert [finding.text for finding in answer.findings[:2]] == [tie, SAID]
            assert answer.standing is standing
            for line in ("/accept all", "/commit"):
                await play.submit(scene_id, line)


async def test_query_who_an_employer_a_husband_or_a_horse_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play, scene_id = program.services.play, await begin(program)
        for line in (
            *PEOPLE,
            "/accept all",
            "/commit",
            "I swear to Lisbet that I will bring her horse back.",
            "> Lisbet rides off to look for her husband.",
            "> Lisbet works for Aldwin.",
            "> Lisbet's mare Grizel limps.",
            "> Ulf married Lisbet in the spring.",
            "> Lisbet says: “My brother Corm is dead.”",
            "> My brother Hew waves.",
        ):
            await play.submit(scene_id, line)
        await program.services.jobs.wait_until_idle()
        for question, text in {
            "Who is Lisbet's employer?": "Lisbet works for Aldwin.",  # proposed by the line
            "What is Lisbet's horse called?": "the GM: Lisbet's mare Grizel limps.",
            "Who is Lisbet's husband?": "the GM: Ulf married Lisbet in the spring.",
            "Who is Lisbet's brother?": "the GM: Lisbet says: “My brother Corm is dead.”",
            "Who is my brother?": "the GM: My brother Hew waves.",
        }.items():
            answer = await ask_record(program, scene_id, question)
            assert answer.findings[0].text == text
        answer = await ask_record(program, scene_id, "Who is Lisbet's father?")
        assert (answer.findings, answer.standing) == ((), AnswerStanding.UNKNOWN)
