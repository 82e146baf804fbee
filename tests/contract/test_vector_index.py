"""The vector index's contract: the nearest by cosine, exactly, within a scope."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stores.authority import COLLECTIONS, Role, Store
from stores.errors import StoreError, WriteDenied
from stores.ports import VectorIndex, VectorItem
from tests.contract.conftest import Derived
from tests.examples import examples

M = "minilm"
EAST, NORTH, NORTH_EAST = [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]


@pytest.fixture
def vectors(derived: Derived) -> VectorIndex:
    return derived.vectors(Role.INDEXER)


async def found(vectors: VectorIndex, vector: Sequence[float], **given: object) -> list[str]:
    hits = await vectors.search("turns", vector, **{"model": M} | given)  # type: ignore[arg-type]
    return [hit.id for hit in hits]


async def put(vectors: VectorIndex, *items: VectorItem, model: str = M) -> None:
    await vectors.put("turns", items, model=model)


async def test_vector_search_ignores_length(vectors: VectorIndex) -> None:
    await put(
        vectors,
        VectorItem("north", [0, 0.001], {}),
        VectorItem("east", [900, 0], {}),
        VectorItem("west", [-1, 0], {}),
        VectorItem("north east", [7, 7], {}),
    )
    hits = await vectors.search("turns", [2, 0], model=M)
    assert [hit.id for hit in hits] == ["east", "north east", "north", "west"]
    assert [hit.score for hit in hits] == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-3)


async def test_vector_search_limits_hits_and_sorts_ties(vectors: VectorIndex) -> None:
    await put(vectors, *(VectorItem(str(n), EAST, {}) for n in reversed(range(9))))
    assert await found(vectors, EAST, k=3) == ["0", "1", "2"]
    assert await found(vectors, EAST, k=0) == []
    assert len(await found(vectors, EAST, k=1_000)) == 9


async def test_token_codes_are_kept_with_the_vector_and_go_with_it(vectors: VectorIndex) -> None:
    codes = bytes(range(256))
    with_codes = [VectorItem(id, EAST, {}, token_codes=codes) for id in ("a", "b", "c")]
    await put(vectors, *with_codes, VectorItem("none", NORTH, {}))
    await put(vectors, VectorItem("a", EAST, {}, token_codes=b"other"), model="another model")

    async def read(*ids: str, model: str = M) -> dict[str, bytes]:
        return await vectors.token_codes("turns", ids, model=model)

    assert await read("a", "c", "none", "never indexed") == {"a": codes, "c": codes}
    await put(vectors, VectorItem("a", NORTH, {}, token_codes=b"\xff" * 16), VectorItem("b", NORTH, {}))
    assert await read("a", "b", "c") == {"a": b"\xff" * 16, "c": codes}
    await vectors.delete("turns", ["a"], model=M)
    assert await read("a", "c") == {"c": codes}
    await vectors.drop("turns", model=M)
    assert await read("a", "c") == {}
    assert await read("a", model="another model") == {"a": b"other"}
    assert await read() == {}


async def test_vector_search_scope_pairs_must_all_match(vectors: VectorIndex) -> None:
    await put(
        vectors,
        VectorItem("a", EAST, {"universe": "u1", "scene": "one"}),
        VectorItem("b", EAST, {"universe": "u1"}),
        VectorItem("c", EAST, {"universe": "u2", "scene": "one"}),
    )
    assert await found(vectors, EAST, scope={"universe": "u1"}) == ["a", "b"]
    assert await found(vectors, EAST, scope={"scene": "one"}) == ["a", "c"]
    assert await found(vectors, EAST, scope={"universe": "u1", "scene": "one"}) == ["a"]
    assert await found(vectors, EAST, scope={"universe": "U1"}) == []
    assert await found(vectors, EAST, scope={}) == ["a", "b", "c"]


async def test_vector_put_replaces_an_item(vectors: VectorIndex) -> None:
    await put(vectors, VectorItem("a", EAST, {"universe": "u1"}), VectorItem("b", NORTH_EAST, {}))
    assert await found(vectors, EAST) == ["a", "b"]
    await put(vectors, VectorItem("a", NORTH, {"universe": "u2"}))
    assert await found(vectors, EAST) == ["b", "a"]
    assert await found(vectors, EAST, scope={"universe": "u1"}) == []
    assert await vectors.count("turns", model=M) == 2


async def test_vector_put_keeps_the_last_of_two_with_one_id(vectors: VectorIndex) -> None:
    await put(vectors, VectorItem("a", EAST, {}), VectorItem("a", NORTH, {}), VectorItem("b", NORTH_EAST, {}))
    assert await found(vectors, EAST) == ["b", "a"]


async def test_vector_delete_removes_items(vectors: VectorIndex) -> None:
    await put(vectors, *(VectorItem(id, EAST, {}) for id in "abc"))
    assert await found(vectors, EAST) == ["a", "b", "c"]
    await vectors.delete("turns", ["b", "never there"], model=M)
    await vectors.delete("turns", ["a"], model="another")
    await vectors.delete("turns", [], model=M)
    assert await found(vectors, EAST) == ["a", "c"]
    assert await vectors.count("turns", model=M) == 2
    await put(vectors, VectorItem("b", EAST, {}))
    assert await found(vectors, EAST) == ["a", "b", "c"]
    await vectors.delete("turns", ["a", "b", "c"], model=M)
    assert await found(vectors, EAST) == []


async def test_vector_models_and_collections_are_independent(vectors: VectorIndex) -> None:
    for collection in COLLECTIONS[Store.VECTORS]:
        await vectors.put(collection, [VectorItem(collection, EAST, {})], model=M)
    await put(vectors, VectorItem("longer", [1, 2, 3], {}), model="another")
    for collection in COLLECTIONS[Store.VECTORS]:
        assert [hit.id for hit in await vectors.search(collection, EAST, model=M)] == [collection]
    assert await found(vectors, [1, 2, 3], model="another") == ["longer"]
    assert await found(vectors, EAST, model="unheard of") == []
    assert await vectors.count("turns", model="unheard of") == 0


async def test_vector_put_refuses_another_dimension(vectors: VectorIndex) -> None:
    await put(vectors, VectorItem("a", EAST, {}))
    with pytest.raises(StoreError, match="3 numbers does not fit those of minilm, which have 2"):
        await put(vectors, VectorItem("b", NORTH, {}), VectorItem("c", [1, 2, 3], {}))
    with pytest.raises(StoreError, match="does not fit"):
        await found(vectors, [1, 2, 3])
    assert await found(vectors, EAST) == ["a"]
    await vectors.delete("turns", ["a"], model=M)
    await put(vectors, VectorItem("c", [1, 2, 3], {}))
    assert await found(vectors, [1, 2, 3]) == ["c"]


@pytest.mark.parametrize("vector", [[], [float("nan"), 1], [float("inf"), 1]])
async def test_vector_put_refuses_invalid_vectors(vector: list[float], vectors: VectorIndex) -> None:
    with pytest.raises(StoreError, match="finite numbers"):
        await put(vectors, VectorItem("a", vector, {}))
    await put(vectors, VectorItem("a", EAST, {}))
    with pytest.raises(StoreError):
        await found(vectors, vector)


async def test_vector_search_of_zero_vector_scores_zero(vectors: VectorIndex) -> None:
    await put(vectors, VectorItem("nothing", [0, 0], {}), VectorItem("east", EAST, {}))
    hits = await vectors.search("turns", EAST, model=M)
    assert [(hit.id, round(hit.score, 3)) for hit in hits] == [("east", 1.0), ("nothing", 0.0)]
    assert [hit.score for hit in await vectors.search("turns", [0, 0], model=M)] == [0.0, 0.0]


@pytest.mark.parametrize("collection", ["", "nowhere", "turns; DROP TABLE vectors_turns"])
async def test_vector_index_refuses_unknown_collections(collection: str, vectors: VectorIndex) -> None:
    for attempt in (
        vectors.put(collection, [VectorItem("a", EAST, {})], model=M),
        vectors.delete(collection, ["a"], model=M),
        vectors.search(collection, EAST, model=M),
        vectors.count(collection, model=M),
    ):
        with pytest.raises(StoreError, match="no collection"):
            await attempt


async def test_vector_search_is_exact(vectors: VectorIndex) -> None:
    """Against cosines reckoned in double precision over what float16 keeps, block borders included."""
    numbers = np.random.default_rng(7).standard_normal((2_500, 48))
    numbers[::7] *= 1e-6
    await put(vectors, *(VectorItem(str(n), row.tolist(), {}) for n, row in enumerate(numbers)))
    kept = (numbers / np.linalg.norm(numbers, axis=1, keepdims=True)).astype(np.float16).astype(np.float64)
    for n in range(0, 2_500, 500):
        wanted = kept @ (numbers[n] / np.linalg.norm(numbers[n]))
        hits = await vectors.search("turns", numbers[n].tolist(), model=M, k=20)
        assert [hit.score for hit in hits] == pytest.approx(sorted(wanted, reverse=True)[:20], abs=1e-5)
        assert hits[0].id == str(n)


@settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.sampled_from("pds"), st.integers(0, 30)), max_size=60), st.randoms())
async def test_vector_index_behaves_like_a_dictionary(
    vectors: VectorIndex, steps: list[tuple[str, int]], chance: random.Random
) -> None:
    """Puts, deletions and searches in any order, against a plain dictionary."""
    await vectors.delete("turns", [str(n) for n in range(31)], model=M)
    model: dict[str, tuple[float, str]] = {}
    for step, n in steps:
        angle, scene = chance.random(), chance.choice("xy")
        if step == "p":
            await put(vectors, VectorItem(str(n), [1, angle], {"scene": scene}))
            model[str(n)] = angle, scene
        elif step == "d":
            await vectors.delete("turns", [str(n)], model=M)
            model.pop(str(n), None)
        else:
            inside = {id for id, (_, where) in model.items() if where == scene}
            assert set(await found(vectors, EAST, k=99, scope={"scene": scene})) == inside
    assert set(await found(vectors, EAST, k=99)) == model.keys()
    assert await vectors.count("turns", model=M) == len(model)


async def test_vector_search_during_writes_sees_earlier_writes(vectors: VectorIndex) -> None:
    async def write_and_find(n: int) -> None:
        vector = [float(place == n) for place in range(50)]
        await put(vectors, VectorItem(str(n), vector, {}))
        assert await found(vectors, vector, k=1) == [str(n)]

    await asyncio.gather(*map(write_and_find, range(50)))


async def test_vector_replacement_frees_memory(vectors: VectorIndex) -> None:
    for turn in range(8):
        await put(vectors, *(VectorItem(str(n), [turn + 1, n], {}) for n in range(400)))
        assert await found(vectors, EAST, k=1) == ["0"]
    assert await vectors.count("turns", model=M) == 400


WRITERS = {Role.INDEXER: set(COLLECTIONS[Store.VECTORS]), Role.MEMORY_MANAGER: {"memories"}}


@pytest.mark.parametrize("role", Role)
async def test_vector_index_enforces_the_write_matrix(role: Role, derived: Derived) -> None:
    await put(derived.vectors(Role.INDEXER), VectorItem("a", EAST, {}))
    vectors = derived.vectors(role)
    for collection in COLLECTIONS[Store.VECTORS]:
        if collection in WRITERS.get(role, ()):
            await vectors.put(collection, [VectorItem("b", EAST, {})], model=M)
            await vectors.delete(collection, ["b"], model=M)
            continue
        with pytest.raises(WriteDenied):
            await vectors.put(collection, [VectorItem("b", EAST, {})], model=M)
        with pytest.raises(WriteDenied):
            await vectors.delete(collection, ["a"], model=M)
    assert await found(vectors, EAST) == ["a"]
