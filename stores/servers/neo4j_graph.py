"""A Neo4j database: sessions by role, schema migration, and the translation of errors.

Neo4j Community has no roles: a role that may not write a collection gets a read-access session, in which the server
refuses every write.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
)
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    UnsupportedServerProduct,
)

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.errors import LibraryUnreadable, StoreError, WriteDenied
from stores.servers.server_errors import (
    ServerErrorFactory,
    describe_cause,
    is_disk_full_message,
    strip_url_secrets,
)

T = TypeVar("T")
GraphWork = Callable[[AsyncManagedTransaction], Awaitable[T]]

CONNECT_SECONDS = 3.0
"""Seconds that a dead server may keep a caller waiting."""

MAX_KEY_LENGTH = 500
"""Characters of a text that is indexed as it is; a longer one is indexed by its digest."""

FORMAT = 4
"""The version of what `SCHEMA` makes, and of the JSON of the records.

2: a fact has its `statement_key`. 3: facts are found by `secret`, which only those have that are not open to all.
4: evidence is found by its source.
"""
_EVIDENCE_SOURCE_FORMAT = 4
"""The first format in which evidence has its source as a property."""

_OLDEST_VERSION = 5
"""The oldest version of Neo4j that accepts `SCHEMA`."""

SCHEMA = (
    *(
        f"CREATE CONSTRAINT {label.lower()}_id IF NOT EXISTS FOR (n:{label}) REQUIRE n.id IS UNIQUE"
        for label in ("Universe", "Entity", "Fact", "Evidence", "Story", "Scene")
    ),
    "CREATE CONSTRAINT counter_name IF NOT EXISTS FOR (n:Counter) REQUIRE n.name IS UNIQUE",
    "CREATE INDEX name_folded IF NOT EXISTS FOR (n:Name) ON (n.universe_id, n.key)",
    "CREATE INDEX entity_universe IF NOT EXISTS FOR (n:Entity) ON (n.universe_id, n.status)",
    "CREATE INDEX fact_predicate IF NOT EXISTS FOR (n:Fact) ON (n.universe_id, n.predicate, n.status)",
    "CREATE INDEX fact_kind IF NOT EXISTS FOR (n:Fact) ON (n.universe_id, n.kind, n.status)",
    "CREATE INDEX fact_made IF NOT EXISTS FOR (n:Fact) ON (n.universe_id, n.status, n.made)",
    "CREATE INDEX fact_said IF NOT EXISTS FOR (n:Fact) ON (n.universe_id, n.said_key)",
    "CREATE INDEX fact_secret IF NOT EXISTS FOR (n:Fact) ON (n.universe_id, n.secret)",
    "CREATE INDEX evidence_turn IF NOT EXISTS FOR (n:Evidence) ON (n.turn_id)",
    "CREATE INDEX evidence_source IF NOT EXISTS FOR (n:Evidence) ON (n.source_id)",
    "CREATE INDEX story_universe IF NOT EXISTS FOR (n:Story) ON (n.universe_id)",
    "CREATE INDEX scene_story IF NOT EXISTS FOR (n:Scene) ON (n.story_id)",
    "CREATE INDEX related_fact IF NOT EXISTS FOR ()-[r:RELATED]-() ON (r.fact_id)",
)
"""Every statement may be run again, so that an interrupted migration is completed at the next opening."""


# Within a text of the JSON the quotes of these words would stand behind backslashes.
_BACKFILL_EVIDENCE_SOURCES = """MATCH (e:Evidence) WHERE e.source_id IS NULL AND e.body CONTAINS '"source_id":"'
    SET e.source_id = split(split(e.body, '"source_id":"')[1], '"')[0]"""


class Neo4jGraph:
    """Runs transactions on one database. Every error is a `StoreError` that names the server."""

    def __init__(self, driver: AsyncDriver, url: str, database: str) -> None:
        self._driver = driver
        self._url = url
        self._database = database
        self._commit_lock = asyncio.Lock()

    async def read(self, work: GraphWork[T]) -> T:
        """Run a reading transaction."""
        with translate_neo4j_errors(self._url):
            async with self._session(READ_ACCESS) as session:
                return await session.execute_read(work)

    async def read_consistently(self, work: GraphWork[T]) -> T:
        """As `read`, with no commit of this program meanwhile, so that all that is read is of one moment.

        Neo4j has no snapshots: each step reads what is committed then. Only MONITOR writes to its database.
        """
        async with self._commit_lock:
            return await self.read(work)

    async def write(self, role: Role, collections: Collection[str], work: GraphWork[T]) -> T:
        """Run a transaction that may write, if `role` may insert into all of `collections`.

        Otherwise it runs in a read-access session, where the server refuses the first write. Commits run one
        after another: each begins by locking the counter (see `reserve_numbers`).
        """
        may_write = all(find_grants(role, Store.CANON, name, Operation.INSERT) for name in collections)
        with translate_neo4j_errors(self._url, str(role).replace("_", " ").capitalize()):
            async with (
                self._commit_lock,
                self._session(WRITE_ACCESS if may_write else READ_ACCESS) as session,
            ):
                if may_write:
                    return await session.execute_write(work)
                return await session.execute_read(work)

    async def write_as_owner(self, work: GraphWork[T]) -> T:
        """Run a writing transaction for migrations and imports."""
        return await self.write(Role.CANON_KEEPER, COLLECTIONS[Store.CANON], work)

    async def run_statement(self, query: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Run one statement by itself (schema changes cannot share a transaction with data)."""
        with translate_neo4j_errors(self._url):
            async with self._session(WRITE_ACCESS) as session:
                await (await session.run(query, dict(parameters or {}))).consume()

    async def close(self) -> None:
        await self._driver.close()

    def _session(self, access: str) -> AsyncSession:
        return self._driver.session(database=self._database, default_access_mode=access)


