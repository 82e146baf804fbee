"""What the log holds that bears on one exchange: the line in view, what it leads on from, what was decided.

Read-only. The line comes first, for what is found again waits for it: what is in view is not found again.
Source: AGENT_ORCHESTRATION, ContextAssembly (`narrative`).
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.context_assembly.context import SceneContext
from agents.memory_manager import layers
from stores.ports import CanonReader, LogReader
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus
from stores.records.model import DecisionMark
from stores.records.play import Scene, Speaker, Turn
from stores.records.world import Entity

LINE: Final = 24
STEP: Final = 8
"""Turns of the line in view at most, and how many leave it at a time: a prompt then mostly only grows at its
end, and a provider's prefix cache holds. 17 to 24 turns are in view."""
BEFORE: Final = 4
"""Turns of the scene before, while the scene's own line is short."""
SCENES: Final = 5
"""Earlier scenes of the story that are looked back on."""


@dataclass(frozen=True, slots=True)
class Narrative:
    """What the log holds: the last turns of the line, oldest first, without those that are answered now;
    `before` the last of the scene before; `summary` what earlier scenes and turns out of view came to;
    `decisions` the marks on the line; `met_before` who was in an earlier scene with the player's character;
    `arrived` the world time at which those came whom this scene brought into canon.
    """

    line: tuple[Turn, ...] = ()
    before: tuple[Turn, ...] = ()
    summary: tuple[str, ...] = ()
    decisions: tuple[DecisionMark, ...] = ()
    met_before: frozenset[Id] = frozenset()
    arrived: Mapping[Id, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """The turns in view, oldest first, with what is answered now among them; `before` the last of the scene
    before; `earlier` the scenes before, in their order."""

    turns: tuple[Turn, ...] = ()
    before: tuple[Turn, ...] = ()
    earlier: tuple[Scene, ...] = ()


class Narratives:
    """Reads the log. Stateless."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self._log = log

    async def line(self, scene: SceneContext) -> Line:
        """Return what is in view. Raises StoreError."""
        total = scene.head.depth + 1 if scene.head else 0
        start = max(0, -(-(total - LINE) // STEP) * STEP)
        turns, scenes = await gather(
            self._log.line_slice(scene.scene.id, start, total - start) if total else _nothing(),
            self._log.scenes(scene.story.id),
        )
        earlier = tuple(s for s in scenes if s.order < scene.scene.order)
        last = earlier[-1] if earlier and start == 0 else None
        before = await self._log.line_tail(last.id, BEFORE) if last else []
        return Line(tuple(turns), tuple(before), earlier)

    async def of(
        self, scene: SceneContext, words: str, here: Sequence[Entity], reading: Awaitable[Line]
    ) -> Narrative:
        """Return what bears on the scene, given its line. Raises StoreError."""
        line = await reading
        summed_up, met, arrived, marks = await gather(
            self._summed_up(scene.scene, line.earlier, {t.id for t in line.turns}),
            self._met_before(scene, line.earlier, here),
            self._arrived(scene.scene),
            self._log.decision_marks(*(s.id for s in (*line.earlier[-SCENES:], scene.scene))),
        )
        return Narrative(
            line=tuple(_unanswered(line.turns, words)),
            before=line.before,
            summary=summed_up,
            decisions=tuple(marks),
            met_before=met,
            arrived=arrived,
        )

    async def _arrived(self, scene: Scene) -> dict[Id, int]:
        """Return when those came whom this scene brought into canon: its record has them in the cast."""
        accepted = await self._log.proposals(
            scene_id=scene.id, statuses=[ProposalStatus.ACCEPTED], kind="create_entity"
        )
        ticks = {p.change.entity_id: p.tick for p in accepted if isinstance(p.change, CreateEntity)}
        return {i: scene.tick if tick is None else tick for i, tick in ticks.items()}

    async def _summed_up(
        self, scene: Scene, earlier: Sequence[Scene], shown: Collection[Id]
    ) -> tuple[str, ...]:
        """Return what the scenes before came to, and the turns of the line that are out of view."""
        story, own = await gather(
            layers.of_story(self._log, earlier[-1]) if earlier else _no_lines(),
            layers.of_scene(self._log, scene.id, shown),
        )
        told = story or [f"{_titled(s)}: {s.summary}" for s in earlier[-SCENES:] if s.summary]
        return (*told, *own)

    async def _met_before(
        self, scene: SceneContext, earlier: Sequence[Scene], here: Sequence[Entity]
    ) -> frozenset[Id]:
        """Return who of those here was in an earlier scene with the player's character."""
        pc_id = scene.story.pc_id
        if pc_id is None:
            return frozenset()
        met = {e for s in earlier for e in s.cast if pc_id in s.cast}
        met |= {e.entity_id for e in scene.presences() if e.here and e.scene_id != scene.scene.id}
        others = [e.id for e in here if e.id != pc_id and e.id not in met]
        own, *theirs = await gather(*(self._canon.appearances(i) for i in (pc_id, *others)))
        shared = set(own) - {scene.scene.id}
        met |= {e for e, scenes in zip(others, theirs, strict=True) if shared.intersection(scenes)}
        return frozenset(met - {pc_id})


def _unanswered(turns: Sequence[Turn], words: str) -> Sequence[Turn]:
    """Return the line without what the telling answers: the player's words and the rolls behind them."""
    if not words:
        return turns
    for n in range(len(turns) - 1, -1, -1):
        if turns[n].speaker in (Speaker.GM, Speaker.NPC):
            return turns
        if turns[n].speaker is Speaker.PLAYER and turns[n].text == words:
            return turns[:n]
    return turns


def _titled(scene: Scene) -> str:
    return f"Scene {scene.order}" + (f" “{scene.title}”" if scene.title else "")


async def _no_lines() -> tuple[str, ...]:
    return ()


async def _nothing() -> list[Turn]:
    return []
