"""Reads whom a role means, from texts that name them: `The smith, Odo Varr` says who `the smith` is. Pure.

A role may be of a place: the reeve of Harrow is not the reeve of Ashby.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agents.prose.names import HONORIFICS, NON_NAME_WORDS
from agents.prose.titles import TITLES
from agents.prose.trades import is_trade
from agents.resolver.phrasings import word_set
from agents.search.normal_words import STOP_WORDS, normalize_word, word_forms
from agents.search.question import RecordQuestion
from agents.search.relatives import find_words_for_relative

_NAME: Final = r"(?P<name>[A-ZÀ-Þ][^\W\d_]+(?: [A-ZÀ-Þ][^\W\d_]+)*)"
_DETERMINER: Final = r"(?:the|an?|my|our|your|his|her|their|[^\W\d_]+['’]s?)"
_OTHER_WORD: Final = r"(?:(?!(?:no|not|never)\b)[^\W\d_]+ )?"
_COMES_TO_BE: Final = r"(?:is|was|becomes|became|(?:is|was) (?:made|named|appointed|elected|chosen)(?: as)?)"
_OF: Final = r" of (?:the )?[^\W\d_]+(?: [A-ZÀ-Þ][^\W\d_]+)*"
_ROLE: Final = rf"(?P<role>[a-zß-ÿ]+(?:{_OF})?)\b"
_ASKED: Final = rf"\b(?i:the|my|our|his|her|their) (?:[^\W\d_]+['’]s? )?{_ROLE}(?!['’-]| of\b)"
_MEANT: Final = re.compile(_ASKED)
"""A role in a question: `the smith`, `the ferryman's daughter`, `the reeve of Harrow`."""
_ASKS_WHO_HAS_IT: Final = re.compile(rf"(?i:who(?:['’]s| is| was)) (?:now )?{_ASKED}(?: now)?[\s?.!]*")
_SPOKEN: Final = re.compile(rf"\b(?i:the|that|this) {_ROLE}(?!-| of\b)")
"""A role in a text, where it is nobody's own: not `his daughter`."""
_HELD: Final = re.compile(
    rf"\b{_COMES_TO_BE} (?:now )?(?:(?P<article>the|an?|our) |(?P<owner>[A-ZÀ-Þ][^\W\d_]+)['’]s? )?{_OTHER_WORD}?"
    rf"(?P<role>[a-zß-ÿ]+)(?P<of>{_OF})?"
    r"(?=\s*(?:$|[.,;:!—–(]|(?:and|in|at|on|who|but|since|for|with|by|from)\b))"
)
"""What somebody is: `is the reeve of Harrow`, `is Harrow's reeve`."""
_HELD_BY: Final = re.compile(rf"(?i:the) {_ROLE} {_COMES_TO_BE} {_NAME}")
_NO_ROLES: Final = STOP_WORDS | word_set(
    "man woman boy girl child person lad lass fellow stranger figure thing name friend enemy"
)
"""What says too little of somebody to mean nobody else."""
_HAD_OR_WILL_HAVE: Final = (
    r"\b(?:(?:not|no longer|no more|formerly|once|used to be|(?:replace[sd]?|succeed(?:s|ed)?)(?: [^\W\d_]+)?(?: as)?)"
    r"(?: the| an?| our)?|former|new|next|previous|deposed) "
)
"""Before a role, what says that it is not, or not always, the same one's."""


def find_roles(question: RecordQuestion) -> tuple[str, ...]:
    """Return the words of a question that may be somebody's role, as it has them; none if it asks whose it is."""
    if _ASKS_WHO_HAS_IT.fullmatch(question.text.strip()):
        return ()
    name_words = frozenset(word for name in question.names for word in name.normalized_words)
    roles = (_fold_role(match["role"]) for match in _MEANT.finditer(question.text))
    return tuple(
        dict.fromkeys(
            role
            for role in roles
            if (noun := role.partition(" ")[0]) not in STOP_WORDS and normalize_word(noun) not in name_words
        )
    )


