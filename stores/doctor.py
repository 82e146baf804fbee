"""What `monitor doctor` checks: that each role may write only what it is granted, and that the data are whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol

from stores.authority import Role, Store


class AttemptOutcome(StrEnum):
    """The result of trying a write that a role may not make.

    `REFUSED`: the store itself refused. `REFUSED_HERE`: it has no roles, and this program refused. `PASSED`:
    nothing refused it; it was rolled back. `UNTRIED`: there was nothing to try it on.
    """

    REFUSED = "refused"
    REFUSED_HERE = "refused here"
    PASSED = "passed"
    UNTRIED = "untried"


class Attempt(NamedTuple):
    """One write that the role may not make (None: nobody may), and the result of trying it."""

    role: Role | None
    store: Store
    what: str
    outcome: AttemptOutcome


class DoctorFinding(NamedTuple):
    """The result of one check. `state` is ok, a warning that does no harm yet, or bad."""

    what: str
    state: Literal["ok", "warning", "bad"]
    says: str


class Doctor(Protocol):
    """Checks the stores without changing them."""

    def attempts(self) -> AsyncIterator[Attempt]:
        """Try, as every role, everything that the write matrix does not grant it."""
        ...

    def findings(self) -> AsyncIterator[DoctorFinding]:
        """Check everything that is stored."""
        ...
