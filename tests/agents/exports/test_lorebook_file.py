"""A lorebook written and read again says what it said."""

from __future__ import annotations

import json

from agents.exports.lorebook_file import write_lorebook
from agents.importers.cards.lorebook import has_entries, read_entries
from agents.importers.log_entries import ImportProblem
from stores.records.canon import FactKind, LoreKeys
from tests.contract import builders as make


def test_lorebook_round_trip_keeps_keys_texts_and_order() -> None:
    lore = [
        LoreKeys(title="The salt house", keys=("salt house", "saltház"), order=7),
        LoreKeys(title="Tides", always=True),
        LoreKeys(title="Night", keys=("pier",), secondary_keys=("night", "dark"), order=-3),
    ]
    texts = ['It stands on piles.\n\nThe "keeper" sleeps.', "The tide rules.", "3 < 4 & nobody walks there."]
    facts = [
        make.fact(text, kind=FactKind.LORE, predicate="lore", lore=keys)
        for text, keys in zip(texts, lore, strict=True)
    ]
    book = json.loads(write_lorebook("The Coast", [*facts, make.fact("No lore.")]))
    problems: list[ImportProblem] = []
    assert has_entries(book)
    entries = list(read_entries(book, problems))
    assert [entry.text for entry in entries] == texts
    assert [entry.lore for entry in entries] == lore
    assert problems == []


def test_lorebook_round_trip_keeps_odd_names() -> None:
    names = (
        'The "Salt" House', "O'Hara's [old] pier", "(un)seen {gate}", "Соляной берег", "塩の家", "בית המלח", "a/b/c",
        "/etc/", "3 < 4 & 5 > 2", "Ælf, the", "Jack <the> Rat", "Mara & Sons", "Café\u0301", "🜂 Fire",
    )  # fmt: skip
    lore = [LoreKeys(title=name, keys=(name,), secondary_keys=(f"{name}!",)) for name in names]
    facts = [
        make.fact(f"{name} is {name}.", kind=FactKind.LORE, predicate="lore", lore=keys)
        for name, keys in zip(names, lore, strict=True)
    ]
    book = json.loads(write_lorebook('A "book" [of] 塩', facts))
    problems: list[ImportProblem] = []
    entries = list(read_entries(book, problems))
    assert [entry.lore for entry in entries] == lore
    assert [entry.text for entry in entries] == [f"{name} is {name}." for name in names]
    assert problems == []
