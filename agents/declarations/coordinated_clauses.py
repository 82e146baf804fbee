"""Splits a sentence at `and` where a verb follows, each clause with its subject: `Dob stole the bell and ran`. Pure.

It is also split where two things stand at one place: `takes the lantern and the rope`.

What `it` and `her` mean behind the `and` is put there, where the clause before leaves no doubt.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agents.canon_keeper.propositions.vocabulary import load_nouns_for_things
from agents.canon_keeper.sentences.word_lists import load_word_lists
from agents.prose.words import SHORT_TITLE_PATTERN

_NAME_WORD: Final = r"[^\W\d_a-z][\w'’-]*"
_NAME: Final = rf"{SHORT_TITLE_PATTERN}{_NAME_WORD}(?: (?:of |the |de |von |van )?{_NAME_WORD}){{0,4}}"
_SUBJECT: Final = re.compile(rf"(?:(?:Now|Then|Finally|At last),? )?(?P<subject>(?:The )?{_NAME})(?= )")
"""`I` and `You` are such names, too."""
_JOINT: Final = re.compile(r",? (?:and then|and|then) (?P<next>[\w'’-]+)")
_ADVERB: Final = re.compile(r"(?:quickly|quietly|then|now|finally|\w{3,}ly) ")
_IT: Final = re.compile(r"\b(?:it|them)\b")
_PERSON_PRONOUN: Final = re.compile(
    r"(?<=\bto )(?:him|her)\b|(?<=\bfrom )(?:him|her)\b|\b(?:him|her)(?= (?:the|a|an|my|his|our) )"
)
_LAST_THING: Final = re.compile(
    r"\b(?P<determiner>the|an?|my|his|her|our|this|that) (?P<thing>[a-z][\w'’-]*(?: [a-z][\w'’-]*){0,3}?)"
    r"(?= (?:to|from|with|in|into|on|at|under|away|back|over|up|down|out|off)\b|$)",
    re.IGNORECASE,
)
_PREPOSITION_BEFORE: Final = re.compile(
    r"\b(?:to|from|with|in|into|on|onto|at|under|behind|beside|by|near|over|of|for|through|off|out) $"
)
_INNER_NAME: Final = re.compile(rf"(?<= ){_NAME}")


_DETERMINED: Final = r"(?:the|an?|my|your|his|her|their|our|some) [a-z][\w'’-]*(?: [a-z][\w'’-]*){0,2}?"
_TWO_THINGS: Final = re.compile(
    rf"\b(?P<first>{_DETERMINED})(?P<of_first> (?:from|for|to|of) {_NAME}(?= and [^,;]*(?:[,;]|$)))? "
    rf"and (?P<second>{_DETERMINED})"
    r"(?= (?:to|from|with|in|into|on|at|under|away|back|over|up|down|out|off|behind|here)\b|[,;]|$)"
)


class CoordinatedClause(NamedTuple):
    """A clause as a sentence of its own, and the words of the text that say it."""

    sentence: str
    quote: str
    is_on_same_thing: bool = False
    """Whether it goes on about what the clause before names: `and gives it to Tam`."""


def split_clauses(sentence: str) -> list[CoordinatedClause]:
    """Return the clauses of a sentence that have a verb of their own; none if it is a single one."""
    subject = _SUBJECT.match(sentence)
    joints = [match for match in _JOINT.finditer(sentence) if _begins_clause(sentence, match)]
    if subject is None or not joints or joints[0].start() <= subject.end():
        return []
    starts, ends = [0, *(j.start("next") for j in joints)], [*(j.start() for j in joints), len(sentence)]
    clauses: list[CoordinatedClause] = []
    thing, person = "", ""
    for start, end in zip(starts, ends, strict=True):
        words = sentence[start:end]
        is_on_same_thing = bool(start and thing and _IT.search(words))
        if start:
            words = _PERSON_PRONOUN.sub(person, words) if person else words
            words = _IT.sub(f"the {thing}", words) if thing else words
            words = words if _begins_with_name(sentence, start) else f"{subject['subject']} {words}"
        clauses.append(CoordinatedClause(words, sentence[start:end], is_on_same_thing))
        thing, person = _find_thing(words) or thing, _find_person(words) or person
    return clauses


def split_things(sentence: str) -> list[str]:
    """Return a sentence once for each of two things that it names in one place: `takes the lantern and the rope`."""
    match = _TWO_THINGS.search(sentence)
    if match is None or not all(_is_thing(match[key]) for key in ("first", "second")):
        return []
    before, after = sentence[: match.start()], sentence[match.end() :]
    if not match["of_first"]:
        return [f"{before}{match[key]}{after}" for key in ("first", "second")]
    # `a letter from Abena and the pistol`, and not `the lamp from Abena and the pistol from Dob`.
    is_end = re.match(r"[,;]|$", after) is not None
    return (
        [f"{before}{match['first']}{match['of_first']}{after}", f"{before}{match['second']}{after}"]
        if is_end
        else []
    )


def _is_thing(words: str) -> bool:
    noun, nouns = words.split()[-1], load_nouns_for_things()
    return noun in nouns or noun.removesuffix("s") in nouns


def _begins_clause(sentence: str, joint: re.Match[str]) -> bool:
    """Say whether a verb stands behind an `and`, or somebody's name and a verb."""
    rest = sentence[joint.start("next") :]
    if name := re.match(rf"{_NAME} ", rest):
        rest = rest[name.end() :]
    if adverb := _ADVERB.match(rest):
        rest = rest[adverb.end() :]
    word = re.match(r"[a-z]+", rest)
    if word is None:
        return False
    tags = {reading.tag for reading in load_word_lists().readings_as_verb(word[0])}
    before = joint.string[: joint.start()]
    is_base_form = tags == {"base"}
    return bool(tags) and (not is_base_form or re.match(r"(?:I|You|you|We|we)\b", before) is not None)


def _begins_with_name(sentence: str, start: int) -> bool:
    return sentence[start].isupper()


def _find_thing(words: str) -> str:
    """Return the one thing that a clause names; empty if it names none, or several."""
    matches = [
        match
        for match in _LAST_THING.finditer(words)
        if match["determiner"].casefold() not in ("a", "an") or _is_thing(match["thing"])
    ]
    # What is done something to stands behind no preposition: `takes a key from under the lamp`.
    objects = [m for m in matches if not _PREPOSITION_BEFORE.search(words, 0, m.start())]
    things = dict.fromkeys(match["thing"] for match in (objects if len(matches) > 1 else matches))
    return next(iter(things)) if len(things) == 1 else ""


def _find_person(words: str) -> str:
    """Return whom a clause names besides its subject; empty if that is nobody, or several."""
    names = dict.fromkeys(match[0] for match in _INNER_NAME.finditer(words))
    return next(iter(names)) if len(names) == 1 else ""