def read_held_roles(name: str, statement: str) -> tuple[str, ...]:
    """Return the roles that a statement says of somebody alone, those of a place with and without it.

    `Aldwin is the reeve of Harrow` says two.
    """
    name_words = word_forms(name)
    roles = [
        (match["role"], match["of"] or (f" of {match['owner']}" if match["owner"] else ""))
        for match in _HELD.finditer(statement)
        if word_forms(statement[: match.start()]) <= name_words
        and (match["article"] or match["owner"] or match["of"] or _is_calling(match["role"]))
    ]
    if (held_by := _HELD_BY.match(statement)) is not None and word_forms(held_by["name"]) <= name_words:
        role, of, place = held_by["role"].partition(" of ")
        roles.append((role, of + place))
    return tuple(
        dict.fromkeys(
            role
            for noun, of in roles
            if noun not in _NO_ROLES and not find_words_for_relative(noun)
            for role in (_fold_role(f"{noun}{of}"), noun)
        )
    )


def describe_as_statement(name: str, description: str) -> str:
    """Return what the description of somebody says of them as a sentence: `Aldwin is the reeve of Harrow`."""
    opening, _, rest = description.strip().partition(" ")
    is_article = opening.casefold() in ("the", "a", "an", "our")
    return f"{name} is {opening.casefold() if is_article else opening} {rest}".rstrip()


def read_role_names(
    roles: Iterable[str], texts: Collection[str], ended_texts: Collection[str] = ()
) -> dict[str, str]:
    """Return who has each of these roles, where the texts give one name for it and no other, and no end of it.

    `ended_texts` were so once, and are not so now.
    """
    return {
        role: name
        for role in roles
        if (name := _find_only_name(role, texts))
        and not any(
            _find_names(pattern, ended_texts) for pattern in (_role_pattern(role), _placeless_pattern(role))
        )
        and not any(map(_compile_ended(role).search, texts))
    }


def name_roles(question_text: str, names_by_role: Mapping[str, str]) -> str:
    """Return a question with the names of those whom it calls by their roles: `What did I promise Elsbet?`."""
    return _MEANT.sub(lambda match: names_by_role.get(_fold_role(match["role"]), match[0]), question_text)


def name_spoken_roles(text: str, names_by_role: Mapping[str, str]) -> str:
    """Return a text with the names of those whom it calls by their roles: `Lisbet killed Aldwin.`."""
    if not names_by_role:
        return text
    text = _SPOKEN.sub(lambda match: names_by_role.get(_fold_role(match["role"]), match[0]), text)
    for role, name in names_by_role.items():
        noun, _, place = role.partition(" of ")
        if place:
            owned_role = rf"\b(?i:{re.escape(place)}['’]s? {re.escape(noun)})\b(?!-)"
            text = re.sub(owned_role, name.replace("\\", r"\\"), text)
    return text


def keep_roles(question: RecordQuestion, names_by_role: Mapping[str, str]) -> RecordQuestion:
    """Let a text have the role for a name of the question, too: `the smith` for Odo Varr."""
    roles_by_words = {
        frozenset(normalize_word(word.casefold()) for word in name.split()) - _TITLES: role
        for role, name in names_by_role.items()
        if " " not in role
    }
    return replace(
        question,
        names=tuple(
            replace(name, head_word=name.head_word or roles_by_words.get(name.normalized_words, ""))
            for name in question.names
        ),
        names_by_role={role: name for role, name in names_by_role.items() if " " in role},
    )


def keep_held_roles(question: RecordQuestion, names_by_role: Mapping[str, str]) -> RecordQuestion:
    """Let records be found, and texts be read, by the roles that canon says of those whom a question names."""
    kept = keep_roles(question, names_by_role)
    return replace(
        kept,
        names_by_role={**question.names_by_role, **names_by_role},
        searched_roles=tuple(names_by_role),
    )


