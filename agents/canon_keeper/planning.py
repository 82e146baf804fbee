"""From open proposals to the plan of a commit: weighed, settled, folded into one batch. It writes nothing.

Source: design/loops.md, "Recovery"; design/authority.md, "Canon policy".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.commit import Closing, build
from agents.canon_keeper.decisions import is_turned_down
from agents.canon_keeper.policy import KindRules
from agents.canon_keeper.settle import Undecided, outcomes_of, settle
from agents.canon_keeper.weighing import Weighing
from stores.records.canon import CanonBatch, CreateEntity
from stores.records.ids import Clock, Id
from stores.records.ledger import Canonization, ProposedChange, Ruling


@dataclass(frozen=True, slots=True)
class Plan:
    """What a commit would write (None: nothing at all), and how many proposals a conflict holds back."""

    canonization: Canonization | None
    held: int


class Planning:
    """Makes plans; stateless."""

    def __init__(self, weighing: Weighing, clock: Clock) -> None:
        self._weighing = weighing
        self._clock = clock

    async def plan(
        self,
        new_id: Callable[[], Id],
        universe_id: Id,
        waiting: Sequence[ProposedChange],
        reason: str,
        closing: Closing,
        undecided: Undecided,
        *,
        story_id: Id | None = None,
        rules: KindRules | None = None,
        ruled: Sequence[Ruling] = (),
    ) -> Plan:
        """Return what committing these open proposals, as they are decided, would come to.

        `ruled` are rulings that hold for it and are not remembered yet. Raises StoreError.
        """
        seen = await self._weighing.weigh(waiting, universe_id, rules=rules, ruled=ruled, for_commit=True)
        now = self._clock()
        settlement = settle(waiting, seen.judgements, undecided, now)
        built = build(
            batch_id := new_id(),
            settlement.accepted,
            seen.canon,
            seen.house.catalogue,
            undecided=_proposed_entities(waiting),
            closing=closing,
            now=now,
            trial=seen.checked.trial,
        )
        outcomes = (*settlement.outcomes, *outcomes_of(settlement.accepted, built.failed))
        if not outcomes and _is_empty(built.batch):
            return Plan(None, settlement.held)
        canonization = Canonization(
            id=batch_id,
            universe_id=universe_id,
            story_id=story_id,
            scene_id=closing.scene.id if closing.scene else None,
            reason=reason,
            outcomes=outcomes,
            batch=built.batch,
            created_at=now,
        )
        return Plan(canonization, settlement.held)


def _proposed_entities(proposals: Sequence[ProposedChange]) -> dict[Id, str]:
    """Return the names of entities that are proposed and not turned down."""
    creations = (p.change for p in proposals if not is_turned_down(p))
    return {c.entity_id: c.name for c in creations if isinstance(c, CreateEntity)}


def _is_empty(batch: CanonBatch) -> bool:
    return batch == CanonBatch(id=batch.id, universe_id=batch.universe_id, appearances=batch.appearances)
