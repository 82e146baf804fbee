"""What one universe lays down for its own gate: rulings, rules by kind, predicates of its own.

Rules by kind are offered from the GM's own decisions, never taken unasked.
Source: design/authority.md, "Canon policy"; design/product.md, "Gate fatigue".
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.claims import fact_id_of
from agents.canon_keeper.decisions import POLICY, UNCHANGED
from agents.canon_keeper.policy import KindRules, kinds_of
from agents.canon_keeper.precedents import Precedents
from agents.canon_keeper.predicates import Catalogue, extended
from stores.errors import InputError
from stores.ports import CanonKeeperLog
from stores.records.canon import CreateEntity, RetconFact
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import (
    HousePolicy,
    KindPolicy,
    KindRule,
    ProposalStatus,
    ProposedChange,
    Verdict,
)

ENOUGH = 20
"""Decisions of one kind from which a rule may be offered."""

NEARLY_ALL = 0.95
"""Share of accepted ones from which auto-accept is offered; of rejected ones, auto-reject."""

RECENT = 2_000
"""Closed proposals that are looked at."""


class House(NamedTuple):
    precedents: Precedents
    rules: KindRules
    catalogue: Catalogue


ReadHouse = Callable[[Id], Awaitable[House]]
"""Gives what holds in a universe."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule that the GM's own decisions suggest: `accepted` of `decided` of this kind."""

    kind: str
    rule: KindRule
    accepted: int
    decided: int


class Houses:
    """Reads and writes what universes lay down."""

    def __init__(self, log: CanonKeeperLog, base: Catalogue, ids: IdMaker, clock: Clock) -> None:
        self._log = log
        self._base = base
        self._ids = ids
        self._clock = clock
        self._extended: dict[str, Catalogue] = {"": base}

    async def read(self, universe_id: Id) -> House:
        """Return what holds in the universe. Raises StoreError."""
        rulings, policy = await gather(self._log.rulings(universe_id), self._log.policy(universe_id))
        if policy is None:
            return House(Precedents(rulings), {}, self._base)
        rules = {kind.kind: kind.rule for kind in policy.kinds}
        return House(Precedents(rulings), rules, self._catalogue(policy.predicates))

    # --- rules by kind --------------------------------------------------------------------------------

    async def rules(self, universe_id: Id) -> tuple[KindPolicy, ...]:
        """Return the rules by kind, with who set them and when."""
        policy = await self._log.policy(universe_id)
        return policy.kinds if policy else ()

    async def set_rule(self, universe_id: Id, kind: str, rule: KindRule | None, *, by: str = "gm") -> None:
        """Lay down the rule for a kind (`state_change`, `state_change:hp`), or with None take it back."""
        policy = await self._policy(universe_id)
        others = tuple(k for k in policy.kinds if k.kind != kind)
        new = (KindPolicy(kind=kind, rule=rule, by=by, at=self._clock()),) if rule else ()
        await self._log.put_policy(policy.model_copy(update={"kinds": (*others, *new)}))

    async def offers(self, universe_id: Id) -> list[Offer]:
        """Return the rules that the GM's own decisions suggest and that are not laid down yet.

        Mere colour counts as rejected; what policy decided does not count. Where a whole kind is
        decided alike, its parts are not offered one by one.
        """
        closed = await self._log.proposals(
            universe_id=universe_id, statuses=(ProposalStatus.ACCEPTED, ProposalStatus.REJECTED), last=RECENT
        )
        decided, accepted = Counter[str](), Counter[str]()
        for proposal in closed:
            decision = proposal.decision
            if decision is not None and decision.by != POLICY and decision.verdict is not Verdict.DEFER:
                decided.update(kinds_of(proposal))
                if decision.verdict is Verdict.ACCEPT:
                    accepted.update(kinds_of(proposal))
        known = {k.kind for k in await self.rules(universe_id)}
        offers = [
            Offer(kind, rule, accepted[kind], count)
            for kind, count in sorted(decided.items())
            if kind not in known and (rule := _suggested(accepted[kind], count)) is not None
        ]
        whole = {offer.kind: offer.rule for offer in offers} | dict.fromkeys(known)
        return [o for o in offers if ":" not in o.kind or o.kind.partition(":")[0] not in whole]

    def undone(self, proposal: ProposedChange) -> ProposedChange:
        """Return a proposal that undoes what policy decided when a commit closed: what it accepted is
        retconned, what it rejected is proposed again. Stage it. An open one is simply decided.

        Raises InputError if policy did not decide it or it is still open.
        """
        decision = proposal.decision
        if decision is None or decision.by != POLICY:
            raise InputError("That was not decided by policy.", kept=UNCHANGED)
        fresh = {"id": self._ids.new(), "created_at": self._clock(), "status": ProposalStatus.PENDING}
        again = proposal.model_copy(update={**fresh, "decision": None, "canonization_id": None, "error": ""})
        if proposal.status is ProposalStatus.REJECTED:
            return again
        if proposal.status is ProposalStatus.ACCEPTED:
            return again.model_copy(update={"payload": RetconFact(fact_id=_made_by(proposal))})
        raise InputError("It is still open: decide it.", kept=UNCHANGED)

    # --- predicates of its own ------------------------------------------------------------------------

    async def predicates(self, universe_id: Id) -> str:
        """Return the YAML that the universe lays over the bundled catalogue."""
        return (await self._policy(universe_id)).predicates

    async def set_predicates(self, universe_id: Id, text: str) -> Catalogue:
        """Check and keep the universe's own predicates. Raises InputError that names the line."""
        catalogue = extended(self._base, text)
        policy = await self._policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"predicates": text}))
        return catalogue

    def _catalogue(self, text: str) -> Catalogue:
        if text not in self._extended:
            try:
                self._extended[text] = extended(self._base, text)
            except InputError:
                # It was checked when it was kept: a later program may know a name otherwise.
                self._extended[text] = self._base
        return self._extended[text]

    async def _policy(self, universe_id: Id) -> HousePolicy:
        return await self._log.policy(universe_id) or HousePolicy(id=universe_id, universe_id=universe_id)


def _suggested(accepted: int, decided: int) -> KindRule | None:
    if decided < ENOUGH:
        return None
    if accepted >= decided * NEARLY_ALL:
        return KindRule.ACCEPT
    return KindRule.REJECT if decided - accepted >= decided * NEARLY_ALL else None


def _made_by(proposal: ProposedChange) -> Id:
    """Return the fact or entity that an accepted proposal became."""
    change = proposal.change
    return change.entity_id if isinstance(change, CreateEntity) else fact_id_of(proposal)
