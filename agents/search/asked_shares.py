"""Measures how much of what is asked a text says, by how rare each name and word is among what was found. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.search.normal_words import equivalent_forms, word_forms
from agents.search.question import RecordQuestion
from agents.search.question_names import QuestionName
from stores.records.ids import Id

OTHER_WORD_SHARE: Final = 0.8
"""How much another word for what is asked counts, where its own counts 1."""
CONTEXT_SHARE: Final = 0.7
"""How much counts what is said before, where what is said itself counts 1."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How rare the names and words of a question are among the texts that were found for it."""

    weights: Mapping[QuestionName | str, float] = field(default_factory=dict)

    def weigh(self, part: QuestionName | str) -> float:
        return self.weights.get(part, 1.0)


EVEN_RARITY: Final = Rarity()


@dataclass(frozen=True, slots=True)
class AskedShares:
    """Which share (0 to 1) of what is asked a text says: itself, and together with what was said before it."""

    own: float
    whole: float


def measure_rarity(question: RecordQuestion, texts: Iterable[str]) -> Rarity:
    """Return how rare each name and word of a question is among these texts."""
    read_texts = [(text, word_forms(text)) for text in texts]
    counts: dict[QuestionName | str, int] = {
        name: sum(name.is_in(text, forms) for text, forms in read_texts) for name in question.names
    }
    for word in question.content_words:
        counts[word] = sum(_measure_word(word, forms) > 0 for _, forms in read_texts)
    return Rarity(
        {part: math.log(1 + len(read_texts) / (0.5 + count)) for part, count in counts.items()}
        if read_texts
        else {}
    )


def measure_shares(
    question: RecordQuestion,
    rarity: Rarity,
    text: str,
    context: str,
    implied_ids: Collection[Id] = (),
    *,
    refers_back: bool = False,
) -> AskedShares:
    """Return how much of a question a text says.

    Whom it is about may be among `implied_ids`, or named before if the text has a pronoun for them (`refers_back`).
    """
    forms, context_forms = word_forms(text), word_forms(context)
    parts: list[tuple[float, float, float]] = []
    for name in question.names:
        is_own = bool(name.entity_ids.intersection(implied_ids)) or name.is_in(text, forms)
        is_before = name.is_in(context, context_forms)
        own = 1.0 if is_own else CONTEXT_SHARE * (refers_back and is_before)
        parts.append((rarity.weigh(name), own, float(is_before)))
    parts.extend(
        (rarity.weigh(word), _measure_word(word, forms), _measure_word(word, context_forms))
        for word in question.content_words
    )
    return AskedShares(
        _weighted_mean([(weight, own) for weight, own, _ in parts]),
        _weighted_mean([(weight, max(own, CONTEXT_SHARE * before)) for weight, own, before in parts]),
    )


def _measure_word(word: str, forms: frozenset[str]) -> float:
    if word in forms:
        return 1.0
    return 0.0 if equivalent_forms(word).isdisjoint(forms) else OTHER_WORD_SHARE


def _weighted_mean(parts: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in parts)
    return sum(weight * share for weight, share in parts) / total if total else 1.0
