"""Which lore entries a prompt has: always on or by key, within their budget, and what did not fit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agents.context_assembly.keyed_lore import LORE_BUDGET, select_lore
from stores.records.canon import Fact, FactKind, LoreKeys
from tests.contract import builders as make


def entry(
    title: str, *keys: str, text: str = "", always: bool = False, order: int = 100, second: str = ""
) -> Fact:
    lore = LoreKeys(
        title=title, keys=keys, always=always, order=order, secondary_keys=(second,) if second else ()
    )
    return make.fact(text or f"{title}.", kind=FactKind.LORE, predicate="lore", lore=lore)


def titles(entries: Sequence[Fact], *texts: str) -> list[str]:
    return [fact.lore.title for fact in select_lore(entries, texts).entries if fact.lore]


@pytest.mark.parametrize(
    ("key", "text", "is_on"),
    [
        ("salt house", "I walk to the Salt  House.", True),
        ("salt house", "I walk to the salt houses.", False),
        ("art", "The cart stops.", False),
        ("Žižka", "Who is žižka?", True),
        ("Straße", "die STRASSE hinab", True),
        ("Orsk's", "Orsk’s bells", True),
        ("港", "彼は港へ行く", True),
        ("C++", "I read of C++ there.", True),
        ("salt house", "", False),
    ],
)
def test_keyed_lore_is_on_for_whole_words_in_any_case(key: str, text: str, is_on: bool) -> None:
    assert bool(titles([entry("Entry", key)], "Nothing yet.", text)) is is_on


def test_keyed_lore_with_a_second_key_needs_both() -> None:
    crown = entry("Crown", "orsk", "the city", second="king")
    assert titles([crown], "Who rules Orsk?") == []
    assert titles([crown], "Who is king?", "He went to the city.") == ["Crown"]


def test_keyed_lore_takes_always_on_entries_first_then_by_order() -> None:
    entries = [
        entry("Low", "orsk", order=1),
        entry("High", "orsk", order=200),
        entry("Always", always=True, order=0),
        entry("Other", "fog"),
    ]
    assert titles(entries, "Orsk") == ["Always", "High", "Low"]


def test_keyed_lore_over_budget_is_reported_and_what_fits_after_it_is_shown() -> None:
    entries = [
        entry("Tide", always=True, text="The tide rules here."),
        entry("Annals", "orsk", text="Bells. " * 1_000, order=300),
        entry("Bells", "orsk", text="Orsk is a city of bells."),
    ]
    selection = select_lore(entries, ["I ask about Orsk."])
    assert [fact.statement for fact in selection.entries] == [
        "The tide rules here.",
        "Orsk is a city of bells.",
    ]
    (omitted_item,) = selection.omitted_items
    assert omitted_item.section == "lore"
    assert omitted_item.reason.startswith("“Annals” left out: 2,059 tokens, and ")
    assert omitted_item.reason.endswith(f" of {LORE_BUDGET:,} were free")


def test_keyed_lore_always_on_stays_within_the_budget() -> None:
    entries = [entry(f"Entry {n}", always=True, text="Bells. " * 100, order=-n) for n in range(20)]
    selection = select_lore(entries, [])
    assert [fact.lore.title for fact in selection.entries if fact.lore] == [
        "Entry 0",
        "Entry 1",
        "Entry 2",
        "Entry 3",
    ]
    assert len(selection.omitted_items) == 6
    assert selection.omitted_items[-1].reason == "11 more left out: the budget is used"
