"""Immutable objects in MinIO, each under its own SHA-256. The methods are those of `ObjectStore`.

A bucket holds one collection. What is read is checked against its key, so what someone wrote over is never
taken for the object; putting the same bytes again makes it whole.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from io import BytesIO

from minio import Minio
from minio.error import S3Error

from stores.authority import Operation, Role, Store
from stores.errors import NotFound, StoreError
from stores.servers.minio import Buckets, code_of
from stores.servers.server_errors import check_collection, check_leave

_KEY = re.compile(r"[0-9a-f]{64}")
_PART = 16 * 1024 * 1024
"""Bytes sent at once; what is larger goes in parts, several at a time, and is there when all have come."""

_CHUNK = 1024 * 1024
_MISSING = "NoSuchKey"


class ServerObjects:
    """The objects as `role` may use them; `None` is the owner (import and restore).

    Errors: `WriteDenied` without the grant, `NotFound` for no such object, `StoreUnavailable`, `StoreFull`,
    and `StoreError` for an object that no longer is what its key says.
    """

    def __init__(self, buckets: Buckets, role: Role | None) -> None:
        self._buckets = buckets
        self._role = role

    async def put(self, collection: str, data: bytes) -> str:
        check_collection(Store.OBJECTS, collection)
        check_leave(self._role, Store.OBJECTS, collection, Operation.INSERT)
        return await asyncio.to_thread(self._put, self._buckets.bucket(collection), data)

    async def get(self, collection: str, key: str) -> bytes:
        check_collection(Store.OBJECTS, collection)
        _check_key(key)
        return await asyncio.to_thread(self._get, collection, key)

    async def exists(self, collection: str, key: str) -> bool:
        check_collection(Store.OBJECTS, collection)
        _check_key(key)
        return await asyncio.to_thread(self._exists, self._buckets.bucket(collection), key)

    async def keys(self, collection: str) -> list[str]:
        check_collection(Store.OBJECTS, collection)
        return await asyncio.to_thread(self._keys, self._buckets.bucket(collection))

    def _put(self, bucket: str, data: bytes) -> str:
        key = hashlib.sha256(data).hexdigest()
        with self._buckets.in_our_words():
            client = self._buckets.client(self._role)
            if _tag_of(client, bucket, key) == _tag(data):
                return key
        with self._buckets.in_our_words(self._role, writes=True):
            client.put_object(bucket, key, BytesIO(data), len(data), part_size=_PART)
        return key

    def _get(self, collection: str, key: str) -> bytes:
        with self._buckets.in_our_words():
            try:
                data, digest = _read(self._buckets.client(self._role), self._buckets.bucket(collection), key)
            except S3Error as error:
                if code_of(error) != _MISSING:
                    raise
                raise NotFound(f"There is no object {key} in the {collection}.") from None
        if digest != key:
            raise StoreError(
                f"Object {key} in the {collection} is damaged: its content is not what its name says.",
                kept="It was left as it is.",
                todo="Add the original document again, or restore it from a backup.",
            )
        return data

    def _exists(self, bucket: str, key: str) -> bool:
        with self._buckets.in_our_words():
            return _tag_of(self._buckets.client(self._role), bucket, key) is not None

    def _keys(self, bucket: str) -> list[str]:
        with self._buckets.in_our_words():
            found = self._buckets.client(self._role).list_objects(bucket)
            return sorted(name for each in found if _KEY.fullmatch(name := str(each.object_name)))


def _check_key(key: str) -> None:
    if not _KEY.fullmatch(key):
        raise NotFound(f"{key!r} is not the key of an object.")


def _read(client: Minio, bucket: str, key: str) -> tuple[bytes, str]:
    """Return an object with the digest of what came, reckoned as it came."""
    answer = client.get_object(bucket, key)
    try:
        digest, chunks = hashlib.sha256(), []
        for chunk in answer.stream(_CHUNK):
            digest.update(chunk)
            chunks.append(chunk)
        return b"".join(chunks), digest.hexdigest()
    finally:
        answer.close()
        answer.release_conn()


def _tag_of(client: Minio, bucket: str, key: str) -> str | None:
    """Return what the server says that tells an object's content (None: there is no such object)."""
    try:
        return client.stat_object(bucket, key).etag or ""
    except S3Error as error:
        if code_of(error) != _MISSING:
            raise
        return None


def _tag(data: bytes) -> str:
    """Return what S3 tells the content by: the MD5 of it, or of those of its parts.

    Some servers (those that encrypt) tell it otherwise; then an object is sent again, and is the same.
    """
    parts = [_md5(data[start : start + _PART]) for start in range(0, len(data), _PART)]
    if len(parts) < 2:
        return _md5(data).hex()
    return f"{_md5(b''.join(parts)).hex()}-{len(parts)}"


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()
