"""Sums up how long something took, and estimates the 95th percentile from the latest."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

MAX_DURATIONS: Final = 1_000
"""Latest durations that the percentile is of."""


@dataclass(slots=True)
class Durations:
    """How long something took, in seconds."""

    count: int = 0
    total: float = 0.0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_DURATIONS))

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.latest.append(seconds)

    def add_all(self, other: Durations) -> None:
        self.count += other.count
        self.total += other.total
        self.latest.extend(other.latest)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def p95(self) -> float:
        return sorted(self.latest)[int(len(self.latest) * 0.95)] if self.latest else 0.0
