"""One machine at a time: taking the library on its servers, keeping it with signs of life, giving it back.

A term that its holder no longer beats for can be ended by the next one's beginning. Whoever was held up
(asleep, cut off) finds the newer term before it sends anything more, and keeps what it has to itself.
Source: stores/embedded/lock.py, of which this is the likeness across machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from stores.errors import LibraryInUse, StoreError
from stores.mirror.marks import Beat, Holder, LogMarks, Term
from stores.records.ids import Clock

BEAT = 15.0
"""Seconds between signs of life."""

EXPIRES = 45.0
"""Seconds without one, after which another machine may begin a term."""

_SKEW = 60.0
"""Seconds by which two machines' clocks may differ before it is the clocks that need words."""


class Taken(StoreError):
    """Another machine has begun a term: nothing of ours may go to the servers any more."""

    code = "Taken"


class Tenure:
    """Our terms of one library. `number` is the term that is held (0: none)."""

    def __init__(self, marks: LogMarks, me: Holder, clock: Clock) -> None:
        self.number = 0
        self._marks = marks
        self._me = me
        self._clock = clock
        self._sure_at: datetime | None = None

    def is_current(self, terms: Sequence[Term], since: int) -> bool:
        """Whether nobody else has held the library after term `since`."""
        return all(t.holder.is_of(self._me) for t in terms if t.number > since)

    async def begin(self, terms: Sequence[Term]) -> int:
        """Begin the term after all of `terms`, and return its number.

        Raises LibraryInUse, naming who has it.
        """
        if terms and not terms[-1].holder.is_of(self._me):
            self._refuse_if_alive(terms[-1], await self._marks.last_beat())
        number = terms[-1].number + 1 if terms else 1
        stands = await self._marks.begin(Term(number=number, holder=self._me, since=self._clock()))
        if not stands.holder.is_of(self._me):
            raise _in_use(stands, 0.0)
        self.number = number
        await self._beat(over=False)
        return number

    async def make_sure(self) -> None:
        """Look whether the term is still the last one, unless that was seen just now. Raises Taken."""
        if self._sure_at is None or abs((self._clock() - self._sure_at).total_seconds()) >= BEAT:
            await self.renew()

    async def renew(self) -> None:
        """Look whether the term is still the last one, and give a sign of life. Raises Taken."""
        newer = await self._marks.term(self.number + 1)
        if newer is not None:
            raise Taken(
                f"MONITOR on {newer.holder.host} has had this library since {_when(newer.since)}.",
                kept="What was played here since stays in the home folder.",
                todo="Close MONITOR here or there; on opening, it says what can be done.",
            )
        await self._beat(over=False)

    async def end(self) -> None:
        """Say that the library is closed here."""
        if self.number and await self._marks.term(self.number + 1) is None:
            await self._beat(over=True)

    async def _beat(self, *, over: bool) -> None:
        now = self._clock()
        await self._marks.beat(Beat(number=self.number, over=over, at=now))
        self._sure_at = now

    def _refuse_if_alive(self, last: Term, beat: Beat | None) -> None:
        if beat is not None and beat.number == last.number and beat.over:
            return
        seen = beat.at if beat is not None and beat.number == last.number else last.since
        age = (self._clock() - seen).total_seconds()
        if age < -_SKEW:
            raise LibraryInUse(
                f"MONITOR on {last.holder.host} had this library last, by its clock {-age:.0f} s from now.",
                kept="Nothing was changed.",
                todo="Set the clocks of both machines, then try again.",
            )
        if age < EXPIRES:
            raise _in_use(last, age)


def _in_use(term: Term, age: float) -> LibraryInUse:
    return LibraryInUse(
        f"MONITOR on {term.holder.host} (process {term.holder.process}) has this library open"
        f" since {_when(term.since)}; it was last seen {max(age, 0):.0f} s ago.",
        kept="Nothing was changed.",
        todo=f"Close it there first. If it died, try again in {max(EXPIRES - age, 1):.0f} s.",
    )


def _when(moment: datetime) -> str:
    return f"{moment.astimezone():%H:%M on %d %b}"
