"""Builds canon anew from the commits that wrote it, in their order. Pure.

A commit holds its whole batch in absolute values, so that the commits up to a moment give canon as it was then.
"""

from __future__ import annotations

from collections.abc import Iterable

from stores.records.canon import Appearance, CanonBatch, Evidence, Fact, Supersession, Support
from stores.records.ids import Id
from stores.records.world import Entity, Universe


class ReplayedCanon:
    """Canon after the batches that were added."""

    def __init__(self) -> None:
        self.universe: Universe | None = None
        self.entities: dict[Id, Entity] = {}
        self.facts: dict[Id, Fact] = {}
        self.evidence: dict[Id, Evidence] = {}
        self.supports: dict[Support, None] = {}
        self.supersessions: dict[Supersession, None] = {}
        self.appearances: dict[Appearance, None] = {}
        self.node_status: dict[Id, str] = {}
        """The status of story and scene nodes that a commit set."""

    def add_batch(self, batch: CanonBatch) -> None:
        """Write a batch as the stores do: entities are replaced, facts and evidence are added if absent."""
        self.universe = batch.universe or self.universe
        self.entities.update((entity.id, entity) for entity in batch.entities)
        for fact in batch.facts:
            self.facts.setdefault(fact.id, fact)
        for change in batch.fact_changes:
            if changed_fact := self.facts.get(change.fact_id):
                closed = changed_fact.closed if change.closed is None else change.closed
                self.facts[change.fact_id] = changed_fact.model_copy(
                    update={"status": change.status, "valid_to": change.valid_to, "closed": closed}
                )
        for piece in batch.evidence:
            self.evidence.setdefault(piece.id, piece)
        self.supports.update(dict.fromkeys(batch.supports))
        self.supersessions.update(dict.fromkeys(batch.supersedes))
        self.appearances.update(dict.fromkeys(batch.appearances))
        self.node_status |= batch.scene_status | batch.story_status


def replay_batches(batches: Iterable[CanonBatch]) -> ReplayedCanon:
    """Return canon after these batches."""
    canon = ReplayedCanon()
    for batch in batches:
        canon.add_batch(batch)
    return canon
