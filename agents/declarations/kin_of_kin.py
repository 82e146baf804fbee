"""Says in one word who a relative's relative is: `Anselm is my mother's brother` is `Anselm is my uncle`. Pure."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

_PARENTS: Final = ("mother", "father")
_SIBLINGS: Final = ("brother", "sister")
_KIN: Final = {
    **dict.fromkeys(product(_PARENTS, ["brother"]), "uncle"),
    **dict.fromkeys(product(_PARENTS, ["sister"]), "aunt"),
    **dict.fromkeys(product(_PARENTS, ["mother"]), "grandmother"),
    **dict.fromkeys(product(_PARENTS, ["father"]), "grandfather"),
    **dict.fromkeys(product(_PARENTS, ["nephew", "niece"]), "cousin"),
    **dict.fromkeys(product(["uncle", "aunt"], ["son", "daughter", "child"]), "cousin"),
    **dict.fromkeys(product(_SIBLINGS, ["son"]), "nephew"),
    **dict.fromkeys(product(_SIBLINGS, ["daughter"]), "niece"),
    **dict.fromkeys(product(["son", "daughter"], ["son"]), "grandson"),
    **dict.fromkeys(product(["son", "daughter"], ["daughter"]), "granddaughter"),
}
"""Who somebody's relative's relative is to them, where there is but one word for it."""
_WORDS: Final = "|".join(sorted({word for pair in _KIN for word in pair}))
_AGE: Final = r"(?:(?:elder|eldest|older|oldest|young|younger|youngest|little|big|only|late|dear|twin)\s+)?"
_IS: Final = r"(?P<is>\b(?:am|is|was)\s+)"
_OWNER: Final = r"(?:my|his|her|their|your|our|[^\W\d_a-z][\w-]*(?: [^\W\d_a-z][\w-]*)*['’]s?)"
_RELATIVE: Final = rf"(?P<owner>{_OWNER})\s+{_AGE}(?P<relative>{_WORDS})"
_KIN_OF_KIN: Final = (
    re.compile(rf"{_IS}{_RELATIVE}['’]s\s+{_AGE}(?P<kin>{_WORDS})(?=$|,)"),
    re.compile(rf"{_IS}(?:the|an?)\s+{_AGE}(?P<kin>{_WORDS})\s+of\s+{_RELATIVE}(?=$|,)"),
)


def name_kin_of_kin(sentence: str) -> str:
    """Return a sentence with the word for a relative's relative that somebody is, if there is one."""
    for pattern in _KIN_OF_KIN:
        match = pattern.search(sentence)
        kin = _KIN.get((match["relative"], match["kin"])) if match else None
        if match and kin:
            return f"{sentence[: match.start()]}{match['is']}{match['owner']} {kin}{sentence[match.end() :]}"
    return sentence
