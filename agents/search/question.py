"""A question to the record, read for what it is about: whom it names, which words carry it, what it asks for.

Pure. The rule by which a text bears on a question is stated in `bearing`. It is one of words, so it can be
wrong in both ways; what it turns down is still shown, apart, as what came nearest.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.prose.names import HONORIFICS, find_name_spans
from agents.prose.words import split_sentences, stem
from agents.resolver.typed_text import plain_line
from agents.search.question_words import ASKED_WITH, FORMS, NUMBERS, PLACING, SMALL
from stores.records.ids import Id

LONGEST: Final = 500
"""Characters of a question."""

ENOUGH: Final = 0.5
"""Share of the words of a question, beside names, that a text has to have to bear on it."""

_WHERE: Final = "located_in"

_WORD: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")


@dataclass(frozen=True, slots=True)
class Named:
    """A name in the question: its words, and whom it may mean (none: nobody in canon bears it)."""

    words: frozenset[str]
    ids: frozenset[Id]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """`words` carry the question beside names (as they are compared); `wants` are the predicates it asks
    for, with the words that do. `where` and the like carry nothing in a text, but say what is wanted."""

    text: str
    names: tuple[Named, ...]
    words: frozenset[str]
    wants: Mapping[str, frozenset[str]]

    @property
    def ids(self) -> tuple[Id, ...]:
        """Those in canon whom it may be about."""
        return tuple(dict.fromkeys(i for named in self.names for i in sorted(named.ids)))

    @property
    def empty(self) -> bool:
        return not (self.names or self.words)


@dataclass(frozen=True, slots=True)
class Bearing:
    """How much of a question a text has: of its names, and of its other words (0 ... 1 each)."""

    names: float
    words: float
    enough: bool

    @property
    def share(self) -> float:
        return (self.names + self.words) / 2


def read_inquiry(text: str, known: Iterable[tuple[str, Id]], catalogue: Catalogue) -> Inquiry:
    """Read a question. `known` are the names of canon, without case, with whose they are."""
    text = plain_line(text)[:LONGEST]
    raw = [_bare(word) for word in _WORD.findall(_POSSESSIVE.sub(" ", text))]
    names, used = _names(text, raw, known)
    carried = [word for n, word in enumerate(raw) if n not in used]
    words = frozenset(form(word) for word in carried if word not in SMALL and len(word) > 1)
    return Inquiry(text, names, words, _wanted(carried, catalogue))


def bearing(inquiry: Inquiry, text: str, involved: Collection[Id] = (), *, predicate: str = "") -> Bearing:
    """Say how far a text bears on a question.

    Enough is: every name of the question, by word or by involvement, and at least half of its other words,
    in whatever form (more than half, where no name is asked about). A fact whose predicate is asked for has
    the words that ask for it; a text that is to say where somebody is needs a word like `in`.
    """
    there = forms(text)
    met = sum(bool(n.ids.intersection(involved)) or n.words <= there for n in inquiry.names)
    names = met / len(inquiry.names) if inquiry.names else 1.0
    wanted = predicate in inquiry.wants
    sought = inquiry.words - inquiry.wants.get(predicate, frozenset())
    said = sum(any(one in there for one in _alike(word)) for word in sought)
    words = said / len(sought) if sought else 1.0
    if _WHERE in inquiry.wants and not (wanted or inquiry.words or there & PLACING):
        words = 0.0
    something = wanted or met + said > 0
    many = words > ENOUGH or (words == ENOUGH and bool(inquiry.names))
    return Bearing(names, words, something and names == 1.0 and many)


def told_of(text: str) -> str:
    """Return a text without what it only asks: to repeat a question is not to answer it."""
    return " ".join(s for s in split_sentences(text) if not s.rstrip().rstrip("\"'”’»)").endswith("?"))


def forms(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared."""
    return frozenset(form(_bare(word)) for word in _WORD.findall(_POSSESSIVE.sub(" ", plain_line(text))))


def form(word: str) -> str:
    """Return a word as it is compared: without its ending, numbers in figures."""
    return NUMBERS.get(word) or stem(word)


def _bare(word: str) -> str:
    return word.casefold()


def _alike(word: str) -> frozenset[str]:
    """Return the forms that stand for a word, itself among them."""
    return FORMS.get(word, frozenset({word}))


def _wanted(words: Iterable[str], catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """Return the predicates that these words ask for, each with its other readings, and the words that do."""
    asking = {word: frozenset({word, stem(word), *_alike(stem(word))}) for word in words}
    found: dict[str, frozenset[str]] = {}
    for word, meant in asking.items():
        for asks, names in ASKED_WITH.items():
            if {asks, stem(asks)} & meant:
                found.update({name: found.get(name, frozenset()) | {form(word)} for name in names})
    for name in catalogue.predicates:
        own = {stem(part) for part in name.split("_") if part not in SMALL and len(part) > 3}
        if own and own <= frozenset().union(*asking.values()):
            by = frozenset(form(word) for word, meant in asking.items() if meant & own)
            readings = (
                name,
                *catalogue.inverse_predicates(name),
                *filter(None, [catalogue[name].inverse_of]),
            )
            found.update({one: found.get(one, frozenset()) | by for one in readings})
    return found


def _names(
    text: str, raw: list[str], known: Iterable[tuple[str, Id]]
) -> tuple[tuple[Named, ...], frozenset[int]]:
    """Return whom the question names and which of its words are names: whole names before their parts, and
    what is written like a name but borne by nobody."""
    whole: dict[tuple[str, ...], set[Id]] = {}
    parts: dict[str, set[Id]] = {}
    for name, entity_id in known:
        words = tuple(map(_bare, _WORD.findall(_POSSESSIVE.sub(" ", plain_line(name)))))
        bare = words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words
        if not bare:
            continue
        whole.setdefault(bare, set()).add(entity_id)
        for word in bare:
            if len(word) > 2 and word not in SMALL and word not in HONORIFICS:
                parts.setdefault(word, set()).add(entity_id)
    found: list[Named] = []
    used: set[int] = set()
    longest = max(map(len, whole), default=0)
    for length in range(min(longest, len(raw)), 0, -1):
        for at in range(len(raw) - length + 1):
            places = range(at, at + length)
            ids = whole.get(tuple(raw[at : at + length]))
            if ids and not used.intersection(places) and (length > 1 or raw[at] not in SMALL):
                found.append(Named(_spelt(raw[at : at + length]), frozenset(ids)))
                used.update(places)
    written = {_bare(w) for span in find_name_spans(text) for w in _WORD.findall(span.name)} - HONORIFICS
    capitals = {_bare(w) for w in _WORD.findall(text) if w[:1].isupper()}
    for at, word in enumerate(raw):
        if at in used or word in SMALL:
            continue
        ids = parts.get(word, set())
        if (word in capitals or not capitals) if ids else word in written:
            found.append(Named(_spelt([word]), frozenset(ids)))
            used.add(at)
    return tuple(dict.fromkeys(found)), frozenset(used)


def _spelt(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(form, words))
