"""Creates the text index's users on an OpenSearch server: one for each role, with the permissions of its row.

Run once by the owner of the server (`docker compose`, `make servers`, tests), through the REST API of the security
plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opensearchpy.exceptions import TransportError

from stores.authority import Role
from stores.errors import StoreError
from stores.servers.opensearch import OpenSearchServer
from stores.servers.opensearch_schema import role_permissions
from stores.servers.server_errors import first_line

_API = "/_plugins/_security/api"
_REFUSED_CODES = (400, 404, 405)
_CONFLICT, _MAX_ATTEMPTS = 409, 5
"""The status if another program has changed the same rules meanwhile, and how often to try again."""


def user_name(prefix: str, role: Role, worker: str = "") -> str:
    """Return the name of a role's user, and of its role on the server, or of a worker's user."""
    return f"{prefix}{role}{worker and f'.{worker}'}"


async def make_users(opensearch: OpenSearchServer, password_of: Callable[[Role], str]) -> None:
    """Create every role's user, or update its permissions and password. May be run again.

    The owner needs access to the security plugin's API. Raises StoreError if the server has no such plugin, or
    refuses a password as too weak.
    """
    prefix = opensearch.prefix
    await _patch(
        opensearch, "roles", {user_name(prefix, role): role_permissions(role, prefix) for role in Role}
    )
    users = {
        name: {"password": password_of(role), "opendistro_security_roles": [name]}
        for role in Role
        for name in [user_name(prefix, role)]
    }
    await _patch(opensearch, "internalusers", users)


async def make_worker_user(opensearch: OpenSearchServer, role: Role, worker: str, password: str) -> None:
    """Create a worker's own user of a role, or change its password. May be run again."""
    body = {"password": password, "opendistro_security_roles": [user_name(opensearch.prefix, role)]}
    await _patch(opensearch, "internalusers", {user_name(opensearch.prefix, role, worker): body})


async def remove_worker_user(opensearch: OpenSearchServer, role: Role, worker: str) -> None:
    """Remove a worker's user of a role. May be run again."""
    name = user_name(opensearch.prefix, role, worker)
    with opensearch.translate_errors():
        existing_names = await opensearch.owner.transport.perform_request("GET", f"{_API}/internalusers")
    if name in existing_names:
        await _patch(opensearch, "internalusers", {name: None})


async def remove_users(opensearch: OpenSearchServer) -> None:
    """Remove every role's user. May be run again."""
    for kind in ("internalusers", "roles"):
        with opensearch.translate_errors():
            existing_names = await opensearch.owner.transport.perform_request("GET", f"{_API}/{kind}")
        names = [name for role in Role if (name := user_name(opensearch.prefix, role)) in existing_names]
        await _patch(opensearch, kind, dict.fromkeys(names))


async def _patch(
    opensearch: OpenSearchServer, kind: str, bodies: Mapping[str, dict[str, Any] | None]
) -> None:
    """Set these objects (None: delete them) in one request, as each makes the server reload all its rules."""
    changes = [
        {"op": "add", "path": f"/{name}", "value": body} if body else {"op": "remove", "path": f"/{name}"}
        for name, body in bodies.items()
    ]
    if not changes:
        return
    with opensearch.translate_errors():
        for is_last_attempt in (False,) * (_MAX_ATTEMPTS - 1) + (True,):
            try:
                await opensearch.owner.transport.perform_request("PATCH", f"{_API}/{kind}", body=changes)
                return
            except TransportError as error:
                if error.status_code in _REFUSED_CODES:
                    raise _refused_error(opensearch, kind, error) from error
                if is_last_attempt or error.status_code != _CONFLICT:
                    raise


def _refused_error(opensearch: OpenSearchServer, kind: str, error: TransportError) -> StoreError:
    answer = error.info if isinstance(error.info, dict) else {}
    if "no handler found" in str(answer.get("error")):
        return StoreError(
            f"OpenSearch at {opensearch.errors.url} has no security plugin.",
            kept="No users were made: there the server itself refuses nobody anything.",
            todo="Install the plugin opensearch-security there, then do this again.",
        )
    return StoreError(
        f"OpenSearch at {opensearch.errors.url} does not take these {kind}: "
        f"{first_line(str(answer.get('reason') or error.error))}.",
        kept="What was made before is kept.",
        todo="Give each role a long random password of its own, then do this again.",
    )
