"""`monitor worker`: does background work for a library on servers, on another machine than the one that plays."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from monitor_tui.cli.common import command_group, run_command

commands = command_group()
worker = typer.Typer(
    help="Work on other machines, for a library whose stores are on servers (docs/workers.md).",
    no_args_is_help=False,
)
commands.add_typer(worker, name="worker")


@worker.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    slots: Annotated[
        int, typer.Option("--slots", min=0, max=64, help="Pieces at a time; 0: one less than processors.")
    ] = 0,
) -> None:
    """Work until Ctrl+C, in the environment that `monitor worker add` printed. An end loses nothing."""
    if context.invoked_subcommand is not None:
        return
    from monitor_tui.remote_work import default_slots, serve_as_worker

    def announce(line: str) -> None:
        print(line, flush=True)

    piece_count = run_command(serve_as_worker(os.environ, slots or default_slots(), announce))
    print(f"Ended after {piece_count:,} pieces of work.")


@worker.command()
def add(name: Annotated[str, typer.Argument(help="Small letters, digits and hyphens.")]) -> None:
    """Make a worker's users on the servers, and print its environment, which is secret.

    The addresses in the environment must carry the owner's credentials. Doing it again is harmless.
    """
    from stores.servers.worker_stores import add_worker

    for variable, value in run_command(add_worker(os.environ, name)).items():
        print(f"{variable}={value}")


@worker.command()
def remove(name: str) -> None:
    """Remove a worker's users from the servers: it can read and write nothing any more."""
    from stores.servers.worker_stores import remove_worker

    run_command(remove_worker(os.environ, name))
    print(f"The worker {name} has no users on the servers any more.")
