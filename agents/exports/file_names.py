"""Names of files that are safe on every system and in Obsidian's links, and unique in one tree of folders. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import count
from typing import Final

from agents.sanitize import clean

MAX_CHARS: Final = 80
"""Characters of a file's name without its ending: whole paths are short enough for Windows, too."""

MAX_BYTES: Final = 180
"""Bytes of the same in UTF-8; file systems take 255, with the ending and a number behind it."""

_FORBIDDEN: Final = re.compile(r'[\\/:*?"<>|#^\[\]%`\x00-\x1f\x7f\n\u2028\u2029]+')
"""What no file of Windows may be called, and what ends or splits a `[[link]]`."""

_DEVICES: Final = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE
)
"""Names that mean devices on Windows, with any ending."""


def safe_file_name(name: str, fallback: str) -> str:
    """Return the name as a file's, without an ending; `fallback` if nothing of it can stand there."""
    words = " ".join(_FORBIDDEN.sub(" ", clean(name)).split())
    safe_name = _shorten(unicodedata.normalize("NFC", words)).strip(" .-")
    if not safe_name:
        return fallback
    return f"{safe_name}_" if _DEVICES.fullmatch(safe_name) else safe_name


def fold_file_name(name: str) -> str:
    """Return what two names have in common if some file system takes them for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


class UniqueNames:
    """Gives names out, each once whatever its case and the form of its accents."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {fold_file_name(name) for name in taken}

    def take(self, name: str) -> str:
        """Return the name, or the first of `name (2)`, `name (3)` ... that is free."""
        for number in count(1):
            candidate = name if number == 1 else f"{name} ({number})"
            if fold_file_name(candidate) not in self._taken:
                self._taken.add(fold_file_name(candidate))
                return candidate
        raise AssertionError("unreachable")


def _shorten(name: str) -> str:
    name = name[:MAX_CHARS]
    return name.encode("utf-8", "replace")[:MAX_BYTES].decode("utf-8", "ignore")
