"""One Neo4j database: its sessions by role, its schema, and its errors in MONITOR's words.

Neo4j Community has no roles: a role that may not write a collection gets a read-access session, in which the
server itself refuses every write.
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
from stores.servers.server_errors import Server, has_no_room, why, without_secrets

T = TypeVar("T")
Work = Callable[[AsyncManagedTransaction], Awaitable[T]]

CONNECT_SECONDS = 3.0
"""How long a dead server may keep a caller waiting."""

LONGEST_KEY = 500
"""Characters of words that are looked up as they are."""

FORMAT = 1
"""The version of what `SCHEMA` makes."""
_LEAST = 5
"""The oldest version of Neo4j that knows `SCHEMA`."""

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
    "CREATE INDEX evidence_turn IF NOT EXISTS FOR (n:Evidence) ON (n.turn_id)",
    "CREATE INDEX story_universe IF NOT EXISTS FOR (n:Story) ON (n.universe_id)",
    "CREATE INDEX scene_story IF NOT EXISTS FOR (n:Scene) ON (n.story_id)",
    "CREATE INDEX related_fact IF NOT EXISTS FOR ()-[r:RELATED]-() ON (r.fact_id)",
)
"""Every statement may be run again: a schema that was left half made is made whole at the next opening."""


class Graph:
    """Runs transactions on one database. Every error is a `StoreError` that names the server."""

    def __init__(self, driver: AsyncDriver, url: str, database: str) -> None:
        self._driver = driver
        self._url = url
        self._database = database
        self._commits = asyncio.Lock()

    async def read(self, work: Work[T]) -> T:
        """Run a reading transaction: all that it sees is committed."""
        with in_our_words(self._url):
            async with self._session(READ_ACCESS) as session:
                return await session.execute_read(work)

    async def read_at_once(self, work: Work[T]) -> T:
        """As `read`, with no commit of this program in between: all that it sees is of one moment.

        Neo4j reads what is committed at each step, not a snapshot; MONITOR alone writes to its database.
        """
        async with self._commits:
            return await self.read(work)

    async def write(self, role: Role, collections: Collection[str], work: Work[T]) -> T:
        """Run a transaction that may write, if `role` may insert into all of `collections`.

        Otherwise it runs in a read-access session, where the server refuses the first write. Commits are
        one after another: each begins by taking the counter (see `made_from`).
        """
        may = all(find_grants(role, Store.CANON, name, Operation.INSERT) for name in collections)
        with in_our_words(self._url, str(role).replace("_", " ").capitalize()):
            async with self._commits, self._session(WRITE_ACCESS if may else READ_ACCESS) as session:
                if may:
                    return await session.execute_write(work)
                return await session.execute_read(work)

    async def write_as_owner(self, work: Work[T]) -> T:
        """Run a writing transaction for migrations and archive import."""
        return await self.write(Role.CANON_KEEPER, COLLECTIONS[Store.CANON], work)

    async def run(self, query: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Run one statement by itself (schema changes cannot share a transaction with data)."""
        with in_our_words(self._url):
            async with self._session(WRITE_ACCESS) as session:
                await (await session.run(query, dict(parameters or {}))).consume()

    async def close(self) -> None:
        await self._driver.close()

    def _session(self, access: str) -> AsyncSession:
        return self._driver.session(database=self._database, default_access_mode=access)


async def open_graph(url: str, user: str, password: str, *, database: str = "neo4j") -> Graph:
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
        raise _no_address(url, error) from error
    graph = Graph(driver, url, database)
    try:
        await _migrate(graph, url)
    except BaseException:
        await graph.close()
        raise
    return graph


def _check_address(url: str) -> None:
    """Raise ValueError if the driver would try another address than `url` names."""
    parts = urlsplit(url)
    if parts.scheme and (not parts.hostname or parts.port == 0):
        raise ValueError("it names no host")


