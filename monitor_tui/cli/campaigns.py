"""`monitor export` and `monitor import`: one campaign out of a library and into another."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from monitor_tui.cli.common import (
    Home,
    command_group,
    find_one,
    open_library,
    open_services,
    resolve_home,
    run_command,
)
from stores.errors import ArchiveError, InputError

commands = command_group()


class ExportFormat(StrEnum):
    """What a campaign is exported as."""

    ARCHIVE = "archive"
    SVG = "svg"
    GRAPHML = "graphml"


@commands.command("export")
def export_command(
    context: typer.Context,
    universe: Annotated[str, typer.Argument(help="The universe's name.")],
    to: Annotated[Path | None, typer.Option("--to", help="The file to write.")] = None,
    format: Annotated[
        ExportFormat,
        typer.Option(
            "--as",
            help="The whole campaign, or its relations as a map (svg) or for other programs (graphml).",
        ),
    ] = ExportFormat.ARCHIVE,
    at: Annotated[
        str,
        typer.Option(
            "--at", help="Relations as they were: scene 3, day 3 dusk; without it, as they are now."
        ),
    ] = "",
    home: Home = None,
) -> None:
    """Export a whole campaign to a .monitor.zip archive, or its relations to a file."""
    home_path = resolve_home(context, home)
    if format is ExportFormat.ARCHIVE:
        if at:
            raise InputError(
                "An archive has all times: --at is for svg and graphml.", kept="Nothing was written."
            )
        path = run_command(_export_universe(home_path, universe, to))
    else:
        path = run_command(_export_relations(home_path, universe, format, to, at))
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


async def _export_relations(home: Path, name: str, format: ExportFormat, to: Path | None, at: str) -> Path:
    from agents.diagrams.relation_graph import MapSelection
    from agents.services.relation_graph import GraphFormat
    from monitor_tui.campaign_exports import slug

    program = await open_services(home, for_reading=True)
    try:
        universes = await program.services.stories.universes()
        universe = find_one("universe", name, [(each.id, each.name, each) for each in universes])
        text = await program.services.world.relation_graph.render_graph(
            universe.id, MapSelection(is_whole=True), GraphFormat(format.value), at
        )
    finally:
        await program.close()
    path = to or Path(f"{slug(universe.name) or 'campaign'}-relations.{format}")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArchiveError(
            f"{path} cannot be written: {error.strerror}.",
            kept="Nothing was lost.",
            todo="Name another file with --to.",
        ) from error
    return path


async def _import_archive(home: Path, archive: Path) -> str:
    from stores.archive import import_campaign

    async with open_library(home) as stores:
        return (await import_campaign(stores, archive)).name
