"""Hearings: an open proposal, all that it meets, and both statements of each conflict with their evidence.

It writes nothing. Source: design/authority.md, "A conflict opens the court: both statements with their
evidence".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agents.canon_keeper.decisions import UNCHANGED, refuse_closed
from agents.canon_keeper.describe import describe
from agents.canon_keeper.orders import Side, open_to
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.weighing import Weighed, Weighing
from agents.views import ConflictView
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import Evidence, Fact
from stores.records.ids import Id
from stores.records.ledger import CourtRuling, ProposedChange


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
class Docket:
    """All that a proposal meets, and a hearing for each fact that is among it, by that fact; `seen` is
    everything that is open, weighed."""

    proposal: ProposedChange
    title: str
    conflicts: tuple[ConflictView, ...]
    heard: Mapping[Id, Hearing]
    seen: Weighed


class Hearings:
    """Reads both sides. Stateless."""

    def __init__(self, canon: CanonReader, log: LogReader, weighing: Weighing) -> None:
        self._canon = canon
        self._log = log
        self._weighing = weighing

    async def hear(self, proposal_id: Id, other_id: Id | None = None) -> Hearing:
        """Return both sides of a held proposal's conflict: with `other_id`, or its first.

        Raises InputError if the proposal is closed or meets nothing that could be ruled on.
        """
        for hearing in (await self.docket(proposal_id)).heard.values():
            if other_id in (None, hearing.other.id):
                return hearing
        raise InputError(
            "It meets nothing that a ruling could settle.",
            kept=UNCHANGED,
            todo="Accept it, reject it, or change it.",
        )

    async def docket(self, proposal_id: Id) -> Docket:
        """Return all that an open proposal meets, with a hearing for each fact that it meets.

        Raises InputError if the proposal is not there or is closed.
        """
        found = await self._log.proposals_by_id([proposal_id])
        if proposal_id not in found:
            raise InputError(f"There is no proposal {proposal_id}.", kept=UNCHANGED)
        proposal = found[proposal_id]
        refuse_closed(proposal, None, alone=True)
        seen = await self._weighing.weigh_open(proposal.universe_id)
        findings = seen.checked.findings[proposal_id]
        # A proposal may meet one fact in two ways: the ruling on the first settles both.
        conflicts: dict[object, ConflictView] = {}
        for conflict in (*findings.conflicts, *findings.alike):
            conflicts.setdefault(conflict.other.id if conflict.other else id(conflict), conflict)
        heard = {
            c.other.id: await self._hearing(proposal, findings.fact, c.other, c, seen)
            for c in conflicts.values()
            if c.other is not None and findings.fact is not None
        }
        title = describe(proposal, findings, seen.checked.entities, seen.house.catalogue).title
        return Docket(proposal, title, tuple(conflicts.values()), heard, seen)

    async def _hearing(
        self, proposal: ProposedChange, claim: Fact, other: Fact, conflict: ConflictView, seen: Weighed
    ) -> Hearing:
        rival = seen.checked.proposed.get(other.id)
        ids = {i.entity_id for i in claim.involves} & {i.entity_id for i in other.involves}
        names = {e.id: e.name for e in (await self._canon.entities_by_id(ids)).values()}
        hearing = Hearing(
            proposal=proposal,
            claim=claim,
            other=other,
            conflict=conflict,
            claim_evidence=proposal.evidence,
            other_evidence=rival.evidence if rival else tuple(await self._canon.evidence_of(other.id)),
            other_proposal=rival,
            catalogue=seen.house.catalogue,
            shared={i.entity_id: names[i.entity_id] for i in claim.involves if i.entity_id in names},
        )
        return replace(hearing, rulings=open_to(conflict.rule, *hearing.sides(), list(hearing.shared)))
