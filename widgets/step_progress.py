"""The steps of an exchange that is being played, in one line: `context ✓ resolver ✓ narrator … 4 s`.

Each step is told by who does it; a step that was not needed is left out.
"""

from __future__ import annotations

from typing import Literal

from rich.cells import cell_len

from stores.records.ids import Id
from widgets.safe_text import ELLIPSIS, ellipsise, one_line

StepState = Literal["running", "done", "skipped", "failed"]

AGENT_BY_STEP = {
    "record": "log",
    "assemble": "context",
    "direct": "director",
    "resolve": "resolver",
    "validate": "steward",
    "narrate": "narrator",
    "speak": "characters",
    "critique": "critic",
    "move": "cast",
    "extract": "archivist",
    "summarise": "summary",
    "stage": "proposals",
    "arbitrate": "next",
}
"""Who does a step. One that is not named here goes by its own name."""

_STEP_SIGNS = {"running": ELLIPSIS, "done": "✓", "skipped": "", "failed": "✗ failed"}
_STEP_GAP = " "


class StepProgress:
    """Where one exchange stands. Times are seconds of a clock that only goes on."""

    def __init__(self) -> None:
        self._run_id: Id | None = None
        self._states: dict[str, StepState] = {}
        self._start_times: dict[str, float] = {}
        self._notes: dict[str, str] = {}

    @property
    def is_running(self) -> bool:
        return "running" in self._states.values()

    def record_step(self, run_id: Id, step: str, state: StepState, note: str, at: float) -> None:
        """Take in that a step moved. A step of another exchange begins a new line."""
        if run_id != self._run_id:
            self.clear()
            self._run_id = run_id
        if state == "running":
            self._start_times[step] = at
        self._states.pop(step, None)  # a step done twice stands where it stands now
        self._states[step] = state
        self._notes[step] = one_line(note)

    def clear(self) -> None:
        self._run_id = None
        self._states.clear()
        self._start_times.clear()
        self._notes.clear()

    def step_line(self, width: int, at: float) -> str:
        """Return the line in at most `width` cells; where there is no room, what was done first goes."""
        parts = [
            self._step_text(step, state, at) for step, state in self._states.items() if state != "skipped"
        ]
        while len(parts) > 1 and cell_len(_STEP_GAP.join(parts)) > width:
            parts.pop(0)
        return ellipsise(_STEP_GAP.join(parts), width)

    def _step_text(self, step: str, state: StepState, at: float) -> str:
        parts = [AGENT_BY_STEP.get(step, one_line(step)), _STEP_SIGNS[state]]
        if state == "running":
            seconds = int(at - self._start_times[step])
            parts += [f"{seconds} s"] if seconds else []
            parts += [self._notes[step]] if self._notes[step] else []
        return " ".join(parts)
