"""How well names, aliases and speakers are found in passages with both marked."""

from __future__ import annotations

from itertools import combinations

import pytest

from agents.ingest.names.find_names import find_names
from agents.ingest.names.name_findings import NamesFound
from tests.agents.ingest.names.held_passages import LATER_PASSAGES, PASSAGES, HeldPassage


def f1(true: int, predicted: int, gold: int) -> float:
    return 2 * true / (predicted + gold)


def speaker_matches(found: NamesFound, predicted: str | None, gold: str) -> bool:
    """Say whether the predicted speaker is called so: by one of the names, or by words of one."""
    if predicted is None:
        return False
    spellings = {predicted.casefold()}
    for name in found.names:
        if name.name == predicted:
            spellings |= {alias.casefold() for alias in name.aliases}
    words = set(gold.casefold().split())
    return any(gold.casefold() == each or words <= set(each.split()) for each in spellings)


def name_pairs(found: NamesFound) -> set[frozenset[str]]:
    """Return every two names that are said to be one person's."""
    return {
        frozenset(pair)
        for name in found.names
        for pair in combinations({each.casefold() for each in (name.name, *name.aliases)}, 2)
    }


def gold_pairs(passage: HeldPassage) -> set[frozenset[str]]:
    return {
        frozenset(pair)
        for person in passage.people
        for pair in combinations({n.casefold() for n in person}, 2)
    }


@pytest.mark.parametrize(("passages", "least"), [(PASSAGES, 0.96), (LATER_PASSAGES, 0.94)])
def test_names_of_held_passages_are_found(passages: tuple[HeldPassage, ...], least: float) -> None:
    true = predicted = gold = 0
    for passage in passages:
        spans = {(m.start, m.end) for name in find_names(passage.text).names for m in name.mentions}
        true += len(spans & set(passage.names))
        predicted, gold = predicted + len(spans), gold + len(passage.names)
    assert gold > 50
    assert f1(true, predicted, gold) >= least


@pytest.mark.parametrize(("passages", "least"), [(PASSAGES, 0.9), (LATER_PASSAGES, 0.8)])
def test_aliases_of_held_passages_are_paired(passages: tuple[HeldPassage, ...], least: float) -> None:
    true = predicted = gold = 0
    for passage in passages:
        pairs, expected = name_pairs(find_names(passage.text)), gold_pairs(passage)
        true, predicted, gold = true + len(pairs & expected), predicted + len(pairs), gold + len(expected)
    assert gold > 10
    assert f1(true, predicted, gold) >= least


@pytest.mark.parametrize(("passages", "least"), [(PASSAGES, 0.8), (LATER_PASSAGES, 0.75)])
def test_speakers_of_held_passages_are_told(passages: tuple[HeldPassage, ...], least: float) -> None:
    right = total = 0
    for passage in passages:
        found = find_names(passage.text)
        speaker_at = {quote.start: quote.speaker for quote in found.quotes}
        right += sum(speaker_matches(found, speaker_at.get(start), who) for start, who in passage.speakers)
        total += len(passage.speakers)
    assert total > 35
    assert right / total >= least
