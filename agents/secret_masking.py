"""Masks secrets in text that is shown or logged: by their form, and by value where values are known."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMED_SECRET = re.compile(
    r"(?i)((?:api[_-]?key|token|password|secret|authorization)\W{1,4})(?:bearer\s+)?[^\s,'\"]+"
)
_BARE_SECRET = re.compile(r"\b(?:(?:sk|pk|key)-[A-Za-z0-9_-]{12,}|AIza[A-Za-z0-9_-]{20,})")
_REPORTED_INPUT = re.compile(r"(input_value=)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,\]\n]*)")
"""What pydantic quotes of a value that it refuses: a key that was typed into the wrong place, for one."""
_SECRET_VARIABLE = re.compile(r"(?i)key|token|secret|password|credential")
_MIN_SECRET_LENGTH = 6
"""Characters. A shorter value (`none`, `1`) is no secret, and masking it would mask plain words."""


def mask_secrets(text: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `***`."""
    text = _REPORTED_INPUT.sub(r"\1***", text)
    return _BARE_SECRET.sub("***", _NAMED_SECRET.sub(r"\1***", text))


def mask_known_secrets(text: str, environ: Mapping[str, str]) -> str:
    """Also mask the values of all variables whose names suggest secrets."""
    values = {value for name, value in environ.items() if _SECRET_VARIABLE.search(name)}
    for value in sorted((v for v in values if len(v) >= _MIN_SECRET_LENGTH), key=len, reverse=True):
        text = text.replace(value, "***")
    return mask_secrets(text)
