"""`monitor backup`, `verify` and `restore` as anyone would run them: real processes, real exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.test_worked_examples import SCRIPTS, monitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a scene was played."""
    home = tmp_path_factory.mktemp("played") / "home"
    monitor(home, "play", "--script", str(SCRIPTS / "hidden_door.play"), "--seed", "1")
    return home


@pytest.fixture
def home(played: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may do with as it likes."""
    subprocess.run(["cp", "-r", str(played), str(tmp_path / "home")], check=True)
    return tmp_path / "home"


def told(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def backups(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.backup.zip"))


@pytest.mark.slow
def test_backup_command_verifies_and_restores(home: Path, tmp_path: Path) -> None:
    said = monitor(home, "backup").stdout
    (path,) = backups(home / "backups")
    assert said.startswith("Backed up 1 universe (")
    assert f"Written and read back whole: {path}" in said

    assert f"whole     {path}: The Abbey (" in monitor(home, "verify", str(home / "backups")).stdout

    story = monitor(home, "story", "Under the Abbey").stdout
    said = monitor(home, "restore", str(path)).stdout
    assert "Restored beside the one that is there, as “The Abbey (copy, " in said
    said = monitor(home, "restore", str(path), "--into", str(tmp_path / "new")).stdout
    assert "Restored as it was: “The Abbey”" in said

    (old,), (new,) = (
        [u for u in told(monitor(of, "backup", "--json"))["universes"] if u["name"] == "The Abbey"]
        for of in (home, tmp_path / "new")
    )
    assert old == new
    assert monitor(tmp_path / "new", "story", "Under the Abbey").stdout == story
    assert "more than one story" in monitor(home, "story", "Under the Abbey", expect=1).stderr


@pytest.mark.slow
def test_restore_command_copy_can_be_played_and_exported(home: Path, tmp_path: Path) -> None:
    monitor(home, "backup", "--to", str(tmp_path / "b"))
    (path,) = backups(tmp_path / "b")
    (copy,) = told(monitor(home, "restore", str(path), "--universe", "the abbey", "--json"))
    assert copy["copy"]
    archive = tmp_path / "copy.monitor.zip"
    monitor(home, "export", copy["name"], "--to", str(archive))
    assert "whole" in monitor(home, "verify", str(archive)).stdout


@pytest.mark.slow
def test_restore_command_refuses_a_damaged_backup(home: Path, tmp_path: Path) -> None:
    monitor(home, "backup")
    monitor(home, "backup")
    first, second = backups(home / "backups")
    data = bytearray(first.read_bytes())
    data[len(data) // 2] ^= 1
    first.write_bytes(data)

    done = monitor(home, "verify", str(home / "backups"), expect=1)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["DAMAGED", "whole"]
    assert done.stderr == "monitor: 1 of 2 files cannot be used.\n"
    done = monitor(home, "verify", str(home / "backups"), "--json", expect=1)
    assert [one["whole"] for one in told(done)] == [False, True]

    done = monitor(home, "restore", str(first), "--into", str(tmp_path / "new"), expect=1)
    assert "cannot be used" in done.stderr
    assert "Nothing was changed." in done.stderr
    assert monitor(tmp_path / "new", "restore", str(second)).stdout.startswith("Restored as it was")


@pytest.mark.slow
def test_restore_command_refuses_a_home_that_is_not_empty(home: Path, tmp_path: Path) -> None:
    monitor(home, "backup", "--to", str(tmp_path / "b"))
    (path,) = backups(tmp_path / "b")
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "letter.txt").write_text("dear reader")
    for place in (home, letters):
        before = sorted(place.iterdir())
        done = monitor(home, "restore", str(path), "--into", str(place), expect=1)
        assert "is not empty, and a new home has to be" in done.stderr
        assert sorted(place.iterdir()) == before
    assert monitor(home, "export", "The Abbey (copy, 2026-11-22)", expect=1).stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["backup"], 1, "nothing in this library to back up yet"),
        (["verify", "nowhere"], 1, "There is no nowhere"),
        (["verify", "."], 1, "There is no backup or archive"),
        (["restore", "nowhere"], 1, "cannot be read"),
        (["backup", "--keep", "0"], 2, "--keep"),
    ],
)
def test_backup_commands_refuse_bad_input(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    named = [str(tmp_path / "empty") if word == "." else word for word in words]
    assert said in monitor(tmp_path / "home", *named, expect=code).stderr


@pytest.mark.slow
def test_backup_command_uses_settings(home: Path, tmp_path: Path) -> None:
    (home / "settings.toml").write_text(f'[backup]\nfolder = "{tmp_path / "elsewhere"}"\nkeep = 2\n')
    for _ in range(4):
        monitor(home, "backup")
    # This month's newest is one of the two.
    assert len(backups(tmp_path / "elsewhere")) == 2
    (home / "settings.toml").write_text("[backup]\nkep = 2\n")
    done = monitor(home, "backup")
    assert "backup.kep" in done.stderr
    assert "Did you mean backup.keep?" in done.stderr
    assert "settings.toml" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="asks for a signal that cannot be caught")
def test_backup_command_killed_leaves_no_backup(home: Path, tmp_path: Path) -> None:
    """Killed at any moment: what stands there is whole, or is nothing."""
    folder = tmp_path / "b"
    for wait in (0.02, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6):
        process = subprocess.Popen(
            [sys.executable, "-m", "monitor_tui", "--home", str(home), "backup", "--to", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ},
        )
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if backups(folder):
            monitor(home, "verify", str(folder))
    monitor(home, "backup", "--to", str(folder))
    monitor(home, "verify", str(folder))
    assert not list(folder.rglob("*.part"))
