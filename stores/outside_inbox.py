"""A folder beside the library in which proposals of chat clients wait until MONITOR takes them in.

Whoever writes there needs no lock: the library has one writer, and that is MONITOR. Each proposal is a file of its own,
complete when it has its name.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from stores.durable_files import AtomicFile, make_folders
from stores.errors import InputError, StoreError
from stores.records.ids import Id
from stores.records.outside import OutsideProposal

FOLDER_NAME: Final = "inbox"
MAX_WAITING: Final = 100
"""Proposals that may wait to be taken in."""
MAX_FILE_BYTES: Final = 64 * 1024

_FILE_NAME: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json")


class OutsideInbox:
    """Adds, lists and removes the proposals that wait."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER_NAME

    async def add(self, proposal: OutsideProposal) -> None:
        """Write a proposal. Raises InputError if too many wait already; StoreError."""
        await asyncio.to_thread(self._add, proposal)

    async def list_waiting(self) -> list[OutsideProposal]:
        """Return what waits, the oldest first; files that are no proposals are left alone. Raises StoreError."""
        return await asyncio.to_thread(self._list_waiting)

    async def remove(self, proposal_id: Id) -> None:
        """Remove a proposal that was taken in, if it is still there. Raises StoreError."""
        try:
            await asyncio.to_thread((self._folder / f"{proposal_id}.json").unlink, missing_ok=True)
        except OSError as error:
            raise _inbox_error(error) from error

    def _add(self, proposal: OutsideProposal) -> None:
        try:
            make_folders(self._folder)
            if len(self._list_names()) >= MAX_WAITING:
                raise InputError(
                    f"{MAX_WAITING} proposals wait for MONITOR already.",
                    kept="Nothing was proposed.",
                    todo="Open MONITOR, which takes them in, and decide them at the gate.",
                )
            file = AtomicFile(self._folder / f"{proposal.id}.json")
            try:
                file.file.write(proposal.model_dump_json().encode())
                file.commit(0o600)
            finally:
                file.discard()
        except OSError as error:
            raise _inbox_error(error) from error

    def _list_waiting(self) -> list[OutsideProposal]:
        try:
            proposals = [
                p for name in self._list_names()[:MAX_WAITING] if (p := self._read(name)) is not None
            ]
        except OSError as error:
            raise _inbox_error(error) from error
        return sorted(proposals, key=lambda proposal: (proposal.created_at, proposal.id))

    def _list_names(self) -> list[str]:
        try:
            return sorted(file.name for file in self._folder.iterdir() if _FILE_NAME.fullmatch(file.name))
        except FileNotFoundError:
            return []

    def _read(self, name: str) -> OutsideProposal | None:
        """Return the proposal of a file; None for one that is gone, a link, too large or no proposal."""
        try:
            # A home folder from somebody else could link to any of the user's files, or to a pipe that never ends.
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            handle = os.open(self._folder / name, flags)
        except OSError:
            return None
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read(MAX_FILE_BYTES + 1)
        try:
            proposal = OutsideProposal.model_validate_json(data)
        except (ValidationError, ValueError):
            return None
        return proposal if f"{proposal.id}.json" == name and len(data) <= MAX_FILE_BYTES else None


def _inbox_error(error: OSError) -> StoreError:
    return StoreError(
        f"The inbox for proposals cannot be used: {error.strerror or error}.",
        kept="Nothing was proposed.",
        todo=f"Check the folder {FOLDER_NAME} beside the library.",
    )
