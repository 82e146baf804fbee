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
from stores.servers.qdrant_roles import reader_token, writer_token, written_by
from stores.servers.server_errors import CONNECT_SECONDS, Server, has_no_room, without_secrets
from stores.servers.server_names import part_of_name

OLDEST = (1, 10)
"""The first Qdrant with the one query endpoint that searches are made through."""

ANSWER_SECONDS = 60
"""How long a large batch may take."""

SCOPE = "scope"
"""The payload key of the words that searches are narrowed by."""


class Refuses(StrEnum):
    """What the server itself refuses a role, as far as its keys go."""

    COLLECTIONS = "each role all collections but its own"
    READERS = "readers all writes, and no writer anything"
    NOTHING = "nobody anything"


class Qdrant:
    """The open server. Every error within `in_our_words` is a `StoreError` that names it."""

    def __init__(self, url: str, api_key: str, read_only_key: str = "", prefix: str = "monitor-") -> None:
        self.server = Server(
            "vector",
            "Qdrant",
            without_secrets(url),
            kept="Nothing is lost: vectors are made from the log and canon.",
            settings="MONITOR_QDRANT_API_KEY and MONITOR_QDRANT_READ_ONLY_API_KEY",
        )
        self.refuses = Refuses.NOTHING
        self.writing = asyncio.Lock()
        """One writer at a time, as in the embedded twin: the first vector of a model sets its dimension."""
        self._url = url
        self._api_key = api_key
        self._read_only_key = read_only_key
        self._prefix = prefix
        self._beginnings = tuple(f"{prefix}{collection}__" for collection in COLLECTIONS[Store.VECTORS])
        self._clients: dict[str, AsyncQdrantClient] = {}
        self._names: frozenset[str] = frozenset()
        self._whole: set[str] = set()

    async def open(self) -> None:
        """Look at what answers there, and find out what its keys can part."""
        self.server.check_address(self._url, "http://host:6333")
        with self.in_our_words():
            about = await self._owner.info()
            if "qdrant" not in about.title.casefold():
                raise self.server.stranger(about.title[:100])
            if tuple(int(part) for part in re.findall(r"\d+", about.version)[:2]) < OLDEST:
                raise self.server.too_old(about.version, ".".join(map(str, OLDEST)))
            await self._owner.get_collections()
            self.refuses = await self._what_it_refuses()
            await self._look()

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()

    # --- clients ------------------------------------------------------------------------------------

    @property
    def reader(self) -> AsyncQdrantClient:
        """A client that can read everything and write nothing, if the server knows of such a thing."""
        return self._client("reader", self.reader_key)

    def writer(self, role: Role | None) -> AsyncQdrantClient:
        """A client with the credentials of a role (None: the owner's)."""
        if role is None:
            return self._owner
        return self._client(role, lambda: self.key_of(role))

    def reader_key(self) -> str:
        """Return the key that everyone reads with."""
        if self._read_only_key or self.refuses is not Refuses.COLLECTIONS:
            return self._read_only_key or self._api_key
        return reader_token(self._api_key, time.time())

    def key_of(self, role: Role) -> str:
        """Return what a role writes with: it opens the collections of its row, as they now are."""
        own = written_by(role)
        if not own:
            return self.reader_key()
        if self.refuses is not Refuses.COLLECTIONS:
            return self._api_key
        beginnings = tuple(f"{self._prefix}{collection}__" for collection in own)
        return writer_token(
            self._api_key, time.time(), (name for name in self._names if name.startswith(beginnings))
        )

    @property
    def _owner(self) -> AsyncQdrantClient:
        return self._client("owner", lambda: self._api_key)

    def _client(self, who: str, key: Callable[[], str]) -> AsyncQdrantClient:
        if who not in self._clients:
            self._clients[who] = _connected(self._url, key if self._api_key else None)
        return self._clients[who]

    async def _what_it_refuses(self) -> Refuses:
        if not self._api_key:
            return Refuses.NOTHING
        if await self._admits(reader_token(self._api_key, time.time())):
            return Refuses.COLLECTIONS
        return Refuses.READERS if self._read_only_key else Refuses.NOTHING

    async def _admits(self, key: str) -> bool:
        client = _connected(self._url, lambda: key)
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

    def name(self, collection: str, model: str, size: int) -> str:
        """Return what the server calls the vectors of `size` numbers that a model made of a collection."""
        return f"{self._beginning(collection, model)}{size}"

    def names_of(self, collection: str) -> list[str]:
        """Return what the server has of a collection, one for each model and dimension."""
        return sorted(name for name in self._names if name.startswith(f"{self._prefix}{collection}__"))

    async def sizes(self, collection: str, model: str, *, having: int | None = None) -> list[int]:
        """Return the dimensions there are collections for; looked up again if `having` is not among them."""
        found = self._sizes(collection, model)
        if not found or (having is not None and having not in found):
            await self._look()
            found = self._sizes(collection, model)
        return found

    async def make(self, collection: str, model: str, size: int) -> None:
        """Make the collection with its payload index, or make whole what a crash left of it."""
        name = self.name(collection, model, size)
        if name in self._whole:
            return
        if name not in self._names:
            await self._create(name, size)
        await self._owner.create_payload_index(
            name, SCOPE, field_schema=models.PayloadSchemaType.KEYWORD, wait=True
        )
        self._names |= {name}
        self._whole.add(name)

    def forget(self) -> None:
        """Believe nothing about which collections there are: another program has changed them."""
        self._names = frozenset()
        self._whole.clear()

    def told_apart(self, model: str) -> str | None:
        """Return the model's name if it does not stand in those of its collections as it is."""
        return None if part_of_name(model) == model else model

    async def models_of(self, collection: str) -> dict[str, str]:
        """Return what the server has now of a collection, each with what its model is called there."""
        await self._look()
        beginning = f"{self._prefix}{collection}__"
        parts = {name: name.removeprefix(beginning).rpartition("__") for name in self.names_of(collection)}
        return {name: model for name, (model, _, size) in parts.items() if size.isdecimal()}

    async def drop(self, collection: str, model: str) -> None:
        """Delete all collections of a model, with the owner's key: a role's opens no more than what is in
        them."""
        await self._look()
        for size in self._sizes(collection, model):
            await self._owner.delete_collection(self.name(collection, model, size))
        await self._look()

    async def drop_all(self) -> None:
        """Delete every collection of this library (tests; making the index anew)."""
        with self.in_our_words():
            await self._look()
            for name in self._names:
                await self._owner.delete_collection(name)
            self.forget()

    async def _create(self, name: str, size: int) -> None:
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

    async def _look(self) -> None:
        told = await self.reader.get_collections()
        self._names = frozenset(c.name for c in told.collections if c.name.startswith(self._beginnings))
        self._whole &= self._names

    def _sizes(self, collection: str, model: str) -> list[int]:
        beginning = self._beginning(collection, model)
        sizes = (name.removeprefix(beginning) for name in self._names if name.startswith(beginning))
        return sorted(int(size) for size in sizes if size.isdecimal())

    def _beginning(self, collection: str, model: str) -> str:
        return f"{self._prefix}{collection}__{part_of_name(model)}__"

    # --- errors -------------------------------------------------------------------------------------

    @contextmanager
    def in_our_words(self, role: Role | None = None, *, writes: bool = False) -> Iterator[None]:
        """Raise any error of the driver within as its kind of `StoreError`; let every other one pass."""
        try:
            yield
        except (ApiException, ResourceExhaustedResponse, httpx.HTTPError, ValueError, OSError) as error:
            raise self._told(error, role, writes) from error

    def _told(self, error: Exception, role: Role | None, writes: bool) -> StoreError:
        if isinstance(error, ResponseHandlingException):
            return self._told(error.source, role, writes)
        if isinstance(error, httpx.RemoteProtocolError) and "illegal" in str(error):
            return self.server.stranger("it speaks no HTTP")
        if isinstance(error, httpx.HTTPError | ResourceExhaustedResponse | OSError):
            return self.server.unavailable(error)
        if isinstance(error, UnexpectedResponse):
            return self._refused(error, role, writes)
        return self.server.stranger(f"its answer makes no sense to Qdrant's client ({type(error).__name__})")

    def _refused(self, error: UnexpectedResponse, role: Role | None, writes: bool) -> StoreError:
        said = _said(error)
        if has_no_room(said) or error.status_code == httpx.codes.INSUFFICIENT_STORAGE:
            return self.server.full()
        if error.status_code == httpx.codes.UNAUTHORIZED:
            return self.server.refuses_us()
        if error.status_code == httpx.codes.FORBIDDEN:
            return self.server.denied(role, said or "forbidden") if writes else self.server.refuses_us()
        if error.status_code in (429, 502, 503, 504):
            return self.server.unavailable(said or f"it says {error.status_code}")
        return self.server.could_not(said) if said else self.server.stranger(f"it says {error.status_code}")


