"""How names are compared, the same in every store."""

from __future__ import annotations

import unicodedata


def fold_name(name: str) -> str:
    """Return the name as it is compared: without case, and one spelling for one accented letter."""
    return unicodedata.normalize("NFC", name.casefold())
