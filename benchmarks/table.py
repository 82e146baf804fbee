"""Prints rows of figures as a plain table."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

import apsw

HEAD = ("", "p50", "p95", "aim", "cpu", "")


@dataclass(frozen=True)
class Row:
    """One figure: a median, and the 95th percentile of many measurements, both in `unit`.

    An `aim` is met when the 95th percentile does not exceed it. `cpu` is the processor time of a round, if it was
    measured: other load on the machine changes it far less.
    """

    name: str
    p50: float
    p95: float | None = None
    aim: float | None = None
    unit: str = "ms"
    cpu: float | None = None

    @property
    def verdict(self) -> str:
        if self.aim is None:
            return ""
        if self.p50 > self.aim:
            return "OVER"
        return "p95 over" if self.p95 is not None and self.p95 > self.aim else "ok"

    def cells(self) -> tuple[str, ...]:
        return (
            self.name,
            f"{_figure(self.p50)} {self.unit}",
            "" if self.p95 is None else f"{_figure(self.p95)} {self.unit}",
            "" if self.aim is None else f"{self.aim:g} {self.unit}",
            "" if self.cpu is None else f"{_figure(self.cpu)} {self.unit}",
            self.verdict,
        )


def make_times_row(
    name: str, seconds: Sequence[float], aim: float | None = None, cpu: float | None = None
) -> Row:
    """Return the row of something that was timed repeatedly; `aim` in milliseconds, `cpu` in seconds."""
    p50, p95 = 1_000 * percentile(seconds, 50), 1_000 * percentile(seconds, 95)
    return Row(name, p50, p95, aim, cpu=None if cpu is None else 1_000 * cpu)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` of the values do not exceed, interpolated."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def machine() -> str:
    """Describe the machine that was measured."""
    return (
        f"{os.cpu_count()} CPUs ({platform.machine()}, {platform.system()}), load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}"
    )


def format_footer() -> str:
    return "* with the terminal's round trip: from writing the key to a pty to reading the end of the frame"


def format_header() -> str:
    return _line(HEAD)


def format_row(row: Row) -> str:
    return _line(row.cells())


def _line(cells: Sequence[str]) -> str:
    name, *figures, verdict = cells
    return f"{name:<66}{''.join(f'{cell:>10}' for cell in figures)}  {verdict}".rstrip()


def _figure(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
