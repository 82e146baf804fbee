"""`monitor backup`, `monitor verify` and `monitor restore`; see docs/backups.md."""

from __future__ import annotations

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
    size_text,
    warn_of_unknown_settings,
)
from monitor_tui.paths import ARCHIVE_SUFFIX
from stores.errors import RESTORE_ADVICE, InputError, MonitorError

if TYPE_CHECKING:
    from stores.backup.restoring import RestoredUniverse
    from stores.backup.writing import WrittenBackup

commands = command_group()

BACKUP_SUFFIX = ".backup.zip"


@commands.command()
def backup(
    context: typer.Context,
    to: Annotated[Path | None, typer.Option("--to", help="The folder that backups stand in.")] = None,
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, help="How many of the newest to keep, beside one a month.")
    ] = None,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Back up the whole library to one file, and check it."""
    written_backup = run_command(
        _write_backup(resolve_home(context, home), to.expanduser().absolute() if to else None, keep)
    )
    if as_json:
        print_json(_backup_json(written_backup))
    else:
        print(_backup_lines(written_backup))
    if written_backup.manifest.missing:
        missing = count_text(len(written_backup.manifest.missing), "object")
        print_warning(
            f"{missing} could not be backed up, lost or damaged before: {', '.join(written_backup.manifest.missing)}."
        )
    if written_backup.unremovable_paths:
        print_warning(
            f"{count_text(len(written_backup.unremovable_paths), 'older backup')} could not be removed: "
            f"{written_backup.unremovable_paths[0]} ..."
        )
    if written_backup.left_out:
        left_out = " ".join(f"“{one.name}” is not in it: {one.problem}" for one in written_backup.left_out)
        exit_with_error(f"{left_out} Its older backups are kept. {RESTORE_ADVICE}")


@commands.command()
def verify(
    path: Annotated[Path, typer.Argument(help="A backup or campaign archive, or a folder of them.")],
    as_json: AsJson = False,
) -> None:
    """Check every byte of backups and archives."""
    files = _files_to_verify(path)
    if not files:
        raise InputError(
            f"There is no backup or archive in {path}.",
            todo=f"They end in {BACKUP_SUFFIX} or {ARCHIVE_SUFFIX}.",
        )
    reports = [_verify_file(file) for file in files]
    if as_json:
        print_json(reports)
    else:
        for report in reports:
            print(f"{'whole    ' if report['whole'] else 'DAMAGED  '} {report['path']}: {report['says']}")
    if damaged_files := [one for one in reports if not one["whole"]]:
        exit_with_error(f"{len(damaged_files)} of {count_text(len(reports), 'file')} cannot be used.")


@commands.command()
def restore(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file that `monitor backup` wrote.")],
    universe: Annotated[str | None, typer.Option("--universe", help="Restore this one alone.")] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="A new home folder to restore into.", file_okay=False)
    ] = None,
    as_json: AsJson = False,
    home: Home = None,
) -> None:
    """Restore a backup's universes; one that exists already is restored as a copy beside it."""
    home_path = resolve_home(context, home) if into is None else into.expanduser().absolute()
    if into is not None:
        _require_new_home(home_path)
    restored_universes = run_command(_restore_backup(home_path, path, universe, new=into is not None))
    if as_json:
        print_json(
            [
                {"id": r.universe_id, "name": r.name, "copy": r.is_copy, "counts": r.counts}
                for r in restored_universes
            ]
        )
        return
    for restored_universe in restored_universes:
        kind = "beside the one that is there, as" if restored_universe.is_copy else "as it was:"
        print(
            f"Restored {kind} “{restored_universe.name}” "
            f"({count_text(sum(restored_universe.counts.values()), 'record')})."
        )
    print(f"Read back and compared: all of it is there. The library is {home_path}")


# --- backup -----------------------------------------------------------------------------------------


async def _write_backup(home: Path, to: Path | None, keep: int | None) -> WrittenBackup:
    from monitor_tui.settings import read_settings
    from stores.backup.folder import derive_library_id
    from stores.backup.writing import write_backup

    warn_of_unknown_settings(home)
    settings = read_settings(home).backup
    async with open_library(home, for_reading=True) as stores:
        return await write_backup(
            stores, to or settings.place(home), library_id=derive_library_id(home), keep=keep or settings.keep
        )


