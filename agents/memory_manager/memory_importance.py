"""Measures how much something matters to a character and how it felt, by rules over small word lists.

Importance is the greatest that applies: the kind of fact, its predicate if the catalogue calls it critical,
and what the words mention (a death 0.9, a betrayal 0.8, a wound 0.6 ...); taking part adds 0.1. A turn
below MIN_TURN_IMPORTANCE leaves no memory of its own. Valence is the balance of good and bad words, from -1
to 1.
"""

from __future__ import annotations

import re
from typing import Final

from stores.records.canon import Fact, FactKind, Standing

MIN_TURN_IMPORTANCE: Final = 0.4
"""Importance from which a turn is remembered at all."""
DEFAULT_IMPORTANCE: Final = 0.2
"""Importance of a text without any word of the lists."""
PART_BONUS: Final = 0.1
"""The importance that taking part adds."""

_IMPORTANCE_WORDS: Final = (
    (0.9, r"dies|died|dead|death|dying|kill(?:s|ed|ing)?|slain|slay|murder\w*|corpse|body|funeral|buried"),
    (0.8, r"betray\w*|traitor|treason|deceiv\w*|lied|lies to|double-cross\w*"),
    (0.6, r"wound\w*|bleed\w*|blood|stab\w*|maimed|hurt|injur\w*|broken|burn(?:s|ed|t)|poison\w*"),
    (0.6, r"promis\w*|swear|swears|swore|sworn|oath|vow\w*|pledge\w*|owe[sd]?|debt"),
    (0.6, r"love[sd]?|kiss\w*|marr(?:y|ies|ied)|embrac\w*|confess\w*|secret\w*|reveal\w*"),
    (0.5, r"gives?|gave|gift|hands? (?:you|me|over|him|her|it)|offers?|steals?|stole|stolen|takes? the"),
    (0.5, r"attack\w*|fight\w*|fought|strikes?|struck|ambush\w*|flees?|fled|captur\w*|rescu\w*|saves?|saved"),
    (0.5, r"curse[sd]?|monster|dragon|demon|ghost|undead|magic|fire|flood|storm"),
    (0.4, r"warn\w*|threat\w*|insult\w*|angr\w*|weep\w*|cries|screams?|begs?|thank\w*|apolog\w*|forgiv\w*"),
    (0.4, r"discover\w*|finds?|found|hidden|treasure|map|key|letter|name is"),
)
_GOOD_WORDS: Final = re.compile(
    r"\b(?:love[sd]?|kiss\w*|embrac\w*|gift|gives?|gave|saves?|saved|rescu\w*|thank\w*|forgiv\w*|smil\w*|laugh\w*|"
    r"joy\w*|"
    r"heal\w*|friend\w*|all(?:y|ies)|promis\w*|free[ds]?|victor\w*|wins?|won|treasure|safe|kind\w*|help\w*)\b",
    re.IGNORECASE,
)
_BAD_WORDS: Final = re.compile(
    r"\b(?:dies|died|dead|death|kill\w*|slain|murder\w*|betray\w*|traitor|lied|lies to|wound\w*|blood\w*|"
    r"bleed\w*|"
    r"stab\w*|hurt\w*|poison\w*|burn(?:s|ed|t)|attack\w*|ambush\w*|curse[sd]?|threat\w*|insult\w*|fear\w*|afraid|"
    r"scream\w*|weep\w*|steals?|stole|stolen|enem(?:y|ies)|lost|loses|fail\w*|captur\w*|corpse|hate[sd]?)\b",
    re.IGNORECASE,
)
_KIND_IMPORTANCE: Final = {
    FactKind.COMMITMENT: 0.7,
    FactKind.EVENT: 0.5,
    FactKind.CHANGE: 0.5,
    FactKind.RELATION: 0.5,
    FactKind.ENCOUNTER: 0.45,
    FactKind.ATTRIBUTE: 0.45,
    FactKind.ASSERTION: 0.45,
}
CRITICAL_IMPORTANCE: Final = 0.9
STATE_IMPORTANCE: Final = 0.4

_IMPORTANCE_PATTERNS: Final = tuple(
    (w, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for w, words in _IMPORTANCE_WORDS
)


def measure_importance(text: str) -> float:
    """Return the importance of a text, whoever hears it."""
    return max(
        (weight for weight, pattern in _IMPORTANCE_PATTERNS if pattern.search(text)),
        default=DEFAULT_IMPORTANCE,
    )


def measure_fact_importance(fact: Fact, is_critical: bool) -> float:
    """Return the importance of a fact: by its kind, its words and the catalogue."""
    if is_critical and fact.standing is Standing.TRUE:
        return CRITICAL_IMPORTANCE
    return max(_KIND_IMPORTANCE.get(fact.kind, STATE_IMPORTANCE), measure_importance(fact.statement))


def add_part_bonus(importance: float) -> float:
    """Return the importance for somebody who takes part."""
    return round(min(1.0, importance + PART_BONUS), 3)


def measure_valence(text: str) -> float:
    """Return the valence of a text: 1 if all feeling words are good, -1 if all are bad, 0 without any."""
    good_count, bad_count = len(_GOOD_WORDS.findall(text)), len(_BAD_WORDS.findall(text))
    return round((good_count - bad_count) / (good_count + bad_count), 2) if good_count or bad_count else 0.0