_TITLES: Final = frozenset(map(normalize_word, HONORIFICS))


def _fold_role(role: str) -> str:
    return role.casefold().replace(" of the ", " of ")


def _is_calling(noun: str) -> bool:
    return is_trade(noun) or noun in TITLES


def _find_only_name(role: str, texts: Collection[str]) -> str:
    names = _find_names(_role_pattern(role), texts)
    longest = max(names, key=lambda name: len(name.split()), default="")
    # `The new reeve` may be that of Harrow, too.
    others = _find_names(_placeless_pattern(role), texts) if longest else []
    is_only = all(set(name.split()) <= set(longest.split()) for name in (*names, *others))
    return longest if is_only else ""


def _find_names(role_pattern: str, texts: Collection[str]) -> list[str]:
    """Return all names that the texts give for a role."""
    names: list[str] = []
    for match in (
        m for text in texts for pattern in _compile_role(role_pattern) for m in pattern.finditer(text)
    ):
        words = match["name"].split()
        while words and words[0].casefold() in NON_NAME_WORDS:
            words = words[1:]
        if (
            words
            and not match["name"].isupper()
            and not all(one.casefold() in HONORIFICS for one in words)
            and not _is_participle(words, texts)
        ):
            names.append(" ".join(words))
    return names


@lru_cache(maxsize=64)
def _compile_role(word: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of texts that name whoever has a role, which `word` is a pattern of."""
    determiner = rf"(?:(?i:{_DETERMINER}) )"
    # `Aldwin, reeve of Harrow` and `Harrow's reeve` have none.
    own_determiner = f"{determiner}?" if " of " in word else determiner
    becomes = rf"{_COMES_TO_BE} (?:now )?{determiner}?{_OTHER_WORD}"
    end = r"\b(?!['’-]| of [^.,;!?]*['’]s\b)"
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"\b{word}(?: {_COMES_TO_BE})? {_NAME}",
            rf"\b{word}{_OF} {_COMES_TO_BE} {_NAME}",
            rf"\b{word},? (?:an? (?:[^\W\d_]+ ){{1,3}})?(?:called|named) {_NAME}",
            rf"\b{own_determiner}(?:[^\W\d_]+ )?{word}, {_NAME}",
            rf"\b{_NAME}(?:, {own_determiner}(?:[^\W\d_]+ )?| {becomes}){word}{end}",
            rf"(?:^|[“\".!?] ?){_NAME}\. {own_determiner}(?:[^\W\d_]+ )?{word}[.!]",
            rf"\b{_NAME} the {word}\b(?!['’-])",
        )
    )


@lru_cache(maxsize=64)
def _compile_ended(role: str) -> re.Pattern[str]:
    words = f"(?:{_role_pattern(role)}|{_placeless_pattern(role)})"
    return re.compile(rf"(?i:{_HAD_OR_WILL_HAVE}){words}\b(?!['’-])")


def _role_pattern(role: str) -> str:
    noun, _, place = map(re.escape, role.partition(" of "))
    if not place:
        return rf"(?i:{noun})"
    return rf"(?i:{noun} of (?:the )?{place}|{place}['’]s? {noun})"


def _placeless_pattern(role: str) -> str:
    """Return the pattern of a role of which a text does not say where: `the reeve`, not `Ashby's reeve`."""
    return rf"(?<!['’]s )(?i:{re.escape(role.partition(' of ')[0])})(?! of\b)"


def _is_participle(words: Sequence[str], texts: Collection[str]) -> bool:
    """Say whether this only opens sentences, and tells what somebody does (`Grumbling, the cook sits`)."""
    if len(words) > 1 or not words[0].endswith("ing"):
        return False
    inside = re.compile(rf"[\w,;:] {re.escape(words[0])}\b")
    return not any(inside.search(text) for text in texts)
