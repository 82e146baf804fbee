"""What one universe lays down for its own gate: rulings, rules by kind, predicates of its own.

Rules by kind are offered from the GM's own decisions, never taken unasked.
Source: design/authority.md, "Canon policy"; design/product.md, "Gate fatigue".
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.decisions import COURT, POLICY
from agents.canon_keeper.kinds import kinds_of, read_kind
from agents.canon_keeper.policy import KindRules
from agents.canon_keeper.precedents import Precedents
from agents.canon_keeper.predicates import Catalogue, extended
from stores.errors import InputError
from stores.ports import CanonKeeperLog
from stores.records.ids import Clock, Id
from stores.records.ledger import (
    HousePolicy,
    KindPolicy,
    KindRule,
    ProposalStatus,
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


ReadCatalogue = Callable[[Id], Awaitable[Catalogue]]
"""Gives the predicates of a universe."""

ReadHouse = Callable[[Id], Awaitable[House]]
"""Gives what holds in a universe."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule that the GM's own decisions suggest: `accepted` of `decided` of this kind."""

    kind: str
    rule: KindRule
    accepted: int
    decided: int


class Tally(NamedTuple):
    """How often the GM accepted, of how many that the GM decided."""

    accepted: int
    decided: int


class Houses:
    """Reads and writes what universes lay down."""

    def __init__(self, log: CanonKeeperLog, base: Catalogue, clock: Clock) -> None:
        self._log = log
        self._base = base
        self._clock = clock
        self._extended: dict[str, Catalogue] = {"": base}

    async def read(self, universe_id: Id) -> House:
        """Return what holds in the universe. Raises StoreError."""
        rulings, policy = await gather(self._log.rulings(universe_id), self._log.policy(universe_id))
        if policy is None:
            return House(Precedents(rulings), {}, self._base)
        rules = {kind.kind: kind.rule for kind in policy.kinds}
        return House(Precedents(rulings), rules, self._catalogue(policy.predicates))

    async def catalogue(self, universe_id: Id) -> Catalogue:
        """Return the predicates of the universe: the bundled ones with its own over them."""
        return (await self.read(universe_id)).catalogue

    # --- rules by kind --------------------------------------------------------------------------------

    async def rules(self, universe_id: Id) -> tuple[KindPolicy, ...]:
        """Return the rules by kind, with who set them and when."""
        policy = await self._log.policy(universe_id)
        return policy.kinds if policy else ()

    async def set_rule(self, universe_id: Id, kind: str, rule: KindRule | None, *, by: str = "gm") -> None:
        """Lay down the rule for a kind (`state_change`, `state_change:hp`), or with None take it back.

        Raises InputError for what is no kind of change.
        """
        kind = read_kind(kind)
        policy = await self._policy(universe_id)
        others = tuple(k for k in policy.kinds if k.kind != kind)
        new = (KindPolicy(kind=kind, rule=rule, by=by, at=self._clock()),) if rule else ()
        await self._log.put_policy(policy.model_copy(update={"kinds": (*others, *new)}))

    async def set_budget(self, universe_id: Id, micros: int | None) -> None:
        """Say what the model may cost in this universe, in millionths of a US dollar (None: no limit)."""
        policy = await self._policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"budget": micros}))

    async def tallies(self, universe_id: Id) -> dict[str, Tally]:
        """Return how the GM decided what commits closed lately, by kind and by kind with its part.

        Mere colour counts as rejected; what policy decided, or carried out a ruling, does not count.
        """
        closed = await self._log.proposals(
            universe_id=universe_id, statuses=(ProposalStatus.ACCEPTED, ProposalStatus.REJECTED), last=RECENT
        )
        decided, accepted = Counter[str](), Counter[str]()
        for proposal in closed:
            decision = proposal.decision
            by_gm = decision is not None and decision.by not in (POLICY, COURT)
            if decision is not None and by_gm and decision.verdict is not Verdict.DEFER:
                decided.update(kinds_of(proposal))
                if decision.verdict is Verdict.ACCEPT:
                    accepted.update(kinds_of(proposal))
        return {kind: Tally(accepted[kind], count) for kind, count in sorted(decided.items())}

    async def offers(self, universe_id: Id) -> list[Offer]:
        """Return the rules that the GM's own decisions suggest and that are not laid down yet.

        Where a whole kind is decided alike, its parts are not offered one by one.
        """
        tallies, rules = await gather(self.tallies(universe_id), self.rules(universe_id))
        return offered(tallies, {k.kind for k in rules})

    # --- predicates of its own ------------------------------------------------------------------------

    async def predicates(self, universe_id: Id) -> str:
        """Return the YAML that the universe lays over the bundled catalogue."""
        return (await self._policy(universe_id)).predicates

    async def set_predicates(self, universe_id: Id, text: str) -> frozenset[str]:
        """Check and keep the universe's own predicates; returns the names that are told otherwise than in
        the bundled catalogue. Raises InputError that names the line."""
        try:
            catalogue = extended(self._base, text)
        except InputError as error:
            kept = "This world's predicates are as they were."
            raise InputError(error.what, kept=kept, todo="Mend that line and keep them again.") from None
        policy = await self._policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"predicates": text}))
        bundled = self._base.predicates
        return frozenset(n for n, p in catalogue.predicates.items() if bundled.get(n) != p)

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


def offered(tallies: Mapping[str, Tally], known: Collection[str]) -> list[Offer]:
    """Return the rules that these figures suggest, beside those that are laid down. Pure."""
    offers = [
        Offer(kind, rule, *tally)
        for kind, tally in tallies.items()
        if kind not in known and (rule := _suggested(tally)) is not None
    ]
    whole = {offer.kind for offer in offers} | set(known)
    return [o for o in offers if ":" not in o.kind or o.kind.partition(":")[0] not in whole]


def _suggested(tally: Tally) -> KindRule | None:
    if tally.decided < ENOUGH:
        return None
    if tally.accepted >= tally.decided * NEARLY_ALL:
        return KindRule.ACCEPT
    return KindRule.REJECT if tally.decided - tally.accepted >= tally.decided * NEARLY_ALL else None
