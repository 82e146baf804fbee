"""The court: a held proposal and the fact it meets, both with their evidence, and the six ways to settle it.

A ruling becomes an order: decisions on what is proposed and a few proposals of the GM's own. These go
through the same commit as all else; nothing else writes canon. Ticks are minutes of world time.
Source: design/authority.md, "A conflict opens the court".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.canon_keeper.commit import Closing
from agents.canon_keeper.decisions import COURT, OPEN, UNCHANGED, refuse_closed
from agents.canon_keeper.hearings import Docket, Hearing, Hearings
from agents.canon_keeper.naming import named_entities
from agents.canon_keeper.orders import Terms, Which, draft
from agents.canon_keeper.planning import Planning
from agents.canon_keeper.precedents import pair_of, ruling_id, side_of
from agents.canon_keeper.results import CommitResult
from agents.canon_keeper.weighing import Weighing
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonReader
from stores.records.canon import CanonBatch, CreateEntity, Standing
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import CourtRuling, Decision, Outcome, ProposedChange, Ruling, Verdict

__all__ = ["Court", "Docket", "Foreseen", "Hearing", "Order"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be staged, what is to be decided, and what will be remembered.

    The decisions are on the proposals that are there already; what is staged is accepted with them, and
    comes before the proposal `last`, which meets what that leaves. `restated` names those of the staged
    that stand for a proposal's own statement.
    """

    ruling: Ruling
    decisions: Mapping[Id, Decision]
    staged: tuple[ProposedChange, ...]
    last: Id
    restated: frozenset[Id] = frozenset()


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a ruling would write, and which of the two statements would still wait: for another ruling
    (`held`), or for the entity that it is about (`needy`)."""

    batch: CanonBatch | None
    outcomes: tuple[Outcome, ...] = ()
    held: frozenset[Id] = frozenset()
    needy: frozenset[Id] = frozenset()


Commit = Callable[[Sequence[ProposedChange], str, Id], Awaitable[CommitResult]]
"""Commits accepted proposals of a universe for a reason."""


class Court:
    """Hears conflicts and rules on them. Stateless: rulings are in the log."""

    def __init__(
        self,
        canon: CanonReader,
        log: CanonKeeperLog,
        clock: Clock,
        weighing: Weighing,
        planning: Planning,
        commit: Commit,
    ) -> None:
        self._canon = canon
        self._log = log
        self._clock = clock
        self._weighing = weighing
        self._planning = planning
        self._commit = commit
        self._hearings = Hearings(canon, log, weighing)

    async def hear(self, proposal_id: Id, other_id: Id | None = None) -> Hearing:
        """See `Hearings.hear`."""
        return await self._hearings.hear(proposal_id, other_id)

    async def docket(self, proposal_id: Id) -> Docket:
        """See `Hearings.docket`."""
        return await self._hearings.docket(proposal_id)

    async def order(
        self,
        hearing: Hearing,
        ruling: CourtRuling,
        *,
        by: str = "gm",
        reason: str = "",
        tick: int | None = None,
        yielding: Which | None = None,
        standing: Standing = Standing.RUMOUR,
        entity_id: Id | None = None,
        name: str = "",
    ) -> Order:
        """Say what a ruling comes to. Stage `order.staged` (the Resolver's handle does), then `rule`.

        `tick`: from when the new one holds (FROM_NOW; the claim's own time if None), or where the
        yielding one ends and the other begins (BOUNDED). `yielding`: "new" or "old", the one that ends,
        becomes a rumour or is about another entity; "old" for BOUNDED and "new" for the others if not
        said. `standing`: what it becomes (BOTH). `entity_id`, `name`: which shared entity is two, and
        what the other is called (SPLIT). Raises InputError if the ruling cannot be made so.
        """
        if ruling not in hearing.rulings:
            raise InputError("That ruling cannot be made of these two.", kept=UNCHANGED)
        now = self._clock()
        catalogue = hearing.catalogue
        pair = pair_of(hearing.claim, hearing.other, catalogue)
        if standing is Standing.TRUE:
            raise InputError("One of the two is a rumour, a lie or disputed.", kept=UNCHANGED)
        two = entity_id or next(iter(hearing.shared), "")
        entity = (await self._canon.entities_by_id([two])).get(two) if two in hearing.shared else None
        terms = Terms(
            ruling=ruling,
            rule=hearing.conflict.rule,
            case_id=ruling_id(hearing.proposal.universe_id, pair),
            now=now,
            tick=tick,
            yielding=yielding or ("old" if ruling is CourtRuling.BOUNDED else "new"),
            standing=standing,
            entity=entity,
            name=name or (f"another {entity.name}" if entity else ""),
        )
        drafted = draft(terms, *hearing.sides())
        winner = hearing.claim if drafted.upholds == "new" else hearing.other
        remembered = Ruling(
            id=terms.case_id,
            universe_id=hearing.proposal.universe_id,
            pair=pair,
            upheld=side_of(winner, catalogue),
            ruling=ruling,
            standing=standing if ruling is CourtRuling.BOTH else None,
            tick=drafted.tick,
            proposal_id=hearing.proposal.id,
            fact_id=hearing.other.id,
            by=by,
            reason=reason,
            at=now,
        )
        decisions = {
            proposal_id: Decision(verdict=verdict, by=by, at=now, reason=reason, edited=edited)
            for proposal_id, (verdict, edited) in drafted.decided.items()
        }
        return Order(
            remembered, decisions, tuple(drafted.staged), hearing.proposal.id, frozenset(drafted.restated)
        )

    async def foresee(self, order: Order) -> Foreseen:
        """Say what `rule` would write, with nothing staged and nothing decided. Raises StoreError."""
        stored = await self._log.proposals_by_id(list(order.decisions))
        decided = _decided(order, [*order.staged, *stored.values()])
        held, needy = await self._parted(order, decided)
        ready = [p for p in decided if p.id not in held | needy]
        plan = await self._planning.plan(
            lambda: derived("foreseen", order.ruling.id),
            order.ruling.universe_id,
            ready,
            "ruling",
            Closing(),
            "leave",
            ruled=[order.ruling],
        )
        done = plan.canonization
        return Foreseen(done.batch if done else None, done.outcomes if done else (), held, needy)

    async def rule(self, order: Order) -> CommitResult:
        """Remember the ruling, decide as it says, and commit. Doing it twice is doing it once.

        A statement that wins and still meets something else is not written yet: it waits for a ruling
        on that, changed as this one says. Raises InputError if what the order stages is not there,
        StoreError like any commit.
        """
        ids = [*order.decisions, *(p.id for p in order.staged)]
        stored = await self._log.proposals_by_id(ids)
        if len(stored) < len(ids):
            raise InputError("What the ruling needs is not staged yet.", kept=UNCHANGED)
        decided = _decided(order, [stored[i] for i in ids if stored[i].status in OPEN])
        for proposal in decided:
            refuse_closed(proposal, proposal.decision, alone=True)
        held, needy = await self._parted(order, decided)
        await self._log.put_ruling(order.ruling)
        await self._log.decide(
            {p.id: _set_aside(p.decision) if p.id in held else p.decision for p in decided}
        )
        ready = [p for p in decided if p.id not in held | needy]
        return await self._commit(ready, f"ruling: {order.ruling.ruling}", order.ruling.universe_id)

    async def _parted(
        self, order: Order, decided: Sequence[ProposedChange]
    ) -> tuple[frozenset[Id], frozenset[Id]]:
        """Return which of the accepted statements still meet something else, and which of the others need
        an entity that is only proposed."""
        last = [order.last]
        seen = await self._weighing.weigh_open(
            order.ruling.universe_id, instead=decided, last=last, ruled=[order.ruling]
        )
        accepted = [p for p in decided if p.decision and p.decision.verdict is Verdict.ACCEPT]
        own = order.restated | order.decisions.keys()
        held = {p.id for p in accepted if p.id in own and seen.judgements[p.id].conflicts}
        brought = {p.change.entity_id for p in accepted if isinstance(p.change, CreateEntity)}
        missing = seen.checked.proposed.keys() - brought
        needy = {p.id for p in accepted if p.id not in held and named_entities(p.change) & missing}
        return frozenset(held), frozenset(needy)


def _decided(order: Order, proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Return the proposals as the order decides them, the one that meets what it leaves at the end."""
    ruling = order.ruling
    accept = Decision(verdict=Verdict.ACCEPT, by=COURT, at=ruling.at, reason=ruling.reason)
    return [
        p.model_copy(update={"decision": order.decisions.get(p.id, accept)})
        for p in sorted(proposals, key=lambda p: p.id == order.last)
    ]


def _set_aside(decision: Decision | None) -> Decision | None:
    """Return the decision on what waits for another ruling: none, or to keep how it was changed."""
    if decision is None or decision.edited is None:
        return None
    return decision.model_copy(update={"verdict": Verdict.DEFER})
