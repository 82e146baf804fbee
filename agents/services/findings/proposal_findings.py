"""Finds what waits at the gate that bears on a question."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agents.canon_keeper.fact_readings import SUBJECT
from agents.proposals.decisions import is_rejected
from agents.proposals.statements import STATED_PREDICATE
from agents.search.asked_deeds import asks_only_what_was_said, find_asked_deed
from agents.search.asked_ties import names_tied_one, read_asked_tie
from agents.search.commitment_questions import (
    find_recipients,
    is_made_by_another,
    is_made_in_reverse,
    is_made_to,
)
from agents.search.compared_texts import phrase_as_asked
from agents.search.death_questions import (
    asks_for_all_deaths,
    find_asked_killers,
    tells_asked_death,
    tells_of_death,
    tells_of_killing,
)
from agents.search.place_questions import asks_where_hero_is, is_fact_of_whereabouts, read_sought_one
from agents.search.question import QuestionMatch, RecordQuestion, find_asked_subjects, match_question
from agents.search.swapped_roles import is_told_otherwise
from agents.search.told_deeds import tells_deed
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import (
    MAX_FINDINGS,
    OWN_DEED_SCORE,
    PROPOSED_ANSWER_SCORE,
    RankedFinding,
)
from agents.services.result_formatter import ProposalContent, ResultFormatter
from agents.views.query_views import AnswerStanding
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, FactKind, Payload
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES

MAX_OPEN_PROPOSALS: Final = 500
"""Open proposals that are read, the newest."""


class ProposalFinder:
    """Finds open proposals that bear on a question."""

    def __init__(self, log: LogReader, result_formatter: ResultFormatter) -> None:
        self._log = log
        self._result_formatter = result_formatter

    async def find_proposals(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return the best of the open proposals that bear on the question. Raises StoreError."""
        question, scope = search.question, search.scope
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=scope.universe_id, statuses=OPEN_STATUSES, last=MAX_OPEN_PROPOSALS)
        )
        asks_where = read_sought_one(question) is not None
        # Where I am, the scene in play shows: what waits comes after it.
        place_score = PROPOSED_ANSWER_SCORE * (asks_where and not asks_where_hero_is(question))
        tie = read_asked_tie(question)
        ranked_proposals = []
        for proposal in open_proposals:
            if is_rejected(proposal) or (scope.story_id and proposal.story_id not in (None, scope.story_id)):
                continue
            content = self._result_formatter.read_proposal_content(proposal)
            match = _match_proposal(question, content, proposal.change)
            if match.is_match:
                score = match.average_share + _score_wanted(question, content, proposal.change)
                is_of_tie = tie is not None and names_tied_one(tie, content.text)
                score += PROPOSED_ANSWER_SCORE if is_of_tie else place_score
                ranked_proposals.append((score, asks_where or is_of_tie, proposal))
        ranked_proposals.sort(key=lambda ranked: -ranked[0])
        top_proposals = ranked_proposals[: MAX_FINDINGS[AnswerStanding.PROPOSED]]
        findings = await self._result_formatter.format_proposals([proposal for *_, proposal in top_proposals])
        return [
            RankedFinding(replace(finding, score=score), True, is_answer=is_answer)
            for (score, is_answer, _), finding in zip(top_proposals, findings, strict=True)
        ]


def _match_proposal(question: RecordQuestion, content: ProposalContent, change: Payload) -> QuestionMatch:
    """Match a proposal by its text and whom it involves; as a whereabouts, where that is asked for."""
    text = phrase_as_asked(question, content.text)
    match = match_question(question, text, content.involved_ids, predicate=content.predicate)
    is_match = match.is_match and not is_made_in_reverse(question, content.text)
    is_match = is_match and not is_told_otherwise(question, text)
    if asks_only_what_was_said(question) and (deed := find_asked_deed(question)) is not None:
        is_match = is_match and tells_deed(question, deed, text)
    is_stated = content.predicate in ("", STATED_PREDICATE) or (
        isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT
    )
    if isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT:
        recipients = find_recipients(question)
        is_match = is_match and not is_made_by_another(question, _subject_of_change(change))
        is_match = is_match and (not recipients or is_made_to(content.text, recipients))
    if asks_for_all_deaths(question) and is_stated:
        is_match = not isinstance(change, AssertFact) or change.fact_kind is not FactKind.COMMITMENT
        is_match = is_match and tells_of_death(question, content.text)
    elif is_stated:
        is_match = is_match and tells_asked_death(question, text)
    elif find_asked_killers(question):
        is_match = is_match and tells_of_killing(question, text)
    if (sought := read_sought_one(question)) is not None:
        involved = change.involves if isinstance(change, AssertFact) else ()
        is_match = is_fact_of_whereabouts(sought, content.predicate, involved, text)
    if (tie := read_asked_tie(question)) is not None:
        is_match = names_tied_one(tie, content.text) or (is_match and not tie.is_relative)
    return replace(match, is_match=is_match)


def _score_wanted(question: RecordQuestion, content: ProposalContent, change: Payload) -> float:
    """Return what a proposal's score gains as what is asked for of somebody, or to somebody."""
    if content.predicate not in question.wanted_predicates:
        return 0.0
    is_own_deed = _subject_of_change(change) in find_asked_subjects(question)
    return OWN_DEED_SCORE * (is_own_deed + is_made_to(content.text, find_recipients(question)))


def _subject_of_change(change: Payload) -> Id | None:
    """Return whom a proposed fact is about, if it is about somebody."""
    if not isinstance(change, AssertFact):
        return None
    return next((i.entity_id for i in change.involves if i.role == SUBJECT), None)
