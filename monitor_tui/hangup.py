"""A terminal or a browser's server that goes away: the program notices, and ends without it.

A closed window sends SIGHUP to the program that leads its session, and that may be `make`, which does not
pass it on. Textual would then read nothing for ever, and wait for ever for what it writes to be taken
(its writing thread dies of the error, and the queue before it fills); the library would stay locked.
"""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

if TYPE_CHECKING:
    from io import TextIOWrapper

    from textual.driver import Driver

CHECK_SECONDS: Final = 1.0
"""Seconds between two looks."""


def has_terminal() -> bool:
    """Return whether keys come from a terminal, or came from one that is gone."""
    try:
        return sys.__stdin__ is not None and stat.S_ISCHR(os.fstat(sys.__stdin__.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def is_terminal_gone() -> bool:
    """Return whether the terminal that keys came from has hung up; false where that cannot be asked."""
    if sys.platform == "win32" or sys.__stdin__ is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(sys.__stdin__.fileno(), 0)  # to hang up is told without being asked for
    return any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(0))


def make_lasting_driver(driver: type[Driver]) -> type[Driver]:
    """Return `driver` as one whose writing outlasts the terminal; on Windows, where none hangs up, itself."""
    if sys.platform == "win32":
        return driver
    from textual.drivers.linux_driver import LinuxDriver

    if driver is not LinuxDriver:
        return driver

    class LastingDriver(LinuxDriver):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            if self._file is not None:
                self._file = cast("TextIOWrapper", TerminalOutput(self._file))

        def resume_application_mode(self) -> None:
            """Behind SIGHUP comes SIGCONT; a second input thread beside the first would never end."""
            if not is_terminal_gone():
                super().resume_application_mode()

    return LastingDriver


class TerminalOutput:
    """A terminal's file to write to, and nothing once the terminal is gone."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, text: str) -> None:
        self._ignore_if_gone(lambda: self._file.write(text))

    def flush(self) -> None:
        self._ignore_if_gone(self._file.flush)

    def _ignore_if_gone(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError:
            if not is_terminal_gone():
                raise
