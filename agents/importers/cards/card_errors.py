"""The errors of files that are no card, or a broken one."""

from __future__ import annotations

from agents.importers.log_decoding import refused_file_error
from stores.errors import InputError

EXPORT_AGAIN = "Export the card or lorebook again, as JSON if you can"


def broken_card_error(reason: str, todo: str = EXPORT_AGAIN) -> InputError:
    """Return the error for a card or lorebook that cannot be read."""
    return refused_file_error(reason, todo)
