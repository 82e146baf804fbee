"""Finds the stays that a move ends: where somebody is by canon, and by what is proposed and not committed yet."""

from __future__ import annotations

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT, SUBJECT
from agents.context_assembly.scene_context import SceneContext
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import AssertFact, Involvement
from stores.records.ids import Id


async def find_earlier_stays(
    context: SceneContext, canon: CanonReader, entity_id: Id, place_id: Id
) -> list[Id]:
    """Return the facts, of canon and proposed, by which an entity is in another place than `place_id` now."""
    facts = await canon.facts_about(entity_id, FactsAboutQuery(predicate=LOCATED_IN))
    canon_stays = [f.id for f in facts if _is_stay_elsewhere(f.involves, entity_id, place_id)]
    return [*canon_stays, *find_proposed_stays(context, entity_id, place_id)]


def find_proposed_stays(context: SceneContext, entity_id: Id, place_id: Id) -> list[Id]:
    """Return the facts that open proposals of the scene would make of stays in another place than `place_id`."""
    return [
        fact_id_of(proposal)
        for proposal in context.undecided
        if isinstance(change := proposal.change, AssertFact)
        and change.predicate == LOCATED_IN
        and _is_stay_elsewhere(change.involves, entity_id, place_id)
    ]


def _is_stay_elsewhere(involves: tuple[Involvement, ...], entity_id: Id, place_id: Id) -> bool:
    ends = {involvement.role: involvement.entity_id for involvement in involves}
    return ends.get(SUBJECT) == entity_id and ends.get(OBJECT) != place_id
