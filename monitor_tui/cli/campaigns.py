"""`monitor export` and `monitor import`: one campaign out of a library and into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from monitor_tui.cli.common import Home, command_group, find_one, open_library, resolve_home, run_command

commands = command_group()


@commands.command("export")
def export_command(
    context: typer.Context,
    universe: Annotated[str, typer.Argument(help="The universe's name.")],
    to: Annotated[Path | None, typer.Option("--to", help="The archive to write.")] = None,
    home: Home = None,
) -> None:
    """Export a whole campaign to a .monitor.zip archive."""
    path = run_command(_export_universe(resolve_home(context, home), universe, to))
    print(f"Exported to {path}")


@commands.command("import")
def import_command(
    context: typer.Context,
    archive: Annotated[Path, typer.Argument(help="A .monitor.zip archive.")],
    home: Home = None,
) -> None:
    """Import a campaign from an archive."""
    name = run_command(_import_archive(resolve_home(context, home), archive))
    print(f"Imported {name}")


async def _export_universe(home: Path, name: str, to: Path | None) -> Path:
    from monitor_tui.campaign_exports import archive_name
    from stores.archive import export_campaign
    from stores.authority import Role

    async with open_library(home, for_reading=True) as stores:
        universes = (await stores.canon(Role.CONTEXT_ASSEMBLY).readable_universes()).records
        universe = find_one("universe", name, [(each.id, each.name, each) for each in universes])
        path = to or Path(archive_name(universe.name))
        await export_campaign(stores, universe.id, path)
        return path


async def _import_archive(home: Path, archive: Path) -> str:
    from stores.archive import import_campaign

    async with open_library(home) as stores:
        return (await import_campaign(stores, archive)).name
