"""A played story as JSON: turns, results, notes, proposals with decisions, facts with evidence, transitions."""

from __future__ import annotations

from typing import Any

from monitor_tui.play_script import ScriptResult
from stores.authority import Role
from stores.open import Stores
from stores.queries import FactQuery, ProposalQuery
from stores.records.workflow import Loop
from stores.records.world import Entity


# `said` is what `Turn.time_text` and `Fact.statement_key` were called: scripts may read it.
async def build_report(stores: Stores, script_result: ScriptResult) -> dict[str, Any]:
    """Return everything about the story that was played, and the canon of its universe."""
    log, canon = stores.log(Role.CONTEXT_ASSEMBLY), stores.canon(Role.CONTEXT_ASSEMBLY)
    scenes, transitions = [], []
    for scene in await log.scenes(script_result.story_id):
        all_turns = await log.all_turns(scene.id)
        timeline_turns = await log.line_slice(scene.id, 0, await log.line_length(scene.id))
        state = await log.loop_state(Loop.SCENE, scene.id)
        scenes.append(
            {
                **scene.model_dump(mode="json"),
                "status": state.target if state else "created",
                "line": [t.id for t in timeline_turns],
                "turns": [{**t.model_dump(mode="json"), "said": t.time_text} for t in all_turns],
                "resolutions": [
                    r.model_dump(mode="json") for r in await log.resolutions([t.id for t in all_turns])
                ],
            }
        )
        transitions += await log.transitions(loop=Loop.SCENE, subject_id=scene.id, limit=100_000)
        for turn in all_turns:
            transitions += await log.transitions(loop=Loop.TURN, subject_id=turn.id)
    transitions += await log.transitions(loop=Loop.STORY, subject_id=script_result.story_id)
    facts = await canon.facts(script_result.universe_id, FactQuery(history=True, limit=100_000))
    entities = await canon.entities(script_result.universe_id, limit=100_000)
    names = {e.id: e.name for e in entities}
    return {
        "universe": (await canon.universe(script_result.universe_id)).model_dump(mode="json"),
        "story": (await log.story(script_result.story_id)).model_dump(mode="json"),
        "scene_id": script_result.scene_id,
        "scenes": scenes,
        "notes": [n.model_dump(mode="json") for n in await log.notes(story_id=script_result.story_id)],
        "proposals": [
            p.model_dump(mode="json")
            for p in await log.proposals(ProposalQuery(story_id=script_result.story_id))
        ],
        "entities": [_entity_json(e) for e in entities],
        "facts": [
            {
                **fact.model_dump(mode="json"),
                "said": fact.statement_key,
                "names": {i.role: names.get(i.entity_id, "") for i in fact.involves},
                "evidence": [e.model_dump(mode="json") for e in await canon.evidence_of(fact.id)],
            }
            for fact in facts
        ],
        "transitions": [m.model_dump(mode="json") for m in sorted(transitions, key=lambda m: (m.at, m.seq))],
        "replies": script_result.replies,
        "error": script_result.error,
    }


def _entity_json(entity: Entity) -> dict[str, Any]:
    return entity.model_dump(mode="json")
