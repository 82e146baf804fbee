"""What bears on a question, by standing: canon, what is proposed, the transcript, memories, what was so once.

Read-only. What canon says of those who are named is always read; all else is found by `Recall`. What was
found and does not bear on the question (see `inquiries.bearing`) comes apart, as what is nearest.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.decisions import OPEN_STATUSES, is_rejected
from agents.canon_keeper.fact_readings import CANON_EVENTS
from agents.canon_keeper.predicates import Catalogue
from agents.memory_manager.memory_decay import is_forgotten
from agents.search.question import Bearing, Inquiry, bearing, told_of
from agents.search.search_port import RecordSearch, SearchHit, SearchKind, SearchScope
from agents.services.manual_edits import present
from agents.services.result_formatter import Placing
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.ports import CanonReader, LogReader
from stores.records.play import Speaker

MOST: Final = {
    AnswerStanding.CANON: 8,
    AnswerStanding.PROPOSED: 4,
    AnswerStanding.BOOK: 6,
    AnswerStanding.BELIEVED: 4,
    AnswerStanding.CONTRADICTED: 4,
}
"""Findings of each standing that an answer has at most; in this order they stand."""
NEAREST: Final = (3, 1, 0, 6, 2, 2)
"""Findings that are shown beside an answer, though they do not plainly bear on it: of facts, entities,
proposals, turns, memories and passages of sources."""
LIKELY: Final = 0.4
"""How near (0 ... 1) such a finding has to come for a model to be asked whether it answers the question. Of
questions to a log of 1,500 turns that it answers, 9 in 10 have something as near; most that it does not
answer have, too. It only saves asking in vain."""
PER_ENTITY: Final = 200
"""Facts of somebody named that are read."""
NAMED: Final = 6
"""Entities of a question that are looked up."""
WAITING: Final = 500
"""Open proposals that are read, the newest."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """`bears` are numbered from 1, the best standing first; `nearest` go on counting."""

    bears: tuple[QueryFinding, ...]
    nearest: tuple[QueryFinding, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Weighed:
    finding: QueryFinding
    enough: bool


class Answering:
    """Gathers findings. Stateless."""

    def __init__(self, canon: CanonReader, log: LogReader, recall: RecordSearch, placing: Placing) -> None:
        self._canon = canon
        self._log = log
        self._recall = recall
        self._placing = placing

    async def gather(self, inquiry: Inquiry, within: SearchScope, catalogue: Catalogue) -> Gathered:
        """Return what bears on the question, and what came nearest. Raises StoreError."""
        notes: dict[str, None] = {}
        found = await gather(
            self._of_canon(inquiry, within, catalogue, notes),
            self._entities(inquiry, within, notes),
            self._proposed(inquiry, within),
            self._in_the_book(inquiry, within, notes),
            self._believed(inquiry, within, notes),
            self._sources(inquiry, within, notes),
        )
        bears = _first(one.finding for part in found for one in part if one.enough)
        near = [
            finding
            for part, most in zip(found, NEAREST, strict=True)
            for finding in sorted((w.finding for w in part if not w.enough), key=lambda f: -f.score)[:most]
        ]
        near.sort(key=lambda finding: -finding.near)
        counted = [replace(f, number=n) for n, f in enumerate((*bears, *near), 1)]
        return Gathered(tuple(counted[: len(bears)]), tuple(counted[len(bears) :]), tuple(notes))

    # --- canon ---------------------------------------------------------------------------------------

    async def _of_canon(
        self, inquiry: Inquiry, within: SearchScope, catalogue: Catalogue, notes: dict[str, None]
    ) -> list[_Weighed]:
        found = await self._find("facts", inquiry, within, notes, k=20)
        hits = {one.id: one for one in found}
        about = await gather(
            *(
                self._canon.facts_about(entity_id, history=True, limit=PER_ENTITY)
                for entity_id in inquiry.ids[:NAMED]
            )
        )
        facts = {fact.id: fact for few in about for fact in few} | await self._canon.facts_by_id(hits)
        mine = [
            f
            for f in facts.values()
            if f.universe_id == within.universe_id and f.predicate not in CANON_EVENTS
        ]
        weighed = []
        for fact in mine:
            involved = {i.entity_id for i in fact.involves}
            said = bearing(inquiry, told_of(fact.statement), involved, predicate=fact.predicate)
            if said.enough or fact.id in hits:
                wanted = fact.predicate in inquiry.wants
                hit = hits.get(fact.id)
                score = said.share + wanted + (hit.score / 10 if hit else 0.0)
                weighed.append((score, said.enough, fact, _near(hit, said)))
        weighed.sort(key=lambda each: (-each[1], -each[0], -each[3], each[2].id))
        kept = weighed[: 3 * MOST[AnswerStanding.CANON]]
        findings = await self._placing.facts([fact for _, _, fact, _ in kept], within.universe_id)
        return [
            _Weighed(replace(finding, score=score, near=near), enough)
            for (score, enough, _, near), finding in zip(kept, findings, strict=True)
        ]

    async def _entities(
        self, inquiry: Inquiry, within: SearchScope, notes: dict[str, None]
    ) -> list[_Weighed]:
        """Who or what is named, where the question is about them as such; and what is described so."""
        hits = {one.id: one for one in await self._find("entities", inquiry, within, notes, k=5)}
        known = await self._canon.entities_by_id({*inquiry.ids[:NAMED], *hits})
        weighed = []
        for entity in known.values():
            if entity.universe_id != within.universe_id:
                continue
            text = " ".join((entity.name, *entity.aliases, entity.kind, entity.description))
            said = bearing(inquiry, text, {entity.id})
            enough = said.enough and bool(inquiry.words or not inquiry.wants)
            hit = hits.get(entity.id)
            if enough or hit:
                score = said.share + (hit.score if hit else 0.0)
                finding = replace(self._placing.entity(entity), score=score, near=_near(hit, said))
                weighed.append(_Weighed(finding, enough))
        return weighed

    async def _proposed(self, inquiry: Inquiry, within: SearchScope) -> list[_Weighed]:
        waiting = await self._log.proposals(
            universe_id=within.universe_id, statuses=OPEN_STATUSES, last=WAITING
        )
        weighed = []
        for proposal in waiting:
            if is_rejected(proposal) or (
                within.story_id and proposal.story_id not in (None, within.story_id)
            ):
                continue
            about = self._placing.about(proposal)
            said = bearing(inquiry, about.words, about.involved, predicate=about.predicate)
            if said.enough:
                weighed.append((said.share, proposal))
        weighed.sort(key=lambda each: -each[0])
        kept = weighed[: MOST[AnswerStanding.PROPOSED]]
        findings = await self._placing.proposals([proposal for _, proposal in kept])
        return [
            _Weighed(replace(finding, score=score), True)
            for (score, _), finding in zip(kept, findings, strict=True)
        ]

    # --- the book, and what is believed --------------------------------------------------------------

    async def _in_the_book(
        self, inquiry: Inquiry, within: SearchScope, notes: dict[str, None]
    ) -> list[_Weighed]:
        found = await self._find("turns", inquiry, within, notes, k=20)
        turns = await self._log.turns([one.id for one in found])
        before = await self._log.turns({t.parent_id for t in turns.values() if t.parent_id})
        kept, marks = [], []
        for one in found:
            turn = turns.get(one.id)
            if turn is None or turn.speaker is Speaker.SYSTEM:
                continue
            said = told_of(turn.text)
            parent = before.get(turn.parent_id or "")
            whole = bearing(inquiry, " ".join((turn.name, said, parent.text if parent else "")))
            alone = bearing(inquiry, f"{turn.name} {said}")
            something = alone.words > 0 if inquiry.words else alone.names > 0
            kept.append((one, turn))
            marks.append((alone, whole.enough and something))
        findings = await self._placing.turns([turn for _, turn in kept])
        return [
            _Weighed(replace(finding, score=one.score, near=_near(one, said)), enough)
            for (one, _), finding, (said, enough) in zip(kept, findings, marks, strict=True)
        ]

    async def _believed(
        self, inquiry: Inquiry, within: SearchScope, notes: dict[str, None]
    ) -> list[_Weighed]:
        hits = {one.id: one for one in await self._find("memories", inquiry, within, notes, k=10)}
        kept = await self._log.memories(ids=list(hits)) if hits else []
        now = await present(self._log, within.universe_id) or 0
        kept = [m for m in kept if not is_forgotten(m, now)]
        weighed = []
        for memory, finding in zip(kept, await self._placing.memories(kept), strict=True):
            said = bearing(inquiry, f"{finding.believer} {memory.text}", {memory.entity_id, *memory.about})
            hit = hits[memory.id]
            weighed.append(_Weighed(replace(finding, score=hit.score, near=_near(hit, said)), said.enough))
        return weighed

    async def _sources(self, inquiry: Inquiry, within: SearchScope, notes: dict[str, None]) -> list[_Weighed]:
        hits = {one.id: one for one in await self._find("snippets", inquiry, within, notes, k=10)}
        kept = list((await self._log.snippets_by_id(hits)).values()) if hits else []
        weighed = []
        for snippet, finding in zip(kept, await self._placing.snippets(kept), strict=True):
            said, hit = bearing(inquiry, told_of(snippet.text)), hits[snippet.id]
            weighed.append(_Weighed(replace(finding, score=hit.score, near=_near(hit, said)), said.enough))
        return weighed

    async def _find(
        self, kind: SearchKind, inquiry: Inquiry, within: SearchScope, notes: dict[str, None], *, k: int
    ) -> Sequence[SearchHit]:
        found = await self._recall.search(kind, inquiry.text, within, k=k)
        notes.update(dict.fromkeys(found.notes))
        return found.hits


def _near(hit: SearchHit | None, said: Bearing) -> float:
    """Return how near something comes to the question: by meaning as it was found, or by words."""
    return max(hit.similarity if hit else 0.0, said.names * said.words)


def _first(findings: Iterable[QueryFinding]) -> list[QueryFinding]:
    """Return the best of each standing, canon first."""
    every = sorted(findings, key=lambda f: (-f.score, f.text))
    return [f for standing, most in MOST.items() for f in _distinct(every, standing)[:most]]


def _distinct(findings: Collection[QueryFinding], standing: AnswerStanding) -> list[QueryFinding]:
    """Return those of a standing, each text by the same believer once."""
    seen: dict[tuple[str, str], QueryFinding] = {}
    for finding in findings:
        if finding.standing is standing:
            seen.setdefault((finding.text, finding.believer), finding)
    return list(seen.values())