def _backup_json(written_backup: WrittenBackup) -> dict[str, Any]:
    return {
        "path": str(written_backup.path),
        "bytes": written_backup.size,
        "made_at": written_backup.manifest.made_at.isoformat(),
        "one_moment": written_backup.manifest.one_moment,
        "universes": [universe.model_dump(mode="json") for universe in written_backup.manifest.universes],
        "missing": list(written_backup.manifest.missing),
        "left_out": [{"name": one.name, "problem": one.problem} for one in written_backup.left_out],
        "removed": [str(path) for path in written_backup.removed_paths],
        "unremoved": [str(path) for path in written_backup.unremovable_paths],
    }


def _backup_lines(written_backup: WrittenBackup) -> str:
    universes = written_backup.manifest.universes
    records = sum(sum(universe.counts.values()) for universe in universes)
    moment = "all of one moment" if written_backup.manifest.one_moment else "each universe of one moment"
    contents_text = (
        f"{count_text(len(universes), 'universe')} ({count_text(records, 'record')}, "
        f"{size_text(written_backup.size)})"
    )
    lines = [
        f"Backed up {contents_text}, {moment}.",
        f"Written and read back whole: {written_backup.path}",
    ]
    if written_backup.removed_paths:
        lines.append(f"{count_text(len(written_backup.removed_paths), 'older backup')} made room.")
    return "\n".join(lines)


# --- verify -----------------------------------------------------------------------------------------


def _files_to_verify(path: Path) -> list[Path]:
    if not path.exists():
        raise InputError(f"There is no {path}.", todo="Check the name.")
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.iterdir()
        if file.name.endswith((BACKUP_SUFFIX, ARCHIVE_SUFFIX)) and file.is_file()
    )


def _verify_file(path: Path) -> dict[str, Any]:
    from stores.archive import verify_campaign
    from stores.backup.restoring import verify_backup as verify_backup

    report: dict[str, Any] = {"path": str(path), "whole": True}
    try:
        if path.name.endswith(ARCHIVE_SUFFIX):
            campaign = verify_campaign(path)
            counts, names, at = campaign.counts, [campaign.name], campaign.exported_at
            kind, missing = "campaign", campaign.missing
        else:
            manifest = verify_backup(path)
            counts = {u.id: sum(u.counts.values()) for u in manifest.universes}
            names, at = [u.name for u in manifest.universes], manifest.made_at
            kind, missing = "backup", manifest.missing
    except MonitorError as error:
        return report | {"whole": False, "says": error.what, "todo": error.todo}
    records = sum(counts.values())
    summary = f"{', '.join(names)} ({count_text(records, 'record')}), {at.astimezone():%Y-%m-%d %H:%M}"
    if missing:
        summary += f"; {count_text(len(missing), 'object')} lost before it was written"
    details = {"kind": kind, "universes": names, "records": records, "made_at": at.isoformat()}
    return report | {"says": summary, **details, "missing": list(missing)}


# --- restore ----------------------------------------------------------------------------------------


async def _restore_backup(
    home: Path, path: Path, universe: str | None, *, new: bool
) -> list[RestoredUniverse]:
    from monitor_tui.compose import derived_id_readers
    from stores.authority import Role
    from stores.backup.restoring import restore_backup

    async with open_library(home) as stores:
        if new and await stores.canon(Role.CONTEXT_ASSEMBLY).universes():
            raise _not_empty_error(home)
        return await restore_backup(
            stores,
            path,
            only_universe=universe,
            derivation_finders=derived_id_readers(),
            on_progress=print_progress,
        )


def _require_new_home(home: Path) -> None:
    """Refuse a folder that holds anything but a library, before one is made in it."""
    if home.is_dir() and any(home.iterdir()) and not (home / "library.db").exists():
        raise _not_empty_error(home)


def _not_empty_error(home: Path) -> InputError:
    return InputError(
        f"{home} is not empty, and a new home has to be.",
        kept="Nothing was changed.",
        todo="Name another folder; or leave --into out to restore beside what a library has.",
    )
