"""The clerk of the court: conflicts heard and ruled on, promises kept, house rules laid down, in lines.

What the screens show in full is here for the prompt and for scripts: `/court`, `/promises`, `/paid`,
`/rules`. All of it goes through the desk's bench.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from agents.context_assembly.scene_context import SceneContextLoader
from agents.services.commitment_ledger import Ledger
from agents.services.conflicts import Courtroom
from agents.services.policy import HouseDesk
from agents.views.conflict_views import (
    KindPolicyView,
    PolicyView,
    ProposalConflict,
    RulingOptionName,
    RulingOutcome,
    RulingRequest,
    Which,
)
from agents.views.play_views import ProposalView
from agents.views.world_views import EvidenceSource, StagedEdits
from stores.errors import InputError
from stores.records.canon import Standing
from stores.records.ids import Id
from stores.records.workflow import KindRule


class _Word(NamedTuple):
    """A ruling by the word that is typed for it."""

    way: RulingOptionName
    meaning: str
    standing: Standing = Standing.RUMOUR


WORDS = {
    "new": _Word("new", "the new one holds from now on; or say when"),
    "never": _Word("never", "the old one was never so"),
    "old": _Word("old", "the old one stands"),
    "rumour": _Word("both", "both stand, the new one as a rumour"),
    "lie": _Word("both", "both stand, the new one as a lie", Standing.LIE),
    "disputed": _Word("both", "both stand, the new one disputed", Standing.DISPUTED),
    "until": _Word("until", "the old one held until now; or say when"),
    "split": _Word("split", "they are about different things; name the other"),
    "same": _Word("same", "they are one"),
    "different": _Word("different", "they are two"),
    "accept": _Word("accept", "accept it all the same"),
    "reject": _Word("reject", "canon stays as it is"),
}
"""`old` behind `rumour`, `lie` or `disputed` makes the old one that, `new` behind `until` ends the new one,
`old:` behind `split` makes the old one be about another. The rest is the time, or the name."""


class Clerk:
    """Stateless: rulings, promises and rules are in the stores."""

    def __init__(
        self, court: Courtroom, policy: HouseDesk, context: SceneContextLoader, ledger: Ledger
    ) -> None:
        self._court = court
        self._policy = policy
        self._context = context
        self._ledger = ledger

    async def hear(self, row: ProposalView) -> tuple[str, ...]:
        """Return both sides of a proposal's first conflict, and the rulings that can be made.

        Raises InputError if it meets nothing.
        """
        case, others = await self._case(row)
        lines = [f"new: {case.new.words}", *_because(case.new.evidence)]
        if case.old is not None:
            lines += [f"old: {case.old.words}", *_because(case.old.evidence)]
        open_ways = {way.name for way in case.options}
        ways = [f"{word} ({said.meaning})" for word, said in WORDS.items() if said.way in open_ways]
        more = [f"It meets {others} more; they come after this one."] if others else []
        return (case.text, *lines, f"/court {row.number} " + ", or ".join(ways), *more)

    async def rule(self, row: ProposalView, words: str) -> RulingOutcome:
        """Make a ruling on a proposal's first conflict. Raises InputError."""
        word, _, rest = words.partition(" ")
        said = WORDS.get(word.casefold())
        if said is None:
            raise InputError(
                f"{word[:40]!r} is no ruling.", kept="Nothing was changed.", todo=f"Say {', '.join(WORDS)}."
            )
        case, _ = await self._case(row)
        return await self._court.rule(_ruling(row, case, said, rest.strip()))

    async def _case(self, row: ProposalView) -> tuple[ProposalConflict, int]:
        """Return the first conflict, and how many others there are."""
        cases = (await self._court.docket(row.proposal.id)).conflicts
        if not cases:
            raise InputError(
                "It meets nothing that a ruling could settle.",
                kept="Nothing was changed.",
                todo="Accept it, reject it, or change it.",
            )
        return cases[0], len(cases) - 1

    async def promises(self, scene_id: Id) -> tuple[str, ...]:
        """Return the open promises, debts and questions, the oldest first, with numbers."""
        context = await self._context.load_context(scene_id)
        ledger = await self._ledger.read(context.universe.id, scene_id)
        return tuple(entry.line for entry in ledger.open)

    async def pay(self, scene_id: Id, number: int) -> StagedEdits:
        """Propose that a promise is kept, on the evidence of the turn that play stands on."""
        context = await self._context.load_context(scene_id)
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
        house = await self._policy.read(universe_id)
        return tuple(_rules(house))

    async def set_rule(self, universe_id: Id, kind: str, word: str) -> None:
        """Lay down a house rule for a kind of proposal; `off` takes it back. Raises InputError."""
        known = {rule.value: rule for rule in KindRule}
        if word != "off" and word not in known:
            raise InputError(
                f"{word[:40]!r} is no rule.",
                kept="Nothing was changed.",
                todo=f"Say {', '.join(known)} or off.",
            )
        await self._policy.set_rule(universe_id, kind, known.get(word))


def _ruling(row: ProposalView, case: ProposalConflict, said: _Word, rest: str) -> RulingRequest:
    """Read what stands behind the word: which side it is, and the time or name."""
    side: Which | None = None
    # A name may begin with "Old": before it, the side takes a colon.
    word, _, more = rest.partition(":" if said.way == "split" else " ")
    if said.way in ("both", "until", "split") and word.strip().casefold() in ("new", "old"):
        side, rest = ("new" if word.strip().casefold() == "new" else "old"), more.strip()
    timed, named = said.way in ("new", "until"), said.way == "split"
    if rest and not (timed or named):
        raise InputError(
            f"{rest[:40]!r} means nothing behind that.",
            kept="Nothing was changed.",
            todo="Only new, until and split take a time or a name.",
        )
    return RulingRequest(
        row.proposal.id,
        case.against,
        said.way,
        yielding=side,
        standing=said.standing,
        name=rest if named else "",
        when=rest if timed else "",
    )


def _rules(house: PolicyView) -> Iterable[str]:
    yield from (f"{held.kind}: {held.rule}" for held in house.rules)
    yield from (_offer(kind) for kind in house.offers)


def _offer(kind: KindPolicyView) -> str:
    return f"offered: /rules {kind.kind} {kind.offered}  (you accepted {kind.accepted} of {kind.decided})"


def _because(evidence: Iterable[EvidenceSource]) -> list[str]:
    quotes = [(piece.evidence.quote, piece.place) for piece in evidence if piece.evidence.quote]
    return [f"     “{quote[:90]}”" + (f"  {place}" if place else "") for quote, place in quotes[:2]]
