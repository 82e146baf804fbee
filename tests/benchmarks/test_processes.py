"""Processor time and memory of a process and of all that it started."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks.processes import (
    HAS_PROC,
    parse_stat,
    read_children_cpu,
    read_tree_cpu,
    read_tree_peak_memory,
)

TICKS = os.sysconf("SC_CLK_TCK")
STAT = f"77 (a (bad) name) S 42 1 1 0 -1 0 0 0 0 0 {3 * TICKS} {TICKS} {2 * TICKS} {TICKS} 20 0"

BUSY_CHILD = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\ninput()"
PARENT = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BUSY_CHILD!r}])"


def test_process_times_are_read_though_the_name_has_parentheses() -> None:
    times = parse_stat(STAT)
    assert (times.parent_id, times.own, times.ended_children, times.seconds) == (42, 4, 3, 7)


@pytest.mark.skipif(not HAS_PROC, reason="only Linux has /proc")
def test_processor_time_of_a_process_includes_what_it_started() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdout.readline()  # written when the child has used its time
        assert read_children_cpu(parent.pid) >= 0.15
        assert read_tree_cpu(parent.pid) >= read_children_cpu(parent.pid)
        assert read_tree_peak_memory(parent.pid) > 2
        parent.stdin.close()
