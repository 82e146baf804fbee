"""Measures how much of a core MONITOR uses at the menu when there is nothing to do, with all processes that it starts.

`MONITOR_BENCH_IDLE_SECONDS` says for how long: 60 if it is not set, 3600 for an hour.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from benchmarks.libraries import Libraries
from benchmarks.processes import read_tree_cpu
from benchmarks.table import Row
from benchmarks.terminal import MENU_FILLED, NO_MODEL, Terminal, open_monitor

SECONDS = 60
SECONDS_VARIABLE = "MONITOR_BENCH_IDLE_SECONDS"
FIRST_SECONDS = 3
"""After the menu is filled: what runs behind play looks through the library, and finds nothing to do."""
AIM = 2
"""Per cent of a core."""


def run(libraries: Libraries) -> Iterator[Row]:
    seconds = float(os.environ.get(SECONDS_VARIABLE) or libraries.often(SECONDS))
    for name, home, environment in (
        ("fresh library", libraries.indexed_fresh, {}),
        (f"{libraries.big_name}, indexed", libraries.indexed_big, NO_MODEL),
    ):
        with open_monitor(home, environment) as terminal:
            terminal.since_key(MENU_FILLED)
            first = measure_core_percent(terminal, FIRST_SECONDS)
            yield Row(f"share of a core, first {FIRST_SECONDS} s of the menu: {name}", first, unit="%")
            after = measure_core_percent(terminal, seconds)
            yield Row(f"share of a core, {seconds:g} s after those: {name}", after, aim=AIM, unit="%")
            terminal.quit()


def measure_core_percent(terminal: Terminal, seconds: float) -> float:
    """Return the processor time of a program and all that it started in the next seconds, in % of a core."""
    started_at, cpu = time.perf_counter(), read_tree_cpu(terminal.process_id)
    terminal.read_for(seconds)
    cpu = read_tree_cpu(terminal.process_id) - cpu
    return 100 * cpu / (time.perf_counter() - started_at)
