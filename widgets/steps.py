"""The steps of an exchange that is being played, in one line: `context ✓ resolver ✓ narrator … 4 s`.

Each step is told by who does it; a step that was not needed is left out.
"""

from __future__ import annotations

from typing import Literal

from rich.cells import cell_len

from stores.records.ids import Id
from widgets.safe_text import ELLIPSIS, ellipsise, one_line

State = Literal["running", "done", "skipped", "failed"]

NAMES = {
    "record": "log",
    "assemble": "context",
    "direct": "director",
    "resolve": "resolver",
    "validate": "steward",
    "narrate": "narrator",
    "speak": "characters",
    "critique": "critic",
    "extract": "archivist",
    "summarise": "summary",
    "stage": "proposals",
    "arbitrate": "next",
}
"""Who does a step. One that is not named here goes by its own name."""

_SIGNS = {"running": ELLIPSIS, "done": "✓", "skipped": "", "failed": "✗ failed"}
_GAP = " "


class Steps:
    """Where one exchange stands. Times are seconds of a clock that only goes on."""

    def __init__(self) -> None:
        self._beat: Id | None = None
        self._states: dict[str, State] = {}
        self._began: dict[str, float] = {}
        self._notes: dict[str, str] = {}

    @property
    def running(self) -> bool:
        return "running" in self._states.values()

    def move(self, beat_id: Id, step: str, state: State, note: str, at: float) -> None:
        """Take in that a step moved. A step of another exchange begins a new line."""
        if beat_id != self._beat:
            self.clear()
            self._beat = beat_id
        if state == "running":
            self._began[step] = at
        self._states.pop(step, None)  # a step done twice stands where it stands now
        self._states[step] = state
        self._notes[step] = one_line(note)

    def clear(self) -> None:
        self._beat = None
        self._states.clear()
        self._began.clear()
        self._notes.clear()

    def line(self, width: int, at: float) -> str:
        """Return the line in at most `width` cells; where there is no room, what was done first goes."""
        parts = [self._part(step, state, at) for step, state in self._states.items() if state != "skipped"]
        while len(parts) > 1 and cell_len(_GAP.join(parts)) > width:
            parts.pop(0)
        return ellipsise(_GAP.join(parts), width)

    def _part(self, step: str, state: State, at: float) -> str:
        words = [NAMES.get(step, one_line(step)), _SIGNS[state]]
        if state == "running":
            seconds = int(at - self._began[step])
            words += [f"{seconds} s"] if seconds else []
            words += [self._notes[step]] if self._notes[step] else []
        return " ".join(words)
