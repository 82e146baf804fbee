"""An OpenSearch server: a client for each role, its indexes, and the translation of errors.

The users are those of `opensearch_roles.make_users`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
from aiohttp.connector import Connection
from opensearchpy import AIOHttpConnection, AsyncOpenSearch
from opensearchpy._async.http_aiohttp import OpenSearchClientResponse
from opensearchpy.exceptions import (
    AuthenticationException,
    AuthorizationException,
    ConnectionError,
    OpenSearchException,
    RequestError,
    SerializationError,
    TransportError,
)

from stores.authority import Role
from stores.errors import LibraryUnreadable, StoreError
from stores.servers.opensearch_schema import FORMAT, index_additions, index_body, index_names
from stores.servers.server_errors import CONNECT_SECONDS, ServerErrorFactory, first_line, strip_url_secrets

Credentials = Callable[[Role | None], tuple[str, str]]
"""Returns the user and password of a role (None: the owner's, to create indexes and users)."""

OLDEST_VERSION = 2
"""The oldest supported version."""

ANSWER_SECONDS = 60
"""Timeout in seconds for a large batch."""


class OpenSearchServer:
    """The open server. `translate_errors` turns the driver's errors into `StoreError`s that name it."""

    def __init__(self, url: str, credentials: Credentials, prefix: str) -> None:
        self.errors = ServerErrorFactory(
            "text",
            "OpenSearch",
            strip_url_secrets(url),
            kept_message="Nothing is lost: the words are found again from the log and canon.",
            settings_to_check="MONITOR_OPENSEARCH_USER and MONITOR_OPENSEARCH_PASSWORD, and those of the roles",
        )
        self.prefix = prefix
        self._url = url
        self._credentials = credentials
        self._clients: dict[Role | None, AsyncOpenSearch] = {}

    @property
    def owner(self) -> AsyncOpenSearch:
        return self.client_for(None)

    def client_for(self, role: Role | None) -> AsyncOpenSearch:
        """Return a client with the credentials of a role."""
        if role not in self._clients:
            self._clients[role] = AsyncOpenSearch(
                hosts=[self._url],
                http_auth=self._credentials(role),
                connection_class=_OpenSearchConnection,
                timeout=ANSWER_SECONDS,
                max_retries=1,  # every request here is idempotent, and a pooled connection may be stale
            )
        return self._clients[role]

    def index_name(self, collection: str) -> str:
        """Return the name of a collection's index."""
        return f"{self.prefix}{collection}"

    async def open(self) -> None:
        """Check the server, and create the indexes that are missing."""
        self.errors.check_address(self._url, "http://host:9200")
        with self.translate_errors():
            await self._check_product()
            existing_mappings = await self.owner.indices.get_mapping(index=f"{self.prefix}*")
            for index in index_names(self.prefix):
                if index in existing_mappings:
                    await self._upgrade_index(index, existing_mappings[index]["mappings"])
                else:
                    await self._create_index(index)

    async def drop_all(self) -> None:
        """Delete every index of this library (for tests and rebuilding)."""
        with self.translate_errors():
            await self.owner.indices.delete(index=",".join(index_names(self.prefix)), ignore_unavailable=True)

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    async def _check_product(self) -> None:
        about = await self.owner.info()
        version = about.get("version") if isinstance(about, dict) else None
        if not isinstance(version, dict) or version.get("distribution") != "opensearch":
            raise self.errors.wrong_product(first_line(str(about)))
        number = str(version.get("number"))
        if int(number.partition(".")[0]) < OLDEST_VERSION:
            raise self.errors.too_old(number, f"{OLDEST_VERSION}.0")

    async def _upgrade_index(self, index: str, mapping: dict[str, Any]) -> None:
        """Add to an older index what it lacks, or raise LibraryUnreadable if it is of an unknown format."""
        stored_format = mapping.get("_meta", {}).get("monitor_format", 0)
        if stored_format == 1:
            await self.owner.indices.put_mapping(index=index, body=index_additions())
        elif stored_format != FORMAT:
            raise LibraryUnreadable(
                f"The index {index} on the text server at {self.errors.url} is of format {stored_format}, "
                f"and {FORMAT} is known here.",
                kept="It was left as it is.",
                todo="Update MONITOR, or delete that index and run `monitor reindex`.",
            )

    async def _create_index(self, index: str) -> None:
        try:
            await self.owner.indices.create(index=index, body=index_body())
        except RequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    # --- errors -------------------------------------------------------------------------------------

    @contextmanager
    def translate_errors(self, role: Role | None = None, *, is_write: bool = False) -> Iterator[None]:
        """Raise errors of the driver in the block as a `StoreError`; let every other exception pass."""
        try:
            yield
        except (OpenSearchException, aiohttp.ClientError, ValueError, OSError) as error:
            raise self._translate_error(error, role, is_write) from error

    def _translate_error(self, error: Exception, role: Role | None, is_write: bool) -> StoreError:
        if isinstance(error, ConnectionError):
            return self._connection_error(error)
        if isinstance(error, aiohttp.ClientError | OSError):
            return self.errors.unavailable(error)
        if isinstance(error, TransportError):
            return self.response_error(
                error.status_code, error_reason(error), role, is_write=is_write, error=error
            )
        if isinstance(error, SerializationError):
            return self.errors.wrong_product("its answer is no JSON")
        return self.errors.failed(error)

    def _connection_error(self, error: ConnectionError) -> StoreError:
        cause = error.info
        if isinstance(cause, aiohttp.ServerTimeoutError | TimeoutError):
            return self.errors.unavailable("no answer in time")
        if isinstance(cause, aiohttp.ClientResponseError | UnicodeDecodeError):
            return self.errors.wrong_product("it speaks no HTTP")
        return self.errors.unavailable(cause if isinstance(cause, Exception) else str(cause))

    def response_error(
        self, status: Any, reason: str, role: Role | None, *, is_write: bool, error: Exception | None = None
    ) -> StoreError:
        """Return the error for a response, or one item of a bulk response, with this status."""
        if "flood-stage" in reason or "read-only / allow delete" in reason or "No space left" in reason:
            return self.errors.disk_full()
        if isinstance(error, AuthenticationException) or status == 401:
            return self.errors.wrong_credentials()
        if isinstance(error, AuthorizationException) or status == 403:
            return self.errors.write_denied(role, reason) if is_write else self.errors.failed(reason)
        if status in (429, 502, 503, 504):
            return self.errors.unavailable(reason)
        if status in (404, 405) and "index_not_found" not in reason and error is not None:
            return self.errors.wrong_product(reason)
        return self.errors.failed(reason)


async def open_opensearch(
    url: str, credentials: Credentials, *, prefix: str = "monitor-"
) -> OpenSearchServer:
    """Connect, check that MONITOR can use the server, and create the indexes that are missing.

    Raises StoreUnavailable, StoreError (wrong password, another product or one too old) or
    LibraryUnreadable (made by another MONITOR); nothing stays open.
    """
    opensearch = OpenSearchServer(url, credentials, prefix)
    try:
        await opensearch.open()
    except BaseException:
        await opensearch.close()
        raise
    return opensearch


def error_reason(error: TransportError) -> str:
    """Return the reason that the server gave, with the kind of its error."""
    info = error.info if isinstance(error.info, dict) else {}
    detail = info.get("error")
    if isinstance(detail, dict):
        return f"{detail.get('type')}: {detail.get('reason')}"
    return str(detail or info.get("message") or error.error or error.status_code)


class _FastFailConnector(aiohttp.TCPConnector):
    """A short timeout for connections, as the driver has only one for connecting and answering."""

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Any], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        connect_timeout = aiohttp.ClientTimeout(total=timeout.total, sock_connect=CONNECT_SECONDS)
        return await super().connect(req, traces, connect_timeout)


class _OpenSearchConnection(AIOHttpConnection):
    async def _create_aiohttp_session(self) -> None:
        self.loop = self.loop or asyncio.get_running_loop()
        self.session = aiohttp.ClientSession(
            headers=self.headers,
            skip_auto_headers=("accept", "accept-encoding"),
            cookie_jar=aiohttp.DummyCookieJar(),
            response_class=OpenSearchClientResponse,
            connector=_FastFailConnector(limit=self._limit or 10, ssl=self._ssl_context or True),
        )
