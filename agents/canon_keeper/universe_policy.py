"""Stores one universe's own policy: rulings, rules by kind, predicates and budget.

Rules by kind are suggested from the GM's decisions, and are set by the GM alone.
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.canon_policy import KindRules
from agents.canon_keeper.conflicts.precedents import Precedents
from agents.canon_keeper.predicates import Catalogue, extend_catalogue
from agents.proposals.decisions import BY_POLICY, BY_RULING
from agents.proposals.kinds import kinds_of, parse_kind
from stores.errors import InputError
from stores.ports import CanonKeeperLog
from stores.queries import ProposalQuery
from stores.records.ids import Clock, Id
from stores.records.workflow import (
    GatePolicy,
    KindPolicy,
    KindRule,
    ProposalStatus,
    Verdict,
)

MIN_DECISIONS = 20
"""Decisions of one kind from which a rule may be offered."""

SUGGESTION_SHARE = 0.95
"""Share of accepted ones from which auto-accept is offered; of rejected ones, auto-reject."""

MAX_RECENT_PROPOSALS = 2_000
"""Closed proposals that are looked at."""


class UniversePolicy(NamedTuple):
    precedents: Precedents
    rules: KindRules
    catalogue: Catalogue


ReadCatalogue = Callable[[Id], Awaitable[Catalogue]]
"""Gives the predicates of a universe."""

ReadPolicy = Callable[[Id], Awaitable[UniversePolicy]]
"""Gives what holds in a universe."""


@dataclass(frozen=True, slots=True)
class RuleSuggestion:
    """A rule that the GM's own decisions suggest: `accepted_count` of `decided_count` of this kind."""

    kind: str
    rule: KindRule
    accepted_count: int
    decided_count: int


class DecisionTally(NamedTuple):
    """How often the GM accepted, of how many that the GM decided."""

    accepted_count: int
    decided_count: int


