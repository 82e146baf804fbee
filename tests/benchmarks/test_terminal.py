"""The terminal in which benchmarks run programs: their first frame, and their end."""

from __future__ import annotations

import sys

import pytest

from benchmarks.terminal import Terminal

MARKED = r"print('\x1b[?2026h\x1b[1;1Hready\x1b[?2026l', flush=True); input()"
TWO_FRAMES = r"print('\x1b[?2026hmenu list\x1b[?2026l\x1b[?2026htitle\x1b[?2026l', flush=True); input()"
UNMARKED = r"print('\x1b[1;1Hready', flush=True); input()"
RESTLESS = (
    "import time\n"
    r"print('\x1b[?2026h\x1b[1;1Hready\x1b[?2026l', flush=True)"
    "\nwhile True: print(flush=True); time.sleep(0.01)"
)


def _run(program: str) -> Terminal:
    return Terminal((sys.executable, "-c", program), {})


def test_first_frame_ends_at_its_mark() -> None:
    with _run(MARKED) as terminal:
        assert terminal.first_frame().is_synchronized


@pytest.mark.slow
def test_first_frame_without_a_mark_ends_at_a_pause() -> None:
    with _run(UNMARKED) as terminal:
        assert not terminal.first_frame().is_synchronized


def test_first_frame_of_a_program_that_ends_is_an_error() -> None:
    with _run("print('no such file')") as terminal, pytest.raises(EOFError, match="no such file"):
        terminal.first_frame()


def test_settle_goes_on_though_the_program_never_stops_drawing() -> None:
    with _run(RESTLESS) as terminal:
        terminal.since_key("ready")
        terminal.settle()  # would never return if it waited for quiet alone


def test_frame_before_the_last_answer_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.terminal._PATIENCE", 0.5)
    with _run(TWO_FRAMES) as terminal:
        terminal.since_key("title")
        with pytest.raises(TimeoutError, match="list"):
            terminal.since_key("list")
