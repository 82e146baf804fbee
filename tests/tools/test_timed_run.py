"""A test run that hangs is ended, and tells what failed before and where it stands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tools import timed_run as watched

SOME = """
import threading

def test_fails():
    assert 1 + 1 == 3, "sums are wrong"

def test_hangs():
    threading.Event().wait()
"""


@pytest.mark.slow
def test_timed_run_ends_hanging_run_with_stack_and_failures(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_some.py").write_text(SOME)
    alone = ["-p", "no:cacheprovider", "-n", "1", "-c", os.devnull]
    argv = [sys.executable, "-m", "pytest", *alone, str(tmp_path)]
    code = watched.run(argv, os.environ, tmp_path, patience=20.0)
    output = "".join(capfd.readouterr())
    assert code == watched.HUNG
    assert "in test_hangs" in output
    assert "sums are wrong" in output


@pytest.mark.slow
def test_timed_run_returns_exit_code(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", "raise SystemExit(5)"]
    assert watched.run(argv, os.environ, tmp_path, patience=60.0) == 5
