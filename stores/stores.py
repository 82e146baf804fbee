"""The open stores as the program uses them, whether files or servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from stores.authority import Role, Store
from stores.changes import ChangeReader
from stores.doctor import Doctor
from stores.errors import LibraryUnreadable
from stores.history import History
from stores.ports import (
    ArchivistLog,
    CanonKeeperLog,
    CanonWriter,
    CommitWriter,
    ContainerWriter,
    IngestLog,
    MemoryLog,
    NarratorLog,
    ObjectStore,
    OrchestratorLog,
    ResolverLog,
    TextIndex,
    VectorIndex,
)


class AnyLog(
    OrchestratorLog,
    NarratorLog,
    ResolverLog,
    CanonKeeperLog,
    MemoryLog,
    IngestLog,
    ArchivistLog,
    Protocol,
):
    """The log with every role's methods; the store refuses what the role may not do."""


class AnyCanon(ContainerWriter, CanonWriter, Protocol):
    """Canon with every role's methods; the store refuses what the role may not do."""


Severity = Literal["information", "warning", "error"]


@dataclass(frozen=True, slots=True)
class StoreNotice:
    """A change of a store's condition, as text for the user."""

    store: Store
    text: str
    severity: Severity


NoticeListener = Callable[[StoreNotice], None]


def ignore_notice_listener(listener: NoticeListener) -> None:
    """Do nothing, as the condition of stores in files does not change."""


def no_current_problems() -> tuple[str, ...]:
    """Return nothing, as stores in files are there or could not be opened."""
    return ()


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores. The first five return a store as the role may use it; None is the owner."""

    log: Callable[[Role], AnyLog]
    canon: Callable[[Role], AnyCanon]
    vectors: Callable[[Role], VectorIndex]
    words: Callable[[Role], TextIndex]
    objects: Callable[[Role | None], ObjectStore]
    history: History
    doctor: Doctor
    health: Callable[[], tuple[tuple[str, str], ...]]
    """Returns each store's name with "ok" or its problem."""
    close: Callable[[], Awaitable[None]]
    """Finishes what is queued and closes the stores; closing twice is no error."""
    changes: ChangeReader | None = None
    """The numbered changes of log and canon; None if these stores cannot number them."""
    commits: Callable[[Role], CommitWriter] | None = None
    """Returns what writes canon and log in one transaction; None if they are two databases."""
    add_notice_listener: Callable[[NoticeListener], None] = ignore_notice_listener
    """Calls the listener with every change from now on; it must not block."""
    current_problems: Callable[[], tuple[str, ...]] = no_current_problems
    """Returns the present problems as sentences for the user."""


def make_home(home: Path) -> None:
    """Create the home folder, readable by its owner alone. Raises LibraryUnreadable."""
    try:
        str(home).encode()
    except UnicodeEncodeError:
        name = str(home).encode(errors="backslashreplace").decode()
        raise LibraryUnreadable(
            f"The folder {name} has a name that is not text in UTF-8.",
            kept="It was left as it is.",
            todo="Rename it, or choose another.",
        ) from None
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise LibraryUnreadable(
            f"{home} is a file, and a library is a folder.",
            kept="It was left as it is.",
            todo="Choose another folder.",
        ) from None
    except OSError as error:
        raise LibraryUnreadable(
            f"The folder {home} cannot be made: {error.strerror or error}.",
            kept="Nothing was changed.",
            todo="Check who owns the folder above it, or choose another.",
        ) from error
