"""Making the log's users on a MongoDB server: one for each role, with just the leave of its row.

Done once by whoever owns the server (`docker compose`, `make servers`, tests). Source: stores/authority.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import OperationFailure

from stores.authority import Role
from stores.servers.mongo import Document
from stores.servers.mongo_schema import privileges

_EXISTS = (51002, 51003)


OWNER: Final = "owner"
"""Who migrates and imports: any document of MONITOR's database, and nothing else on the server."""


def user_of(role: Role | None, database: str) -> str:
    """Return what a role's user in a library's database is called on the server (None: the owner's)."""
    return f"{database}_{role or OWNER}"


async def make_users(
    admin: AsyncDatabase[Document], database: str, password_of: Callable[[Role | None], str]
) -> None:
    """Make every role's user and the owner's, or give them the leave and the password that they should
    have. May be done again. `admin` is the server's `admin` database, opened with leave to make users.
    """
    whole = [{"role": name, "db": database} for name in ("readWrite", "dbAdmin")]
    await _make(admin, "User", user_of(None, database), {"pwd": password_of(None), "roles": whole})
    for role in Role:
        name = user_of(role, database)
        granted = [
            {"resource": {"db": database, "collection": collection}, "actions": sorted(actions)}
            for collection, actions in privileges(role).items()
        ]
        read = [{"role": "read", "db": database}]
        await _make(admin, "Role", name, {"privileges": granted, "roles": read})
        mine = {"pwd": password_of(role), "roles": [{"role": name, "db": "admin"}]}
        await _make(admin, "User", name, mine)


async def _make(admin: AsyncDatabase[Document], what: str, name: str, given: Document) -> None:
    try:
        await admin.command({f"create{what}": name, **given})
    except OperationFailure as error:
        if error.code not in _EXISTS:
            raise
        await admin.command({f"update{what}": name, **given})
