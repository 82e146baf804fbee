"""`monitor backup`, `monitor verify` and `monitor restore`; see docs/backups.md."""

from __future__ import annotations

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
    size,
    warn,
)
from stores.errors import InputError, MonitorError

if TYPE_CHECKING:
    from stores.backup import BackedUp
    from stores.backup_restore import Restored

commands = group()

ARCHIVE = ".monitor.zip"
BACKUP = ".backup.zip"


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
    """Write everything that is true in the library to one file, and read it back."""
    done = run(_backup(home_of(context, home), to.expanduser().absolute() if to else None, keep))
    if as_json:
        print_json(_backed_up(done))
    else:
        print(_in_words(done))
    if done.manifest.missing:
        missing = count(len(done.manifest.missing), "object")
        warn(f"{missing} could not be backed up, lost or damaged before: {', '.join(done.manifest.missing)}.")
    if done.unremoved:
        warn(f"{count(len(done.unremoved), 'older backup')} could not be removed: {done.unremoved[0]} ...")


@commands.command()
def verify(
    path: Annotated[Path, typer.Argument(help="A backup or campaign archive, or a folder of them.")],
    as_json: AsJson = False,
) -> None:
    """Read every byte of backups and archives, and say which are whole."""
    found = _files(path)
    if not found:
        raise InputError(
            f"There is no backup or archive in {path}.", todo=f"They end in {BACKUP} or {ARCHIVE}."
        )
    told = [_verified(file) for file in found]
    if as_json:
        print_json(told)
    else:
        for one in told:
            print(f"{'whole    ' if one['whole'] else 'DAMAGED  '} {one['path']}: {one['says']}")
    if damaged := [one for one in told if not one["whole"]]:
        fail(f"{len(damaged)} of {count(len(told), 'file')} cannot be used.")


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
    """Bring a backup's universes back, never over what is there: one that is there comes in as a copy."""
    where = home_of(context, home) if into is None else into.expanduser().absolute()
    if into is not None:
        _must_be_new(where)
    back = run(_restore(where, path, universe, new=into is not None))
    if as_json:
        print_json(
            [{"id": r.universe_id, "name": r.name, "copy": r.is_copy, "counts": r.counts} for r in back]
        )
        return
    for one in back:
        kind = "beside the one that is there, as" if one.is_copy else "as it was:"
        print(f"Restored {kind} “{one.name}” ({count(sum(one.counts.values()), 'record')}).")
    print(f"Read back and compared: all of it is there. The library is {where}")


# --- backup -----------------------------------------------------------------------------------------


async def _backup(home: Path, to: Path | None, keep: int | None) -> BackedUp:
    from monitor_tui.settings import read_settings
    from stores.backup import back_up
    from stores.backup_shelf import library_of

    settings = read_settings(home).backup
    async with library(home) as stores:
        return await back_up(
            stores, to or settings.place(home), library=library_of(home), keep=keep or settings.keep
        )


def _backed_up(done: BackedUp) -> dict[str, Any]:
    return {
        "path": str(done.path),
        "bytes": done.size,
        "made_at": done.manifest.made_at.isoformat(),
        "one_moment": done.manifest.one_moment,
        "universes": [universe.model_dump(mode="json") for universe in done.manifest.universes],
        "missing": list(done.manifest.missing),
        "removed": [str(path) for path in done.removed],
        "unremoved": [str(path) for path in done.unremoved],
    }


def _in_words(done: BackedUp) -> str:
    universes = done.manifest.universes
    records = sum(sum(universe.counts.values()) for universe in universes)
    moment = "all of one moment" if done.manifest.one_moment else "each universe of one moment"
    held = f"{count(len(universes), 'universe')} ({count(records, 'record')}, {size(done.size)})"
    words = [
        f"Backed up {held}, {moment}.",
        f"Written and read back whole: {done.path}",
    ]
    if done.removed:
        words.append(f"{count(len(done.removed), 'older backup')} made room.")
    return "\n".join(words)


# --- verify -----------------------------------------------------------------------------------------


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise InputError(f"There is no {path}.", todo="Check the name.")
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.name.endswith((BACKUP, ARCHIVE)) and file.is_file())


def _verified(path: Path) -> dict[str, Any]:
    from stores.archive import verify_campaign
    from stores.backup_restore import verify as verify_backup

    told: dict[str, Any] = {"path": str(path), "whole": True}
    try:
        if path.name.endswith(ARCHIVE):
            campaign = verify_campaign(path)
            counts, names, at = campaign.counts, [campaign.name], campaign.exported_at
            kind, missing = "campaign", campaign.missing
        else:
            manifest = verify_backup(path)
            counts = {u.id: sum(u.counts.values()) for u in manifest.universes}
            names, at = [u.name for u in manifest.universes], manifest.made_at
            kind, missing = "backup", manifest.missing
    except MonitorError as error:
        return told | {"whole": False, "says": error.what, "todo": error.todo}
    records = sum(counts.values())
    says = f"{', '.join(names)} ({count(records, 'record')}), {at.astimezone():%Y-%m-%d %H:%M}"
    if missing:
        says += f"; {count(len(missing), 'object')} lost before it was written"
    rest = {"kind": kind, "universes": names, "records": records, "made_at": at.isoformat()}
    return told | {"says": says, **rest, "missing": list(missing)}


# --- restore ----------------------------------------------------------------------------------------


async def _restore(home: Path, path: Path, universe: str | None, *, new: bool) -> list[Restored]:
    from monitor_tui.compose import kins
    from stores.authority import Role
    from stores.backup_restore import restore

    async with library(home) as stores:
        if new and await stores.canon(Role.CONTEXT_ASSEMBLY).universes():
            raise _not_new(home)
        return await restore(stores, path, only=universe, kins=kins(), say=progress)


def _must_be_new(home: Path) -> None:
    """Refuse a folder that holds anything but a library, before one is made in it."""
    if home.is_dir() and any(home.iterdir()) and not (home / "library.db").exists():
        raise _not_new(home)


def _not_new(home: Path) -> InputError:
    return InputError(
        f"{home} is not empty, and a new home has to be.",
        kept="Nothing was changed.",
        todo="Name another folder; or leave --into out to restore beside what a library has.",
    )
