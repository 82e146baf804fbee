"""Finds what a name means to a reader of the record who is in no scene: in canon, and among what is proposed."""

from __future__ import annotations

from typing import Final

from agents.name_matching import match_names, without_article
from agents.proposals.decisions import is_rejected
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES
from stores.records.world import ACTORS

MAX_NAMED: Final = 8
"""Names that are listed when it is not clear which is meant."""


async def match_known_names(
    canon: CanonReader, log: LogReader, universe_id: Id, typed_name: str, *, prefers_people: bool = False
) -> dict[Id, str]:
    """Return what a name or a part of one means, by identifier, as commands of play read it.

    With `prefers_people`, nothing but people where one has the name.
    """
    query = ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES)
    proposed = [p.change for p in await log.proposals(query) if not is_rejected(p)]
    named_ones = [
        (entity.id, entity.kind, (entity.name, *entity.aliases))
        for entity in await canon.entities(universe_id, search=without_article(typed_name))
    ]
    named_ones += [
        (change.entity_id, change.entity_kind, (change.name, *change.aliases))
        for change in proposed
        if isinstance(change, CreateEntity)
    ]
    named_ids = match_names(typed_name, [(name, i) for i, _, names in named_ones for name in names])
    people_ids = {i for i, kind, _ in named_ones if kind in ACTORS}
    if prefers_people and not people_ids.isdisjoint(named_ids):
        named_ids = [i for i in named_ids if i in people_ids]
    return {i: names[0] for i, _, names in named_ones if i in named_ids}
