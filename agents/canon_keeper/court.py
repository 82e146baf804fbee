"""The court: a held proposal and the fact it meets, both with their evidence, and the six ways to settle it.

A ruling becomes an order: decisions on what is proposed and a few proposals of the GM's own. These go
through the same commit as all else; nothing else writes canon. Ticks are minutes of world time.
Source: design/authority.md, "A conflict opens the court".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agents.canon_keeper.decisions import OPEN, UNCHANGED, refuse_closed
from agents.canon_keeper.orders import Side, Terms, Which, draft, open_to
from agents.canon_keeper.policy import Judgement
from agents.canon_keeper.precedents import pair_of, ruling_id, side_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.results import CommitResult
from agents.views import ConflictView
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonReader
from stores.records.canon import Evidence, Fact, Standing
from stores.records.ids import Clock, Id
from stores.records.ledger import CourtRuling, Decision, ProposedChange, Ruling, Verdict

__all__ = ["Court", "Hearing", "Order"]


@dataclass(frozen=True, slots=True)
class Hearing:
    """Both sides of a conflict. `other_proposal` is set when what it meets is not in canon either.

    `rulings` are those that can be made of this pair; `shared` names the entities that both are about,
    by id: one of them may turn out to be two.
    """

    proposal: ProposedChange
    claim: Fact
    other: Fact
    catalogue: Catalogue
    conflict: ConflictView
    claim_evidence: tuple[Evidence, ...] = ()
    other_evidence: tuple[Evidence, ...] = ()
    other_proposal: ProposedChange | None = None
    rulings: tuple[CourtRuling, ...] = ()
    shared: Mapping[Id, str] = field(default_factory=dict)

    def sides(self) -> tuple[Side, Side]:
        """Return the new one and the one it meets."""
        return (
            Side(self.claim, self.proposal, self.claim_evidence),
            Side(self.other, self.other_proposal, self.other_evidence),
        )


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be staged, what is to be decided, and what will be remembered.

    The decisions are on the proposals that are there already; what is staged is accepted with them, and
    comes before the proposal `last`, which meets what that leaves.
    """

    ruling: Ruling
    decisions: Mapping[Id, Decision]
    staged: tuple[ProposedChange, ...]
    last: Id


Commit = Callable[[Sequence[ProposedChange], str, Id], Awaitable[CommitResult]]
"""Commits accepted proposals of a universe for a reason."""


class Sighting(NamedTuple):
    """A proposal weighed among the open ones: what it claims, and which proposal would bring which fact."""

    judgement: Judgement
    claim: Fact | None
    proposed: Mapping[Id, ProposedChange]
    catalogue: Catalogue


Look = Callable[[ProposedChange], Awaitable[Sighting]]


class Court:
    """Hears conflicts and rules on them. Stateless: rulings are in the log."""

    def __init__(
        self,
        canon: CanonReader,
        log: CanonKeeperLog,
        clock: Clock,
        look: Look,
        commit: Commit,
    ) -> None:
        self._canon = canon
        self._log = log
        self._clock = clock
        self._look = look
        self._commit = commit

    async def hear(self, proposal_id: Id, other_id: Id | None = None) -> Hearing:
        """Return both sides of a held proposal's conflict: with `other_id`, or its first.

        Raises InputError if the proposal is closed or meets nothing that could be ruled on.
        """
        found = await self._log.proposals_by_id([proposal_id])
        if proposal_id not in found:
            raise InputError(f"There is no proposal {proposal_id}.", kept=UNCHANGED)
        proposal = found[proposal_id]
        refuse_closed(proposal, None, alone=True)
        seen = await self._look(proposal)
        claim = seen.claim
        met = [c for c in seen.judgement.conflicts if c.other is not None and other_id in (None, c.other.id)]
        if claim is None or not met or met[0].other is None:
            raise InputError(
                "It meets nothing that a ruling could settle.",
                kept=UNCHANGED,
                todo="Accept it, reject it, or change it.",
            )
        other = met[0].other
        rival = seen.proposed.get(other.id)
        ids = {i.entity_id for i in claim.involves} & {i.entity_id for i in other.involves}
        names = {e.id: e.name for e in (await self._canon.entities_by_id(ids)).values()}
        hearing = Hearing(
            proposal=proposal,
            claim=claim,
            other=other,
            conflict=met[0],
            claim_evidence=proposal.evidence,
            other_evidence=rival.evidence if rival else tuple(await self._canon.evidence_of(other.id)),
            other_proposal=rival,
            catalogue=seen.catalogue,
            shared={i.entity_id: names[i.entity_id] for i in claim.involves if i.entity_id in names},
        )
        return replace(hearing, rulings=open_to(met[0].rule, *hearing.sides(), list(hearing.shared)))

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
        return Order(remembered, decisions, tuple(drafted.staged), hearing.proposal.id)

    async def rule(self, order: Order) -> CommitResult:
        """Remember the ruling, decide as it says, and commit. Doing it twice is doing it once.

        Raises InputError if what the order stages is not there, StoreError like any commit.
        """
        ids = [*order.decisions, *(p.id for p in order.staged)]
        stored = await self._log.proposals_by_id(ids)
        if len(stored) < len(ids):
            raise InputError("What the ruling needs is not staged yet.", kept=UNCHANGED)
        waiting = [stored[i] for i in ids if stored[i].status in OPEN]
        accept = Decision(
            verdict=Verdict.ACCEPT, by=order.ruling.by, at=order.ruling.at, reason=order.ruling.reason
        )
        decisions = {p.id: order.decisions.get(p.id, accept) for p in waiting}
        for proposal in waiting:
            refuse_closed(proposal, decisions[proposal.id], alone=True)
        await self._log.put_ruling(order.ruling)
        await self._log.decide(decisions)
        first = [p for p in waiting if p.id != order.last]
        ordered = [*first, *(p for p in waiting if p.id == order.last)]
        return await self._commit(ordered, f"ruling: {order.ruling.ruling}", order.ruling.universe_id)
