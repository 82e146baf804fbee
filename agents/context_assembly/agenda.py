"""What drives the story on by itself, as it stands on the line: open threads, clocks, tracks, who matters.

Reads every store and writes none. Threads come from the story's books and, by themselves, from the
commitments that are open in canon or proposed on the line; clocks are canon's with what is staged folded in.
Source: design/product.md, "Solo procedures"; design/ontology.md, "Working state".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agents.canon_keeper.fact_claims import fact_id_of
from agents.context_assembly.context import SceneContext
from agents.resolver.clocks import apply_clock_changes
from agents.resolver.threads import build_threads, person_weights
from stores.ports import CanonReader
from stores.records.canon import AdvanceClock, AssertFact, EndFact, Fact, FactKind, RetconFact
from stores.records.clocks import CLOCK, TRACK, ProgressClock
from stores.records.ids import Id
from stores.records.threads import PersonEntry, Thread, ThreadEntry

MOST_MATTERS = 200
"""Open commitments that are read, the oldest first."""


@dataclass(frozen=True, slots=True)
class Agenda:
    """`threads` with the closed ones, in the order of their numbers; `matters` are the commitments among
    them, `payoffs` the proposals that pay those off; `clocks` with tracks and with what is closed; `weights`
    how much the people matter of whom the books say so."""

    threads: tuple[Thread, ...] = ()
    matters: Mapping[Id, Fact] = field(default_factory=dict)
    payoffs: Mapping[Id, Id] = field(default_factory=dict)
    clocks: tuple[ProgressClock, ...] = ()
    weights: Mapping[Id, int] = field(default_factory=dict)

    @property
    def running(self) -> tuple[ProgressClock, ...]:
        """The open clocks."""
        return tuple(clock for clock in self.clocks if not clock.closed and not clock.is_track)

    @property
    def tracks(self) -> tuple[ProgressClock, ...]:
        """The open tracks."""
        return tuple(clock for clock in self.clocks if not clock.closed and clock.is_track)


class Agendas:
    """Works agendas out. Stateless and read-only."""

    def __init__(self, canon: CanonReader) -> None:
        self._canon = canon

    async def of(self, context: SceneContext) -> Agenda:
        """Return what is open as play stands."""
        universe_id = context.universe.id
        commitments, clocks, tracks = await gather(
            self._canon.facts(universe_id, kind=FactKind.COMMITMENT, limit=MOST_MATTERS),
            self._canon.facts(universe_id, prefix=CLOCK),
            self._canon.facts(universe_id, prefix=TRACK),
        )
        gone = {c.fact_id for c in _changes(context) if isinstance(c, RetconFact) and not c.restore}
        gone |= {c.fact_id for c in _changes(context) if isinstance(c, EndFact) and not c.closed}
        matters = {f.id: f for f in (*commitments, *_proposed(context)) if f.id not in gone}
        paid = {
            p.change.fact_id: p
            for p in context.staged
            if isinstance(p.change, EndFact) and p.change.fact_id in matters
        }
        shown = [
            Thread(
                id=fact.id,
                story_id=context.story.id,
                name=fact.statement.rstrip("."),
                since=fact.valid_from,
                closed_at=(paid[fact.id].tick or context.tick) if fact.id in paid else None,
                fact_id=fact.id,
            )
            for fact in matters.values()
        ]
        entries = context.entries
        kept = [entry for entry in entries if isinstance(entry, ThreadEntry)]
        return Agenda(
            threads=build_threads(kept, shown, context.story.id),
            matters=matters,
            payoffs={fact_id: proposal.id for fact_id, proposal in paid.items()},
            clocks=apply_clock_changes(
                (_clock(fact) for fact in (*clocks, *tracks)),
                (c for c in _changes(context) if isinstance(c, AdvanceClock)),
            ),
            weights=person_weights(entry for entry in entries if isinstance(entry, PersonEntry)),
        )


def _changes(context: SceneContext) -> Iterator[object]:
    return (proposal.change for proposal in context.staged)


def _proposed(context: SceneContext) -> Iterator[Fact]:
    """Yield the commitments that are staged, as the facts that they would become."""
    for proposal in context.staged:
        change = proposal.change
        if isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT:
            yield Fact(
                id=fact_id_of(proposal),
                universe_id=proposal.universe_id,
                kind=change.fact_kind,
                predicate=change.predicate,
                statement=change.statement,
                involves=change.involves,
                valid_from=proposal.tick if change.valid_from is None else change.valid_from,
                proposal_id=proposal.id,
                recorded_at=proposal.created_at,
            )


def _clock(fact: Fact) -> ProgressClock:
    """Return the clock that a fact tells of; one that somebody wrote by hand has six steps or as many as
    it takes."""
    if fact.clock is not None:
        return fact.clock
    filled = fact.value if isinstance(fact.value, int) and not isinstance(fact.value, bool) else 0
    name = fact.predicate.partition(":")[2] or fact.predicate
    return ProgressClock(name=name, filled=max(0, filled), size=max(6, filled))
