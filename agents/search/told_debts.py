"""Says whether a text tells only of other debts than the one asked for: what Sabo owes is not what I owe. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.prose.names import HONORIFICS
from agents.prose.speech import find_speeches, strip_speech
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.asked_deeds import ADVERBS, ARTICLES
from agents.search.normal_words import normalize_word
from agents.search.question import RecordQuestion

_OWES: Final = frozenset({"owe", "owes", "owed"})
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[.,;:!?—¶]")
_OF_SPEAKER: Final = frozenset({"i", "we", "me", "us"})
_OF_HEARER: Final = frozenset({"you"})
_OF_THIRD: Final = frozenset({"he", "she", "they", "it", "him", "her", "them"})
_SKIPPED: Final = ADVERBS | word_set("do does did have has had would will should must")
_WORDS_TO_CREDITOR: Final = 6
"""Words between the verb and `to` somebody: `owes nine silver coins to Ketta`."""
_PASSIVE: Final = word_set("am is are was were be been being")


class _Side(StrEnum):
    ASKER = "asker"
    NAMED = "named"
    ANOTHER = "another"
    """Somebody whom the words do not tell, and who is not the asker: `she`, beside `I`."""
    OPEN = "open"
    """Somebody whom the words do not tell: `she`, `who`, or nobody at all."""


@dataclass(frozen=True, slots=True)
class _Party:
    side: _Side
    words: frozenset[str] = frozenset()
    """Of a name, in normal form."""

    def is_other_than(self, other: _Party) -> bool:
        """Say whether both are told, and are not one."""
        sides = {self.side, other.side}
        if _Side.OPEN in sides or sides == {_Side.ANOTHER, _Side.NAMED}:
            return False
        return self.side is not other.side or (
            self.side is _Side.NAMED and self.words.isdisjoint(other.words)
        )


_OPEN: Final = _Party(_Side.OPEN)
_ASKER: Final = _Party(_Side.ASKER)
_ANOTHER: Final = _Party(_Side.ANOTHER)


@dataclass(frozen=True, slots=True)
class _Debt:
    debtor: _Party
    creditor: _Party

    def is_other_than(self, other: _Debt) -> bool:
        return self.debtor.is_other_than(other.debtor) or self.creditor.is_other_than(other.creditor)


def is_owed_by_others(question: RecordQuestion, text: str, *, is_players: bool, hero_name: str = "") -> bool:
    """Say whether a question asks what somebody owes, and a text tells only what others owe, or owe to others.

    In the player's own line (`is_players`) `I` is the asker, in the GM's `you` is; `hero_name` is the asker, too.
    """
    hero_words = frozenset(
        word for name in question.asker_names for word in name.normalized_words
    ) | frozenset(normalize_word(word.casefold()) for word in hero_name.split())
    asked = next(iter(_read_debts(question.text, hero_words, _OF_SPEAKER)), None)
    if asked is None:
        return False
    told = _read_debts(strip_speech(text), hero_words, _OF_SPEAKER if is_players else _OF_HEARER)
    for speech in find_speeches(text):
        told += _read_debts(speech.spoken_text, hero_words, _OF_SPEAKER if is_players else _OF_HEARER)
    return bool(told) and all(asked.is_other_than(debt) for debt in told)


def _read_debts(text: str, hero_words: frozenset[str], of_asker: frozenset[str]) -> list[_Debt]:
    says_asker = not of_asker.isdisjoint(token.casefold() for token in _TOKEN.findall(text))

    def read_party(tokens: Sequence[str]) -> _Party:
        if says_asker and tokens and tokens[-1].casefold() in _OF_THIRD:
            return _ANOTHER
        return _read_party(tokens, hero_words, of_asker)

    return [
        _read_debt(tokens, n, read_party)
        for sentence in split_sentences(text)
        for tokens in [_TOKEN.findall(sentence)]
        for n, token in enumerate(tokens)
        if token.casefold() in _OWES and not _is_passive(tokens, n)
    ]


def _read_debt(tokens: Sequence[str], verb: int, read_party: Callable[[Sequence[str]], _Party]) -> _Debt:
    before = list(tokens[:verb])
    while before and before[-1].casefold() in _SKIPPED:
        before.pop()
    debtor = read_party(_take_last_name(before))
    after = [token for token in tokens[verb + 1 :] if token.casefold() not in _SKIPPED]
    creditor = read_party(_take_first_name(after))
    if creditor is _OPEN:
        to = next((n for n, t in enumerate(after[:_WORDS_TO_CREDITOR]) if t.casefold() == "to"), None)
        creditor = _OPEN if to is None else read_party(_take_first_name(after[to + 1 :]))
    return _Debt(debtor, creditor)


def _take_last_name(tokens: Sequence[str]) -> list[str]:
    """Return the pronoun or the name with which words end."""
    if tokens and not tokens[-1][0].isupper():
        return [tokens[-1]]
    start = len(tokens)
    while start and tokens[start - 1][0].isupper() and not (start < len(tokens) and tokens[start] == "I"):
        start -= 1
    return list(tokens[start:])


def _take_first_name(tokens: Sequence[str]) -> list[str]:
    """Return the pronoun or the name with which words begin, behind an article or `to`."""
    names = [*tokens]
    while names and names[0].casefold() in ARTICLES | {"to", "old", "young"}:
        names.pop(0)
    if names and not names[0][0].isupper():
        return [names[0]]
    end = next((n for n, token in enumerate(names) if not token[0].isupper()), len(names))
    return names[:end]


def _read_party(tokens: Sequence[str], hero_words: frozenset[str], of_asker: frozenset[str]) -> _Party:
    words = [token.casefold() for token in tokens]
    if not words:
        return _OPEN
    if words[-1] in of_asker:
        return _ASKER
    name_words = frozenset(
        normalize_word(word)
        for token, word in zip(tokens, words, strict=True)
        if token[0].isupper() and word not in _NO_NAMES
    )
    if not name_words or any("'" in word or "’" in word for word in words):
        return _OPEN  # `Bram's brother` is not told by his name
    return _ASKER if name_words <= hero_words else _Party(_Side.NAMED, name_words)


def _is_passive(tokens: Sequence[str], verb: int) -> bool:
    """Say whether it is somebody's who is owed: `What is Bram owed?`."""
    return tokens[verb].casefold() == "owed" and not _PASSIVE.isdisjoint(
        token.casefold() for token in tokens[:verb]
    )


_NO_NAMES: Final = (
    _OF_SPEAKER
    | _OF_HEARER
    | _OF_THIRD
    | HONORIFICS
    | ARTICLES
    | word_set(
        "who what how and but so if when that because nobody everybody everyone somebody everything nothing"
    )
)
