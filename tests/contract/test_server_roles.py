"""What the servers of vectors, words and objects refuse a role by themselves: every adapter is gone round.

Each role comes with the credentials it was given and does what it likes; what the matrix does not grant, the
server must refuse.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import httpx
import pytest
from minio.error import MinioAdminException, S3Error
from minio.minioadmin import MinioAdmin
from opensearchpy.exceptions import AuthorizationException

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.errors import StoreError, WriteDenied
from stores.ports import TextItem, VectorItem
from stores.servers.minio import MinioBuckets, open_minio
from stores.servers.minio_roles import make_users
from stores.servers.object_store import ServerObjectStore
from stores.servers.opensearch import OpenSearchServer, open_opensearch
from stores.servers.qdrant import KeyEnforcement, QdrantServer
from stores.servers.qdrant_roles import TOKEN_SECONDS, reader_token, writer_token
from stores.servers.text_index import ServerTextIndex
from stores.servers.vector_index import ServerVectorIndex

servers = pytest.importorskip("tests.contract.servers")
pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("servers")]

DIRECTION = [1.0, 0.0]
POINT = "00000000-0000-4000-8000-000000000001"


def needs(name: str) -> None:
    if not servers.at_hand(name):
        pytest.skip(f"MONITOR_{name} is not set")


# --- Qdrant -----------------------------------------------------------------------------------------


@pytest.fixture
async def qdrant() -> AsyncIterator[QdrantServer]:
    """A Qdrant with a vector in every collection."""
    needs("QDRANT_URL")
    async with servers.a_qdrant() as opened:
        for collection in COLLECTIONS[Store.VECTORS]:
            await ServerVectorIndex(opened, None).put(
                collection, [VectorItem(POINT, DIRECTION, {})], model="m"
            )
        yield opened


async def asked(key: str, method: str, path: str, body: Any = None) -> int:
    async with httpx.AsyncClient(base_url=os.environ["MONITOR_QDRANT_URL"], timeout=30) as client:
        return (await client.request(method, path, json=body, headers={"api-key": key})).status_code


@pytest.mark.parametrize("role", Role)
async def test_qdrant_refuses_what_is_not_granted(role: Role, qdrant: QdrantServer) -> None:
    assert qdrant.enforcement is KeyEnforcement.COLLECTIONS
    key = qdrant.writer_key(role)
    for collection in COLLECTIONS[Store.VECTORS]:
        path = f"/collections/{qdrant.collection_name(collection, 'm', 2)}"
        put = {"points": [{"id": POINT, "vector": DIRECTION, "payload": {"id": "forged"}}]}
        attempts = {
            (Operation.INSERT, "PUT", f"{path}/points?wait=true"): put,
            (Operation.UPDATE, "POST", f"{path}/points/payload?wait=true"): {
                "payload": {},
                "points": [POINT],
            },
            (Operation.DELETE, "POST", f"{path}/points/delete?wait=true"): {"points": [POINT]},
        }
        for (op, method, where), body in attempts.items():
            granted = bool(find_grants(role, Store.VECTORS, collection, op))
            assert await asked(key, method, where, body) == (200 if granted else 403), (collection, op)
        assert await asked(key, "DELETE", path) == 403
        assert await asked(qdrant.reader_key(), "POST", f"{path}/points/count", {}) == 200
    made = {"vectors": {"size": 2, "distance": "Dot"}}
    assert await asked(key, "PUT", f"/collections/{qdrant.collection_name('turns', 'mine', 2)}", made) == 403


async def test_qdrant_takes_no_forged_and_no_old_token(qdrant: QdrantServer) -> None:
    key = os.environ["MONITOR_QDRANT_API_KEY"]
    head, claims, signature = writer_token(key, time.time(), []).split(".")
    _, wider, _ = writer_token("a guess", time.time(), [qdrant.collection_name("turns", "m", 2)]).split(".")
    forged = [f"{head}.{wider}.{signature}", reader_token("a guess", time.time()), f"{head}.{claims}."]
    for token in [*forged, reader_token(key, time.time() - 2 * TOKEN_SECONDS), ""]:
        assert await asked(token, "GET", "/collections") == 401


async def test_qdrant_refusal_is_write_denied(qdrant: QdrantServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant, "writer_key", lambda role: qdrant.reader_key())
    vectors = ServerVectorIndex(qdrant, Role.INDEXER)
    for attempt in (
        vectors.put("turns", [VectorItem(POINT, DIRECTION, {})], model="m"),
        vectors.delete("turns", [POINT], model="m"),
    ):
        with pytest.raises(WriteDenied, match="Indexer may not write that: Forbidden") as refusal:
            await attempt
        assert refusal.value.kept == "Nothing was written."


# --- OpenSearch -------------------------------------------------------------------------------------


@pytest.fixture
async def opensearch() -> AsyncIterator[OpenSearchServer]:
    """An OpenSearch with a text in every index."""
    needs("OPENSEARCH_URL")
    async with servers.an_opensearch() as opened:
        for collection in COLLECTIONS[Store.WORDS]:
            await ServerTextIndex(opened, None).put(collection, [TextItem("there", "a bell", {})])
        yield opened


async def refused_by_opensearch(attempt: Awaitable[Any]) -> bool:
    try:
        answer = await attempt
    except AuthorizationException:
        return True
    items = answer.get("items", []) if isinstance(answer, dict) else []
    return any(result.get("status") == 403 for item in items for result in item.values())


@pytest.mark.parametrize("role", Role)
async def test_opensearch_refuses_what_is_not_granted(role: Role, opensearch: OpenSearchServer) -> None:
    client = opensearch.client_for(role)
    text = {"id": "x", "text": "forged", "scope": []}
    everything: dict[str, Any] = {"body": {"query": {"match_all": {}}}, "conflicts": "proceed"}
    for collection in COLLECTIONS[Store.WORDS]:
        index = opensearch.index_name(collection)
        bulk = f'{{"index": {{"_id": "y"}}}}\n{json.dumps(text)}\n'
        attempts: list[tuple[Operation, Callable[[], Awaitable[Any]]]] = [
            (Operation.INSERT, partial(client.index, index=index, id="x", body=text)),
            (Operation.INSERT, partial(client.bulk, index=index, body=bulk)),
            (Operation.UPDATE, partial(client.index, index=index, id="there", body=text)),
            (
                Operation.UPDATE,
                partial(client.update, index=index, id="there", body={"doc": {"text": "no"}}),
            ),
            (Operation.DELETE, partial(client.delete, index=index, id="there")),
            (Operation.DELETE, partial(client.bulk, index=index, body='{"delete": {"_id": "y"}}\n')),
            (
                Operation.DELETE,
                partial(client.delete_by_query, index=index, **everything),
            ),
        ]
        for op, attempt in attempts:
            granted = bool(find_grants(role, Store.WORDS, collection, op))
            assert await refused_by_opensearch(attempt()) is not granted, (collection, op)
        for whole in (
            client.indices.delete(index=index),
            client.indices.close(index=index),
            client.indices.put_mapping(index=index, body={"properties": {"mine": {"type": "keyword"}}}),
            client.indices.put_settings(index=index, body={"index": {"number_of_replicas": 0}}),
            client.indices.put_alias(index=index, name=f"{servers.PREFIX}mine"),
        ):
            assert await refused_by_opensearch(whole)
        assert (await client.count(index=index))["count"] >= 0
    for path in ("internalusers", "roles", "rolesmapping"):
        assert await refused_by_opensearch(
            client.transport.perform_request("GET", f"/_plugins/_security/api/{path}")
        )
    assert await refused_by_opensearch(client.search(index=".opendistro_security"))
    assert await refused_by_opensearch(client.indices.create(index=f"{servers.PREFIX}mine"))


async def test_opensearch_refusal_is_write_denied(opensearch: OpenSearchServer) -> None:
    """An indexer that was given the narrator's user."""
    wrong = await open_opensearch(
        os.environ["MONITOR_OPENSEARCH_URL"],
        lambda role: servers.words_credentials(role and Role.NARRATOR),
        prefix=servers.PREFIX,
    )
    words = ServerTextIndex(wrong, Role.INDEXER)
    try:
        for attempt in (words.put("turns", [TextItem("a", "b", {})]), words.delete("turns", ["there"])):
            with pytest.raises(WriteDenied, match=r"Indexer may not write that: .*no permissions") as refusal:
                await attempt
            assert refusal.value.kept == "Nothing was written."
        assert [hit.id for hit in await words.search("turns", "bell")] == ["there"]
    finally:
        await wrong.close()


