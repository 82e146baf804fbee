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
def reindex(
    context: typer.Context,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Leave the vectors (search by meaning) as they are.")
    ] = False,
    from_nothing: Annotated[
        bool, typer.Option("--from-nothing", help="Make every vector again, also those that are right.")
    ] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Make the search indexes anew from what is true. Searches find the old words until it is done.

    It may be stopped at any time: what was done stands, and the next time goes on from there.
    """
    counts, trouble = run(_reindex(home_of(context, home), words_only, from_nothing))
    if as_json:
        print_json(counts)
    else:
        words, vectors = (sum((counts[kind] or {}).values()) for kind in ("words", "vectors"))
        print(f"{count(words, 'text')} can be searched{f', {vectors:,} by meaning, too' if vectors else ''}.")
    if trouble:
        fail(f"{trouble} Search goes by words alone until then.")


async def _reindex(
    home: Path, words_only: bool, from_nothing: bool
) -> tuple[dict[str, dict[str, int] | None], str]:
    """Return how many items each collection has, and what kept the vectors from being made."""
    from agents.indexer.port import EmbedderUnavailable
    from monitor_tui.behind import Work, words_anew
    from monitor_tui.compose import open_program

    program = await open_program(home, work=Work.NOTHING if words_only else Work.ASK)
    try:
        counts: dict[str, dict[str, int] | None] = {"words": await words_anew(program.stores, progress)}
        counts["vectors"] = None
        if not words_only:
            try:
                assert program.behind is not None
                counts["vectors"] = await program.behind.vectors_anew(progress, from_nothing)
            except EmbedderUnavailable as error:
                return counts, f"The vectors could not be made: {error}"
        return counts, ""
    finally:
        await program.close()


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
