"""Puts a line by which somebody left before the places where they were until then."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.search.turn_ranking import turn_time_order
from agents.services.findings.ranking import RankedFinding, mark_as_earlier
from agents.views.query_views import AnswerStanding
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.play import Turn

_STATED: Final = frozenset({AnswerStanding.CANON, AnswerStanding.PROPOSED})


@dataclass(frozen=True, slots=True)
class Departures:
    """Compares when somebody left with when canon and proposals have them somewhere."""

    canon: CanonReader
    log: LogReader

    async def put_first(
        self, departure: RankedFinding, findings_by_kind: Sequence[list[RankedFinding]]
    ) -> Sequence[list[RankedFinding]]:
        """Return the findings with the departure first, and what was stated before it marked as earlier.

        They are left as they are if canon or a proposal says something since. Raises StoreError.
        """
        stated = [
            ranked
            for part in findings_by_kind
            for ranked in part
            if ranked.is_match and ranked.is_answer and ranked.finding.standing in _STATED
        ]
        turn_ids = {r.finding.turn_id for r in (departure, *stated) if r.finding.turn_id}
        fact_ids = {r.finding.fact_id for r in stated if r.finding.fact_id and not r.finding.turn_id}
        turns, facts = await gather(self.log.turns(turn_ids), self.canon.facts_by_id(fact_ids))
        departure_turn = turns[departure.finding.turn_id or ""]
        if not all(
            _is_earlier(
                turns.get(r.finding.turn_id or ""), facts.get(r.finding.fact_id or ""), departure_turn
            )
            for r in stated
        ):
            return findings_by_kind
        score = max((r.finding.score for part in findings_by_kind for r in part), default=0.0) + 1.0
        first = replace(departure, finding=replace(departure.finding, score=score), is_answer=True)
        return tuple(
            [first if r is departure else mark_as_earlier(r) if r in stated else r for r in part]
            for part in findings_by_kind
        )


def _is_earlier(turn: Turn | None, fact: Fact | None, departure: Turn) -> bool:
    """Say whether what rests on a turn, or is a fact on somebody's word, was said before a departure."""
    if turn is not None:
        return turn_time_order(turn) < turn_time_order(departure)
    return (
        fact is not None
        and (fact.valid_from or 0) <= departure.tick
        and fact.recorded_at < departure.created_at
    )
