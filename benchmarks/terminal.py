"""Runs the real program in a pseudo-terminal: sends keys, reads frames, and times each frame to its end.

Works on Linux and macOS. The terminal announces synchronized output, so every frame of the program ends in
`ESC[?2026l`.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

COLUMNS, LINES = 120, 40
FRAME_END = b"\x1b[?2026l"
_KNOWS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;1$y"
_PATIENCE = 60.0
_QUIET = 0.1
"""Seconds without output after which the program has finished drawing."""

ENTER, UP, DOWN, PAGE_UP, BACK_TAB, CTRL_Q = "\r", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[Z", "\x11"
ESCAPE = "\x1b[27u"
"""Escape as terminals with the newer keyboard protocol send it: after a bare ESC the program waits a tenth
of a second."""

MENU, MENU_FILLED, SCENE = "M O N I T O R", "✓", "chain"
"""Texts of the menu at once, of the menu when the library is open, and of a scene of the long campaign."""


class Terminal:
    """A running MONITOR and its terminal."""

    def __init__(self, home: Path) -> None:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (LINES, COLUMNS))
        self._pressed = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "monitor_tui", "--home", str(home)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            # Without the daily backup, which would begin during the measurement.
            env={
                **os.environ,
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "MONITOR_BACKUP_DAILY": "false",
            },
            start_new_session=True,
            preexec_fn=_make_controlling_terminal,
        )
        os.close(theirs)
        self._file = ours
        self._seen = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._file)

    def press(self, key: str, shows: str = "") -> float:
        """Press a key; returns the seconds to the end of the first frame after it that shows `shows`."""
        self.settle()
        self._seen = b""
        self._pressed = time.perf_counter()
        os.write(self._file, key.encode())
        return self.since_key(shows)

    def since_key(self, shows: str) -> float:
        """Return the seconds from the last key (or the start) to the end of the frame that shows `shows`."""
        return self._read_until(shows) - self._pressed

    def settle(self) -> None:
        """Read until the program has finished drawing; a blinking cursor is slower than that."""
        while self._read(_QUIET):
            pass

    def peak_memory(self) -> float:
        """Return the program's peak memory so far in MB (0 unless on Linux)."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return 0.0
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line)

    def quit(self) -> None:
        """Quit as the player does, so that the story is suspended and the library closed."""
        os.write(self._file, CTRL_Q.encode())
        while self._read(_PATIENCE):
            pass
        self._process.wait(_PATIENCE)

    # --- inside --------------------------------------------------------------------------------------

    def _read_until(self, words: str) -> float:
        """Read to the end of the frame that shows `words`; returns when that was."""
        pattern = words.encode()
        deadline = time.perf_counter() + _PATIENCE
        while True:
            place = self._seen.find(pattern)
            if place >= 0 and self._seen.find(FRAME_END, place) >= 0:
                return time.perf_counter()
            if not self._read(deadline - time.perf_counter()):
                raise TimeoutError(f"the program did not show {words!r}: {self._seen[-2000:]!r}")

    def _read(self, patience: float) -> bool:
        """Read the program's output, answering its queries to the terminal; false if nothing came."""
        if not select.select([self._file], [], [], max(0.0, patience))[0]:
            return False
        try:
            new_output = os.read(self._file, 1 << 16)
        except OSError:  # Linux reports EIO when the program has ended
            new_output = b""
        frame_query, answer = _KNOWS_FRAMES
        if frame_query in self._seen[1 - len(frame_query) :] + new_output:
            os.write(self._file, answer)
        self._seen += new_output
        return bool(new_output)


def _make_controlling_terminal() -> None:
    """Give the new process the terminal as its own, so that it ends when the terminal is closed."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
