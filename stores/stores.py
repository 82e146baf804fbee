"""The five stores as the program holds them, whatever stands behind each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from stores.authority import Role, Store
from stores.doctor import Doctor
from stores.errors import LibraryUnreadable
from stores.history import History
from stores.ports import (
    ArchivistLog,
    CanonKeeperLog,
    CanonWriter,
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
    """The log with every role's handle on it; the store refuses what the role may not do."""


class AnyCanon(ContainerWriter, CanonWriter, Protocol):
    """Canon with every role's handle on it; the store refuses what the role may not do."""


Severity = Literal["information", "warning", "error"]


@dataclass(frozen=True, slots=True)
class StoreNotice:
    """Something about a store has changed, in words for the user."""

    store: Store
    text: str
    severity: Severity


NoticeListener = Callable[[StoreNotice], None]


def ignore_notice_listener(listener: NoticeListener) -> None:
    """Stores that are files of the home folder neither go nor come back."""


def no_current_problems() -> tuple[str, ...]:
    """Stores that are files of the home folder are there, or could not be opened."""
    return ()


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores. Each factory gives a store as the role may use it; `None` is the owner's leave.

    `history` is the archive's door to the whole truth of a universe, `doctor` tries and looks. `health`
    names each store with "ok" or with what is amiss. `close` finishes what is queued; closing twice is no
    error. `listen` has every change of a store told once, from now on, to a listener that must
    not block; `amiss` says what is so at present.
    """

    log: Callable[[Role], AnyLog]
    canon: Callable[[Role], AnyCanon]
    vectors: Callable[[Role], VectorIndex]
    words: Callable[[Role], TextIndex]
    objects: Callable[[Role | None], ObjectStore]
    history: History
    doctor: Doctor
    health: Callable[[], tuple[tuple[str, str], ...]]
    close: Callable[[], Awaitable[None]]
    add_notice_listener: Callable[[NoticeListener], None] = ignore_notice_listener
    current_problems: Callable[[], tuple[str, ...]] = no_current_problems


def make_home(home: Path) -> None:
    """Make the folder for its owner's eyes alone; what a player writes is private."""
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
