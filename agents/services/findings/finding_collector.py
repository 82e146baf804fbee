"""Collects what bears on a question, by standing: canon, proposals, transcript, memories, past facts. Read-only.

What was found but does not bear on the question is returned apart, as the nearest.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.search.belief_questions import (
    asks_whether_known,
    asks_who_knows,
    find_believers,
    says_who_knows,
)
from agents.search.death_questions import (
    asks_about_death,
    asks_for_all_deaths,
    asks_who_killed,
    remove_told,
    tells_of_death,
)
from agents.search.place_questions import read_sought_one
from agents.search.question import RecordQuestion
from agents.search.search_port import RecordSearch, SearchScope
from agents.services.findings.canon_findings import CanonFinder
from agents.services.findings.death_order import DeathOrder
from agents.services.findings.decision_findings import DecisionFinder
from agents.services.findings.departures import Departures
from agents.services.findings.memory_findings import MemoryFinder
from agents.services.findings.passage_findings import PassageFinder
from agents.services.findings.proposal_findings import ProposalFinder
from agents.services.findings.question_search import QuestionSearch
from agents.services.findings.ranking import MAX_SCORE, RankedFinding, mark_as_earlier, top_findings
from agents.services.findings.turn_findings import TurnFinder
from agents.services.result_formatter import ResultFormatter
from agents.services.scene_whereabouts import SceneWhereabouts
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id

MAX_NEAREST: Final = (3, 1, 0, 6, 2, 2, 1, 0)
"""Findings beside an answer that do not plainly bear on it.

