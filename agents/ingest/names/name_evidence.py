"""Counts how a text writes its words, which tells a name from a common word that begins a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.ingest.names.name_words import NameWords
from agents.ingest.names.text_tokens import TextToken

_MIN_CAPITALISED = 2
"""Capitals inside sentences from which a common word is taken for a name of this text."""


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """How often each word (in lower case) stands how."""

    words: NameWords
    lower: Counter[str]
    capitalised: Counter[str]
    """With a capital inside a sentence."""
    opening: Counter[str]
    """With a capital at the start of a sentence."""
    titled: Counter[str]
    """With a capital after `Mr.`, `Lady` and the like."""
    after_article: Counter[str]
    """Of those, after `the`, `a`, `my` ...: a common noun that the text honours with a capital."""
    pairs: Counter[tuple[str, str]]
    """Two words with capitals inside a sentence, one after the other."""
    title_heads: frozenset[str]
    """The titles that stand before a name: `major` of Major Fitch."""

    is_listed_by_key: dict[str, bool] = field(default_factory=dict)
    is_common_by_key: dict[str, bool] = field(default_factory=dict)
    """What was decided before: a text has far fewer words than places where they stand."""

    def is_common(self, key: str) -> bool:
        """Return whether the word is no name by itself, as far as the lists and this text know."""
        is_common = self.is_common_by_key.get(key)
        if is_common is None:
            is_common = self.is_common_by_key[key] = self._is_common(key)
        return is_common

    def _is_common(self, key: str) -> bool:
        if self.is_proper(key):
            return False
        if self.lower[key] > self.titled[key]:
            return True
        return self.is_listed(key) and key not in self.words.first_names | self.words.known_places

    def is_listed(self, key: str) -> bool:
        """Return whether the lists know the word as a common one."""
        is_listed = self.is_listed_by_key.get(key)
        if is_listed is None:
            is_listed = self.is_listed_by_key[key] = self.words.is_common(key)
        return is_listed

    def is_proper(self, key: str) -> bool:
        """Return whether this text writes the word with a capital as a rule."""
        capitalised = self.capitalised[key] + self.titled[key]
        is_known = key in self.words.first_names or key in self.words.known_places
        needed = 1 if is_known or self.titled[key] else _MIN_CAPITALISED
        return capitalised >= needed and capitalised > 2 * self.lower[key]


DETERMINERS = frozenset(
    ["the", "a", "an", "this", "that", "my", "your", "his", "her", "its", "our", "their", "these", "those", "any", "no",
     "every", "each", "some", "such", "another"]
)  # fmt: skip


def count_evidence(tokens: Sequence[TextToken], words: NameWords) -> NameEvidence:
    """Count the words of a text."""
    lower: Counter[str] = Counter()
    capitalised: Counter[str] = Counter()
    opening: Counter[str] = Counter()
    titled: Counter[str] = Counter()
    sexed_titles = words.male_titles | words.female_titles
    after_article: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    title_heads: set[str] = set()
    previous: TextToken | None = None
    for token in tokens:
        if token.in_heading:
            previous = None
            continue
        if (
            previous is not None
            and previous.key in sexed_titles
            and previous.is_capitalised
            and token.is_capitalised
        ):
            titled[token.key] += 1
        if previous is not None and previous.is_capitalised and token.is_capitalised and token.gap.isspace():
            title_heads |= {previous.key} & words.titles
        if not token.is_capitalised:
            lower[token.key] += 1
        elif not token.opens_sentence and not token.is_shouted:
            capitalised[token.key] += 1
            if previous is not None:
                if previous.key in DETERMINERS:
                    after_article[token.key] += 1
                if previous.is_capitalised and not previous.opens_sentence:
                    pairs[previous.key, token.key] += 1
        elif token.opens_sentence:
            opening[token.key] += 1
        previous = token
    return NameEvidence(
        words, lower, capitalised, opening, titled, after_article, pairs, frozenset(title_heads)
    )
