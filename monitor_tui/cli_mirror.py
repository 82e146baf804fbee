"""`monitor mirror`: the copy that a home folder keeps of a library on servers."""

from __future__ import annotations

from typing import Annotated

import typer

from monitor_tui.cli_common import Home, count, group, home_of, run

commands = group()


@commands.command()
def mirror(
    context: typer.Context,
    set_aside: Annotated[
        bool,
        typer.Option(
            "--set-aside", help="Keep the copy as a library of its own, and fetch a new one next time."
        ),
    ] = False,
    home: Home = None,
) -> None:
    """Say what the home folder is a copy of, and what waits there to be sent. Asks no server."""
    from stores.mirror import aside

    where = home_of(context, home)
    if set_aside:
        kept = run(aside.set_aside(where))
        print(f"The copy is kept as {kept}. To look into it, name it library.db in a folder of its own.")
        print("Opened with MONITOR_STORES=servers, this home folder is filled from the servers again.")
        return
    place, waiting = run(aside.look(where))
    if place.library is None:
        print(f"{where} holds a library of its own, and is no copy.")
        return
    joined = ", ".join(sorted(place.joined)) or "no server yet"
    print(f"{where} is the copy of library {place.library} (joined to: {joined}).")
    wait = ", ".join(f"{number} for {store}" for store, number in sorted(waiting.items()) if number)
    print(f"{count(waiting.total(), 'write')} to be sent: {wait}." if wait else "Nothing waits to be sent.")
