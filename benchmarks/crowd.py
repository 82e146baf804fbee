"""Writes a library of many names and many open proposals: 20,000 entities, and a gate of 2,000.

`tests/screens/test_large_library.py` watches how long single steps hold the event loop of the screen there.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from benchmarks.fill import Size, fill
from benchmarks.gate import stage_sentences
from benchmarks.libraries import open_scene
from stores.records.canon import Authority

ENTITIES = 20_000
PROPOSALS = 2_000

_TYPED = 100
"""Of the proposals, those that are typed; the others were inferred."""

_LINES = (
    "/fact The gull number {0} has one red eye",
    "/fact Mara owes the ferryman of night {0} a coin",
    "/thing Chest {0}: nailed shut",
    "/npc Guest {0}: somebody",
    "/state Mara +seen-{0}",
)


async def make_crowd(home: Path) -> None:
    """Write the library."""
    await fill(home, Size(scenes=3, scene_turns=1_000, long_scene=2_000, entities=ENTITIES))
    async with open_scene(home) as scene_in_play:
        play, scene_id = scene_in_play.services.play, scene_in_play.scene_id
        await play.submit(scene_id, "I count what there is.")
        await stage_sentences(scene_in_play, PROPOSALS - _TYPED, Authority.SYSTEM, Authority.GM)
        for number, line in enumerate(itertools.islice(itertools.cycle(_LINES), _TYPED)):
            await play.submit(scene_id, line.format(number))
