"""Reads questions who is somebody's relative, employer or horse, and which texts name that one. Pure.

`I will find her brother` speaks of Lisbet's brother; `Lisbet's brother Corm` says who he is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agents.prose.names import NON_NAME_WORDS
from agents.resolver.phrasings import word_set
from agents.search.asked_things import names_anybody_else
from agents.search.normal_words import word_forms
from agents.search.question import RecordQuestion
from agents.search.question_names import QuestionName
from agents.search.relatives import (
    find_asked_relatives,
    find_words_for_relative,
    find_words_from_other_end,
    speaks_of_relatives,
)
from agents.typed_text import plain_line

_TIE_IN_QUESTION: Final = (
    r"(?:(?P<owner>.+?)'s?|(?P<own>my|our)) (?:[a-z-]+ )?(?P<tie>[a-z]+)"
    r"|the (?P<tie_of>[a-z]+) of (?P<of>.+?)"
)
_ASKS_TIE: Final = tuple(
    re.compile(rf"(?:and |but |so )?{opening}(?:{_TIE_IN_QUESTION}){end}[\s?.!]*", re.IGNORECASE)
    for opening, end in (
        (r"who(?:'s| is| was) ", ""),
        (r"what(?:'s| is| was) the name of ", ""),
        (r"(?:what|who)(?:'s| is| was) ", r"(?:'s name| called| named)"),
    )
)
_OTHER_TIES: Final = tuple(
    map(
        word_set,
        (
            "employer master mistress boss",
            "servant maid groom",
            "apprentice pupil",
            "horse mare stallion pony gelding steed mount",
            "dog hound",
            "cat",
            "friend",
            "lover betrothed fiance",
        ),
    )
)
"""Whom or what somebody has beside relatives; the words of a line mean the same."""
_NAME: Final = r"[A-ZÀ-Þ][\w-]*(?: [A-ZÀ-Þ][\w-]*)*"
_ONE: Final = rf"(?P<one>{_NAME})(?!'s? [a-z])"
_OWNER: Final = (
    rf"(?P<owner>(?:\b[Tt]he )?{_NAME}|\b(?:[Mm]y|[Oo]ur|[Yy]our|[Hh]is|[Hh]er|[Tt]heir)(?= ))(?:'s?)?"
)
_IS: Final = r"(?:is|was|are|were)"
_CALLED: Final = r"(?:called |named )?"
_WAYS: Final = (
    rf"{_OWNER} ROLE,? (?:who )?(?:{_IS} )?{_CALLED}{_ONE}",
    rf"(?P<one>{_NAME})(?:,| {_IS})(?: also| still| now)? {_OWNER} ROLE(?!,? [A-ZÀ-Þ])",
    rf"(?P<one>{_NAME})(?:,| {_IS})(?: the| an?)? ROLE (?:of|to) (?P<owner>{_NAME})",
    rf"\b[Tt]he ROLE of (?P<owner>{_NAME})(?:,| {_IS})? {_CALLED}{_ONE}",
    rf"(?P<owner>{_NAME}) (?:has|had|keeps|kept|rides|rode) an? ROLE,? {_CALLED}{_ONE}",
    rf"{_OWNER} ROLE\b[^.!?]*[.!?] (?:[Hh]is|[Hh]er|[Tt]heir|[Ii]ts) name {_IS} {_ONE}",
    rf"(?P<one>{_NAME}) and (?P<owner>{_NAME}) {_IS} (?:half-)?ROLE",
)
"""Ways to say whose relative or the like somebody is, by name."""
_SPOUSES: Final = frozenset(find_words_for_relative("wife") | find_words_for_relative("husband"))
_MARRIED: Final = rf"(?P<one>{_NAME}) (?:(?:{_IS} )?married(?: to)?|marries|weds?|wedded) (?P<owner>{_NAME})"
_WAYS_OF_TIES: Final = (
    (_SPOUSES, _MARRIED),
    (_OTHER_TIES[0], rf"(?P<owner>{_NAME}) (?:works|worked|{_IS} working) for {_ONE}"),
    (
        _OTHER_TIES[0],
        rf"(?P<owner>{_NAME}) (?:serves|served|{_IS} employed by|{_IS} in the (?:service|pay) of) {_ONE}",
    ),
    (_OTHER_TIES[0], rf"(?P<one>{_NAME}) (?:employs|employed|hires|hired) (?P<owner>{_NAME})"),
    (_OTHER_TIES[3], rf"(?P<owner>{_NAME}) rides (?!to\b){_ONE}"),
)
"""Ways that have no word for it: who works for Aldwin has him for an employer."""
_TITLED: Final = re.compile(r"(?:[Tt]he )?(?P<title>[A-ZÀ-Þ][\w-]*)")
"""Who is called by a title alone: `the Baron`."""
_OF_THIRD: Final = frozenset({"his", "her", "their"})
_OF_SPEAKER: Final = frozenset({"my", "our"})
_OF_ASKER: Final = _OF_SPEAKER | {"your"}
_SENTENCE_BEFORE: Final = re.compile(r"[^.!?]*[.!?]*[^.!?]*$")


@dataclass(frozen=True, slots=True)
class AskedTie:
    """Whose relative, employer or horse a question asks for."""

    owners: tuple[QuestionName, ...]
    is_of_asker: bool
    words: frozenset[str]
    """The words for whoever is asked for."""
    words_from_other_end: frozenset[str]
    """The words for the owner as theirs: of a nephew's uncle that he has a nephew."""
    is_relative: bool


