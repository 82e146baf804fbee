"""Measures spans, and passes each whole tree on when its outermost span has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from agents.telemetry.spans import NO_RECORDS, MeasuredOperation, Span, SpanOutcome, SpanRecords
from stores.errors import IllegalTransition, InputError, NotFound

TakeTrace = Callable[[Span], None]
"""Takes in a tree of spans that has ended."""


class TraceFeed:
    """Passes every trace on to whoever subscribed, in order."""

    def __init__(self) -> None:
        self._listeners: list[TakeTrace] = []

    def subscribe(self, take_trace: TakeTrace) -> Callable[[], None]:
        """Add a listener. Calling the returned function removes it."""
        self._listeners.append(take_trace)
        return lambda: self._listeners.remove(take_trace)

    def publish(self, trace: Span) -> None:
        for listener in tuple(self._listeners):
            listener(trace)


_open_span: Final[ContextVar[Span | None]] = ContextVar("open_span", default=None)
"""What is being measured in this task."""

_REFUSALS: Final = (InputError, IllegalTransition, NotFound)
"""Errors that say that what was asked makes no sense: nothing is wrong with the program."""


class SpanRecorder:
    """Implements `Telemetry`. `timer` and `now` give seconds: of any clock, and since 1970."""

    def __init__(
        self,
        take_trace: TakeTrace,
        *,
        timer: Callable[[], float] = time.perf_counter,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._take_trace = take_trace
        self._timer = timer
        self._now = now

    @contextmanager
    def span(
        self, operation: MeasuredOperation, kind: str = "", records: SpanRecords = NO_RECORDS
    ) -> Iterator[Span]:
        span = Span(operation, kind, records, self._now())
        outer_token, started_at = _open_span.set(span), self._timer()
        try:
            yield span
        except BaseException as error:
            span.error_type = type(error).__name__
            if span.outcome is SpanOutcome.DONE:  # whoever measures may know better
                span.outcome = outcome_of(error)
            raise
        finally:
            span.seconds, span.has_ended = self._timer() - started_at, True
            _open_span.reset(outer_token)
            self.record(span)

    def record(self, span: Span) -> None:
        """Add it to the open span; to none, if a task goes on after what began it has ended."""
        outer_span = _open_span.get()
        if outer_span is None or outer_span.has_ended:
            self._take_trace(span)
        else:
            outer_span.children.append(span)


def outcome_of(error: BaseException) -> SpanOutcome:
    """Return how a span ended that raised this."""
    if isinstance(error, _REFUSALS):
        return SpanOutcome.REFUSED
    if isinstance(error, asyncio.CancelledError):
        return SpanOutcome.CANCELLED
    return SpanOutcome.FAILED
