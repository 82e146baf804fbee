"""The policy of a universe for screens and commands: rules by kind with the GM's own figures, predicates, undo."""

from __future__ import annotations

from asyncio import gather

from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.universe_policy import DecisionTally, RuleSuggestion, suggest_rules
from agents.context_assembly.scene_context import is_scene_end_turn
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.dispatcher import Dispatcher
from agents.proposals.decisions import gm_decision
from agents.proposals.kinds import CHANGE_KINDS, describe_kind, parse_kind
from agents.proposals.proposals import Proposals
from agents.services.conflicts import ConflictService
from agents.views.conflict_views import KindPolicyView, PolicyView
from agents.views.world_views import ProposedUndo
from agents.world_time.moments import format_record_time
from stores.ports import CanonReader, LogReader
from stores.records.ids import Clock, Id
from stores.records.play import Turn
from stores.records.workflow import Decision, KindPolicy, KindRule, ProposalStatus, Verdict

MIN_LISTED_DECISIONS = 5
"""Decisions from which a part of a kind is listed, so that a rule for it can be set."""


class PolicyService:
    """Reads and changes a universe's policy."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        proposals: Proposals,
        conflicts: ConflictService,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._proposals = proposals
        self._conflicts = conflicts
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    async def read_policy(self, universe_id: Id) -> PolicyView:
        """Return rules, figures and suggestions by kind, predicates, and the rulings."""
        universe, kind_policies, tallies, predicates, rulings = await gather(
            self._canon.universe(universe_id),
            self._keeper.policies.read_rules(universe_id),
            self._keeper.policies.read_tallies(universe_id),
            self._keeper.policies.read_predicates(universe_id),
            self._conflicts.list_rulings(universe_id),
        )
        rules = {rule.kind: rule for rule in kind_policies}
        suggestions_by_kind = {suggestion.kind: suggestion for suggestion in suggest_rules(tallies, rules)}
        often_decided = {
            kind for kind, tally in tallies.items() if tally.decided_count >= MIN_LISTED_DECISIONS
        }
        kinds = sorted({*CHANGE_KINDS, *rules, *suggestions_by_kind, *often_decided}, key=_kind_order)
        views = tuple(
            _build_kind_view(k, rules.get(k), tallies.get(k), suggestions_by_kind.get(k)) for k in kinds
        )
        return PolicyView(universe, views, predicates, rulings)

    async def set_rule(self, universe_id: Id, kind: str, rule: KindRule | None) -> str:
        """Set the rule for a kind (`state_change`, `state_change:hp`), or remove it with None.

        Returns the kind as it is stored.
        """
        kind = parse_kind(kind)
        async with self._dispatcher.exclusive():
            await self._keeper.policies.set_rule(universe_id, kind, rule)
        self._events.publish(ProposalsChanged(universe_id, None))
        return kind

    async def set_predicates(self, universe_id: Id, text: str) -> int:
        """Check and store the universe's own predicates; return how many there are.

        Raises InputError that names the line that is wrong.
        """
        async with self._dispatcher.exclusive():
            predicates = await self._keeper.policies.set_predicates(universe_id, text)
        self._events.publish(ProposalsChanged(universe_id, None))
        return len(predicates)

    async def propose_undo(self, proposal_id: Id) -> ProposedUndo:
        """Propose to undo what a commit did with a proposal; it waits at the gate.

        What the GM rejected is undecided again; what policy rejected is accepted.
        """
        async with self._dispatcher.exclusive():
            undo_plan = await self._keeper.undo_planner.plan_undo(
                proposal_id, await self._read_title(proposal_id)
            )
            closed_proposal = undo_plan.closed_proposal
            undo_proposals = undo_plan.proposals
            if closed_proposal.turn_id is not None and (
                last_turn := await self._read_last_play_turn(closed_proposal.scene_id)
            ):
                # Proposed again on the turn that play stands on, as what is declared there.
                undo_proposals = tuple(
                    p.model_copy(update={"turn_id": last_turn.id}) if p.turn_id else p for p in undo_proposals
                )
            await self._proposals.stage(undo_proposals)
            is_rejected = closed_proposal.status is ProposalStatus.REJECTED
            is_undecided = is_rejected and gm_decision(closed_proposal) is not None
            if is_rejected and not is_undecided:
                # Policy kept it out, and would again: only a word of the GM's lets it in.
                accept = Decision(verdict=Verdict.ACCEPT, by="gm", at=self._clock(), reason="Undone.")
                await self._keeper.decide([p.id for p in undo_proposals], accept)
        self._events.publish(ProposalsChanged(closed_proposal.universe_id, closed_proposal.scene_id))
        return ProposedUndo(await self._keeper.build_views(undo_proposals), is_undecided)

    async def _read_last_play_turn(self, scene_id: Id | None) -> Turn | None:
        """Return the last turn of play of a scene, without the one that reports its end."""
        head_id = (await self._log.scene(scene_id)).head if scene_id else None
        head = await self._log.turn(head_id) if head_id else None
        if head is None or not is_scene_end_turn(head):
            return head
        return await self._log.turn(head.parent_id) if head.parent_id else None

    async def _read_title(self, proposal_id: Id) -> str:
        proposals_by_id = await self._log.proposals_by_id([proposal_id])
        rows = await self._keeper.build_views(list(proposals_by_id.values()))
        return rows[0].title if rows else ""


def _build_kind_view(
    kind: str, rule: KindPolicy | None, tally: DecisionTally | None, suggestion: RuleSuggestion | None
) -> KindPolicyView:
    return KindPolicyView(
        kind=kind,
        words=describe_kind(kind),
        rule=rule.rule if rule else None,
        by=("you" if rule.by == "gm" else rule.by) if rule else "",
        at=format_record_time(rule.at) if rule else "",
        accepted=tally.accepted_count if tally else 0,
        decided=tally.decided_count if tally else 0,
        offered=suggestion.rule if suggestion else None,
    )


def _kind_order(kind: str) -> tuple[int, str]:
    """Return the sort key of a kind: the order of the catalogue of changes, each before its parts."""
    parent_kind, _, part = kind.partition(":")
    known_kinds = list(CHANGE_KINDS)
    return known_kinds.index(parent_kind) if parent_kind in known_kinds else len(known_kinds), part
