"""Asks the record of a played scene, as a player does on the Query screen."""

from __future__ import annotations

from agents.views.query_views import Answer, AnswerStanding
from monitor_tui.compose import Program
from stores.records.ids import Id


async def ask_record(program: Program, scene_id: Id, question: str, *, of_story: bool = False) -> Answer:
    """Return the answer of the scene's universe, or of its story alone."""
    view = await program.services.play.scene(scene_id)
    return await program.services.query.answer_question(
        question, universe_id=view.universe.id, story_id=view.story.id if of_story else None
    )


async def ask_texts(program: Program, scene_id: Id, question: str, *, of_story: bool = False) -> list[str]:
    """Return the texts of the findings that answer."""
    answer = await ask_record(program, scene_id, question, of_story=of_story)
    return [finding.text for finding in answer.findings]


async def ask_standing(program: Program, scene_id: Id, question: str) -> tuple[AnswerStanding, list[str]]:
    """Return the standing, and the texts of the findings that answer."""
    answer = await ask_record(program, scene_id, question)
    return answer.standing, [finding.text for finding in answer.findings]