By kind: facts, entities, proposals, turns, memories, passages of sources, decisions and the scene in play.
"""


@dataclass(frozen=True, slots=True)
class GatheredFindings:
    """What was found for a question.

    `matching` findings are numbered from 1, the best standing first; the numbers of `nearest` follow.
    """

    matching: tuple[QueryFinding, ...]
    nearest: tuple[QueryFinding, ...]
    notes: tuple[str, ...]


class FindingCollector:
    """Collects findings for a question."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        record_search: RecordSearch,
        result_formatter: ResultFormatter,
    ) -> None:
        self._record_search = record_search
        self._canon_finder = CanonFinder(canon, result_formatter)
        self._proposal_finder = ProposalFinder(log, result_formatter)
        self._turn_finder = TurnFinder(log, result_formatter)
        self._memory_finder = MemoryFinder(canon, log, result_formatter)
        self._passage_finder = PassageFinder(log, result_formatter)
        self._decision_finder = DecisionFinder(log, result_formatter)
        self._scene_whereabouts = SceneWhereabouts(canon, log)
        self._departures = Departures(canon, log)
        self._death_order = DeathOrder(canon, log)

    async def collect_findings(self, question: RecordQuestion, scope: SearchScope) -> GatheredFindings:
        """Return what bears on the question, and what came nearest. Raises StoreError."""
        search = QuestionSearch(question, scope, self._record_search)
        findings_by_kind: Sequence[list[RankedFinding]] = await gather(
            self._canon_finder.find_facts(search),
            self._canon_finder.find_entities(search),
            self._proposal_finder.find_proposals(search),
            self._turn_finder.find_turns(search),
            self._memory_finder.find_memories(search),
            self._passage_finder.find_passages(search),
            self._decision_finder.find_decisions(search),
            self._find_whereabouts(search),
        )
        findings_by_kind = await self._put_departure_first(findings_by_kind, search)
        findings_by_kind = await self._add_left_behind(findings_by_kind, search)
        *others, last_part = findings_by_kind
        findings_by_kind = (*others, [*last_part, *await self._death_order.find_order(question)])
        if asks_for_all_deaths(question) or (asks_about_death(question) and not asks_who_killed(question)):
            findings_by_kind = _put_hearsay_last(question, findings_by_kind)
        if find_believers(question):
            # What is so does not say what somebody knows of it: it is shown as the nearest.
            findings_by_kind = _keep_matching(findings_by_kind, lambda r: r.is_match and r.is_answer)
        elif asks_who_knows(question):
            findings_by_kind = _keep_matching(
                findings_by_kind, lambda r: r.is_answer or (r.is_match and says_who_knows(r.finding.text))
            )
        if asks_whether_known(question) and not any(r.is_match for part in findings_by_kind for r in part):
            findings_by_kind = (*findings_by_kind[:-1], await self._canon_finder.find_not_known(question))
        matching = top_findings(ranked for part in findings_by_kind for ranked in part if ranked.is_match)
        nearest = [
            finding
            for part, max_count in zip(findings_by_kind, MAX_NEAREST, strict=True)
            for finding in sorted((r.finding for r in part if not r.is_match), key=lambda f: -f.score)[
                :max_count
            ]
        ]
        nearest.sort(key=lambda finding: -finding.near)
        numbered_findings = [replace(f, number=n) for n, f in enumerate((*matching, *nearest), 1)]
        return GatheredFindings(
            tuple(numbered_findings[: len(matching)]), tuple(numbered_findings[len(matching) :]), search.notes
        )

    async def _put_departure_first(
        self, findings_by_kind: Sequence[list[RankedFinding]], search: QuestionSearch
    ) -> Sequence[list[RankedFinding]]:
        """Return the findings with a line by which the one sought left before the places where they were then."""
        departure = next((r for part in findings_by_kind for r in part if r.is_departure), None)
        sought = read_sought_one(search.question)
        if (
            departure is None
            or sought is None
            or await self._scene_whereabouts.is_present(sought, search.scope)
        ):
            return findings_by_kind
        return await self._departures.put_first(departure, findings_by_kind)

    async def _find_whereabouts(self, search: QuestionSearch) -> list[RankedFinding]:
        """Return what the scene in play says of where somebody is and who is here: it is what was asked for."""
        findings = await self._scene_whereabouts.find_whereabouts(search.question, search.scope)
        return [RankedFinding(replace(f, score=MAX_SCORE), True, is_answer=True) for f in findings]

    async def _add_left_behind(
        self, findings_by_kind: Sequence[list[RankedFinding]], search: QuestionSearch
    ) -> Sequence[list[RankedFinding]]:
        """Return the findings with where those sought stayed behind, and lines of before as earlier ones."""
        answers = [r.finding for part in findings_by_kind for r in part if r.is_match and _is_no_memory(r)]
        stays = await self._scene_whereabouts.find_left_behind(search.question, search.scope, answers)
        if not stays:
            return findings_by_kind
        ranked_stays = [RankedFinding(replace(f, score=MAX_SCORE), True, is_answer=True) for f in stays]
        *others, in_play = (
            [
                mark_as_earlier(r) if r.is_match and r.finding.standing is AnswerStanding.ON_RECORD else r
                for r in part
            ]
            for part in findings_by_kind
        )
        return (*others, [*in_play, *ranked_stays])


def _is_no_memory(ranked: RankedFinding) -> bool:
    return ranked.finding.memory_id is None


def _put_hearsay_last(
    question: RecordQuestion, findings_by_kind: Sequence[list[RankedFinding]]
) -> Sequence[list[RankedFinding]]:
    """Return the findings, of which no line matches that only has somebody tell of a death.

    Those who remember it answer in its place.
    """
    told_by_turn: dict[Id, list[str]] = {}
    for ranked in (r for part in findings_by_kind for r in part):
        finding = ranked.finding
        if ranked.is_match and ranked.is_told and finding.turn_id is not None:
            told_by_turn.setdefault(finding.turn_id, []).append(finding.text)
    return tuple(
        [
            replace(ranked, is_match=False)
            if ranked.finding.standing is AnswerStanding.ON_RECORD
            and (told_texts := told_by_turn.get(ranked.finding.turn_id or ""))
            and not tells_of_death(question, remove_told(ranked.finding.quote, told_texts))
            else ranked
            for ranked in part
        ]
        for part in findings_by_kind
    )


def _keep_matching(
    findings_by_kind: Sequence[list[RankedFinding]], is_match: Callable[[RankedFinding], bool]
) -> Sequence[list[RankedFinding]]:
    """Return the findings, of which only those match that a stricter test lets."""
    return tuple([replace(ranked, is_match=is_match(ranked)) for ranked in part] for part in findings_by_kind)
