"""Reads the story agenda as it stands on the line: open threads, clocks, tracks, and who matters.

Read-only. Threads come from the story journal and from commitments that are open in canon or proposed on
the line; clocks are canon's with staged changes folded in.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from agents.canon_keeper.commitments import ended_statement
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.thread_numbers import ThreadNumbers
from agents.resolver.clock_changes import apply_clock_changes
from agents.resolver.threads import build_threads, person_weights
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery
from stores.records.canon import AdvanceClock, AssertFact, EndFact, Fact, FactKind, RetconFact
from stores.records.clocks import CLOCK_PREFIX, TRACK_PREFIX, ProgressClock
from stores.records.ids import Id
from stores.records.story_journal import CharacterWeightEntry, Thread, ThreadEntry

MAX_COMMITMENTS_READ = 200
"""Open commitments that are read, the oldest first."""


@dataclass(frozen=True, slots=True)
class StoryAgenda:
    """The threads, clocks and tracks of a story, and how much each person matters."""

    threads: tuple[Thread, ...] = ()
    """Open and closed threads, the oldest first."""
    thread_numbers: Mapping[Id, int] = field(default_factory=dict)
    """The numbers by which commands name threads, if they were read; they stay the same while the scene is open."""
    commitments: Mapping[Id, Fact] = field(default_factory=dict)
    """The commitments among the threads, by fact."""
    payoff_proposal_ids: Mapping[Id, Id] = field(default_factory=dict)
    """The proposals that settle commitments, by fact."""
    unmet_statements: tuple[str, ...] = ()
    """What ends unmet by a proposal on the line, in words (`Broken: ...`)."""
    clocks: tuple[ProgressClock, ...] = ()
    """Clocks and tracks, including closed ones."""
    person_weights: Mapping[Id, int] = field(default_factory=dict)
    """How much each person matters, where the story journal says so."""

    def find_thread(self, number: int) -> Thread | None:
        """Return the thread that a number means; None for one that is settled or undone, or never was."""
        return next((t for t in self.threads if self.thread_numbers[t.id] == number), None)

    @property
    def open_clocks(self) -> tuple[ProgressClock, ...]:
        return tuple(clock for clock in self.clocks if not clock.closed and not clock.is_track)

    @property
    def open_tracks(self) -> tuple[ProgressClock, ...]:
        return tuple(clock for clock in self.clocks if not clock.closed and clock.is_track)


class StoryAgendaReader:
    """Reads the agenda of a story."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self.canon = canon
        self._thread_numbers = ThreadNumbers(canon, log)

    async def read_numbered_agenda(
        self, context: SceneContext, agenda: StoryAgenda | None = None
    ) -> StoryAgenda:
        """Return the agenda at the scene's head (read already, if it is given), with the numbers of its threads."""
        agenda = agenda or await self.read_agenda(context)
        numbers = await self._thread_numbers.number_threads(context, agenda.threads)
        return replace(agenda, thread_numbers=numbers)

    async def read_agenda(self, context: SceneContext) -> StoryAgenda:
        """Return the agenda at the scene's head."""
        universe_id = context.universe.id
        commitments, clocks, tracks = await gather(
            self.canon.facts(universe_id, FactQuery(kind=FactKind.COMMITMENT, limit=MAX_COMMITMENTS_READ)),
            self.canon.facts(universe_id, FactQuery(prefix=CLOCK_PREFIX)),
            self.canon.facts(universe_id, FactQuery(prefix=TRACK_PREFIX)),
        )
        dropped_fact_ids = {
            c.fact_id for c in _staged_changes(context) if isinstance(c, RetconFact) and not c.restore
        }
        dropped_fact_ids |= {
            c.fact_id for c in _staged_changes(context) if isinstance(c, EndFact) and not c.closed
        }
        all_commitments = (*commitments, *read_staged_commitments(context))
        commitments_by_id = {f.id: f for f in all_commitments if f.id not in dropped_fact_ids}
        unmet_statements = tuple(
            ended_statement(fact, change.unmet_ending)
            for change in _staged_changes(context)
            if isinstance(change, EndFact) and not change.closed
            for fact in all_commitments
            if fact.id == change.fact_id
        )
        payoffs_by_fact = {
            p.change.fact_id: p
            for p in context.staged_proposals
            if isinstance(p.change, EndFact) and p.change.fact_id in commitments_by_id
        }
        commitment_threads = [
            Thread(
                id=fact.id,
                story_id=context.story.id,
                name=fact.statement.rstrip("."),
                since=fact.valid_from,
                closed_at=(payoffs_by_fact[fact.id].tick or context.tick)
                if fact.id in payoffs_by_fact
                else None,
                fact_id=fact.id,
            )
            for fact in commitments_by_id.values()
        ]
        entries = context.story_entries
        thread_entries = [entry for entry in entries if isinstance(entry, ThreadEntry)]
        return StoryAgenda(
            threads=build_threads(thread_entries, commitment_threads, context.story.id),
            unmet_statements=unmet_statements,
            commitments=commitments_by_id,
            payoff_proposal_ids={fact_id: proposal.id for fact_id, proposal in payoffs_by_fact.items()},
            clocks=apply_clock_changes(
                (_read_clock(fact) for fact in (*clocks, *tracks)),
                (c for c in _staged_changes(context) if isinstance(c, AdvanceClock)),
            ),
            person_weights=person_weights(
                entry for entry in entries if isinstance(entry, CharacterWeightEntry)
            ),
        )


def _staged_changes(context: SceneContext) -> Iterator[object]:
    return (proposal.change for proposal in context.staged_proposals)


def read_staged_commitments(context: SceneContext) -> Iterator[Fact]:
    """Yield the staged commitments as the facts that they would become."""
    for proposal in context.staged_proposals:
        change = proposal.change
        if isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT:
            yield fact_from_assertion(proposal, change)


def _read_clock(fact: Fact) -> ProgressClock:
    """Return the clock of a fact; a fact without clock data gets six steps, or as many as its value."""
    if fact.clock is not None:
        return fact.clock
    filled_steps = fact.value if isinstance(fact.value, int) and not isinstance(fact.value, bool) else 0
    name = fact.predicate.partition(":")[2] or fact.predicate
    return ProgressClock(name=name, filled=max(0, filled_steps), size=max(6, filled_steps))
