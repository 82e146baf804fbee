"""The command `monitor`: opens the application, or runs its core without a screen.

One file a group of commands: `cli_play`, `cli_campaigns`, `cli_backup` ... Imports are inside the
commands: nothing heavy is loaded before the first frame. Exit codes: 0 done, 1 a clear error (on stderr),
2 wrong usage.
"""

from __future__ import annotations

import asyncio
import errno
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from monitor_tui.cli import archive as cli_archive
from monitor_tui.cli import backup as cli_backup
from monitor_tui.cli import campaigns as cli_campaigns
from monitor_tui.cli import doctor as cli_doctor
from monitor_tui.cli import import_log as cli_import_log
from monitor_tui.cli import ingest as cli_ingest
from monitor_tui.cli import knows as cli_knows
from monitor_tui.cli import llm as cli_model
from monitor_tui.cli import mcp as cli_mcp
from monitor_tui.cli import names as cli_names
from monitor_tui.cli import play as cli_play
from monitor_tui.cli import query as cli_query
from monitor_tui.cli import recall as cli_recall
from monitor_tui.cli import replay as cli_replay
from monitor_tui.cli import replication as cli_mirror
from monitor_tui.cli import serve as cli_serve
from monitor_tui.cli import servers as cli_servers
from monitor_tui.cli import stores as cli_stores
from monitor_tui.cli.common import Home, exit_with_error
from monitor_tui.cli.plain_output import PlainOutput
from monitor_tui.paths import home_folder
from stores.errors import MonitorError

app = typer.Typer(
    help="MONITOR keeps the world true while you play: a full-screen application for solo GMs.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    home: Home = None,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Open MONITOR."""
    if show_version:
        from importlib.metadata import version as installed

        print(f"monitor-tui {installed('monitor-tui')}")
        raise typer.Exit
    context.obj = home
    if context.invoked_subcommand not in (None, "demo"):
        sys.stdout, sys.stderr = PlainOutput(sys.stdout), PlainOutput(sys.stderr)
    if context.invoked_subcommand is None:
        _run_app(home, "menu")


@app.command()
def demo(context: typer.Context, home: Home = None) -> None:
    """Open the sample universe and play at once."""
    _run_app(home or context.obj, "demo")


for _group in (
    cli_play,
    cli_replay,
    cli_campaigns,
    cli_import_log,
    cli_ingest,
    cli_names,
    cli_query,
    cli_recall,
    cli_knows,
    cli_mcp,
    cli_archive,
    cli_model,
    cli_backup,
    cli_doctor,
    cli_stores,
    cli_serve,
    cli_servers,
    cli_mirror,
):
    app.add_typer(_group.commands)


def main() -> None:
    """Run the command line; every error ends in words and an exit code, never in a traceback."""
    try:
        app()
    except MonitorError as error:
        exit_with_error(str(error))
    except BrokenPipeError:
        raise SystemExit(1) from None
    except OSError as error:
        exit_with_error(_describe_os_error(error))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _run_app(home: Path | None, start_at: Literal["menu", "demo"]) -> None:
    from monitor_tui.app import MonitorApp
    from monitor_tui.interface_memory import InterfaceMemory
    from monitor_tui.program_log import start_log

    home_path = home_folder(home)
    start_log(home_path)

    async def open_services(show_menu: Any) -> Any:
        # In a thread: the records and the stores are imported here, while the first frame stands.
        await asyncio.to_thread(_import_program)
        from monitor_tui.background_mode import BackgroundMode
        from monitor_tui.compose import open_program
        from monitor_tui.daily_backup import BackupNotes, DailyBackup
        from monitor_tui.inbox_watch import InboxWatch

        backup_notes = BackupNotes()
        program = await open_program(
            home_path, notes=backup_notes.notes, mode=BackgroundMode.PLAY, show_menu=show_menu
        )
        backup = DailyBackup(program.stores, home_path, backup_notes, program.services.events.publish)
        backup.start()
        inbox_watch = InboxWatch(program.services.outside.take_in)
        inbox_watch.start()
        return program.services, inbox_watch.wrap_close(backup.wrap_close(program.close))

    application = MonitorApp(open_services, start_at=start_at, interface=InterfaceMemory(home_path))
    application.run()
    if application.return_code:
        raise SystemExit(application.return_code)


def _import_program() -> None:
    """Load what the stores and the menu need, so that importing it later takes no time."""
    import_module("agents.services.menu")
    import_module("monitor_tui.compose")
    import_module("monitor_tui.daily_backup")


def _describe_os_error(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "The disk is full. What was written before is safe. Free some space and try again."
    return (
        f"{error.filename}: {error.strerror or error}." if error.filename else f"{error.strerror or error}."
    )
