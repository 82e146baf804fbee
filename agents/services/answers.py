"""Collects what bears on a question, by standing: canon, proposals, transcript, memories, past facts. Read-only.

What canon says of named entities is always read; everything else is found by search. What was found but does
not bear on the question is returned apart, as the nearest.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.fact_readings import CANON_EVENTS, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.context_assembly.story_decisions import read_decisions_of_story
from agents.memory_manager.beliefs import read_beliefs
from agents.memory_manager.memory_decay import is_forgotten
from agents.memory_manager.outdated_beliefs import drop_outdated
from agents.proposals.decisions import is_rejected
from agents.proposals.statements import STATED_PREDICATE
from agents.search.belief_questions import (
    asks_whether_known,
    asks_who_knows,
    find_believers,
    is_on_known_matter,
    says_who_knows,
)
from agents.search.commitment_questions import (
    asks_for_commitment,
    find_recipients,
    is_made_in_reverse,
    is_made_to,
)
from agents.search.death_questions import (
    asks_about_death,
    bears_on_death,
    find_asked_deaths,
    is_death,
    subject_of,
    tells_of_death,
)
from agents.search.decision_questions import asks_about_decision, is_answered_by_decision
from agents.search.passage_windows import find_best_window, find_sought_words
from agents.search.place_questions import is_fact_of_whereabouts, read_sought_one, tells_whereabouts
from agents.search.question import (
    QuestionMatch,
    RecordQuestion,
    counts_as_about_speaker,
    find_asked_subjects,
    match_question,
    remove_questions,
    shares_content_word,
)
from agents.search.question_cues import read_cues
from agents.search.result_validity import is_ended
from agents.search.search_port import RecordSearch, SearchHit, SearchKind, SearchScope
from agents.search.source_texts import read_source_texts
from agents.search.turn_answers import match_turn
from agents.search.turn_ranking import turn_time_order
from agents.services.manual_edits import read_present_tick
from agents.services.rejected_quotes import mark_rejected, read_rejected_quotes
from agents.services.result_formatter import MAX_TEXT_LENGTH, ResultFormatter
from agents.services.scene_whereabouts import SceneWhereabouts
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery, MemoryQuery, ProposalQuery
from stores.records.canon import AssertFact, Fact, FactKind, Payload
from stores.records.ids import Id
from stores.records.play import Speaker, Turn
from stores.records.workflow import OPEN_STATUSES
from stores.records.world import ACTORS

MAX_FINDINGS: Final = {
    AnswerStanding.CANON: 8,
    AnswerStanding.PROPOSED: 4,
    AnswerStanding.ON_RECORD: 6,
    AnswerStanding.BELIEVED: 4,
    AnswerStanding.CONTRADICTED: 4,
    AnswerStanding.UNKNOWN: 4,
}
"""Findings of each standing that an answer has at most, in this order."""
MAX_NEAREST: Final = (3, 1, 0, 6, 2, 2, 0, 0)
"""Findings beside an answer that do not plainly bear on it.

By kind: facts, entities, proposals, turns, memories, passages of sources, decisions and the scene in play.
"""
MIN_LIKELY_SIMILARITY: Final = 0.4
"""Lowest similarity (0 to 1) at which a model is asked whether such a finding answers the question.

