"""Finds who promises or is promised something behind an article: `the old miller`, `the Undersinger`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from agents.name_forms import name_at_start
from agents.prose.mentions import is_role
from agents.prose.words import SHORT_TITLE_PATTERN

MAX_WORDS_OF_WHO: Final = 6
"""Words behind the article of who promises or is promised something."""
_NO_NAME = r"(?:I|You|He|She|It|We|They|My|And|But|So|Then|Now|No|Yes|Well|That|This)"
NAME = rf"(?:(?!{_NO_NAME}\b){SHORT_TITLE_PATTERN}[A-Z][\w'’-]*(?:\s+(?:of\s+|the\s+)?(?!I\b)[A-Z][\w'’-]*){{0,3}})"
"""A name with capitals, in patterns."""
_AND: Final = r",?\s+and\s+(?:to\s+)?"
NAMES: Final = rf"(?:both\s+)?{NAME}(?:(?:,\s+{NAME}){{0,3}}{_AND}{NAME})?"
"""One name or several, in patterns: `Osk and Teodor`."""
PRONOUNS: Final = ("you", "me", "him", "her")
"""What stands for one of several to whom something is promised."""
_PRONOUN: Final = rf"(?:{'|'.join(PRONOUNS)})"
NAMES_AND_PRONOUN: Final = (
    # Osk is who is spoken to in `you, Osk and Dob`.
    rf"(?:both\s+)?(?:{_PRONOUN}{_AND}{NAME}|{NAME}(?:,\s+{NAME}){{0,3}}{_AND}{_PRONOUN})"
)
"""Several of whom a pronoun names one, in patterns: `you and Osk`, `Osk, Hela and me`."""
_NAME_OR_PRONOUN: Final = rf"(?:{_PRONOUN}\b|{NAME})"
REPORTED_LIST: Final = rf"{_NAME_OR_PRONOUN}(?:,\s+{_NAME_OR_PRONOUN}){{1,3}}{_AND}{_NAME_OR_PRONOUN}"
"""Three or more, where nobody is spoken to, in patterns: `you, Osk and Dob`."""
_SEPARATOR: Final = re.compile(rf"{_AND}|,\s+")
_BESIDE_VERB: Final = re.compile(
    r"(?:^(?:(?:And|Then|But|So|Now),?\s+)?"
    r"|\b(?:promise[sd]?|swears?|swore|vow(?:s|ed)?|pledged?|word|oath|gives?|gave|tell|told|assured?)\s+(?:to\s+)?"
    r"|\b(?:say|said|whisper|call|shout|answer)\s+to\s+)"
    rf"(?:(?:both\s+)?{NAME}(?:,\s+{NAME}){{0,3}}{_AND})?"
    rf"(?=(?P<who>(?:[Tt]he|[Aa]n?|[Mm]y|[Oo]ur|[Hh]is|[Hh]er)(?:\s+\w[\w-]*){{1,{MAX_WORDS_OF_WHO}}}))"
)
"""Where a promise may have who makes it, or to whom, behind an article: `the old miller`."""
_SMALL_WHO: Final = re.compile(r"\w+(?:\s+[a-z][\w-]*){1,3}")
"""What somebody may be, in small letters."""
_CAPITAL_WHO: Final = re.compile(rf"[Tt]he\s+{NAME}")
"""A name that begins with an article, whether or not anybody is known by it: `the Undersinger`."""


def split_names(names: str) -> tuple[str, ...]:
    """Return each of the names that stand together: `Osk` and `Teodor` of `both Osk and Teodor`."""
    return tuple(_SEPARATOR.split(names.removeprefix("both ")))


def has_pronoun(names: str) -> bool:
    """Say whether one of those who stand together has a pronoun: `you and Osk`."""
    listed_names = split_names(names)
    return len(listed_names) > 1 and not set(PRONOUNS).isdisjoint(listed_names)


def put_name_for_you(names: str, name: str) -> str:
    """Return names that stand together with somebody's name for `you`; as they are if they have it already."""
    return names if name in split_names(names) else re.sub(r"\byou\b", name, names)


def fold_long_names(people_names: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the names of several words in small letters, without an article: `hooded stranger`, `undersinger`."""
    return frozenset(_drop_article(name) for names in people_names for name in names if " " in name)


def _drop_article(name: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", " ".join(name.casefold().split()))


def list_small_names(text: str) -> frozenset[str]:
    """Return what may be somebody's name behind `the`, beside a verb of promising: `the undersinger`."""
    matches = (match["who"].split() for match in _BESIDE_VERB.finditer(text))
    return frozenset(
        " ".join(words[:end]).casefold()
        for words in matches
        if words[0].casefold() == "the"
        for end in range(2, len(words) + 1)
    )


def write_as_name(text: str, known_names: Collection[str]) -> str:
    """Return a sentence with capitals for those who promise or are promised something behind an article.

    It is as long as it was: `I promise The Old Miller to wait`. Who is meant is known by name, or by what they are.
    """
    for _ in range(2):  # the second for another beside the first: `I promise The Miller and the smith`
        for match in _BESIDE_VERB.finditer(text):
            ends = [word.end() for word in re.finditer(r"\S+", match["who"])][:0:-1]
            end = next((end for end in ends if _drop_article(match["who"][:end]) in known_names), 0)
            end = end or next((end for end in ends if _is_somebody(match["who"][:end])), 0)
            start = match.start("who")
            who = match["who"][:end]
            who = name_at_start(who) if _CAPITAL_WHO.fullmatch(who) else who.title()
            text = f"{text[:start]}{who}{text[start + end :]}"
    return text


def _is_somebody(words: str) -> bool:
    if _CAPITAL_WHO.fullmatch(words):
        return True
    return _SMALL_WHO.fullmatch(words) is not None and is_role(words.split()[-1])
