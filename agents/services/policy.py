"""The house as screens and commands see it: rules by kind with the GM's own figures, predicates, undoing."""

from __future__ import annotations

from asyncio import gather

from agents.canon_keeper.change_kinds import PLURALS, describe_kind, parse_kind
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.universe_policy import DecisionTally, RuleSuggestion, suggest_rules
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.dispatcher import Dispatcher
from agents.resolver.resolver import Resolver
from agents.services.conflicts import Courtroom
from agents.services.manual_edits import ByHand
from agents.views.conflict_views import KindPolicyView, PolicyView
from agents.views.world_views import StagedEdits
from agents.world_time.moments import format_record_time
from stores.ports import CanonReader, LogReader
from stores.records.ids import Clock, Id
from stores.records.workflow import Decision, KindPolicy, KindRule, ProposalStatus, Verdict

OFTEN = 5
"""Decisions from which a part of a kind is listed, so that a rule for it is one key away."""


class HouseDesk:
    """See `agents.views.conflict_views.BenchHouse`. Stateless."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        resolver: Resolver,
        court: Courtroom,
        by_hand: ByHand,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._resolver = resolver
        self._court = court
        self._by_hand = by_hand
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    async def read(self, universe_id: Id) -> PolicyView:
        """Rules, figures and offers by kind, predicates, and the record of rulings."""
        universe, laid_down, tallies, predicates, rulings = await gather(
            self._canon.universe(universe_id),
            self._keeper.policies.read_rules(universe_id),
            self._keeper.policies.read_tallies(universe_id),
            self._keeper.policies.read_predicates(universe_id),
            self._court.rulings(universe_id),
        )
        rules = {rule.kind: rule for rule in laid_down}
        offers = {offer.kind: offer for offer in suggest_rules(tallies, rules)}
        often = {kind for kind, tally in tallies.items() if tally.decided_count >= OFTEN}
        kinds = sorted({*PLURALS, *rules, *offers, *often}, key=_place)
        views = tuple(_kind(k, rules.get(k), tallies.get(k), offers.get(k)) for k in kinds)
        return PolicyView(universe, views, predicates, rulings)

    async def set_rule(self, universe_id: Id, kind: str, rule: KindRule | None) -> str:
        """Lay down the rule for a kind (`state_change`, `state_change:hp`), or with None take it back;
        returns the kind as it is kept.
        """
        kind = parse_kind(kind)
        async with self._dispatcher.exclusive():
            await self._keeper.policies.set_rule(universe_id, kind, rule)
        self._events.publish(ProposalsChanged(universe_id, None))
        return kind

    async def set_predicates(self, universe_id: Id, text: str) -> int:
        """Check and keep the universe's own predicates; returns how many there are. Raises InputError that
        names the line that is wrong.
        """
        async with self._dispatcher.exclusive():
            own = await self._keeper.policies.set_predicates(universe_id, text)
        self._events.publish(ProposalsChanged(universe_id, None))
        return len(own)

    async def undo(self, proposal_id: Id) -> StagedEdits:
        """Take back what a commit did with a proposal: what undoes it waits at the gate."""
        async with self._dispatcher.exclusive():
            undoing = await self._keeper.undo_planner.plan_undo(proposal_id, await self._title(proposal_id))
            await self._resolver.stage(undoing.proposals)
            if undoing.closed_proposal.status is ProposalStatus.REJECTED:
                # Policy kept it out, and would again: only a word of the GM's lets it in.
                accept = Decision(verdict=Verdict.ACCEPT, by="gm", at=self._clock(), reason="Taken back.")
                await self._keeper.decide([p.id for p in undoing.proposals], accept)
        closed = undoing.closed_proposal
        self._events.publish(ProposalsChanged(closed.universe_id, closed.scene_id))
        return await self._by_hand.staged(undoing.proposals)

    async def _title(self, proposal_id: Id) -> str:
        found = await self._log.proposals_by_id([proposal_id])
        rows = await self._keeper.build_views(list(found.values()))
        return rows[0].title if rows else ""


def _kind(
    kind: str, rule: KindPolicy | None, tally: DecisionTally | None, offer: RuleSuggestion | None
) -> KindPolicyView:
    return KindPolicyView(
        kind=kind,
        words=describe_kind(kind),
        rule=rule.rule if rule else None,
        by=("you" if rule.by == "gm" else rule.by) if rule else "",
        at=format_record_time(rule.at) if rule else "",
        accepted=tally.accepted_count if tally else 0,
        decided=tally.decided_count if tally else 0,
        offered=offer.rule if offer else None,
    )


def _place(kind: str) -> tuple[int, str]:
    """Kinds stand in the order of the catalogue of changes, each before its parts."""
    whole, _, part = kind.partition(":")
    order = list(PLURALS)
    return order.index(whole) if whole in order else len(order), part
