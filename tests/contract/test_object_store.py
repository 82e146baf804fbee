"""The contract of the object store; see `ObjectStore` in `stores/ports.py`."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.errors import NotFound, StoreError, WriteDenied
from stores.ports import ObjectStore
from tests.contract.conftest import Derived

BOOK = b"%PDF-1.7 a book"
KEY = hashlib.sha256(BOOK).hexdigest()


@pytest.fixture
def originals(derived: Derived) -> ObjectStore:
    return derived.objects(Role.INGEST)


@pytest.mark.parametrize("data", [b"", BOOK, bytes(range(256)) * 10_000], ids=["empty", "book", "large"])
async def test_object_round_trips(data: bytes, originals: ObjectStore) -> None:
    key = await originals.put("originals", data)
    assert key == hashlib.sha256(data).hexdigest()
    assert await originals.get("originals", key) == data
    assert await originals.exists("originals", key)


async def test_object_of_the_same_bytes_has_one_key(originals: ObjectStore) -> None:
    assert [await originals.put("originals", BOOK) for _ in range(3)] == [KEY] * 3
    assert await originals.keys("originals") == [KEY]


async def test_object_put_concurrently_has_one_key(originals: ObjectStore) -> None:
    keys = await asyncio.gather(*(originals.put("originals", bytes([n % 5])) for n in range(40)))
    assert await originals.keys("originals") == sorted(set(keys))
    assert len(set(keys)) == 5


async def test_object_keys_are_sorted(originals: ObjectStore) -> None:
    assert await originals.keys("originals") == []
    keys = [await originals.put("originals", str(n).encode()) for n in range(20)]
    assert await originals.keys("originals") == sorted(keys)


async def test_object_collections_are_independent(derived: Derived) -> None:
    await derived.objects(Role.INGEST).put("originals", BOOK)
    archivist = derived.objects(Role.ARCHIVIST)
    assert not await archivist.exists("archives", KEY)
    with pytest.raises(NotFound):
        await archivist.get("archives", KEY)
    assert await archivist.put("archives", BOOK) == KEY


@pytest.mark.parametrize(
    "key",
    [
        "",
        KEY.upper(),
        KEY[:-1],
        KEY + "0",
        KEY + "\n",
        "../" * 10 + "etc/passwd",
        "/etc/passwd",
        "..",
        f"{KEY[:2]}/{KEY[2:]}",
        "a" * 61 + "/..",
        "\0" * 64,
        "٣" * 64,
    ],
)
async def test_object_store_refuses_keys_that_are_paths(key: str, originals: ObjectStore) -> None:
    await originals.put("originals", BOOK)
    for attempt in (originals.get("originals", key), originals.exists("originals", key)):
        with pytest.raises(NotFound, match="not the key of an object"):
            await attempt


@pytest.mark.parametrize("collection", ["", "..", "../originals", "/tmp", "originals/../archives", "notes"])
async def test_object_store_refuses_unknown_collections(collection: str, originals: ObjectStore) -> None:
    for attempt in (
        originals.put(collection, BOOK),
        originals.get(collection, KEY),
        originals.exists(collection, KEY),
        originals.keys(collection),
    ):
        with pytest.raises(StoreError, match="no object collection"):
            await attempt


async def test_object_store_raises_not_found_for_unknown_keys(originals: ObjectStore) -> None:
    assert not await originals.exists("originals", KEY)
    with pytest.raises(NotFound, match=KEY):
        await originals.get("originals", KEY)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("collection", COLLECTIONS[Store.OBJECTS])
async def test_object_store_enforces_the_write_matrix(role: Role, collection: str, derived: Derived) -> None:
    objects = derived.objects(role)
    if find_grants(role, Store.OBJECTS, collection, Operation.INSERT):
        assert await objects.put(collection, BOOK) == KEY
    else:
        with pytest.raises(WriteDenied, match="may not write") as refusal:
            await objects.put(collection, BOOK)
        assert refusal.value.kept == "Nothing was written."
        assert await objects.keys(collection) == []
