"""Where campaigns, stories and pages are exported to from the screen, and what the files are called."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from monitor_tui.paths import ARCHIVE_SUFFIX
from stores.archive import export_campaign
from stores.authority import Role
from stores.errors import ArchiveError
from stores.open import Stores
from stores.records.ids import Clock, Id

MAX_SAME_NAME: Final = 1_000
"""Exports of one name on one day."""

MAX_SLUG_BYTES: Final = 120
"""Bytes of a name in a file's name: most file systems take 255 in all, and a letter may have four."""


def archive_name(name: str) -> str:
    """Return the file name of a campaign's archive: letters and digits of its name, hyphens for the rest."""
    return f"{slug(name) or 'campaign'}{ARCHIVE_SUFFIX}"


def slug(name: str) -> str:
    """Return letters and digits of a name, with hyphens for the rest, for the name of a file."""
    words = "-".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())
    return words.encode()[:MAX_SLUG_BYTES].decode(errors="ignore")


async def export_universe(stores: Stores, home: Path, clock: Clock, universe_id: Id) -> str:
    """Write a universe, whole, to `exports` in the home folder; one of the same day gives way to it.

    Returns the archive's path. Raises NotFound, StoreFull, ArchiveError.
    """
    universe = await stores.canon(Role.CONTEXT_ASSEMBLY).universe(universe_id)
    folder = home / "exports"
    try:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    except OSError as error:
        raise _write_error(folder, error) from error
    path = folder / f"{clock():%Y-%m-%d}-{archive_name(universe.name)}"
    archive = await export_campaign(stores, universe_id, path, clock=clock)
    missing_note = f" (originals that are gone: {len(archive.missing)})" if archive.missing else ""
    return f"{archive.path}{missing_note}"


async def save_story(home: Path, clock: Clock, title: str, file_ending: str, data: bytes) -> str:
    """Write a story to a new file in `exports` in the home folder; return its path. Raises ArchiveError."""
    name = f"{clock():%Y-%m-%d}-{slug(title) or 'story'}"
    return str(await asyncio.to_thread(_write_new_file, home / "exports", name, file_ending, data))


def name_export_folder(home: Path, name: str, form: str) -> str:
    """Return where a world of this name is exported to if the player names no other folder: always the same."""
    return str(home / "exports" / f"{slug(name) or 'campaign'}-{form}")


async def save_diagram(home: Path, clock: Clock, title: str, ending: str, text: str) -> str:
    """Write a diagram to a new file in `exports` in the home folder; return its path. Raises ArchiveError."""
    name = f"{clock():%Y-%m-%d}-{slug(title) or 'diagram'}"
    return str(await asyncio.to_thread(_write_new_file, home / "exports", name, ending, text.encode()))


async def save_page_picture(home: Path, clock: Clock, title: str, number: int, picture: bytes) -> str:
    """Write the picture (PNG) of a document's page to a new file in `exports`; return its path. Raises ArchiveError."""
    name = f"{clock():%Y-%m-%d}-{slug(title) or 'document'}-page-{number}"
    return str(await asyncio.to_thread(_write_new_file, home / "exports", name, ".png", picture))


def _write_new_file(folder: Path, name: str, ending: str, data: bytes) -> Path:
    """Write a file that no other gives way to: the second of a name gets a number."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, MAX_SAME_NAME):
            path = folder / f"{name}{f'-{number}' if number > 1 else ''}{ending}"
            try:
                file = path.open("xb")
            except FileExistsError:
                continue
            try:
                with file:
                    file.write(data)
            except OSError:  # half a story would look like all of it
                path.unlink(missing_ok=True)
                raise
            return path
    except OSError as error:
        raise _write_error(folder, error) from error
    raise ArchiveError(
        f"{folder} is full of exports of that name.", kept="Nothing was written.", todo="Move some."
    )


def _write_error(folder: Path, error: OSError) -> ArchiveError:
    return ArchiveError(
        f"{folder} cannot be written: {error.strerror}.",
        kept="Nothing was lost.",
        todo="Make room, and try again.",
    )
