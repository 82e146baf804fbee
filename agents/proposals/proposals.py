"""Builds, stages and announces proposals: the one place where a `ProposedChange` is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from agents.events import EventBus, ProposalsChanged
from agents.proposals.evidence import typed_evidence
from stores.records.canon import Authority, Evidence, Payload
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Turn
from stores.records.workflow import Decision, ProposalStatus, ProposedChange


@dataclass(frozen=True, slots=True)
class ProposalSite:
    """Where in a library a change is proposed."""

    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    """The scene at whose gate the proposal waits; None for the gate of its universe."""
    turn_id: Id | None = None
    """The turn that must be on its scene's line for the proposal to count; None for the scene itself."""
    unless_turn: Id | None = None
    """The turn that must be off its scene's line for the proposal to count."""
    tick: int | None = None
    """World time that the proposal is made at; None for no time in particular."""


class ProposalStagingLog(Protocol):
    """The part of the Resolver's log that stages proposals."""

    async def stage(self, proposals: Sequence[ProposedChange]) -> None: ...


class Proposals:
    """Proposes changes: builds each proposal, stages it in the log and publishes that proposals changed."""

    def __init__(self, log: ProposalStagingLog, ids: IdGenerator, clock: Clock, events: EventBus) -> None:
        self._log = log
        self._ids = ids
        self._clock = clock
        self._events = events

    def build(
        self,
        change: Payload,
        quote: str,
        authority: Authority,
        site: ProposalSite,
        *,
        turn: Turn | None = None,
        evidence: Sequence[Evidence] = (),
        critical: bool = False,
        is_quotation: bool = True,
    ) -> ProposedChange:
        """Build a proposal that rests on the words typed on `turn`, and on `evidence`.

        The words are no quotation if they say in the program's words what was done.
        """
        proposal_id = self._ids.new()
        act = typed_evidence(proposal_id, quote, turn)
        return build_proposal(
            proposal_id,
            change,
            (act.model_copy(update={"is_quotation": is_quotation}), *evidence),
            authority,
            site,
            self._clock(),
            critical=critical,
        )

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        """Stage proposals that are built already, and publish the change at each of their gates.

        Staging the same proposals again stores them once. Raises StoreError.
        """
        await self.stage_ahead_of_turn(proposals)
        for universe_id, scene_id in dict.fromkeys((p.universe_id, p.scene_id) for p in proposals):
            self._events.publish(ProposalsChanged(universe_id, scene_id))

    async def stage_ahead_of_turn(self, proposals: Sequence[ProposedChange]) -> None:
        """Stage proposals of a turn that the timeline does not have yet; they have no effect until it does.

        Whoever adds the turn to the timeline publishes ProposalsChanged. Raises StoreError.
        """
        if proposals:
            await self._log.stage(proposals)


def build_proposal(
    proposal_id: Id,
    change: Payload,
    evidence: Sequence[Evidence],
    authority: Authority,
    site: ProposalSite,
    created_at: datetime,
    *,
    critical: bool = False,
    weight: int | None = None,
    decision: Decision | None = None,
) -> ProposedChange:
    """Build a proposal whose identifier is chosen by the caller: one that is derived survives a retry."""
    return ProposedChange(
        id=proposal_id,
        universe_id=site.universe_id,
        story_id=site.story_id,
        scene_id=site.scene_id,
        turn_id=site.turn_id,
        unless_turn=site.unless_turn,
        payload=change,
        evidence=tuple(evidence),
        authority=authority,
        tick=site.tick,
        critical=critical,
        weight=weight,
        decision=decision,
        is_fact_id_ordered=True,
        created_at=created_at,
    )


def renew_proposal(proposal: ProposedChange, proposal_id: Id, created_at: datetime) -> ProposedChange:
    """Return a closed proposal as a new one that is undecided, with the same change and evidence."""
    return proposal.model_copy(
        update={
            "id": proposal_id,
            "created_at": created_at,
            "status": ProposalStatus.PENDING,
            "decision": None,
            "canonization_id": None,
            "error": "",
        }
    )
