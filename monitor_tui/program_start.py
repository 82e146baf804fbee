"""Opens MONITOR on the screen. Importing this is cheap: the command line's commands are not among what it needs."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from monitor_tui.paths import home_folder
from stores.errors import MonitorError

THREAD_SWITCH_SECONDS = 0.001
"""How long the thread that draws waits for another that computes, at each of the many steps of a frame; Python's
own figure is five times that."""


MODULES_OF_MENU = ("agents.services.menu", "monitor_tui.compose")
"""What opens the stores and fills the menu: nothing else is loaded before it stands."""

_MODULES_BESIDE_PLAY = ("monitor_tui.daily_backup", "monitor_tui.inbox_watch")

_NO_PLUGINS = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}
"""Else pydantic looks for plugins among all that is installed when the first record is defined: some 30 ms."""


def end_errors_in_words(work: Callable[[], object]) -> None:
    """Run the program; every error ends in words and an exit code, never in a traceback."""
    try:
        work()
    except MonitorError as error:
        _exit_with_error(str(error))
    except BrokenPipeError:
        raise SystemExit(1) from None
    except OSError as error:
        _exit_with_error(_describe_os_error(error))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def run_app(home: Path | None, start_at: Literal["menu", "demo"]) -> None:
    """Open MONITOR on the screen until the user leaves."""
    from monitor_tui.app import MonitorApp
    from monitor_tui.interface_memory import InterfaceMemory
    from monitor_tui.program_log import start_log

    os.environ.update(_NO_PLUGINS)  # for the processes that are started, too
    home_path = home_folder(home)
    start_log(home_path)
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)

    async def open_services(show_menu: Any) -> Any:
        # In a thread: the records and the stores are imported here, while the first frame stands.
        await asyncio.to_thread(_import_modules, *MODULES_OF_MENU)
        from monitor_tui.background_mode import BackgroundMode
        from monitor_tui.backup_notes import BackupNotes
        from monitor_tui.compose import open_program

        backup_notes = BackupNotes()
        program = await open_program(
            home_path, notes=backup_notes.notes, mode=BackgroundMode.PLAY, show_menu=show_menu
        )
        await asyncio.to_thread(_import_modules, *_MODULES_BESIDE_PLAY)
        from monitor_tui.daily_backup import DailyBackup, choose_backup_writer
        from monitor_tui.inbox_watch import InboxWatch

        write = choose_backup_writer(program.stores, home_path)
        backup = DailyBackup(write, home_path, backup_notes, program.services.events.publish)
        backup.start()
        inbox_watch = InboxWatch(program.services.outside.take_in)
        inbox_watch.start()
        return program.services, inbox_watch.wrap_close(backup.wrap_close(program.close))

    application = MonitorApp(open_services, start_at=start_at, interface=InterfaceMemory(home_path))
    application.run()
    if application.return_code:
        raise SystemExit(application.return_code)


def _import_modules(*names: str) -> None:
    """Load modules, so that importing them later takes no time."""
    for name in names:
        import_module(name)


def _exit_with_error(text: str) -> None:
    from monitor_tui.cli.common import exit_with_error  # with all that the command line needs

    exit_with_error(text)


def _describe_os_error(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "The disk is full. What was written before is safe. Free some space and try again."
    return (
        f"{error.filename}: {error.strerror or error}." if error.filename else f"{error.strerror or error}."
    )
