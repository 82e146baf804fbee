"""Measures a new player's way: from the wheel to the first exchange on record, and the ideas met on it.

The program's part alone: what a person takes to read the strip of the tour and to type comes on top.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path

from benchmarks.libraries import Libraries
from benchmarks.table import Row
from benchmarks.terminal import ENTER, MENU_FILLED, Terminal

ROOT = Path(__file__).parent.parent
TOUR, LINE = "\x1b[21~", "I look at the rope."
"""F10, and the line that the tour's first step asks for."""

IDEA_COUNT = 6


def run(libraries: Libraries) -> Iterator[Row]:
    """Install the wheel into a new environment, open it, begin the tour and play the first line."""
    with tempfile.TemporaryDirectory(prefix="monitor-newcomer-") as name:
        folder = Path(name)
        started = time.perf_counter()
        command = _install(folder)
        installed = time.perf_counter() - started
        with Terminal((str(command), "--home", str(folder / "home")), {}) as terminal:
            opened = terminal.since_key(MENU_FILLED)
            scene = terminal.press(TOUR, f"Tour 1/{IDEA_COUNT}")
            for letter in LINE:
                terminal.press(letter)
            exchange = terminal.press(ENTER, f"Tour 2/{IDEA_COUNT}")
            terminal.settle()
            terminal.quit()
    yield Row("install of the wheel, with what it needs", installed, unit="s")
    yield Row("first start of all, to the menu filled *", opened, unit="s")
    yield Row("F10 to the first scene of the tour *", 1_000 * scene)
    yield Row("Enter on the first line to the tour's next idea *", 1_000 * exchange)
    yield Row("all of it, less reading and typing", installed + opened + scene + exchange, unit="s")
    yield Row("ideas met by the first exchange, of six", 1, unit="")


def _install(folder: Path) -> Path:
    """Build the wheel, install it as pipx does, and return the command."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("monitor_tui-*.whl")
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    subprocess.run([str(programs / "pip"), *pip[3:], "install", str(wheel)], check=True)
    return programs / "monitor"
