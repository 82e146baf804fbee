"""`monitor migrate` and `monitor reindex`: stores brought over, and made anew; see docs/backups.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitor_tui.cli_common import (
    AsJson,
    Home,
    count,
    fail,
    group,
    home_of,
    library,
    print_json,
    progress,
    run,
    warn,
)
from stores.errors import InputError

if TYPE_CHECKING:
    from stores.backup_tally import Sum
    from stores.migrate import Migrated

commands = group()


@commands.command()
def migrate(
    context: typer.Context,
    from_: Annotated[str, typer.Option("--from", metavar="KIND", help="embedded or servers.")],
    to: Annotated[str, typer.Option("--to", metavar="KIND", help="embedded or servers.")],
    to_home: Annotated[
        Path | None,
        typer.Option("--to-home", help="The home of the target: a new folder.", file_okay=False),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look at both sides and write nothing.")] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Bring every universe and document from one set of stores into another, compared record by record."""
    source = home_of(context, home)
    target = to_home.expanduser().absolute() if to_home else source
    if source.resolve() == target.resolve():
        raise InputError(
            "Source and target have the same home, and stores on servers keep a copy in theirs.",
            kept="Nothing was changed.",
            todo="Name a new home for the target with --to-home, and go on in that one.",
        )
    done = run(_migrate(from_, source, to, target, dry_run))
    if as_json:
        print_json(_as_json(done, dry_run))
    for name in done.lost:
        warn(f"{name} was lost or damaged before, and is not in the target.")
    there = sum(moved.is_there for moved in done.universes)
    if not done.complete:
        missing = f"{len(done.universes) - there} of {count(len(done.universes), 'universe')}"
        todo = "Mend what is said above, and migrate again: what is there is passed over."
        fail(f"{missing} could not be brought over. The source is unchanged. {todo}")
    if not as_json:
        print(f"{count(there, 'universe')} {'looked at' if dry_run else 'there, equal in both'}.")


@commands.command()
def reindex(context: typer.Context, as_json: AsJson = False, home: Home = None) -> None:
    """Make the search index's words anew from what is true. Searches find the old ones until it is done."""
    counts = run(_reindex(home_of(context, home)))
    if as_json:
        print_json(counts)
    else:
        print(f"{count(sum(counts.values()), 'text')} can be searched.")


async def _reindex(home: Path) -> dict[str, int]:
    from stores.reindex import reindex as make_anew

    async with library(home) as stores:
        return await make_anew(stores, say=progress)


async def _migrate(from_: str, source: Path, to: str, target: Path, dry_run: bool) -> Migrated:
    from stores.migrate import migrate as bring_over
    from stores.open import ALL_STORES, kinds_named, open_stores

    kinds = [kinds_named({ALL_STORES: name}) for name in (from_, to)]
    here = await open_stores(source, kinds=kinds[0], environ=os.environ, tell=progress)
    try:
        there = await open_stores(target, kinds=kinds[1], environ=os.environ, tell=progress)
        try:
            return await bring_over(here, there, dry_run=dry_run, say=progress)
        finally:
            await there.close()
    finally:
        await here.close()


def _as_json(done: Migrated, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "complete": done.complete,
        "objects": done.objects,
        "lost": list(done.lost),
        "universes": [
            {
                "id": moved.id,
                "name": moved.name,
                "fate": moved.fate.value,
                "why": moved.why,
                "source": _sums(moved.source),
                "target": _sums(moved.target),
            }
            for moved in done.universes
        ],
    }


def _sums(sums: dict[str, Sum]) -> dict[str, dict[str, Any]]:
    return {name: {"records": one.records, "sha256": one.hex} for name, one in sums.items()}
