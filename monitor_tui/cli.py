"""The command `monitor`: opens the application, or runs its core without a screen.

One file a group of commands: `cli_play`, `cli_campaigns`, `cli_backup` ... Imports are inside the
commands: nothing heavy is loaded before the first frame. Exit codes: 0 done, 1 a clear error (on stderr),
2 wrong usage.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from monitor_tui import (
    cli_archive,
    cli_backup,
    cli_campaigns,
    cli_doctor,
    cli_import_log,
    cli_mirror,
    cli_model,
    cli_play,
    cli_query,
    cli_recall,
    cli_servers,
    cli_stores,
)
from monitor_tui.cli_common import Home, fail
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
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    """Open MONITOR."""
    if version:
        from importlib.metadata import version as installed

        print(f"monitor-tui {installed('monitor-tui')}")
        raise typer.Exit
    context.obj = home
    if context.invoked_subcommand is None:
        _open_app(home, "menu")


@app.command()
def demo(context: typer.Context, home: Home = None) -> None:
    """Open the sample universe and play at once."""
    _open_app(home or context.obj, "demo")


for _group in (
    cli_play,
    cli_campaigns,
    cli_import_log,
    cli_query,
    cli_recall,
    cli_archive,
    cli_model,
    cli_backup,
    cli_doctor,
    cli_stores,
    cli_servers,
    cli_mirror,
):
    app.add_typer(_group.commands)


def main() -> None:
    """Run the command line; every error ends in words and an exit code, never in a traceback."""
    try:
        app()
    except MonitorError as error:
        fail(str(error))
    except BrokenPipeError:
        raise SystemExit(1) from None
    except OSError as error:
        fail(f"{error.strerror or error}: {error.filename or ''}")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _open_app(home: Path | None, first: Literal["menu", "demo"]) -> None:
    from monitor_tui.app import MonitorApp
    from monitor_tui.logs import start_log

    where = home_folder(home)
    start_log(where)

    async def open_services() -> Any:
        # In a thread: the records and the stores are imported here, while the first frame stands.
        compose, daily = await asyncio.to_thread(_imported)
        told = daily.Told()
        program = await compose.open_program(where, notes=told.notes, work=compose.Work.PLAY)
        backup = daily.DailyBackup(program.stores, where, told, program.services.events.publish)
        backup.start()
        return program.services, backup.closing(program.close)

    application = MonitorApp(open_services, first=first)
    application.run()
    if application.return_code:
        raise SystemExit(application.return_code)


def _imported() -> tuple[Any, Any]:
    from monitor_tui import compose, daily_backup

    return compose, daily_backup
