"""Creates the object store's users on a MinIO server: one for each role, with a policy from its row of the matrix.

Run once by the owner of the server (`docker compose`, `make servers`, tests), through the admin API. MinIO cannot
allow new objects without allowing overwrites; as a key is the hash of its content, an overwritten object is found
when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from minio import MinioAdmin

from stores.authority import COLLECTIONS, WRITE_MATRIX, Operation, Role, Store
from stores.servers.minio import MinioBuckets

_ACTIONS: Final[Mapping[Operation, tuple[str, ...]]] = {
    Operation.INSERT: ("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"),
    Operation.UPDATE: ("s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"),
    Operation.DELETE: ("s3:DeleteObject",),
}


def user_name(prefix: str, role: Role, worker: str = "") -> str:
    """Return the name of a role's user (its access key) and of its policy, or of a worker's user."""
    return f"{prefix}{role}{worker and f'.{worker}'}"


def make_policy(role: Role, prefix: str) -> dict[str, Any]:
    """Return a role's policy: read all of MONITOR's buckets, write those of its row."""
    buckets = [f"arn:aws:s3:::{prefix}{collection}" for collection in COLLECTIONS[Store.OBJECTS]]
    statements = [
        _allow(["s3:ListBucket", "s3:GetBucketLocation"], buckets),
        _allow(["s3:GetObject"], [f"{bucket}/*" for bucket in buckets]),
    ]
    for grant in WRITE_MATRIX[role]:
        if grant.store is Store.OBJECTS:
            actions = sorted({action for op in grant.operations for action in _ACTIONS[op]})
            statements.append(_allow(actions, [f"arn:aws:s3:::{prefix}{grant.collection}/*"]))
    return {"Version": "2012-10-17", "Statement": statements}


async def make_users(buckets: MinioBuckets, password_of: Callable[[Role], str]) -> None:
    """Create every role's user, or update its policy and password. May be run again.

    The owner needs access to the admin API. A password has 8 to 40 characters.
    """

    def make_all(admin: MinioAdmin) -> None:
        for role in Role:
            name = user_name(buckets.prefix, role)
            admin.policy_add(name, policy=make_policy(role, buckets.prefix))
            admin.user_add(name, password_of(role))
            admin.policy_set(name, user=name)

    await buckets.run_admin(make_all)


async def remove_users(buckets: MinioBuckets) -> None:
    """Remove every role's user and policy. May be run again."""
    for role in Role:
        name = user_name(buckets.prefix, role)
        await buckets.run_admin(partial(MinioAdmin.user_remove, access_key=name), ignore_missing=True)
        await buckets.run_admin(partial(MinioAdmin.policy_remove, policy_name=name), ignore_missing=True)


async def make_worker_user(buckets: MinioBuckets, role: Role, worker: str, password: str) -> None:
    """Create a worker's own user with a role's policy, or change its password. May be run again."""

    def make(admin: MinioAdmin) -> None:
        name = user_name(buckets.prefix, role, worker)
        admin.user_add(name, password)
        admin.policy_set(user_name(buckets.prefix, role), user=name)

    await buckets.run_admin(make)


async def remove_worker_user(buckets: MinioBuckets, role: Role, worker: str) -> None:
    """Remove a worker's user of a role. May be run again."""
    name = user_name(buckets.prefix, role, worker)
    await buckets.run_admin(partial(MinioAdmin.user_remove, access_key=name), ignore_missing=True)


def _allow(actions: list[str], resources: list[str]) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": resources}
