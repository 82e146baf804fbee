"""Finds the single names that begin sentences in which people come: `Osric and the miller come in`. Pure.

A capital at the beginning of a sentence makes no name. It does of a word that is no common one, if they come or are
here by the sentence, or somebody else is named beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agents.ingest.names.name_words import load_name_words
from agents.prose.cast_words import ADVERBS, ENTERS
from agents.prose.lone_names import NO_PEOPLE
from agents.prose.mentions import is_no_first_name, is_role
from agents.prose.names import NON_NAME_WORDS, has_title
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.verb_forms import PAST_VERB
from agents.prose.words import split_sentences
from stores.records.world import fold_name

_CAPITALISED: Final = r"[^\W\d_a-z][\w’-]*"
_OWN: Final = r"(?:his|her|their|my|your|our|two|three|four|five|some|several)"
_COMPANION: Final = (
    rf"(?:(?:old |young )?{_CAPITALISED}(?: {_CAPITALISED})*(?: the [a-z]+)?"
    r"|(?:the|an?) (?:(?P<adjective>[a-z]+) )?(?P<role>[a-z]+)"
    rf"|{_OWN} (?:[a-z]+ )?[a-z]+)"
)
_OPENING_NAME: Final = re.compile(rf"\s*(?:(?:And|Then|But),? )?(?P<name>{_CAPITALISED})(?=[ ,])")
_SUBJECT_NAME: Final = re.compile(rf"{_OPENING_NAME.pattern}(?: {_CAPITALISED}){{0,2}}")
_NEXT_COMPANION: Final = re.compile(rf"(?:,? and|,) {_COMPANION}(?=[ ,])")
_ADVERBS: Final = re.compile(ADVERBS)
_HERO: Final = re.compile(r"\b(?:me|us)\b")
_SINGULAR: Final = re.compile(rf"(?!are\b|were\b)(?:[a-z]+s|{PAST_VERB.pattern})\b")
_FAR: Final = re.compile(r"\b(?:horizon|distance|view|sight)\b")
"""What a place may come into, or appear on."""


def find_opening_names(text: str) -> Iterator[str]:
    """Yield the names that begin sentences by which those who have them come, or are named beside others."""
    for sentence in split_sentences(strip_speech(SINGLE_QUOTED.sub(" ¶ ", text))):
        match = _OPENING_NAME.match(sentence)
        if match is not None and _may_be_name(match["name"]) and _is_of_somebody(sentence, match.end()):
            yield match["name"]


def find_subject_name(sentence: str) -> str:
    """Return the first name of who does something at the beginning of a sentence; empty if none stands there."""
    match = _SUBJECT_NAME.match(sentence)
    adverbs = _ADVERBS.match(sentence, match.end()) if match else None
    is_doer = adverbs is not None and _SINGULAR.match(sentence, adverbs.end()) is not None
    return match["name"] if match and is_doer and _may_be_name(match["name"]) else ""


def _may_be_name(word: str) -> bool:
    folded = fold_name(word)
    return not (
        folded in NO_PEOPLE
        or folded in NON_NAME_WORDS
        or is_no_first_name(word)
        or has_title(word)
        or load_name_words().is_common(folded)
    )


def _is_of_somebody(sentence: str, end: int) -> bool:
    """Say whether what stands behind a name says that it is somebody's: a companion, or that they come."""
    is_single, is_beside_person = True, False
    while companion := _NEXT_COMPANION.match(sentence, end):
        role = companion["role"]
        is_beside_person = (
            is_beside_person or role is None or is_role(role) or is_role(companion["adjective"] or "")
        )
        is_single, end = False, companion.end()
    if is_beside_person:
        return True
    adverbs = _ADVERBS.match(sentence, end)
    if adverbs is None or _FAR.search(sentence, end):
        return False
    entrance = ENTERS.match(_HERO.sub("@H@", sentence[adverbs.end() :]))
    # `Wolves appear` names nobody.
    return entrance is not None and (not is_single or _SINGULAR.match(entrance[0]) is not None)
