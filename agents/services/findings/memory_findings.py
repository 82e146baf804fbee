"""Finds what somebody remembers that bears on a question, or what those remember of whom it asks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from agents.memory_manager.beliefs import read_beliefs
from agents.memory_manager.memory_decay import is_forgotten
from agents.memory_manager.merged_entities import read_merged_entities
from agents.memory_manager.outdated_beliefs import drop_outdated
from agents.search.asked_ties import names_tied_one, read_asked_tie
from agents.search.belief_questions import (
    asks_what_was_told,
    asks_who_knows,
    find_believers,
    is_on_known_matter,
    says_otherwise_of_life,
)
from agents.search.commitment_questions import asks_for_commitment, is_made_in_reverse
from agents.search.compared_texts import phrase_as_asked
from agents.search.death_questions import (
    asks_for_all_deaths,
    tells_asked_death,
    tells_of_death,
)
from agents.search.place_questions import read_sought_one, tells_only_coming, tells_whereabouts
from agents.search.question import (
    QuestionMatch,
    RecordQuestion,
    counts_as_about_speaker,
    remove_what_is_asked,
)
from agents.search.swapped_roles import is_told_otherwise
from agents.search.turn_answers import match_statement, tells_deed_to_something_else
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import MAX_FINDINGS, MAX_SCORE, RankedFinding, similarity_of
from agents.services.manual_edits import read_present_tick
from agents.services.rejected_quotes import mark_rejected, read_rejected_quotes
from agents.services.result_formatter import ResultFormatter
from agents.views.query_views import AnswerStanding
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery
from stores.records.ids import Id
from stores.records.memory import Memory, MemoryOrigin


class MemoryFinder:
    """Finds memories that bear on a question: what is forgotten, outdated or rejected is none."""

    def __init__(self, canon: CanonReader, log: LogReader, result_formatter: ResultFormatter) -> None:
        self._canon = canon
        self._log = log
        self._result_formatter = result_formatter

    async def find_memories(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return memories found by search; of a question on what somebody knows, theirs. Raises StoreError."""
        question, universe_id = search.question, search.scope.universe_id
        present_tick = await read_present_tick(self._log, universe_id) or 0
        if believer_ids := find_believers(question):
            return await self._find_beliefs(question, believer_ids, present_tick)
        hits_by_id = await search.find_by_id("memories", k=10)
        memories = await self._log.memories(MemoryQuery(ids=list(hits_by_id))) if hits_by_id else []
        if memories:
            merged_entities = await read_merged_entities(self._canon, memories[0].universe_id)
            memories = merged_entities.with_current_owners(memories)
        memories = await drop_outdated(
            self._canon, self._log, [m for m in memories if not is_forgotten(m, present_tick)]
        )
        rejected_quotes = await read_rejected_quotes(
            self._log, universe_id, {m.turn_id for m in memories if m.turn_id}
        )
        ranked_findings = []
        for memory, unmarked_finding in zip(
            memories, await self._result_formatter.format_memories(memories), strict=True
        ):
            finding, hit = mark_rejected(unmarked_finding, rejected_quotes), hits_by_id[memory.id]
            match = _match_memory(question, memory, finding.believer)
            is_rejected = bool(finding.rejected_quotes)
            is_known = (
                asks_who_knows(question)
                and is_on_known_matter(question, memory.text, frozenset(memory.about))
                and tells_asked_death(question, memory.text)
                and not says_otherwise_of_life(question, memory.text)
                and not is_told_otherwise(question, memory.text)
            )
            is_about_named = bool({*memory.about}.intersection(question.entity_ids))
            ranked_findings.append(
                RankedFinding(
                    replace(finding, score=hit.score + is_about_named, near=similarity_of(hit, match)),
                    is_match=(match.is_match or is_known) and not is_rejected,
                    is_answer=is_known and not is_rejected,
                    is_told=memory.how is MemoryOrigin.TOLD,
                )
            )
        return ranked_findings

    async def _find_beliefs(
        self, question: RecordQuestion, believer_ids: Collection[Id], present_tick: int
    ) -> list[RankedFinding]:
        """Return what those of whom the question asks remember on its matter, the newest first."""
        memories = [
            memory
            for believer_id in sorted(believer_ids)
            for memory in await read_beliefs(self._canon, self._log, believer_id, present_tick)
            if is_on_known_matter(question, memory.text, frozenset(memory.about))
            and (memory.how is MemoryOrigin.TOLD or not asks_what_was_told(question))
        ]
        memories.sort(key=lambda m: (m.tick, m.created_at), reverse=True)
        findings = await self._result_formatter.format_memories(memories)
        return [
            RankedFinding(replace(finding, score=MAX_SCORE - place), True, is_answer=True)
            for place, finding in enumerate(findings[: MAX_FINDINGS[AnswerStanding.BELIEVED]])
        ]


def _match_memory(question: RecordQuestion, memory: Memory, believer: str) -> QuestionMatch:
    """Match a memory by its text and whom it is about: whoever remembers a promise need not be whose it is."""
    text = phrase_as_asked(question, remove_what_is_asked(question, memory.text))
    if not asks_for_commitment(question) and counts_as_about_speaker(question, text):
        match = match_statement(question, f"{believer} {text}", {memory.entity_id, *memory.about})
    else:
        match = match_statement(question, text, memory.about)
    is_match = (
        match.is_match
        and not is_made_in_reverse(question, memory.text)
        and not tells_deed_to_something_else(question, text)
        and not is_told_otherwise(question, text)
    )
    if asks_for_all_deaths(question):
        is_match = tells_of_death(question, memory.text)
    else:
        is_match = is_match and tells_asked_death(question, text)
    if (sought := read_sought_one(question)) is not None:
        is_match = is_match and tells_whereabouts(sought, text) and not tells_only_coming(memory.text)
    if (tie := read_asked_tie(question)) is not None:
        is_match = names_tied_one(tie, memory.text) or (is_match and not tie.is_relative)
    return replace(match, is_match=is_match)
