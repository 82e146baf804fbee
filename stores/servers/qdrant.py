"""One Qdrant: its clients by what they may do, its collections, and its errors in MONITOR's words.

A collection on the server holds one collection of MONITOR's as one model sees it, in one dimension, and
its name says so. The owner's key makes them; roles only ever write into them (see `qdrant_roles.py`).
Source: issue "The five stores".
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
"""The first Qdrant with the one query endpoint that searches are made through."""

ANSWER_SECONDS = 60
"""How long a large batch may take."""

SCOPE = "scope"
"""The payload key of the words that searches are narrowed by."""


class KeyEnforcement(StrEnum):
    """What the server itself refuses a role, as far as its keys go."""

    COLLECTIONS = "each role all collections but its own"
    READERS = "readers all writes, and no writer anything"
    NOTHING = "nobody anything"


class QdrantServer:
    """The open server. Every error within `in_our_words` is a `StoreError` that names it."""

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
        """One writer at a time, as in the embedded twin: the first vector of a model sets its dimension."""
        self._url = url
        self._api_key = api_key
        self._read_only_key = read_only_key
        self._prefix = prefix
        self._name_prefixes = tuple(f"{prefix}{collection}__" for collection in COLLECTIONS[Store.VECTORS])
        self._clients: dict[str, AsyncQdrantClient] = {}
        self._collection_names: frozenset[str] = frozenset()
        self._complete_names: set[str] = set()

    async def open(self) -> None:
        """Look at what answers there, and find out what its keys can part."""
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
        """A client that can read everything and write nothing, if the server knows of such a thing."""
        return self._cached_client("reader", self.reader_key)

    def writer_client(self, role: Role | None) -> AsyncQdrantClient:
        """A client with the credentials of a role (None: the owner's)."""
        if role is None:
            return self._owner
        return self._cached_client(role, lambda: self.writer_key(role))

    def reader_key(self) -> str:
        """Return the key that everyone reads with."""
        if self._read_only_key or self.enforcement is not KeyEnforcement.COLLECTIONS:
            return self._read_only_key or self._api_key
        return reader_token(self._api_key, time.time())

    def writer_key(self, role: Role) -> str:
        """Return what a role writes with: it opens the collections of its row, as they now are."""
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
        """Return what the server calls the vectors of `size` numbers that a model made of a collection."""
        return f"{self._name_prefix(collection, model)}{size}"

    def collection_names(self, collection: str) -> list[str]:
        """Return what the server has of a collection, one for each model and dimension."""
        return sorted(
            name for name in self._collection_names if name.startswith(f"{self._prefix}{collection}__")
        )

    async def read_dimensions(self, collection: str, model: str, *, expected: int | None = None) -> list[int]:
        """Return the dimensions there are collections for; looked up again if `having` is not among them."""
        dimensions = self._known_dimensions(collection, model)
        if not dimensions or (expected is not None and expected not in dimensions):
            await self._refresh_names()
            dimensions = self._known_dimensions(collection, model)
        return dimensions

    async def ensure_collection(self, collection: str, model: str, size: int) -> None:
        """Make the collection with its payload index, or make whole what a crash left of it."""
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
        """Believe nothing about which collections there are: another program has changed them."""
        self._collection_names = frozenset()
        self._complete_names.clear()

    def ambiguous_model_name(self, model: str) -> str | None:
        """Return the model's name if it does not stand in those of its collections as it is."""
        return None if to_name_part(model) == model else model

    async def read_models(self, collection: str) -> dict[str, str]:
        """Return what the server has now of a collection, each with what its model is called there."""
        await self._refresh_names()
        name_prefix = f"{self._prefix}{collection}__"
        parts = {
            name: name.removeprefix(name_prefix).rpartition("__")
            for name in self.collection_names(collection)
        }
        return {name: model for name, (model, _, size) in parts.items() if size.isdecimal()}

    async def drop_model(self, collection: str, model: str) -> None:
        """Delete all collections of a model, with the owner's key: a role's opens no more than what is in
        them."""
        await self._refresh_names()
        for size in self._known_dimensions(collection, model):
            await self._owner.delete_collection(self.collection_name(collection, model, size))
        await self._refresh_names()

    async def drop_all(self) -> None:
        """Delete every collection of this library (tests; making the index anew)."""
        with self.translate_errors():
            await self._refresh_names()
            for name in self._collection_names:
                await self._owner.delete_collection(name)
            self.forget_collections()

    async def _create_collection(self, name: str, size: int) -> None:
        # Of vectors of length one the dot product is the cosine; Qdrant's own cosine would bring them to
        # length one a second time, and a little off what the embedded twin answers.
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
        """Raise any error of the driver within as its kind of `StoreError`; let every other one pass."""
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
    """Connect and check that it is a Qdrant that MONITOR can use. Without a key it must be on loopback.

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
    """Tell whether the server says that there is no such collection."""
    return error.status_code == httpx.codes.NOT_FOUND


class _FastFailTransport(httpx.AsyncHTTPTransport):
    """Waits long for an answer, and not long for a connection; the driver has but one time for both."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["timeout"] = request.extensions.get("timeout", {}) | {"connect": CONNECT_SECONDS}
        return await super().handle_async_request(request)


def _make_client(url: str, key: Callable[[], str] | None) -> AsyncQdrantClient:
    secure: Any = url.startswith("https")
    with warnings.catch_warnings():
        # It warns on the screen of a key over plain HTTP; on loopback, and in a compose network, that is so.
        warnings.simplefilter("ignore", UserWarning)
        return AsyncQdrantClient(
            url=url,
            auth_token_provider=key,
            timeout=ANSWER_SECONDS,
            check_compatibility=False,
            transport=_FastFailTransport(verify=secure),
        )


def _error_message(error: UnexpectedResponse) -> str:
    """Return the server's words; empty if they are not such as Qdrant says them."""
    try:
        status = error.structured()["status"]
        return str(status["error"] if isinstance(status, dict) else status)
    except (ValueError, KeyError, TypeError):
        return ""
