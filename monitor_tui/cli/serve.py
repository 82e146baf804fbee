"""`monitor serve`: the program in a browser, for this machine alone or behind a token."""

from __future__ import annotations

import errno
import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from monitor_tui.cli.common import Home, command_group, exit_with_error, resolve_home, run_command
from stores.errors import InputError

commands = command_group()

DEFAULT_PORT = 8377


@commands.command()
def serve(
    context: typer.Context,
    address: Annotated[
        str, typer.Option("--address", help="Where to listen; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="0: any that is free.")
    ] = DEFAULT_PORT,
    home: Home = None,
) -> None:
    """Open MONITOR in a browser, one window at a time. Ctrl+C ends it.

    Only this machine can visit, unless --address says otherwise; then the printed address holds a token, or that of
    MONITOR_SERVE_TOKEN. The connection is not encrypted: put a proxy with HTTPS before it, or an SSH tunnel.
    """
    from importlib.util import find_spec

    if find_spec("textual_serve") is None:
        exit_with_error("This needs textual-serve. Install it: pip install 'monitor-tui[serve]'.")
    run_command(_serve(resolve_home(context, home).absolute(), address, port))


async def _serve(home: Path, address: str, port: int) -> None:
    from monitor_tui.browser_server.server import BrowserServer, join_command
    from monitor_tui.browser_server.server import serve as serve_browser
    from monitor_tui.browser_server.visits import TOKEN_FIELD, Door, choose_token, is_loopback
    from monitor_tui.program_log import start_log

    token = choose_token(address, os.environ)
    start_log(home, "serve.log")
    command = join_command([sys.executable, "-m", "monitor_tui", "--home", str(home)])

    def announce(bound_port: int) -> None:
        host = _name_in_address(address) if is_loopback(address) else socket.gethostname()
        query = f"?{TOKEN_FIELD}={token}" if token else ""
        print(f"MONITOR is at http://{host}:{bound_port}/{query}", flush=True)
        print("One window at a time. Ctrl+C ends it.", flush=True)
        if not is_loopback(address):
            print(
                "Whoever has this address can play. The connection is not encrypted: use a proxy with HTTPS or an SSH "
                "tunnel.",
                flush=True,
            )

    try:
        await serve_browser(BrowserServer(command, Door(token)), address, port, announce)
    except OSError as error:
        raise _cannot_listen_error(error, address, port) from error


def _name_in_address(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _cannot_listen_error(error: OSError, address: str, port: int) -> InputError:
    reason = {
        errno.EADDRINUSE: "something else listens there",
        errno.EADDRNOTAVAIL: "this machine does not have that address",
        errno.EACCES: "that port is for the system",
    }.get(error.errno or 0, "the system refuses it")
    return InputError(
        f"{_name_in_address(address)}:{port} cannot be used: {reason}.",
        kept="Nothing is served.",
        todo="Choose another: --port N, or --port 0 for any that is free.",
    )
