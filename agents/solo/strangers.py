"""Finds in a text whom nobody has made known: `Greta`, `the miller` where nobody is called so. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from agents.declarations.handed_names import is_handed_thing
from agents.prose.cast_reader import CastReader
from agents.prose.clauses import UNREAL
from agents.prose.lone_names import NO_PEOPLE, is_surely_name
from agents.prose.mentions import Figure, is_role, read_called_role, read_roles
from agents.prose.names import NON_NAME_WORDS, find_name_spans, has_title, names_of
from agents.prose.phrases import phrases
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from stores.records.world import Entity, fold_name

MAX_STRANGERS: Final = 4
"""Strangers of one text that are read."""
_NO_ROLE_WORDS: Final = (
    "old young miss mr mrs ms dr st saint page count canon private general major prior elder judge agent"
)
_NO_ROLES: Final = frozenset(_NO_ROLE_WORDS.split())
"""Titles that are other words, too, or say nothing without a name."""
_ROLE: Final = re.compile(
    r"(?<!, )\b[Tt]he\s+(?P<first>[a-z]+)\b(?!\s+[A-Z])(?:\s+(?P<second>[a-z]+)\b(?!\s+[A-Z]))?"
)
_AGES: Final = frozenset({"old", "young", "good", "poor", "big", "little", "tall", "fat"})
"""What somebody is called before their trade, and is no part of it."""
_NO_KIND_WORDS: Final = (
    "other same next first second third last new two three only very dead late former whole own head one right wrong "
    "more"
)
_NO_KINDS: Final = frozenset(_NO_KIND_WORDS.split())
"""What does not say which of a trade somebody is by its kind, as in `the night watchman`."""
_OWNS: Final = re.compile(r"['’]")


_EPITHET: Final = r"(?:\s+the\s+[a-z]+|,\s+[^,]{2,40},)?"
_DOER: Final = re.compile(
    rf"\s*(?:(?:And|Then|But),? )?(?P<name>[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*){{0,2}}){_EPITHET}\s+(?=[a-z])"
)
_LASTING_DEED: Final = phrases(
    "(has )?[steal kill murder poison rob betray marry burn forge buy sell found inherit kidnap imprison own owe serve]"
    r"\b(?= [A-Za-z])"
)


def find_strangers(text: str, known: Iterable[Entity]) -> list[Figure]:
    """Return those whom a text names or calls by what they are, and whom nobody has made known.

    `known` are the entities whose names or roles have a word of the text, of any kind.
    """
    names, roles = set[str](), set[str]()
    for entity in known:
        names |= {_bare(word) for name in names_of(entity) for word in fold_name(name).split()}
        roles |= {*read_roles(entity.name, entity.description), read_called_role(entity.name)}
    strangers = [Figure((name,)) for name in _find_unknown_names(text, names)]
    strangers += [
        Figure((), (role,))
        for role in dict.fromkeys(filter(None, map(_read_role, _ROLE.finditer(text))))
        if role.split()[-1] not in _NO_ROLES | roles | names and role not in roles
    ]
    return strangers[:MAX_STRANGERS]


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
    if not known_words.isdisjoint(words) or not (NO_PEOPLE | NON_NAME_WORDS).isdisjoint(words):
        return ""
    does_lasting = re.match(_LASTING_DEED, sentence[match.end() :]) is not None
    return name if does_lasting or CastReader([Figure((name,))]).find_deaths(sentence, is_gm=True) else ""


def name_stranger(figure: Figure) -> str:
    """Return what a stranger is called: `Greta`, `The Miller`."""
    return figure.names[0] if figure.names else f"The {figure.roles[0].title()}"


def _find_unknown_names(text: str, known_words: set[str]) -> Iterator[str]:
    spans = find_name_spans(text)
    owners = {
        span.name for span in spans if _OWNS.match(text, span.end)
    }  # who has something need not be here
    for name in dict.fromkeys(span.name for span in spans):
        words = [_bare(word) for word in fold_name(name).split()]
        own_words = words[1:] if has_title(name) and len(words) > 1 else words
        if name in owners or not known_words.isdisjoint((own_words[0], own_words[-1])):
            continue
        places = [span for span in spans if span.name == name]
        if all(is_handed_thing(span.start, span.end, text, spans) for span in places):
            continue
        if is_surely_name(name, spans, text):
            yield name


def _bare(word: str) -> str:
    """Return a word of a name without what ends it: `osk` of `osk's` or `osk.`."""
    return re.sub(r"['’]s?$|\.$", "", word)