async def open_graph(url: str, user: str, password: str, *, database: str = "neo4j") -> Neo4jGraph:
    """Connect, check that it is a Neo4j that MONITOR can use, and bring its schema up to date.

    Raises StoreUnavailable, StoreError (wrong password, another product) or LibraryUnreadable (made by a
    newer MONITOR); nothing stays open.
    """
    try:
        _check_address(url)
        driver = AsyncGraphDatabase.driver(
            url,
            auth=(user, password),
            connection_timeout=CONNECT_SECONDS,
            connection_acquisition_timeout=CONNECT_SECONDS * 2,
            max_transaction_retry_time=CONNECT_SECONDS,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )
    except (ConfigurationError, ValueError) as error:
        raise _bad_address_error(url, error) from error
    graph = Neo4jGraph(driver, url, database)
    try:
        await _migrate(graph, url)
    except BaseException:
        await graph.close()
        raise
    return graph


def _check_address(url: str) -> None:
    """Raise ValueError if the driver would connect to another address than `url`."""
    parts = urlsplit(url)
    if parts.scheme and (not parts.hostname or parts.port == 0):
        raise ValueError("it names no host")


async def _migrate(graph: Neo4jGraph, url: str) -> None:
    version = await graph.read(_read_version)
    if int(version.partition(".")[0]) < _OLDEST_VERSION:
        raise _make_errors(url).too_old(version, str(_OLDEST_VERSION))
    stored_format = await graph.read(_read_format)
    if stored_format > FORMAT:
        raise LibraryUnreadable(
            f"The canon at {url} was made by a newer MONITOR (format {stored_format}; {FORMAT} is known here).",
            kept="It was left as it is.",
            todo="Update MONITOR, then open it again.",
        )
    if stored_format < FORMAT:
        for statement in SCHEMA:
            await graph.run_statement(statement)
        await graph.run_statement("CALL db.awaitIndexes(60)")
        if stored_format < _EVIDENCE_SOURCE_FORMAT:
            await graph.run_statement(_BACKFILL_EVIDENCE_SOURCES)
        await graph.run_statement(
            "MERGE (c:Counter {name: 'format'}) SET c.value = $value", {"value": FORMAT}
        )


async def _read_version(tx: AsyncManagedTransaction) -> str:
    query = "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS is"
    record = await (await tx.run(query)).single()
    return str(record["is"]) if record else str(_OLDEST_VERSION)


async def _read_format(tx: AsyncManagedTransaction) -> int:
    query = "OPTIONAL MATCH (c:Counter {name: 'format'}) RETURN c.value AS value"
    record = await (await tx.run(query)).single()
    return int(record["value"] or 0) if record else 0


async def reserve_numbers(tx: AsyncManagedTransaction, count: int) -> int:
    """Reserve `count` numbers, and return the first.

    The counter's node stays locked until the transaction ends, so that other writers wait, and numbers are in the
    order of commits.
    """
    record = await (
        await tx.run(
            """MERGE (c:Counter {name: 'made'}) ON CREATE SET c.value = 0
               SET c.value = c.value + $count RETURN c.value - $count AS first""",
            {"count": count},
        )
    ).single(strict=True)
    return int(record["first"])


def index_key(text: str) -> str:
    """Return a text as it is indexed: unchanged if it is short, else its digest.

    Neo4j refuses to index a value of more than some 8,000 bytes.
    """
    return text if len(text) <= MAX_KEY_LENGTH else hashlib.sha256(text.encode()).hexdigest()


# --- errors -----------------------------------------------------------------------------------------


@contextmanager
def translate_neo4j_errors(url: str, writer_name: str = "") -> Iterator[None]:
    """Raise errors of the driver in the block as a `StoreError`; let every other exception pass."""
    try:
        yield
    except (Neo4jError, DriverError, ConfigurationError, OSError) as error:
        raise _translate_error(error, url, writer_name) from error


def _make_errors(url: str) -> ServerErrorFactory:
    settings = "MONITOR_NEO4J_USER and MONITOR_NEO4J_PASSWORD"
    return ServerErrorFactory(
        "canon", "Neo4j", strip_url_secrets(url), "Nothing of this was written there.", settings
    )


def _bad_address_error(url: str, error: Exception) -> StoreError:
    reason = str(error).partition(". ")[0].replace(url, strip_url_secrets(url))
    return StoreError(
        f"{strip_url_secrets(url)!r} is no address of a Neo4j server: {reason}.",
        kept="Nothing was opened.",
        todo="It looks like bolt://host:7687.",
    )


def _translate_error(error: Exception, url: str, writer_name: str) -> StoreError:
    errors, message = _make_errors(url), str(error)
    code = getattr(error, "code", "") or ""
    if isinstance(error, AuthError) or "Security.Auth" in code:
        return errors.wrong_credentials()
    if isinstance(error, UnsupportedServerProduct) or "looks like HTTP" in message:
        return errors.wrong_product()
    if isinstance(error, ServiceUnavailable | SessionExpired | OSError):
        reason = describe_cause(error)  # or, without a system message, the driver's last line
        return errors.unavailable(
            message.splitlines()[-1] if reason.startswith("Couldn't connect") else reason
        )
    if isinstance(error, ConfigurationError):
        return _bad_address_error(url, error)
    if code.endswith("Statement.AccessMode") or "Security.Forbidden" in code:
        return WriteDenied(
            f"{writer_name or 'A reader'} may not write that: {error}.", kept="Nothing was written."
        )
    if is_disk_full_message(message):
        return errors.disk_full()
    if code.startswith("Neo.TransientError"):
        return errors.unavailable(error)
    return errors.failed(error)
