"""The clerk of the court: conflicts heard and ruled on, promises kept, house rules laid down, in lines.

What the screens will show in full is here for the prompt and for scripts: `/court`, `/promises`, `/paid`,
`/rules`. Everything passes the CanonKeeper's gate. Source: design/authority.md; design/interface.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agents.canon_keeper.court import Hearing
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.context import ContextAssembly
from agents.messages import CanonCommitted, EventBus, ProposalsChanged
from agents.orchestrator.ledger import Ledger
from agents.resolver.resolver import Resolver
from agents.views import CommitReport, ProposalView
from agents.world_views import Staged
from stores.errors import InputError
from stores.records.canon import Evidence, Standing
from stores.records.ids import Id
from stores.records.ledger import CourtRuling, KindRule, ProposedChange


class _Word(NamedTuple):
    """A ruling by the word that is typed for it."""

    ruling: CourtRuling
    meaning: str
    standing: Standing = Standing.RUMOUR


RULINGS = {
    "new": _Word(CourtRuling.FROM_NOW, "the new one holds from now on"),
    "never": _Word(CourtRuling.NEW, "the old one was never so"),
    "old": _Word(CourtRuling.OLD, "the old one stands"),
    "rumour": _Word(CourtRuling.BOTH, "both stand, the new one as a rumour"),
    "lie": _Word(CourtRuling.BOTH, "both stand, the new one as a lie", Standing.LIE),
    "until": _Word(CourtRuling.BOUNDED, "the old one held until now"),
    "split": _Word(CourtRuling.SPLIT, "they are about different things; name the other"),
}


class Clerk:
    """Stateless: rulings, promises and rules are in the stores."""

    def __init__(
        self,
        keeper: CanonKeeper,
        resolver: Resolver,
        context: ContextAssembly,
        ledger: Ledger,
        events: EventBus,
    ) -> None:
        self._keeper = keeper
        self._resolver = resolver
        self._context = context
        self._ledger = ledger
        self._events = events

    async def hear(self, row: ProposalView) -> tuple[str, ...]:
        """Return both sides of a held proposal's conflict, and the rulings that can be made.

        Raises InputError if it meets nothing.
        """
        hearing = await self._keeper.court.hear(row.proposal.id)
        new, old = hearing.sides()
        lines = [f"new: {new.fact.statement}", *_because(new.evidence)]
        lines += [f"old: {old.fact.statement}", *_because(old.evidence)]
        ways = [
            f"{word} ({said.meaning})" for word, said in RULINGS.items() if said.ruling in hearing.rulings
        ]
        return (hearing.conflict.text, *lines, f"/court {row.number} " + ", or ".join(ways))

    async def rule(self, scene_id: Id, row: ProposalView, words: str) -> CommitReport:
        """Make a ruling: staged, written by the one commit, and remembered. Raises InputError."""
        word, _, rest = words.partition(" ")
        said = RULINGS.get(word.casefold())
        if said is None:
            raise InputError(
                f"{word[:40]!r} is no ruling.", kept="Nothing was changed.", todo=f"Say {', '.join(RULINGS)}."
            )
        hearing: Hearing = await self._keeper.court.hear(row.proposal.id)
        order = await self._keeper.court.order(
            hearing,
            said.ruling,
            standing=said.standing,
            name=rest.strip() if said.ruling is CourtRuling.SPLIT else "",
            # "until" is until now; the other rulings take their time from the claim itself.
            tick=(await self._context.load(scene_id)).tick if said.ruling is CourtRuling.BOUNDED else None,
        )
        await self._resolver.stage(order.staged)
        report = await self._keeper.court.rule(order)
        self._published(row.proposal, report)
        return report

    async def promises(self, scene_id: Id) -> tuple[str, ...]:
        """Return the open promises, debts and questions, the oldest first, with numbers."""
        context = await self._context.load(scene_id)
        ledger = await self._ledger.read(context.universe.id, scene_id)
        return tuple(entry.line for entry in ledger.open)

    async def pay(self, scene_id: Id, number: int) -> Staged:
        """Propose that a promise is kept, on the evidence of the turn that play stands on."""
        context = await self._context.load(scene_id)
        open_ones = (await self._ledger.read(context.universe.id, scene_id)).open
        if not 1 <= number <= len(open_ones):
            raise InputError(
                "There is no such promise.",
                kept="Nothing was staged.",
                todo="/promises lists them with numbers.",
            )
        return await self._ledger.pay_off(open_ones[number - 1].fact.fact.id, scene_id)

    async def rules(self, universe_id: Id) -> tuple[str, ...]:
        """Return the house rules by kind, and those that the GM's own decisions suggest."""
        laid_down = await self._keeper.houses.rules(universe_id)
        offers = await self._keeper.houses.offers(universe_id)
        return (
            *(f"{held.kind}: {held.rule}" for held in laid_down),
            *(
                f"offered: /rules {o.kind} {o.rule}  (you accepted {o.accepted} of {o.decided})"
                for o in offers
            ),
        )

    async def set_rule(self, universe_id: Id, kind: str, word: str) -> None:
        """Lay down a house rule for a kind of proposal; `off` takes it back. Raises InputError."""
        known = {rule.value: rule for rule in KindRule}
        if word != "off" and word not in known:
            raise InputError(
                f"{word[:40]!r} is no rule.",
                kept="Nothing was changed.",
                todo=f"Say {', '.join(known)} or off.",
            )
        await self._keeper.houses.set_rule(universe_id, kind, known.get(word))
        self._events.publish(ProposalsChanged(universe_id, None))

    def _published(self, proposal: ProposedChange, report: CommitReport) -> None:
        facts = tuple(fact.id for fact in report.facts)
        failed = tuple(i for i, _ in report.failed)
        self._events.publish(
            CanonCommitted(
                report.canonization_id or "", proposal.universe_id, proposal.scene_id, facts, failed
            )
        )
        self._events.publish(ProposalsChanged(proposal.universe_id, proposal.scene_id))


def _because(evidence: Iterable[Evidence]) -> list[str]:
    quotes = [piece.quote for piece in evidence if piece.quote]
    return [f"     “{quote[:90]}”" for quote in quotes[:2]]
