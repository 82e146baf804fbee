"""Counts how a document uses its capitalised words: what is a label, a word that opens sentences, or a term. Pure.

A rulebook writes much with a capital that names nobody and nothing: `Components: V, S`, `Typically, ...`, `a Dexterity
saving throw`. Their form tells it, whatever the words are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

_RUN: Final = r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}"
_LABEL: Final = re.compile(rf"(?<![\w’'-])({_RUN})(?: \([^)\n]{{1,40}}\))?[*_]{{0,3}}:")
_OPENER: Final = re.compile(r"(?:^|[.!?][\"”’)]?\s+)\(?([A-Z][a-z]+),", re.MULTILINE)
_CAPITALISED: Final = re.compile(r"(?<![\w’'-])[A-Z][a-z]+(?![\w])")
_TERM: Final = re.compile(
    rf"(?<![\w’'-])(?:(?:an?|any|each|every|no|another|more|your) ({_RUN})|\(({_RUN})\))(?![\w’'])"
)
_LOWER: Final = re.compile(r"(?<![\w’'-])[a-z]+(?!\w)")
_MIN_LABELS: Final = 4
"""Places from which what stands before a colon is a label of the document."""
_MIN_OPENERS: Final = 2
_MIN_TERMS: Final = 2
_COMMON_TERM_SHARE: Final = 3


@dataclass(frozen=True, slots=True)
class WordUses:
    """Uses of capitalised words, in lower case, that tell that they name nobody."""

    labels: frozenset[str]
    """Common words that as a rule stand before a colon, as the fields of a form do."""
    openers: frozenset[str]
    """Words that do nothing but open sentences, with a comma behind them: `Furthermore,`."""
    terms: frozenset[str]
    """Words with `a`, `any` or `your` before them, or alone in brackets: a rule's term, and nobody's name."""
    common_terms: frozenset[str]
    """Single words of these that stand so in a third of their places: `a Huge creature`."""

    def is_name(self, name: str, *, is_introduced: bool = False) -> bool:
        """Return whether the name may be one, as far as its uses tell; it has a heading of its own if introduced."""
        key = name.casefold()
        is_common = key in self.common_terms or key in self.openers
        return key not in self.labels and (is_introduced or not is_common)


def count_word_uses(text: str, first_names: Collection[str] = ()) -> WordUses:
    """Return how a text uses its words; who has one of these first names may be called at the start of sentences."""
    lower_words = frozenset(_LOWER.findall(text))
    # Behind other words of its line a label begins where nobody can tell: its last word counts, too.
    label_counts = Counter(
        label for match in _LABEL.finditer(text) for label in {match[1], match[1].rpartition(" ")[2]}
    )
    opener_counts = Counter(match[1] for match in _OPENER.finditer(text))
    word_counts = Counter(_CAPITALISED.findall(text)) if opener_counts else Counter[str]()
    term_counts = Counter(match[1] or match[2] for match in _TERM.finditer(text))
    terms = {term: count for term, count in term_counts.items() if count >= _MIN_TERMS}
    return WordUses(
        frozenset(
            label.casefold()
            for label, count in label_counts.items()
            # Who speaks in a script stands before a colon, too; but nobody writes their name in lower case.
            if count >= _MIN_LABELS
            and 2 * count >= text.count(label)
            and lower_words.issuperset(label.casefold().split())
        ),
        frozenset(
            word.casefold()
            for word, count in opener_counts.items()
            if count >= _MIN_OPENERS and count == word_counts[word] and word.casefold() not in first_names
        ),
        frozenset(map(str.casefold, terms)),
        frozenset(
            term.casefold()
            for term, count in terms.items()
            if " " not in term and _COMMON_TERM_SHARE * count >= text.count(term)
        ),
    )
