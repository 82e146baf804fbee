"""Finds in a text whom nobody has made known: `Greta`, `the miller` where nobody is called so. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from agents.declarations.handed_names import is_handed_thing
from agents.declarations.misspelt_names import find_meant
from agents.declarations.unknown_names import is_place_with_article
from agents.prose.auxiliary_names import AUXILIARY_NAMES
from agents.prose.cast_reader import CastReader
from agents.prose.clauses import UNREAL
from agents.prose.lone_names import NO_PEOPLE, begins_sentence, is_surely_name
from agents.prose.mentions import (
    Figure,
    is_no_first_name,
    is_role,
    may_be_first_name,
    read_called_role,
    read_roles,
    read_surname,
)
from agents.prose.names import NON_NAME_WORDS, find_name_spans, has_title, names_of
from agents.prose.phrases import phrases
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.verb_forms import PAST_VERB
from agents.prose.words import split_sentences
from agents.solo.opening_names import find_opening_names
from stores.records.world import Entity, EntityKind, fold_name

MAX_STRANGERS: Final = 4
"""Strangers of one text that are read."""
_NO_ROLE_WORDS: Final = (
    "old young miss mr mrs ms dr st saint page count canon private general major prior elder judge agent"
)
_NO_ROLES: Final = frozenset(_NO_ROLE_WORDS.split())
"""Titles that are other words, too, or say nothing without a name."""
_ROLE: Final = re.compile(
    r"(?:(?<!, )|(?=the [a-z]+(?: [a-z]+)? and the\b))"
    r"\b[Tt]he\s+(?P<first>[a-z]+)\b(?!\s+[A-Z])(?:\s+(?P<second>[a-z]+)\b(?!\s+[A-Z]))?"
)
_AGES: Final = frozenset({"old", "young", "good", "poor", "big", "little", "tall", "fat"})
"""What somebody is called before their trade, and is no part of it."""
_NO_KIND_WORDS: Final = (
    "other same next first second third last new two three only very dead late former whole own head one right wrong "
    "more"
)
_NO_KINDS: Final = frozenset(_NO_KIND_WORDS.split())
"""What does not say which of a trade somebody is by its kind, as in `the night watchman`."""
_ABOUT: Final = r"\b(?:him|her|them) (?:about|after|of) (?:(?:my|his|her|their|old|young) (?:[a-z]+ )?)?"
"""Before the name of somebody else than the one who is told or asked."""
_OWNS: Final = re.compile(r"['’]")


_EPITHET: Final = r"(?:\s+the\s+[a-z]+|,\s+[^,]{2,40},)?"
_DOER: Final = re.compile(
    rf"\s*(?:(?:And|Then|But),? )?(?P<name>[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*){{0,2}}){_EPITHET}\s+(?=[a-z])"
)
_LASTING_DEED: Final = phrases(
    "(has )?[steal kill murder poison rob betray marry burn forge buy sell found inherit kidnap imprison own owe serve]"
    r"\b(?= [A-Za-z])"
)


_CAPITALISED: Final = r"[^\W\d_a-z][\w’'-]*"
_NAME_AND_ROLE: Final = re.compile(
    rf"(?<![\w’'-])(?P<name>{_CAPITALISED}(?: {_CAPITALISED}){{0,2}})(?P<comma>,)? "
    r"(?=the (?P<first>[a-z]+)\b(?!['’])(?: (?P<second>[a-z]+)\b(?!['’]))?(?P<after>,?)(?: (?P<third>[a-z]+))?)"
)
"""Somebody by name, and what they are: `Osric the miller`, `Osric, the old miller,`."""
_SMALL_WORDS: Final = frozenset(
    {"as", "across", "this", "his", "its", "always", "sometimes", "towards", "upstairs"}
)
"""Words in `s` that are no verbs."""
_OPENER_WORDS: Final = (
    "ahead nearby overhead opposite below downhill uphill aboard ashore instead however presently back away"
)
_OPENERS: Final = frozenset(_OPENER_WORDS.split())
"""What a sentence may begin with before `the miller`, besides what begins one before a name."""


class _Epithet(NamedTuple):
    """Somebody who is named with what they are."""

    name: str
    role: str
    start: int
    """Where what they are begins."""


def _find_epithets(text: str) -> Iterator[_Epithet]:
    """Yield who is named with what they are: `Osric the miller comes in`; not `Then the miller comes in`.

    A single word that begins a sentence is a name if somebody does something by it: `Follow the miller as he goes`
    names nobody.
    """
    for match in _NAME_AND_ROLE.finditer(text):
        role, second = _read_role(match), match["second"] or ""
        is_of_two = bool(role) and role.split()[-1] == second  # `the old miller`, `the night watchman`
        is_closed = bool(match["after"]) and (is_of_two or not second) and match["third"] not in ("and", "or")
        following = (match["third"] if is_of_two or not second else second) or ""
        words = match["name"].split()
        opens_sentence = begins_sentence(text, match.start())
        while words and (fold_name(words[0]) in _OPENERS or _is_no_name(words)):
            words, opens_sentence = words[1:], False
        if not role or not words or (match["comma"] and not is_closed):
            continue
        if not opens_sentence or match["comma"] or _is_finite(following):
            yield _Epithet(" ".join(words), role, match.end())


def _is_no_name(words: Sequence[str]) -> bool:
    """Say whether the first of capitalised words is none of a name: `Then Osric`, `Night`; but `Old Osric` is one."""
    first = fold_name(words[0])
    is_title = len(words) > 1 and has_title(" ".join(words))
    return not is_title and (first in NO_PEOPLE or is_no_first_name(words[0]))


def _is_finite(word: str) -> bool:
    return (word.endswith("s") and word not in _SMALL_WORDS) or PAST_VERB.fullmatch(word) is not None


def find_strangers(text: str, known: Iterable[Entity]) -> list[Figure]:
    """Return those whom a text names or calls by what they are, and whom nobody has made known.

    `known` are the entities whose names or roles have a word of the text, of any kind.
    """
    names, roles, surnames = set[str](), set[str](), set[str]()
    known = list(known)
    for entity in known:
        words = {_bare(word) for name in names_of(entity) for word in fold_name(name).split()}
        surname = _find_surname(entity) if entity.kind is EntityKind.CHARACTER else ""
        surnames |= {surname} - {""}
        names |= words - {surname}
        roles |= {*read_roles(entity.name, entity.description), read_called_role(entity.name)}
    epithets = list(_find_epithets(text))
    own_roles = {one.name: one.role for one in epithets if _is_unknown(one.name, names, surnames)}
    opening_names = (name for name in find_opening_names(text) if _is_unknown(name, names, surnames))
    strangers = [
        Figure((name,), (own_roles[name],) if name in own_roles else ())
        for name in dict.fromkeys((*opening_names, *_find_unknown_names(text, names, surnames), *own_roles))
        # `Captian Vess` is asked about, and no stranger.
        if surnames.isdisjoint(map(_bare, fold_name(name).split())) or not find_meant(name, known)
    ]
    # `Osric the miller` is one, and known or not no miller beside.
    starts = {one.start for one in epithets}
    found_roles = (_read_role(match) for match in _ROLE.finditer(text) if match.start() not in starts)
    strangers += [
        Figure((), (role,))
        for role in dict.fromkeys(filter(None, found_roles))
        if role.split()[-1] not in _NO_ROLES | roles | names | surnames
        and role not in {*roles, *own_roles.values()}
    ]
    return strangers[:MAX_STRANGERS]


def _find_surname(entity: Entity) -> str:
    """Return what may be somebody's surname, in small letters: the last of several words, or the only one."""
    return fold_name(read_surname(entity.name) if " " in entity.name else entity.name)


