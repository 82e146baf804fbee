"""Questions to the record: answers by standing, turns found again, word search, and proposing an answer."""

from __future__ import annotations

import re
from asyncio import gather
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.llm.call_context import CallContext, PersonaCalls
from agents.llm.errors import ModelError, ModelUnset
from agents.memory_manager.beliefs import read_beliefs
from agents.memory_manager.merged_entities import read_merged_entities
from agents.memory_manager.outdated_beliefs import drop_outdated
from agents.personas.personas import Librarian
from agents.sanitize import clean, clean_line
from agents.search.passage_windows import find_typed_words
from agents.search.question import MAX_QUESTION_LENGTH, RecordQuestion, parse_question
from agents.search.question_cues import content_stems
from agents.search.search_port import RecordSearch, SearchKind, SearchResults, SearchScope
from agents.search.spoken_roles import keep_held_roles, keep_roles, name_roles
from agents.search.turn_filter import ALL_TURNS, TurnFilter
from agents.services.citation_check import find_unsupported_sentences, format_cited_sentence, format_evidence
from agents.services.findings.finding_collector import FindingCollector
from agents.services.findings.ranking import MAX_FINDINGS
from agents.services.known_names import MAX_NAMED, match_known_names
from agents.services.manual_edits import read_present_tick
from agents.services.rejected_quotes import mark_rejected, read_rejected_quotes
from agents.services.result_formatter import ResultFormatter
from agents.services.role_names import RoleNames
from agents.services.turn_recall import TurnRecall
from agents.thread_work import run_beside_screen
from agents.views.query_views import Answer, AnswerStanding, QueryFinding, RecallResult
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery
from stores.records.ids import Id, IdGenerator

UNKNOWN_ANSWER: Final = "Unknown: what was found does not say."
MIN_LIKELY_SIMILARITY: Final = 0.4
"""Lowest similarity (0 to 1) at which a model is asked whether such a finding answers the question.

Of questions that a log of 1,500 turns answers, 9 in 10 have a finding as near; so do most that it does not
answer. The limit only saves calls in vain.
"""
MAX_WORD_FINDINGS: Final = 50
"""Findings of a word search."""
_SAYS_I: Final = re.compile(r"\b(?:I|me|my|we|us|our)\b", re.IGNORECASE)
_KINDS: Final[tuple[SearchKind, ...]] = ("turns", "facts", "entities", "memories", "snippets")

ReadUniverseCatalogue = Callable[[Id], Awaitable[Catalogue]]
ProposeFact = Callable[[Id | None, Id, str], Awaitable[str]]
"""Proposes a fact on the GM's word, in a scene or without one; returns lines on it."""


