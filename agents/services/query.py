"""Asking the record: answers by standing, turns found again, words searched, and what makes an answer true.

See `agents.recall_desk.RecallDesk`.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.llm.call_context import CallContext, PersonaCalls
from agents.llm.errors import ModelError, ModelUnset
from agents.personas.librarian import Librarian
from agents.sanitize import clean, clean_line
from agents.search.question import LONGEST, read_inquiry
from agents.search.search_port import RecordSearch, SearchKind, SearchResults, SearchScope
from agents.services.answers import LIKELY, MOST, Answering
from agents.services.citation_check import beyond, evidence_of, sentence_of
from agents.services.result_formatter import Placing, speaker_of
from agents.views.query_views import Answer, AnswerStanding, QueryFinding, RecalledTurn, RecallResult
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id, IdGenerator

NOT_SAID: Final = "Unknown: what was found does not say."
MOST_WORDS: Final = 50
"""Findings of a search by words."""
_KINDS: Final[tuple[SearchKind, ...]] = ("turns", "facts", "entities", "memories", "snippets")

CatalogueOf = Callable[[Id], Awaitable[Catalogue]]
Propose = Callable[[Id | None, Id, str], Awaitable[str]]
"""Proposes a fact on the GM's word, in a scene or without one; returns what to tell."""


class Recollections:
    """Stateless."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        recall: RecordSearch,
        placing: Placing,
        calls: PersonaCalls,
        catalogue_of: CatalogueOf,
        propose: Propose,
        ids: IdGenerator,
    ) -> None:
        self._canon = canon
        self._log = log
        self._recall = recall
        self._placing = placing
        self._answering = Answering(canon, log, recall, placing)
        self._librarian = Librarian(calls)
        self._catalogue_of = catalogue_of
        self._propose = propose
        self._ids = ids

    async def ask(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, in_words: bool = True
    ) -> Answer:
        """Raises InputError without a question, or with one that is too long; StoreError. A model that does
        not answer is a note."""
        question = _asked(question)
        catalogue, known = await gather(
            self._catalogue_of(universe_id), self._canon.folded_names(universe_id)
        )
        inquiry = read_inquiry(question, known, catalogue)
        found = await self._answering.gather(inquiry, SearchScope(universe_id, story_id), catalogue)
        answer = Answer(
            question,
            best_of(found.bears),
            found.bears,
            nearest=found.nearest,
            notes=found.notes,
        )
        likely = tuple(one for one in found.nearest if one.near >= LIKELY)
        if not in_words or not (found.bears or likely):
            return answer
        occasion = CallContext(universe_id, story_id, None, self._ids.new())
        return await self._in_words(answer, (*found.bears, *likely), occasion)

    async def recall(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, k: int = 20
    ) -> RecallResult:
        """Raises InputError without a question; StoreError."""
        question = _asked(question)
        found = await self._recall.search("turns", question, SearchScope(universe_id, story_id), k=max(1, k))
        turns = await self._log.turns([one.id for one in found.hits])
        where = await self._placing.scenes({turn.scene_id for turn in turns.values()})
        return RecallResult(
            question,
            tuple(
                RecalledTurn(
                    turn.id,
                    one.score,
                    turn.ref,
                    speaker_of(turn),
                    turn.text,
                    where[turn.scene_id].story_id or "",
                    turn.scene_id,
                    turn.depth + 1,
                    tuple(one.score_by_way.items()),
                    f"turn {turn.depth + 1} of {where[turn.scene_id].words}",
                )
                for one in found.hits
                if (turn := turns.get(one.id)) is not None
            ),
            found.notes,
        )

    async def search(
        self, words: str, *, universe_id: Id, story_id: Id | None = None
    ) -> tuple[QueryFinding, ...]:
        """Raises InputError without words; StoreError."""
        words = _asked(words)
        within = SearchScope(universe_id, story_id)
        found = await gather(*(self._recall.search_by_words(kind, words, within) for kind in _KINDS))
        every = [
            one
            for kind, few in zip(_KINDS, found, strict=True)
            for one in await self._told(kind, few, within)
        ]
        every.sort(key=lambda finding: -finding.score)
        return tuple(replace(finding, number=n) for n, finding in enumerate(every[:MOST_WORDS], 1))

    async def make_true(self, scene_id: Id | None, universe_id: Id, statement: str) -> str:
        """Raises InputError without a statement, or if it waits already; StoreError."""
        return await self._propose(scene_id, universe_id, clean_line(statement))

    # --- inside --------------------------------------------------------------------------------------

    async def _in_words(
        self, answer: Answer, evidence: Sequence[QueryFinding], occasion: CallContext
    ) -> Answer:
        """Have it answered from the evidence. What is cited of what is only nearest bears on it after all."""
        try:
            said = await self._librarian.answer(answer.question, evidence_of(evidence), occasion)
        except ModelUnset:
            return answer
        except ModelError as error:
            return _noted(answer, f"No answer in words: {error}")
        if said is None:
            return _noted(answer, "No answer in words: what the model said cites nothing.")
        if said.unknown or not said.sentences:
            return replace(answer, words=NOT_SAID)
        known = await self._canon.entity_names(occasion.universe_id)
        unsupported = beyond(said.sentences, evidence, known)
        cited = {n for one in said.sentences for n in one.cites}
        borne = {n for one in said.sentences if one.text.strip() not in unsupported for n in one.cites}
        findings = (*answer.findings, *(one for one in answer.nearest if one.number in borne))
        return replace(
            answer,
            standing=best_of(findings),
            findings=findings,
            nearest=tuple(one for one in answer.nearest if one.number not in borne),
            words=" ".join(map(sentence_of, said.sentences)),
            cited=tuple(sorted(cited & {finding.number for finding in evidence})),
            unsupported=unsupported,
        )

    async def _told(self, kind: SearchKind, found: SearchResults, within: SearchScope) -> list[QueryFinding]:
        """Return what was found in one collection, with its scores."""
        scores = {one.id: one.score for one in found.hits}
        findings: list[QueryFinding] = []
        match kind:
            case "turns":
                findings = await self._placing.turns(list((await self._log.turns(scores)).values()))
            case "facts":
                facts = list((await self._canon.facts_by_id(scores)).values())
                findings = await self._placing.facts(facts, within.universe_id)
            case "entities":
                findings = list(
                    map(self._placing.entity, (await self._canon.entities_by_id(scores)).values())
                )
            case "memories":
                findings = await self._placing.memories(await self._log.memories(ids=list(scores)))
            case "snippets":
                snippets = list((await self._log.snippets_by_id(scores)).values())
                findings = await self._placing.snippets(snippets)
        return [
            replace(finding, score=scores[of], by=(("words", scores[of]),))
            for finding in findings
            if (of := id_of(finding, kind))
        ]


def best_of(findings: Sequence[QueryFinding]) -> AnswerStanding:
    """Return how the best of these stands; UNKNOWN of none."""
    there = {finding.standing for finding in findings}
    return next((standing for standing in MOST if standing in there), AnswerStanding.UNKNOWN)


def id_of(finding: QueryFinding, kind: SearchKind) -> Id:
    """Return the identifier of what was found."""
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


def _asked(question: str) -> str:
    asked = " ".join(clean(question).split())
    if not asked:
        raise InputError("There is nothing to look for.", todo="Ask something, as in: Who has the iron key?")
    if len(asked) > LONGEST:
        raise InputError(f"That is {len(asked):,} characters; {LONGEST} is the most.", todo="Ask it shorter.")
    return asked


def _noted(answer: Answer, note: str) -> Answer:
    return replace(answer, notes=(*answer.notes, note))
