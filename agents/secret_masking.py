"""Secrets struck out of words that go anywhere. By looks, and by value where values are known."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMED = re.compile(
    r"(?i)((?:api[_-]?key|token|password|secret|authorization)\W{1,4})(?:bearer\s+)?[^\s,'\"]+"
)
_BARE = re.compile(r"\b(?:sk|pk|key)-[A-Za-z0-9_-]{12,}")
_HOLDS_SECRET = re.compile(r"(?i)key|token|secret|password|credential")
_SHORTEST = 6
"""Characters. A shorter value (`none`, `1`) is no secret, and striking it would strike plain words."""


def strike(text: str) -> str:
    """Return `text` with what looks like a secret replaced by `***`."""
    return _BARE.sub("***", _NAMED.sub(r"\1***", text))


def strike_known(text: str, environ: Mapping[str, str]) -> str:
    """Also strike the values of all variables that are named like secrets."""
    values = {value for name, value in environ.items() if _HOLDS_SECRET.search(name)}
    for value in sorted((v for v in values if len(v) >= _SHORTEST), key=len, reverse=True):
        text = text.replace(value, "***")
    return strike(text)
