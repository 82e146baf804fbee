"""Leaves out of a scene the deaths that were told in it, proposed and rejected: who was said to die lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.fact_readings import ALIVE
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.story_journal import Awareness, JournalEntry, PresenceEntry
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, ProposedChange, Verdict

_STATUSES: Final = (*OPEN_STATUSES, ProposalStatus.REJECTED)


async def drop_rejected_deaths(
    log: LogReader, scene: Scene, entries: Sequence[JournalEntry]
) -> tuple[JournalEntry, ...]:
    """Return the entries without those by which somebody died in the scene whose death was rejected.

    Raises StoreError.
    """
    if not any(_is_death_in(entry, scene.id) for entry in entries):
        return tuple(entries)
    proposals = await log.proposals(ProposalQuery(scene_id=scene.id, statuses=_STATUSES, kind="assert_fact"))
    rejected_deaths = {
        (proposal.turn_id, involved.entity_id)
        for proposal in proposals
        if _is_rejected_death(proposal) and isinstance(proposal.change, AssertFact)
        for involved in proposal.change.involves
    }
    return tuple(
        entry
        for entry in entries
        if not (
            isinstance(entry, PresenceEntry)
            and _is_death_in(entry, scene.id)
            and (entry.turn_id, entry.entity_id) in rejected_deaths
        )
    )


def _is_death_in(entry: JournalEntry, scene_id: Id) -> bool:
    return (
        isinstance(entry, PresenceEntry)
        and entry.scene_id == scene_id
        and entry.awareness is Awareness.DEAD
        and entry.is_narrated
    )


def _is_rejected_death(proposal: ProposedChange) -> bool:
    change, decision = proposal.change, proposal.decision
    return (
        decision is not None
        and decision.verdict is Verdict.REJECT
        and isinstance(change, AssertFact)
        and change.predicate == ALIVE
        and change.value is False
    )
