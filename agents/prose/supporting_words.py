"""Says whether the words of a turn support a statement, as far as words tell. Pure.

They do if they have the statement itself, or each name in it and, in one sentence, every word of what is said: a turn
that merely shares a noun says something else. A denial supports no assertion, and the reverse; a question none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.verb_forms import present_of_past
from agents.prose.words import split_sentences, stem
from stores.records.canon import normalize_statement

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAME: Final = re.compile(r"[^\W\d_a-z][\w'’-]*(?:\s+(?:of\s+(?:the\s+)?)?[^\W\d_a-z][\w'’-]*)*")
_SMALL_WORDS: Final = frozenset(
    word
    for line in (
        "a an the is are was were be been being has have had do does did will shall would to of in on at by for",
        "from with as and or but it its that this these those his her hers their he she they he him them who",
        "whose there then now here into out up down over no not never nobody nothing longer any some all",
    )
    for word in line.split()
)
_HERO_WORDS: Final = frozenset(("i", "me", "my", "you", "your"))
_NEGATION: Final = re.compile(r"\b(?:not|never|no|nobody|nothing|cannot)\b|n['’]t\b", re.IGNORECASE)
_PRONOUN: Final = re.compile(
    r"\b(?:he|she|it|they|him|her|hers|his|its|them|their|who|which)\b", re.IGNORECASE
)
"""Words for what an earlier sentence names."""
_OBJECT_PRONOUN: Final = re.compile(r"\b(?:it|them)\b", re.IGNORECASE)
_WAY: Final = (
    r"\b(?i:along|across|over|onto|into|through|on|under|up|down|around)\s+"
    r"(?i:the|an?|th(?:is|at)|my|your|his|her|its|our|their)\s+(?:[^\W\d_A-Z][\w-]*\s+)*?"
)
"""What stands before a common noun that names where somebody goes: `along the frozen`."""
_WORD_FAMILIES: Final = (
    "dead die died dies dying death kill kills killed killing slain slay slays slew murder murdered corpse body",
    "own owns owned belong belongs give gives gave given hand hands handed take takes took taken receive receives",
    "promise promises promised swear swears swore sworn vow vows vowed pledge pledges pledged oath word",
    "wound wounds wounded hurt hurts bleed bleeds bled injured",
)
"""Words that tell of one thing: the record says `died` where the story says `killed`."""
_FAMILY_BY_WORD: Final = {
    word: str(number) for number, words in enumerate(_WORD_FAMILIES) for word in words.split()
}


def supports_statement(text: str, statement: str, hero_name: str = "") -> bool:
    """Say whether a turn's text supports a statement; `hero_name` is who `I` and `you` are in the text."""
    if not normalize_statement(statement):
        return False
    if f" {normalize_statement(statement)} " in f" {normalize_statement(text)} ":
        return True
    names = _find_names(statement)
    if not all(_is_meant(text, name, hero_name) for name in names):
        return False
    name_words = {word for name in names for word in _words_of(name)}
    content_words = [_root(w) for w in _words_of(statement) if w not in name_words and w not in _SMALL_WORDS]
    if not content_words:
        return bool(names)
    is_denial = _NEGATION.search(statement) is not None
    return any(
        _has_all(sentence, content_words)
        and not sentence.rstrip('"”’») ').endswith("?")
        and (_NEGATION.search(sentence) is not None) is is_denial
        and (_PRONOUN.search(sentence) or all(_is_meant(sentence, name, hero_name) for name in names))
        for sentence in split_sentences(text)
    )


def mentions_person(text: str, name: str) -> bool:
    """Say whether a text has the name of somebody, and not only of a place to go that is called as they are."""
    last_word = (_WORD.findall(name) or [""])[-1].lower()
    return mentions_name(re.sub(rf"{_WAY}{re.escape(last_word)}\b", " ", text), name)


def mentions_name(text: str, name: str) -> bool:
    """Say whether a text has a name: whole, its last word, or another of its words as a name is written."""
    text_words = {_without_genitive(w) for w in _WORD.findall(text)}
    name_words = [_without_genitive(w) for w in _WORD.findall(name)]
    if not name_words:
        return False
    return name_words[-1].casefold() in {w.casefold() for w in text_words} or any(
        word in text_words for word in name_words[:-1] if word.casefold() not in _SMALL_WORDS
    )


def _find_names(statement: str) -> list[str]:
    """Return the names in a statement: words with capitals, one behind the other."""
    spans = (" ".join(match.split()) for match in _NAME.findall(statement))
    names = (re.sub(r"^(?:The|A|An)\s+", "", span) for span in spans)
    return [n for n in names if n.casefold() not in _SMALL_WORDS]


def _has_all(sentence: str, roots: Sequence[str]) -> bool:
    """Say whether a sentence has all words of a statement; `it` and `them` may stand for the last of several."""
    missing_roots = set(roots) - _roots_of(sentence)
    is_replaced = (
        len(roots) > 1 and missing_roots == {roots[-1]} and _OBJECT_PRONOUN.search(sentence) is not None
    )
    return is_replaced or not missing_roots


def _is_meant(text: str, name: str, hero_name: str) -> bool:
    is_of_hero = mentions_name(hero_name, name) and not _HERO_WORDS.isdisjoint(_words_of(text))
    return is_of_hero or mentions_name(text, name)


def _words_of(text: str) -> list[str]:
    return [_without_genitive(word.casefold()) for word in _WORD.findall(text)]


def _roots_of(text: str) -> set[str]:
    return {_root(word) for word in _words_of(text)}


def _root(word: str) -> str:
    return _FAMILY_BY_WORD.get(word) or stem(present_of_past(word))


def _without_genitive(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)
