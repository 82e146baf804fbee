"""Where somebody is and who is here: by canon or a proposal, else by the scene in play; what was rejected is marked."""

from __future__ import annotations

from pathlib import Path

from agents.views.query_views import Answer, AnswerStanding
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened

IN_PLAY = "the scene in play, not canon"


async def ask(program: Program, scene_id: Id, question: str) -> Answer:
    await program.services.jobs.wait_until_idle()
    view = await program.services.play.scene(scene_id)
    return await program.services.query.answer_question(
        question, universe_id=view.universe.id, story_id=view.story.id
    )


async def test_query_where_am_i_and_who_is_here_by_the_scene_in_play(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/place The Gull Inn: low beams", "/npc here Bram: a carter", "/npc Osk: a smith"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/go The Gull Inn with Bram")
        for question, text in (
            ("Where is Bram?", "Bram is at The Gull Inn."),
            ("where's Bram now?", "Bram is at The Gull Inn."),
            ("Where am I?", "Mara is at The Gull Inn."),
            ("Who is here?", "Present at The Gull Inn: Mara, Bram."),
        ):
            answer = await ask(program, scene_id, question)
            assert answer.findings[0].text == text
            assert answer.findings[0].where.startswith(IN_PLAY)
            assert answer.standing is AnswerStanding.ON_RECORD
        absent = await ask(program, scene_id, "Where is Osk?")
        assert not [finding for finding in absent.findings if finding.where.startswith(IN_PLAY)]


async def test_query_where_somebody_is_by_canon_before_the_scene_in_play(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/place The Gull Inn: low beams",
            "/npc here Bram: a carter",
            "/fact Bram located_in The Gull Inn",
        ):
            await program.services.play.submit(scene_id, line)
        for standing in (AnswerStanding.PROPOSED, AnswerStanding.CANON):
            answer = await ask(program, scene_id, "Where is Bram?")
            assert answer.standing is standing
            assert answer.findings[0].text == "Bram is in The Gull Inn."
            await program.services.play.submit(scene_id, "/accept all")
            await program.services.play.submit(scene_id, "/commit")


async def test_query_line_that_was_rejected_does_not_answer_and_is_marked(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/npc Bram: a carter", "/place Tower: old", "/accept all", "/commit"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "> Bram is in the Tower.")
        assert "Bram" in (await ask(program, scene_id, "Where is Bram?")).findings[0].text
        for line in ("/reject all", "/commit"):
            await program.services.play.submit(scene_id, line)
            answer = await ask(program, scene_id, "Where is Bram?")
            assert not [finding for finding in answer.findings if "Tower" in finding.text]
            marks = [finding.where for finding in answer.nearest if "Tower" in finding.text]
            assert marks
            assert all("rejected" in where for where in marks)
            words = await program.services.query.search_words(
                "Tower", universe_id=(await program.services.play.scene(scene_id)).universe.id
            )
            marked = [finding for finding in words if finding.rejected_quotes]
            assert [finding.text for finding in marked if not finding.memory_id] == [
                "the GM: Bram is in the Tower."
            ]
            assert all("you rejected “Bram is in the Tower" in finding.where for finding in marked)
