"""Immutable objects in MinIO, each under its own SHA-256; see `ObjectStore`.

A bucket holds one collection. An object is checked against its key when it is read, so an overwritten one is never
returned; putting the same bytes again repairs it.
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
from stores.servers.minio import MinioBuckets, error_code
from stores.servers.server_errors import check_collection, check_grants

_KEY_PATTERN = re.compile(r"[0-9a-f]{64}")
_PART_BYTES = 16 * 1024 * 1024
"""Bytes of a part. A larger object is sent in parts, several at a time, and exists once all have arrived."""

_CHUNK_BYTES = 1024 * 1024
_MISSING_CODE = "NoSuchKey"


class ServerObjectStore:
    """The objects as `role` may use them; `None` is the owner (import and restore).

    Errors: `WriteDenied` without the grant, `NotFound` for no such object, `StoreUnavailable`, `StoreFull`,
    and `StoreError` for an object that no longer is what its key says.
    """

    def __init__(self, buckets: MinioBuckets, role: Role | None) -> None:
        self._buckets = buckets
        self._role = role

    async def put(self, collection: str, data: bytes) -> str:
        check_collection(Store.OBJECTS, collection)
        check_grants(self._role, Store.OBJECTS, collection, Operation.INSERT)
        return await asyncio.to_thread(self._put_object, self._buckets.bucket_name(collection), data)

    async def get(self, collection: str, key: str) -> bytes:
        check_collection(Store.OBJECTS, collection)
        _check_key(key)
        return await asyncio.to_thread(self._get_object, collection, key)

    async def exists(self, collection: str, key: str) -> bool:
        check_collection(Store.OBJECTS, collection)
        _check_key(key)
        return await asyncio.to_thread(self._object_exists, self._buckets.bucket_name(collection), key)

    async def keys(self, collection: str) -> list[str]:
        check_collection(Store.OBJECTS, collection)
        return await asyncio.to_thread(self._list_keys, self._buckets.bucket_name(collection))

    def _put_object(self, bucket: str, data: bytes) -> str:
        key = hashlib.sha256(data).hexdigest()
        with self._buckets.translate_errors():
            client = self._buckets.client_for(self._role)
            if _read_etag(client, bucket, key) == _expected_etag(data):
                return key
        with self._buckets.translate_errors(self._role, is_write=True):
            client.put_object(bucket, key, BytesIO(data), len(data), part_size=_PART_BYTES)
        return key

    def _get_object(self, collection: str, key: str) -> bytes:
        with self._buckets.translate_errors():
            try:
                data, digest = _download(
                    self._buckets.client_for(self._role), self._buckets.bucket_name(collection), key
                )
            except S3Error as error:
                if error_code(error) != _MISSING_CODE:
                    raise
                raise NotFound(f"There is no object {key} in the {collection}.") from None
        if digest != key:
            raise StoreError(
                f"Object {key} in the {collection} is damaged: its content is not what its name says.",
                kept="It was left as it is.",
                todo="Add the original document again, or restore it from a backup.",
            )
        return data

    def _object_exists(self, bucket: str, key: str) -> bool:
        with self._buckets.translate_errors():
            return _read_etag(self._buckets.client_for(self._role), bucket, key) is not None

    def _list_keys(self, bucket: str) -> list[str]:
        with self._buckets.translate_errors():
            stored_objects = self._buckets.client_for(self._role).list_objects(bucket)
            return sorted(
                name for each in stored_objects if _KEY_PATTERN.fullmatch(name := str(each.object_name))
            )


def _check_key(key: str) -> None:
    if not _KEY_PATTERN.fullmatch(key):
        raise NotFound(f"{key!r} is not the key of an object.")


def _download(client: Minio, bucket: str, key: str) -> tuple[bytes, str]:
    """Return an object with the digest of its bytes, computed while they arrive."""
    response = client.get_object(bucket, key)
    try:
        digest, chunks = hashlib.sha256(), []
        for chunk in response.stream(_CHUNK_BYTES):
            digest.update(chunk)
            chunks.append(chunk)
        return b"".join(chunks), digest.hexdigest()
    finally:
        response.close()
        response.release_conn()


def _read_etag(client: Minio, bucket: str, key: str) -> str | None:
    """Return the server's ETag of an object (None: there is no such object)."""
    try:
        return client.stat_object(bucket, key).etag or ""
    except S3Error as error:
        if error_code(error) != _MISSING_CODE:
            raise
        return None


def _expected_etag(data: bytes) -> str:
    """Return the ETag that S3 computes for the content: its MD5, or that of the MD5s of its parts.

    Servers that encrypt compute it otherwise; then an object is sent again, which changes nothing.
    """
    parts = [_md5(data[start : start + _PART_BYTES]) for start in range(0, len(data), _PART_BYTES)]
    if len(parts) < 2:
        return _md5(data).hex()
    return f"{_md5(b''.join(parts)).hex()}-{len(parts)}"


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()
