"""Reads comparisons: `a head taller than Dob`, `the eldest of the king's children`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.claims import Claim
from agents.canon_keeper.sentences.noun_phrases import NounPhrase, read_noun_phrase
from agents.canon_keeper.sentences.tokens import Token

_IRREGULAR_COMPARATIVES: Final = {
    "elder": "old", "better": "good", "worse": "bad", "further": "far", "farther": "far", "eldest": "old",
    "best": "good", "worst": "bad", "less": "little", "drier": "dry",
}  # fmt: skip
_OPPOSITE_ADJECTIVES: Final = {
    "young": "old", "short": "tall", "small": "big", "little": "big", "large": "big", "weak": "strong",
    "poor": "rich", "slow": "fast", "new": "old", "bad": "good", "light": "heavy", "narrow": "wide", "low": "high",
    "shallow": "deep", "cold": "hot", "foolish": "wise",
}  # fmt: skip


def read_comparison(subject: NounPhrase, tail: Sequence[Token], words: list[str]) -> Claim | None:
    """Read `a head taller than Dob`, `the eldest of the king's children`."""
    if "than" in words:
        index = words.index("than")
        other = read_noun_phrase(tail[index + 1 :], subject)
        word = words[index - 1] if index else ""
        adjective = _base_adjective(word, "er")
        if index > 1 and words[index - 2] in ("more", "less"):
            adjective = word
        if other is None or not adjective or words[0] in ("no", "not") or other.number is not None:
            return None
        is_less = index > 1 and words[index - 2] == "less"
        opposite = _OPPOSITE_ADJECTIVES.get(adjective)
        if (opposite is not None) is not is_less:
            return Claim(f"more:{opposite or adjective}", other, subject)
        return Claim(f"more:{adjective}", subject, other)
    superlative = next((n for n, w in enumerate(words[:3]) if _base_adjective(w, "est")), None)
    if superlative is not None and (words[0] == "the" or (tail[0].entity and words[1] == "'s")):
        adjective = _base_adjective(words[superlative], "est")
        if superlative and words[superlative - 1] in ("second", "third", "next", "youngest"):
            return None
        rest = tail[superlative + 1 :]
        if rest and rest[0].word == "of":
            rest = rest[1:]
        among = read_noun_phrase(rest, subject) if rest else None
        owner = read_noun_phrase(tail[:1], subject) if words[0] != "the" else None
        if among is not None and owner is not None:
            among = replace(among, owner=owner)
        if among is None:
            return None
        return Claim(f"most:{adjective}", subject, among)
    return None


def _base_adjective(word: str, ending: str) -> str:
    """Return the adjective of `taller` or `tallest`; empty if the word is none."""
    if word in _IRREGULAR_COMPARATIVES and (word.endswith(ending[-2:]) or word in ("less", "worst", "best")):
        return _IRREGULAR_COMPARATIVES[word]
    if not word.endswith(ending) or len(word) < len(ending) + 3:
        return ""
    base = word[: -len(ending)]
    if base.endswith("i"):
        return base[:-1] + "y"
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls":
        return base[:-1]
    known_with_e = {
        "larg": "large",
        "wis": "wise",
        "brav": "brave",
        "strang": "strange",
        "fierc": "fierce",
        "wid": "wide",
        "nobl": "noble",
        "saf": "safe",
        "lat": "late",
    }
    return known_with_e.get(base, base)
