"""Reads processor time and memory of a process and of all that it started, from /proc (Linux)."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
HAS_PROC = (PROC / "self/stat").exists()
_TICKS = os.sysconf("SC_CLK_TCK")


class ProcessTimes(NamedTuple):
    """The processor seconds (user and system) of a process, and of those of its children that have ended."""

    parent_id: int
    own: float
    ended_children: float

    @property
    def seconds(self) -> float:
        return self.own + self.ended_children


def parse_stat(stat: str) -> ProcessTimes:
    """Parse /proc/PID/stat (proc_pid_stat(5)); the name in it may contain spaces and parentheses."""
    fields = stat[stat.rindex(")") + 2 :].split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return ProcessTimes(int(fields[1]), (user + system) / _TICKS, (children_user + children_system) / _TICKS)


def read_tree_cpu(process_id: int) -> float:
    """Return the processor seconds of a process and of all below it so far. Raises OSError without /proc."""
    times = _read_all_times()
    return sum(times[one].seconds for one in _tree(times, process_id))


def read_children_cpu(process_id: int) -> float:
    """Return the processor seconds of all that runs or ran below a process. Raises OSError without /proc."""
    return read_tree_cpu(process_id) - read_own_cpu(process_id)


def read_own_cpu(process_id: int) -> float:
    """Return the processor seconds of a process without its children so far. Raises OSError without /proc."""
    return parse_stat((PROC / str(process_id) / "stat").read_text()).own


def read_tree_peak_memory(process_id: int) -> float:
    """Return the sum of the peak memory of a process and of those below it, in MB. Raises OSError without /proc."""
    return sum(map(read_peak_memory, _tree(_read_all_times(), process_id)))


def read_peak_memory(process_id: int) -> float:
    """Return a process's peak memory so far in MB; 0 if it has ended, or without /proc."""
    try:
        status = (PROC / str(process_id) / "status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line), 0.0)


def _read_all_times() -> dict[int, ProcessTimes]:
    times = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                times[int(folder.name)] = parse_stat((folder / "stat").read_text())
            except OSError:  # it has ended in the meantime
                continue
    return times


def _tree(times: dict[int, ProcessTimes], process_id: int) -> list[int]:
    """Return the process and all below it."""
    children = defaultdict(list)
    for one, process in times.items():
        children[process.parent_id].append(one)
    tree = [process_id] if process_id in times else []
    for one in tree:
        tree += children[one]
    return tree
