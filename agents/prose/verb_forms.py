"""The forms in which a story is told: the present tense of a verb, and the past of one told in the past."""

from __future__ import annotations

import re
from typing import Final

_IRREGULAR_PASTS: Final = {
    "awake": "awoke", "bear": "bore", "beat": "beat", "become": "became", "begin": "began", "bend": "bent",
    "bid": "bade", "bind": "bound", "bite": "bit", "bleed": "bled", "blow": "blew", "break": "broke",
    "bring": "brought", "build": "built", "burst": "burst", "buy": "bought", "cast": "cast", "catch": "caught",
    "choose": "chose", "come": "came", "cost": "cost", "creep": "crept", "cut": "cut", "deal": "dealt", "dig": "dug",
    "dive": "dived", "draw": "drew", "drink": "drank", "drive": "drove", "eat": "ate", "fall": "fell",
    "feed": "fed", "feel": "felt", "fight": "fought", "find": "found", "flee": "fled", "fling": "flung",
    "fly": "flew", "forget": "forgot", "freeze": "froze", "get": "got", "give": "gave", "go": "went",
    "grind": "ground", "grow": "grew", "hang": "hung", "have": "had", "hear": "heard", "hide": "hid",
    "hit": "hit", "hold": "held", "keep": "kept", "kneel": "knelt", "know": "knew", "lay": "laid",
    "lead": "led", "lean": "leaned", "leave": "left", "lend": "lent", "let": "let", "lie": "lay",
    "light": "lit", "lose": "lost", "make": "made", "meet": "met", "pay": "paid", "put": "put", "quit": "quit",
    "read": "read", "rend": "rent", "ride": "rode", "ring": "rang", "rise": "rose", "run": "ran", "say": "said",
    "see": "saw", "seize": "seized", "sell": "sold", "send": "sent", "set": "set", "shake": "shook",
    "shoot": "shot", "show": "showed", "shrink": "shrank", "shut": "shut", "sing": "sang", "sink": "sank",
    "sit": "sat", "slay": "slew", "sleep": "slept", "slide": "slid", "sling": "slung", "slink": "slunk", "slit": "slit",
    "speak": "spoke", "speed": "sped", "spend": "spent", "spin": "spun", "spit": "spat", "split": "split",
    "spread": "spread", "spring": "sprang", "stand": "stood", "steal": "stole", "stick": "stuck", "stride": "strode",
    "strike": "struck", "string": "strung", "strive": "strove", "swear": "swore", "sweep": "swept",
    "swell": "swelled", "swim": "swam", "swing": "swung", "take": "took", "teach": "taught", "tear": "tore",
    "tread": "trod", "tell": "told", "think": "thought", "throw": "threw", "thrust": "thrust",
    "understand": "understood", "overtake": "overtook", "wake": "woke", "wear": "wore", "weep": "wept",
    "win": "won", "wind": "wound", "withdraw": "withdrew", "wring": "wrung", "write": "wrote",
}  # fmt: skip
IRREGULAR_VERBS: Final = frozenset(_IRREGULAR_PASTS)
_VERB_BY_PAST: Final = {past: verb for verb, past in _IRREGULAR_PASTS.items()}
_DOUBLED_THOUGH_LONG: Final = frozenset({"admit", "expel", "regret", "commit", "compel", "occur", "refer"})
"""Verbs of several syllables with the stress on the last, whose consonant is doubled."""


def present_forms(verb: str) -> str:
    """Return a pattern for a verb with and without the ending of the third person."""
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}(?:y|ies)"
    return f"{verb}(?:es)?" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else f"{verb}s?"


def past_form(verb: str) -> str:
    """Return the simple past of a verb: `came`, `slipped`, `hurried`."""
    if verb in _IRREGULAR_PASTS:
        return _IRREGULAR_PASTS[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    is_doubled = verb in _DOUBLED_THOUGH_LONG or re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb)
    return f"{verb}{verb[-1]}ed" if is_doubled else f"{verb}ed"


def present_of_past(word: str) -> str:
    """Return the verb of an irregular past: `sell` for `sold`; any other word as it is."""
    return _VERB_BY_PAST.get(word, word)


PAST_VERB: Final = re.compile(
    rf"(?:was|were|[a-z]+ed|{'|'.join(sorted({p for v, p in _IRREGULAR_PASTS.items() if p != v}))})\b"
)
"""A verb in the past, by its form."""
