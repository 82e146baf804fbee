"""Reads from words who gives a thing away or puts it somewhere: `Dob hands the bell to Vess`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.names import any_name_pattern
from agents.prose.unsaid_hero import add_hero
from agents.prose.words import split_sentences

GIVING_VERBS: Final = (
    "give gives gave", "hand hands handed", "pass passes passed", "lend lends lent", "toss tosses tossed",
    "throw throws threw", "slip slips slipped", "bring brings brought", "sell sells sold", "return returns returned",
)  # fmt: skip
"""Each as `base third-person past`."""
LEAVING_VERBS: Final = ("leave leaves left",)
ENTRUSTING_VERBS: Final = (*LEAVING_VERBS, "entrust entrusts entrusted")
LAYING_VERBS: Final = ("put puts put", "lay lays laid")
PUTTING_VERBS: Final = (
    *LEAVING_VERBS, *LAYING_VERBS, "hide hides hid", "place places placed", "lock locks locked", "stow stows stowed",
    "bury buries buried",
)  # fmt: skip

_GIVES_AWAY: Final = (
    r"(?:(?:now|then|also|finally|\w+ly) )?(?:"
    + "|".join(
        form
        for forms in (*GIVING_VERBS, "deliver delivers delivered", *ENTRUSTING_VERBS, *PUTTING_VERBS)
        for form in forms.split()
    )
    + r")\b"
)
_LEAD_IN: Final = r"(?:(?i:now|then|so|finally|at last),? )?"


def gives_away(quote: str, text: str, names: Sequence[str], *, is_hero: bool, is_gm: bool) -> bool:
    """Say whether somebody of these names gives a thing away in words that a text has.

    Words without a subject have that of their sentence: `hands it to Vess` of `Dob nods and hands it to Vess`.
    `is_hero`: `I` means them, too, and in words of the GM `you`.
    """
    hero = r"|\b(?:I|[Yy]ou)\b" if is_gm else r"|\bI\b"
    who = rf"(?:{any_name_pattern(names)}{hero if is_hero else ''})"
    with_subject = quote if is_gm else add_hero(quote)
    if re.match(rf"{_LEAD_IN}{who} {_GIVES_AWAY}", with_subject):
        return True
    if not re.match(_GIVES_AWAY, quote):
        return False
    sentence = next((s for s in split_sentences(text) if quote in s), "")
    is_of_another = f"who {quote}" in sentence  # `Dob nods at Wick, who hands it to Vess`
    subject = re.match(rf"{_LEAD_IN}{who} ", sentence if is_gm else add_hero(sentence))
    return subject is not None and not is_of_another
