"""Chooses the summaries for a prompt: of the story before this scene, and of the scene's turns out of view.

Read-only. A summary counts while the last turn that it covers is on its line.
"""

from __future__ import annotations

from collections.abc import Collection

from agents.memory_manager.summary_texts import BULLET_KIND, STORY_KIND, STRETCH_LEVELS
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.memory import Summary
from stores.records.play import Scene


async def read_story_summary(log: LogReader, previous_scene: Scene) -> tuple[str, ...]:
    """Return the story's summaries up to and including the previous scene; empty if there are none yet."""
    story_summaries = [
        s
        for s in await log.summaries(previous_scene.id)
        if s.kind == STORY_KIND and s.last_turn == previous_scene.head
    ]
    return tuple(story_summaries[-1].text.splitlines()) if story_summaries else ()


async def read_scene_summary(log: LogReader, scene_id: Id, shown_turn_ids: Collection[Id]) -> tuple[str, ...]:
    """Return the summaries of the line's turns that are not shown.

    The fewest summaries that cover them, then the bullets that no summary covers.
    """
    all_summaries = [
        s for s in await log.summaries(scene_id) if s.kind == BULLET_KIND or s.kind in STRETCH_LEVELS
    ]
    last_turn_ids = {s.last_turn for s in all_summaries if s.last_turn and s.last_turn not in shown_turn_ids}
    if not last_turn_ids:
        return tuple(s.text for s in all_summaries if s.last_turn is None)
    ids_on_line = await log.on_line(scene_id, last_turn_ids)
    valid_summaries = [s for s in all_summaries if s.last_turn in ids_on_line]
    anchor_turn_ids = {i for s in valid_summaries for i in (s.first_turn, s.last_turn) if i}
    turns = await log.turns(anchor_turn_ids) if any(s.kind in STRETCH_LEVELS for s in valid_summaries) else {}
    depths = {i: turn.depth for i, turn in turns.items()}
    chosen_summaries, covered_depth = _select_covering(
        [s for s in valid_summaries if s.kind in STRETCH_LEVELS], depths
    )
    bullets = [
        s
        for s in all_summaries
        if s.kind == BULLET_KIND
        and (
            s.last_turn is None
            or (s.last_turn in ids_on_line and depths.get(s.last_turn, covered_depth) >= covered_depth)
        )
    ]
    return tuple(line for s in (*chosen_summaries, *bullets) for line in s.text.splitlines())


def _select_covering(summaries: Collection[Summary], depths: dict[Id, int]) -> tuple[list[Summary], int]:
    """Return the fewest summaries that cover the line from its beginning, and the depth at which they end."""
    summaries_by_start: dict[int, list[Summary]] = {}
    for summary in summaries:
        if summary.first_turn in depths:
            summaries_by_start.setdefault(depths[summary.first_turn], []).append(summary)
    chosen_summaries: list[Summary] = []
    next_depth = 0
    while candidates := summaries_by_start.get(next_depth):
        longest = max(candidates, key=lambda s: depths.get(s.last_turn or "", -1))
        chosen_summaries.append(longest)
        next_depth = depths[longest.last_turn or ""] + 1
    return chosen_summaries, next_depth
