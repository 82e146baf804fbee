"""A terminal that goes away takes the program with it, and leaves the library free."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from monitor_tui import hangup


def test_hangup_terminal_is_gone_once_its_other_end_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    window, terminal = pty.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "__stdin__", stdin)
        assert (hangup.has_terminal(), hangup.is_terminal_gone()) == (True, False)
        os.close(window)
        assert (hangup.has_terminal(), hangup.is_terminal_gone()) == (True, True)


def test_hangup_what_is_no_terminal_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as stdin:
        monkeypatch.setattr(sys, "__stdin__", stdin)
        assert not hangup.is_terminal_gone()
    end, pipe = os.pipe()
    os.close(pipe)
    with os.fdopen(end) as stdin:
        monkeypatch.setattr(sys, "__stdin__", stdin)
        assert not hangup.has_terminal()
    monkeypatch.setattr(sys, "__stdin__", None)
    assert (hangup.has_terminal(), hangup.is_terminal_gone()) == (False, False)


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["M O N I T O R", "New here?"], ids=["opening", "open"])
def test_monitor_ends_with_its_window_though_nobody_tells_it(tmp_path: Path, shown: str) -> None:
    process, window = pty.fork()
    if process == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under `make run`, which keeps it to itself
        os.environ |= {"MONITOR_HOME": str(tmp_path / "home"), "MONITOR_EMBEDDING_MODEL": "none"}
        os.execv(sys.executable, [sys.executable, "-m", "monitor_tui"])
    _read_until(window, shown.encode())
    os.close(window)
    until = time.monotonic() + 60
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        assert time.monotonic() < until, "it goes on without a terminal"
        time.sleep(0.05)


def _read_until(window: int, words: bytes) -> None:
    seen, until = b"", time.monotonic() + 60
    while words not in seen:
        assert time.monotonic() < until, seen[-500:]
        if select.select([window], [], [], 1.0)[0]:
            seen += os.read(window, 65_536)
