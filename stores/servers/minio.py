"""A MinIO server: a client for each role, its buckets, and the translation of its errors.

The driver blocks, so everything runs in threads. Any server that speaks S3 works for the objects; the users
(`minio_roles`) need MinIO.
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
from stores.servers.server_errors import CONNECT_SECONDS, ServerErrorFactory, first_line, strip_url_secrets

T = TypeVar("T")

Credentials = Callable[[Role | None], tuple[str, str]]
"""Returns the access key and secret key of a role (None: the owner's, to create buckets and users)."""

ANSWER_SECONDS = 60.0
"""Timeout in seconds for a part of a large object."""

REGION = "us-east-1"
"""Set explicitly: else the driver asks for it, which a restricted user may not."""

_CREDENTIAL_CODES = ("SignatureDoesNotMatch", "InvalidAccessKeyId", "XMinioAdminInvalidAccessKey")
_DISK_FULL_CODES = ("XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded")
_BUSY_CODES = (
    "SlowDown",
    "SlowDownRead",
    "SlowDownWrite",
    "ServiceUnavailable",
    "XMinioServerNotInitialized",
)
_BUCKET_EXISTS_CODES = ("BucketAlreadyOwnedByYou", "BucketAlreadyExists")
_USER_MISSING_CODES = ("XMinioAdminNoSuchUser", "XMinioAdminNoSuchPolicy")


class MinioBuckets:
    """The open server. `translate_errors` turns the driver's errors into `StoreError`s that name it."""

    def __init__(self, endpoint: str, credentials: Credentials, prefix: str, region: str = REGION) -> None:
        scheme, _, host = endpoint.rpartition("://")
        self.errors = ServerErrorFactory(
            "object",
            "MinIO",
            strip_url_secrets(endpoint),
            kept_message="Nothing of this was changed there.",
            settings_to_check="MONITOR_MINIO_ACCESS_KEY and MONITOR_MINIO_SECRET_KEY, and those of the roles",
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

    def client_for(self, role: Role | None) -> Minio:
        """Return a client with the credentials of a role."""
        if role not in self._clients:
            user, password = self._credentials(role)
            self._clients[role] = Minio(
                self._host, user, password, secure=self._secure, region=self._region, http_client=self._http
            )
        return self._clients[role]

    def bucket_name(self, collection: str) -> str:
        """Return the name of a collection's bucket."""
        return f"{self.prefix}{collection}"

    async def open(self) -> None:
        """Check the server, and create the buckets that are missing."""
        scheme = "https" if self._secure else "http"
        self.errors.check_address(f"{scheme}://{self._host}", "127.0.0.1:9000, or https://host")
        await asyncio.to_thread(self._make_missing_buckets)

    async def run_admin(self, work: Callable[[MinioAdmin], T], *, ignore_missing: bool = False) -> T | None:
        """Do something through the server's admin API, as the owner."""
        return await asyncio.to_thread(self._run_admin, work, ignore_missing)

    async def drop_all(self) -> None:
        """Delete every bucket of this library with all that is in it (tests)."""
        await asyncio.to_thread(self._drop_all)

    async def close(self) -> None:
        self._clients.clear()
        self._http.clear()

    def _make_missing_buckets(self) -> None:
        with self.translate_errors():
            owner = self.client_for(None)
            existing_names = {bucket.name for bucket in owner.list_buckets()}
            for bucket in map(self.bucket_name, COLLECTIONS[Store.OBJECTS]):
                if bucket not in existing_names:
                    with _ignore_codes(_BUCKET_EXISTS_CODES):
                        owner.make_bucket(bucket)

    def _run_admin(self, work: Callable[[MinioAdmin], T], ignore_missing: bool) -> T | None:
        with self.translate_errors():
            admin = MinioAdmin(
                endpoint=self._host,
                credentials=StaticProvider(*self._credentials(None)),
                region=self._region,
                secure=self._secure,
                http_client=self._http,
            )
            with _ignore_codes(_USER_MISSING_CODES if ignore_missing else ()):
                return work(admin)
        return None

    def _drop_all(self) -> None:
        with self.translate_errors():
            owner = self.client_for(None)
            for bucket in map(self.bucket_name, COLLECTIONS[Store.OBJECTS]):
                with _ignore_codes(("NoSuchBucket",)):
                    for stored_object in owner.list_objects(bucket, recursive=True):
                        owner.remove_object(bucket, str(stored_object.object_name))
                    owner.remove_bucket(bucket)

    # --- errors -------------------------------------------------------------------------------------

    @contextmanager
    def translate_errors(self, role: Role | None = None, *, is_write: bool = False) -> Iterator[None]:
        """Raise errors of the driver in the block as a `StoreError`; let every other exception pass."""
        try:
            yield
        except (MinioException, MinioAdminException, HTTPError, ParseError, ValueError, OSError) as error:
            raise self._translate_error(error, role, is_write) from error

    def _translate_error(self, error: Exception, role: Role | None, is_write: bool) -> StoreError:
        if isinstance(error, HTTPError | OSError):
            return self.errors.unavailable(error)
        if isinstance(error, ServerError) and error.status_code in (502, 503, 504):
            return self.errors.unavailable(error)
        if isinstance(error, S3Error | MinioAdminException) and (code := error_code(error)):
            return self._translate_code(error, code, role, is_write)
        return self.errors.wrong_product(first_line(error))

    def _translate_code(self, error: Exception, code: str, role: Role | None, is_write: bool) -> StoreError:
        message = f"{code}: {_error_message(error)}"
        if code in _CREDENTIAL_CODES:
            return self.errors.wrong_credentials()
        if code == "AccessDenied":
            return self.errors.write_denied(role, message) if is_write else self.errors.wrong_credentials()
        if code in _DISK_FULL_CODES:
            return self.errors.disk_full()
        if code in _BUSY_CODES:
            return self.errors.unavailable(message)
        if code == "RequestTimeTooSkewed":
            return StoreError(
                f"The clocks here and of the object server at {self.errors.url} are too far apart.",
                kept=self.errors.kept_message,
                todo="Set both by the same time server, then try again.",
            )
        return self.errors.failed(message)


async def open_minio(
    endpoint: str, credentials: Credentials, *, prefix: str = "monitor-", region: str = REGION
) -> MinioBuckets:
    """Connect, check that the server speaks S3, and create the buckets that are missing.

    Raises StoreUnavailable, or StoreError (wrong keys, another product); nothing stays open.
    """
    buckets = MinioBuckets(endpoint, credentials, prefix, region)
    try:
        await buckets.open()
    except BaseException:
        await buckets.close()
        raise
    return buckets


def error_code(error: Exception) -> str:
    """Return the code of the server's answer, if it gave one."""
    if isinstance(error, S3Error):
        return error.code or ""
    with suppress(ValueError, KeyError, TypeError):
        return str(_error_body(error)["Code"])
    return ""


@contextmanager
def _ignore_codes(codes: tuple[str, ...]) -> Iterator[None]:
    """Ignore errors of these codes."""
    try:
        yield
    except (S3Error, MinioAdminException) as error:
        if error_code(error) not in codes:
            raise


def _error_message(error: Exception) -> str:
    if isinstance(error, S3Error):
        return str(error.message)
    with suppress(ValueError, KeyError, TypeError):
        return str(_error_body(error)["Message"])
    return str(error)


def _error_body(error: Exception) -> dict[str, object]:
    body: dict[str, object] = json.loads(str(error).partition("Body: ")[2])
    return body
