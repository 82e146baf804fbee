"""`monitor export` and `monitor import`: one campaign out of a library and into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from monitor_tui.cli_common import Home, group, home_of, library, run, the_one

commands = group()


@commands.command("export")
def export_command(
    context: typer.Context,
    universe: Annotated[str, typer.Argument(help="The universe's name.")],
    to: Annotated[Path | None, typer.Option("--to", help="The archive to write.")] = None,
    home: Home = None,
) -> None:
    """Write one campaign, whole, to a .monitor.zip archive."""
    path = run(_export(home_of(context, home), universe, to))
    print(f"Exported to {path}")


@commands.command("import")
def import_command(
    context: typer.Context,
    archive: Annotated[Path, typer.Argument(help="A .monitor.zip archive.")],
    home: Home = None,
) -> None:
    """Bring a campaign in from an archive."""
    name = run(_import(home_of(context, home), archive))
    print(f"Imported {name}")


async def _export(home: Path, name: str, to: Path | None) -> Path:
    from monitor_tui.exports import archive_name
    from stores.archive import export_campaign
    from stores.authority import Role

    async with library(home) as stores:
        universes = await stores.canon(Role.CONTEXT_ASSEMBLY).universes()
        universe = the_one("universe", name, [(each.id, each.name, each) for each in universes])
        path = to or Path(archive_name(universe.name))
        await export_campaign(stores, universe.id, path)
        return path


async def _import(home: Path, archive: Path) -> str:
    from stores.archive import import_campaign

    async with library(home) as stores:
        return (await import_campaign(stores, archive)).name
