"""Ranks findings: what a question asks for first, then the best of each standing, each text once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.search.question import QuestionMatch
from agents.search.search_port import SearchHit
from agents.search.turn_ranking import turn_time_order
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.records.play import Turn

MAX_FINDINGS: Final = {
    AnswerStanding.CANON: 8,
    AnswerStanding.PROPOSED: 4,
    AnswerStanding.ON_RECORD: 6,
    AnswerStanding.BELIEVED: 4,
    AnswerStanding.CONTRADICTED: 4,
    AnswerStanding.UNKNOWN: 4,
}
"""Findings of each standing that an answer has at most, in this order."""
MAX_SCORE: Final = 100.0
"""More than the score of any finding that is searched for."""
CANON_ANSWER_SCORE: Final = 3 * MAX_SCORE
"""Where somebody is, or who they are, by canon comes before the same by a proposal, and that before what play shows."""
PROPOSED_ANSWER_SCORE: Final = 2 * MAX_SCORE
OWN_DEED_SCORE: Final = 2.0
"""What is asked of somebody, or to somebody, comes before what only names them, by this much of a score."""
MAX_NAMED_ENTITIES: Final = 6
"""Named entities of a question that are looked up."""
EARLIER_NOTE: Final = "said earlier: it may have changed"
"""Said of a turn that is not the newest, where the question asks how it is now."""


@dataclass(frozen=True, slots=True)
class RankedFinding:
    """A finding, and how it bears on the question."""

    finding: QueryFinding
    is_match: bool
    is_answer: bool = False
    """Whether it is what the question asks for, and so comes before what bears on it, whatever its standing."""
    is_departure: bool = False
    """Whether it is the newest line on somebody's whereabouts, and tells that they left."""
    is_told: bool = False
    """Whether it is what somebody was told and remembers."""


def similarity_of(hit: SearchHit | None, match: QuestionMatch) -> float:
    """Return how near a finding comes to the question, 0 to 1: by meaning as it was found, or by words."""
    return max(hit.similarity if hit else 0.0, match.name_share * match.word_share)


def put_newest_first(ranked_findings: Sequence[RankedFinding], turns: Sequence[Turn]) -> list[RankedFinding]:
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


def mark_as_earlier(ranked: RankedFinding) -> RankedFinding:
    """Return a finding with the note that it was said before what the answer has first."""
    where = ranked.finding.where
    if where.endswith(EARLIER_NOTE):
        return ranked
    where = ", ".join(filter(None, (where, EARLIER_NOTE)))
    return replace(ranked, finding=replace(ranked.finding, where=where))


def top_findings(ranked_findings: Iterable[RankedFinding]) -> list[QueryFinding]:
    """Return what the question asks for, then the best of each standing, canon first."""
    answers: list[QueryFinding] = []
    others: list[QueryFinding] = []
    for ranked in sorted(
        _put_rumour_for_its_turn(list(ranked_findings)),
        key=lambda r: (-r.finding.score, r.finding.text, r.finding.believer),
    ):
        is_first = ranked.is_answer and len(answers) < MAX_FINDINGS[ranked.finding.standing]
        (answers if is_first else others).append(ranked.finding)
    by_standing = [
        [finding for finding in others if finding.standing is standing] for standing in MAX_FINDINGS
    ]
    distinct_findings = _distinct_findings([*answers, *(f for part in by_standing for f in part)])
    left_counts = dict(MAX_FINDINGS)
    top: list[QueryFinding] = []
    for finding in distinct_findings:
        if finding in answers:
            top.append(finding)
        elif left_counts[finding.standing]:
            left_counts[finding.standing] -= 1
            top.append(finding)
    return top


def _put_rumour_for_its_turn(ranked_findings: Sequence[RankedFinding]) -> list[RankedFinding]:
    """Return the findings without the turns that say no more than a rumour of canon, which answers in their place.

    It does not where canon or a proposal says something of the matter.
    """
    turns = {
        (r.finding.turn_id, _without_stop(r.finding.quote))
        for r in ranked_findings
        if r.finding.standing is AnswerStanding.ON_RECORD
    }
    rumours = {
        (r.finding.turn_id, _without_stop(r.finding.quote)): r
        for r in ranked_findings
        if r.finding.standing is AnswerStanding.BELIEVED and r.finding.fact_id is not None
    }
    says_more = any(
        r.finding.standing in (AnswerStanding.CANON, AnswerStanding.PROPOSED) for r in ranked_findings
    )
    answering = [rumour for origin, rumour in rumours.items() if origin in turns and not says_more]
    return [
        replace(r, is_answer=True) if r in answering else r
        for r in ranked_findings
        if r.finding.standing is not AnswerStanding.ON_RECORD
        or (r.finding.turn_id, _without_stop(r.finding.quote)) not in rumours
    ]


def _without_stop(quote: str) -> str:
    return quote.strip().rstrip(".!")


def _distinct_findings(findings: Iterable[QueryFinding]) -> list[QueryFinding]:
    """Return the findings, each text of the same believer once: a turn whose words became canon adds nothing."""
    findings_by_text: dict[tuple[str, str], QueryFinding] = {}
    for finding in findings:
        statement = finding.quote if finding.standing is AnswerStanding.ON_RECORD else ""
        findings_by_text.setdefault(
            ((statement or finding.text).strip().casefold(), finding.believer), finding
        )
    return list(findings_by_text.values())
