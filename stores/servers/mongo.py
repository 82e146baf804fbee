"""A MongoDB database: a client for each role, transactions, schema migration, and the translation of errors.

Every role has a user of its own, and the server refuses what `role_privileges` does not grant. Transactions need a
replica set, which may have a single node.
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
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from stores.authority import Role
from stores.errors import LibraryUnreadable, StoreError, WriteDenied
from stores.servers.mongo_schema import FORMAT, INDEXES, LOOKUP_FIELDS, VALIDATORS, role_privileges
from stores.servers.server_errors import ServerErrorFactory, is_disk_full_message

T = TypeVar("T")
Document = dict[str, Any]
ConnectRole = Callable[[Role | None], AsyncMongoClient[Document]]
"""Returns a client with the credentials of a role (None: the owner's, for migrations and imports)."""

CONNECT_MS = 3_000
"""Milliseconds that a dead server may keep a caller waiting."""

_UNAUTHORIZED, _WRONG_PASSWORD, _WRITE_CONFLICT, _DISK_FULL_CODES = 13, 18, 112, (14031, 12501)
_MAX_ATTEMPTS = 8
_MAX_WAIT_SECONDS = 0.4
"""The longest wait between two attempts; all of them together last at most some two seconds."""
_OLDEST_VERSION = 7
"""The oldest supported version of MongoDB."""

_MEMORY_FIELDS_FORMAT = 3
"""The format from which memories have all their lookup fields."""
_RUN_ID_FORMAT = 4
"""The format from which calls have `run_id` in place of `beat_id`."""


class MongoReadTransaction:
    """A reading transaction, which sees one snapshot."""

    def __init__(self, database: AsyncDatabase[Document], session: AsyncClientSession) -> None:
        self.db = database
        self.session = session

    async def find_one(self, collection: str, where: Document, *, newest_by: str = "") -> Document | None:
        """Return a document that matches; with `newest_by`, the one with the highest value of that field."""
        sort = [(newest_by, -1)] if newest_by else None
        return await self.db[collection].find_one(where, sort=sort, session=self.session)

    async def find_all(
        self,
        collection: str,
        where: Mapping[str, Any],
        *,
        fields: Document | None = None,
        order: Sequence[tuple[str, int]] = (),
        skip: int = 0,
        limit: int = 0,
    ) -> list[Document]:
        """Return the documents that match (`limit` 0: all of them)."""
        cursor = self.db[collection].find(where, fields, session=self.session).skip(skip).limit(limit)
        return await (cursor.sort(list(order)) if order else cursor).to_list()

    async def aggregate(
        self, collection: str, pipeline: Sequence[Document], index: Sequence[tuple[str, int]]
    ) -> list[Document]:
        """Run an aggregation pipeline over the collection, using `index`."""
        cursor = await self.db[collection].aggregate(list(pipeline), session=self.session, hint=dict(index))
        return await cursor.to_list()


class MongoWriteTransaction(MongoReadTransaction):
    """A writing transaction, with the permissions of its role.

    The server refuses what a role's user may not do. It is refused here as well, as not every server that speaks
    MongoDB's protocol checks the collection of a privilege.
    """

    def __init__(
        self, database: AsyncDatabase[Document], session: AsyncClientSession, role: Role | None
    ) -> None:
        super().__init__(database, session)
        self._writer_name = str(role).replace("_", " ").capitalize() if role else ""
        self._privileges = role_privileges(role) if role else None

    async def insert(self, collection: str, documents: Sequence[Document]) -> None:
        """Insert documents; those of records are numbered in their order."""
        if not documents:
            return
        self._check_privilege(collection, "insert")
        if collection in LOOKUP_FIELDS:
            first_number = await self.reserve_numbers(len(documents))
            documents = [
                {**document, "made": first_number + offset} for offset, document in enumerate(documents)
            ]
        await self.db[collection].insert_many(documents, session=self.session)

    async def put(self, collection: str, document: Document) -> None:
        """Insert a document, or replace the one of its key."""
        for action in ("insert", "update"):
            self._check_privilege(collection, action)
        await self.db[collection].replace_one(
            {"_id": document["_id"]}, document, upsert=True, session=self.session
        )

    async def replace(self, collection: str, document: Document) -> None:
        """Replace the document of this key; it keeps its number."""
        self._check_privilege(collection, "update")
        await self.db[collection].replace_one({"_id": document["_id"]}, document, session=self.session)

    async def set_fields(self, collection: str, key: str, fields: Document) -> None:
        """Set fields of a document."""
        self._check_privilege(collection, "update")
        await self.db[collection].update_one({"_id": key}, {"$set": fields}, session=self.session)

    async def delete(self, collection: str, key: str) -> None:
        self._check_privilege(collection, "remove")
        await self.db[collection].delete_one({"_id": key}, session=self.session)

    async def reserve_numbers(self, count: int) -> int:
        """Reserve `count` numbers, and return the first."""
        counter = await self.db.counters.find_one_and_update(
            {"_id": "made"},
            {"$inc": {"value": count}},
            upsert=True,
            return_document=True,
            session=self.session,
        )
        assert counter is not None  # it is made where it is not
        return int(counter["value"]) - count

    def _check_privilege(self, collection: str, action: str) -> None:
        if self._privileges is not None and action not in self._privileges.get(collection, ()):
            raise WriteDenied(
                f"{self._writer_name} may not write that: {action} in {collection}.",
                kept="Nothing was written.",
            )


MongoWork = Callable[[MongoWriteTransaction], Awaitable[T]]


class MongoDatabase:
    """Runs transactions on one database. Every error is a `StoreError` that names the server."""

    def __init__(self, connect: ConnectRole, url: str, name: str) -> None:
        self._connect = connect
        self._url = url
        self._name = name
        self._clients: dict[Role | None, AsyncMongoClient[Document]] = {}
        # One writer at a time, as with SQLite, so that transactions of one program never collide.
        self._write_lock = asyncio.Lock()

    def database_for(self, role: Role | None) -> AsyncDatabase[Document]:
        if role not in self._clients:
            try:
                self._clients[role] = self._connect(role)
            except (ConfigurationError, ValueError) as error:  # an InvalidURI is one of the first
                raise _bad_address_error(self._url, error) from error
        return self._clients[role].get_database(
            self._name, write_concern=WriteConcern("majority", j=True), read_concern=ReadConcern("majority")
        )

    @asynccontextmanager
    async def read_transaction(self, role: Role | None) -> AsyncIterator[MongoReadTransaction]:
        """Read from one snapshot of the database."""
        database = self.database_for(role)
        with translate_mongo_errors(self._url):
            async with (
                database.client.start_session() as session,
                await session.start_transaction(read_concern=ReadConcern("snapshot")),
            ):
                yield MongoReadTransaction(database, session)

    async def write(self, role: Role | None, work: MongoWork[T]) -> T:
        """Run a transaction as `role`, and again if the server asks for that.

        What it collides with may be the transaction of a program that was killed, which the server keeps open
        for a moment: hence the waits in between.
        """
        database = self.database_for(role)
        writer_name = str(role).replace("_", " ").capitalize() if role else "The owner"
        attempts = AsyncRetrying(
            stop=stop_after_attempt(_MAX_ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.02, max=_MAX_WAIT_SECONDS),
            retry=retry_if_exception(_is_transient),
            reraise=True,
        )
        async with self._write_lock:
            with translate_mongo_errors(self._url, writer_name):
                return await attempts(_run_transaction, database, role, work)

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.close()


async def _run_transaction(database: AsyncDatabase[Document], role: Role | None, work: MongoWork[T]) -> T:
    async with (
        database.client.start_session() as session,
        await session.start_transaction(
            read_concern=ReadConcern("snapshot"), write_concern=WriteConcern("majority", j=True)
        ),
    ):
        return await work(MongoWriteTransaction(database, session, role))


async def migrate_schema(mongo: MongoDatabase) -> None:
    """Migrate the schema, as the owner. A migration that was interrupted is completed.

    Raises LibraryUnreadable if a newer MONITOR made it.
    """
    database = mongo.database_for(None)
    with translate_mongo_errors(mongo._url):
        await _check_server(database, mongo._url)
        counter = await database.counters.find_one({"_id": "format"})
        stored_format = int(counter["value"]) if counter else 0
        if stored_format > FORMAT:
            raise LibraryUnreadable(
                f"The log was made by a newer MONITOR (its format is {stored_format}; {FORMAT} is known here).",
                kept="It was left as it is.",
                todo="Update MONITOR, then open it again.",
            )
        if stored_format == FORMAT:
            return
        existing_names = set(await database.list_collection_names())
        if stored_format < _RUN_ID_FORMAT and "llm_calls" in existing_names:
            await _rename_run_id(database)
        for name, keys in INDEXES.items():
            if name not in existing_names:
                await database.create_collection(name, validator=VALIDATORS.get(name, {}))
            elif name in VALIDATORS:
                await database.command("collMod", name, validator=VALIDATORS[name])
            for key, options in keys:
                await database[name].create_index(list(key), **options)
        if stored_format < _MEMORY_FIELDS_FORMAT:
            await _backfill_fields(database, "memories")
        await database.counters.update_one({"_id": "format"}, {"$set": {"value": FORMAT}}, upsert=True)


async def _rename_run_id(database: AsyncDatabase[Document]) -> None:
    """Rename the lookup field of calls that was `beat_id`; their bodies stay as they were written."""
    calls = database.llm_calls
    await calls.update_many({"beat_id": {"$exists": True}}, {"$rename": {"beat_id": "run_id"}})
    if "beat_id_1_made_1" in await calls.index_information():
        await calls.drop_index("beat_id_1_made_1")


async def _backfill_fields(database: AsyncDatabase[Document], name: str) -> None:
    """Add the lookup fields that documents of a collection lack, from their bodies."""
    fields = LOOKUP_FIELDS[name]
    missing_filter = {"$or": [{field: {"$exists": False}} for field in fields]}
    async for stored_document in database[name].find(missing_filter, {"body": 1}):
        body = json.loads(stored_document["body"])
        await database[name].update_one(
            {"_id": stored_document["_id"]}, {"$set": {field: body.get(field) for field in fields}}
        )


async def _check_server(database: AsyncDatabase[Document], url: str) -> None:
    """Raise StoreError unless the server has the version and features that MONITOR needs."""
    version = str((await database.client.admin.command("buildInfo"))["version"])
    if int(version.partition(".")[0]) < _OLDEST_VERSION:
        raise _make_errors(url).too_old(version, str(_OLDEST_VERSION))
    hello = await database.client.admin.command("hello")
    if "setName" not in hello and hello.get("msg") != "isdbgrid":
        raise StoreError(
            f"MongoDB at {_strip_url_secrets(url)} stands alone, and has no transactions.",
            kept="Nothing was written there.",
            todo="Start it as a replica set, of one if you like (`--replSet`, then `rs.initiate()`).",
        )


# --- errors -----------------------------------------------------------------------------------------


@contextmanager
def translate_mongo_errors(url: str, writer_name: str = "") -> Iterator[None]:
    """Raise errors of the driver in the block as a `StoreError`; let every other exception pass."""
    try:
        yield
    except (PyMongoError, OSError) as error:
        raise _translate_error(error, _strip_url_secrets(url), writer_name) from error


def _make_errors(url: str) -> ServerErrorFactory:
    settings = "the credentials in the environment"
    return ServerErrorFactory(
        "log", "MongoDB", _strip_url_secrets(url), "Nothing of this was written there.", settings
    )


def _bad_address_error(url: str, error: Exception) -> StoreError:
    return StoreError(
        f"{_strip_url_secrets(url)!r} is no address of a MongoDB server: {_first_line(error)}.",
        kept="Nothing was opened.",
        todo="It looks like mongodb://host:27017.",
    )


def _translate_error(error: Exception, url: str, writer_name: str) -> StoreError:
    errors = _make_errors(url)
    if isinstance(error, ConfigurationError):
        return _bad_address_error(url, error)
    if "Message length (" in str(error):  # the driver read another protocol's bytes as a length
        return errors.wrong_product()
    if isinstance(error, ServerSelectionTimeoutError | AutoReconnect | OSError):
        return errors.unavailable(_describe_cause(error))
    code = error.code if isinstance(error, OperationFailure) else None
    if code == _UNAUTHORIZED:
        return WriteDenied(
            f"{writer_name or 'A reader'} may not write that: {error}.", kept="Nothing was written."
        )
    if code == _WRONG_PASSWORD:
        return errors.wrong_credentials()
    if code in _DISK_FULL_CODES or is_disk_full_message(str(error)):
        return errors.disk_full()
    if _is_transient(error):
        return errors.unavailable(_first_line(error))
    return errors.failed(error)


def _is_transient(error: BaseException) -> bool:
    """Return whether a transaction failed for nothing that is wrong with it."""
    return isinstance(error, PyMongoError) and (
        error.has_error_label("TransientTransactionError")
        or (isinstance(error, OperationFailure) and error.code == _WRITE_CONFLICT)
    )


def _describe_cause(error: Exception) -> str:
    """Return the system's message, without the driver's settings and server descriptions."""
    message = _first_line(error).partition(" (configured timeouts")[0].partition(", Timeout: ")[0]
    return "no answer in time" if message.startswith("No servers found") else message


def _strip_url_secrets(url: str) -> str:
    """Return an address without its password."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2].partition('/')[0]}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


def equality_filter(values: Mapping[str, Any]) -> Document:
    """Return a filter of the keys that have a value."""
    return {key: value for key, value in values.items() if value is not None}