Of questions that a log of 1,500 turns answers, 9 in 10 have a finding as near; so do most that it does not
answer. The limit only saves calls in vain.
"""
MAX_FACTS_PER_ENTITY: Final = 200
"""Facts that are read of a named entity."""
MAX_NAMED_ENTITIES: Final = 6
"""Named entities of a question that are looked up."""
MAX_SCORE: Final = 100.0
"""More than the score of any finding that is searched for."""
ENDED_COMMITMENT_PENALTY: Final = 0.5
"""Open promises and debts come before settled ones, by this much of a score."""
CANON_PLACE_SCORE: Final = 3 * MAX_SCORE
"""Where canon has somebody comes before where a proposal has them, and that before what the scene in play shows."""
PROPOSED_PLACE_SCORE: Final = 2 * MAX_SCORE
OWN_DEED_SCORE: Final = 2.0
"""What is asked of somebody, or to somebody, comes before what only names them, by this much of a score."""
MAX_OPEN_PROPOSALS: Final = 500
"""Open proposals that are read, the newest."""
EARLIER_NOTE: Final = "said earlier: it may have changed"
"""Said of a turn that is not the newest, where the question asks how it is now."""


@dataclass(frozen=True, slots=True)
class GatheredFindings:
    """What was found for a question.

    `matching` findings are numbered from 1, the best standing first; the numbers of `nearest` follow.
    """

    matching: tuple[QueryFinding, ...]
    nearest: tuple[QueryFinding, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RankedFinding:
    finding: QueryFinding
    is_match: bool
    is_answer: bool = False
    """Whether it is what the question asks for, and so comes before what bears on it, whatever its standing."""


class FindingCollector:
    """Collects findings for a question."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        record_search: RecordSearch,
        result_formatter: ResultFormatter,
    ) -> None:
        self._canon = canon
        self._log = log
        self._record_search = record_search
        self._result_formatter = result_formatter
        self._scene_whereabouts = SceneWhereabouts(canon, log)

    async def collect_findings(
        self, question: RecordQuestion, scope: SearchScope, catalogue: Catalogue
    ) -> GatheredFindings:
        """Return what bears on the question, and what came nearest. Raises StoreError."""
        notes: dict[str, None] = {}
        findings_by_source: Sequence[list[_RankedFinding]] = await gather(
            self._collect_facts(question, scope, catalogue, notes),
            self._collect_entities(question, scope, notes),
            self._collect_proposals(question, scope),
            self._collect_turns(question, scope, notes),
            self._collect_memories(question, scope, notes),
            self._collect_snippets(question, scope, notes),
            self._collect_decisions(question, scope),
            self._collect_whereabouts(question, scope),
        )
        if find_believers(question):
            # What is so does not say what somebody knows of it: it is shown as the nearest.
            findings_by_source = tuple(
                [replace(ranked, is_match=ranked.is_match and ranked.is_answer) for ranked in source_findings]
                for source_findings in findings_by_source
            )
        elif asks_who_knows(question):
            findings_by_source = tuple(
                [
                    replace(r, is_match=r.is_answer or (r.is_match and says_who_knows(r.finding.text)))
                    for r in source_findings
                ]
                for source_findings in findings_by_source
            )
        if asks_whether_known(question) and not any(
            r.is_match for source_findings in findings_by_source for r in source_findings
        ):
            findings_by_source = (*findings_by_source[:-1], await self._collect_not_known(question))
        matching = _top_findings(
            ranked for source_findings in findings_by_source for ranked in source_findings if ranked.is_match
        )
        nearest = [
            finding
            for part, max_count in zip(findings_by_source, MAX_NEAREST, strict=True)
            for finding in sorted((w.finding for w in part if not w.is_match), key=lambda f: -f.score)[
                :max_count
            ]
        ]
        nearest.sort(key=lambda finding: -finding.near)
        numbered_findings = [replace(f, number=n) for n, f in enumerate((*matching, *nearest), 1)]
        return GatheredFindings(
            tuple(numbered_findings[: len(matching)]), tuple(numbered_findings[len(matching) :]), tuple(notes)
        )

    # --- canon ---------------------------------------------------------------------------------------

    async def _collect_facts(
        self, question: RecordQuestion, scope: SearchScope, catalogue: Catalogue, notes: dict[str, None]
    ) -> list[_RankedFinding]:
        search_hits = await self._search("facts", question, scope, notes, k=20)
        hits_by_id = {hit_found.id: hit_found for hit_found in search_hits}
        facts_by_entity = await gather(
            *(
                self._canon.facts_about(entity_id, FactsAboutQuery(history=True, limit=MAX_FACTS_PER_ENTITY))
                for entity_id in question.entity_ids[:MAX_NAMED_ENTITIES]
            )
        )
        facts = {
            fact.id: fact for entity_facts in facts_by_entity for fact in entity_facts
        } | await self._canon.facts_by_id(hits_by_id)
        scope_facts = [
            f
            for f in facts.values()
            if f.universe_id == scope.universe_id and f.predicate not in CANON_EVENTS
        ]
        asked_subjects, recipients = find_asked_subjects(question), find_recipients(question)
        sought = read_sought_one(question)
        ranked_facts = []
        for fact in scope_facts:
            involved_ids = {i.entity_id for i in fact.involves}
            match = match_question(
                question, remove_questions(fact.statement), involved_ids, predicate=fact.predicate
            )
            is_match = match.is_match and not is_made_in_reverse(question, fact.statement)
            if asks_about_death(question):
                is_match = bears_on_death(question, fact, is_about=match.name_share == 1.0)
            is_match = is_match or _is_known_secret(question, fact)
            if sought is not None:
                is_match = is_fact_of_whereabouts(
                    sought, fact.predicate, fact.involves, remove_questions(fact.statement)
                )
            if is_match or fact.id in hits_by_id:
                is_wanted = fact.predicate in question.wanted_predicates
                hit = hits_by_id.get(fact.id)
                score = match.average_share + is_wanted + (hit.score / 10 if hit else 0.0)
                if fact.kind is FactKind.COMMITMENT and is_ended(fact):
                    score -= ENDED_COMMITMENT_PENALTY
                if is_wanted and fact.entity(SUBJECT) in asked_subjects:
                    score += OWN_DEED_SCORE
                if is_wanted and is_made_to(fact.statement, recipients):
                    score += OWN_DEED_SCORE
                if sought is not None and is_match:
                    score = CANON_PLACE_SCORE + _recency_of(fact, scope_facts)
                ranked_facts.append((score, is_match, fact, _similarity_of(hit, match)))
        ranked_facts.sort(key=lambda ranked: (-ranked[1], -ranked[0], -ranked[3], ranked[2].id))
        top_facts = ranked_facts[: 3 * MAX_FINDINGS[AnswerStanding.CANON]]
        findings = await self._result_formatter.format_facts(
            [fact for _, _, fact, _ in top_facts], scope.universe_id
        )
        return [
            *await self._collect_missing_deaths(question, [f for *_, f, _ in ranked_facts]),
            *(
                _RankedFinding(
                    replace(finding, score=score, near=similarity),
                    is_match,
                    is_answer=is_match
                    and not is_ended(fact)
                    and (sought is not None or _is_known_secret(question, fact)),
                )
                for (score, is_match, fact, similarity), finding in zip(top_facts, findings, strict=True)
            ),
        ]

    async def _collect_missing_deaths(
        self, question: RecordQuestion, facts: Sequence[Fact]
    ) -> list[_RankedFinding]:
        """Return, to a question on a death, a finding on each whose death canon does not have."""
        if not asks_about_death(question):
            return []
        dead_ids = {subject_of(f) for f in facts if is_death(f)}
        asked_ids = {entity_id for name in find_asked_deaths(question) for entity_id in name.entity_ids}
        entities = await self._canon.entities_by_id(sorted(asked_ids)[:MAX_NAMED_ENTITIES])
        return [
            _RankedFinding(
                replace(self._result_formatter.format_no_death(e), score=MAX_SCORE), True, is_answer=True
            )
            for e in entities.values()
            if e.kind in ACTORS and e.id not in dead_ids
        ]

    async def _collect_not_known(self, question: RecordQuestion) -> list[_RankedFinding]:
        """Return, of each who is asked about, that nothing says they know it."""
        entities = await self._canon.entities_by_id(find_believers(question))
        return [
            _RankedFinding(self._result_formatter.format_not_known(e), True, is_answer=True)
            for e in entities.values()
        ]

    async def _collect_entities(
        self, question: RecordQuestion, scope: SearchScope, notes: dict[str, None]
    ) -> list[_RankedFinding]:
        """Return findings on named entities, if the question is about them, and on entities described so."""
        hits_by_id = {
            found_hit.id: found_hit
            for found_hit in await self._search("entities", question, scope, notes, k=5)
        }
        entities_by_id = await self._canon.entities_by_id(
            {*question.entity_ids[:MAX_NAMED_ENTITIES], *hits_by_id}
        )
        sought = read_sought_one(question)
        ranked_findings = []
        for entity in entities_by_id.values():
            if entity.universe_id != scope.universe_id:
                continue
            text = " ".join((entity.name, *entity.aliases, entity.kind, entity.description))
            match = match_question(question, text, {entity.id})
            is_match = match.is_match and bool(question.content_words or not question.wanted_predicates)
            is_match = is_match and not asks_about_death(question)
            if sought is not None:
                is_match = tells_whereabouts(sought, entity.description)
            hit = hits_by_id.get(entity.id)
            if is_match or hit:
                is_named = entity.id in question.entity_ids
                score = match.average_share + is_named * MAX_SCORE + (hit.score if hit else 0.0)
                finding = replace(
                    self._result_formatter.format_entity(entity), score=score, near=_similarity_of(hit, match)
                )
                ranked_findings.append(_RankedFinding(finding, is_match))
        return ranked_findings

    async def _collect_proposals(self, question: RecordQuestion, scope: SearchScope) -> list[_RankedFinding]:
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=scope.universe_id, statuses=OPEN_STATUSES, last=MAX_OPEN_PROPOSALS)
        )
        asked_subjects, recipients = find_asked_subjects(question), find_recipients(question)
        sought = read_sought_one(question)
        ranked_proposals = []
        for proposal in open_proposals:
            if is_rejected(proposal) or (scope.story_id and proposal.story_id not in (None, scope.story_id)):
                continue
            description = self._result_formatter.read_proposal_content(proposal)
            match = match_question(
                question, description.text, description.involved_ids, predicate=description.predicate
            )
            is_match = match.is_match and not is_made_in_reverse(question, description.text)
            if asks_about_death(question) and description.predicate in ("", STATED_PREDICATE):
                is_match = is_match and tells_of_death(question, description.text)
            if sought is not None:
                involved = proposal.change.involves if isinstance(proposal.change, AssertFact) else ()
                is_match = is_fact_of_whereabouts(sought, description.predicate, involved, description.text)
            if is_match:
                is_wanted = description.predicate in question.wanted_predicates
                is_own_deed = is_wanted and _subject_of_change(proposal.change) in asked_subjects
                is_to_asked = is_wanted and is_made_to(description.text, recipients)
                score = match.average_share + (is_own_deed + is_to_asked) * OWN_DEED_SCORE
                if sought is not None:
                    score += PROPOSED_PLACE_SCORE
                ranked_proposals.append((score, proposal))
        ranked_proposals.sort(key=lambda ranked: -ranked[0])
        top_proposals = ranked_proposals[: MAX_FINDINGS[AnswerStanding.PROPOSED]]
        findings = await self._result_formatter.format_proposals([proposal for _, proposal in top_proposals])
        return [
            _RankedFinding(replace(finding, score=score), True, is_answer=sought is not None)
            for (score, _), finding in zip(top_proposals, findings, strict=True)
        ]

    # --- the book, and what is believed --------------------------------------------------------------

    async def _collect_turns(
        self, question: RecordQuestion, scope: SearchScope, notes: dict[str, None]
    ) -> list[_RankedFinding]:
        search_hits = await self._search("turns", question, scope, notes, k=20)
        turns = await self._log.turns([hit.id for hit in search_hits])
        rejected_quotes = await read_rejected_quotes(self._log, scope.universe_id, turns)
        parent_turns = await self._log.turns({t.parent_id for t in turns.values() if t.parent_id})
        sought = read_sought_one(question)
        matched_turns, match_results = [], []
        for one in search_hits:
            turn = turns.get(one.id)
            if turn is None or turn.speaker is Speaker.SYSTEM:
                continue
            statement_text = remove_questions(turn.text)
            for quote in rejected_quotes.get(turn.id, ()):
                statement_text = statement_text.replace(quote, " ")
            parent = parent_turns.get(turn.parent_id or "")
            speaker_name = turn.name if counts_as_about_speaker(question, statement_text) else ""
            turn_match = match_turn(question, statement_text, speaker_name, parent.text if parent else "")
            is_match = turn_match.is_answer and not is_made_in_reverse(
                question, statement_text, is_of_asker=turn.speaker is Speaker.PLAYER
            )
            if asks_about_death(question):
                is_match = is_match and tells_of_death(question, statement_text)
            if sought is not None:
                is_match = tells_whereabouts(sought, statement_text)
            matched_turns.append((one, turn))
            match_results.append((turn_match.match, is_match))
        findings = [
            mark_rejected(finding, rejected_quotes)
            for finding in await self._result_formatter.format_turns([turn for _, turn in matched_turns])
        ]
        ranked_findings = [
            _RankedFinding(replace(finding, score=one.score, near=_similarity_of(one, text)), is_match)
            for (one, _), finding, (text, is_match) in zip(
                matched_turns, findings, match_results, strict=True
            )
        ]
        if sought is None and not read_cues(question.text).asks_about_now:
            return ranked_findings
        newest_first = _put_newest_first(ranked_findings, [turn for _, turn in matched_turns])
        return [replace(r, is_answer=sought is not None and r.is_match) for r in newest_first]

    async def _collect_memories(
        self, question: RecordQuestion, scope: SearchScope, notes: dict[str, None]
    ) -> list[_RankedFinding]:
        if believer_ids := find_believers(question):
            return await self._collect_beliefs(question, scope, believer_ids)
        hits_by_id = {
            found_hit.id: found_hit
            for found_hit in await self._search("memories", question, scope, notes, k=10)
        }
        memories = await self._log.memories(MemoryQuery(ids=list(hits_by_id))) if hits_by_id else []
        current_tick = await read_present_tick(self._log, scope.universe_id) or 0
        memories = await drop_outdated(
            self._canon, self._log, [m for m in memories if not is_forgotten(m, current_tick)]
        )
        rejected_quotes = await read_rejected_quotes(
            self._log, scope.universe_id, {m.turn_id for m in memories if m.turn_id}
        )
        sought = read_sought_one(question)
        ranked_findings = []
        for memory, finding in zip(
            memories, await self._result_formatter.format_memories(memories), strict=True
        ):
            # Whoever remembers a promise need not be whose it is.
            is_of_believer = not asks_for_commitment(question)
            match = match_question(
                question,
                f"{finding.believer} {memory.text}" if is_of_believer else memory.text,
                {memory.entity_id, *memory.about} if is_of_believer else memory.about,
            )
            hit = hits_by_id[memory.id]
            is_match = match.is_match and not is_made_in_reverse(question, memory.text)
            if asks_about_death(question):
                is_match = is_match and tells_of_death(question, memory.text)
            finding = mark_rejected(finding, rejected_quotes)
            is_match = is_match and not finding.rejected_quotes
            if sought is not None:
                is_match = is_match and tells_whereabouts(sought, memory.text)
            is_about = bool({*memory.about}.intersection(question.entity_ids))
            is_known = asks_who_knows(question) and not finding.rejected_quotes
            is_known = is_known and is_on_known_matter(question, memory.text, frozenset(memory.about))
            ranked_findings.append(
                _RankedFinding(
                    replace(finding, score=hit.score + is_about, near=_similarity_of(hit, match)),
                    is_match or is_known,
                    is_answer=is_known,
                )
            )
        return ranked_findings

    async def _collect_beliefs(
        self, question: RecordQuestion, scope: SearchScope, believer_ids: Collection[Id]
    ) -> list[_RankedFinding]:
        """Return what those of whom the question asks remember on its matter, the newest first."""
        current_tick = await read_present_tick(self._log, scope.universe_id) or 0
        memories = [
            memory
            for believer_id in sorted(believer_ids)
            for memory in await read_beliefs(self._canon, self._log, believer_id, current_tick)
            if is_on_known_matter(question, memory.text, frozenset(memory.about))
        ]
        memories.sort(key=lambda m: (m.tick, m.created_at), reverse=True)
        findings = await self._result_formatter.format_memories(memories)
        return [
            _RankedFinding(replace(finding, score=MAX_SCORE - place), True, is_answer=True)
            for place, finding in enumerate(findings[: MAX_FINDINGS[AnswerStanding.BELIEVED]])
        ]

    async def _collect_snippets(
        self, question: RecordQuestion, scope: SearchScope, notes: dict[str, None]
    ) -> list[_RankedFinding]:
        hits_by_id = {
            found_hit.id: found_hit
            for found_hit in await self._search("snippets", question, scope, notes, k=10)
        }
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
            match, hit = match_question(question, remove_questions(snippet.text)), hits_by_id[snippet.id]
            ranked_findings.append(
                _RankedFinding(replace(finding, score=score, near=_similarity_of(hit, match)), match.is_match)
            )
        return ranked_findings

    async def _collect_decisions(self, question: RecordQuestion, scope: SearchScope) -> list[_RankedFinding]:
        """Return the decisions that hold and bear on the question; they come before turns of the transcript.

        To a question what the player does, may do or has decided, the decision is the answer.
        """
        stories = (await self._log.readable_stories(scope.universe_id)).records
        decisions = [
            decision
            for story in stories
            if scope.story_id in (None, story.id)
            for decision in await read_decisions_of_story(self._log, story)
        ]
        is_asked_for = asks_about_decision(question)
        matches = [
            (match, is_asked_for and is_answered_by_decision(question, decision.text), decision)
            for decision in decisions
            for match in (match_question(question, decision.text),)
        ]
        matches = [
            (match, is_answer, decision)
            for match, is_answer, decision in matches
            if is_answer
            or shares_content_word(question, decision.text)
            or (match.is_match and not asks_about_death(question))
        ]
        findings = await self._result_formatter.format_decisions([decision for *_, decision in matches])
        return [
            _RankedFinding(replace(finding, score=MAX_SCORE + match.average_share), True, is_answer)
            for (match, is_answer, _), finding in zip(matches, findings, strict=True)
        ]

    async def _collect_whereabouts(
        self, question: RecordQuestion, scope: SearchScope
    ) -> list[_RankedFinding]:
        """Return what the scene in play says of where somebody is and who is here: it is what was asked for."""
        findings = await self._scene_whereabouts.find_whereabouts(question, scope)
        return [_RankedFinding(replace(f, score=MAX_SCORE), True, is_answer=True) for f in findings]

    async def _search(
        self,
        kind: SearchKind,
        question: RecordQuestion,
        scope: SearchScope,
        notes: dict[str, None],
        *,
        k: int,
    ) -> Sequence[SearchHit]:
        results = await self._record_search.search(kind, question.text, scope, k=k)
        notes.update(dict.fromkeys(results.notes))
        return results.hits


