"""Creates the log's users on a MongoDB server: one for each role, with the privileges of its row of the matrix.

Run once by the owner of the server (`docker compose`, `make servers`, tests).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import OperationFailure

from stores.authority import Role
from stores.servers.mongo import Document
from stores.servers.mongo_schema import role_privileges

_EXISTS = (51002, 51003)
_MISSING = 11


OWNER: Final = "owner"
"""The user for migrations and imports, who may write anything in MONITOR's database and nothing else."""


def user_name(role: Role | None, database: str, worker: str = "") -> str:
    """Return the name of a role's user for a library's database (None: the owner's), or of a worker's."""
    return f"{database}_{role or OWNER}{worker and f'.{worker}'}"


async def make_users(
    admin: AsyncDatabase[Document], database: str, password_of: Callable[[Role | None], str]
) -> None:
    """Create every role's user and the owner's, or update their privileges and passwords. May be run again.

    `admin` is the server's `admin` database, opened as a user that may create users.
    """
    owner_roles = [{"role": name, "db": database} for name in ("readWrite", "dbAdmin")]
    await _create_or_update(
        admin, "User", user_name(None, database), {"pwd": password_of(None), "roles": owner_roles}
    )
    for role in Role:
        name = user_name(role, database)
        granted_privileges = [
            {"resource": {"db": database, "collection": collection}, "actions": sorted(actions)}
            for collection, actions in role_privileges(role).items()
        ]
        read_roles = [{"role": "read", "db": database}]
        await _create_or_update(admin, "Role", name, {"privileges": granted_privileges, "roles": read_roles})
        user_options = {"pwd": password_of(role), "roles": [{"role": name, "db": "admin"}]}
        await _create_or_update(admin, "User", name, user_options)


async def make_worker_user(
    admin: AsyncDatabase[Document], database: str, role: Role, worker: str, password: str
) -> None:
    """Create a worker's own user of a role, or change its password. May be run again."""
    options = {"pwd": password, "roles": [{"role": user_name(role, database), "db": "admin"}]}
    await _create_or_update(admin, "User", user_name(role, database, worker), options)


async def remove_worker_user(admin: AsyncDatabase[Document], database: str, role: Role, worker: str) -> None:
    """Remove a worker's user of a role. May be run again."""
    try:
        await admin.command({"dropUser": user_name(role, database, worker)})
    except OperationFailure as error:
        if error.code != _MISSING:
            raise


async def _create_or_update(admin: AsyncDatabase[Document], kind: str, name: str, options: Document) -> None:
    try:
        await admin.command({f"create{kind}": name, **options})
    except OperationFailure as error:
        if error.code not in _EXISTS:
            raise
        await admin.command({f"update{kind}": name, **options})
