"""Errors of the servers of canon and the log: their class and message.

Where no real server can be made to fail so, a small fake one answers instead.
"""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any

import pytest
from pymongo import AsyncMongoClient

pytest.importorskip("neo4j")
pytest.importorskip("pymongo")

from neo4j.exceptions import ClientError, TransientError
from pymongo import MongoClient
from pymongo.errors import OperationFailure

import stores.servers.mongo as mongodb
import stores.servers.neo4j_graph as neo4j
from stores.authority import Role
from stores.errors import LibraryUnreadable, StoreError, StoreFull, StoreUnavailable
from stores.queries import LlmCallQuery, MemoryQuery
from stores.servers.mongo import MongoDatabase, migrate_schema
from stores.servers.mongo_schema import FORMAT, INDEXES
from stores.servers.narrative_log import ServerLog
from stores.servers.server_settings import ServerSettings
from stores.servers.server_stores import make_mongo_connector
from tests.contract import builders as make
from tests.contract.reply_server import saying

pytestmark = [
    pytest.mark.slow,
    # The drivers leave a socket open when a stranger answers
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def _canon(address: str, scheme: str = "bolt://") -> None:
    await (await neo4j.open_graph(f"{scheme}{address}", "neo4j", "hidden")).close()


async def _log(address: str, scheme: str = "mongodb://") -> None:
    settings = {"MONITOR_MONGO_URL": f"{scheme}{address}", "MONITOR_SERVERS_SECRET": "hidden"}
    known = ServerSettings(settings, f"errors_{secrets.token_hex(4)}")
    mongo = MongoDatabase(make_mongo_connector(known), known.get("MONGO_URL"), known.library)
    try:
        await migrate_schema(mongo)
    finally:
        await mongo.close()


OPEN: dict[str, Any] = {"Neo4j": _canon, "MongoDB": _log}
STORE = {"Neo4j": "canon", "MongoDB": "log"}


@pytest.fixture(params=OPEN)
def product(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(neo4j, "CONNECT_SECONDS", 0.3)
    monkeypatch.setattr(mongodb, "CONNECT_MS", 300)
    return str(request.param)


@pytest.fixture(autouse=True)
def _their_sockets_are_ours() -> Iterator[None]:
    """Have what the drivers left open found here, and not in another test."""
    yield
    gc.collect()


def some_bytes(reader: asyncio.StreamReader) -> Awaitable[bytes]:
    return reader.read(16)


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


async def test_primary_server_not_listening_is_unavailable(product: str) -> None:
    address = f"127.0.0.1:{unused_port()}"
    with pytest.raises(StoreUnavailable) as said:
        await OPEN[product](address)
    assert f"The {STORE[product]} server at" in said.value.what
    assert address in said.value.what
    assert "refused" in said.value.what or "Connect call failed" in said.value.what
    assert "Topology" not in said.value.what
    assert said.value.kept == "Nothing of this was written there."
    assert f"Check that {product} runs there" in said.value.todo


async def test_primary_server_of_unknown_host_is_unavailable(product: str) -> None:
    with pytest.raises(StoreUnavailable, match=r"does not answer: .*not known"):
        await OPEN[product]("no-such-host.invalid:9")


@pytest.mark.parametrize("address", ["", "sqlserver://someone:hidden@host:1", "[::1", "127.0.0.1:99999999"])
async def test_primary_server_address_that_is_invalid_is_refused(product: str, address: str) -> None:
    scheme = {"scheme": ""} if "://" in address else {}
    with pytest.raises(StoreError, match=f"is no address of a {product} server") as said:
        await OPEN[product](address, **scheme)
    assert "It looks like" in said.value.todo
    assert "hidden" not in str(said.value)


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        b"220 mail.example ESMTP\r\n",
        b"-ERR unknown command\r\n",
    ],
    ids=["HTTP", "mail", "Redis"],
)
async def test_primary_server_of_another_product_is_refused(product: str, reply: bytes) -> None:
    async with saying(reply, some_bytes) as address:
        with pytest.raises(StoreError, match=f"What answers at .*{address} is not {product}") as said:
            await OPEN[product](address)
    assert said.value.kept == "Nothing was written there."
    assert "the port" in said.value.todo
    assert not isinstance(said.value, StoreUnavailable)


