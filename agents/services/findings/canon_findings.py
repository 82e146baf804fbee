"""Finds what canon says that bears on a question: facts and entities, and that it does not say something.

What canon says of named entities is always read; everything else is found by search.
"""

from __future__ import annotations

from asyncio import gather
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agents.canon_keeper.commitments import closed_statement, commitment_kind
from agents.canon_keeper.fact_readings import ALIVE, CANON_EVENTS
from agents.search.asked_ties import names_tied_one, read_asked_tie
from agents.search.belief_questions import asks_who_knows, find_believers, is_on_known_matter
from agents.search.commitment_questions import (
    asks_for_commitment,
    asks_how_settled,
    find_recipients,
    is_made_by_another,
    is_made_in_reverse,
    is_made_to,
    read_asked_commitments,
)
from agents.search.compared_texts import phrase_as_asked
from agents.search.death_questions import (
    asks_about_death,
    asks_for_all_deaths,
    asks_who_killed,
    bears_on_death,
    find_asked_deaths,
    find_asked_killers,
    is_death,
    is_survival,
    subject_of,
    tells_of_death,
    tells_of_killing,
)
from agents.search.place_questions import (
    denies_whereabouts,
    is_fact_of_whereabouts,
    read_sought_one,
    tells_passing_of_thing,
    tells_whereabouts,
)
from agents.search.question import (
    QuestionMatch,
    RecordQuestion,
    find_asked_subjects,
    remove_questions,
)
from agents.search.question_cues import read_cues
from agents.search.result_validity import is_ended
from agents.search.swapped_roles import is_told_otherwise
from agents.search.turn_answers import match_statement, may_name_doer
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import (
    CANON_ANSWER_SCORE,
    MAX_FINDINGS,
    MAX_NAMED_ENTITIES,
    MAX_SCORE,
    OWN_DEED_SCORE,
    RankedFinding,
    similarity_of,
)
from agents.services.result_formatter import ResultFormatter
from agents.views.query_views import AnswerStanding
from stores.ports import CanonReader
from stores.queries import FactQuery, FactsAboutQuery
from stores.records.canon import Fact, FactKind, FactStatus, Standing
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, EntityKind

MAX_FACTS_PER_ENTITY: Final = 200
"""Facts that are read of a named entity."""
MAX_FACTS_LISTED: Final = 500
"""Facts that are read where all of a kind are asked for, the newest."""
ENDED_COMMITMENT_PENALTY: Final = 0.5
"""Open promises and debts come before settled ones, by this much of a score."""


