"""`monitor mirror`: the copy that a home folder keeps of a library on servers."""

from __future__ import annotations

from typing import Annotated

import typer

from monitor_tui.cli.common import Home, command_group, count_text, resolve_home, run_command

commands = command_group()


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
    """Show what the home folder is a copy of, and what still has to be sent. Contacts no server."""
    from stores.replication import set_aside as aside

    home_path = resolve_home(context, home)
    if set_aside:
        kept_copy = run_command(aside.set_aside_copy(home_path))
        print(f"The copy is kept as {kept_copy}. To look into it, name it library.db in a folder of its own.")
        print("Opened with MONITOR_STORES=servers, this home folder is filled from the servers again.")
        return
    place, waiting_by_store = run_command(aside.inspect_copy(home_path))
    if place.library_id is None:
        print(f"{home_path} holds a library of its own, and is no copy.")
        return
    joined = ", ".join(sorted(place.joined_stores)) or "no server yet"
    print(f"{home_path} is the copy of library {place.library_id} (joined to: {joined}).")
    waiting_text = ", ".join(
        f"{number} for {store}" for store, number in sorted(waiting_by_store.items()) if number
    )
    print(
        f"{count_text(waiting_by_store.total(), 'write')} to be sent: {waiting_text}."
        if waiting_text
        else "Nothing waits to be sent."
    )
