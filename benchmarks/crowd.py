"""Writes a library of many names and many open proposals: 20,000 entities, and a gate of 2,000.

`tests/screens/test_large_library.py` watches how long single steps hold the event loop of the screen there.
"""

from __future__ import annotations

import itertools
from pathlib import Path

from benchmarks.fill import Size, fill
from benchmarks.libraries import OpenScene, open_scene
from stores.authority import Role
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import SystemIdGenerator, utc_now
from stores.records.workflow import ProposedChange

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
        await _infer(scene_in_play, PROPOSALS - _TYPED)
        for number, line in enumerate(itertools.islice(itertools.cycle(_LINES), _TYPED)):
            await play.submit(scene_id, line.format(number))


async def _infer(scene_in_play: OpenScene, count: int) -> None:
    view, ids = await scene_in_play.services.play.scene(scene_in_play.scene_id), SystemIdGenerator()
    await scene_in_play.stores.log(Role.RESOLVER).stage(
        [
            ProposedChange(
                id=ids.new(),
                universe_id=view.universe.id,
                story_id=view.story.id,
                scene_id=scene_in_play.scene_id,
                turn_id=view.scene.head,
                payload=AssertFact(
                    fact_kind=FactKind.ATTRIBUTE, predicate="weather", statement=f"It rains on roof {number}."
                ),
                authority=Authority.GM if number % 2 else Authority.SYSTEM,
                created_at=utc_now(),
            )
            for number in range(count)
        ]
    )
