"""Reads the summaries of the earlier scenes that a search found: of each scene, the part nearest to the question.

Read-only. A scene is found by all of its summaries; a stretch of a long scene says more than the whole.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agents.memory_manager.summary_texts import RECAP_KIND, SCENE_KIND, STRETCH_KIND
from agents.search.question_cues import content_stems, measure_coverage
from agents.search.search_port import SearchHit
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.memory import Summary
from stores.records.play import Scene

_RECALLED_KINDS = (STRETCH_KIND, SCENE_KIND, RECAP_KIND)


@dataclass(frozen=True, slots=True)
class RecalledScene:
    """A scene of earlier play that a search found, with the summary that says most on the question."""

    scene: Scene
    text: str


async def read_recalled_scenes(
    log: LogReader, hits: Sequence[SearchHit], question: str, left_turn_ids: Collection[Id] = ()
) -> list[RecalledScene]:
    """Return the scenes that have something to say before the `left` turns, the best first. Raises StoreError."""
    scenes = await log.scenes_by_id([hit.id for hit in hits]) if hits else {}
    found_scenes = [scenes[hit.id] for hit in hits if hit.id in scenes]
    summary_lists = await gather(*(_read_summaries_on_line(log, s.id, left_turn_ids) for s in found_scenes))
    texts = [
        choose_summary(scene, summaries, content_stems(question))
        for scene, summaries in zip(found_scenes, summary_lists, strict=True)
    ]
    return [RecalledScene(s, text) for s, text in zip(found_scenes, texts, strict=True) if text]


def choose_summary(scene: Scene, summaries: Sequence[Summary], asked_stems: Collection[str]) -> str:
    """Return the summary that has most of the question's words, of equals the whole scene's; without any, the outcome.

    Only its first line: decisions and promises on the lines after it are in every prompt anyway.
    """
    lines = [(s.text.partition("\n")[0], s.kind == SCENE_KIND) for s in summaries if s.text.strip()]
    if not lines:
        return scene.summary
    best_line, _ = max(
        lines, key=lambda row: (measure_coverage(asked_stems, content_stems(row[0]), {}), row[1])
    )
    return best_line


async def _read_summaries_on_line(
    log: LogReader, scene_id: Id, left_turn_ids: Collection[Id]
) -> list[Summary]:
    summaries = [s for s in await log.summaries(scene_id) if s.kind in _RECALLED_KINDS]
    last_turn_ids = {s.last_turn for s in summaries if s.last_turn}
    ids_on_line = (await log.on_line(scene_id, last_turn_ids) if last_turn_ids else set()).difference(
        left_turn_ids
    )
    return [s for s in summaries if s.last_turn is None or s.last_turn in ids_on_line]
