"""The command `monitor`: opens the application, or runs its core without a screen.

One file a group of commands: `cli_play`, `cli_campaigns`, `cli_backup` ... Imports are inside the
commands: nothing heavy is loaded before the first frame. Exit codes: 0 done, 1 a clear error (on stderr),
2 wrong usage.
"""

from __future__ import annotations

import sys
from typing import Annotated

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
from monitor_tui.cli import worker as cli_worker
from monitor_tui.cli.common import Home
from monitor_tui.cli.plain_output import PlainOutput
from monitor_tui.program_start import end_errors_in_words, run_app

app = typer.Typer(
    help="MONITOR keeps the world true while you play: a full-screen application for solo GMs.",
    no_args_is_help=False,
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
        run_app(home, "menu")


@app.command()
def demo(context: typer.Context, home: Home = None) -> None:
    """Open the sample universe and play at once."""
    run_app(home or context.obj, "demo")


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
    cli_worker,
    cli_mirror,
):
    app.add_typer(_group.commands)


def main() -> None:
    """Run the command line; every error ends in words and an exit code, never in a traceback."""
    end_errors_in_words(app)
