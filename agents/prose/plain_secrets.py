"""Reads who may know a secret in plain sentences: `Only Vess knows that ...`, `Vess tells Dob that ...`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.prose.mentions import Gender
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import SHORT_TITLE_PATTERN, split_sentences

MAX_SENTENCES: Final = 60
MAX_WORDS: Final = 300
"""Characters of what is known or told."""

_SPEECH: Final = "¶"
_NAME_WORD: Final = r"[^\W\d_a-z][\w’'-]*"
_NAME: Final = (
    rf"(?:[Tt]he\s+)?{SHORT_TITLE_PATTERN}{_NAME_WORD}"
    rf"(?:\s+(?:(?:of|of\s+the|the|de|von|van)\s+)?{_NAME_WORD})*"
)
_WHO: Final = rf"(?:I|me|you|{_NAME})"
_NAMES: Final = rf"{_WHO}(?:(?:,|,?\s+and|\s+or)\s+{_WHO})*"
_OPENING: Final = r"(?:(?:And|But|So\s+far|As\s+yet|Still|To\s+this\s+day|Of\s+all\s+here)\s*,?\s+)?"
_KNOWS: Final = r"(?:know|knows|knew)"
_THAT: Final = r"(?:\s+(?:yet|now|so\s+far))?,?\s+that\s+"
_WORDS: Final = rf"(?P<words>[^?]{{3,{MAX_WORDS}}})"
_ADVERB: Final = r"(?:(?:then|now|at\s+last|later|also|quietly|softly|finally|secretly)\s+)?"
_TELLER: Final = rf"(?:(?:Then|Now|At\s+last|Later|Finally)\s*,?\s+)?(?P<teller>{_WHO})\s+{_ADVERB}"
_LINK: Final = r"(?P<link>that|about|of)"

_ONLY: Final = re.compile(
    rf"{_OPENING}(?:[Oo]nly\s+(?P<only>{_NAMES})\s+{_KNOWS}|(?P<alone>{_NAMES})\s+alone\s+{_KNOWS}"
    rf"|(?:[Nn]obody|[Nn]o\s+one)(?:\s+(?:but|except|besides|save)\s+(?P<but>{_NAMES}))?\s+{_KNOWS}"
    rf"|(?:[Nn]obody|[Nn]o\s+one)\s+else\s+{_KNOWS}){_THAT}{_WORDS}"
)
_TOLD: Final = re.compile(
    rf"{_TELLER}(?:(?:tells?|told|informs?|informed)\s+(?P<told>{_NAMES})\s+{_LINK}"
    rf"|(?:admits?|admitted|confess(?:es|ed)?|confides?|confided|reveals?|revealed|explains?|explained|whispers?"
    rf"|whispered)\s+(?:to|in)\s+(?P<confided>{_NAMES})\s+(?P<to>that)"
    rf"|lets?\s+(?P<let>{_NAMES})\s+know\s+(?P<known>that))\s+{_WORDS}"
)
_TOLD_ALL: Final = re.compile(
    rf"{_TELLER}(?:tells?|told)\s+(?P<hearers>{_NAMES})\s+(?P<words>(?:the|her|his|their|my)\s+secret)"
)
_REVEALED: Final = re.compile(
    rf"{_OPENING}(?:[Nn]ow\s+)?(?:[Ee]verybody|[Ee]veryone|[Aa]ll\s+the\s+world|[Tt]he\s+whole\s+\w+)"
    rf"(?:\s+here)?(?:\s+now)?\s+{_KNOWS}{_THAT}{_WORDS}"
)
_CLAUSE_START: Final = re.compile(
    r"(?:the|an?|his|her|their|its|my|your|our|there|he|she|it|they|I|you|this|these|those|no|some|one)\b"
    r"|[^\W\d_a-z]"
)
_LEADING_PRONOUN: Final = re.compile(
    r"(?P<subject>he|she)\b|(?P<owner>his|her)\s+(?!(?:majesty|grace|highness|lordship|ladyship|honou?r|holiness|"
    r"excellency|eminence|worship|reverence|royal|imperial)\b)",
    re.IGNORECASE,
)
"""A pronoun at the beginning of a clause: `he forged it`, `his brother forged it`, and not `her Majesty`."""
_PRONOUN: Final = re.compile(
    r"\b(?:(?P<he>he|him|his|himself)|(?P<she>she|her|hers|herself))\b", re.IGNORECASE
)
_NEXT_CLAUSE: Final = re.compile(r",\s+(?:and|but|so|for|yet|because|though|which|who|until)\b.*", re.DOTALL)
_MIN_CLAUSE_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class SecretClaim:
    """A sentence that says who alone knows something; without names, nobody does."""

    knower_names: tuple[str, ...]
    words: str
    """What is known, as a clause."""
    quote: str


@dataclass(frozen=True, slots=True)
class SecretTelling:
    """A sentence that says that somebody tells others something."""

    teller_name: str
    hearer_names: tuple[str, ...]
    words: str
    """What is told, as a clause; or what it is about."""
    is_about: bool
    quote: str


@dataclass(frozen=True, slots=True)
class SecretReveal:
    """A sentence that says that everybody knows something now."""

    words: str
    quote: str


SecretSentence = SecretClaim | SecretTelling | SecretReveal


def find_secret_sentences(text: str) -> list[SecretSentence]:
    """Return the sentences of a text, speech aside, that say who knows or is told something."""
    if SINGLE_QUOTED.search(text):
        return []
    sentences = (s.strip(" .!…") for s in split_sentences(strip_speech(text))[:MAX_SENTENCES] if "?" not in s)
    readings = (_read_sentence(sentence) for sentence in sentences if _SPEECH not in sentence)
    return [reading for reading in readings if reading is not None]


def _read_sentence(sentence: str) -> SecretSentence | None:
    if match := _ONLY.fullmatch(sentence):
        names = match["only"] or match["alone"] or match["but"] or ""
        words = _read_clause(match["words"])
        return SecretClaim(_split_names(names), words, sentence) if words else None
    if match := _REVEALED.fullmatch(sentence):
        words = _read_clause(match["words"])
        return SecretReveal(words, sentence) if words else None
    if match := _TOLD_ALL.fullmatch(sentence):
        return SecretTelling(match["teller"], _split_names(match["hearers"]), match["words"], True, sentence)
    if match := _TOLD.fullmatch(sentence):
        is_about = match["link"] in ("about", "of")
        words = _cut_next_clause(match["words"]) if is_about else _read_clause(match["words"])
        hearer_names = _split_names(match["told"] or match["confided"] or match["let"])
        return SecretTelling(match["teller"], hearer_names, words, is_about, sentence) if words else None
    return None


def find_subject_pronoun(words: str) -> str:
    """Return the pronoun that a clause begins with, as it is written: `He`, `her`; empty if there is none."""
    match = _LEADING_PRONOUN.match(words)
    return (match["subject"] or match["owner"]) if match else ""


def may_be_subject(words: str, gender: Gender) -> bool:
    """Return whether somebody may be meant by the pronoun that a clause begins with.

    Whose gender is not known is nobody of a clause with both: `he killed her husband`.
    """
    pronouns = [str(match.lastgroup) for match in _PRONOUN.finditer(words)]
    return pronouns[:1] == [gender] if gender else len(set(pronouns)) == 1


def name_subject(words: str, name: str) -> str:
    """Return a clause with a name in the place of `he`, `she`, `his` or `her` at its beginning."""
    match = _LEADING_PRONOUN.match(words)
    if match is None:
        return words
    return name + words[match.end() :] if match["subject"] else f"{name}'s {words[match.end() :]}"


def _read_clause(words: str) -> str:
    """Return the first clause of the words; empty if they are none, as in `that better than Vess`."""
    clause = _cut_next_clause(words)
    is_clause = _CLAUSE_START.match(clause) is not None and len(clause.split()) >= _MIN_CLAUSE_WORDS
    return clause if is_clause else ""


def _cut_next_clause(words: str) -> str:
    return _NEXT_CLAUSE.sub("", words).strip()


def _split_names(names: str) -> tuple[str, ...]:
    parts = re.split(r"\s*,\s*(?:and\s+)?|\s+(?:and|or)\s+", names)
    return tuple(part for part in parts if part)