async def test_primary_server_that_hangs_up_is_unavailable(product: str) -> None:
    async with saying(b"", some_bytes) as address:
        with pytest.raises(StoreUnavailable, match="closed"):
            await OPEN[product](address)


def test_primary_server_with_a_full_disk_is_reported() -> None:
    url = "bolt://host:7687"
    full = TransientError("No space left on device")
    with (
        pytest.raises(StoreFull, match="The disk of the canon server at bolt://host:7687 is full"),
        neo4j.translate_neo4j_errors(url),
    ):
        raise full
    for error in (OperationFailure("x", 14031), OperationFailure("No space left on device", 8)):
        with (
            pytest.raises(StoreFull, match="disk of the log server") as said,
            mongodb.translate_mongo_errors("mongodb://u:hidden@host"),
        ):
            raise error
        assert "safe" in said.value.kept
        assert "hidden" not in str(said.value)


def test_primary_server_errors_name_the_store() -> None:
    with (
        pytest.raises(StoreError, match="The canon server at bolt://host could not do that: odd"),
        neo4j.translate_neo4j_errors("bolt://host"),
    ):
        raise ClientError("odd")
    with (
        pytest.raises(StoreError, match="The log server at mongodb://host could not do that: odd"),
        mongodb.translate_mongo_errors("mongodb://host"),
    ):
        raise OperationFailure("odd", 1)


def test_primary_server_transaction_that_collides_is_sent_later() -> None:
    labelled = OperationFailure("aborted", 251)
    labelled._add_error_label("TransientTransactionError")
    for error in (labelled, OperationFailure("WriteConflict error: please retry", 112)):
        with (
            pytest.raises(StoreUnavailable, match="The log server"),
            mongodb.translate_mongo_errors("mongodb://host"),
        ):
            raise error


async def test_mongo_write_waits_for_a_transaction_that_a_killed_program_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts = 0

    async def collide_twice(*_: object) -> str:
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            raise OperationFailure("WriteConflict error: please retry", 112)
        return "written"

    async def work(_: object) -> str:
        return ""

    monkeypatch.setattr(mongodb, "_run_transaction", collide_twice)
    database = MongoDatabase(lambda _: AsyncMongoClient("mongodb://127.0.0.1:1"), "mongodb://host", "x")
    assert await database.write(None, work) == "written"
    assert attempts == 3
    await database.close()


# --- on real servers --------------------------------------------------------------------------------


def _url(name: str) -> str:
    if not os.environ.get(name):
        pytest.skip(f"{name} is not set")
    return os.environ[name]


@pytest.mark.servers
@pytest.mark.xdist_group("neo4j")
async def test_neo4j_with_a_wrong_password_is_reported() -> None:
    with pytest.raises(StoreError, match="refuses this user or password") as said:
        await neo4j.open_graph(_url("MONITOR_NEO4J_URL"), "nobody", "wrong")
    assert "MONITOR_NEO4J_PASSWORD" in said.value.todo


@pytest.mark.servers
@pytest.mark.xdist_group("neo4j")
async def test_neo4j_of_an_old_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j, "_OLDEST_VERSION", 99)
    password = _url("MONITOR_NEO4J_PASSWORD")
    with pytest.raises(StoreError, match=r"Neo4j at bolt.* is version 5\..*, and MONITOR needs 99"):
        await neo4j.open_graph(_url("MONITOR_NEO4J_URL"), "neo4j", password)


