"""A story that stands before its gate: one row of each sort that a gate can have."""

from __future__ import annotations

from pathlib import Path

from monitor_tui.compose import open_program
from stores.authority import Role
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import Id, SeededIdGenerator, SteppingClock, derive_id
from stores.records.workflow import ProposedChange
from tests.screens.screen_driver import EVENING
from tests.screens.scripted_llm import start_sample_story

RAIN = "It rains on the chapel roof."

LINES = (
    "I ask Wenna for the key.",
    "> She gives it without a word.",
    "/fact Wenna Pike ally_of Mara Venn",
    "/commit",
    "I follow the drag marks to the nave.",
    "> Drag marks run to the water. Wenna stands there with the knife.",
    "/fact Wenna Pike enemy_of Mara Venn",
    "/place Flooded Nave: below the chapel, full at high tide",
    "/state Mara.hp -3",
)


async def build_gate_story(home: Path) -> Id:
    """Play a scene that proposes what conflicts with canon, what is ticked, and what nobody decided (`RAIN`)."""
    clock = SteppingClock(EVENING)
    program = await open_program(home, clock=clock, ids=SeededIdGenerator(7, clock))
    try:
        scene_id = await start_sample_story(program.services, *LINES)
        view = await program.services.play.scene(scene_id)
        rain = ProposedChange(
            id=derive_id("rain"),
            universe_id=view.universe.id,
            story_id=view.story.id,
            scene_id=scene_id,
            turn_id=view.scene.head,
            payload=AssertFact(fact_kind=FactKind.ATTRIBUTE, predicate="weather", statement=RAIN),
            authority=Authority.SYSTEM,
            created_at=clock(),
        )
        await program.stores.log(Role.RESOLVER).stage([rain])
        await program.services.stories.suspend()
    finally:
        await program.close()
    return scene_id
