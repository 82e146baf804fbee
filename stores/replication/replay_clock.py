"""The servers' clock: what is sent late is dated when it was made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from stores.records.ids import Clock


class ReplayClock:
    """A clock to open server adapters with. Within `at`, it stands at that moment.

    Writes to the servers of truth go one at a time, so there is one moment at a time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._moment: datetime | None = None

    def __call__(self) -> datetime:
        return self._moment or self._clock()

    @contextmanager
    def set_to(self, moment: datetime) -> Iterator[None]:
        self._moment = moment
        try:
            yield
        finally:
            self._moment = None
