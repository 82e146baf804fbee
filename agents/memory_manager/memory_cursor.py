"""Defines how far the memories of a scene are written, as it is stored between two pieces of work."""

from __future__ import annotations

from typing import Final, NamedTuple

from stores.records.ids import Id

REPEATING: Final = "again"
"""The fingerprint of a scene whose turns are being processed again."""
WORDS_VERSION: Final = 3
"""Counts the ways in which memories were put into words: a scene written in an earlier one is written again."""


class MemoryCursor(NamedTuple):
    """How far the memories of a scene are written.

    The edition says whether what is read of the scene's memories is still right, like the number of a sequence
    lock: it is odd while they are being changed, from before the first change until after the last, and even
    otherwise. So it never is twice the same even number with a change between, even if the process is killed.
    """

    turn_id: Id = ""
    """The last turn that was processed; empty: none was."""
    depth: int = -1
    fingerprint: str = ""
    """A fingerprint of what was proposed up to that turn."""
    edition: int = 0

    @classmethod
    def parse(cls, cursor_text: str) -> MemoryCursor:
        """Return the cursor that was stored; before the first turn if there is none, or if its words are old."""
        turn_id, depth, fingerprint, edition, version = [*cursor_text.split(" "), *("",) * 5][:5]
        if not edition.isdecimal():
            return cls()
        if version != str(WORDS_VERSION):
            return cls(edition=int(edition))
        return cls(turn_id, int(depth), fingerprint, int(edition))

    def as_text(self) -> str:
        return f"{self.turn_id} {self.depth} {self.fingerprint} {self.edition} {WORDS_VERSION}"

    @property
    def is_changing(self) -> bool:
        """Whether memories are being changed, or were when the process ended."""
        return self.edition % 2 == 1

    def start_change(self) -> MemoryCursor:
        return self if self.is_changing else self._replace(edition=self.edition + 1)

    def end_change(self) -> MemoryCursor:
        return self._replace(edition=self.edition + 1) if self.is_changing else self

    def is_behind(self, head: Id) -> bool:
        """Say whether there is work left on a scene with this head."""
        return self.turn_id != head or self.fingerprint == REPEATING or self.is_changing
