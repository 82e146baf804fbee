"""Defines what is measured of the program's work: spans, which nest, and the port that takes them in.

A span says what was done on which records, how long it took and how it ended. It has no field for text: nothing that a
player, a model or a document said can be in one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from stores.records.ids import Id


class MeasuredOperation(StrEnum):
    """What is measured. The value is the name of the span."""

    MODE = "mode"
    """The session moved to another mode of the menu."""
    EXCHANGE = "exchange"
    """A line of the story, from Enter to the reply."""
    COMMAND = "command"
    """Anything else that is done in a scene."""
    STEP = "narration.step"
    SEAL = "resolver.seal"
    """The Resolver rolled and sealed a result."""
    COMMIT = "canon_keeper.commit"
    CANON_WRITE = "canon_keeper.write"
    """The CanonKeeper wrote a planned batch to canon, and closed over it."""
    MODEL_CALL = "llm.call"
    JOB = "job"
    """A piece of a background job."""
    WORK = "job.work"
    """The same piece, as the process behind play did it."""
    WRITE_BACK = "job.write_back"
    """The process behind play waited for the program to write, or to embed."""
    LOOP = "loop"
    """A loop ran from its beginning to its end."""


class ExchangeKind(StrEnum):
    """Whether a model answered a line."""

    PLAIN = "plain"
    NARRATED = "narrated"


class SpanOutcome(StrEnum):
    """How a span ended. REFUSED: what was asked made no sense; POSTPONED: it cannot be done now."""

    DONE = "done"
    REFUSED = "refused"
    POSTPONED = "postponed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class SpanRecords(NamedTuple):
    """The records that a span is about, by identifier; empty: none."""

    universe_id: Id = ""
    story_id: Id = ""
    scene_id: Id = ""
    run_id: Id = ""
    """The run of an exchange."""
    subject_id: Id = ""
    """The subject of a job."""


NO_RECORDS: Final = SpanRecords()


@dataclass(slots=True)
class Span:
    """One thing that was done. It may be changed until it ends."""

    operation: MeasuredOperation
    kind: str = ""
    """Which of them, in one of the program's own words: a step, a persona, a kind of job."""
    records: SpanRecords = NO_RECORDS
    started_at: float = 0.0
    """In seconds since 1970."""
    seconds: float = 0.0
    outcome: SpanOutcome = SpanOutcome.DONE
    error_type: str = ""
    """The class of what was raised."""
    amount: int = 0
    """What it counts: the changes of a commit, the tokens of a call."""
    waited_seconds: float | None = None
    """How long a job that was ready waited for its turn."""
    has_ended: bool = False
    children: list[Span] = field(default_factory=list)

    def walk(self) -> Iterator[Span]:
        """Yield this span and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


class Telemetry(Protocol):
    """Takes in what is done. It never raises, and never delays what it measures."""

    def span(
        self, operation: MeasuredOperation, kind: str = "", records: SpanRecords = NO_RECORDS
    ) -> AbstractContextManager[Span]:
        """Measure what is done meanwhile, as a part of what is being measured around it."""
        ...

    def record(self, span: Span) -> None:
        """Add a span that was measured elsewhere to what is being measured."""
        ...


class NoTelemetry:
    """Implements `Telemetry`, and takes nothing in."""

    @contextmanager
    def span(
        self, operation: MeasuredOperation, kind: str = "", records: SpanRecords = NO_RECORDS
    ) -> Iterator[Span]:
        yield Span(operation, kind, records)

    def record(self, span: Span) -> None:
        return


NO_TELEMETRY: Final = NoTelemetry()
