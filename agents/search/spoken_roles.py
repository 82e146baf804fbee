"""Reads whom a role means, from texts that name them: `The smith, Odo Varr` says who `the smith` is. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.prose.names import HONORIFICS, NON_NAME_WORDS
from agents.search.normal_words import STOP_WORDS, normalize_word
from agents.search.question import RecordQuestion

_NAME: Final = r"(?P<name>[A-ZÀ-Þ][^\W\d_]+(?: [A-ZÀ-Þ][^\W\d_]+)*)"
_DETERMINER: Final = r"(?:the|an?|my|our|your|his|her|their|[^\W\d_]+['’]s?)"
_MEANT: Final = re.compile(
    r"\b(?i:the|my|our|his|her|their) (?:[^\W\d_]+['’]s? )?(?P<role>[a-zß-ÿ]+)\b(?!['’-]| of\b)"
)
"""A role in a question: `the smith`, `the ferryman's daughter`."""


def find_roles(question: RecordQuestion) -> tuple[str, ...]:
    """Return the words of a question that may be somebody's role, as it has them."""
    name_words = frozenset(word for name in question.names for word in name.normalized_words)
    roles = (match["role"].casefold() for match in _MEANT.finditer(question.text))
    return tuple(
        dict.fromkeys(
            role for role in roles if role not in STOP_WORDS and normalize_word(role) not in name_words
        )
    )


def read_role_names(roles: Iterable[str], texts: Collection[str]) -> dict[str, str]:
    """Return who has each of these roles, where the texts give one name for it and no other."""
    return {role: name for role in roles if (name := _find_only_name(role, texts))}


def name_roles(question_text: str, names_by_role: Mapping[str, str]) -> str:
    """Return a question with the names of those whom it calls by their roles: `What did I promise Elsbet?`."""
    return _MEANT.sub(lambda match: names_by_role.get(match["role"].casefold(), match[0]), question_text)


def keep_roles(question: RecordQuestion, names_by_role: Mapping[str, str]) -> RecordQuestion:
    """Let a text have the role for a name of the question, too: `the smith` for Odo Varr."""
    roles_by_words = {
        frozenset(normalize_word(word.casefold()) for word in name.split()) - _TITLES: role
        for role, name in names_by_role.items()
    }
    return replace(
        question,
        names=tuple(
            replace(name, head_word=name.head_word or roles_by_words.get(name.normalized_words, ""))
            for name in question.names
        ),
    )


_TITLES: Final = frozenset(map(normalize_word, HONORIFICS))


def _find_only_name(role: str, texts: Collection[str]) -> str:
    word = rf"(?i:{re.escape(role)})"
    patterns = [
        re.compile(pattern)
        for pattern in (
            rf"\b{word}(?: (?:is|was))? {_NAME}",
            rf"\b{word},? (?:an? (?:[^\W\d_]+ ){{1,3}})?(?:called|named) {_NAME}",
            rf"\b(?i:{_DETERMINER}) (?:[^\W\d_]+ )?{word}, {_NAME}",
            rf"\b{_NAME}(?:,| is| was) (?:{_DETERMINER}) (?:[^\W\d_]+ )?{word}\b(?!['’-])",
            rf"(?:^|[“\".!?] ?){_NAME}\. (?i:{_DETERMINER}) (?:[^\W\d_]+ )?{word}[.!]",
            rf"\b{_NAME} the {word}\b(?!['’-])",
        )
    ]
    names: list[str] = []
    for match in (m for text in texts for pattern in patterns for m in pattern.finditer(text)):
        words = match["name"].split()
        while words and words[0].casefold() in NON_NAME_WORDS:
            words = words[1:]
        if (
            words
            and not all(one.casefold() in HONORIFICS for one in words)
            and not _is_participle(words, texts)
        ):
            names.append(" ".join(words))
    longest = max(names, key=lambda name: len(name.split()), default="")
    is_only = all(set(name.split()) <= set(longest.split()) for name in names)
    return longest if is_only else ""


def _is_participle(words: Sequence[str], texts: Collection[str]) -> bool:
    """Say whether this only opens sentences, and tells what somebody does (`Grumbling, the cook sits`)."""
    if len(words) > 1 or not words[0].endswith("ing"):
        return False
    inside = re.compile(rf"[\w,;:] {re.escape(words[0])}\b")
    return not any(inside.search(text) for text in texts)
