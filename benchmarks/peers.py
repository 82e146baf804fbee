"""Measures other terminal programs beside MONITOR: first frame, peak memory, processor time at rest.

Harlequin and Posting are measured where they are installed: in the virtual environments that `MONITOR_BENCH_PEERS`
names (as PATH names folders), or on PATH. They get a home folder of their own, so that nobody's settings are read or
written.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.idle import measure_core_percent
from benchmarks.libraries import Libraries
from benchmarks.processes import HAS_PROC, read_tree_peak_memory
from benchmarks.table import Row, percentile
from benchmarks.terminal import MENU_FILLED, Terminal, open_monitor

COUNT = 5
START_SECONDS = 5
"""From a first frame until a program is taken to be at rest."""
IDLE_SECONDS = 10
FOLDER_VARIABLE = "MONITOR_BENCH_PEERS"
COMMANDS = {"Harlequin": "harlequin", "Posting": "posting"}
OURS = "MONITOR"
USABLE_AIM = 0.89
"""Our menu filled in 0.8 s where Harlequin shows its first frame after 0.9 s."""


@dataclass
class Measurements:
    """What was measured of one program."""

    first_frames: list[float] = field(default_factory=list)
    """Seconds from each start."""
    is_synchronized: bool = True
    """Says whether the program marks the end of its frames."""
    peak_memory: float = 0.0
    """MB, of all its processes."""
    core_percent: float = 0.0


def run(libraries: Libraries) -> Iterator[Row]:
    starters: Mapping[str, Callable[[], Terminal]] = {
        OURS: partial(open_monitor, libraries.indexed_fresh),
        **_find_starters(libraries.folder / "peers-home"),
    }
    homes = {"fresh library": libraries.indexed_fresh, libraries.big_name: libraries.big}
    count = libraries.often(COUNT)
    menus: dict[str, list[float]] = {name: [] for name in homes}
    measured = {name: Measurements() for name, start in starters.items() if _starts(name, start)}
    for number in range(count):  # by turns, so that other load affects all alike
        for name, measurements in measured.items():
            _measure(starters[name], measurements, at_rest=number == count - 1)
        for name, home in homes.items():
            menus[name].append(_time_menu(home))
    yield from make_rows(measured)
    for name, seconds in menus.items():
        menu = percentile(seconds, 50)
        yield Row(f"start to the menu filled, median of {count}: {name}", 1_000 * menu)
        if "Harlequin" in measured:
            ratio = menu / percentile(measured["Harlequin"].first_frames, 50)
            yield Row("  divided by Harlequin's first frame", ratio, aim=USABLE_AIM, unit="x")


def find_command(command: str, environment: Mapping[str, str]) -> str | None:
    """Return the path of a program, in a virtual environment that is named or on PATH; None: not installed."""
    named_folders = environment.get(FOLDER_VARIABLE, "").split(os.pathsep)
    folders = [str(Path(one) / "bin") for one in named_folders if one]
    return shutil.which(command, path=os.pathsep.join([*folders, environment.get("PATH", "")]))


def make_rows(measured: Mapping[str, Measurements]) -> Iterator[Row]:
    """Return the rows of each figure: every program's, and for all but MONITOR how many times MONITOR's it is."""
    count = len(measured[OURS].first_frames)
    frames = {
        name: (f"{name}{'' if one.is_synchronized else ' (to a pause of 50 ms)'}", 1_000 * median)
        for name, one in measured.items()
        for median in [percentile(one.first_frames, 50)]
    }
    yield from _compare(f"first frame, median of {count}", frames, "ms")
    if not HAS_PROC:
        return
    memory = {name: (name, one.peak_memory) for name, one in measured.items()}
    yield from _compare(
        f"peak memory of all its processes, {START_SECONDS + IDLE_SECONDS} s later", memory, "MB"
    )
    idle = {name: (name, one.core_percent) for name, one in measured.items()}
    yield from _compare(f"share of a core, {IDLE_SECONDS} s at rest", idle, "%")


def _compare(what: str, figures: Mapping[str, tuple[str, float]], unit: str) -> Iterator[Row]:
    _, our_figure = figures[OURS]
    for name, (label, figure) in figures.items():
        yield Row(f"{what}: {label}", figure, unit=unit)
        if name != OURS and our_figure:
            yield Row("  divided by MONITOR's", figure / our_figure, unit="x")


def _find_starters(home: Path) -> Mapping[str, Callable[[], Terminal]]:
    """Return how to start every program that is installed, and say which are not."""
    home.mkdir(exist_ok=True)
    folders = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    environment = dict.fromkeys(folders, str(home))
    starters = {
        "a bare Textual app": partial(Terminal, (sys.executable, "-m", "benchmarks.bare_app"), environment)
    }
    for name, command in COMMANDS.items():
        if path := find_command(command, os.environ):
            starters[name] = partial(Terminal, (path,), environment)
        else:
            print(f"({name} is not installed, and left out; {FOLDER_VARIABLE} names virtual environments)")
    return starters


def _measure(start: Callable[[], Terminal], measurements: Measurements, *, at_rest: bool) -> None:
    """Start a program once more; `at_rest`, measure its memory and processor time as well."""
    with start() as terminal:
        first_frame = terminal.first_frame()
        measurements.first_frames.append(first_frame.seconds)
        measurements.is_synchronized = first_frame.is_synchronized
        if at_rest and HAS_PROC:
            terminal.read_for(START_SECONDS)
            measurements.core_percent = measure_core_percent(terminal, IDLE_SECONDS)
            measurements.peak_memory = read_tree_peak_memory(terminal.process_id)


def _starts(name: str, start: Callable[[], Terminal]) -> bool:
    """Start the program once, so that every file was read once; says whether it draws anything."""
    with start() as terminal:
        try:
            terminal.first_frame()
        except (EOFError, TimeoutError):
            if name == OURS:
                raise
            print(f"({name} ended or drew nothing, and is left out; start it by hand to see why)", flush=True)
            return False
    return True


def _time_menu(home: Path) -> float:
    with open_monitor(home) as terminal:
        seconds = terminal.since_key(MENU_FILLED)
        terminal.settle()
        terminal.quit()
    return seconds
