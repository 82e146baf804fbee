"""A test run with an end: one that hangs says where it hangs, and what had failed before it hung."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

HUNG: Final = 124
"""The code of a run that was ended (that of timeout(1))."""

_STATUS_COMMAND: Final = "ps -eo pid,ppid,pgid,stat,rss,etime,wchan:20,args | cut -c-200; free -m; df -h"
_REPORT_SECONDS: Final = 60.0
"""Seconds that pytest has to tell of its failures once it is interrupted."""


def run(argv: Sequence[str], env: Mapping[str, str], cwd: Path, *, patience: float) -> int:
    """Run pytest and return its code, or `HUNG` if it was not over after `patience` seconds.

    Then its processes are listed, each worker is aborted (pytest has every one print the stacks of its
    threads at that), and pytest itself is interrupted, so that it reports what failed until then.
    """
    with subprocess.Popen(
        argv, env=dict(env), cwd=cwd, start_new_session=True, preexec_fn=_restore_interrupts
    ) as pytest:
        try:
            return pytest.wait(patience)
        except subprocess.TimeoutExpired:
            print(f"\nNot over after {patience:.0f} s. What runs, and where it stands:", flush=True)
            subprocess.run(["sh", "-c", _STATUS_COMMAND], check=False)
            for worker in _other_processes(pytest.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGABRT)
            _interrupt(pytest)
            return HUNG
        except KeyboardInterrupt:  # typed at the terminal, which does not reach another session
            _interrupt(pytest)
            raise
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pytest.pid, signal.SIGKILL)


def _interrupt(pytest: subprocess.Popen[bytes]) -> None:
    """Have it tell of its failures and end."""
    pytest.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        pytest.wait(_REPORT_SECONDS)


def _restore_interrupts() -> None:
    """A shell's background jobs are started to ignore them, and so would their children be."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _other_processes(leader: int) -> Iterator[int]:
    """The processes of the leader's group but itself."""
    ps_output = subprocess.run(["ps", "-eo", "pid=,pgid="], capture_output=True, text=True, check=True).stdout
    for line in ps_output.splitlines():
        pid, group = map(int, line.split())
        if group == leader and pid != leader:
            yield pid