def _read_role(match: re.Match[str]) -> str:
    """Return what words say that somebody is: `weaver` by `the old weaver`, `night watchman`; empty if nothing."""
    first, second = match["first"], match["second"] or ""
    if first in _AGES:
        return second if is_role(second) else ""
    if is_role(first):
        return first
    return f"{first} {second}" if is_role(second) and first not in _NO_KINDS else ""


def find_strangers_in_claims(text: str, known: Iterable[Entity]) -> list[str]:
    """Return whom a sentence begins with, says to have done what lasts or to have died, and nobody has made known."""
    known_words = {
        _bare(word) for entity in known for name in names_of(entity) for word in fold_name(name).split()
    }
    spoken_out = strip_speech(SINGLE_QUOTED.sub(" ¶ ", text))
    return list(
        dict.fromkeys(filter(None, (_read_doer(s, known_words) for s in split_sentences(spoken_out))))
    )


def _read_doer(sentence: str, known_words: set[str]) -> str:
    match = _DOER.match(sentence)
    if match is None or UNREAL.search(sentence) or sentence.rstrip().endswith("?"):
        return ""
    name = re.sub(r"[’']s$", "", match["name"])  # `Dob's throat is cut` is of Dob
    # The Duke is somebody, with the article.
    words = fold_name(name).removeprefix("the ").split()
    other_words = words[1:] if len(words) > 1 and words[0].title() in AUXILIARY_NAMES else words
    if not known_words.isdisjoint(words) or not (NO_PEOPLE | NON_NAME_WORDS).isdisjoint(other_words):
        return ""
    does_lasting = re.match(_LASTING_DEED, sentence[match.end() :]) is not None
    return name if does_lasting or CastReader([Figure((name,))]).find_deaths(sentence, is_gm=True) else ""


