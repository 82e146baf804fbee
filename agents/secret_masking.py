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


_MIN_MASKED_LENGTH = 12
"""Characters of a secret that is masked in a story. A shorter value may be a word that somebody says."""


def is_secret_variable(name: str) -> bool:
    """Return whether the name of an environment variable suggests a secret."""
    return _SECRET_VARIABLE.search(name) is not None


class StreamMask:
    """Masks the secrets of an environment in text that comes in pieces: one may be cut anywhere."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        values = {value for name, value in environ.items() if is_secret_variable(name)}
        self._secrets = sorted((v for v in values if len(v) >= _MIN_MASKED_LENGTH), key=len, reverse=True)
        self._held_text = ""

    def mask(self, text: str) -> str:
        """Return the text so far that is not the beginning of a secret."""
        self._held_text += text
        for secret in self._secrets:
            self._held_text = self._held_text.replace(secret, "***")
        held_length = max((_overlap(self._held_text, secret) for secret in self._secrets), default=0)
        cut = len(self._held_text) - held_length
        masked_text, self._held_text = self._held_text[:cut], self._held_text[cut:]
        return masked_text

    def flush(self) -> str:
        """Return what was held back, at the end of the text."""
        held_text, self._held_text = self._held_text, ""
        return held_text


def _overlap(text: str, secret: str) -> int:
    """Return how many characters at the end of `text` are the beginning of `secret`."""
    lengths = range(min(len(text), len(secret) - 1), 0, -1)
    return next((length for length in lengths if secret.startswith(text[-length:])), 0)


def mask_secrets(text: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `***`."""
    text = _REPORTED_INPUT.sub(r"\1***", text)
    return _BARE_SECRET.sub("***", _NAMED_SECRET.sub(r"\1***", text))


def mask_known_secrets(text: str, environ: Mapping[str, str]) -> str:
    """Also mask the values of all variables whose names suggest secrets."""
    values = {value for name, value in environ.items() if is_secret_variable(name)}
    for value in sorted((v for v in values if len(v) >= _MIN_SECRET_LENGTH), key=len, reverse=True):
        text = text.replace(value, "***")
    return mask_secrets(text)
