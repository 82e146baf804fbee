"""What of earlier play, of canon and of the rule books bears on the player's words: the package's `recalled`.

Read-only. It has a patience: what is not found in time is gone without, and said. Source:
AGENT_ORCHESTRATION, ContextAssembly (`similar_scenes`, `rule_excerpts`); design/product.md, pain 1.
"""

from __future__ import annotations

import asyncio
from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agents.context_assembly.recall_port import Findings, Found, InView, Recall, Within
from agents.context_assembly.standing import is_over
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.play import Scene, Turn

T = TypeVar("T")

PASSAGES: Final = 6
FACTS: Final = 6
RULES: Final = 3
"""How much of each is shown at most; the best."""
LOOKED_AT: Final = 12
"""Turns that are found for it: more than are shown, so that what was left out can be counted."""
NEAR: Final = 0.3
"""What comes less near than this is not shown: it was only the best of nothing."""
PATIENCE: Final = 0.4
"""Seconds that a telling waits for what is found again. Most of it is ready in a tenth of that."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A turn of earlier play that was found again: who says what, in which scene, at what world time."""

    turn: Turn
    scene: Scene
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of a section that is not shown, and why."""

    section: str
    why: str


@dataclass(frozen=True, slots=True)
class FoundAgain:
    """`facts` hold now, or are marked as over; `rules` are in the words of their source."""

    passages: tuple[Passage, ...] = ()
    facts: tuple[Fact, ...] = ()
    rules: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class Finding:
    """Finds it. Stateless."""

    def __init__(self, recall: Recall, canon: CanonReader, log: LogReader) -> None:
        self._recall = recall
        self._canon = canon
        self._log = log

    async def of(self, question: str, universe_id: Id, *, in_view: InView) -> FoundAgain:
        """Return what bears on the question, but for the turns `in_view`, which are read while the rest is
        looked for."""
        if not question.strip():
            return FoundAgain()
        within = Within(universe_id)
        turns, facts, snippets = await gather(
            self._recall.find("turns", question, within, k=LOOKED_AT, without=in_view),
            self._recall.find("facts", question, within, k=FACTS),
            self._recall.find("snippets", question, within, k=RULES),
        )
        passages, kept, rules = await gather(
            self._passages(near(turns)[:PASSAGES]), self._facts(near(facts)), self._rules(near(snippets))
        )
        notes = dict.fromkeys((*turns.notes, *facts.notes, *snippets.notes))
        left_out = [LeftOut("recalled", note) for note in notes]
        if len(turns.found) > len(passages):
            left_out.append(LeftOut("recalled", f"{len(turns.found)} found, {len(passages)} shown"))
        return FoundAgain(tuple(passages), tuple(kept), tuple(rules), tuple(left_out))

    async def _passages(self, found: Sequence[Found]) -> list[Passage]:
        """Read the turns with their scenes, in the order they were played."""
        if not found:
            return []
        turns = await self._log.turns([f.id for f in found])
        scenes = await self._log.scenes_by_id({t.scene_id for t in turns.values()})
        passages = [
            Passage(turn, scenes[turn.scene_id], f.score)
            for f in found
            if (turn := turns.get(f.id)) and turn.scene_id in scenes
        ]
        return sorted(passages, key=lambda p: (p.turn.tick, p.scene.order, p.turn.depth))

    async def _facts(self, found: Sequence[Found]) -> list[Fact]:
        """Read the facts: what holds stands above what is over."""
        facts = await self._canon.facts_by_id([f.id for f in found]) if found else {}
        return sorted((facts[f.id] for f in found if f.id in facts), key=is_over)

    async def _rules(self, found: Sequence[Found]) -> list[str]:
        if not found:
            return []
        snippets = await self._log.snippets_by_id([f.id for f in found])
        return [snippets[f.id].text for f in found if f.id in snippets]


def near(findings: Findings) -> list[Found]:
    """Return what comes near enough; without a model's vectors, all that share the question's words."""
    by_meaning = any("meaning" in found.by for found in findings.found)
    return [f for f in findings.found if not by_meaning or f.near >= NEAR]


async def in_time(work: asyncio.Future[T] | asyncio.Task[T], patience: float) -> T | None:
    """Return what the work comes to, or None (and stop it) if that takes longer than `patience` seconds."""
    try:
        done, _ = await asyncio.wait([work], timeout=patience)
    except asyncio.CancelledError:
        work.cancel()
        raise
    if done:
        return work.result()
    work.cancel()
    return None
