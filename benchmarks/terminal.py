"""Runs real programs in a pseudo-terminal: sends keys, reads frames, and times each frame to its end.

Works on Linux and macOS. The terminal announces synchronized output, so every frame of a program that uses it ends in
`ESC[?2026l`.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Self

from benchmarks.frames import FRAME_END, FrameTest, has_text, shows
from benchmarks.processes import read_peak_memory

COLUMNS, LINES = 120, 40
_KNOWS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;1$y"
_PATIENCE = 60.0
_QUIET = 0.1
"""Seconds without output after which the program has finished drawing."""

_SETTLE_PATIENCE = 1.0
"""Seconds after which a program that never stops drawing, such as while it indexes, gets its key all the same."""

_PAUSE = 0.05
_UNMARKED_PATIENCE = 2.0
"""For a program that may not mark its frames: seconds of the pause that ends the first, and of the wait for a mark."""

ENTER, UP, DOWN, PAGE_UP, BACK_TAB, CTRL_Q = "\r", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[Z", "\x11"
ESCAPE = "\x1b[27u"
"""Escape as terminals with the newer keyboard protocol send it: after a bare ESC the program waits a tenth
of a second."""

MENU, MENU_FILLED, SCENE = "M O N I T O R", "✓", "chain"
"""Texts of the menu at once, of the menu when the library is open, and of a scene of the long campaign."""


NO_MODEL = MappingProxyType({"MONITOR_EMBEDDING_MODEL": "none"})
"""The environment of a MONITOR that searches by words alone."""


def open_monitor(home: Path, environment: Mapping[str, str] = MappingProxyType({})) -> Terminal:
    """Start MONITOR in a terminal, without the daily backup, which would begin during the measurement."""
    arguments = (sys.executable, "-m", "monitor_tui", "--home", str(home))
    return Terminal(arguments, {"MONITOR_BACKUP_DAILY": "false", **environment})


class FirstFrame(NamedTuple):
    """The first frame of any program: the seconds from its start, and whether its end was marked."""

    seconds: float
    is_synchronized: bool


class Terminal:
    """A running program and its terminal."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (LINES, COLUMNS))
        self._pressed = time.perf_counter()
        self._process = subprocess.Popen(
            arguments,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={
                **_inherited_environment(),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                **environment,
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
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._file)

    @property
    def process_id(self) -> int:
        return self._process.pid

    def press(self, key: str, answer: str | FrameTest = "") -> float:
        """Press a key; returns the seconds to the end of the first frame after it that is or shows the `answer`."""
        self.settle()
        self._seen = b""
        self._pressed = time.perf_counter()
        os.write(self._file, key.encode())
        return self.since_key(answer)

    def since_key(self, answer: str | FrameTest) -> float:
        """Return the seconds from the last key (or the start) to the end of the frame that is or shows the `answer`.

        Frames before the one that was returned last do not count.
        """
        return self._read_until(answer) - self._pressed

    def first_frame(self) -> FirstFrame:
        """Read to the first frame with any text.

        A program that does not mark its frames (none ends within `_UNMARKED_PATIENCE` of the first pause) has its
        first frame where text was followed by the first pause. Raises TimeoutError, or EOFError if it ends.
        """
        deadline, paused_at = time.perf_counter() + _PATIENCE, None
        read_at = self._pressed
        while time.perf_counter() < deadline:
            has_read = self._read(_PAUSE)
            if any(map(has_text, self._seen.split(FRAME_END)[:-1])):
                return FirstFrame(time.perf_counter() - self._pressed, True)
            if has_read:
                read_at = time.perf_counter()
            elif self._process.poll() is not None:
                raise EOFError(f"the program ended: {self._seen[-2000:]!r}")
            elif paused_at is None and has_text(self._seen):
                paused_at = read_at
                deadline = min(deadline, time.perf_counter() + _UNMARKED_PATIENCE)
        if paused_at is None:
            raise TimeoutError(f"the program drew nothing: {self._seen[-2000:]!r}")
        return FirstFrame(paused_at - self._pressed, False)

    def settle(self) -> None:
        """Read until the program has finished drawing, for at most a second; a cursor blinks more slowly."""
        deadline = time.perf_counter() + _SETTLE_PATIENCE
        while time.perf_counter() < deadline and self._read(_QUIET):
            pass

    def read_for(self, seconds: float) -> None:
        """Read what the program draws for so many seconds. Raises EOFError if it ends."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if not self._read(left) and self._process.poll() is not None:
                raise EOFError(f"the program ended: {self._seen[-2000:]!r}")

    def peak_memory(self) -> float:
        """Return the program's peak memory so far in MB (0 unless on Linux)."""
        return read_peak_memory(self.process_id)

    def quit(self) -> None:
        """Quit as the player does, so that the story is suspended and the library closed."""
        os.write(self._file, CTRL_Q.encode())
        while self._read(_PATIENCE):
            pass
        self._process.wait(_PATIENCE)

    # --- inside --------------------------------------------------------------------------------------

    def _read_until(self, answer: str | FrameTest) -> float:
        """Read to the end of the frame that is or shows the `answer`; returns when that was."""
        is_answer = shows(answer) if isinstance(answer, str) else answer
        deadline = time.perf_counter() + _PATIENCE
        start = 0
        while True:
            while (end := self._seen.find(FRAME_END, start)) >= 0:
                if is_answer(self._seen[start:end]):
                    self._seen = self._seen[start:]
                    return time.perf_counter()
                start = end + len(FRAME_END)
            if not self._read(deadline - time.perf_counter()):
                raise TimeoutError(f"the program did not show {answer!r}: {self._seen[-2000:]!r}")

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


def _inherited_environment() -> dict[str, str]:
    """Return this process's environment, with which a program keeps its compiled modules, as it does for a player."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _make_controlling_terminal() -> None:
    """Give the new process the terminal as its own, so that it ends when the terminal is closed."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
