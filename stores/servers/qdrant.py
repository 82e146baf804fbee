"""A Qdrant server: clients by permission, its collections, and the translation of errors.

A collection on the server has the vectors of one collection of MONITOR's, one model and one dimension, which are in
its name. The owner's key creates them; roles only write into them (see `qdrant_roles.py`).
"""

from __future__ import annotations

import asyncio
import re
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

import httpx
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from stores.authority import COLLECTIONS, Role, Store
from stores.errors import StoreError
from stores.servers.qdrant_roles import reader_token, writable_collections, writer_token
from stores.servers.server_errors import (
    CONNECT_SECONDS,
    ServerErrorFactory,
    is_disk_full_message,
    strip_url_secrets,
)
from stores.servers.server_names import to_name_part

OLDEST_VERSION = (1, 10)
"""The oldest supported version, which introduced the query endpoint."""

ANSWER_SECONDS = 60
"""Timeout in seconds for a large batch."""

SCOPE = "scope"
"""The payload key of the scope words that searches are filtered by."""


class KeyEnforcement(StrEnum):
    """What the server refuses a role, depending on its kinds of keys."""

    COLLECTIONS = "each role all collections but its own"
    READERS = "readers all writes, and no writer anything"
    NOTHING = "nobody anything"


class QdrantServer:
    """The open server. `translate_errors` turns the driver's errors into `StoreError`s that name it."""

    def __init__(self, url: str, api_key: str, read_only_key: str = "", prefix: str = "monitor-") -> None:
        self.errors = ServerErrorFactory(
            "vector",
            "Qdrant",
            strip_url_secrets(url),
            kept_message="Nothing is lost: vectors are made from the log and canon.",
            settings_to_check="MONITOR_QDRANT_API_KEY and MONITOR_QDRANT_READ_ONLY_API_KEY",
        )
        self.enforcement = KeyEnforcement.NOTHING
        self.write_lock = asyncio.Lock()
        """One writer at a time, as with SQLite, as the first vector of a model sets its dimension."""
        self._url = url
        self._api_key = api_key
        self._read_only_key = read_only_key
        self._prefix = prefix
        self._name_prefixes = tuple(f"{prefix}{collection}__" for collection in COLLECTIONS[Store.VECTORS])
        self._clients: dict[str, AsyncQdrantClient] = {}
        self._collection_names: frozenset[str] = frozenset()
        self._complete_names: set[str] = set()

    async def open(self) -> None:
        """Check the server, and find out which permissions its keys enforce."""
        self.errors.check_address(self._url, "http://host:6333")
        with self.translate_errors():
            about = await self._owner.info()
            if "qdrant" not in about.title.casefold():
                raise self.errors.wrong_product(about.title[:100])
            if tuple(int(part) for part in re.findall(r"\d+", about.version)[:2]) < OLDEST_VERSION:
                raise self.errors.too_old(about.version, ".".join(map(str, OLDEST_VERSION)))
            await self._owner.get_collections()
            self.enforcement = await self._find_enforcement()
            await self._refresh_names()

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    # --- clients ------------------------------------------------------------------------------------

    @property
    def reader_client(self) -> AsyncQdrantClient:
        """Return a client that can read everything and write nothing, if the server supports that."""
        return self._cached_client("reader", self.reader_key)

    def writer_client(self, role: Role | None) -> AsyncQdrantClient:
        """Return a client with the credentials of a role (None: the owner's)."""
        if role is None:
            return self._owner
        return self._cached_client(role, lambda: self.writer_key(role))

    def reader_key(self) -> str:
        """Return the key for reading."""
        if self._read_only_key or self.enforcement is not KeyEnforcement.COLLECTIONS:
            return self._read_only_key or self._api_key
        return reader_token(self._api_key, time.time())

    def writer_key(self, role: Role) -> str:
        """Return the key with which a role writes to the present collections of its row."""
        own_collections = writable_collections(role)
        if not own_collections:
            return self.reader_key()
        if self.enforcement is not KeyEnforcement.COLLECTIONS:
            return self._api_key
        name_prefixes = tuple(f"{self._prefix}{collection}__" for collection in own_collections)
        return writer_token(
            self._api_key,
            time.time(),
            (name for name in self._collection_names if name.startswith(name_prefixes)),
        )

    @property
    def _owner(self) -> AsyncQdrantClient:
        return self._cached_client("owner", lambda: self._api_key)

    def _cached_client(self, client_name: str, key: Callable[[], str]) -> AsyncQdrantClient:
        if client_name not in self._clients:
            self._clients[client_name] = _make_client(self._url, key if self._api_key else None)
        return self._clients[client_name]

    async def _find_enforcement(self) -> KeyEnforcement:
        if not self._api_key:
            return KeyEnforcement.NOTHING
        if await self._accepts_key(reader_token(self._api_key, time.time())):
            return KeyEnforcement.COLLECTIONS
        return KeyEnforcement.READERS if self._read_only_key else KeyEnforcement.NOTHING

    async def _accepts_key(self, key: str) -> bool:
        client = _make_client(self._url, lambda: key)
        try:
            await client.get_collections()
        except UnexpectedResponse as error:
            if error.status_code not in (401, 403):
                raise
            return False
        finally:
            await client.close()
        return True

    # --- collections --------------------------------------------------------------------------------

    def collection_name(self, collection: str, model: str, size: int) -> str:
        """Return the server's name for a collection's vectors of this model and size."""
        return f"{self._name_prefix(collection, model)}{size}"

    def collection_names(self, collection: str) -> list[str]:
        """Return the server's names for a collection, one for each model and dimension."""
        return sorted(
            name for name in self._collection_names if name.startswith(f"{self._prefix}{collection}__")
        )

    async def read_dimensions(self, collection: str, model: str, *, expected: int | None = None) -> list[int]:
        """Return the dimensions of a model's collections; looked up again if `expected` is not among them."""
        dimensions = self._known_dimensions(collection, model)
        if not dimensions or (expected is not None and expected not in dimensions):
            await self._refresh_names()
            dimensions = self._known_dimensions(collection, model)
        return dimensions

    async def ensure_collection(self, collection: str, model: str, size: int) -> None:
        """Create the collection with its payload index, or complete one that a crash left unfinished."""
        name = self.collection_name(collection, model, size)
        if name in self._complete_names:
            return
        if name not in self._collection_names:
            await self._create_collection(name, size)
        await self._owner.create_payload_index(
            name, SCOPE, field_schema=models.PayloadSchemaType.KEYWORD, wait=True
        )
        self._collection_names |= {name}
        self._complete_names.add(name)

    def forget_collections(self) -> None:
        """Clear the cache of collections, as another program has changed them."""
        self._collection_names = frozenset()
        self._complete_names.clear()

    def ambiguous_model_name(self, model: str) -> str | None:
        """Return the model's name if the names of its collections do not contain it unchanged."""
        return None if to_name_part(model) == model else model

    async def read_models(self, collection: str) -> dict[str, str]:
        """Return the server's collections of a collection, with the name of the model in each."""
        await self._refresh_names()
        name_prefix = f"{self._prefix}{collection}__"
        parts = {
            name: name.removeprefix(name_prefix).rpartition("__")
            for name in self.collection_names(collection)
        }
        return {name: model for name, (model, _, size) in parts.items() if size.isdecimal()}

    async def drop_model(self, collection: str, model: str) -> None:
        """Delete all collections of a model, with the owner's key, as roles may only write into collections."""
        await self._refresh_names()
        for size in self._known_dimensions(collection, model):
            await self._owner.delete_collection(self.collection_name(collection, model, size))
        await self._refresh_names()

    async def drop_all(self) -> None:
        """Delete every collection of this library (for tests and rebuilding)."""
        with self.translate_errors():
            await self._refresh_names()
            for name in self._collection_names:
                await self._owner.delete_collection(name)
            self.forget_collections()

    async def _create_collection(self, name: str, size: int) -> None:
        # For unit vectors the dot product is the cosine. Qdrant's cosine would normalise them again, and give
        # slightly other results than the embedded index.
        params = models.VectorParams(
            size=size, distance=models.Distance.DOT, datatype=models.Datatype.FLOAT16, on_disk=False
        )
        try:
            await self._owner.create_collection(name, vectors_config=params)
        except UnexpectedResponse as error:
            if error.status_code != httpx.codes.CONFLICT:
                raise

    async def _refresh_names(self) -> None:
        response = await self.reader_client.get_collections()
        self._collection_names = frozenset(
            c.name for c in response.collections if c.name.startswith(self._name_prefixes)
        )
        self._complete_names &= self._collection_names

    def _known_dimensions(self, collection: str, model: str) -> list[int]:
        name_prefix = self._name_prefix(collection, model)
        sizes = (
            name.removeprefix(name_prefix) for name in self._collection_names if name.startswith(name_prefix)
        )
        return sorted(int(size) for size in sizes if size.isdecimal())

    def _name_prefix(self, collection: str, model: str) -> str:
        return f"{self._prefix}{collection}__{to_name_part(model)}__"

    # --- errors -------------------------------------------------------------------------------------

    @contextmanager
    def translate_errors(self, role: Role | None = None, *, is_write: bool = False) -> Iterator[None]:
        """Raise errors of the driver in the block as a `StoreError`; let every other exception pass."""
        try:
            yield
        except (ApiException, ResourceExhaustedResponse, httpx.HTTPError, ValueError, OSError) as error:
            raise self._translate_error(error, role, is_write) from error

    def _translate_error(self, error: Exception, role: Role | None, is_write: bool) -> StoreError:
        if isinstance(error, ResponseHandlingException):
            return self._translate_error(error.source, role, is_write)
        if isinstance(error, httpx.RemoteProtocolError) and "illegal" in str(error):
            return self.errors.wrong_product("it speaks no HTTP")
        if isinstance(error, httpx.HTTPError | ResourceExhaustedResponse | OSError):
            return self.errors.unavailable(error)
        if isinstance(error, UnexpectedResponse):
            return self._translate_response(error, role, is_write)
        return self.errors.wrong_product(
            f"its answer makes no sense to Qdrant's client ({type(error).__name__})"
        )

    def _translate_response(self, error: UnexpectedResponse, role: Role | None, is_write: bool) -> StoreError:
        message = _error_message(error)
        if is_disk_full_message(message) or error.status_code == httpx.codes.INSUFFICIENT_STORAGE:
            return self.errors.disk_full()
        if error.status_code == httpx.codes.UNAUTHORIZED:
            return self.errors.wrong_credentials()
        if error.status_code == httpx.codes.FORBIDDEN:
            return (
                self.errors.write_denied(role, message or "forbidden")
                if is_write
                else self.errors.wrong_credentials()
            )
        if error.status_code in (429, 502, 503, 504):
            return self.errors.unavailable(message or f"it says {error.status_code}")
        return (
            self.errors.failed(message)
            if message
            else self.errors.wrong_product(f"it says {error.status_code}")
        )