# --- MinIO ------------------------------------------------------------------------------------------


@pytest.fixture
async def minio() -> AsyncIterator[MinioBuckets]:
    """A MinIO with an object in every bucket."""
    needs("MINIO_ENDPOINT")
    async with servers.a_minio() as opened:
        for collection in COLLECTIONS[Store.OBJECTS]:
            await ServerObjectStore(opened, None).put(collection, b"there")
        yield opened


def refused_by_minio(attempt: Callable[[], Any]) -> bool:
    try:
        attempt()
    except S3Error as error:
        if error.code != "AccessDenied":
            raise
        return True
    return False


@pytest.mark.parametrize("role", Role)
async def test_minio_refuses_what_is_not_granted(role: Role, minio: MinioBuckets) -> None:
    client = minio.client_for(role)
    for collection in COLLECTIONS[Store.OBJECTS]:
        bucket = minio.bucket_name(collection)
        key = (await ServerObjectStore(minio, role).keys(collection))[0]
        for op, attempt in (
            (Operation.INSERT, lambda b=bucket: client.put_object(b, "forged", io.BytesIO(b"x"), 1)),
            (Operation.DELETE, lambda b=bucket, k=key: client.remove_object(b, k)),
        ):
            granted = bool(find_grants(role, Store.OBJECTS, collection, op))
            assert refused_by_minio(attempt) is not granted, (collection, op)
        assert refused_by_minio(partial(client.remove_bucket, bucket))
        assert refused_by_minio(partial(client.set_bucket_policy, bucket, "{}"))
        assert client.stat_object(bucket, key).size == len(b"there")
    assert refused_by_minio(lambda: client.make_bucket(f"{servers.PREFIX}mine"))
    assert refused_by_minio(lambda: list(client.list_objects("elsewhere")))


