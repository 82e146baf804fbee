"""Defines what a model read of who is in a scene at the end of a narration."""

from __future__ import annotations

from typing import Final

from stores.records.base import Record


class ReportedCast(Record):
    """Who is in a scene when a text ends, who came in it and who left, by their names in the text or the record."""

    here: tuple[str, ...] = ()
    """Empty: nobody, or it was not said."""
    came: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.here, *self.came, *self.left)


NO_REPORT: Final = ReportedCast()
"""Nothing is said of the cast."""
