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


class IllegalTransition(MonitorError):
    code = "IllegalTransition"


class CanonConflict(MonitorError):
    code = "CanonConflict"


class ArchiveError(MonitorError):
    code = "ArchiveError"
