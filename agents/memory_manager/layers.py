"""The warm layer as a prompt is told it: what all before this scene, and what left the view in it, came to.

Read-only. Each summary counts while the last turn that it covers is on its line. Source: design/loops.md,
"Memory layers".
"""

from __future__ import annotations

from collections.abc import Collection

from agents.memory_manager.summaries import BULLET, LEVELS, STORY
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.memory import Summary
from stores.records.play import Scene


async def of_story(log: LogReader, before: Scene) -> tuple[str, ...]:
    """Return what the story came to up to and with the scene `before`; nothing if that is not known yet."""
    told = [s for s in await log.summaries(before.id) if s.kind == STORY and s.last_turn == before.head]
    return tuple(told[-1].text.splitlines()) if told else ()


async def of_scene(log: LogReader, scene_id: Id, shown: Collection[Id]) -> tuple[str, ...]:
    """Return what turns of the line that are out of view (not `shown`) were summed up to: the fewest
    summaries there can be, and behind them the bullets that none of those covers."""
    every = [s for s in await log.summaries(scene_id) if s.kind == BULLET or s.kind in LEVELS]
    ends = {s.last_turn for s in every if s.last_turn and s.last_turn not in shown}
    if not ends:
        return tuple(s.text for s in every if s.last_turn is None)
    standing = await log.on_line(scene_id, ends)
    counted = [s for s in every if s.last_turn in standing]
    anchors = {i for s in counted for i in (s.first_turn, s.last_turn) if i}
    turns = await log.turns(anchors) if any(s.kind in LEVELS for s in counted) else {}
    depths = {i: turn.depth for i, turn in turns.items()}
    chosen, covered = _covering([s for s in counted if s.kind in LEVELS], depths)
    bullets = [
        s
        for s in every
        if s.kind == BULLET
        and (s.last_turn is None or (s.last_turn in standing and depths.get(s.last_turn, covered) >= covered))
    ]
    return tuple(line for s in (*chosen, *bullets) for line in s.text.splitlines())


def _covering(summaries: Collection[Summary], depths: dict[Id, int]) -> tuple[list[Summary], int]:
    """Return the fewest summaries that tell of the line from its beginning, and the depth they end before."""
    starting: dict[int, list[Summary]] = {}
    for summary in summaries:
        if summary.first_turn in depths:
            starting.setdefault(depths[summary.first_turn], []).append(summary)
    chosen: list[Summary] = []
    at = 0
    while found := starting.get(at):
        longest = max(found, key=lambda s: depths.get(s.last_turn or "", -1))
        chosen.append(longest)
        at = depths[longest.last_turn or ""] + 1
    return chosen, at