def is_talked_about(stranger: Figure, text: str) -> bool:
    """Say whether a text names somebody only as whom others are told or asked about: `I ask him about Teodor`."""
    return any(
        text.count(name) == len(re.findall(rf"{_ABOUT}{re.escape(name)}\b", text)) > 0
        for name in stranger.names
    )


class Stranger(NamedTuple):
    """Somebody whom nobody has made known."""

    name: str
    """What they are called: `Greta`, `The Miller`."""
    description: str = ""
    """What they are besides: `the miller` of Osric the miller; empty if nothing is said."""


def describe_stranger(figure: Figure) -> Stranger:
    """Return what a stranger is called, and is besides."""
    if not figure.names:
        return Stranger(f"The {figure.roles[0].title()}")
    return Stranger(figure.names[0], f"the {figure.roles[0]}" if figure.roles else "")


def _find_unknown_names(text: str, known_words: set[str], surnames: set[str]) -> Iterator[str]:
    spans = find_name_spans(text)
    owners = {
        span.name for span in spans if _OWNS.match(text, span.end)
    }  # who has something need not be here
    for name in dict.fromkeys(span.name for span in spans):
        if (
            name in owners
            or is_place_with_article(name, text)
            or not _is_unknown(name, known_words, surnames)
        ):
            continue
        places = [span for span in spans if span.name == name]
        if all(is_handed_thing(span.start, span.end, text, spans) for span in places):
            continue
        if is_surely_name(name, spans, text):
            yield name


def _is_unknown(name: str, known_words: set[str], surnames: set[str]) -> bool:
    """Say whether a name is of nobody known: with another first name before a known surname it is somebody else's."""
    words = [_bare(word) for word in fold_name(name).split()]
    own_words = words[1:] if has_title(name) and len(words) > 1 else words
    first, last = own_words[0], own_words[-1]
    is_first_name = may_be_first_name(first.title()) and not is_role(first)
    is_other = len(own_words) > 1 and is_first_name
    return (
        known_words.isdisjoint((first, last)) and first not in surnames and (is_other or last not in surnames)
    )


def _bare(word: str) -> str:
    """Return a word of a name without what ends it: `osk` of `osk's` or `osk.`."""
    return re.sub(r"['’]s?$|\.$", "", word)
