"""One MinIO: a client for each role, its buckets, and its errors in MONITOR's words.

The driver waits: everything runs in threads. Any server that speaks S3 will do for the objects; the
users (`minio_roles`) are MinIO's own. Source: issue "The five stores".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from xml.etree.ElementTree import ParseError

import urllib3
from minio import Minio, MinioAdmin
from minio.credentials.providers import StaticProvider
from minio.error import MinioAdminException, MinioException, S3Error, ServerError
from urllib3.exceptions import HTTPError

from stores.authority import COLLECTIONS, Role, Store
from stores.errors import StoreError
from stores.servers.server_errors import CONNECT_SECONDS, Server, first_line, without_secrets

T = TypeVar("T")

Credentials = Callable[[Role | None], tuple[str, str]]
"""Gives the access key and the secret key of a role (None: the owner's, for making buckets and users)."""

ANSWER_SECONDS = 60.0
"""How long a part of a large object may take."""

REGION = "us-east-1"
"""Said beforehand: else the driver asks for it, which a user held to some buckets may not."""

_WRONG_KEYS = ("SignatureDoesNotMatch", "InvalidAccessKeyId", "XMinioAdminInvalidAccessKey")
_NO_ROOM = ("XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded")
_BUSY = ("SlowDown", "SlowDownRead", "SlowDownWrite", "ServiceUnavailable", "XMinioServerNotInitialized")
_THERE = ("BucketAlreadyOwnedByYou", "BucketAlreadyExists")
_GONE = ("XMinioAdminNoSuchUser", "XMinioAdminNoSuchPolicy")


class Buckets:
    """The open server. Every error within `in_our_words` is a `StoreError` that names it."""

    def __init__(self, endpoint: str, credentials: Credentials, prefix: str, region: str = REGION) -> None:
        scheme, _, host = endpoint.rpartition("://")
        self.server = Server(
            "object",
            "MinIO",
            without_secrets(endpoint),
            kept="Nothing of this was changed there.",
            settings="MONITOR_MINIO_ACCESS_KEY and MONITOR_MINIO_SECRET_KEY, and those of the roles",
        )
        self.prefix = prefix
        self._region = region
        self._host = host.rstrip("/")
        self._secure = scheme == "https"
        self._credentials = credentials
        self._clients: dict[Role | None, Minio] = {}
        self._http = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=ANSWER_SECONDS),
            maxsize=10,
            cert_reqs="CERT_REQUIRED",
            retries=False,
        )

    def client(self, role: Role | None) -> Minio:
        """Return a client with the credentials of a role."""
        if role not in self._clients:
            user, password = self._credentials(role)
            self._clients[role] = Minio(
                self._host, user, password, secure=self._secure, region=self._region, http_client=self._http
            )
        return self._clients[role]

    def bucket(self, collection: str) -> str:
        """Return what a collection's bucket is called."""
        return f"{self.prefix}{collection}"

    async def open(self) -> None:
        """Look at what answers there, and make the buckets that are not there yet."""
        scheme = "https" if self._secure else "http"
        self.server.check_address(f"{scheme}://{self._host}", "127.0.0.1:9000, or https://host")
        await asyncio.to_thread(self._open)

    async def manage(self, work: Callable[[MinioAdmin], T], *, missing_is_fine: bool = False) -> T | None:
        """Do something through the server's admin API, as the owner."""
        return await asyncio.to_thread(self._manage, work, missing_is_fine)

    async def drop_all(self) -> None:
        """Delete every bucket of this library with all that is in it (tests)."""
        await asyncio.to_thread(self._drop_all)

    async def close(self) -> None:
        self._clients.clear()
        self._http.clear()

    def _open(self) -> None:
        with self.in_our_words():
            owner = self.client(None)
            there = {bucket.name for bucket in owner.list_buckets()}
            for bucket in map(self.bucket, COLLECTIONS[Store.OBJECTS]):
                if bucket not in there:
                    with _unless(_THERE):
                        owner.make_bucket(bucket)

    def _manage(self, work: Callable[[MinioAdmin], T], missing_is_fine: bool) -> T | None:
        with self.in_our_words():
            admin = MinioAdmin(
                endpoint=self._host,
                credentials=StaticProvider(*self._credentials(None)),
                region=self._region,
                secure=self._secure,
                http_client=self._http,
            )
            with _unless(_GONE if missing_is_fine else ()):
                return work(admin)
        return None

    def _drop_all(self) -> None:
        with self.in_our_words():
            owner = self.client(None)
            for bucket in map(self.bucket, COLLECTIONS[Store.OBJECTS]):
                with _unless(("NoSuchBucket",)):
                    for found in owner.list_objects(bucket, recursive=True):
                        owner.remove_object(bucket, str(found.object_name))
                    owner.remove_bucket(bucket)

    # --- errors -------------------------------------------------------------------------------------

    @contextmanager
    def in_our_words(self, role: Role | None = None, *, writes: bool = False) -> Iterator[None]:
        """Raise any error of the driver within as its kind of `StoreError`; let every other one pass."""
        try:
            yield
        except (MinioException, MinioAdminException, HTTPError, ParseError, ValueError, OSError) as error:
            raise self._told(error, role, writes) from error

    def _told(self, error: Exception, role: Role | None, writes: bool) -> StoreError:
        if isinstance(error, HTTPError | OSError):
            return self.server.unavailable(error)
        if isinstance(error, ServerError) and error.status_code in (502, 503, 504):
            return self.server.unavailable(error)
        if isinstance(error, S3Error | MinioAdminException) and (code := code_of(error)):
            return self._refused(error, code, role, writes)
        return self.server.stranger(first_line(error))

    def _refused(self, error: Exception, code: str, role: Role | None, writes: bool) -> StoreError:
        said = f"{code}: {_message(error)}"
        if code in _WRONG_KEYS:
            return self.server.refuses_us()
        if code == "AccessDenied":
            return self.server.denied(role, said) if writes else self.server.refuses_us()
        if code in _NO_ROOM:
            return self.server.full()
        if code in _BUSY:
            return self.server.unavailable(said)
        if code == "RequestTimeTooSkewed":
            return StoreError(
                f"The clocks here and of the object server at {self.server.url} are too far apart.",
                kept=self.server.kept,
                todo="Set both by the same time server, then try again.",
            )
        return self.server.could_not(said)


async def open_minio(
    endpoint: str, credentials: Credentials, *, prefix: str = "monitor-", region: str = REGION
) -> Buckets:
    """Connect, check that it speaks S3, and make what buckets are missing.

    Raises StoreUnavailable, or StoreError (wrong keys, another product); nothing stays open.
    """
    buckets = Buckets(endpoint, credentials, prefix, region)
    try:
        await buckets.open()
    except BaseException:
        await buckets.close()
        raise
    return buckets


def code_of(error: Exception) -> str:
    """Return the code of the server's answer, if it gave one."""
    if isinstance(error, S3Error):
        return error.code or ""
    with suppress(ValueError, KeyError, TypeError):
        return str(_body(error)["Code"])
    return ""


@contextmanager
def _unless(codes: tuple[str, ...]) -> Iterator[None]:
    """Let errors of these codes pass in silence."""
    try:
        yield
    except (S3Error, MinioAdminException) as error:
        if code_of(error) not in codes:
            raise


def _message(error: Exception) -> str:
    if isinstance(error, S3Error):
        return str(error.message)
    with suppress(ValueError, KeyError, TypeError):
        return str(_body(error)["Message"])
    return str(error)


def _body(error: Exception) -> dict[str, object]:
    told: dict[str, object] = json.loads(str(error).partition("Body: ")[2])
    return told
