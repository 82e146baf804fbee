"""What a sentence claims, so far as it can be compared: with another sentence, or with a fact. Pure.

A claim is a slot and what stands in it (`owned_by` of the bell: Tam; `alive` of the orc: false; where the key
is: `under the stone`). Two that fill one slot differently cannot both be so. Read are the catalogue's own
sentences ("Mara owns The Bell."), where something is, and what the password, the killer, the name and the
like are; a sentence otherwise claims itself alone. Source: design/ontology.md, "Predicates are a catalogue".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import read_fact
from agents.canon_keeper.predicates import Catalogue, Predicate, value_in_words
from stores.records.canon import Fact, FactKind, normal
from stores.records.ids import Id

Named = Mapping[str, Id]
"""Whom names mean, without case."""

_NOT: Final = re.compile(r"\b(?:not|never|no longer|nobody|no one|cannot)\b|n['’]t\b", re.IGNORECASE)
_PLACE: Final = re.compile(
    r"(?P<what>.+?)\s+(?:is|are|lies?|lay|stands?|hides?|was|were|is hidden|lies hidden|is buried|is kept)\s+"
    r"(?:now\s+)?(?P<where>(?:in|at|under|beneath|behind|on|near|inside|above|below|beside|by|with)\s+.+)",
    re.IGNORECASE,
)
_ONE: Final = re.compile(
    r"(?P<what>(?:the|my|your|his|her|their|\w+['’]s)\s+(?:\w+\s+){0,3}?"
    r"(?:password|name|killer|murderer|thief|culprit|traitor|spy|heir|code|number|price|king|queen|captain|"
    r"leader|ruler|owner|hour|day|way out|answer|word|sign|father|mother)(?:\s+(?:of|to|for)\s+[^,.]+?)?)\s+"
    r"(?:is|was)\s+(?P<which>.+)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(
    r"^(?:no|actually|in truth|the truth is|listen|believe me|they say|i heard|i know|i swear|mark my words|"
    r"well|now|and|but)\b[,:]?\s*(?:that\s+)?",
    re.IGNORECASE,
)
_UNSAID: Final = re.compile(
    r"\?|\b(?:if|would|could|might|may|perhaps|maybe|suppose|wonder|wish|hope|should|shall|will)\b",
    re.IGNORECASE,
)
_DEAD: Final = ("{subject} is dead", "{subject} has died", "{subject} was killed", "{subject} is slain")
_EDGES: Final = " \"“”'.,;!…"
_ARTICLE: Final = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
CORRECTING: Final = re.compile(
    r"\b(?:actually|in truth|i lied|was a lie|is a lie|were lies|is wrong|was wrong|not true|untrue|"
    r"mistaken|i misspoke|the truth is|correction|rather than|it was not|it is not)\b|^no,",
    re.IGNORECASE,
)
"""Words of somebody who puts right what was said before."""


class Claim(NamedTuple):
    """`holds` False: it says that this does not stand there."""

    slot: str
    value: str
    holds: bool = True

    def agrees(self, other: Claim) -> bool:
        return self == other

    def meets(self, other: Claim) -> bool:
        """Say whether both cannot be so."""
        if self.slot != other.slot:
            return False
        if self.holds and other.holds:
            return self.slot != "said" and self.value != other.value
        return self.value == other.value and self.holds is not other.holds


class Claims:
    """Reads claims by one universe's catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._patterns = _patterns(catalogue.predicates.values())

    def of(self, sentence: str, named: Named, me: Id | None = None) -> list[Claim]:
        """Return what a sentence claims that `me` says; nothing for a question or a mere perhaps."""
        text = _unaddressed(_MARKS.sub("", " ".join(sentence.split()).strip(_EDGES)), named)
        if not text or _UNSAID.search(sentence):
            return []
        holds = _NOT.search(text) is None
        plain = text if holds else " ".join(_NOT.sub(" ", text).split())
        if not holds:
            plain = _affirmed(plain)
        found = [claim._replace(holds=holds == claim.holds) for claim in self._read(plain, named, me)]
        return [*found, Claim("said", _said(plain), holds)]

    def is_mutual(self, fact: Fact) -> bool:
        """Say whether both that a fact is about know of it: it is said of each alike."""
        return self._catalogue[fact.predicate].symmetric

    def of_fact(self, fact: Fact, named: Named) -> list[Claim]:
        """Return what a fact claims."""
        found = _structured(fact, self._catalogue)
        if not found:
            found = [c for c in self.of(fact.statement, named) if c.slot != "said"]
        return [*found, Claim("said", _said(fact.statement))]

    def _read(self, text: str, named: Named, me: Id | None) -> list[Claim]:
        found: list[Claim] = []
        folded = text.casefold()
        for words, pattern, predicate, fixed in self._patterns:
            match = pattern.fullmatch(text) if words in folded else None
            if match is None:
                continue
            groups = match.groupdict()
            subject, value = whom(groups.get("subject") or "", named, me), fixed
            if fixed is None and "object" in groups:
                value = whom(groups["object"], named, me)
            elif fixed is None and "value" in groups:
                value = groups["value"].casefold()
            if subject is None or value is None:
                continue
            if predicate.inverse_of:
                found.append(_claim(predicate.inverse_of, value, subject, self._catalogue))
            elif predicate.name == "is_not":
                found.append(_claim("is", subject, value, self._catalogue, holds=False))
            else:
                found.append(_claim(predicate.name, subject, value, self._catalogue))
        if not any(c.slot.startswith(("located_in", "alive")) for c in found):
            found += _free(text, named, me)
        return list(dict.fromkeys(found))


