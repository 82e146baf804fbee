"""The lines and keys that wait to be played, one after another, while typing goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.llm.errors import ModelError

if TYPE_CHECKING:
    from agents.views.replies import Reply


@dataclass(frozen=True, slots=True)
class QueuedPlay:
    """Something to play after what came before it."""

    run: Callable[[], Awaitable[Reply]]
    typed_line: str = ""
    """The typed line; empty for a key."""
    continues_narration: bool = False
    """Whether the model narrates on without an act of the player's."""


class PlayQueue:
    """Holds what is being played and what waits. A line that was not played is given back."""

    def __init__(self) -> None:
        self._waiting: deque[QueuedPlay] = deque()
        self._current: QueuedPlay | None = None

    @property
    def is_playing(self) -> bool:
        return self._current is not None

    @property
    def is_playing_line(self) -> bool:
        """Whether a typed line is being played: its reply brings the scene as it is afterwards."""
        return self._current is not None and bool(self._current.typed_line)

    @property
    def is_continuing_narration(self) -> bool:
        """Whether the model is narrating on without an act of the player's."""
        return self._current is not None and self._current.continues_narration

    def add(self, play: QueuedPlay) -> None:
        self._waiting.append(play)

    @property
    def has_waiting(self) -> bool:
        """Whether something is played after what is being played."""
        return bool(self._waiting)

    def add_next(self, play: QueuedPlay) -> None:
        """Play this before all that waits."""
        self._waiting.appendleft(play)

    def start_next(self) -> QueuedPlay | None:
        """Return the next one to play; None while one is being played or none waits."""
        if self._current is None and self._waiting:
            self._current = self._waiting.popleft()
            return self._current
        return None

    def finish(self) -> None:
        self._current = None

    def fail(self, error: BaseException) -> str:
        """End what is being played, and return the line to give back to the player; empty if there is none.

        A line that failed only at the model is in the story, and is not given back.
        """
        line = self._current.typed_line if self._current else ""
        self._current = None
        return line if line.startswith("/") or not isinstance(error, ModelError) else ""
