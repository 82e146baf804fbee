"""`monitor migrate` and `monitor reindex`: copying stores, and rebuilding indexes; see docs/backups.md."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitor_tui.cli.common import (
    AsJson,
    Home,
    command_group,
    count_text,
    exit_with_error,
    open_library,
    print_json,
    print_progress,
    print_warning,
    resolve_home,
    run_command,
)
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.indexer.index_check import IndexDifference
    from stores.backup.tally import CollectionSum
    from stores.records.ids import Id
    from stores.store_migration import MigrationReport

commands = command_group()


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
    """Copy every universe and document from one set of stores to another, compared record by record."""
    source = resolve_home(context, home)
    target = to_home.expanduser().absolute() if to_home else source
    if source.resolve() == target.resolve():
        raise InputError(
            "Source and target have the same home, and stores on servers keep a copy in theirs.",
            kept="Nothing was changed.",
            todo="Name a new home for the target with --to-home, and go on in that one.",
        )
    migration = run_command(_migrate_stores(from_, source, to, target, dry_run))
    if as_json:
        print_json(_migration_json(migration, dry_run))
    for name in migration.missing_objects:
        print_warning(f"{name} was lost or damaged before, and is not in the target.")
    present_count = sum(universe.is_in_target for universe in migration.universes)
    if not migration.is_complete:
        missing = f"{len(migration.universes) - present_count} of {count_text(len(migration.universes), 'universe')}"
        todo = "Correct the problems above, and migrate again: what is there is skipped."
        exit_with_error(f"{missing} could not be brought over. The source is unchanged. {todo}")
    if not as_json:
        print(
            f"{count_text(present_count, 'universe')} {'looked at' if dry_run else 'there, equal in both'}."
        )


@commands.command()
def reindex(
    context: typer.Context,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Leave the vectors (search by meaning) as they are.")
    ] = False,
    from_nothing: Annotated[
        bool, typer.Option("--from-nothing", help="Make every vector again, also those that are right.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compare every item, say what differs, and change nothing.")
    ] = False,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Rebuild the search indexes. Searches use the old ones until it is done.

    It may be stopped at any time: what was done stands, and the next time goes on from there. With --check, the exit
    code is 0 if all agree and 1 if not.
    """
    if check:
        _check_indexes(resolve_home(context, home), words_only, as_json)
        return
    counts, problem = run_command(_rebuild_indexes(resolve_home(context, home), words_only, from_nothing))
    if as_json:
        print_json(counts)
    else:
        text_count, vectors = (sum((counts[kind] or {}).values()) for kind in ("words", "vectors"))
        print(
            f"{count_text(text_count, 'text')} can be searched{f', {vectors:,} by meaning, too' if vectors else ''}."
        )
    if problem:
        exit_with_error(f"{problem} Search goes by words alone until then.")


def _check_indexes(home: Path, words_only: bool, as_json: bool) -> None:
    differences, names_by_id = run_command(_find_differences(home, words_only))
    if as_json:
        print_json(
            [
                {
                    **difference._asdict(),
                    "universe": names_by_id.get(difference.universe_id),
                }
                for difference in differences
            ]
        )
    else:
        for difference in differences:
            print(_difference_text(difference, names_by_id))
    if differences:
        exit_with_error(
            "The indexes differ from log and canon. Nothing was changed. MONITOR indexes what is new while it is open; "
            "monitor reindex mends the rest."
        )
    if not as_json:
        print("The indexes agree with log and canon.")


async def _find_differences(home: Path, words_only: bool) -> tuple[list[IndexDifference], dict[Id, str]]:
    """Return where the indexes differ, and the names of all universes."""
    from monitor_tui.background_jobs import check_all_indexes
    from stores.authority import Role

    async with open_library(home) as stores:
        differences = await check_all_indexes(stores, print_progress, words_only=words_only)
        universes = (await stores.canon(Role.INDEXER).readable_universes()).records
        return differences, {universe.id: universe.name for universe in universes}


def _difference_text(difference: IndexDifference, names_by_id: Mapping[Id, str]) -> str:
    counts = (
        (difference.missing, "missing"),
        (difference.outdated, "out of date"),
        (difference.surplus, "too many"),
    )
    count_texts = ", ".join(f"{count:,} {label}" for count, label in counts if count)
    universe_name = names_by_id.get(difference.universe_id, "no universe of the library")
    examples = "".join(f"\n    {example}" for example in difference.examples)
    return f"{universe_name}, {difference.index_name}: {difference.collection}: {count_texts}{examples}"


async def _rebuild_indexes(
    home: Path, words_only: bool, from_nothing: bool
) -> tuple[dict[str, dict[str, int] | None], str]:
    """Return how many items each collection has, and what kept the vectors from being made."""
    from agents.indexer.embedding_port import EmbedderUnavailable
    from monitor_tui.background_jobs import rebuild_word_index
    from monitor_tui.background_mode import BackgroundMode
    from monitor_tui.compose import open_program

    program = await open_program(home, mode=BackgroundMode.OFF if words_only else BackgroundMode.QUERY)
    try:
        counts: dict[str, dict[str, int] | None] = {
            "words": await rebuild_word_index(program.stores, print_progress)
        }
        counts["vectors"] = None
        if not words_only:
            try:
                assert program.background_jobs is not None
                counts["vectors"] = await program.background_jobs.rebuild_vectors(
                    print_progress, from_nothing
                )
            except EmbedderUnavailable as error:
                return counts, f"The vectors could not be made: {error}"
        return counts, ""
    finally:
        await program.close()


async def _migrate_stores(from_: str, source: Path, to: str, target: Path, dry_run: bool) -> MigrationReport:
    from stores.open import ALL_STORES_VARIABLE, open_stores, read_store_kinds
    from stores.store_migration import migrate_stores as bring_over

    kinds = [read_store_kinds({ALL_STORES_VARIABLE: name}) for name in (from_, to)]
    source_stores = await open_stores(source, kinds=kinds[0], environ=os.environ, on_progress=print_progress)
    try:
        target_stores = await open_stores(
            target, kinds=kinds[1], environ=os.environ, on_progress=print_progress
        )
        try:
            return await bring_over(source_stores, target_stores, dry_run=dry_run, on_progress=print_progress)
        finally:
            await target_stores.close()
    finally:
        await source_stores.close()


def _migration_json(migration: MigrationReport, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "complete": migration.is_complete,
        "objects": migration.copied_objects,
        "lost": list(migration.missing_objects),
        "universes": [
            {
                "id": universe.id,
                "name": universe.name,
                "fate": universe.outcome.value,
                "why": universe.reason,
                "source": _sums_json(universe.source_sums),
                "target": _sums_json(universe.target_sums),
            }
            for universe in migration.universes
        ],
    }


def _sums_json(sums: dict[str, CollectionSum]) -> dict[str, dict[str, Any]]:
    return {
        name: {"records": collection_sum.record_count, "sha256": collection_sum.hex_digest}
        for name, collection_sum in sums.items()
    }
