"""The lease on a library on servers, so that one machine at a time plays in it.

The holder writes heartbeats; without them, another machine may begin the next lease. A machine that was asleep
or cut off finds the newer lease before it sends anything more, and stops sending. On one machine,
`stores/embedded/process_lock.py` does the same for processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from stores.errors import LibraryInUse, StoreError
from stores.records.ids import Clock
from stores.replication.library_marks import Lease, LeaseHeartbeat, LeaseHolder, LogMarks

HEARTBEAT_SECONDS = 15.0
"""Seconds between heartbeats."""

EXPIRY_SECONDS = 45.0
"""Seconds without a heartbeat after which another machine may begin a lease."""

_MAX_CLOCK_SKEW = 60.0
"""Seconds by which two machines' clocks may differ before the error is about the clocks."""


class LeaseTaken(StoreError):
    """Another machine has begun a lease: this one may not send to the servers any more."""

    code = "Taken"


class LeaseKeeper:
    """Begins, renews and releases the lease. `number` is that of the lease that is held (0: none)."""

    def __init__(self, marks: LogMarks, holder: LeaseHolder, clock: Clock) -> None:
        self.number = 0
        self._marks = marks
        self._holder = holder
        self._clock = clock
        self._checked_at: datetime | None = None

    def is_current(self, leases: Sequence[Lease], since_number: int) -> bool:
        """Return whether nobody else has held a lease after number `since_number`."""
        return all(t.holder.is_same_replica(self._holder) for t in leases if t.number > since_number)

    async def begin(self, leases: Sequence[Lease]) -> int:
        """Begin the lease after all of `leases`, and return its number.

        Raises LibraryInUse, naming who has the library.
        """
        if leases and not leases[-1].holder.is_same_replica(self._holder):
            self._refuse_if_alive(leases[-1], await self._marks.read_last_heartbeat())
        number = leases[-1].number + 1 if leases else 1
        current_lease = await self._marks.begin_lease(
            Lease(number=number, holder=self._holder, since=self._clock())
        )
        if not current_lease.holder.is_same_replica(self._holder):
            raise _in_use_error(current_lease, 0.0)
        self.number = number
        await self._send_heartbeat(over=False)
        return number

    async def require_held(self) -> None:
        """Check that the lease is still the last one, unless that was checked just now. Raises LeaseTaken."""
        if (
            self._checked_at is None
            or abs((self._clock() - self._checked_at).total_seconds()) >= HEARTBEAT_SECONDS
        ):
            await self.renew()

    async def renew(self) -> None:
        """Check that the lease is still the last one, and write a heartbeat. Raises LeaseTaken."""
        newer_lease = await self._marks.read_lease(self.number + 1)
        if newer_lease is not None:
            raise LeaseTaken(
                f"MONITOR on {newer_lease.holder.host} has had this library since {_format_time(newer_lease.since)}.",
                kept="What was played here since stays in the home folder.",
                todo="Close MONITOR here or there; on opening, it says what can be done.",
            )
        await self._send_heartbeat(over=False)

    async def release(self) -> None:
        """End the lease: the library is closed here."""
        if self.number and await self._marks.read_lease(self.number + 1) is None:
            await self._send_heartbeat(over=True)

    async def _send_heartbeat(self, *, over: bool) -> None:
        now = self._clock()
        await self._marks.write_heartbeat(LeaseHeartbeat(number=self.number, over=over, at=now))
        self._checked_at = now

    def _refuse_if_alive(self, last_lease: Lease, heartbeat: LeaseHeartbeat | None) -> None:
        if heartbeat is not None and heartbeat.number == last_lease.number and heartbeat.over:
            return
        seen_at = (
            heartbeat.at
            if heartbeat is not None and heartbeat.number == last_lease.number
            else last_lease.since
        )
        age = (self._clock() - seen_at).total_seconds()
        if age < -_MAX_CLOCK_SKEW:
            raise LibraryInUse(
                f"MONITOR on {last_lease.holder.host} had this library last, by its clock {-age:.0f} s from now.",
                kept="Nothing was changed.",
                todo="Set the clocks of both machines, then try again.",
            )
        if age < EXPIRY_SECONDS:
            raise _in_use_error(last_lease, age)


def _in_use_error(lease: Lease, age: float) -> LibraryInUse:
    return LibraryInUse(
        f"MONITOR on {lease.holder.host} (process {lease.holder.process}) has this library open"
        f" since {_format_time(lease.since)}; it was last seen {max(age, 0):.0f} s ago.",
        kept="Nothing was changed.",
        todo=f"Close it there first. If it died, try again in {max(EXPIRY_SECONDS - age, 1):.0f} s.",
    )


def _format_time(moment: datetime) -> str:
    return f"{moment.astimezone():%H:%M on %d %b}"
