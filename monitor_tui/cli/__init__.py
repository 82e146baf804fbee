"""The `monitor` command."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from monitor_tui.program_start import end_errors_in_words, run_app

COMPLETION_VARIABLE = "_MONITOR_COMPLETE"

__all__ = ["main"]


def main() -> None:
    """Open MONITOR, or run the command that the arguments name."""
    match sys.argv[1:]:
        # A shell that asks how a line goes on (`monitor --install-completion`) sends it in the environment.
        case [] if COMPLETION_VARIABLE not in os.environ:
            end_errors_in_words(partial(run_app, None, "menu"))
        case ["--home", str(home)] if _may_be_folder(home):
            end_errors_in_words(partial(run_app, Path(home), "menu"))
        case _:
            from monitor_tui.cli.app import main as run_command_line  # its import takes a tenth of a start

            run_command_line()


def _may_be_folder(path: str) -> bool:
    """Say whether a home folder can be at a path; else the command line says what is wrong with it."""
    return bool(path) and not path.startswith("-") and not Path(path).is_file()