class QueryService:
    """Answers questions from the record."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        record_search: RecordSearch,
        result_formatter: ResultFormatter,
        calls: PersonaCalls,
        read_catalogue: ReadUniverseCatalogue,
        propose_fact: ProposeFact,
        ids: IdGenerator,
    ) -> None:
        self._canon = canon
        self._log = log
        self._record_search = record_search
        self._result_formatter = result_formatter
        self._finding_collector = FindingCollector(canon, log, record_search, result_formatter)
        self._turn_recall = TurnRecall(canon, log, record_search, result_formatter)
        self._role_names = RoleNames(canon, log, record_search)
        self._librarian = Librarian(calls)
        self._read_catalogue = read_catalogue
        self._propose_fact = propose_fact
        self._ids = ids

    async def answer_question(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, in_words: bool = True
    ) -> Answer:
        """Answer a question, by standing. A model that does not answer is a note.

        Raises InputError without a question, or with one that is too long; StoreError.
        """
        question = _clean_question(question)
        catalogue, entity_names = await gather(
            self._read_catalogue(universe_id), self._canon.folded_names(universe_id)
        )
        hero_ids = await self._find_askers(universe_id, story_id)
        asker_ids = hero_ids if _SAYS_I.search(question) else ()
        scope = SearchScope(universe_id, story_id)

        async def parse(text: str) -> RecordQuestion:
            parsed = await run_beside_screen(
                partial(parse_question, text, entity_names, catalogue, asker_ids),
                item_count=len(entity_names),
            )
            return replace(parsed, hero_ids=frozenset(hero_ids))

        parsed_question = await parse(question)
        if names_by_role := await self._role_names.find_asked(parsed_question, scope):
            named_question = await parse(name_roles(question, names_by_role))
            parsed_question = keep_roles(named_question, names_by_role)
        if held_roles := await self._role_names.find_held(parsed_question, scope):
            parsed_question = keep_held_roles(parsed_question, held_roles)
        gathered = await self._finding_collector.collect_findings(parsed_question, scope)
        answer = Answer(
            question,
            gathered.matching[0].standing if gathered.matching else AnswerStanding.UNKNOWN,
            gathered.matching,
            nearest=gathered.nearest,
            notes=gathered.notes,
        )
        likely_findings = tuple(
            finding for finding in gathered.nearest if finding.near >= MIN_LIKELY_SIMILARITY
        )
        if not in_words or not (gathered.matching or likely_findings):
            return answer
        call_context = CallContext(universe_id, story_id, None, self._ids.new())
        return await self._answer_in_words(answer, (*gathered.matching, *likely_findings), call_context)

    async def recall_turns(
        self,
        question: str,
        *,
        universe_id: Id,
        story_id: Id | None = None,
        k: int = 20,
        skip: int = 0,
        turn_filter: TurnFilter = ALL_TURNS,
    ) -> RecallResult:
        """Return the turns that bear on a question, ranked, without the first `skip`.

        Raises InputError without a question; StoreError.
        """
        return await self._turn_recall.recall_turns(
            _clean_question(question),
            SearchScope(universe_id, story_id),
            max(1, k),
            max(0, skip),
            turn_filter,
        )

    async def read_knowledge(
        self, name: str, *, universe_id: Id, about: str = ""
    ) -> tuple[QueryFinding, ...]:
        """Return what somebody remembers (about something), the newest first.

        A part of a name is enough, as in play, if it is clear. Raises InputError if nobody has that name, or several
        have; StoreError.
        """
        names_by_id = await match_known_names(self._canon, self._log, universe_id, name, prefers_people=True)
        if not names_by_id:
            raise InputError(
                f"There is nobody called {clean_line(name)!r}.", todo="Give the name as the world has it."
            )
        if len(names_by_id) > 1:
            named = ", ".join(sorted(names_by_id.values())[:MAX_NAMED])
            raise InputError(f"{clean_line(name)!r} could be any of: {named}.", todo="Type more of the name.")
        tick = await read_present_tick(self._log, universe_id) or 0
        beliefs = await read_beliefs(self._canon, self._log, next(iter(names_by_id)), tick)
        if about.strip():
            about_ids = set(await match_known_names(self._canon, self._log, universe_id, about))
            about_words = content_stems(about)
            beliefs = [
                belief
                for belief in beliefs
                if about_ids.intersection(belief.about)
                or (about_words and set(about_words) <= set(content_stems(belief.text)))
            ]
        findings = await self._result_formatter.format_memories(beliefs)
        return tuple(replace(finding, number=n) for n, finding in enumerate(findings, 1))

    async def search_words(
        self, typed_words: str, *, universe_id: Id, story_id: Id | None = None
    ) -> tuple[QueryFinding, ...]:
        """Return the records with these words. Raises InputError without words; StoreError."""
        typed_words = _clean_question(typed_words)
        scope = SearchScope(universe_id, story_id)
        results_by_kind = await gather(
            *(self._record_search.search_by_words(kind, typed_words, scope) for kind in _KINDS)
        )
        all_findings = [
            scored_finding
            for kind, results in zip(_KINDS, results_by_kind, strict=True)
            for scored_finding in await self._build_findings(kind, results, scope, typed_words)
        ]
        all_findings.sort(key=lambda finding: (-finding.score, finding.text, finding.believer))
        shown_findings = all_findings[:MAX_WORD_FINDINGS]
        turn_ids = {finding.turn_id for finding in shown_findings if finding.turn_id}
        rejected_quotes = await read_rejected_quotes(self._log, universe_id, turn_ids)
        return tuple(
            replace(mark_rejected(finding, rejected_quotes), number=n)
            for n, finding in enumerate(shown_findings, 1)
        )

    async def propose_statement(self, scene_id: Id | None, universe_id: Id, statement: str) -> str:
        """Propose an answer as a fact. Raises InputError without a statement, or if it waits already; StoreError."""
        return await self._propose_fact(scene_id, universe_id, clean_line(statement))

    # --- inside --------------------------------------------------------------------------------------

    async def _find_askers(self, universe_id: Id, story_id: Id | None) -> list[Id]:
        """Return the heroes whom `I` may mean: those of the stories that are asked about."""
        stories = (await self._log.readable_stories(universe_id)).records
        return [s.pc_id for s in stories if s.pc_id is not None and story_id in (None, s.id)]

    async def _answer_in_words(
        self, answer: Answer, evidence: Sequence[QueryFinding], call_context: CallContext
    ) -> Answer:
        """Return the answer with the model's prose, if there is a model.

        A finding among the nearest that the prose cites does bear on the question.
        """
        try:
            librarian_answer = await self._librarian.answer(
                answer.question, format_evidence(evidence), call_context
            )
        except ModelUnset:
            return answer
        except ModelError as error:
            return _add_note(answer, f"No answer in words: {error}")
        if librarian_answer is None:
            return _add_note(answer, "No answer in words: what the model said cites nothing.")
        if librarian_answer.unknown or not librarian_answer.sentences:
            return replace(answer, words=UNKNOWN_ANSWER)
        canon_names = await self._canon.entity_names(call_context.universe_id)
        unsupported = find_unsupported_sentences(librarian_answer.sentences, evidence, canon_names)
        cited_numbers = {n for item in librarian_answer.sentences for n in item.cites}
        supported_numbers = {
            n for one in librarian_answer.sentences if one.text.strip() not in unsupported for n in one.cites
        }
        findings = (*answer.findings, *(one for one in answer.nearest if one.number in supported_numbers))
        return replace(
            answer,
            standing=answer.standing if answer.findings else best_standing(findings),
            findings=findings,
            nearest=tuple(one for one in answer.nearest if one.number not in supported_numbers),
            words=" ".join(map(format_cited_sentence, librarian_answer.sentences)),
            cited=tuple(sorted(cited_numbers & {finding.number for finding in evidence})),
            unsupported=unsupported,
        )

    async def _build_findings(
        self, kind: SearchKind, results: SearchResults, scope: SearchScope, typed_words: str
    ) -> list[QueryFinding]:
        """Return the findings of one collection, with their scores."""
        scores = {hit.id: hit.score for hit in results.hits}
        findings: list[QueryFinding] = []
        match kind:
            case "turns":
                findings = await self._result_formatter.format_turns(
                    list((await self._log.turns(scores)).values())
                )
            case "facts":
                facts = list((await self._canon.facts_by_id(scores)).values())
                findings = await self._result_formatter.format_facts(facts, scope.universe_id)
            case "entities":
                findings = list(
                    map(
                        self._result_formatter.format_entity,
                        (await self._canon.entities_by_id(scores)).values(),
                    )
                )
            case "memories":
                merged_entities = await read_merged_entities(self._canon, scope.universe_id)
                memories = merged_entities.with_current_owners(
                    await self._log.memories(MemoryQuery(ids=list(scores)))
                )
                findings = await self._result_formatter.format_memories(
                    await drop_outdated(self._canon, self._log, memories)
                )
            case "snippets":
                snippets = list((await self._log.snippets_by_id(scores)).values())
                findings = await self._result_formatter.format_snippets(
                    snippets, find_typed_words(typed_words)
                )
        return [
            replace(finding, score=scores[record_id], by=(("words", scores[record_id]),))
            for finding in findings
            if (record_id := record_id_of(finding, kind))
        ]


def best_standing(findings: Sequence[QueryFinding]) -> AnswerStanding:
    """Return the best standing among the findings; UNKNOWN without any."""
    standings = {finding.standing for finding in findings}
    return next((standing for standing in MAX_FINDINGS if standing in standings), AnswerStanding.UNKNOWN)


def record_id_of(finding: QueryFinding, kind: SearchKind) -> Id:
    """Return the identifier of a search hit's record."""
    match kind:
        case "turns":
            return finding.turn_id or ""
        case "facts":
            return finding.fact_id or ""
        case "memories":
            return finding.memory_id or ""
        case "snippets":
            return finding.snippet_id or ""
        case _:
            return finding.entity_id or ""


def _clean_question(question: str) -> str:
    cleaned = " ".join(clean(question).split())
    if not cleaned:
        raise InputError(
            "There is nothing to search for.", todo="Ask something, as in: Who has the iron key?"
        )
    if len(cleaned) > MAX_QUESTION_LENGTH:
        raise InputError(
            f"That is {len(cleaned):,} characters; {MAX_QUESTION_LENGTH} is the most.", todo="Ask it shorter."
        )
    return cleaned


def _add_note(answer: Answer, note: str) -> Answer:
    return replace(answer, notes=(*answer.notes, note))
