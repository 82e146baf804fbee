"""Says whether what is asked of somebody's is somebody else's in a text: Temur's grave is not Ashar's. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.search.normal_words import has_word_like, word_forms
from agents.search.question import RecordQuestion

_OWNED: Final = re.compile(
    r"\b(?:(?P<name>[^\W_]+)['’]s?|(?P<pronoun>my|our|your|his|her|their)) "
    r"(?P<things>[^\W_]+(?: [^\W_]+)?)",
    re.IGNORECASE,
)
_OF_ASKER: Final = frozenset({"my", "our", "your"})
_OF_OTHERS: Final = frozenset({"his", "her", "their"})


def is_owned_by_another(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has what is asked of somebody's only as somebody else's."""
    for owned in _OWNED.finditer(question.text):
        things = _read_things(owned) & question.content_words
        owners = [
            _is_other_owner(owned, other)
            for other in _OWNED.finditer(text)
            if any(has_word_like(thing, _read_things(other)) for thing in things)
        ]
        if owners and all(owners):
            return True
    return False


def _read_things(owned: re.Match[str]) -> frozenset[str]:
    """Return the words after an owner, of which one is what they own: `old grave`, `grave lies`."""
    return word_forms(owned["things"])


def _is_other_owner(asked: re.Match[str], told: re.Match[str]) -> bool:
    asked_name, told_name = asked["name"], told["name"]
    if asked_name:
        if told_name:
            return asked_name.casefold() != told_name.casefold() and told_name[0].isupper()
        return False
    is_of_asker = asked["pronoun"].casefold() in _OF_ASKER
    if told_name:
        return is_of_asker and told_name[0].isupper()
    return is_of_asker and told["pronoun"].casefold() in _OF_OTHERS