def read_asked_tie(question: RecordQuestion) -> AskedTie | None:
    """Return the tie that a question asks for: `Who is Lisbet's brother?`, `What is my horse called?`."""
    text = plain_line(question.text).strip()
    matched = next((m for pattern in _ASKS_TIE if (m := pattern.fullmatch(text)) is not None), None)
    if matched is None:
        return None
    word = (matched["tie"] or matched["tie_of"]).casefold()
    relatives = find_words_for_relative(word)
    words = relatives or next((line for line in _OTHER_TIES if word in line), frozenset())
    owner_forms = word_forms(matched["owner"] or matched["of"] or "")
    owners = tuple(name for name in question.names if name.normalized_words <= owner_forms)
    if not owners and (titled := _TITLED.fullmatch(matched["owner"] or matched["of"] or "")):
        owners = (QuestionName(word_forms(titled["title"]), frozenset()),)
    is_of_asker = matched["own"] is not None
    if not words or not (owners or is_of_asker):
        return None
    return AskedTie(
        (*owners, *(question.asker_names if is_of_asker else ())),
        is_of_asker,
        words,
        find_words_from_other_end(word),
        is_relative=bool(relatives),
    )


def names_tied_one(tie: AskedTie, text: str) -> bool:
    """Say whether a text names whoever is asked for, as the owner's: `her brother Corm`, of whom it spoke before."""
    line = plain_line(text)

    def is_asked_owner(match: re.Match[str], group: str) -> bool:
        owner = match[group].removesuffix("'s").removeprefix("the ").removeprefix("The ")
        if tie.is_of_asker and owner.casefold() in _OF_ASKER:
            return True
        is_pronoun = owner.casefold() in _OF_THIRD | _OF_SPEAKER
        said = _SENTENCE_BEFORE.search(line, 0, match.start(group)) if is_pronoun else None
        owner_text = said[0] if said else owner
        return any(name.is_in(owner_text, word_forms(owner_text)) for name in tie.owners)

    return _has_way(
        _list_ways(tie.words), line, lambda m: is_asked_owner(m, "owner") and _is_name(m["one"])
    ) or (
        _has_way(
            _list_ways(tie.words_from_other_end),
            line,
            lambda m: is_asked_owner(m, "one") and _is_name(m["owner"]),
        )
    )


def may_name_relative(question: RecordQuestion, text: str, *, is_asked: bool) -> bool:
    """Say whether a text has a name that the question has not, and speaks of the relative, or answers (`is_asked`).

    `In front of his wife` does not say who she is.
    """
    speaks_of_them = is_asked or speaks_of_relatives(find_asked_relatives(question.text), text)
    return speaks_of_them and names_anybody_else(question, text)


def _has_way(
    patterns: Iterable[re.Pattern[str]], line: str, is_meant: Callable[[re.Match[str]], bool]
) -> bool:
    return any(is_meant(match) for pattern in patterns for match in pattern.finditer(line))


@lru_cache(maxsize=64)
def _list_ways(words: frozenset[str]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the ways to say it with these words."""
    if not words:
        return ()
    role = rf"(?:[a-zß-ÿ-]+ ){{0,2}}(?:{'|'.join(sorted(words, key=len, reverse=True))})\b(?!['-])"
    return (
        *(re.compile(way.replace("ROLE", role)) for way in _WAYS),
        *(re.compile(way) for tie_words, way in _WAYS_OF_TIES if words & tie_words),
    )


def _is_name(text: str) -> bool:
    """Say whether words written like a name are one: `This is Lisbet's brother` has none."""
    return not all(word.casefold() in NON_NAME_WORDS | _OF_THIRD | _OF_ASKER for word in text.split())
