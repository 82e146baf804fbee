"""Finds names in prose by rules, without a model: capitalised spans with honorifics and joining words.

A capital at the start of a sentence proves nothing: such a word is a name only if the text capitalises it
elsewhere too, if it speaks or acts as people do, or if a title precedes it. On the proper names of LitBank
these rules do better than a small trained model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from stores.records.world import Entity

MOST_WORDS: Final = 6
"""Words of one name."""
MOST_CHARS: Final = 80
"""Characters of one name."""

MOST_TEXT: Final = 20_000
"""Characters of a text that are read."""

HONORIFICS: Final = frozenset(
    {
        *("mr", "mrs", "ms", "miss", "dr", "doctor", "sir", "dame", "lady", "lord", "madam", "master"),
        *(
            "mistress",
            "captain",
            "sergeant",
            "lieutenant",
            "colonel",
            "general",
            "major",
            "admiral",
            "father",
        ),
        *("mother", "brother", "sister", "uncle", "aunt", "king", "queen", "prince", "princess", "duke"),
        *(
            "duchess",
            "baron",
            "baroness",
            "count",
            "countess",
            "earl",
            "saint",
            "st",
            "professor",
            "reverend",
        ),
        *("bishop", "abbot", "abbess", "judge", "old", "young", "goodman", "goodwife", "magister", "warden"),
    }
)
"""Titles: part of a name when they precede one, and no name alone."""

_PLAIN: Final = frozenset(
    {
        *("i", "a", "an", "the", "and", "or", "but", "nor", "so", "yet", "for", "if", "then", "than", "that"),
        *("this", "these", "those", "there", "here", "where", "when", "while", "why", "what", "which", "who"),
        *("whom", "whose", "how", "he", "she", "it", "we", "you", "they", "me", "him", "her", "us", "them"),
        *("my", "your", "his", "its", "our", "their", "mine", "yours", "hers", "ours", "theirs", "as", "at"),
        *(
            "by",
            "from",
            "in",
            "into",
            "of",
            "off",
            "on",
            "onto",
            "out",
            "over",
            "under",
            "up",
            "upon",
            "with",
        ),
        *("without", "within", "through", "across", "after", "before", "behind", "beneath", "beside"),
        *("between", "beyond", "above", "below", "against", "along", "among", "around", "near", "past"),
        *("toward", "towards", "until", "till", "since", "though", "although", "because", "unless", "to"),
        *("no", "not", "yes", "oh", "ah", "well", "now", "once", "again", "still", "just", "only", "even"),
        *("all", "any", "both", "each", "every", "either", "neither", "some", "many", "more", "most", "much"),
        *("few", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first"),
        *("last", "next", "another", "other", "such", "same", "is", "are", "was", "were", "be", "been", "am"),
        *("do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "shall", "should"),
        *("may", "might", "must", "let", "look", "come", "go", "wait", "stop", "listen", "take", "give"),
        *("tell", "ask", "say", "see", "hear", "get", "keep", "leave", "run", "sit", "stand", "please"),
        *("thank", "thanks", "sorry", "hello", "good", "never", "always", "maybe", "perhaps", "today"),
        *("tonight", "tomorrow", "yesterday", "nobody", "nothing", "someone", "somebody", "something"),
        *("everyone", "everything", "anyone", "anything", "somewhere", "nowhere", "everywhere", "like"),
        *("gm", "npc", "pc", "hp", "god", "gods", "ok", "okay", "dear", "damn", "hush", "aye", "nay"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "english"),
    }
)
"""Words that are no name when capitalised, and no part of one at the start of a sentence."""

_NAME_PARTICLES: Final = frozenset({"the", "of", "and", "a", "an", "in", "de", "von", "van", "la", "le"})
"""Words inside names that do not stand for somebody alone."""


_JOINS: Final = frozenset(
    {"of", "the", "de", "del", "della", "di", "da", "du", "la", "le", "von", "van", "der"}
)
"""Words that join the parts of one name."""

_DOES: Final = re.compile(
    r"\s+(?:says?|said|asks?|asked|nods?|nodded|shakes?|shook|smiles?|smiled|laughs?|laughed|looks?|looked|"
    r"turns?|turned|steps?|stepped|stands?|stood|grins?|grinned|shrugs?|shrugged|sighs?|sighed|whispers?|"
    r"whispered|mutters?|muttered|shouts?|shouted|answers?|answered|replies|replied|points?|pointed|frowns?|"
    r"frowned|leans?|leaned|walks?|walked|draws?|drew|raises?|raised|stares?|stared|waits?|waited|kneels?|"
    r"knelt|hands?|handed|gives?|gave|takes?|took|tells?|told|calls?|called|comes?|came|goes|went|dies|died)\b"
)
"""Verbs of people, after a name."""
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_ENDS = re.compile(r"[.!?…:;\n“”\"‘«»*_>(\[]|--|—|–")
"""Between two words: the second one begins a sentence or a speech."""
_PARTS = re.compile(r"\s+|\.\s+")
"""Between two words of one name: a blank, or the full stop of a title (`Dr. Hale`)."""
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Span:
    """A name in a text, from `start` to `end` (characters)."""

    name: str
    start: int
    end: int


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a text, each once, in order of appearance."""
    return tuple(dict.fromkeys(span.name for span in spans_in(text)))


