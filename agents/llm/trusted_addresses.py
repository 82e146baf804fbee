"""Remembers to which servers the user's API keys may go.

Settings come with the home folder, and a home folder may come from somebody else; what is remembered here does not. An
address is trusted once it was entered in this program on this computer, or stands in a `MONITOR_...` variable.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from stores.durable_files import AtomicFile, make_folders

TRUST_VARIABLE: Final = "MONITOR_TRUSTED_ADDRESSES"
"""The variable that gives the model process the trusted servers, separated by blanks."""


class TrustedAddresses:
    """The servers that are trusted with keys, one a line of `file`. None: nothing is remembered."""

    def __init__(self, file: Path | None, environ: Mapping[str, str] | None = None) -> None:
        self._file = file
        self._environ = os.environ if environ is None else environ
        self._added: list[str] = []

    def is_trusted(self, address: str) -> bool:
        """Return whether a key may go to an address; an empty one is the provider's own."""
        return not address or may_send_key(address, self.as_variable())

    def trust(self, address: str) -> None:
        """Remember the server of an address that the user entered. Raises OSError."""
        if not address or self.is_trusted(address):
            return
        self._added.append(_server_of(address))
        if self._file is not None:
            make_folders(self._file.parent)
            new_file = AtomicFile(self._file)
            try:
                new_file.file.write("".join(f"{server}\n" for server in self._read_servers()).encode())
                new_file.commit(0o600)
            finally:
                new_file.discard()

    def as_variable(self) -> str:
        """Return the value of `TRUST_VARIABLE`."""
        from_environment = (
            _server_of(address.rpartition("@")[2])
            for name, value in self._environ.items()
            if name.startswith("MONITOR_")
            for address in value.replace(",", " ").split()
            if "://" in address
        )
        return " ".join(dict.fromkeys((*self._read_servers(), *from_environment)))

    def _read_servers(self) -> tuple[str, ...]:
        stored: list[str] = []
        if self._file is not None:
            with suppress(OSError, UnicodeDecodeError):  # not there yet, or not readable: nothing is trusted
                stored = self._file.read_text("utf-8").split()
        return tuple(dict.fromkeys((*stored, *self._added)))


def may_send_key(address: str, trusted_servers: str) -> bool:
    """Return whether the server of an address is among the trusted ones."""
    return _server_of(address) in trusted_servers.split()


def _server_of(address: str) -> str:
    """Return scheme, host and port: what is trusted, whatever the path."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}".casefold()
