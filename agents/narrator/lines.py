"""What lines and veils bar, read from the GM's own words, and where prose crosses one. Pure.

`Lines: spiders, harm to children. Veils: torture` bars two things and puts a third out of sight; without a
word before them, all are lines. Source: design/product.md (tone, lines and veils are respected).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.narrator.speech import sentences

MOST: Final = 60
"""Lines and veils that are read."""

_HEAD = re.compile(
    r"\b(lines?|veils?|never|hard limits?|off[- ]screen|fade to black(?: on| for)?)\s*[:=]", re.I
)
_PARTS = re.compile(r"[,;\n/•]|(?<=\w)\.\s|\band\b|\bor\b")
_VEILED = re.compile(r"\b(?:off[- ]?screen|out of sight|fade to black|behind the curtain|veiled)\b", re.I)
_DROPPED = frozenset(
    {
        *(
            "no",
            "not",
            "never",
            "any",
            "all",
            "of",
            "the",
            "a",
            "an",
            "on",
            "for",
            "to",
            "in",
            "with",
            "without",
        ),
        *(
            "please",
            "graphic",
            "explicit",
            "detailed",
            "described",
            "descriptions",
            "description",
            "depictions",
        ),
        *(
            "depiction",
            "scenes",
            "scene",
            "content",
            "details",
            "detail",
            "is",
            "are",
            "kept",
            "off",
            "screen",
        ),
        *("offscreen", "out", "sight", "fade", "black", "behind", "curtain", "veiled"),
    }
)
_NONE = frozenset({"none", "nothing", "n", "na", "-"})
_NEGATED = re.compile(r"\b(?:no|not|without|never|free of|nor)\b(?:\W+\w+){0,2}\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Barred:
    """`words` as the GM has them; `stems` of those that count; `veil`: only out of sight, not never."""

    words: str
    stems: tuple[str, ...]
    veil: bool = False


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where prose does it: `plain` unless it only denies it, veils it, or has the words apart."""

    barred: Barred
    sentence: str
    plain: bool


def barred_by(text: str) -> tuple[Barred, ...]:
    """Return what is barred."""
    found: list[Barred] = []
    heads = list(_HEAD.finditer(text))
    starts = [(0, heads[0].start() if heads else len(text), False)]
    for n, head in enumerate(heads):
        end = heads[n + 1].start() if n + 1 < len(heads) else len(text)
        starts.append((head.end(), end, head[1].casefold().startswith(("veil", "off", "fade"))))
    for start, end, veil in starts:
        for part in _PARTS.split(text[start:end]):
            words = " ".join(part.strip(" .!-").split())
            stems = tuple(stem(w) for w in re.findall(r"[^\W\d_]+", words.casefold()) if w not in _DROPPED)
            if stems and words.casefold() not in _NONE and len(stems) <= 6:
                found.append(Barred(words, stems, veil or _VEILED.search(words) is not None))
    return tuple(found[:MOST])


def crossings(text: str, barred: tuple[Barred, ...]) -> Iterator[Crossing]:
    """Yield each thing barred that the prose has, once."""
    said = [
        (s, [(stem(m[0].casefold()), m.start()) for m in re.finditer(r"[^\W\d_]+", s)])
        for s in sentences(text)
    ]
    for line in barred:
        for sentence, stems in said:
            at = dict(reversed(stems))
            if not all(stem in at for stem in line.stems):
                continue
            first = min(at[stem] for stem in line.stems)
            denied = _NEGATED.search(sentence[:first]) is not None
            apart = len(line.stems) > 1 and not _together(stems, line.stems)
            yield Crossing(line, sentence, plain=not (denied or apart or line.veil))
            break


def _together(stems: list[tuple[str, int]], wanted: tuple[str, ...]) -> bool:
    words = [stem for stem, _ in stems if stem not in _DROPPED]
    return any(tuple(words[n : n + len(wanted)]) == wanted for n in range(len(words)))


def stem(word: str) -> str:
    """Return what is left of a word when its ending is off: `crosses` and `crossing` are `cross`."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word.removesuffix("e") if len(word) > 4 else word
