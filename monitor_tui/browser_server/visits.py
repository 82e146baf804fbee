"""Who may be served, and who is: the token, the addresses that a browser may name, and the one window. Pure."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from stores.errors import InputError

TOKEN_VARIABLE: Final = "MONITOR_SERVE_TOKEN"
MIN_TOKEN_LENGTH: Final = 16
TOKEN_FIELD: Final = "token"
"""The name of the token in the address of a first visit."""
VISIT_COOKIE: Final = "monitor_visit"
"""Says which browser it is; it opens nothing."""
ACCESS_COOKIE: Final = "monitor_access"
"""Stands for the token after the first visit, until the server ends."""


def is_loopback(address: str) -> bool:
    """Return whether only this machine reaches an address. Raises InputError for what is none."""
    try:
        return address == "localhost" or ip_address(address).is_loopback
    except ValueError:
        raise InputError(
            f"{address[:80]} is no address of this machine.",
            kept="Nothing is served.",
            todo="Give an IP address, as in: --address 0.0.0.0",
        ) from None


def choose_token(address: str, environ: Mapping[str, str]) -> str:
    """Return the token that visitors need: the user's, or a new one; empty where only this machine can visit.

    Raises InputError for one that could be guessed.
    """
    token = environ.get(TOKEN_VARIABLE, "").strip()
    if token and len(token) < MIN_TOKEN_LENGTH:
        raise InputError(
            f"{TOKEN_VARIABLE} is shorter than {MIN_TOKEN_LENGTH} characters and could be guessed.",
            kept="Nothing is served.",
            todo="Make it longer, or leave it out: a new one is made then.",
        )
    return token or ("" if is_loopback(address) else secrets.token_urlsafe(24))


def is_same(given: str, expected: str) -> bool:
    """Compare two secrets in a time that does not depend on where they differ."""
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode())


@dataclass(frozen=True, slots=True)
class Door:
    """Decides what is served to whom. Without a `token` only names of this machine lead in."""

    token: str = ""
    access: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """What the cookie holds in place of the token; new for every start."""

    def admits_host(self, host_header: str) -> bool:
        """Return whether a browser was led here by a name of ours.

        A foreign name that resolves to this machine would let that name's pages read ours. With a token they cannot:
        the cookie is sent to the name it was set for.
        """
        return bool(self.token) or _is_local_name(_host_name(host_header))

    def admits_token(self, token: str) -> bool:
        return bool(self.token) and is_same(token, self.token)

    def admits_cookie(self, cookie: str) -> bool:
        return not self.token or is_same(cookie, self.access)


def comes_from_own_page(origin: str, host_header: str) -> bool:
    """Return whether the page that opens a connection is ours: any page may try to."""
    return bool(origin) and urlsplit(origin).netloc == host_header


def _is_local_name(name: str) -> bool:
    try:
        return is_loopback(name)
    except InputError:
        return False


def _host_name(host_header: str) -> str:
    try:
        return urlsplit(f"//{host_header}").hostname or ""
    except ValueError:
        return ""
