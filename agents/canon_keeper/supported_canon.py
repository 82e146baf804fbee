"""Reads what in canon rests on the words or rolls of turns. Read-only."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection

from agents.canon_keeper.evidence_order import select_supporting
from stores.ports import CanonReader
from stores.records.canon import FactStatus
from stores.records.ids import Id
from stores.records.world import EntityStatus


async def read_supported_canon(canon: CanonReader, turn_ids: Collection[Id]) -> list[tuple[Id, Id]]:
    """Return the turns with the facts and entities that rest on what was said or rolled there, in order.

    What was only declared while a turn was the latest does not rest on it, and what was retconned rests on none.
    """
    pairs = await canon.supported_by(turn_ids)
    if not pairs:
        return []
    ids = {subject_id for _, subject_id in pairs}
    facts, entities, evidence_by_id = await gather(
        canon.facts_by_id(ids), canon.entities_by_id(ids), canon.evidence_of_all(ids)
    )
    statements = {i: f.statement for i, f in facts.items()} | {i: e.name for i, e in entities.items()}
    supporting_turns = {
        i: {e.turn_id for e in select_supporting(evidence, statements.get(i, ""))}
        for i, evidence in evidence_by_id.items()
    }
    retconned_ids = {
        *(i for i, fact in facts.items() if fact.status is FactStatus.RETCONNED),
        *(i for i, entity in entities.items() if entity.status is EntityStatus.RETCONNED),
    }
    return [(turn_id, i) for turn_id, i in pairs if i not in retconned_ids and turn_id in supporting_turns[i]]