class CanonFinder:
    """Finds facts and entities of canon that bear on a question."""

    def __init__(self, canon: CanonReader, result_formatter: ResultFormatter) -> None:
        self._canon = canon
        self._result_formatter = result_formatter

    async def find_facts(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return facts that bear on the question, or came near; and whose death canon does not have.

        Raises StoreError.
        """
        question, scope = search.question, search.scope
        hits_by_id = await search.find_by_id("facts", k=20)
        sought = read_sought_one(question)
        # `Where am I?` has no name in it.
        asked_ids = dict.fromkeys((*question.entity_ids, *sorted(sought.entity_ids if sought else ())))
        facts_by_entity = await gather(
            *(
                self._canon.facts_about(entity_id, FactsAboutQuery(history=True, limit=MAX_FACTS_PER_ENTITY))
                for entity_id in list(asked_ids)[:MAX_NAMED_ENTITIES]
            )
        )
        facts_by_id = {
            fact.id: fact
            for facts_of_one in (*facts_by_entity, await self._read_listed(question, scope.universe_id))
            for fact in facts_of_one
        } | await self._canon.facts_by_id(hits_by_id)
        facts = [
            f
            for f in facts_by_id.values()
            if f.universe_id == scope.universe_id and f.predicate not in CANON_EVENTS
        ]
        matches_by_id = {fact.id: _match_fact(question, fact) for fact in facts}
        passed_on_ids = _find_passed_on(question, facts, matches_by_id)
        times = sorted(map(_time_key, facts))
        ranked_facts = []
        for fact in facts:
            match, hit = matches_by_id[fact.id], hits_by_id.get(fact.id)
            if fact.id in passed_on_ids:
                match = replace(match, is_match=False)
            if match.is_match or hit:
                score = match.average_share + _score_wanted(question, fact) + (hit.score / 10 if hit else 0.0)
                # What was taken back comes last, by its standing.
                is_answering = match.is_match and fact.status is not FactStatus.RETCONNED
                if is_answering and sought is not None:
                    # Where somebody is not comes after where they are.
                    is_denial = denies_whereabouts(sought, fact.statement)
                    score = CANON_ANSWER_SCORE + (0.0 if is_denial else _recency_of(fact, times))
                elif is_answering and _names_asked_one(question, fact):
                    score += CANON_ANSWER_SCORE
                elif is_answering and fact.standing is Standing.RUMOUR:
                    score += MAX_SCORE  # before those who remember having heard it
                ranked_facts.append((score, match.is_match, fact, similarity_of(hit, match)))
        ranked_facts.sort(key=lambda ranked: (-ranked[1], -ranked[0], -ranked[3], ranked[2].id))
        top_facts = ranked_facts[: 3 * MAX_FINDINGS[AnswerStanding.CANON]]
        findings = await self._result_formatter.format_facts(
            [fact for _, _, fact, _ in top_facts], scope.universe_id
        )
        return [
            *await self._find_missing_deaths(question, [f for *_, f, _ in ranked_facts]),
            *self._find_none_open(question, [f for _, is_match, f, _ in ranked_facts if is_match]),
            *(
                RankedFinding(
                    replace(finding, score=score, near=similarity),
                    is_match,
                    is_answer=is_match and _is_in_force(fact) and _is_asked_for(question, fact),
                )
                for (score, is_match, fact, similarity), finding in zip(top_facts, findings, strict=True)
            ),
        ]

    async def _read_listed(self, question: RecordQuestion, universe_id: Id) -> list[Fact]:
        """Return all facts of a kind for which a question asks: deaths (`Who has died?`), the asker's promises."""
        if asks_for_all_deaths(question):
            return await self._canon.facts(universe_id, FactQuery(predicate=ALIVE, newest=MAX_FACTS_LISTED))
        is_on_commitments = asks_for_commitment(question) or asks_how_settled(question) is not None
        is_list = read_asked_commitments(question) is not None
        if not (is_list or (is_on_commitments and question.asker_ids)):
            return []
        query = FactQuery(kind=FactKind.COMMITMENT, history=True, newest=MAX_FACTS_LISTED)
        return await self._canon.facts(universe_id, query)

    async def find_entities(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return named entities, if the question is about them, and entities described so. Raises StoreError."""
        question = search.question
        hits_by_id = await search.find_by_id("entities", k=5)
        entities_by_id = await self._canon.entities_by_id(
            {*question.entity_ids[:MAX_NAMED_ENTITIES], *hits_by_id}
        )
        ranked_findings = []
        for entity in entities_by_id.values():
            if entity.universe_id != search.scope.universe_id:
                continue
            match, hit = _match_entity(question, entity), hits_by_id.get(entity.id)
            if match.is_match or hit:
                is_named = entity.id in question.entity_ids
                score = match.average_share + is_named * MAX_SCORE + (hit.score if hit else 0.0)
                finding = replace(
                    self._result_formatter.format_entity(entity), score=score, near=similarity_of(hit, match)
                )
                is_answer = match.is_match and read_asked_tie(question) is not None
                ranked_findings.append(RankedFinding(finding, match.is_match, is_answer))
        return ranked_findings

    async def find_not_known(self, question: RecordQuestion) -> list[RankedFinding]:
        """Return, of each who is asked about and may know something, that nothing says so. Raises StoreError."""
        entities = await self._canon.entities_by_id(find_believers(question))
        return [
            RankedFinding(self._result_formatter.format_not_known(e), True, is_answer=True)
            for e in entities.values()
            if e.kind in ACTORS or e.kind is EntityKind.FACTION
        ]

    async def _find_missing_deaths(
        self, question: RecordQuestion, facts: Sequence[Fact]
    ) -> list[RankedFinding]:
        """Return, to a question on a death, a finding on each of whom canon has neither death nor life."""
        if not asks_about_death(question) or asks_who_knows(question) or find_believers(question):
            return []
        told_ids = {subject_of(f) for f in facts if is_death(f) or is_survival(f)}
        asked_ids = {entity_id for name in find_asked_deaths(question) for entity_id in name.entity_ids}
        entities = await self._canon.entities_by_id(sorted(asked_ids)[:MAX_NAMED_ENTITIES])
        return [
            RankedFinding(
                replace(self._result_formatter.format_no_death(e), score=MAX_SCORE), True, is_answer=True
            )
            for e in entities.values()
            if e.kind in ACTORS and e.id not in told_ids
        ]

    def _find_none_open(self, question: RecordQuestion, matching: Sequence[Fact]) -> list[RankedFinding]:
        """Return, to a question on what is owed or promised now, that nothing is if all that was is settled."""
        commitments = [fact for fact in matching if fact.kind is FactKind.COMMITMENT]
        is_asked_now = (
            asks_for_commitment(question)
            and read_cues(question.text).asks_about_present
            and not asks_how_settled(question)
            and not read_asked_commitments(question)
        )
        if not (is_asked_now and commitments) or not all(map(is_ended, commitments)):
            return []
        finding = self._result_formatter.format_none_open(commitment_kind(commitments[0]))
        return [RankedFinding(replace(finding, score=MAX_SCORE), True, is_answer=True)]


def _match_fact(question: RecordQuestion, fact: Fact) -> QuestionMatch:
    """Match a fact by its statement and whom it involves; as a death or a whereabouts, where that is asked for."""
    statement = phrase_as_asked(question, remove_questions(_say_how_it_ended(fact)))
    involved_ids = {i.entity_id for i in fact.involves}
    match = match_statement(question, statement, involved_ids, predicate=fact.predicate)
    is_match = match.is_match or (match.name_share == 1.0 and _is_asked_settlement(question, fact))
    is_match = is_match and not is_made_in_reverse(question, fact.statement)
    is_match = is_match and not is_told_otherwise(question, statement)
    if fact.kind is FactKind.COMMITMENT and asks_how_settled(question) and find_asked_subjects(question):
        is_match = is_match and subject_of(fact) in find_asked_subjects(question)
    if fact.kind is FactKind.COMMITMENT and is_made_by_another(question, subject_of(fact)):
        is_match = False
    if fact.kind is FactKind.COMMITMENT and (recipients := find_recipients(question)):
        is_match = is_match and is_made_to(fact.statement, recipients)
    if asks_about_death(question):
        is_match = bears_on_death(question, fact, statement, is_about=match.name_share == 1.0) and (
            match.is_match or not asks_who_killed(question)
        )
    elif find_asked_killers(question):
        is_match = is_match and tells_of_killing(question, statement)
    if asks_for_all_deaths(question):
        is_match = is_death(fact) or (
            fact.kind is not FactKind.COMMITMENT and tells_of_death(question, fact.statement)
        )
    is_match = is_match or _is_known_secret(question, fact)
    if (sought := read_sought_one(question)) is not None:
        is_match = is_fact_of_whereabouts(sought, fact.predicate, fact.involves, statement)
    if (commitments := read_asked_commitments(question)) is not None:
        is_match = commitments.has(fact)
    if (tie := read_asked_tie(question)) is not None:
        is_match = names_tied_one(tie, statement) or (is_match and not tie.is_relative)
    return replace(match, is_match=is_match)


def _is_asked_settlement(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a fact is a promise or a debt of those asked about that is settled, as the question asks whether."""
    return (
        fact.kind is FactKind.COMMITMENT
        and fact.status is not FactStatus.RETCONNED
        and is_ended(fact)
        and asks_how_settled(question) is commitment_kind(fact)
        and subject_of(fact) in find_asked_subjects(question)
    )


def _say_how_it_ended(fact: Fact) -> str:
    """Return a fact in words; of a commitment that was settled, that it was."""
    return closed_statement(fact) if fact.kind is FactKind.COMMITMENT and fact.closed else fact.statement


def _match_entity(question: RecordQuestion, entity: Entity) -> QuestionMatch:
    """Match an entity by its names, kind and description: that somebody is of a kind tells of no death."""
    text = " ".join((entity.name, *entity.aliases, entity.kind, entity.description))
    match = match_statement(question, text, {entity.id})
    is_about_more_than_predicate = bool(question.content_words or not question.wanted_predicates)
    is_match = match.is_match and is_about_more_than_predicate and not asks_about_death(question)
    if entity.kind not in ACTORS:
        is_match = is_match and may_name_doer(question, entity.description)
    if (sought := read_sought_one(question)) is not None:
        is_match = tells_whereabouts(sought, entity.description)
    if (tie := read_asked_tie(question)) is not None:
        is_match = names_tied_one(tie, f"{entity.name}, {entity.description}")
    return replace(match, is_match=is_match)


def _score_wanted(question: RecordQuestion, fact: Fact) -> float:
    """Return what a fact's score gains as what is asked for, of whom or to whom it is asked, and still open."""
    score = 0.0
    if fact.predicate in question.wanted_predicates:
        score += 1.0
        score += OWN_DEED_SCORE * (subject_of(fact) in find_asked_subjects(question))
        score += OWN_DEED_SCORE * is_made_to(fact.statement, find_recipients(question))
    if fact.kind is FactKind.COMMITMENT and is_ended(fact):
        score -= ENDED_COMMITMENT_PENALTY
    return score


def _is_in_force(fact: Fact) -> bool:
    """Say whether a fact is true now: it was not taken back, and nothing took its place."""
    return fact.status is not FactStatus.RETCONNED and not is_ended(fact)


def _is_asked_for(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a fact that matches is itself what is asked for: a whereabouts, whoever is asked for, or a secret."""
    return (
        read_sought_one(question) is not None
        or _names_asked_one(question, fact)
        or _is_known_secret(question, fact)
    )


def _names_asked_one(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a fact that is true names the relative or the like for whom a question asks."""
    tie = read_asked_tie(question)
    return tie is not None and fact.standing is Standing.TRUE and names_tied_one(tie, fact.statement)


def _is_known_secret(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a secret answers who knows it, or what somebody knows who may know it."""
    if not fact.is_secret or fact.secrecy is None:
        return False
    is_asked_for = asks_who_knows(question) or not find_believers(question).isdisjoint(fact.secrecy.known_to)
    return is_asked_for and is_on_known_matter(
        question, fact.statement, frozenset(i.entity_id for i in fact.involves)
    )


def _find_passed_on(
    question: RecordQuestion, facts: Sequence[Fact], matches_by_id: Mapping[Id, QuestionMatch]
) -> frozenset[Id]:
    """Return the facts that tell who took or lost the thing sought, or had it before, if something later says it.

    What was done stays true, and who has the thing now is another question; so is what was so before and is again.
    """
    sought = read_sought_one(question)
    if sought is None:
        return frozenset()
    holding = {f.id: f for f in facts if not is_ended(f) and matches_by_id[f.id].is_match}
    last = max(holding.values(), key=_time_key, default=None)
    holding_keys = {f.statement_key for f in holding.values()}
    return frozenset(
        f.id
        for f in facts
        if (f.id in holding and f is not last and tells_passing_of_thing(sought, f.statement))
        or (is_ended(f) and f.statement_key in holding_keys)
    )


def _time_key(fact: Fact) -> tuple[int, datetime]:
    return (fact.valid_from or 0, fact.recorded_at)


def _recency_of(fact: Fact, times: Sequence[tuple[int, datetime]]) -> float:
    """Return which share of `times`, of all facts in order, are no later than this one's."""
    return bisect_right(times, _time_key(fact)) / len(times)
