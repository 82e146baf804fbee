"""Finds turns of the transcript that bear on a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.search.commitment_questions import is_made_in_reverse
from agents.search.death_questions import asks_about_death, tells_of_death
from agents.search.place_questions import read_sought_one, tells_whereabouts
from agents.search.question import (
    QuestionMatch,
    RecordQuestion,
    counts_as_about_speaker,
    remove_questions,
)
from agents.search.question_cues import read_cues
from agents.search.turn_answers import match_turn
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import RankedFinding, put_newest_first, similarity_of
from agents.services.rejected_quotes import mark_rejected, read_rejected_quotes
from agents.services.result_formatter import ResultFormatter
from stores.ports import LogReader
from stores.records.play import Speaker, Turn


class TurnFinder:
    """Finds turns of play that bear on a question."""

    def __init__(self, log: LogReader, result_formatter: ResultFormatter) -> None:
        self._log = log
        self._result_formatter = result_formatter

    async def find_turns(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return turns found by search, and whether they bear on the question; to one on now, the newest first.

        What the player has rejected at the gate says nothing. Raises StoreError.
        """
        question = search.question
        hits = await search.find("turns", k=20)
        turns = await self._log.turns([hit.id for hit in hits])
        rejected_quotes = await read_rejected_quotes(self._log, search.scope.universe_id, turns)
        parent_turns = await self._log.turns({t.parent_id for t in turns.values() if t.parent_id})
        found = [
            (hit, turn)
            for hit in hits
            if (turn := turns.get(hit.id)) is not None and turn.speaker is not Speaker.SYSTEM
        ]
        matches = []
        for _, turn in found:
            parent = parent_turns.get(turn.parent_id or "")
            matches.append(
                _match_turn(question, turn, parent.text if parent else "", rejected_quotes.get(turn.id, ()))
            )
        findings = await self._result_formatter.format_turns([turn for _, turn in found])
        ranked_findings = [
            RankedFinding(
                replace(
                    mark_rejected(finding, rejected_quotes), score=hit.score, near=similarity_of(hit, match)
                ),
                match.is_match,
            )
            for (hit, _), finding, match in zip(found, findings, matches, strict=True)
        ]
        asks_where = read_sought_one(question) is not None
        if not asks_where and not read_cues(question.text).asks_about_now:
            return ranked_findings
        newest_first = put_newest_first(ranked_findings, [turn for _, turn in found])
        return [replace(r, is_answer=asks_where and r.is_match) for r in newest_first]


def _match_turn(
    question: RecordQuestion, turn: Turn, parent_text: str, rejected_quotes: Sequence[str]
) -> QuestionMatch:
    """Match what a turn says, without questions and what was rejected, as an answer to the turn before it."""
    text = remove_questions(turn.text)
    for quote in rejected_quotes:
        text = text.replace(quote, " ")
    speaker_name = turn.name if counts_as_about_speaker(question, text) else ""
    turn_match = match_turn(question, text, speaker_name, parent_text)
    is_match = turn_match.is_answer and not is_made_in_reverse(
        question, text, is_of_asker=turn.speaker is Speaker.PLAYER
    )
    if asks_about_death(question):
        is_match = is_match and tells_of_death(question, text)
    if (sought := read_sought_one(question)) is not None:
        is_match = tells_whereabouts(sought, text)
    return replace(turn_match.match, is_match=is_match)
