"""A library whose record answers questions in every way: canon, proposed, played, believed, and no longer so."""

from __future__ import annotations

from pathlib import Path

from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.screens.screen_driver import real_services
from tests.screens.scripted_llm import start_sample_story

KEY_IS_WENNAS = "Wenna Pike has a brass key."
LIE = "Wenna Pike is in the chapel."
FALSE_MEMORY = "There never was a brass key."

LONG_AGO = (
    "> Wenna takes a brass key from her belt and turns it twice in the strongroom door.",
    f"/fact {KEY_IS_WENNAS}",
    "/commit",
    "/time +600d",
)
LATELY = (
    "> The brass key lies on the table in the morning, and nobody asks whose it is now.",
    "/fact Ivo Tarrant saw the brass key",
    "/commit",
    f'> "{LIE.rstrip(".")}," Aldous Stint says.',
)


async def build_remembered_story(home: Path) -> Id:
    """Play a scene that its people remember rightly, wrongly and hardly any more; returns the scene.

    The brass key was Wenna's, until the GM ended that. That Ivo has it waits at the gate, and Aldous has been
    made to misremember it.
    """
    services, close = await real_services(home, 6)()
    scene_id = await start_sample_story(services, *LONG_AGO, *LATELY)
    (universe,) = await services.stories.universes()
    canon = await services.world.provenance.read_canon_at(universe.id, search="brass key")
    (fact_id,) = (view.fact.id for view in canon.facts if view.fact.statement == KEY_IS_WENNAS)
    staged = await services.world.edits.propose_end(fact_id)
    await services.gate.decide(staged.proposal_ids, Verdict.ACCEPT)
    await services.gate.commit_universe(universe.id)
    await services.play.submit(scene_id, "/fact Ivo Tarrant has a brass key")
    await services.jobs.wait_until_idle()
    aldous = next(e for e in await services.stories.characters(universe.id) if e.name == "Aldous Stint")
    memories = (await services.characters.read_character(aldous.id)).memories
    (memory_id,) = (view.memory.id for view in memories if view.memory.text == KEY_IS_WENNAS)
    await services.characters.misremember(memory_id, FALSE_MEMORY)
    await services.jobs.wait_until_idle()
    await services.stories.suspend()
    await close()
    return scene_id
