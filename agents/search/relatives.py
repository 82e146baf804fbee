"""Reads of which relative of somebody a question asks: `Dob's brother` is neither Dob nor Dob's mother. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from agents.typed_text import plain_line

_PAIRS: Final = (
    ("mother", "father"),
    ("brother", "sister"),
    ("son", "daughter"),
    ("aunt", "uncle"),
    ("grandmother", "grandfather"),
    ("niece", "nephew"),
    ("grandson", "granddaughter"),
)
_COUNTERPARTS: Final = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_ROLES: Final = (
    frozenset({"mother", "father", "mothers", "fathers", "parent", "parents"}),
    frozenset({"brother", "sister", "brothers", "sisters", "sibling", "siblings", "twin"}),
    frozenset({"son", "daughter", "sons", "daughters", "child", "children"}),
    frozenset({"wife", "husband", "spouse"}),
    frozenset({"aunt", "uncle"}),
    frozenset({"grandmother", "grandfather", "grandparents"}),
    frozenset({"niece", "nephew"}),
    frozenset({"cousin", "cousins"}),
    frozenset({"grandson", "granddaughter", "grandchild", "grandchildren"}),
)
_INVERSE_ROLES: Final = (_ROLES[0] | _ROLES[2], _ROLES[4] | _ROLES[6], _ROLES[5] | _ROLES[8])
"""What is said from the other end says the same: whose son it is, is her child's mother; an uncle has a nephew."""
_KIN: Final = "|".join(sorted(frozenset().union(*_ROLES), key=len, reverse=True))
_OWNED_KIN: Final = re.compile(
    rf"(?:['’]s?|\b(?:my|his|her|their|your|our)) (?:[\w-]+ )?(?P<owned>{_KIN})\b|\b(?P<of>{_KIN}) of\b",
    re.IGNORECASE,
)
_KIN_WORD: Final = re.compile(rf"\b(?:{_KIN})\b", re.IGNORECASE)
_KIN_OF_END: Final = re.compile(rf"\b(?:{_KIN}) of (?:the )?$", re.IGNORECASE)


def speaks_of_relatives(asked_relatives: Iterable[str], text: str) -> bool:
    """Say whether a text speaks of all these relatives, in any word for them."""
    spoken_of = {match[0].casefold() for match in _KIN_WORD.finditer(text)}
    # `The child is named Posy` does not say whose child: only as somebody's does it say who the mother is.
    owned = find_asked_relatives(text)
    return all(
        (spoken_of & _words_for(word) & _same_role(word)) or (owned & _words_for(word))
        for word in asked_relatives
    )


def is_relative_of(text_before_name: str) -> bool:
    """Say whether the words before a name make it that of somebody's relative: `the brother of` Dob."""
    return _KIN_OF_END.search(text_before_name) is not None


def find_asked_relatives(question_text: str) -> frozenset[str]:
    """Return the words for the relatives of whom a question asks: `brother` in `Who killed Dob's brother?`."""
    return frozenset(
        (match["owned"] or match["of"]).casefold() for match in _OWNED_KIN.finditer(plain_line(question_text))
    )


def find_words_for_relative(word: str) -> frozenset[str]:
    """Return the words for such a relative, not a sister for a brother; none if it is no word for one."""
    return _same_role(word) & _words_for(word)


def find_words_from_other_end(word: str) -> frozenset[str]:
    """Return the words for whose relative somebody is, as theirs: a nephew for an uncle, a sibling for a brother."""
    role = _same_role(word)
    return next((inverse - role for inverse in _INVERSE_ROLES if role & inverse), role)


def _same_role(word: str) -> frozenset[str]:
    return frozenset().union(*(role for role in _ROLES if word in role))


def _words_for(word: str) -> frozenset[str]:
    """Return the words that may mean the same relative: not a sister for a brother."""
    same = {one for role in (*_ROLES, *_INVERSE_ROLES) if word in role for one in role}
    counterpart = _COUNTERPARTS.get(word.removesuffix("s"), "")
    return frozenset(same) - {counterpart, f"{counterpart}s"}
