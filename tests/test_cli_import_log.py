"""`monitor import-log` as anyone would run it: real processes, real exit codes, a real Ctrl+C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.importers.test_importer import TURNS, log_bytes
from tests.test_worked_examples import monitor

pytestmark = pytest.mark.slow


def begun(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "monitor_tui", *arguments],
        env={**os.environ, "MONITOR_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background jobs are started to ignore Ctrl+C, and so would this one be.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def run(home: Path, *arguments: str, said: bytes | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "monitor_tui", *arguments],
        env={**os.environ, "MONITOR_HOME": str(home)},
        input=said,
        capture_output=True,
        timeout=200,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_import_log_log_is_brought_in_told_and_kept_whole(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "the_long-road.jsonl"
    log.write_bytes(log_bytes() + b"\nnot json\n")
    code, said, progress = run(home, "import-log", str(log), "--pc", "Mira")
    assert code == 0
    assert "Imported “The long road” in The long road: 120 turns in 6 scenes, and 13 notes" in said
    assert (
        "1 note, 1 about what was left out:\n  line 122: it is not whole JSON at column 1; left out" in said
    )
    assert "120 of 120 turns, 6 of 6 scenes" in progress
    told = json.loads(monitor(home, "import-log", str(log), "--pc", "Mira", "--json").stdout)
    assert (told["nothing_to_do"], told["turns"], told["story"]["title"]) == (True, TURNS, "The long road")
    found = json.loads(monitor(home, "recall", "Who said words 71?", "-k", "3", "--json").stdout)
    assert "D3:71" in [turn["turn"] for turn in found["turns"]]
    assert "**Mira:** Words 0." in monitor(home, "story", "The long road").stdout
    monitor(home, "backup")
    assert "whole" in monitor(home, "verify", str(home / "backups")).stdout
    assert "✗" not in monitor(home, "doctor").stdout.split("\n\n")[1]


@pytest.mark.timeout(300)
def test_ctrl_c_stops_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "log.jsonl"
    # Ten thousand come in within a second: enough that a busy machine has time to send the signal.
    log.write_bytes(log_bytes(30_000))
    running = begun(home, "import-log", str(log), "--no-index")
    assert running.stderr is not None
    assert "of 30,000 turns" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=200)
    assert running.returncode == 130
    assert "Cancelled. " in told
    assert "The same command again goes on from there." in told
    code, said, _ = run(home, "import-log", str(log), "--no-index")
    assert code == 0
    assert said.startswith("Resumed at turn ")
    assert "30,000 turns in" in said


def test_import_log_what_is_no_log_ends_in_words_and_one(tmp_path: Path) -> None:
    home, page = tmp_path / "home", tmp_path / "page.html"
    page.write_bytes(b"<!DOCTYPE html><p>GM: hi")
    for arguments, words in (
        ((str(page),), "it is a page of HTML or XML. Nothing was imported."),
        ((str(tmp_path / "none"),), "cannot be read: No such file or directory. Nothing was imported."),
        (("-",), "it is empty"),
    ):
        code, said, told = run(home, "import-log", *arguments, said=b"")
        assert (code, said) == (1, "")
        assert words in told
        assert "Traceback" not in told


def test_stdin_and_a_named_form(tmp_path: Path) -> None:
    code, said, _ = run(
        tmp_path / "home",
        "import-log",
        "-",
        "--format",
        "text",
        "--story",
        "Tale",
        said=b"It rained.\n\nIt stopped.",
    )
    assert code == 0
    assert "Imported “Tale” in Imported log: 2 turns in 1 scene." in said
