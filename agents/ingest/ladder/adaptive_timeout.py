"""How long a model may take for a chunk: by the chunk's size, and by how long the model took before. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MIN_SECONDS: Final = 5.0
MAX_SECONDS: Final = 180.0
"""The limits of every time-out, however fast or slow a model was."""

BASE_SECONDS: Final = 15.0
SECONDS_PER_1000_CHARACTERS: Final = 10.0
"""The time-out of a model that nothing is known of."""

MIN_SAMPLES: Final = 5
"""Calls from which a model's own speed counts; that of a slow one counts at once."""

MAX_SAMPLES: Final = 50
SAFETY_FACTOR: Final = 2.0
"""A model may take so many times what its slow calls took."""

SLOW_SHARE: Final = 0.9
"""The share of calls that the slow ones are slower than."""

TIMED_OUT_FACTOR: Final = 1.5
"""A call that ran out of time counts as having needed so many times its limit: the next gets more."""


@dataclass(slots=True)
class AdaptiveTimeout:
    """Learns from each call; the latest `MAX_SAMPLES` count."""

    _samples: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_SAMPLES))
    """Seconds over those that nothing is known of, of each call: 1 is as fast as expected."""

    def seconds_for(self, characters: int) -> float:
        """Return the time-out of a call on a chunk of so many characters."""
        expected = _expected_seconds(characters)
        if len(self._samples) >= MIN_SAMPLES or self._is_slow_so_far():
            slow_sample = sorted(self._samples)[int(len(self._samples) * SLOW_SHARE)]
            expected *= slow_sample * SAFETY_FACTOR
        return min(max(expected, MIN_SECONDS), MAX_SECONDS)

    def _is_slow_so_far(self) -> bool:
        """Whether a call took longer than one gets of a model that nothing is known of: so would the next."""
        return max(self._samples, default=0.0) > 1.0

    def record(self, characters: int, seconds: float, *, is_timed_out: bool = False) -> None:
        """Take in how long a call took."""
        needed = seconds * TIMED_OUT_FACTOR if is_timed_out else seconds
        self._samples.append(max(0.0, needed) / _expected_seconds(characters))


def _expected_seconds(characters: int) -> float:
    return BASE_SECONDS + SECONDS_PER_1000_CHARACTERS * max(0, characters) / 1_000
