"""Addresses and credentials of the servers, from the environment.

Passwords of roles are not stored: each is derived from one secret, by server and role.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from stores.authority import Role, Store
from stores.errors import InputError

SECRET_VARIABLE = "MONITOR_SERVERS_SECRET"
WORKER_VARIABLE = "MONITOR_WORKER"
"""The name of the worker that this environment is of."""
_REQUIRED_VARIABLES: Mapping[Store, tuple[str, ...]] = {
    Store.CANON: ("MONITOR_NEO4J_URL", "MONITOR_NEO4J_PASSWORD"),
    Store.LOG: ("MONITOR_MONGO_URL", SECRET_VARIABLE),
    Store.VECTORS: ("MONITOR_QDRANT_URL",),
    Store.WORDS: ("MONITOR_OPENSEARCH_URL", SECRET_VARIABLE),
    Store.OBJECTS: ("MONITOR_MINIO_ENDPOINT", SECRET_VARIABLE),
}


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of servers from the environment; `library` is the name of the library on them."""

    values: Mapping[str, str] = field(repr=False)
    library: str = "monitor"
    worker: str = ""
    """Whose users these are: a worker's on another machine, by its name, or (empty) the program's."""

    def get(self, name: str, default: str = "") -> str:
        """Return the value of `MONITOR_` plus the name."""
        return self.values.get(f"MONITOR_{name}", default)

    def derive_password(self, server: str, role: Role | None) -> str:
        """Return the password of a role on a server (None: of the owner)."""
        secret = self.values[SECRET_VARIABLE]
        message = f"{server}:{role or 'owner'}"
        return hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()[:40]

    def of_worker(self, name: str) -> ServerSettings:
        """Return the settings with which a worker of this name connects: its own secret in place of the program's.

        From a worker's secret nobody can tell the program's, nor another worker's.
        """
        secret = hmac.new(self.values[SECRET_VARIABLE].encode(), f"worker:{name}".encode(), hashlib.sha256)
        return replace(self, values={**self.values, SECRET_VARIABLE: secret.hexdigest()}, worker=name)

    @property
    def message_key(self) -> str:
        """The key with which messages between the program and this worker are signed."""
        return self.derive_password("messages", None)


def read_server_settings(environ: Mapping[str, str], stores: frozenset[Store]) -> ServerSettings:
    """Read the settings of these stores' servers. Raises InputError that names what is missing."""
    missing_variables = [
        name
        for store in Store
        if store in stores
        for name in _REQUIRED_VARIABLES[store]
        if not environ.get(name)
    ]
    if missing_variables:
        raise InputError(
            f"It is not said where the servers are: {', '.join(dict.fromkeys(missing_variables))} missing.",
            kept="Nothing was opened.",
            todo="Set them in the environment; .env.example lists them all.",
        )
    own_values = {name: value for name, value in environ.items() if name.startswith("MONITOR_")}
    return ServerSettings(
        own_values, environ.get("MONITOR_LIBRARY", "monitor"), environ.get(WORKER_VARIABLE, "")
    )