def spans_in(text: str) -> list[Span]:
    """Return every place where a name stands."""
    text = text[:MOST_TEXT]
    runs = list(_runs(text))
    inside = {word.casefold() for run in runs for word in _sure(run)}
    return [span for run in runs if (span := _span(text, run, inside)) is not None]


def is_titled(name: str) -> bool:
    """Return whether a name begins with a title."""
    return name.partition(" ")[0].rstrip(".").casefold() in HONORIFICS


@dataclass(frozen=True, slots=True)
class _Run:
    """Capitalised words that stand together."""

    words: list[re.Match[str]]
    opens: bool
    """Whether the first word begins a sentence."""


def _runs(text: str) -> Iterator[_Run]:
    run: list[re.Match[str]] = []
    opens, end = True, 0
    joins: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        between = text[end : word.start()]
        begins = end == 0 or _ENDS.search(between) is not None
        titled = bool(run) and run[-1][0].casefold() in HONORIFICS and between.strip() == "."
        apart = not _PARTS.fullmatch(between) or (begins and not titled)
        end = word.end()
        if run and (apart or len(run) + len(joins) >= MOST_WORDS or _POSSESSIVE.search(run[-1][0])):
            yield _Run(run, opens)
            run, joins = [], []
        if word[0][0].isupper():
            if not run:
                opens = begins
            run += [*joins, word]
            joins = []
        elif run and word[0] in _JOINS and len(joins) < 2:
            joins.append(word)
        elif run:
            yield _Run(run, opens)
            run, joins = [], []
    if run:
        yield _Run(run, opens)


def _sure(run: _Run) -> Iterator[str]:
    """Yield the words that are capitalised for their own sake, and not because a sentence begins."""
    for word in run.words[1 if run.opens else 0 :]:
        bare = _POSSESSIVE.sub("", word[0])
        if bare[0].isupper() and bare.casefold() not in _PLAIN and not _shouted(bare):
            yield bare


def _span(text: str, run: _Run, inside: set[str]) -> Span | None:
    words = list(run.words)
    if run.opens and len(words) > 1 and (_is_plain(words[0][0]) or words[0][0].endswith("ly")):
        words, opens = words[1:], False
    else:
        opens = run.opens
    while words and (_is_plain(words[0][0]) or words[0][0] in _JOINS):
        words = words[1:]
    while words and _is_plain(words[-1][0]):
        words = words[:-1]
    bare = [_POSSESSIVE.sub("", w[0]) for w in words]
    if not words or all(w.casefold() in HONORIFICS or _shouted(w) for w in bare):
        return None
    if opens and len(words) == 1 and bare[0].casefold() not in inside:
        own = _POSSESSIVE.search(words[0][0]) is not None and len(bare[0]) > 2
        if not (_DOES.match(text, words[0].end()) or own) or bare[0].casefold().endswith(("ing", "ly")):
            return None
    start, end = words[0].start(), words[-1].start() + len(bare[-1])
    name = " ".join(text[start:end].split())
    return Span(name, start, end) if len(name) <= MOST_CHARS else None


def _is_plain(word: str) -> bool:
    bare = word.replace("’", "'").partition("'")[0]
    return bare.casefold() in _PLAIN or word.casefold() in _PLAIN


def _shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def names_of(entity: Entity) -> tuple[str, ...]:
    """Return what prose may call somebody: name, aliases, and the parts of the name that stand for it."""
    parts = [
        word
        for word in entity.name.split()
        if len(word) > 2 and word[0].isupper() and word.casefold() not in HONORIFICS | _NAME_PARTICLES
    ]
    return tuple(dict.fromkeys((entity.name, *entity.aliases, *parts)))


def any_name_pattern(names: Iterable[str]) -> str:
    """Return a pattern that matches any of the names as whole words, the longest first."""
    ordered = sorted({name for name in names if name.strip()}, key=len, reverse=True)
    return "(?:" + "|".join(rf"\b{re.escape(name)}\b" for name in ordered) + ")" if ordered else r"(?!)"
