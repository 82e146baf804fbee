"""Identifiers and clocks. New identifiers are ordered by time; derived ones are the same at every retry."""

from __future__ import annotations

import random
import secrets
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

Id = str
"""A UUID in its canonical text form. Text sorts like time for version 7."""

Clock = Callable[[], datetime]
"""Returns the present time in UTC. Injected, so that tests and seeded runs control it."""

_NAMESPACE = uuid.UUID("6f1b0c52-3a57-5d0e-9a41-9d1f6c6d6f6e")


_ORDERED_LENGTH = len("00000000-0000-7000")
"""How much of the text of a UUID of version 7 says when it was made (RFC 9562, 5.7)."""


class IdGenerator(Protocol):
    """Makes new time-ordered identifiers and new seeds."""

    def new(self) -> Id: ...

    def seed(self) -> int: ...


def derive_id(kind: str, *parts: object) -> Id:
    """Return the one identifier that `kind` and `parts` always give (UUID version 5)."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join((kind, *map(str, parts)))))


def derive_ordered_id(kind: str, origin_id: Id) -> Id:
    """Return the one identifier that `kind` and `origin_id` always give, which sorts beside `origin_id`.

    What is written together then stands together in an index: identifiers that sort anywhere each need a page of it.
    """
    return origin_id[:_ORDERED_LENGTH] + derive_id(kind, origin_id)[_ORDERED_LENGTH:]


def utc_now() -> datetime:
    return datetime.now(UTC)


class SystemIdGenerator:
    """UUID version 7 from the system's clock and randomness; strictly rising within one process."""

    def __init__(self, clock: Clock = utc_now) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last_stamp = 0

    def new(self) -> Id:
        with self._lock:
            self._last_stamp = max(int(self._clock().timestamp() * 1000) << 12, self._last_stamp + 1)
            return _uuid7(self._last_stamp, secrets.randbits(62))

    def seed(self) -> int:
        return secrets.randbits(63)


class SeededIdGenerator:
    """The same identifiers and seeds in the same order, every time, from one seed.

    Not for two runs into one library: give each run another `salt`.
    """

    def __init__(self, seed: int, clock: Clock, salt: str = "") -> None:
        self._random = random.Random(f"{seed}/{salt}")
        self._clock = clock
        self._last_stamp = 0

    def new(self) -> Id:
        self._last_stamp = max(int(self._clock().timestamp() * 1000) << 12, self._last_stamp + 1)
        return _uuid7(self._last_stamp, self._random.getrandbits(62))

    def seed(self) -> int:
        return self._random.getrandbits(63)


class ForwardClock:
    """A clock that never goes back, whatever the one behind it does: what was done last has the latest time.

    Undo, branches and the order of decisions go by the time of records. After a clock was set back, times go on from
    the latest one at their usual pace.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = timedelta()
        self._latest = datetime.min.replace(tzinfo=UTC)
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        with self._lock:
            now = self._clock() + self._ahead
            if now < self._latest:
                later = self._latest + timedelta(microseconds=1)
                self._ahead += later - now
                now = later
            self._latest = now
            return now

    def go_on_from(self, moment: datetime) -> None:
        """Be later than `moment` from now on."""
        with self._lock:
            self._latest = max(self._latest, moment)


class SteppingClock:
    """A clock that advances one second with each call: record times stay ordered and reproducible."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


def _uuid7(stamp: int, tail: int) -> Id:
    """Lay out 48 bits of milliseconds, 12 bits of sequence and 62 random bits as RFC 9562 says."""
    high = ((stamp >> 12) & (1 << 48) - 1) << 16 | 0x7000 | (stamp & 0xFFF)
    return str(uuid.UUID(int=high << 64 | 0b10 << 62 | tail))
