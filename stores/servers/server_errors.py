"""The error messages for problems with a server, the same for all servers.

Each adapter recognises its driver's errors; the messages for the user are made here.
"""

from __future__ import annotations

import os
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.errors import StoreError, StoreFull, StoreUnavailable, WriteDenied

CONNECT_SECONDS = 3.0
"""Seconds that a dead server may keep a caller waiting."""


class ServerErrorFactory(NamedTuple):
    """Makes the errors about one server: what MONITOR stores there, the product, its address without secrets.

    `kept` says what happened to the user's data when a call fails; `settings` names what to check.
    """

    store: str
    product: str
    url: str
    kept_message: str
    settings_to_check: str

    def unavailable(self, error: BaseException | str) -> StoreUnavailable:
        return StoreUnavailable(
            f"The {self.store} server at {self.url} does not answer: {describe_cause(error)}.",
            kept=self.kept_message,
            todo=f"Check that {self.product} runs there and is reachable; MONITOR tries again by itself.",
        )

    def wrong_credentials(self) -> StoreError:
        return StoreError(
            f"The {self.store} server at {self.url} refuses this user or password.",
            kept="Nothing was read or written there.",
            todo=f"Check {self.settings_to_check}, then `monitor doctor`.",
        )

    def disk_full(self) -> StoreFull:
        return StoreFull(
            f"The disk of the {self.store} server at {self.url} is full.",
            kept=f"What was written before is safe. {self.kept_message}",
            todo="Free some space there and try again.",
        )

    def wrong_product(self, answer: str = "") -> StoreError:
        """Return the error for another product at that address."""
        return StoreError(
            f"What answers at {self.url} is not {self.product}{f': {answer}' if answer else ''}.",
            kept="Nothing was written there.",
            todo="Check the address and the port.",
        )

    def too_old(self, version: str, oldest: str) -> StoreError:
        return StoreError(
            f"{self.product} at {self.url} is version {version}, and MONITOR needs {oldest} or newer.",
            kept="Nothing was written there.",
            todo=f"Update {self.product} there.",
        )

    def check_address(self, url: str, example: str) -> None:
        """Raise StoreError unless `url` is the address of a server."""
        try:
            parts = urlsplit(url)
            is_invalid = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
            reason = "it names no host, or no http" if is_invalid else ""
        except ValueError as error:
            reason = first_line(error)
        if reason:
            raise StoreError(
                f"{self.url!r} is no address of a {self.product} server: {reason}.",
                kept="Nothing was opened.",
                todo=f"It looks like {example}.",
            )

    def failed(self, error: BaseException | str) -> StoreError:
        return StoreError(
            f"The {self.store} server at {self.url} could not do that: {first_line(error)}.",
            kept=self.kept_message,
        )

    def write_denied(self, role: Role | None, error: BaseException | str) -> WriteDenied:
        """Return the error for a write that the server refused."""
        return WriteDenied(
            f"{role_label(role)} may not write that: {first_line(error)}.", kept="Nothing was written."
        )


def check_collection(store: Store, collection: str) -> None:
    """Raise StoreError for an unknown collection, so that no other text becomes a name on a server."""
    if collection not in COLLECTIONS[store]:
        noun = "object collection" if store is Store.OBJECTS else f"collection of {store}"
        raise StoreError(f"There is no {noun} called {collection!r}.")


def check_grants(role: Role | None, store: Store, collection: str, *operations: Operation) -> None:
    """Raise WriteDenied unless the matrix grants all of the operations. The owner (None) may do all.

    The server refuses the same for each role's own credentials; this check is for servers with one user for all
    roles.
    """
    if role is not None and not all(find_grants(role, store, collection, op) for op in operations):
        raise WriteDenied(f"The {role} may not write to the {collection}.", kept="Nothing was written.")


def role_label(role: Role | None) -> str:
    return str(role).replace("_", " ").capitalize() if role else "The owner"


def strip_url_secrets(url: str) -> str:
    """Return an address without its password."""
    scheme, separator, rest = url.rpartition("://")
    return f"{scheme}{separator}{rest.partition('/')[0].rpartition('@')[2]}"


def describe_cause(error: BaseException | str) -> str:
    """Return the system's message that caused a driver's error, if there is one; else the error's own."""
    cause: BaseException | None = error if isinstance(error, BaseException) else None
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return str(cause.strerror)
        if isinstance(cause, OSError) and cause.errno and cause.errno > 0:
            return os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    if "Timeout" in type(error).__name__:
        return "no answer in time"
    return first_line(error)


def first_line(error: BaseException | str) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:200]


def is_disk_full_message(text: str) -> bool:
    """Return whether a server's message says that its disk is full."""
    message = text.casefold()
    return any(
        phrase in message for phrase in ("no space left", "disk is full", "out of disk", "not enough space")
    )
