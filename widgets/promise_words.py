"""Puts what is promised before who promised it: in a narrow row, that is what tells two promises apart."""

from __future__ import annotations

import re
from typing import Final

PROMISE_LABEL: Final = "promise"
"""How the rows of promises are labelled."""

_PROMISED: Final = re.compile(
    r"(?P<who>[^“]+?) promised(?: (?P<to>[^\W\d_a-z][^“:]*?))?(?::| (?=(?:to|that|never|not)\b)) ?(?P<words>\S.*)",
    re.DOTALL,
)


def put_promise_first(title: str) -> str:
    """Return `“I'll wait.” (Mara, to Tam)` for `Mara promised Tam: “I'll wait.”`; another title as it is."""
    match = _PROMISED.fullmatch(title)
    if match is None:
        return title
    to_whom = f", to {match['to']}" if match["to"] else ""
    return f"{match['words']} ({match['who']}{to_whom})"
