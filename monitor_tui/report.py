"""A played story as JSON: turns, results, notes, proposals with decisions, facts with evidence, moves."""

from __future__ import annotations

from typing import Any

from monitor_tui.script import Played
from stores.authority import Role
from stores.open import Stores
from stores.records.ledger import Loop
from stores.records.world import Entity


async def report(stores: Stores, played: Played) -> dict[str, Any]:
    """Return everything about the story that `played` names, and the canon of its universe."""
    log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)
    scenes, moves = [], []
    for scene in await log.scenes(played.story_id):
        every = await log.all_turns(scene.id)
        line = await log.line_slice(scene.id, 0, await log.line_length(scene.id))
        state = await log.loop_state(Loop.SCENE, scene.id)
        scenes.append(
            {
                **scene.model_dump(mode="json"),
                "status": state.target if state else "created",
                "line": [t.id for t in line],
                "turns": [t.model_dump(mode="json") for t in every],
                "resolutions": [
                    r.model_dump(mode="json") for r in await log.resolutions([t.id for t in every])
                ],
            }
        )
        moves += await log.transitions(loop=Loop.SCENE, subject_id=scene.id, limit=100_000)
        for turn in every:
            moves += await log.transitions(loop=Loop.TURN, subject_id=turn.id)
    moves += await log.transitions(loop=Loop.STORY, subject_id=played.story_id)
    facts = await canon.facts(played.universe_id, history=True, limit=100_000)
    entities = await canon.entities(played.universe_id, limit=100_000)
    names = {e.id: e.name for e in entities}
    return {
        "universe": (await canon.universe(played.universe_id)).model_dump(mode="json"),
        "story": (await log.story(played.story_id)).model_dump(mode="json"),
        "scene_id": played.scene_id,
        "scenes": scenes,
        "notes": [n.model_dump(mode="json") for n in await log.notes(story_id=played.story_id)],
        "proposals": [p.model_dump(mode="json") for p in await log.proposals(story_id=played.story_id)],
        "entities": [_entity(e) for e in entities],
        "facts": [
            {
                **fact.model_dump(mode="json"),
                "names": {i.role: names.get(i.entity_id, "") for i in fact.involves},
                "evidence": [e.model_dump(mode="json") for e in await canon.evidence_of(fact.id)],
            }
            for fact in facts
        ],
        "transitions": [m.model_dump(mode="json") for m in sorted(moves, key=lambda m: (m.at, m.seq))],
        "replies": played.replies,
        "error": played.error,
    }


def _entity(entity: Entity) -> dict[str, Any]:
    return entity.model_dump(mode="json")