async def open_qdrant(url: str, api_key: str, read_only_key: str = "", *, prefix: str = "monitor-") -> Qdrant:
    """Connect and check that it is a Qdrant that MONITOR can use. Without a key it must be on loopback.

    Raises StoreUnavailable, or StoreError for a wrong key, another product or one too old.
    """
    qdrant = Qdrant(url, api_key, read_only_key, prefix)
    try:
        await qdrant.open()
    except BaseException:
        await qdrant.close()
        raise
    return qdrant


def is_missing(error: UnexpectedResponse) -> bool:
    """Tell whether the server says that there is no such collection."""
    return error.status_code == httpx.codes.NOT_FOUND


class _Transport(httpx.AsyncHTTPTransport):
    """Waits long for an answer, and not long for a connection; the driver has but one time for both."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["timeout"] = request.extensions.get("timeout", {}) | {"connect": CONNECT_SECONDS}
        return await super().handle_async_request(request)


def _connected(url: str, key: Callable[[], str] | None) -> AsyncQdrantClient:
    secure: Any = url.startswith("https")
    with warnings.catch_warnings():
        # It warns on the screen of a key over plain HTTP; on loopback, and in a compose network, that is so.
        warnings.simplefilter("ignore", UserWarning)
        return AsyncQdrantClient(
            url=url,
            auth_token_provider=key,
            timeout=ANSWER_SECONDS,
            check_compatibility=False,
            transport=_Transport(verify=secure),
        )


def _said(error: UnexpectedResponse) -> str:
    """Return the server's words; empty if they are not such as Qdrant says them."""
    try:
        status = error.structured()["status"]
        return str(status["error"] if isinstance(status, dict) else status)
    except (ValueError, KeyError, TypeError):
        return ""