async def _migrate(graph: Graph, url: str) -> None:
    version = await graph.read(_version)
    if int(version.partition(".")[0]) < _LEAST:
        raise _server(url).too_old(version, str(_LEAST))
    found = await graph.read(_format)
    if found > FORMAT:
        raise LibraryUnreadable(
            f"The canon at {url} was made by a newer MONITOR (format {found}; {FORMAT} is known here).",
            kept="It was left as it is.",
            todo="Update MONITOR, then open it again.",
        )
    if found < FORMAT:
        for statement in SCHEMA:
            await graph.run(statement)
        await graph.run("CALL db.awaitIndexes(60)")
        await graph.run("MERGE (c:Counter {name: 'format'}) SET c.value = $value", {"value": FORMAT})


async def _version(tx: AsyncManagedTransaction) -> str:
    query = "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS is"
    record = await (await tx.run(query)).single()
    return str(record["is"]) if record else str(_LEAST)


async def _format(tx: AsyncManagedTransaction) -> int:
    query = "OPTIONAL MATCH (c:Counter {name: 'format'}) RETURN c.value AS value"
    record = await (await tx.run(query)).single()
    return int(record["value"] or 0) if record else 0


async def made_from(tx: AsyncManagedTransaction, count: int) -> int:
    """Return the first of `count` numbers in the order of making, and keep other writers waiting.

    The counter's node stays locked until the transaction ends, so that numbers are in the order of
    commits and two commits never see half of each other.
    """
    record = await (
        await tx.run(
            """MERGE (c:Counter {name: 'made'}) ON CREATE SET c.value = 0
               SET c.value = c.value + $count RETURN c.value - $count AS first""",
            {"count": count},
        )
    ).single(strict=True)
    return int(record["first"])


def key(words: str) -> str:
    """Return words as an index holds them: whole while they are short, else their digest.

    Neo4j refuses to index a value of more than some 8,000 bytes.
    """
    return words if len(words) <= LONGEST_KEY else hashlib.sha256(words.encode()).hexdigest()


# --- errors -----------------------------------------------------------------------------------------


@contextmanager
def in_our_words(url: str, who: str = "") -> Iterator[None]:
    """Raise any error of the driver within as its kind of `StoreError`; let every other exception pass."""
    try:
        yield
    except (Neo4jError, DriverError, ConfigurationError, OSError) as error:
        raise _in_our_words(error, url, who) from error


def _server(url: str) -> Server:
    settings = "MONITOR_NEO4J_USER and MONITOR_NEO4J_PASSWORD"
    return Server("canon", "Neo4j", without_secrets(url), "Nothing of this was written there.", settings)


def _no_address(url: str, error: Exception) -> StoreError:
    reason = str(error).partition(". ")[0].replace(url, without_secrets(url))
    return StoreError(
        f"{without_secrets(url)!r} is no address of a Neo4j server: {reason}.",
        kept="Nothing was opened.",
        todo="It looks like bolt://host:7687.",
    )


def _in_our_words(error: Exception, url: str, who: str) -> StoreError:
    server, said = _server(url), str(error)
    code = getattr(error, "code", "") or ""
    if isinstance(error, AuthError) or "Security.Auth" in code:
        return server.refuses_us()
    if isinstance(error, UnsupportedServerProduct) or "looks like HTTP" in said:
        return server.stranger()
    if isinstance(error, ServiceUnavailable | SessionExpired | OSError):
        reason = why(error)  # or, where the system said nothing, the last of the driver's lines
        return server.unavailable(said.splitlines()[-1] if reason.startswith("Couldn't connect") else reason)
    if isinstance(error, ConfigurationError):
        return _no_address(url, error)
    if code.endswith("Statement.AccessMode") or "Security.Forbidden" in code:
        return WriteDenied(f"{who or 'A reader'} may not write that: {error}.", kept="Nothing was written.")
    if has_no_room(said):
        return server.full()
    if code.startswith("Neo.TransientError"):
        return server.unavailable(error)
    return server.could_not(error)