def _affirmed(text: str) -> str:
    """Return a sentence whose `not` was taken out as it stands without: `does own` is `owns`."""
    text = re.sub(r"\b(is|was|are|were|do|does|did)n\b", r"\1", text)
    return re.sub(r"\bdoes (\w+)", r"\1s", text)


def _unaddressed(text: str, named: Named) -> str:
    """Return a sentence without the name of whom it is said to: `the water is foul, Joss`."""
    before, _, last = text.rpartition(",")
    if before and whom(last, named):
        text = before
    first, _, behind = text.partition(",")
    return behind.strip() if behind and whom(first, named) else text


def _said(text: str) -> str:
    return _ARTICLE.sub("", normal(text))


def _structured(fact: Fact, catalogue: Catalogue) -> list[Claim]:
    said = read_fact(fact, catalogue)
    if said.subject is None or (said.object is None and said.value is None):
        return []
    if fact.kind not in (FactKind.RELATION, FactKind.STATE, FactKind.ATTRIBUTE):
        return []
    value = said.object or value_in_words(said.value).casefold()
    if fact.predicate in ("is", "is_not"):
        return [_claim("is", said.subject, value, catalogue, fact.predicate == "is")]
    return [_claim(said.predicate, said.subject, value, catalogue)]


def _claim(name: str, subject: str, value: str, catalogue: Catalogue, holds: bool = True) -> Claim:
    """Return a claim in its slot: of a predicate with one value that is the subject's alone, of one that
    excludes another the pair's, of any other the pair's with yes or no."""
    predicate = catalogue[name]
    if predicate.cardinality == "one":
        return Claim(f"{name}|{subject}", value, holds)
    family = "/".join(sorted({name, *catalogue.excluded_by(name)}))
    pair = sorted((subject, value)) if predicate.symmetric or "/" in family else [subject, value]
    return Claim(f"{family}|{'|'.join(pair)}", name, holds)


def _free(text: str, named: Named, me: Id | None) -> list[Claim]:
    if match := _PLACE.fullmatch(text):
        what = whom(match["what"], named, me) or _said(match["what"])
        return [Claim(f"at|{what}", _said(match["where"]))]
    if match := _ONE.fullmatch(text):
        which = whom(match["which"], named, me) or _said(match["which"])
        return [Claim(f"one|{_said(match['what'])}", which)]
    if match := re.fullmatch(r"(?P<which>.+?)\s+(?:is|was)\s+(?P<what>the\s+.+)", text, re.IGNORECASE):
        turned = f"{match['what']} is {match['which']}"
        if again := _ONE.fullmatch(turned):
            which = whom(again["which"], named, me) or _said(again["which"])
            return [Claim(f"one|{_said(again['what'])}", which)]
    return []


def whom(words: str, named: Named, me: Id | None = None) -> Id | None:
    """Return whom a name means, with or without an article."""
    wanted = words.strip().casefold()
    if wanted in ("i", "me", "myself"):
        return me
    return named.get(wanted) or named.get(_ARTICLE.sub("", wanted)) or named.get(f"the {wanted}")


def _patterns(predicates: Iterable[Predicate]) -> list[tuple[str, re.Pattern[str], Predicate, str | None]]:
    """Return how the catalogue's sentences are read, in the third person and in the first: words that stand
    in it for sure, the whole, and the value that it stands for, if it does for one."""
    worded: list[tuple[str, Predicate, str | None]] = []
    for predicate in predicates:
        given = predicate.statement
        templates: list[tuple[str | None, str]] = []
        if isinstance(given, dict):
            templates += given.items()
        elif given:
            templates.append((None, given))
        if predicate.name == "alive":
            templates += [("false", words) for words in _DEAD]
        worded += ((text, predicate, value) for value, words in templates for text in _variants(words))
    return [(_sure(t), re.compile(_pattern(t), re.IGNORECASE), predicate, v) for t, predicate, v in worded]


def _sure(template: str) -> str:
    """Return the longest words between what is filled in."""
    parts = re.split(r"\{\w+\}", template.casefold())
    return " ".join(max(parts, key=len).split())


def _variants(template: str) -> list[str]:
    template = template.rstrip(".")
    first = template.replace("{subject} is ", "{subject} am ")
    first = re.sub(r"\{subject\} (\w+?)s\b(?! \{subject\})", r"{subject} \1", first)
    now = template.replace(" is in ", " is now in ")
    return list(dict.fromkeys((template, first, now)))


def _pattern(template: str) -> str:
    text = re.escape(template).replace(r"\ ", r"\s+")
    for field in ("subject", "object", "value"):
        text = text.replace(rf"\{{{field}\}}", rf"(?P<{field}>.+?)", 1)
    return text
