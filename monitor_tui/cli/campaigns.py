"""`monitor export` and `monitor import`: one campaign out of a library and into another."""

from __future__ import annotations

import itertools
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from monitor_tui.cli.common import (
    Home,
    command_group,
    find_one,
    find_universe,
    open_library,
    open_services,
    resolve_home,
    run_command,
    write_new_file,
)
from monitor_tui.paths import ARCHIVE_SUFFIX
from stores.errors import InputError

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
    to: Annotated[Path | None, typer.Option("--to", help="A new file to write.")] = None,
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
    grid_map: Annotated[
        str, typer.Option("--map", help="A grid map by its name, as svg or graphml, in place of relations.")
    ] = "",
    vault: Annotated[
        Path | None, typer.Option("--vault", help="A folder for an Obsidian vault, in place of an archive.")
    ] = None,
    wiki: Annotated[
        Path | None,
        typer.Option("--wiki", help="A folder for a web site, which a browser opens from the disk."),
    ] = None,
    lorebook: Annotated[
        Path | None,
        typer.Option("--lorebook", help="A new file for the world's lore entries (World Info, JSON)."),
    ] = None,
    statblocks: Annotated[
        Path | None,
        typer.Option("--statblocks", help="A new file for people and beasts (Fantasy Statblocks, JSON)."),
    ] = None,
    secrets: Annotated[
        bool, typer.Option("--secrets", help="With the world's secrets, which a vault and a wiki leave out.")
    ] = False,
    home: Home = None,
) -> None:
    """Export a whole campaign to a .monitor.zip archive, to a folder to read and edit, or its relations to a file."""
    home_path = resolve_home(context, home)
    is_diagram = format is not ExportFormat.ARCHIVE
    if (
        sum(path is not None for path in (to, vault, wiki, lorebook, statblocks))
        + (is_diagram and to is None)
        > 1
    ):
        raise InputError("That is more than one export.", kept="Nothing was written.", todo="One at a time.")
    if at and not is_diagram:
        raise InputError(
            "An archive has all times: --at is for svg and graphml.", kept="Nothing was written."
        )
    if grid_map and (at or not is_diagram):
        raise InputError("A grid map is written with --as svg or graphml.", kept="Nothing was written.")
    if lorebook is not None:
        write_new_file(lorebook, run_command(_write_lorebook(home_path, universe, secrets)))
        print(f"Exported to {lorebook}")
        return
    if statblocks is not None:
        write_new_file(statblocks, run_command(_write_statblocks(home_path, universe, secrets)))
        print(f"Exported to {statblocks}")
        return
    if vault is not None or wiki is not None:
        print("\n".join(run_command(_export_folder(home_path, universe, vault, wiki, secrets))))
        return
    if is_diagram:
        path = run_command(_export_diagram(home_path, universe, format, to, at, grid_map))
    else:
        path = run_command(_export_universe(home_path, universe, to))
    print(f"Exported to {path}")


@commands.command("sync")
def sync_command(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A vault that monitor export --vault wrote.")],
    home: Home = None,
) -> None:
    """Bring what you edited in a vault back as proposals: they wait at the gate of its world."""
    print("\n".join(run_command(_sync_vault(resolve_home(context, home), folder))))


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
        path = to or _find_new_path(archive_name(universe.name))
        if path.exists():
            raise InputError(f"{path} is there already.", kept="It is as it was.", todo="Name another file.")
        await export_campaign(stores, universe.id, path)
        return path


def _find_new_path(name: str) -> Path:
    """Return a path in this folder that nothing has: the second archive of a name gets a number."""
    stem = name.removesuffix(ARCHIVE_SUFFIX)
    numbered_names = (f"{stem}-{number}{ARCHIVE_SUFFIX}" for number in itertools.count(2))
    return next(path for path in map(Path, itertools.chain([name], numbered_names)) if not path.exists())


async def _export_folder(
    home: Path, name: str, vault: Path | None, wiki: Path | None, with_secrets: bool
) -> tuple[str, ...]:
    program = await open_services(home, for_reading=True)
    try:
        universe = await find_universe(program.services, name)
        exports = program.services.open_exports()
        if vault is not None:
            report = await exports.export_vault(universe.id, str(vault), with_secrets=with_secrets)
        else:
            report = await exports.export_wiki(universe.id, str(wiki), with_secrets=with_secrets)
        return report.lines
    finally:
        await program.close()


async def _write_lorebook(home: Path, name: str, with_secrets: bool) -> bytes:
    program = await open_services(home, for_reading=True)
    try:
        universe = await find_universe(program.services, name)
        exports = program.services.open_exports()
        return (await exports.write_lorebook(universe.id, with_secrets=with_secrets))[1]
    finally:
        await program.close()


async def _write_statblocks(home: Path, name: str, with_secrets: bool) -> bytes:
    program = await open_services(home, for_reading=True)
    try:
        universe = await find_universe(program.services, name)
        exports = program.services.open_exports()
        return (await exports.write_statblocks(universe.id, with_secrets=with_secrets))[1]
    finally:
        await program.close()


async def _sync_vault(home: Path, folder: Path) -> tuple[str, ...]:
    program = await open_services(home)
    try:
        return (await program.services.open_exports().sync_vault(str(folder))).lines
    finally:
        await program.close()


async def _export_diagram(
    home: Path, name: str, format: ExportFormat, to: Path | None, at: str, grid_map: str
) -> Path:
    from agents.diagrams.relation_graph import MapSelection
    from agents.services.relation_graph import GraphFormat
    from monitor_tui.campaign_exports import slug

    program = await open_services(home, for_reading=True)
    try:
        universe = await find_universe(program.services, name)
        world, graph_format = program.services.world, GraphFormat(format.value)
        if grid_map:
            text = await world.grid_maps.render_map(universe.id, grid_map, graph_format)
        else:
            selection = MapSelection(is_whole=True)
            text = await world.relation_graph.render_graph(universe.id, selection, graph_format, at)
    finally:
        await program.close()
    path = to or Path(f"{slug(universe.name) or 'campaign'}-{slug(grid_map) or 'relations'}.{format}")
    write_new_file(path, text.encode())
    return path


async def _import_archive(home: Path, archive: Path) -> str:
    from stores.archive import import_campaign

    async with open_library(home) as stores:
        return (await import_campaign(stores, archive)).name
