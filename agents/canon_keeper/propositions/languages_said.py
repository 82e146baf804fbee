"""Reads which languages somebody speaks, and that they speak no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token

LANGUAGES: Final = "languages"
"""The value of what somebody speaks: its words are the languages, with `#only` if there is no other."""
ONLY: Final = "#only"
_ONLY_WORDS: Final = (
    ("no", "other"),
    ("nothing", "else"),
    ("nothing", "but"),
    ("only",),
    ("no", "language", "but"),
)
_NO_LANGUAGES: Final = frozenset({"i"})


def read_languages(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield `speaks Cantonese and no other language` and `speaks fluent German`."""
    if (
        base.time is not ClauseTime.NOW
        or len(base.doers) != 1
        or not base.doers <= base.people
        or base.is_change
    ):
        return
    words = [t.word for t in clause.rest]
    is_only = _says_only(words) or "only" in {t.word for t in clause.helpers}
    if clause.verb == "speak" and not clause.is_passive:
        named = _languages(clause.rest)
    elif clause.verb == "be" and words[:2] == ["fluent", "in"]:
        named = _languages(clause.rest[2:])
    else:
        return
    if not named or (is_denied and not is_only) or (base.is_ability and is_denied):
        return
    yield value_proposition(
        base, LANGUAGES, doers=base.doers, others=frozenset(), owners=frozenset(), thing="", when="",
        words=named | ({ONLY} if is_only else frozenset()), is_event=False, is_denial=False, is_affirmed=True,
    )  # fmt: skip


def is_other_language(one: Proposition, other: Proposition) -> bool:
    """Say whether somebody speaks another language than the only ones they speak."""
    return (ONLY in one.words and bool(other.words - one.words - {ONLY})) or (
        ONLY in other.words and bool(one.words - other.words - {ONLY})
    )


def _languages(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the languages of `fluent German and some Latin`; nothing where a word is not understood."""
    end = next((n for n, t in enumerate(tokens) if t.word in PREPOSITIONS), len(tokens))
    return frozenset(
        t.word
        for t in tokens[:end]
        if t.text[:1].isupper() and not t.is_person and t.word not in _NO_LANGUAGES
    )


def _says_only(words: Sequence[str]) -> bool:
    return any(
        tuple(words[n : n + len(phrase)]) == phrase for phrase in _ONLY_WORDS for n in range(len(words))
    )
