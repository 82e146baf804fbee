"""What `monitor doctor` asks of a set of stores: that each role is held to its leave, and that all is whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol

from stores.authority import Role, Store


class AttemptOutcome(StrEnum):
    """What came of trying what a role may not do.

    `REFUSED`: the store itself said no. `REFUSED_HERE`: it has no roles, and this program said no. `PASSED`:
    nobody did; it was taken back. `UNTRIED`: there was nothing to try it on.
    """

    REFUSED = "refused"
    REFUSED_HERE = "refused here"
    PASSED = "passed"
    UNTRIED = "untried"


class Attempt(NamedTuple):
    """One thing that the role may not do (None: nobody may), and what came of it."""

    role: Role | None
    store: Store
    what: str
    outcome: AttemptOutcome


class DoctorFinding(NamedTuple):
    """One thing that was looked at. `state` is ok, a warning that does no harm yet, or bad."""

    what: str
    state: Literal["ok", "warning", "bad"]
    says: str


class Doctor(Protocol):
    """Looks and tries; whatever it does, the stores hold afterwards what they held before."""

    def attempts(self) -> AsyncIterator[Attempt]:
        """Try, as every role, everything that the write matrix does not grant it."""
        ...

    def findings(self) -> AsyncIterator[DoctorFinding]:
        """Look at everything that is kept."""
        ...
