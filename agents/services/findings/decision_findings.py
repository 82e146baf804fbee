"""Finds the player's decisions that bear on a question."""

from __future__ import annotations

from dataclasses import replace

from agents.context_assembly.story_decisions import read_decisions_of_story
from agents.search.death_questions import asks_about_death
from agents.search.decision_questions import asks_about_decision, is_answered_by_decision
from agents.search.question import shares_content_word
from agents.search.turn_answers import match_statement
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import MAX_SCORE, RankedFinding
from agents.services.result_formatter import ResultFormatter
from stores.ports import LogReader


class DecisionFinder:
    """Finds decisions that hold and bear on a question."""

    def __init__(self, log: LogReader, result_formatter: ResultFormatter) -> None:
        self._log = log
        self._result_formatter = result_formatter

    async def find_decisions(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return the decisions that hold and bear on the question; they come before turns of the transcript.

        To a question what the player does, may do or has decided, the decision is the answer. Raises StoreError.
        """
        question, scope = search.question, search.scope
        stories = (await self._log.readable_stories(scope.universe_id)).records
        decisions = [
            decision
            for story in stories
            if scope.story_id in (None, story.id)
            for decision in await read_decisions_of_story(self._log, story)
        ]
        is_asked_for = asks_about_decision(question)
        bearing = []
        for decision in decisions:
            match = match_statement(question, decision.text)
            is_answer = is_asked_for and is_answered_by_decision(question, decision.text)
            is_match = is_answer or (match.is_match and not asks_about_death(question))
            if is_match or shares_content_word(question, decision.text):
                bearing.append((match, is_match, is_answer, decision))
        findings = await self._result_formatter.format_decisions([decision for *_, decision in bearing])
        return [
            RankedFinding(replace(finding, score=MAX_SCORE + match.average_share), is_match, is_answer)
            for (match, is_match, is_answer, _), finding in zip(bearing, findings, strict=True)
        ]
