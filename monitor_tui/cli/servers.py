"""Commands about the servers that stores may stand on."""

from __future__ import annotations

import os

import typer

from monitor_tui.cli.common import command_group, run_command

commands = command_group()
servers = typer.Typer(help="The servers that stores may stand on.", no_args_is_help=True)
commands.add_typer(servers, name="servers")


@servers.callback()
def _servers() -> None:
    """Keep `prepare` a command of a group though it is alone."""


@servers.command()
def prepare() -> None:
    """Make every role's credentials on the servers that the environment names. Doing it again is harmless."""
    from stores.servers.provisioning import provision_servers as make_ready

    for line in run_command(make_ready(os.environ)):
        print(line)
