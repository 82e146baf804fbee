"""Finds whether a line that says who somebody is says that they are dead: `her brother, killed on the pass`. Pure."""

from __future__ import annotations

import re
from typing import Final

_KIN: Final = (
    r"(?:brother|sister|sibling|twin|mother|father|parent|son|daughter|child|husband|wife|spouse|uncle|aunt|cousin|"
    r"nephew|niece|grand\w+|friend|lover|mentor|master|mistress|captain|king|queen|partner|comrade|rival)"
)
_AGO: Final = r"(?:years?|winters?|summers?|springs?|autumns?|months?|weeks?|nights?|days?)"
_BEGINS: Final = r"(?:^|[,;:(—–-])\s*(?:(?:since|already|now|long)\s+)*"
_DEAD: Final = re.compile(
    rf"\b(?:dead|late|deceased|drowned|murdered|slain|departed)\s+(?:\w+\s+)?{_KIN}\b|"
    rf"(?:{_BEGINS}|\b(?:is|who|and|now|since|already|long)\s+)(?:long\s+)?(?:dead|deceased|died|perished)\b"
    r"(?!\s+(?:drunk|serious|set|calm|tired|end|certain|keen|against))|"
    rf"(?:{_BEGINS}|\b(?:was|were|been|got)\s+)(?:drowned|killed|murdered|slain|executed|hanged|buried)\b"
    rf"(?=\s*(?:[,.;:)]|$|(?:by|in|at|on|when|last|before|during|long|with|for|and|the)\b|\w+\s+{_AGO}\b|{_AGO}\b))|"
    rf"\blost\s+(?:at\s+sea\b|[^,;.]{{0,40}}\b{_AGO}\s+ago\b)|\bhas\s+been\s+dead\b|\bpassed\s+away\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:not|never|nearly|almost|half|believed|presumed|supposed|thought|said|rumou?red|feared|maybe|perhaps|if|"
    r"undead|ghost|spirit|revenant|speaks|talks|says)\b|n['’]t\b|\?",
    re.IGNORECASE,
)


def describes_dead(description: str) -> bool:
    """Return whether a description plainly says that whom it describes is dead."""
    return _DEAD.search(description) is not None and _UNSURE.search(description) is None
