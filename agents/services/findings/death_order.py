"""Says which of two people died first, by the world's clock or the order of the turns, or that nothing tells it."""

from __future__ import annotations

import re
from asyncio import gather
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.evidence_order import select_supporting
from agents.canon_keeper.fact_readings import ALIVE
from agents.search.death_questions import find_compared_deaths, is_death, subject_of
from agents.search.question import RecordQuestion
from agents.services.findings.ranking import CANON_ANSWER_SCORE, RankedFinding
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import EvidenceKind, Fact
from stores.records.ids import Id
from stores.records.play import Scene, Turn

_TOLD_LATER: Final = re.compile(
    r"\b(?:(?:is|are|lies|lay|was|were|been|had|has|have)\s+(?:\w+\s+)?(?:dead|died|killed|slain|murdered|been)|ago|"
    r"already|body|corpse|bones|grave|found|finds?)\b",
    re.IGNORECASE,
)
"""Words that tell of a death which may have come to pass long before: `Vess is dead`, `Vess was killed`."""


@dataclass(frozen=True, slots=True)
class _Death:
    """A death of canon, with the first turn that tells of it."""

    fact: Fact
    name: str
    turn: Turn | None
    scene: Scene | None
    is_told_later: bool
    """Whether its words may tell of what came to pass before."""

    def moment(self) -> tuple[int, int] | None:
        """Return where on the line of its story it comes to pass; None if no turn tells of it."""
        return (self.scene.order, self.turn.depth) if self.turn and self.scene else None


@dataclass(frozen=True, slots=True)
class DeathOrder:
    """Compares when two people died, both of whose deaths are canon."""

    canon: CanonReader
    log: LogReader

    async def find_order(self, question: RecordQuestion) -> list[RankedFinding]:
        """Return, to `Did Wick die before Vess?`, who died first, or that nothing tells it. Raises StoreError."""
        compared_ids = find_compared_deaths(question)
        if not compared_ids:
            return []
        deaths = [death for i in compared_ids if (death := await self._read_death(i)) is not None]
        if len(deaths) != 2:
            return []
        ordered, by_what = _put_in_order(*deaths)
        if ordered is None:
            first, second = deaths
            text = f"Nothing tells which of {first.name} and {second.name} died first."
            finding = QueryFinding(0, AnswerStanding.UNKNOWN, text, where="canon")
        else:
            first, second = ordered
            text = f"{first.name} died before {second.name}."
            finding = QueryFinding(0, AnswerStanding.CANON, text, where=f"canon, {by_what}")
        return [RankedFinding(replace(finding, score=2 * CANON_ANSWER_SCORE), True, is_answer=True)]

    async def _read_death(self, entity_id: Id) -> _Death | None:
        facts, entities = await gather(
            self.canon.facts_about(entity_id, FactsAboutQuery(history=True)),
            self.canon.entities_by_id([entity_id]),
        )
        fact = next(
            (f for f in facts if f.predicate == ALIVE and is_death(f) and subject_of(f) == entity_id), None
        )
        if fact is None or entity_id not in entities:
            return None
        pieces = await self.canon.evidence_of(fact.id)
        evidence = [e for e in select_supporting(pieces, fact.statement) if e.kind is EvidenceKind.TURN]
        turns = await self.log.turns({e.turn_id for e in evidence if e.turn_id})
        scenes = await self.log.scenes_by_id({t.scene_id for t in turns.values()})
        on_record = [t for t in turns.values() if t.scene_id in scenes]
        turn = min(on_record, key=lambda t: (scenes[t.scene_id].order, t.depth), default=None)
        return _Death(
            fact,
            entities[entity_id].name,
            turn,
            scenes[turn.scene_id] if turn else None,
            # What is declared in play, beside no words that tell it, may have been before.
            is_told_later=any(_TOLD_LATER.search(e.quote) for e in evidence if e.turn_id == turn.id)
            if turn
            else any(e.kind is EvidenceKind.MANUAL and e.turn_id for e in pieces),
        )


def _put_in_order(one: _Death, other: _Death) -> tuple[tuple[_Death, _Death] | None, str]:
    """Return two deaths in their order, None if it is not known, and what it is known by.

    By the later words that tell of what may have been before, nothing is known.
    """
    ticks = (one.fact.valid_from, other.fact.valid_from)
    if None not in ticks and ticks[0] != ticks[1]:
        first, second = sorted((one, other), key=lambda d: d.fact.valid_from or 0)
        return (None, "") if second.is_told_later else ((first, second), "by the world's clock")
    moments = (one.moment(), other.moment())
    is_one_story = one.scene and other.scene and one.scene.story_id == other.scene.story_id
    if not is_one_story or moments[0] == moments[1] or None in ticks:
        return None, ""
    first, second = sorted((one, other), key=lambda d: d.moment() or (0, 0))
    return (None, "") if second.is_told_later else ((first, second), "by the order of the turns")
