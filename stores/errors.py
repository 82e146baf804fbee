"""The error classes. Each error says what happened, what was kept and what to do.

MonitorError
├── StoreError            a store could not do what was asked
│   ├── LibraryUnreadable   not a MONITOR library, damaged, or made by a newer program
│   ├── LibraryInUse        another MONITOR holds it
│   ├── StoreFull           the disk is full
│   ├── StoreUnavailable    a server does not answer
│   ├── WriteDenied         the role may not write there (the store itself refused)
│   └── NotFound            no such record
├── InputError            what was typed cannot be done as it stands
├── IllegalTransition     a loop cannot do that from where it stands
├── CanonConflict         canon says otherwise
└── ArchiveError          a campaign archive is damaged or hostile
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Parsed = TypeVar("Parsed")

RESTORE_ADVICE = "Restore the last backup into a new folder: monitor restore BACKUP --into FOLDER."
"""What to do when stored records are damaged."""


class MonitorError(Exception):
    """What happened, what was kept, and what the user can do about it."""

    code = "MonitorError"

    def __init__(self, what: str, *, kept: str = "", todo: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.kept = kept
        self.todo = todo

    def __str__(self) -> str:
        return " ".join(part for part in (self.what, self.kept, self.todo) if part)


class StoreError(MonitorError):
    code = "StoreError"


class LibraryUnreadable(StoreError):
    code = "LibraryUnreadable"


class LibraryInUse(StoreError):
    code = "LibraryInUse"


class StoreFull(StoreError):
    code = "StoreFull"


class StoreUnavailable(StoreError):
    code = "StoreUnavailable"


class WriteDenied(StoreError):
    code = "WriteDenied"


class NotFound(StoreError):
    code = "NotFound"


class InputError(MonitorError):
    code = "InputError"

    def __init__(self, what: str, *, kept: str = "", todo: str = "", field: str = "") -> None:
        """`field` is the field of a form that it is about; empty if it is about no single one."""
        super().__init__(what, kept=kept, todo=todo)
        self.field = field


def parse_field(
    field: str, parse: Callable[Params, Parsed], *args: Params.args, **kwargs: Params.kwargs
) -> Parsed:
    """Return `parse(...)`; an InputError that it raises says that it is about this field of a form."""
    try:
        return parse(*args, **kwargs)
    except InputError as error:
        error.field = error.field or field
        raise


class IllegalTransition(MonitorError):
    code = "IllegalTransition"


class CanonConflict(MonitorError):
    code = "CanonConflict"


class ArchiveError(MonitorError):
    code = "ArchiveError"
