"""Weighing proposals: canon and house rules read once, every check run, and what policy makes of it.

It writes nothing. Source: design/authority.md, "Canon policy", "Contradictions".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.canon_keeper.contradictions import Checked, check
from agents.canon_keeper.decisions import OPEN
from agents.canon_keeper.house import House, Houses
from agents.canon_keeper.merges import Merges
from agents.canon_keeper.naming import named_facts
from agents.canon_keeper.policy import Findings, Judgement, KindRules, judge
from agents.canon_keeper.rows import row
from agents.canon_keeper.snapshot import CanonSnapshot, read_snapshot
from agents.views import ProposalView
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.ledger import ProposedChange, Ruling


@dataclass(frozen=True, slots=True)
class Weighed:
    """What was read, what the checks found, and what policy makes of each proposal."""

    house: House
    canon: CanonSnapshot
    checked: Checked
    judgements: Mapping[Id, Judgement]


class Weighing:
    """Reads and checks; stateless."""

    def __init__(self, canon: CanonReader, log: LogReader, houses: Houses, merges: Merges) -> None:
        self._canon = canon
        self._log = log
        self._houses = houses
        self._merges = merges

    async def weigh(
        self,
        proposals: Sequence[ProposedChange],
        universe_id: Id,
        *,
        rules: KindRules | None = None,
        ruled: Sequence[Ruling] = (),
        closed: Sequence[ProposedChange] = (),
        for_commit: bool = False,
    ) -> Weighed:
        """Check the proposals against canon and each other; the `closed` ones are only read for showing.

        `rules` by kind are the universe's own if none are given; `ruled` are rulings that count beside
        those that are remembered. Raises StoreError.
        """
        house = await self._houses.read(universe_id)
        if ruled:
            house = house._replace(precedents=house.precedents.and_also(ruled))
        canon = await read_snapshot(
            self._canon, house.catalogue, universe_id, proposals, closed=closed, for_commit=for_commit
        )
        if gains := await self._merges.gains(proposals):
            canon = replace(canon, gains=gains)
        checked = check(proposals, canon, house.catalogue, house.precedents)
        rules = house.rules if rules is None else rules
        found = {p.id: judge(p, checked.findings[p.id], rules) for p in proposals}
        return Weighed(house, canon, checked, found)

    async def weigh_open(
        self,
        universe_id: Id,
        *,
        instead: Iterable[ProposedChange] = (),
        last: Collection[Id] = (),
        ruled: Sequence[Ruling] = (),
    ) -> Weighed:
        """Weigh all that is open in a universe: some of it as it is `instead` (and with it what is not
        staged yet), and those in `last` after all others."""
        changed = {p.id: p for p in instead}
        waiting = await self._log.proposals(universe_id=universe_id, statuses=OPEN)
        known = {p.id for p in waiting}
        new = [p for i, p in changed.items() if i not in known]
        ordered = [*new, *(changed.get(p.id, p) for p in waiting)]
        return await self.weigh(sorted(ordered, key=lambda p: p.id in last), universe_id, ruled=ruled)

    async def views(
        self,
        proposals: Sequence[ProposedChange],
        *,
        turn_numbers: Mapping[Id, int] | None = None,
        rules: KindRules | None = None,
    ) -> tuple[ProposalView, ...]:
        """Return the proposals as rows draw them, numbered from 1 in the order given.

        Those that a commit closed are shown as they ended, and weigh nothing.
        """
        if not proposals:
            return ()
        weighed = [p for p in proposals if p.status in OPEN]
        closed = [p for p in proposals if p.status not in OPEN]
        seen = await self.weigh(weighed, proposals[0].universe_id, rules=rules, closed=closed)
        facts = {fact.id: fact for fact in seen.canon.facts}
        numbers = turn_numbers or {}

        def findings(proposal: ProposedChange) -> Findings:
            named = (facts[i] for i in named_facts(proposal.change) if i in facts)
            return seen.checked.findings.get(proposal.id) or Findings(ends=tuple(named))

        return tuple(
            row(
                number,
                proposal,
                seen.judgements.get(proposal.id),
                findings(proposal),
                seen.checked.entities,
                seen.house.catalogue,
                turn_number=numbers.get(proposal.turn_id) if proposal.turn_id else None,
            )
            for number, proposal in enumerate(proposals, start=1)
        )
