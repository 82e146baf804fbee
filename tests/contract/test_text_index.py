"""The text index's contract: any of the words, best first, within a scope; and nothing typed can break it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stores.authority import COLLECTIONS, Role, Store
from stores.errors import StoreError, WriteDenied
from stores.ports import TextIndex, TextItem
from tests.contract.conftest import Derived
from tests.examples import examples

U1, U2 = {"universe": "u1"}, {"universe": "u2"}


@pytest.fixture
def words(derived: Derived) -> TextIndex:
    return derived.words(Role.INDEXER)


async def fill(words: TextIndex, *texts: str, scope: dict[str, str] | None = None) -> None:
    """Index the texts as "0", "1" ..."""
    await words.put("turns", [TextItem(str(n), text, scope or {}) for n, text in enumerate(texts)])


async def found(words: TextIndex, query: str, **given: object) -> list[str]:
    return [hit.id for hit in await words.search("turns", query, **given)]  # type: ignore[arg-type]


async def test_text_search_ranks_more_matching_words_higher(words: TextIndex) -> None:
    await fill(words, "the bell in the tower", "a cracked bell", "nothing of note", "a cracked oar")
    assert await found(words, "cracked bell") == ["1", "3", "0"]  # of equals, the shorter text


async def test_text_search_scores_are_positive_and_descending(words: TextIndex) -> None:
    await fill(words, "bell bell bell", "a bell among many other things of the coast", *["sea"] * 9)
    hits = await words.search("turns", "bell")
    assert [hit.id for hit in hits] == ["0", "1"]
    assert hits[0].score > hits[1].score > 0


async def test_text_search_ignores_endings_case_and_accents(words: TextIndex) -> None:
    await fill(words, "She was RINGING the bells", "Zoë drowned", "cafe\u0301 society")
    assert await found(words, "ring bell") == ["0"]
    assert await found(words, "ZOE") == ["1"]
    assert await found(words, "café") == ["2"]


async def test_text_search_does_not_stem_a_stem(words: TextIndex) -> None:
    """The stem of "universities" is "univers", and of "univers" another."""
    await fill(words, "the universities burned")
    assert await found(words, "university") == ["0"]


async def test_text_search_of_stop_words_alone_finds(words: TextIndex) -> None:
    await fill(words, "to be or not to be", "the bell")
    assert await found(words, "to be") == ["0"]
    assert await found(words, "the bell to be") == ["1"]


async def test_text_search_limits_hits_and_sorts_ties(words: TextIndex) -> None:
    await fill(words, *["bell"] * 9)
    assert await found(words, "bell", k=3) == ["0", "1", "2"]
    assert await found(words, "bell", k=0) == []
    assert len(await found(words, "bell", k=1_000)) == 9


async def test_text_search_scope_pairs_must_all_match(words: TextIndex) -> None:
    await words.put(
        "turns",
        [
            TextItem("a", "bell", U1 | {"scene": "one"}),
            TextItem("b", "bell", U1 | {"scene": "one two"}),
            TextItem("c", "bell", U2 | {"scene": "one"}),
            TextItem("d", "bell", {}),
        ],
    )
    assert await found(words, "bell", scope=U1) == ["a", "b"]
    assert await found(words, "bell", scope={"scene": "one"}) == ["a", "c"]
    assert await found(words, "bell", scope=U1 | {"scene": "one"}) == ["a"]
    assert await found(words, "bell", scope={"scene": "ONE"}) == []
    assert await found(words, "bell", scope={"universe": "one"}) == []
    assert set(await found(words, "bell", scope={})) == {"a", "b", "c", "d"}
    assert await found(words, "one universe") == []


async def test_text_search_in_a_scope_ignores_words_outside(words: TextIndex) -> None:
    await fill(words, *["mara waits"] * 50, "a sword", scope=U2)
    await words.put("turns", [TextItem("here", "mara waits", U1)])
    assert await found(words, "mara sword", scope=U1) == ["here"]


async def test_text_put_replaces_an_item(words: TextIndex) -> None:
    await fill(words, "bell", scope=U1)
    await fill(words, "oar", scope=U2)
    assert await words.count("turns") == 1
    assert await found(words, "bell") == []
    assert await found(words, "oar", scope=U1) == []
    assert await found(words, "oar", scope=U2) == ["0"]


async def test_text_put_keeps_the_last_of_two_with_one_id(words: TextIndex) -> None:
    await words.put("turns", [TextItem("a", "bell", {}), TextItem("a", "oar", {})])
    assert await found(words, "bell oar") == ["a"]
    assert await words.count("turns") == 1


async def test_text_delete_removes_items(words: TextIndex) -> None:
    await fill(words, "bell", "bell", "bell")
    await words.delete("turns", ["1", "never there"])
    await words.delete("turns", [])
    assert await found(words, "bell") == ["0", "2"]
    assert await words.count("turns") == 2
    await words.put("turns", [TextItem("1", "bell", {})])
    assert await found(words, "bell") == ["0", "1", "2"]


async def test_text_collections_are_independent(words: TextIndex) -> None:
    for collection in COLLECTIONS[Store.WORDS]:
        assert await words.count(collection) == 0
        await words.put(collection, [TextItem(collection, "bell", {})])
    for collection in COLLECTIONS[Store.WORDS]:
        assert [hit.id for hit in await words.search(collection, "bell")] == [collection]
    await words.put("turns", [])


@pytest.mark.parametrize("collection", ["", "nowhere", "turns_data", "turns; DROP TABLE words_turns"])
async def test_text_index_refuses_unknown_collections(collection: str, words: TextIndex) -> None:
    for attempt in (
        words.put(collection, [TextItem("a", "b", {})]),
        words.delete(collection, ["a"]),
        words.search(collection, "a"),
        words.count(collection),
    ):
        with pytest.raises(StoreError, match="no collection"):
            await attempt


ODD = [
    "",
    " ",
    "\0",
    '"',
    "'",
    '"bell',
    "bell*",
    "bell AND",
    "NOT bell",
    "NEAR(bell oar)",
    "text: bell",
    "scope: bell",
    "{text scope}: bell",
    "-bell",
    "^bell",
    "bell + + oar",
    ") OR (",
    "🜂🔔",
    "\ud800",
    "%_?",
    "bell" * 25_000,
    "bell " * 20_000,
    " ".join(f"w{n}" for n in range(20_000)),
    "\u0301\u0301",
]


@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
async def test_text_search_accepts_any_query(query: str, words: TextIndex) -> None:
    await fill(words, "bell", "an oar")
    assert set(await found(words, query)) <= {"0", "1"}
    assert await found(words, query, scope={query: query}) == []


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
async def test_text_put_accepts_any_text(text: str, words: TextIndex) -> None:
    await fill(words, text, scope={text: text})
    assert await words.count("turns") == 1
    assert set(await found(words, "bell oar", scope={text: text})) <= {"0"}


async def test_text_search_treats_operators_as_words(words: TextIndex) -> None:
    await fill(words, "near the bell", "bell", "scope")
    assert await found(words, "NEAR(bell)") == ["0", "1"]
    assert await found(words, "scope: bell") == ["2", "1", "0"]


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=60), st.text(max_size=60))
async def test_text_search_finds_any_indexed_text(words: TextIndex, text: str, query: str) -> None:
    await fill(words, text)
    assert set(await found(words, query)) <= {"0"}


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.INDEXER])
async def test_text_index_is_written_by_the_indexer_only(role: Role, derived: Derived) -> None:
    await fill(derived.words(Role.INDEXER), "bell")
    words = derived.words(role)
    for collection in COLLECTIONS[Store.WORDS]:
        with pytest.raises(WriteDenied):
            await words.put(collection, [TextItem("a", "b", {})])
        with pytest.raises(WriteDenied):
            await words.delete(collection, ["0"])
    assert await found(words, "bell") == ["0"]
    assert await words.count("turns") == 1
