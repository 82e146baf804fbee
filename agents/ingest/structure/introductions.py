"""Reads what a document says of whom it introduces, as in `**Berta Quill** - innkeeper of the Eel and Anchor`.

The words behind a name tell of what kind it is, and how it stands to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from agents.ingest.names.name_words import load_name_words
from agents.ingest.structure.markdown_blocks import plain_text
from agents.ingest.structure.rule_sentences import split_sentence_spans
from stores.records.world import EntityKind

_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_PHRASE_END: Final = re.compile(
    r"[,.;:!?()]|\s(?:of|who|whom|whose|which|that|with|without|in|at|on|from|by|for|to|near|under|and|is|was)\s"
)
"""Where the first words that say what somebody is end: before `of the Eel and Anchor`."""
_PERSONAL_SENTENCE: Final = re.compile(r"(?:^|[.!?]\s+)(?:He|She|His|Her)\s")
_MAX_HEAD_WORDS: Final = 6
_OPENING_PRONOUN: Final = re.compile(r"(?:He|She|They|It)\s+(?=[a-z])")
_COPULA: Final = re.compile(r"(?:is|was|are|were)\s+")
_APPOSITION: Final = re.compile(r"(?:^|,\s*)(?P<words>(?:an?\s+|the\s+)?[^,;]{3,80})")
_STANDING: Final = re.compile(
    r"(?:an?\s+|the\s+)?(?:[a-z]+\s+)?(?:enemy|rival|ally|friend|servant|member|part|daughter|son|child|father|mother|"
    r"parent|brother|sister|sibling|wife|husband|owner|ruler)\s+of\s+\S.*"
    r"|[A-Z][\w’' -]*?['’]s\s+(?:[a-z]+\s+)?(?:enemy|rival|ally|friend|servant|daughter|son|child|father|mother|parent|"
    r"brother|sister|wife|husband)\b.*"
)
_DEED: Final = re.compile(r"(?:still|also|now|secretly|always|once)?\s*[a-z]{3,}s\s")
"""`still owes Corvin 200 silver`, behind a comma."""
_LED_BY: Final = re.compile(r"(?<!\w)(?:led|ruled|governed|commanded)\s+by\s+(?P<name>[A-Z][^,.;:!?()]*)")
_WORSHIPS: Final = re.compile(r"(?<!\w)worships\s+(?P<name>(?:the\s+)?[A-Z][^,.;:!?()]*)")


class SaidSentence(NamedTuple):
    """A sentence of an introduction."""

    statement: str
    """As it is understood by itself: with the name where it says `he`."""
    quote: str
    """As it stands."""


class SaidRelation(NamedTuple):
    """How who is introduced stands to another, as it is written."""

    verb: str
    other: str
    is_reversed: bool = False
    """Whether it is the other of whom the verb is said: `led by X`."""


def is_proper_name(term: str) -> bool:
    """Return whether all words of a term have capitals, but those that join them."""
    words = [word for word in term.split() if word.casefold() not in ("of", "the", "and", "de", "von", "van")]
    return bool(words) and all(word[0].isupper() for word in words)


def kind_of_described(description: str, guess: EntityKind) -> EntityKind:
    """Return the kind that a description tells (`a town of reed cutters`); the guess if it tells none."""
    words = load_name_words()
    first = plain_text(description)
    head = _PHRASE_END.split(f"{_COPULA.sub('', first, count=1) if _COPULA.match(first) else first} ")[0]
    keys = [word.casefold() for word in _WORD.findall(head)]
    if 0 < len(keys) <= _MAX_HEAD_WORDS:
        forms = {keys[-1], keys[-1].removesuffix("s")}
        for kind, nouns in (
            (EntityKind.CHARACTER, words.person_nouns),
            (EntityKind.PLACE, words.place_words),
            (EntityKind.FACTION, words.faction_words),
            (EntityKind.OBJECT, words.object_words),
            (EntityKind.CREATURE, words.creature_words),
        ):
            if forms & nouns:
                return kind
    is_person = guess is EntityKind.CONCEPT and _PERSONAL_SENTENCE.search(first[:200])
    return EntityKind.CHARACTER if is_person else guess


def split_said(name: str, text: str, start: int, end: int) -> Iterator[SaidSentence]:
    """Yield the sentences of a stretch of text about `name`."""
    for first, last in split_sentence_spans(text, start, end):
        quote = text[first:last]
        words = plain_text(quote)
        if words:
            yield SaidSentence(_OPENING_PRONOUN.sub(lambda _: f"{name} ", words, count=1), quote)


def rephrase_standing(name: str, sentence: str) -> Iterator[str]:
    """Yield plain sentences for what stands beside a name: `Pip is Corvin's daughter` for `Corvin's daughter, ...`."""
    for match in _APPOSITION.finditer(sentence):
        words = match["words"].strip().rstrip(".")
        if _STANDING.fullmatch(words):
            yield f"{name} is {words}."
        elif match.start() and _DEED.match(words):
            yield f"{name} {words}."


def find_said_relations(sentence: str) -> Iterator[SaidRelation]:
    """Yield what is said of who leads somebody, and whom somebody worships."""
    for match in _LED_BY.finditer(sentence):
        yield SaidRelation("rules over", match["name"].strip(), is_reversed=True)
    for match in _WORSHIPS.finditer(sentence):
        yield SaidRelation("worships", match["name"].strip())
