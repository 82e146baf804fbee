"""How well names, aliases and speakers are found in passages with both marked."""

from __future__ import annotations

from itertools import combinations

import pytest

from agents.ingest.names.find_names import find_names
from agents.ingest.names.name_findings import NamesFound
from tests.agents.ingest.names.blind_passages import BLIND_PASSAGES, SECOND_BLIND_PASSAGES
from tests.agents.ingest.names.held_passages import LATER_PASSAGES, PASSAGES, HeldPassage
from tests.agents.ingest.names.plain_rule import plain_alias_pairs, plain_names, plain_speakers


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


@pytest.mark.parametrize(
    ("passages", "least"),
    [(PASSAGES, 0.96), (LATER_PASSAGES, 0.94), (BLIND_PASSAGES, 0.96), (SECOND_BLIND_PASSAGES, 0.96)],
)
def test_names_of_held_passages_are_found(passages: tuple[HeldPassage, ...], least: float) -> None:
    true = predicted = gold = 0
    for passage in passages:
        spans = {(m.start, m.end) for name in find_names(passage.text).names for m in name.mentions}
        true += len(spans & set(passage.names))
        predicted, gold = predicted + len(spans), gold + len(passage.names)
    assert gold > 50
    assert f1(true, predicted, gold) >= least


@pytest.mark.parametrize(
    ("passages", "least"),
    [(PASSAGES, 0.9), (LATER_PASSAGES, 0.8), (BLIND_PASSAGES, 0.8), (SECOND_BLIND_PASSAGES, 0.9)],
)
def test_aliases_of_held_passages_are_paired(passages: tuple[HeldPassage, ...], least: float) -> None:
    true = predicted = gold = 0
    for passage in passages:
        pairs, expected = name_pairs(find_names(passage.text)), gold_pairs(passage)
        true, predicted, gold = true + len(pairs & expected), predicted + len(pairs), gold + len(expected)
    assert gold > 10
    assert f1(true, predicted, gold) >= least


@pytest.mark.parametrize(
    ("passages", "least"),
    [(PASSAGES, 0.8), (LATER_PASSAGES, 0.75), (BLIND_PASSAGES, 0.7), (SECOND_BLIND_PASSAGES, 0.7)],
)
def test_speakers_of_held_passages_are_told(passages: tuple[HeldPassage, ...], least: float) -> None:
    right = total = 0
    for passage in passages:
        found = find_names(passage.text)
        speaker_at = {quote.start: quote.speaker for quote in found.quotes}
        right += sum(speaker_matches(found, speaker_at.get(start), who) for start, who in passage.speakers)
        total += len(passage.speakers)
    assert total > 35
    assert right / total >= least


def test_names_of_blind_passages_are_found_better_than_by_a_plain_rule() -> None:
    """The rule of sixty lines stands for what anybody would write first."""
    passages = (*BLIND_PASSAGES, *SECOND_BLIND_PASSAGES)
    names, pairs, right = [0, 0, 0], [0, 0, 0], 0
    for passage in passages:
        spans, gold_spans = set(plain_names(passage.text)), set(passage.names)
        names = _add(names, [len(spans & gold_spans), len(spans), len(gold_spans)])
        found_pairs, gold = plain_alias_pairs(passage.text), gold_pairs(passage)
        pairs = _add(pairs, [len(found_pairs & gold), len(found_pairs), len(gold)])
        speakers = plain_speakers(passage.text)
        right += sum(
            speaker_matches(NamesFound((), ()), speakers.get(at), who) for at, who in passage.speakers
        )
    share_right = right / sum(len(passage.speakers) for passage in passages)
    assert 0.85 < f1(*names) < 0.92
    assert 0.35 < f1(*pairs) < 0.5
    assert 0.45 < share_right < 0.6


def _add(counts: list[int], more: list[int]) -> list[int]:
    return [one + other for one, other in zip(counts, more, strict=True)]