class PolicyStore:
    """Reads and writes the policy of each universe."""

    def __init__(self, log: CanonKeeperLog, base: Catalogue, clock: Clock) -> None:
        self._log = log
        self._base = base
        self._clock = clock
        self._catalogues_by_text: dict[str, Catalogue] = {"": base}

    async def read_policy(self, universe_id: Id) -> UniversePolicy:
        """Return what holds in the universe. Raises StoreError."""
        rulings, policy = await gather(self._log.rulings(universe_id), self._log.policy(universe_id))
        if policy is None:
            return UniversePolicy(Precedents(rulings), {}, self._base)
        rules = {kind.kind: kind.rule for kind in policy.kinds}
        return UniversePolicy(Precedents(rulings), rules, self._extended_catalogue(policy.predicates))

    async def read_catalogue(self, universe_id: Id) -> Catalogue:
        """Return the predicates of the universe: the bundled ones, overridden by its own."""
        policy = await self._log.policy(universe_id)
        return self._base if policy is None else self._extended_catalogue(policy.predicates)

    # --- rules by kind --------------------------------------------------------------------------------

    async def read_rules(self, universe_id: Id) -> tuple[KindPolicy, ...]:
        """Return the rules by kind, with who set them and when."""
        policy = await self._log.policy(universe_id)
        return policy.kinds if policy else ()

    async def set_rule(self, universe_id: Id, kind: str, rule: KindRule | None, *, by: str = "gm") -> None:
        """Set the rule for a kind (`state_change`, `state_change:hp`), or remove it with None.

        Raises InputError for what is no kind of change.
        """
        kind = parse_kind(kind)
        policy = await self._stored_policy(universe_id)
        others = tuple(k for k in policy.kinds if k.kind != kind)
        new = (KindPolicy(kind=kind, rule=rule, by=by, at=self._clock()),) if rule else ()
        await self._log.put_policy(policy.model_copy(update={"kinds": (*others, *new)}))

    async def set_budget(self, universe_id: Id, micros: int | None) -> None:
        """Set what the model may cost in this universe, in millionths of a US dollar (None: no limit)."""
        policy = await self._stored_policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"budget": micros}))

    async def set_weekly_tokens(self, universe_id: Id, tokens: int | None) -> None:
        """Set how many tokens a model may use in this universe in a week (None: as the settings have it)."""
        policy = await self._stored_policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"weekly_tokens": tokens}))

    async def set_share(self, universe_id: Id, share: int) -> None:
        """Set how many of its jobs are done in the background for one of a universe with the share 1."""
        policy = await self._stored_policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"share": share}))

    async def read_tallies(self, universe_id: Id) -> dict[str, DecisionTally]:
        """Return how the GM decided what commits closed lately, by kind and by kind with its part.

        Mere colour counts as rejected; what policy decided, or carried out a ruling, does not count.
        """
        closed_proposals = await self._log.proposals(
            ProposalQuery(
                universe_id=universe_id,
                statuses=(ProposalStatus.ACCEPTED, ProposalStatus.REJECTED),
                last=MAX_RECENT_PROPOSALS,
            )
        )
        decided_counts, accepted_counts = Counter[str](), Counter[str]()
        for proposal in closed_proposals:
            decision = proposal.decision
            is_by_gm = decision is not None and decision.by not in (BY_POLICY, BY_RULING)
            if decision is not None and is_by_gm and decision.verdict not in (Verdict.DEFER, Verdict.UNDO):
                decided_counts.update(kinds_of(proposal))
                if decision.verdict is Verdict.ACCEPT:
                    accepted_counts.update(kinds_of(proposal))
        return {
            kind: DecisionTally(accepted_counts[kind], count)
            for kind, count in sorted(decided_counts.items())
        }

    # --- predicates of its own ------------------------------------------------------------------------

    async def read_predicates(self, universe_id: Id) -> str:
        """Return the YAML that the universe lays over the bundled catalogue."""
        return (await self._stored_policy(universe_id)).predicates

    async def set_predicates(self, universe_id: Id, text: str) -> frozenset[str]:
        """Check and store the universe's own predicates.

        Returns the names that differ from the bundled catalogue. Raises InputError that
        names the line.
        """
        try:
            catalogue = extend_catalogue(self._base, text)
        except InputError as error:
            kept_message = "This world's kinds of fact are unchanged."
            raise InputError(
                error.what, kept=kept_message, todo="Correct that line and save again."
            ) from None
        policy = await self._stored_policy(universe_id)
        await self._log.put_policy(policy.model_copy(update={"predicates": text}))
        bundled = self._base.predicates
        return frozenset(n for n, p in catalogue.predicates.items() if bundled.get(n) != p)

    def _extended_catalogue(self, text: str) -> Catalogue:
        if text not in self._catalogues_by_text:
            try:
                self._catalogues_by_text[text] = extend_catalogue(self._base, text)
            except InputError:
                # It was checked when it was kept: a later program may know a name otherwise.
                self._catalogues_by_text[text] = self._base
        return self._catalogues_by_text[text]

    async def _stored_policy(self, universe_id: Id) -> GatePolicy:
        return await self._log.policy(universe_id) or GatePolicy(id=universe_id, universe_id=universe_id)


def suggest_rules(tallies: Mapping[str, DecisionTally], ruled_kinds: Collection[str]) -> list[RuleSuggestion]:
    """Return the rules that these figures suggest, beside those that are set. Pure."""
    suggestions = [
        RuleSuggestion(kind, rule, *tally)
        for kind, tally in tallies.items()
        if kind not in ruled_kinds and (rule := _suggested_rule(tally)) is not None
    ]
    whole_kinds = {suggestion.kind for suggestion in suggestions} | set(ruled_kinds)
    return [o for o in suggestions if ":" not in o.kind or o.kind.partition(":")[0] not in whole_kinds]


def _suggested_rule(tally: DecisionTally) -> KindRule | None:
    if tally.decided_count < MIN_DECISIONS:
        return None
    if tally.accepted_count >= tally.decided_count * SUGGESTION_SHARE:
        return KindRule.ACCEPT
    return (
        KindRule.REJECT
        if tally.decided_count - tally.accepted_count >= tally.decided_count * SUGGESTION_SHARE
        else None
    )
