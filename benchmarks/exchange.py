"""Measures an exchange without a model, in a fresh library and in a large one: the second must not be slower."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.libraries import Libraries, OpenScene, open_scene, time_call
from benchmarks.table import Row, make_times_row, percentile

COUNT = 200
COMMIT_EVERY = 20
AIM = 30
MOST_GROWTH = 1.5

LINES = {
    "words": "I follow the chain towards the lamp.",
    "words and a check": "I pull at the chain. /check might vs 8; success: Mara.nerve +1; fail: Mara.hp -1",
}


def run(libraries: Libraries) -> Iterator[Row]:
    seconds_by_kind = asyncio.run(_play(libraries.fresh, libraries.big, libraries.often(COUNT)))
    for kind in LINES:
        fresh, big = seconds_by_kind[kind, "fresh"], seconds_by_kind[kind, "big"]
        yield make_times_row(f"exchange, {kind}: fresh library", fresh, AIM)
        yield make_times_row(f"exchange, {kind}: {libraries.big_name}", big, AIM)
        growth = percentile(big, 50) / percentile(fresh, 50)
        yield Row(f"exchange, {kind}: growth of the median", growth, None, MOST_GROWTH, "x")


async def _play(fresh_home: Path, big_home: Path, count: int) -> dict[tuple[str, str], list[float]]:
    """Play in both libraries in turn, so that other load on the machine affects both alike."""
    seconds_by_kind: dict[tuple[str, str], list[float]] = {}
    async with open_scene(fresh_home) as fresh, open_scene(big_home) as big:
        for number in range(count):
            for kind, line in LINES.items():
                for library_name, scene_in_play in (("fresh", fresh), ("big", big)):
                    submit = partial(scene_in_play.services.play.submit, scene_in_play.scene_id, line)
                    seconds_by_kind.setdefault((kind, library_name), []).append(await time_call(submit))
            if number % COMMIT_EVERY == COMMIT_EVERY - 1:
                await _commit(fresh, big)
        await _commit(fresh, big)
    return seconds_by_kind


async def _commit(*scenes_in_play: OpenScene) -> None:
    """Commit now and then, as players do; not timed."""
    for scene_in_play in scenes_in_play:
        await scene_in_play.services.gate.commit(scene_in_play.scene_id)
