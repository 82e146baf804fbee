"""Errors of the servers of vectors, words and objects: their class and message.

Where no real server can be made to fail so, a small fake one answers instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from stores.authority import Role
from stores.errors import LibraryUnreadable, StoreError, StoreFull, StoreUnavailable
from stores.ports import TextItem, VectorItem
from stores.servers.minio import open_minio
from stores.servers.object_store import ServerObjectStore
from stores.servers.opensearch import OpenSearchServer, open_opensearch
from stores.servers.opensearch_roles import make_users
from stores.servers.opensearch_schema import index_body
from stores.servers.qdrant import KeyEnforcement, open_qdrant
from stores.servers.text_index import ServerTextIndex
from stores.servers.vector_index import ServerVectorIndex
from tests.contract.reply_server import saying

servers = pytest.importorskip("tests.contract.servers")

pytestmark = pytest.mark.slow

Open = Callable[[str], Awaitable[Any]]


def _keys(role: Role | None) -> tuple[str, str]:
    return "someone", "some secret"


async def _qdrant(address: str) -> Any:
    return await open_qdrant(f"http://{address}", "a key", "another")


async def _opensearch(address: str) -> Any:
    return await open_opensearch(f"http://{address}", _keys)


async def _minio(address: str) -> Any:
    return await open_minio(address, _keys)


OPEN: dict[str, Open] = {"Qdrant": _qdrant, "OpenSearch": _opensearch, "MinIO": _minio}


@asynccontextmanager
async def answering(status: int, body: str, kind: str = "application/json") -> AsyncIterator[str]:
    """Give the address of a server that answers everything alike."""
    reply = f"HTTP/1.1 {status} So\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    async with saying(reply.encode(), a_request) as address:
        yield address


def a_request(reader: asyncio.StreamReader) -> Awaitable[bytes]:
    return reader.readuntil(b"\r\n\r\n")


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return int(held.getsockname()[1])


@pytest.fixture(params=OPEN)
def product(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_index_server_not_listening_is_unavailable(product: str) -> None:
    address = f"127.0.0.1:{unused_port()}"
    with pytest.raises(StoreUnavailable, match=f"server at .*{address} does not answer: ") as said:
        await OPEN[product](address)
    assert product in said.value.todo
    assert said.value.kept
    assert "Connection refused" in said.value.what


async def test_index_server_of_unknown_host_is_unavailable(product: str) -> None:
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await OPEN[product]("no-such-host.invalid:9")


@pytest.mark.parametrize("address", ["", "a host", "host:port", "[::1", "127.0.0.1:99999999"])
async def test_index_server_address_that_is_invalid_is_refused(product: str, address: str) -> None:
    with pytest.raises(StoreError) as said:
        await OPEN[product](address)
    assert said.value.todo


STRANGERS = {
    "a website": (200, "<html>Welcome!</html>", "text/html"),
    "some other API": (200, '{"hello": "world"}', "application/json"),
    "Elasticsearch": (200, '{"version": {"number": "8.1.0"}, "tagline": "You Know, for Search"}', ""),
    "nothing found": (404, "not here", "text/plain"),
    "a list": (200, "[1, 2]", "application/json"),
}


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_index_server_of_another_product_is_refused(product: str, stranger: str) -> None:
    async with answering(*STRANGERS[stranger]) as address:
        with pytest.raises(StoreError, match=f"(?s)What answers at .*{address} is not {product}") as said:
            await OPEN[product](address)
    assert said.value.kept == "Nothing was written there."
    assert not isinstance(said.value, StoreUnavailable)


async def test_index_server_without_http_is_refused(product: str) -> None:
    async with saying(b"220 mail.example ESMTP\r\n", a_request) as address:
        with pytest.raises(StoreError, match=address):
            await OPEN[product](address)


async def test_index_server_that_is_starting_is_unavailable(product: str) -> None:
    xml = "<Error><Code>XMinioServerNotInitialized</Code><Message>Not yet.</Message></Error>"
    body, kind = (xml, "application/xml") if product == "MinIO" else ('{"status": "x"}', "application/json")
    async with answering(503, body, kind) as address:
        with pytest.raises(StoreUnavailable):
            await OPEN[product](address)


_FLOOD = "index [t] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]"
FULL = {
    "Qdrant": (500, json.dumps({"status": {"error": "Service internal error: No space left on device"}})),
    "OpenSearch": (429, json.dumps({"error": {"type": "cluster_block_exception", "reason": _FLOOD}})),
    "MinIO": (507, "<Error><Code>XMinioStorageFull</Code><Message>Storage full.</Message></Error>"),
}


async def test_index_server_with_a_full_disk_is_reported(product: str) -> None:
    kind = "application/xml" if product == "MinIO" else "application/json"
    async with answering(*FULL[product], kind) as address:
        with pytest.raises(StoreFull, match=f"disk of the .* server at .*{address} is full") as said:
            await OPEN[product](address)
    assert "safe" in said.value.kept


async def test_index_server_of_an_old_version_is_refused() -> None:
    async with answering(200, '{"title": "qdrant - vector search engine", "version": "1.7.4"}') as address:
        with pytest.raises(StoreError, match=r"Qdrant at .* is version 1\.7\.4, and MONITOR needs 1\.10"):
            await _qdrant(address)
    old = {"version": {"number": "1.3.2", "distribution": "opensearch"}}
    async with answering(200, json.dumps(old)) as address:
        with pytest.raises(StoreError, match=r"OpenSearch at .* is version 1\.3\.2"):
            await _opensearch(address)


async def test_minio_with_another_clock_is_reported() -> None:
    body = "<Error><Code>RequestTimeTooSkewed</Code><Message>Too large.</Message></Error>"
    async with answering(403, body, "application/xml") as address:
        with pytest.raises(StoreError, match=r"clocks .* too far apart") as said:
            await _minio(address)
    assert "time server" in said.value.todo


async def test_server_errors_never_show_secrets() -> None:
    port = unused_port()
    for attempt in (
        open_qdrant(f"http://user:hidden@127.0.0.1:{port}", "hidden", "hidden"),
        open_opensearch(f"http://user:hidden@127.0.0.1:{port}", lambda role: ("user", "hidden")),
    ):
        with pytest.raises(StoreError) as said:
            await attempt
        assert "hidden" not in str(said.value)


async def test_opensearch_without_the_security_plugin_is_reported() -> None:
    said = {"error": "no handler found for uri [/_plugins/_security/api/roles] and method [PATCH]"}
    async with answering(400, json.dumps(said)) as address:
        opensearch = OpenSearchServer(f"http://{address}", _keys, "x-")
        with pytest.raises(StoreError, match="has no security plugin") as error:
            await make_users(opensearch, lambda role: "secret")
        assert "refuses nobody" in error.value.kept
        await opensearch.close()


# --- on real servers --------------------------------------------------------------------------------


def real(name: str) -> list[Any]:
    skip = pytest.mark.skipif(not servers.at_hand(name), reason=f"MONITOR_{name} is not set")
    return [skip, pytest.mark.servers, pytest.mark.xdist_group("servers")]


def marked(name: str) -> Callable[[Any], Any]:
    def mark(test: Any) -> Any:
        for each in real(name):
            test = each(test)
        return test

    return mark


@marked("QDRANT_URL")
async def test_qdrant_with_a_wrong_key_is_reported() -> None:
    with pytest.raises(StoreError, match=r"vector server at .* refuses this user or password") as said:
        await open_qdrant(os.environ["MONITOR_QDRANT_URL"], "wrong", "wrong")
    assert "MONITOR_QDRANT_API_KEY" in said.value.todo
    assert "wrong" not in str(said.value)


@marked("OPENSEARCH_URL")
async def test_opensearch_with_a_wrong_password_is_reported() -> None:
    with pytest.raises(StoreError, match=r"text server at .* refuses this user or password") as said:
        await open_opensearch(os.environ["MONITOR_OPENSEARCH_URL"], lambda role: ("admin", "wrong"))
    assert "MONITOR_OPENSEARCH_PASSWORD" in said.value.todo


@marked("MINIO_ENDPOINT")
async def test_minio_with_wrong_keys_is_reported() -> None:
    def only(keys: tuple[str, str]) -> Callable[[object], tuple[str, str]]:
        return lambda _: keys

    user, _ = servers.objects_credentials(None)
    for wrong in ((user, "wrong secret"), ("nobody", "wrong secret")):
        with pytest.raises(StoreError, match=r"object server at .* refuses this user or password") as said:
            await open_minio(os.environ["MONITOR_MINIO_ENDPOINT"], only(wrong))
        assert "MONITOR_MINIO_SECRET_KEY" in said.value.todo


@marked("QDRANT_URL")
@marked("OPENSEARCH_URL")
@marked("MINIO_ENDPOINT")
async def test_index_servers_at_swapped_addresses_are_refused() -> None:
    at = {
        "Qdrant": os.environ["MONITOR_QDRANT_URL"].partition("//")[2],
        "OpenSearch": os.environ["MONITOR_OPENSEARCH_URL"].partition("//")[2],
        "MinIO": os.environ["MONITOR_MINIO_ENDPOINT"],
    }
    for product, opening in OPEN.items():
        for other, address in at.items():
            if other != product:
                with pytest.raises(StoreError, match=address) as said:
                    await opening(address)
                assert not isinstance(said.value, StoreUnavailable), (product, other)


@marked("QDRANT_URL")
async def test_qdrant_keys_that_enforce_less_are_detected() -> None:
    """Without a read-only key everyone reads with a token; where no token is good, by the API key."""
    url, key = os.environ["MONITOR_QDRANT_URL"], os.environ["MONITOR_QDRANT_API_KEY"]
    qdrant = await open_qdrant(url, key, prefix=servers.PREFIX)
    vectors = ServerVectorIndex(qdrant, Role.MEMORY_MANAGER)
    await vectors.put("memories", [VectorItem("a", [1, 0], {})], model="m")
    assert await vectors.count("memories", model="m") == 1
    qdrant.enforcement = KeyEnforcement.READERS
    assert qdrant.writer_key(Role.MEMORY_MANAGER) == key
    await qdrant.drop_all()
    await qdrant.close()


@marked("QDRANT_URL")
async def test_qdrant_collections_dropped_by_another_program_are_recreated() -> None:
    async with servers.a_qdrant() as one, servers.a_qdrant() as other:
        vectors = ServerVectorIndex(one, Role.INDEXER)
        await vectors.put("turns", [VectorItem("a", [1, 0], {})], model="m")
        await other.drop_all()
        assert await vectors.search("turns", [1, 0], model="m") == []
        await vectors.put("turns", [VectorItem("b", [1, 0], {})], model="m")
        await other.drop_all()
        await vectors.put("turns", [VectorItem("c", [1, 0, 0], {})], model="m")
        seen = ServerVectorIndex(other, Role.NARRATOR)
        assert [hit.id for hit in await seen.search("turns", [1, 0, 0], model="m")] == ["c"]
        with pytest.raises(StoreError, match="does not fit"):
            await ServerVectorIndex(other, Role.INDEXER).put(
                "turns", [VectorItem("d", [1, 0], {})], model="m"
            )


@marked("OPENSEARCH_URL")
async def test_opensearch_index_locked_for_lack_of_space_is_reported() -> None:
    async with servers.an_opensearch() as opensearch:
        index = opensearch.index_name("turns")
        words = ServerTextIndex(opensearch, Role.INDEXER)
        await words.put("turns", [TextItem("a", "a bell", {})])
        locked = {"index.blocks.read_only_allow_delete": True}
        await opensearch.owner.indices.put_settings(index=index, body=locked)
        with pytest.raises(StoreFull):
            await words.put("turns", [TextItem("b", "a bell", {})])
        assert [hit.id for hit in await words.search("turns", "bell")] == ["a"]
        await opensearch.owner.indices.put_settings(
            index=index, body={"index.blocks.read_only_allow_delete": None}
        )
        await words.put("turns", [TextItem("b", "a bell", {})])
        assert await words.count("turns") == 2


@marked("OPENSEARCH_URL")
async def test_opensearch_index_of_another_format_is_left_alone() -> None:
    async with servers.an_opensearch() as opensearch:
        index = opensearch.index_name("turns")
        await opensearch.owner.indices.put_mapping(index=index, body={"_meta": {"monitor_format": 99}})
        with pytest.raises(LibraryUnreadable, match="format 99, and 2 is known") as said:
            await open_opensearch(
                os.environ["MONITOR_OPENSEARCH_URL"], servers.words_credentials, prefix=servers.PREFIX
            )
        assert said.value.kept == "It was left as it is."
        await opensearch.owner.indices.delete(index=index)


@marked("OPENSEARCH_URL")
async def test_opensearch_index_without_fingerprints_is_upgraded() -> None:
    async with servers.an_opensearch() as opensearch:
        index = opensearch.index_name("turns")
        body = index_body()
        del body["mappings"]["properties"]["mark"]
        body["mappings"]["_meta"] = {"monitor_format": 1}
        await opensearch.owner.indices.delete(index=index)
        await opensearch.owner.indices.create(index=index, body=body)
        before = {"id": "a", "text": "a bell", "scope": []}
        await opensearch.owner.index(index=index, id="a", body=before, params={"refresh": "true"})
        await opensearch.open()
        words = ServerTextIndex(opensearch, Role.INDEXER)
        assert await words.fingerprints("turns") == {"a": ""}
        await words.put("turns", [TextItem("b", "a bell", {}, "m")])
        assert await words.fingerprints("turns") == {"a": "", "b": "m"}
        assert [hit.id for hit in await words.search("turns", "bell")] == ["a", "b"]


@marked("OPENSEARCH_URL")
async def test_opensearch_fingerprints_are_read_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stores.servers.text_index.MAX_HITS", 10)
    async with servers.an_opensearch() as opensearch:
        words, items = ServerTextIndex(opensearch, Role.INDEXER), [str(n) for n in range(45)]
        await words.put("turns", [TextItem(id, "a bell", {"scene": id[-1]}, f"m{id}") for id in items])
        assert await words.fingerprints("turns") == {id: f"m{id}" for id in items}
        assert await words.fingerprints("turns", scope={"scene": "3"}) == {
            f"{n}3": f"m{n}3" for n in ("", 1, 2, 3, 4)
        }


@marked("QDRANT_URL")
async def test_qdrant_fingerprints_are_read_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stores.servers.vector_index._BATCH_PAYLOADS", 10)
    async with servers.a_qdrant() as qdrant:
        vectors, items = ServerVectorIndex(qdrant, Role.INDEXER), [str(n) for n in range(45)]
        put = [VectorItem(id, [1, 0], {"scene": id[-1]}, f"m{id}") for id in items]
        await vectors.put("turns", put, model="m")
        assert await vectors.fingerprints("turns", model="m") == {id: f"m{id}" for id in items}
        inside = await vectors.fingerprints("turns", model="m", scope={"scene": "3"})
        assert inside == {f"{n}3": f"m{n}3" for n in ("", 1, 2, 3, 4)}


@marked("MINIO_ENDPOINT")
async def test_minio_bucket_with_a_used_up_quota_is_reported() -> None:
    async with servers.a_minio() as buckets:
        archives = ServerObjectStore(buckets, Role.ARCHIVIST)
        await buckets.run_admin(
            lambda admin: admin.bucket_quota_set(buckets.bucket_name("archives"), 2_000_000)
        )
        with pytest.raises(StoreFull):
            await archives.put("archives", bytes(3_000_000))
        assert await archives.keys("archives") == []


@marked("MINIO_ENDPOINT")
async def test_minio_object_in_parts_is_whole_and_put_once() -> None:
    async with servers.a_minio() as buckets:
        archives = ServerObjectStore(buckets, Role.ARCHIVIST)
        data = os.urandom(1_000_003) * 40
        key = await archives.put("archives", data)
        first = buckets.client_for(None).stat_object(buckets.bucket_name("archives"), key)
        assert await archives.put("archives", data) == key
        again = buckets.client_for(None).stat_object(buckets.bucket_name("archives"), key)
        assert first.last_modified == again.last_modified
        assert str(first.etag).endswith("-3")
        assert await archives.get("archives", key) == data
