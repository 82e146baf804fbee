"""Lists the words that stand before names and say what somebody is: `Captain`, `Sister`. Pure."""

from __future__ import annotations

from typing import Final

from agents.prose.names import HONORIFICS
from agents.prose.title_words import HE_TITLES, OFFICE_TITLES, SHE_TITLES

__all__ = ["HE_TITLES", "SHE_TITLES", "TITLES"]

TITLES: Final = HONORIFICS | HE_TITLES | SHE_TITLES | OFFICE_TITLES
"""Words before a name that say what somebody is: `the sexton` is Sexton Mull."""