async def test_minio_lets_no_role_manage_users(minio: MinioBuckets) -> None:
    def only(role: Role) -> Callable[[object], Any]:
        return lambda _: servers.objects_credentials(role)

    for role in Role:
        mine = MinioBuckets(os.environ["MONITOR_MINIO_ENDPOINT"], only(role), "x-")
        for attempt in (MinioAdmin.user_list, MinioAdmin.policy_list, MinioAdmin.info):
            with pytest.raises(StoreError) as refusal:
                await mine.run_admin(attempt)
            assert isinstance(refusal.value.__cause__, MinioAdminException)
        await mine.close()


async def test_minio_refusal_is_write_denied(minio: MinioBuckets) -> None:
    """An ingest that was given the narrator's user."""
    wrong = await open_minio(
        os.environ["MONITOR_MINIO_ENDPOINT"],
        lambda role: servers.objects_credentials(role and Role.NARRATOR),
        prefix=servers.PREFIX,
    )
    with pytest.raises(WriteDenied, match="Ingest may not write that: AccessDenied") as refusal:
        await ServerObjectStore(wrong, Role.INGEST).put("originals", b"a book")
    assert refusal.value.kept == "Nothing was written."
    assert len(await ServerObjectStore(wrong, Role.INGEST).keys("originals")) == 1
    await wrong.close()


async def test_minio_overwritten_object_is_detected_and_repaired(minio: MinioBuckets) -> None:
    """MinIO cannot part a new object from one that is written over: its hash does."""
    originals = ServerObjectStore(minio, Role.INGEST)
    key = await originals.put("originals", b"a book")
    minio.client_for(Role.INGEST).put_object(minio.bucket_name("originals"), key, io.BytesIO(b"forged"), 6)
    with pytest.raises(StoreError, match="is damaged"):
        await originals.get("originals", key)
    assert await originals.put("originals", b"a book") == key
    assert await originals.get("originals", key) == b"a book"


async def test_server_users_may_be_created_again_with_other_passwords(minio: MinioBuckets) -> None:
    await make_users(minio, lambda role: f"another {role}")
    originals = ServerObjectStore(minio, Role.INGEST)
    try:
        with pytest.raises(StoreError, match="refuses this user or password"):
            await originals.keys("originals")
        with pytest.raises(StoreError, match="refuses this user or password"):
            await originals.put("originals", b"a book")
    finally:
        await make_users(minio, servers.secret_of)
    assert len(await originals.keys("originals")) == 1
