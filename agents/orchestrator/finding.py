"""Looking up whom a name means, in a scene or in its universe, for words that are read into changes."""

from __future__ import annotations

from collections.abc import Collection

from agents.canon_keeper.decisions import OPEN
from agents.context_assembly.context import ContextAssembly, SceneContext, as_entity
from agents.orchestrator.declare import FindEntity
from stores.ports import CanonReader, LogReader
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus
from stores.records.world import Entity


def in_scene(context: SceneContext, contexts: ContextAssembly, *, guess: bool = False) -> FindEntity:
    """Return what finds the one entity of a name in the scene or its universe; with `guess`, a word of the
    name of somebody present will do."""

    async def find(name: str) -> Entity | None:
        return _only(await contexts.find(context, name, guess=guess))

    return find


async def in_universe(universe_id: Id, canon: CanonReader, log: LogReader) -> FindEntity:
    """Return what finds the one entity of a name: in canon, or among those that wait to be created."""
    new = await _proposed(universe_id, log, [ProposalStatus.PENDING])

    async def find(name: str) -> Entity | None:
        found = await canon.find_entity(universe_id, name)
        return _only(found or [e for e in new if name.casefold() in map(str.casefold, (e.name, *e.aliases))])

    return find


async def who_they_are(
    universe_id: Id, ids: Collection[Id], canon: CanonReader, log: LogReader
) -> dict[Id, Entity]:
    """Return who they are: in canon, or as they wait to be created; who is neither is left out."""
    known = await canon.entities_by_id(ids)
    if all(id in known for id in ids):
        return known
    new = await _proposed(universe_id, log, OPEN)
    return {entity.id: entity for entity in new if entity.id in ids} | known


async def _proposed(universe_id: Id, log: LogReader, statuses: Collection[ProposalStatus]) -> list[Entity]:
    waiting = await log.proposals(universe_id=universe_id, statuses=statuses)
    return [as_entity(p.change, p) for p in waiting if isinstance(p.change, CreateEntity)]


def _only(found: list[Entity]) -> Entity | None:
    return found[0] if len(found) == 1 else None
