"""One MongoDB database: a client for each role, transactions, its schema, and its errors in MONITOR's words.

Every role has a user of its own, and the server refuses what `privileges` does not grant. Transactions need a
replica set; one of a single node will do.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from pymongo import AsyncMongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    AutoReconnect,
    ConfigurationError,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

from stores.authority import Role
from stores.errors import LibraryUnreadable, StoreError, WriteDenied
from stores.servers.mongo_schema import FIELDS, FORMAT, INDEXES, SHAPE, privileges
from stores.servers.server_errors import Server, has_no_room

T = TypeVar("T")
Document = dict[str, Any]
ConnectRole = Callable[[Role | None], AsyncMongoClient[Document]]
"""Gives a client with the credentials of a role (None: the owner's, for migrations and import)."""

CONNECT_MS = 3_000
"""How long a dead server may keep a caller waiting."""

_UNAUTHORIZED, _WRONG_PASSWORD, _NO_ROOM = 13, 18, (14031, 12501)
_TRIES = 5
_LEAST = 7
"""The oldest version of MongoDB that MONITOR was made for."""

_MEMORIES_LOOKED_UP = 3
"""The format from which memories are found by more than whose they are."""


class Reading:
    """A transaction that reads: everything in it is of one moment."""

    def __init__(self, database: AsyncDatabase[Document], session: AsyncClientSession) -> None:
        self.db = database
        self.session = session

    async def one(self, collection: str, where: Document, *, newest: str = "") -> Document | None:
        """Return a document that the filter finds: with `newest`, the one with the highest such field."""
        sort = [(newest, -1)] if newest else None
        return await self.db[collection].find_one(where, sort=sort, session=self.session)

    async def all(
        self,
        collection: str,
        where: Mapping[str, Any],
        *,
        fields: Document | None = None,
        order: Sequence[tuple[str, int]] = (),
        skip: int = 0,
        limit: int = 0,
    ) -> list[Document]:
        """Return the documents that the filter finds (`limit` 0: all of them)."""
        cursor = self.db[collection].find(where, fields, session=self.session).skip(skip).limit(limit)
        return await (cursor.sort(list(order)) if order else cursor).to_list()

    async def summed(
        self, collection: str, pipeline: Sequence[Document], index: Sequence[tuple[str, int]]
    ) -> list[Document]:
        """Return what a pipeline makes of the collection, read by way of `index`."""
        cursor = await self.db[collection].aggregate(list(pipeline), session=self.session, hint=dict(index))
        return await cursor.to_list()


class Writing(Reading):
    """A transaction that writes, within the leave of its role.

    The server refuses what a role's user may not do. It is refused here as well, since not every server
    that speaks MongoDB's protocol looks at the collection of a privilege.
    """

    def __init__(
        self, database: AsyncDatabase[Document], session: AsyncClientSession, role: Role | None
    ) -> None:
        super().__init__(database, session)
        self._who = str(role).replace("_", " ").capitalize() if role else ""
        self._leave = privileges(role) if role else None

    async def insert(self, collection: str, documents: Sequence[Document]) -> None:
        """Insert documents; those that are records are numbered in the order of making."""
        if not documents:
            return
        self._check(collection, "insert")
        if collection in FIELDS:
            made = await self.made(len(documents))
            documents = [{**document, "made": made + place} for place, document in enumerate(documents)]
        await self.db[collection].insert_many(documents, session=self.session)

    async def put(self, collection: str, document: Document) -> None:
        """Write a document whole, over the one of its key or anew."""
        for action in ("insert", "update"):
            self._check(collection, action)
        await self.db[collection].replace_one(
            {"_id": document["_id"]}, document, upsert=True, session=self.session
        )

    async def replace(self, collection: str, document: Document) -> None:
        """Write a document whole over the one of its key; it keeps its number."""
        self._check(collection, "update")
        await self.db[collection].replace_one({"_id": document["_id"]}, document, session=self.session)

    async def change(self, collection: str, key: str, fields: Document) -> None:
        """Set fields of a document."""
        self._check(collection, "update")
        await self.db[collection].update_one({"_id": key}, {"$set": fields}, session=self.session)

    async def delete(self, collection: str, key: str) -> None:
        self._check(collection, "remove")
        await self.db[collection].delete_one({"_id": key}, session=self.session)

    async def made(self, count: int) -> int:
        """Return the first of `count` numbers in the order of making."""
        counter = await self.db.counters.find_one_and_update(
            {"_id": "made"},
            {"$inc": {"value": count}},
            upsert=True,
            return_document=True,
            session=self.session,
        )
        assert counter is not None  # it is made where it is not
        return int(counter["value"]) - count

    def _check(self, collection: str, action: str) -> None:
        if self._leave is not None and action not in self._leave.get(collection, ()):
            raise WriteDenied(
                f"{self._who} may not write that: {action} in {collection}.", kept="Nothing was written."
            )


Work = Callable[[Writing], Awaitable[T]]


class Mongo:
    """Runs transactions on one database. Every error is a `StoreError` that names the server."""

    def __init__(self, connect: ConnectRole, url: str, name: str) -> None:
        self._connect = connect
        self._url = url
        self._name = name
        self._clients: dict[Role | None, AsyncMongoClient[Document]] = {}
        # One writer at a time, as in the embedded twin: transactions of one program never collide.
        self._writer = asyncio.Lock()

    def database(self, role: Role | None) -> AsyncDatabase[Document]:
        if role not in self._clients:
            try:
                self._clients[role] = self._connect(role)
            except (ConfigurationError, ValueError) as error:  # an InvalidURI is one of the first
                raise _no_address(self._url, error) from error
        return self._clients[role].get_database(
            self._name, write_concern=WriteConcern("majority", j=True), read_concern=ReadConcern("majority")
        )

    @asynccontextmanager
    async def reading(self, role: Role | None) -> AsyncIterator[Reading]:
        """Read from one snapshot of the database."""
        database = self.database(role)
        with in_our_words(self._url):
            async with (
                database.client.start_session() as session,
                await session.start_transaction(read_concern=ReadConcern("snapshot")),
            ):
                yield Reading(database, session)

    async def write(self, role: Role | None, work: Work[T]) -> T:
        """Run a transaction as `role`, all or nothing; again, if the server asks for that."""
        database = self.database(role)
        who = str(role).replace("_", " ").capitalize() if role else "The owner"
        async with self._writer:
            with in_our_words(self._url, who):
                for last in (False,) * (_TRIES - 1) + (True,):
                    try:
                        return await _transact(database, role, work)
                    except PyMongoError as error:
                        if last or not error.has_error_label("TransientTransactionError"):
                            raise
        raise AssertionError("unreachable")

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()


async def _transact(database: AsyncDatabase[Document], role: Role | None, work: Work[T]) -> T:
    async with (
        database.client.start_session() as session,
        await session.start_transaction(
            read_concern=ReadConcern("snapshot"), write_concern=WriteConcern("majority", j=True)
        ),
    ):
        return await work(Writing(database, session, role))


async def migrate(mongo: Mongo) -> None:
    """Bring the schema up to date, with the owner's leave. What was left half made is made whole.

    Raises LibraryUnreadable if a newer MONITOR made it.
    """
    database = mongo.database(None)
    with in_our_words(mongo._url):
        await _fits(database, mongo._url)
        counter = await database.counters.find_one({"_id": "format"})
        found = int(counter["value"]) if counter else 0
        if found > FORMAT:
            raise LibraryUnreadable(
                f"The log was made by a newer MONITOR (its format is {found}; {FORMAT} is known here).",
                kept="It was left as it is.",
                todo="Update MONITOR, then open it again.",
            )
        if found == FORMAT:
            return
        there = set(await database.list_collection_names())
        for name, keys in INDEXES.items():
            if name not in there:
                await database.create_collection(name, validator=SHAPE.get(name, {}))
            elif name in SHAPE:
                await database.command("collMod", name, validator=SHAPE[name])
            for key, options in keys:
                await database[name].create_index(list(key), **options)
        if found < _MEMORIES_LOOKED_UP:
            await _fill_in(database, "memories")
        await database.counters.update_one({"_id": "format"}, {"$set": {"value": FORMAT}}, upsert=True)


async def _fill_in(database: AsyncDatabase[Document], name: str) -> None:
    """Write beside the bodies of a collection those fields that it did not have before."""
    fields = FIELDS[name]
    lacking = {"$or": [{field: {"$exists": False}} for field in fields]}
    async for found in database[name].find(lacking, {"body": 1}):
        body = json.loads(found["body"])
        await database[name].update_one(
            {"_id": found["_id"]}, {"$set": {field: body.get(field) for field in fields}}
        )


async def _fits(database: AsyncDatabase[Document], url: str) -> None:
    """Raise StoreError unless the server can do what is asked of it."""
    version = str((await database.client.admin.command("buildInfo"))["version"])
    if int(version.partition(".")[0]) < _LEAST:
        raise _server(url).too_old(version, str(_LEAST))
    said = await database.client.admin.command("hello")
    if "setName" not in said and said.get("msg") != "isdbgrid":
        raise StoreError(
            f"MongoDB at {_without_secrets(url)} stands alone, and has no transactions.",
            kept="Nothing was written there.",
            todo="Start it as a replica set, of one if you like (`--replSet`, then `rs.initiate()`).",
        )


# --- errors -----------------------------------------------------------------------------------------


@contextmanager
def in_our_words(url: str, who: str = "") -> Iterator[None]:
    """Raise any error of the driver within as its kind of `StoreError`; let every other exception pass."""
    try:
        yield
    except (PyMongoError, OSError) as error:
        raise _in_our_words(error, _without_secrets(url), who) from error


def _server(url: str) -> Server:
    settings = "the credentials in the environment"
    return Server("log", "MongoDB", _without_secrets(url), "Nothing of this was written there.", settings)


def _no_address(url: str, error: Exception) -> StoreError:
    return StoreError(
        f"{_without_secrets(url)!r} is no address of a MongoDB server: {_first_line(error)}.",
        kept="Nothing was opened.",
        todo="It looks like mongodb://host:27017.",
    )


def _in_our_words(error: Exception, url: str, who: str) -> StoreError:
    server = _server(url)
    if isinstance(error, ConfigurationError):
        return _no_address(url, error)
    if "Message length (" in str(error):  # it took the other's words for a length
        return server.stranger()
    if isinstance(error, ServerSelectionTimeoutError | AutoReconnect | OSError):
        return server.unavailable(_beneath(error))
    code = error.code if isinstance(error, OperationFailure) else None
    if code == _UNAUTHORIZED:
        return WriteDenied(f"{who or 'A reader'} may not write that: {error}.", kept="Nothing was written.")
    if code == _WRONG_PASSWORD:
        return server.refuses_us()
    if code in _NO_ROOM or has_no_room(str(error)):
        return server.full()
    return server.could_not(error)


def _beneath(error: Exception) -> str:
    """Return what the system said, without the driver's settings and its view of the servers."""
    said = _first_line(error).partition(" (configured timeouts")[0].partition(", Timeout: ")[0]
    return "no answer in time" if said.startswith("No servers found") else said


def _without_secrets(url: str) -> str:
    """Return an address as it may be shown."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2].partition('/')[0]}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


def one_filter(given: Mapping[str, Any]) -> Document:
    """Return a filter of the keys that have a value."""
    return {key: value for key, value in given.items() if value is not None}
