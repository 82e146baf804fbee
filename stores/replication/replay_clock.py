"""A clock for server adapters, so that a write that is sent late is dated when it was made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from stores.records.ids import Clock


class ReplayClock:
    """The time of day, or within `set_to` the time that was given.

    Log and canon are sent one write at a time, so one time at a time is enough.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._moment: datetime | None = None

    def __call__(self) -> datetime:
        return self._moment or self._clock()

    def time_of_day(self) -> datetime:
        """Return the time of day, whatever is being sent late meanwhile."""
        return self._clock()

    @contextmanager
    def set_to(self, moment: datetime) -> Iterator[None]:
        self._moment = moment
        try:
            yield
        finally:
            self._moment = None
