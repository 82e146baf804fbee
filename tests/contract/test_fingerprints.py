"""The contract of fingerprints, for vectors and words: what is indexed, with which content and scope."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stores.authority import COLLECTIONS, Role, Store
from stores.errors import StoreError, WriteDenied
from stores.ports import TextItem, VectorIndex, VectorItem
from tests.contract.conftest import Derived
from tests.examples import examples

M, OTHER = "minilm-l6-v2", "sentence-transformers/all-MiniLM-L6-v2@rev 1"
"""Two models; the second has a name that no server can have in the name of a collection."""

EAST = [1.0, 0.0]


class Item(NamedTuple):
    id: str
    scope: Mapping[str, str]
    mark: str = ""


class Index(Protocol):
    """Either index, with one model."""

    async def put(self, *items: Item) -> None: ...

    async def delete(self, *ids: str) -> None: ...

    async def marks(
        self, *, ids: Collection[str] | None = None, scope: Mapping[str, str] | None = None
    ) -> dict[str, str]: ...

    async def count(self, scope: Mapping[str, str] | None = None) -> int: ...


class Vectors:
    def __init__(self, derived: Derived) -> None:
        self._index = derived.vectors(Role.INDEXER)

    async def put(self, *items: Item) -> None:
        await self._index.put("turns", [VectorItem(i.id, EAST, i.scope, i.mark) for i in items], model=M)

    async def delete(self, *ids: str) -> None:
        await self._index.delete("turns", ids, model=M)

    async def marks(
        self, *, ids: Collection[str] | None = None, scope: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        return await self._index.fingerprints("turns", model=M, ids=ids, scope=scope)

    async def count(self, scope: Mapping[str, str] | None = None) -> int:
        return await self._index.count("turns", model=M, scope=scope)


class Words:
    def __init__(self, derived: Derived) -> None:
        self._index = derived.words(Role.INDEXER)

    async def put(self, *items: Item) -> None:
        await self._index.put("turns", [TextItem(i.id, f"bell {i.id}", i.scope, i.mark) for i in items])

    async def delete(self, *ids: str) -> None:
        await self._index.delete("turns", ids)

    async def marks(
        self, *, ids: Collection[str] | None = None, scope: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        return await self._index.fingerprints("turns", ids=ids, scope=scope)

    async def count(self, scope: Mapping[str, str] | None = None) -> int:
        return await self._index.count("turns", scope=scope)


@pytest.fixture(params=[Vectors, Words], ids=["vectors", "words"])
def index(request: pytest.FixtureRequest, derived: Derived) -> Index:
    made: Index = request.param(derived)
    return made


@pytest.fixture
def vectors(derived: Derived) -> VectorIndex:
    return derived.vectors(Role.INDEXER)


ONE, TWO = {"universe": "u1", "scene": "one"}, {"universe": "u1", "scene": "two"}
THREE = {"universe": "u2", "scene": "three"}


async def test_fingerprints_are_filtered_by_ids_and_scope(index: Index) -> None:
    await index.put(Item("a", ONE, "m1"), Item("b", ONE, "m2"), Item("c", TWO, "m1"), Item("d", THREE))
    assert await index.marks() == {"a": "m1", "b": "m2", "c": "m1", "d": ""}
    assert await index.marks(ids=["c", "a", "c", "never there"]) == {"a": "m1", "c": "m1"}
    assert await index.marks(ids=[]) == {}
    assert await index.marks(scope={"universe": "u1"}) == {"a": "m1", "b": "m2", "c": "m1"}
    assert await index.marks(scope=ONE) == {"a": "m1", "b": "m2"}
    assert await index.marks(scope={"scene": "One"}) == {}
    assert await index.marks(scope={"universe": "u1", "scene": "three"}) == {}
    assert await index.marks(ids=["a", "d"], scope={"universe": "u1"}) == {"a": "m1"}
    assert await index.marks(scope={}) == await index.marks()


async def test_index_count_is_filtered_by_scope(index: Index) -> None:
    await index.put(Item("a", ONE), Item("b", ONE), Item("c", TWO), Item("d", THREE), Item("e", {}))
    assert await index.count() == await index.count({}) == 5
    assert await index.count({"universe": "u1"}) == 3
    assert await index.count({"universe": "u1", "scene": "two"}) == 1
    assert await index.count({"universe": "u3"}) == 0
    await index.delete("a", "c")
    assert await index.count({"universe": "u1"}) == 1


async def test_fingerprint_follows_put_and_delete(index: Index) -> None:
    await index.put(Item("a", ONE, "old"), Item("b", ONE, "kept"))
    await index.put(Item("a", TWO, "new"))
    assert await index.marks() == {"a": "new", "b": "kept"}
    assert await index.marks(scope=ONE) == {"b": "kept"}
    await index.put(Item("a", TWO))
    assert await index.marks(ids=["a"]) == {"a": ""}
    await index.delete("a")
    assert await index.marks(ids=["a", "b"]) == {"b": "kept"}
    await index.put(Item("a", ONE, "again"), Item("a", ONE, "the last counts"))
    assert await index.marks() == {"a": "the last counts", "b": "kept"}


ODD = ('"', "'", "\\", "{}", '", "scene": "one', "a" * 600, "%_", "ü🜂")


async def test_fingerprints_and_scopes_accept_any_text(index: Index) -> None:
    await index.put(
        *(Item(str(n), {"universe": odd}, odd) for n, odd in enumerate(ODD)),
        Item("plain", {"universe": "u1", "scene": "one"}, "m"),
    )
    for n, odd in enumerate(ODD):
        assert await index.marks(scope={"universe": odd}) == {str(n): odd}
        assert await index.count({"universe": odd}) == 1
    assert await index.marks(scope={"scene": "one"}) == {"plain": "m"}


async def test_fingerprints_exceed_one_page(index: Index) -> None:
    many = [Item(str(n), ONE if n % 2 else TWO, f"m{n}") for n in range(2_500)]
    await index.put(*many)
    assert await index.marks() == {item.id: item.mark for item in many}
    assert await index.marks(ids=[item.id for item in many], scope=ONE) == {
        item.id: item.mark for item in many if item.scope is ONE
    }
    assert await index.count(TWO) == 1_250


@settings(
    max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.sampled_from("ppdms"), st.integers(0, 12)), max_size=40), st.randoms())
async def test_fingerprints_behave_like_a_dictionary(
    index: Index, steps: Sequence[tuple[str, int]], chance: random.Random
) -> None:
    await index.delete(*(str(n) for n in range(13)))
    known: dict[str, Item] = {}
    for step, n in steps:
        id, scope = str(n), chance.choice([ONE, TWO, THREE])
        if step == "p":
            known[id] = Item(id, scope, chance.choice(["x", "y"]))
            await index.put(known[id])
        elif step == "d":
            await index.delete(id)
            known.pop(id, None)
        elif step == "m":
            assert await index.marks(ids=[id]) == {i.id: i.mark for i in known.values() if i.id == id}
        else:
            inside = {i.id: i.mark for i in known.values() if i.scope is scope}
            assert await index.marks(scope=scope) == inside
            assert await index.count(scope) == len(inside)
    assert await index.marks() == {item.id: item.mark for item in known.values()}


async def test_fingerprints_of_collections_are_independent(derived: Derived) -> None:
    vectors, words = derived.vectors(Role.INDEXER), derived.words(Role.INDEXER)
    for name in COLLECTIONS[Store.VECTORS]:
        await vectors.put(name, [VectorItem(name, EAST, {}, "v")], model=M)
    for name in COLLECTIONS[Store.WORDS]:
        await words.put(name, [TextItem(name, f"the bell of {name}", {}, "w")])
    for name in COLLECTIONS[Store.VECTORS]:
        assert await vectors.fingerprints(name, model=M) == {name: "v"}
        assert await vectors.models(name) == {M: 1}
    for name in COLLECTIONS[Store.WORDS]:
        assert await words.fingerprints(name) == {name: "w"}
        assert [hit.id for hit in await words.search(name, "bell")] == [name]


# --- models -----------------------------------------------------------------------------------------


async def test_fingerprints_of_models_are_independent(vectors: VectorIndex) -> None:
    assert await vectors.models("turns") == {}
    await vectors.put("turns", [VectorItem("a", EAST, ONE, "m1"), VectorItem("b", EAST, ONE)], model=M)
    await vectors.put("turns", [VectorItem("a", [1, 2, 3], ONE, "m2")], model=OTHER)
    assert await vectors.models("turns") == {M: 2, OTHER: 1}
    assert await vectors.fingerprints("turns", model=M) == {"a": "m1", "b": ""}
    assert await vectors.fingerprints("turns", model=OTHER) == {"a": "m2"}
    assert await vectors.fingerprints("turns", model="unheard of") == {}
    assert await vectors.count("turns", model=OTHER, scope=ONE) == 1
    await vectors.delete("turns", ["a"], model=OTHER)
    assert await vectors.models("turns") == {M: 2}


async def found(vectors: VectorIndex, vector: Sequence[float], model: str = M) -> list[str]:
    return [hit.id for hit in await vectors.search("turns", vector, model=model, k=99)]


async def test_vector_drop_keeps_other_models(vectors: VectorIndex) -> None:
    for model in (M, OTHER):
        await vectors.put("turns", [VectorItem(id, EAST, ONE, "m") for id in "abc"], model=model)
    await vectors.put("facts", [VectorItem("f", EAST, {})], model=OTHER)
    assert await found(vectors, EAST, OTHER) == ["a", "b", "c"]
    await vectors.drop("turns", model=OTHER)
    await vectors.drop("turns", model=OTHER)
    await vectors.drop("scenes", model="unheard of")
    assert await found(vectors, EAST, OTHER) == []
    assert await vectors.fingerprints("turns", model=OTHER) == {}
    assert await vectors.count("turns", model=OTHER) == 0
    assert await vectors.models("turns") == {M: 3}
    assert await found(vectors, EAST) == ["a", "b", "c"]
    assert await vectors.models("facts") == {OTHER: 1}


async def test_vector_drop_allows_another_dimension(vectors: VectorIndex) -> None:
    """The last ones that were written, too: what is put next must not be taken for them."""
    await vectors.put("turns", [VectorItem(id, EAST, ONE) for id in "abc"], model=M)
    assert await found(vectors, EAST) == ["a", "b", "c"]
    await vectors.drop("turns", model=M)
    await vectors.put("turns", [VectorItem("b", [0, 1], TWO, "new")], model=M)
    assert await found(vectors, EAST) == ["b"]
    assert await vectors.fingerprints("turns", model=M) == {"b": "new"}
    await vectors.drop("turns", model=M)
    await vectors.put("turns", [VectorItem("z", [1, 2, 3], ONE)], model=M)
    assert await found(vectors, [1, 2, 3]) == ["z"]


@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(st.sampled_from("pppdxs"), st.integers(0, 9), st.sampled_from([M, OTHER])), max_size=40
    )
)
async def test_vector_drop_behaves_like_dictionaries(
    vectors: VectorIndex, steps: Sequence[tuple[str, int, str]]
) -> None:
    for model in (M, OTHER):
        await vectors.drop("turns", model=model)
    known: dict[str, set[str]] = {M: set(), OTHER: set()}
    for step, n, model in steps:
        if step == "p":
            await vectors.put("turns", [VectorItem(str(n), [1, n], {})], model=model)
            known[model].add(str(n))
        elif step == "d":
            await vectors.delete("turns", [str(n)], model=model)
            known[model].discard(str(n))
        elif step == "x":
            await vectors.drop("turns", model=model)
            known[model].clear()
        else:
            assert set(await found(vectors, EAST, model)) == known[model]
    assert await vectors.models("turns") == {model: len(ids) for model, ids in known.items() if ids}
    for model, ids in known.items():
        assert (
            set(await found(vectors, EAST, model))
            == (await vectors.fingerprints("turns", model=model)).keys()
        )
        assert set(await found(vectors, EAST, model)) == ids


# --- who may ----------------------------------------------------------------------------------------


async def test_fingerprints_are_readable_by_every_role(derived: Derived) -> None:
    await derived.vectors(Role.INDEXER).put("turns", [VectorItem("a", EAST, ONE, "m")], model=M)
    await derived.words(Role.INDEXER).put("turns", [TextItem("a", "a bell", ONE, "m")])
    for role in Role:
        vectors, words = derived.vectors(role), derived.words(role)
        assert await vectors.fingerprints("turns", model=M, scope=ONE) == {"a": "m"}, role
        assert await words.fingerprints("turns", scope=ONE) == {"a": "m"}, role
        assert await vectors.count("turns", model=M, scope=ONE) == await words.count("turns", scope=ONE) == 1
        if role is not Role.INDEXER:
            with pytest.raises(WriteDenied):
                await vectors.drop("turns", model=M)
        assert await vectors.models("turns") == {M: 1}, role


async def test_fingerprints_refuse_unknown_collections(derived: Derived) -> None:
    vectors, words = derived.vectors(Role.INDEXER), derived.words(Role.INDEXER)
    for attempt in (
        vectors.fingerprints("nowhere", model=M),
        vectors.models("nowhere"),
        vectors.drop("nowhere", model=M),
        vectors.count("nowhere", model=M, scope=ONE),
        words.fingerprints("nowhere"),
        words.count("nowhere", scope=ONE),
    ):
        with pytest.raises(StoreError, match="no collection"):
            await attempt
