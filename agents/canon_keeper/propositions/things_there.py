"""Reads how many of something a thing or place has, or that it has none: `There is no cellar under the house`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import PERSON_NOUNS
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.propositions.quantities import Quantity, quantity_at, unit_of
from agents.canon_keeper.propositions.thing_values import count_of_parts
from agents.canon_keeper.propositions.vocabulary import load_nouns_for_things
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, singular

_AT_WHOLE: Final = frozenset(
    ["in", "on", "at", "under", "beneath", "to", "of", "aboard", "inside", "within", "over", "around", "above", "into"]
)  # fmt: skip
"""What joins the parts to the whole: `three doors in the crypt`, `two moons over Tethys`."""
_NOT_ONE: Final = (
    ("not", "a", "single"),
    ("not", "one", "single"),
    ("not", "one"),
    ("not", "a"),
    ("not", "any"),
    ("no",),
)
_SOME: Final = frozenset({"a", "an"})
_ONLY: Final = frozenset({"only", "just", "single", "exactly", "one"})
_UNCOUNTED: Final = frozenset(
    ["way", "sign", "trace", "place", "room", "need", "reason", "doubt", "point", "time", "use", "chance", "hope",
     "rumour", "story", "question", "answer", "word", "sense", "lot", "number", "kind", "sort", "moment", "hurry",
     "fire", "light", "smell", "sound", "noise", "storm", "fight", "knock", "feast", "meeting", "market", "fair",
     "fog", "party", "line", "crowd", "queue", "mistake", "problem", "difference", "name", "silence", "draught",
     "truth", "side", "pile", "heap", "law", "curse", "bird", "fly", "rat", "mouse", "wolf", "ship", "boat", "cart",
     "horse", "wagon", "car", "carriage", "hand", "face", "shadow", "view", "echo"]
)  # fmt: skip
"""What comes and goes, or is no part of anything."""


def read_things_there(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield how many parts of one kind a whole has. Who is there, and what can be carried away, comes and goes."""
    if base.time is not ClauseTime.NOW or base.is_ability or base.general or base.is_change or clause.front:
        return
    yield from _parts_meant(clause, base)
    if base.when or clause.limit or not {"no", "longer"}.isdisjoint({t.word for t in clause.helpers}):
        return
    rest = [t for t in clause.rest if t.word not in ("now", "still")]
    negations = ["not"] if any(t.word in ("not", "never") for t in clause.helpers) else []
    yield from _only_part(clause, base, rest)
    if clause.verb == "be" and len(rest) == 1 and rest[0].word.endswith("less") and not negations:
        yield from _lacks(base, rest[0].word.removesuffix("less"), clause.subject)
    if [t.word for t in clause.subject] == ["there"] and clause.verb == "be":
        yield from _parts_of(base, rest, negations)
    elif clause.verb == "have" and not clause.is_passive and clause.subject:
        yield from _count(base, [*negations, *(t.word for t in rest)], clause.subject)


def _lacks(base: Proposition, part: str, whole: Sequence[Token]) -> Iterator[Proposition]:
    """Read `The idol is eyeless`: it has none of the part."""
    if part in load_word_lists().body_parts | {"window", "door", "roof", "handle", "wheel", "head", "mast"}:
        yield from _count(base, ["no", part], whole)


def _parts_meant(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read that the book has a title of `The title of the book is strange`."""
    tokens = list(clause.subject)
    words = [t.word for t in tokens]
    if words[:1] == ["the"] and words[2:3] == ["of"] and len(words) > 3:
        yield from _count(base, ["a", words[1]], tokens[3:])
    elif len(words) > 3 and words[0] == "the" and words[-2] == "'s":
        yield from _count(base, ["a", words[-1]], tokens[:-2])


def _only_part(clause: ClauseWords, base: Proposition, rest: Sequence[Token]) -> Iterator[Proposition]:
    """Read that there is one, of `The Stag is the only inn in Rigg`."""
    words = [t.word for t in rest]
    if clause.verb == "be" and words[:2] == ["the", "only"] and words[3:4] in (["in"], ["on"], ["aboard"]):
        yield from _count(base, ["only", "a", words[2]], rest[4:])


def _parts_of(base: Proposition, rest: Sequence[Token], negations: list[str]) -> Iterator[Proposition]:
    """Read `There are three doors in the crypt`; what follows the place says something more."""
    at = next((n for n, t in enumerate(rest) if t.word in PREPOSITIONS | {"of"}), None)
    if at is None or rest[at].word not in _AT_WHOLE:
        return
    whole = list(rest[at + 1 :])
    if whole and not any(t.word in PREPOSITIONS | {"of", ",", "and"} for t in whole):
        yield from _count(base, [*negations, *(t.word for t in rest[:at])], whole)


def _count(base: Proposition, words: Sequence[str], whole: Sequence[Token]) -> Iterator[Proposition]:
    found = _quantity(words)
    if found is None or any(t.is_person for t in whole) or "'s" in [t.word for t in whole]:
        return
    quantity, nouns = found
    if len(nouns) != 1 or not nouns[0].isalpha() or unit_of(nouns[0]):
        return
    noun = singular(nouns[0])
    if noun in PERSON_NOUNS or noun in load_nouns_for_things() or noun in _UNCOUNTED:
        return
    yield from count_of_parts(base, noun, whole, quantity)


def _quantity(words: Sequence[str]) -> tuple[Quantity, Sequence[str]] | None:
    """Return how many the words leave open, and the words behind the number."""
    for negation in _NOT_ONE:
        if tuple(words[: len(negation)]) == negation:
            return Quantity(0, 0, "part"), words[len(negation) :]
    start = 1 if words[:1] and words[0] in _ONLY else 0
    is_only = bool(start) and words[0] != "one"
    if words[:1] == ["a"] and words[1:2] and words[1] in ("single", "lone"):
        return Quantity(1, 1, "part"), words[2:]
    if words[start : start + 1] and words[start] in _SOME:
        return Quantity(1, 1 if is_only else float("inf"), "part"), words[start + 1 :]
    found = quantity_at(words, start if is_only else 0)
    if found is None:
        return None
    quantity, end = found
    return quantity._replace(unit="part", is_exact=False), words[end:]