@pytest.fixture
async def log() -> AsyncIterator[tuple[MongoDatabase, Any]]:
    """A log of its own on the server at hand, as its owner; and the server past MONITOR."""
    url, name = _url("MONITOR_MONGO_URL"), f"errors_{secrets.token_hex(4)}"
    mongo = MongoDatabase(lambda role: AsyncMongoClient(url), url, name)
    with MongoClient[dict[str, Any]](url) as client:
        yield mongo, client[name]
        await mongo.close()
        client.drop_database(name)


@pytest.mark.servers
@pytest.mark.xdist_group("mongo")
async def test_mongo_of_an_old_version_is_refused(
    log: tuple[MongoDatabase, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mongodb, "_OLDEST_VERSION", 99)
    with pytest.raises(StoreError, match=r"MongoDB at mongodb.* is version \d.*, and MONITOR needs 99"):
        await migrate_schema(log[0])


@pytest.mark.servers
@pytest.mark.xdist_group("mongo")
async def test_mongo_of_a_newer_format_is_left_alone(log: tuple[MongoDatabase, Any]) -> None:
    mongo, there = log
    there.counters.insert_one({"_id": "format", "value": 99})
    with pytest.raises(LibraryUnreadable, match=r"made by a newer MONITOR \(its format is 99"):
        await migrate_schema(mongo)
    assert there.list_collection_names() == ["counters"]


@pytest.mark.servers
@pytest.mark.xdist_group("mongo")
async def test_mongo_migration_that_was_interrupted_is_completed(log: tuple[MongoDatabase, Any]) -> None:
    mongo, there = log
    there.create_collection("llm_calls")  # as the first format made it, and as a crash left it
    there.counters.insert_one({"_id": "format", "value": 1})
    await migrate_schema(mongo)
    assert {*there.list_collection_names()} >= {*INDEXES}
    assert there.counters.find_one({"_id": "format"})["value"] == FORMAT
    assert len(there.llm_calls.index_information()) == 1 + len(INDEXES["llm_calls"])
    with pytest.raises(OperationFailure):
        there.llm_calls.insert_one({"_id": "a", "made": "not a number", "body": ""})


@pytest.mark.servers
@pytest.mark.xdist_group("mongo")
async def test_mongo_memories_of_an_older_format_get_lookup_fields(log: tuple[MongoDatabase, Any]) -> None:
    mongo, there = log
    memory = make.memory(make.entity(), scene_id="s", turn_id="t", linked_fact_id="f", importance=0.9)
    fields = {"entity_id": memory.entity_id, "universe_id": memory.universe_id}
    there.memories.insert_one({"_id": memory.id, "made": 1, "body": memory.model_dump_json(), **fields})
    there.counters.insert_one({"_id": "format", "value": 2})
    await migrate_schema(mongo)
    log_of = ServerLog(mongo, Role.CONTEXT_ASSEMBLY)
    asked: dict[str, Any]
    for asked in ({"scene_id": "s"}, {"turn_ids": ["t"]}, {"fact_id": "f"}, {"most_important": 1}):
        assert await log_of.memories(MemoryQuery(**asked)) == [memory], asked


@pytest.mark.servers
@pytest.mark.xdist_group("mongo")
async def test_mongo_calls_of_an_older_format_are_found_by_run_id(log: tuple[MongoDatabase, Any]) -> None:
    mongo, there = log
    call = make.call(run_id="r")
    body = call.model_dump_json().replace('"run_id"', '"beat_id"').replace('"fallback_step"', '"rung"')
    there.llm_calls.insert_one({"_id": call.id, "made": 1, "body": body, "beat_id": "r"})
    there.llm_calls.create_index([("beat_id", 1), ("made", 1)])
    there.counters.insert_one({"_id": "format", "value": 3})
    await migrate_schema(mongo)
    assert await ServerLog(mongo, Role.CONTEXT_ASSEMBLY).llm_calls(LlmCallQuery(run_id="r")) == [call]
    assert len(there.llm_calls.index_information()) == 1 + len(INDEXES["llm_calls"])
