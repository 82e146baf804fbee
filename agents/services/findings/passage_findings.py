"""Finds passages of sources that bear on a question."""

from __future__ import annotations

from dataclasses import replace

from agents.search.passage_windows import find_best_window, find_sought_words
from agents.search.question import match_question, remove_questions
from agents.search.source_texts import read_source_texts
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import RankedFinding, similarity_of
from agents.services.result_formatter import MAX_TEXT_LENGTH, ResultFormatter
from stores.ports import LogReader


class PassageFinder:
    """Finds passages of sources that bear on a question."""

    def __init__(self, log: LogReader, result_formatter: ResultFormatter) -> None:
        self._log = log
        self._result_formatter = result_formatter

    async def find_passages(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return passages found by search, those first that have the question's words together. Raises StoreError."""
        question = search.question
        hits_by_id = await search.find_by_id("snippets", k=10)
        snippets = [text.snippet for text in (await read_source_texts(self._log, hits_by_id)).values()]
        sought_words = find_sought_words(question)
        windows = {s.id: find_best_window(s.text, sought_words, MAX_TEXT_LENGTH) for s in snippets}
        # Passages of a book are about alike, and a search goes by the whole of each: the one that has the question's
        # words beside each other is the one that answers. Among what else is on record they stay where they were.
        snippets.sort(
            key=lambda s: (
                -windows[s.id].matched_count,
                windows[s.id].sentence_count,
                windows[s.id].span,
                -hits_by_id[s.id].score,
                s.id,
            )
        )
        scores = sorted((hits_by_id[s.id].score for s in snippets), reverse=True)
        findings = await self._result_formatter.format_snippets(snippets, sought_words)
        ranked_findings = []
        for snippet, finding, score in zip(snippets, findings, scores, strict=True):
            match = match_question(question, remove_questions(snippet.text))
            similarity = similarity_of(hits_by_id[snippet.id], match)
            ranked_findings.append(
                RankedFinding(replace(finding, score=score, near=similarity), match.is_match)
            )
        return ranked_findings