def _put_newest_first(
    ranked_findings: Sequence[_RankedFinding], turns: Sequence[Turn]
) -> list[_RankedFinding]:
    """Rank the matching turns by when they were said, the newest first, and mark the others as earlier."""
    pairs = list(zip(ranked_findings, turns, strict=True))
    matching = sorted(
        (pair for pair in pairs if pair[0].is_match), key=lambda pair: turn_time_order(pair[1]), reverse=True
    )
    scores = sorted((ranked.finding.score for ranked, _ in matching), reverse=True)
    newest_first = [
        replace(
            ranked,
            finding=replace(
                ranked.finding,
                score=score,
                where=ranked.finding.where if place == 0 else f"{ranked.finding.where}, {EARLIER_NOTE}",
            ),
        )
        for place, ((ranked, _), score) in enumerate(zip(matching, scores, strict=True))
    ]
    return [*newest_first, *(ranked for ranked, _ in pairs if not ranked.is_match)]


def _is_known_secret(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a secret answers who knows it, or what somebody knows who may know it."""
    if not fact.is_secret or fact.secrecy is None:
        return False
    is_asked_for = asks_who_knows(question) or not find_believers(question).isdisjoint(fact.secrecy.known_to)
    return is_asked_for and is_on_known_matter(
        question, fact.statement, frozenset(i.entity_id for i in fact.involves)
    )


def _recency_of(fact: Fact, facts: Collection[Fact]) -> float:
    """Return which share of the facts are no newer than this one, by world time and then as recorded."""
    key = (fact.valid_from or 0, fact.recorded_at)
    return sum((other.valid_from or 0, other.recorded_at) <= key for other in facts) / len(facts)


def _subject_of_change(change: Payload) -> Id | None:
    """Return whom a proposed fact is about, if it is about somebody."""
    if not isinstance(change, AssertFact):
        return None
    return next((i.entity_id for i in change.involves if i.role == SUBJECT), None)


def _similarity_of(hit: SearchHit | None, match: QuestionMatch) -> float:
    """Return how near a finding comes to the question: by meaning as it was found, or by words."""
    return max(hit.similarity if hit else 0.0, match.name_share * match.word_share)


def _top_findings(ranked_findings: Iterable[_RankedFinding]) -> list[QueryFinding]:
    """Return what the question asks for, then the best of each standing, canon first."""
    answers: list[QueryFinding] = []
    others: list[QueryFinding] = []
    for ranked in sorted(
        ranked_findings, key=lambda r: (-r.finding.score, r.finding.text, r.finding.believer)
    ):
        is_first = ranked.is_answer and len(answers) < MAX_FINDINGS[ranked.finding.standing]
        (answers if is_first else others).append(ranked.finding)
    by_standing = [
        [finding for finding in others if finding.standing is standing] for standing in MAX_FINDINGS
    ]
    distinct_findings = _distinct_findings([*answers, *(f for part in by_standing for f in part)])
    left_counts = dict(MAX_FINDINGS)
    top_findings: list[QueryFinding] = []
    for finding in distinct_findings:
        if finding in answers:
            top_findings.append(finding)
        elif left_counts[finding.standing]:
            left_counts[finding.standing] -= 1
            top_findings.append(finding)
    return top_findings


def _distinct_findings(findings: Iterable[QueryFinding]) -> list[QueryFinding]:
    """Return the findings, each text of the same believer once: a turn whose words became canon adds nothing."""
    findings_by_text: dict[tuple[str, str], QueryFinding] = {}
    for finding in findings:
        statement = finding.quote if finding.standing is AnswerStanding.ON_RECORD else ""
        findings_by_text.setdefault(
            ((statement or finding.text).strip().casefold(), finding.believer), finding
        )
    return list(findings_by_text.values())