async def open_qdrant(
    url: str, api_key: str, read_only_key: str = "", *, prefix: str = "monitor-"
) -> QdrantServer:
    """Connect and check that MONITOR can use the server. Without a key it must be on loopback.

    Raises StoreUnavailable, or StoreError for a wrong key, another product or one too old.
    """
    qdrant = QdrantServer(url, api_key, read_only_key, prefix)
    try:
        await qdrant.open()
    except BaseException:
        await qdrant.close()
        raise
    return qdrant


def is_missing(error: UnexpectedResponse) -> bool:
    """Return whether the server says that there is no such collection."""
    return error.status_code == httpx.codes.NOT_FOUND


class _FastFailTransport(httpx.AsyncHTTPTransport):
    """A short timeout for connections, as the driver has only one for connecting and answering."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["timeout"] = request.extensions.get("timeout", {}) | {"connect": CONNECT_SECONDS}
        return await super().handle_async_request(request)


def _make_client(url: str, key: Callable[[], str] | None) -> AsyncQdrantClient:
    secure: Any = url.startswith("https")
    with warnings.catch_warnings():
        # The client warns about a key over plain HTTP, which is normal on loopback and in a compose network.
        warnings.simplefilter("ignore", UserWarning)
        return AsyncQdrantClient(
            url=url,
            auth_token_provider=key,
            timeout=ANSWER_SECONDS,
            check_compatibility=False,
            transport=_FastFailTransport(verify=secure),
        )


def _error_message(error: UnexpectedResponse) -> str:
    """Return the server's message; empty if it is not in Qdrant's format."""
    try:
        status = error.structured()["status"]
        return str(status["error"] if isinstance(status, dict) else status)
    except (ValueError, KeyError, TypeError):
        return ""
