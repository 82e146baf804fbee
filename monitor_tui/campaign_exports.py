"""Where a campaign is exported to from the screen, and what its archive is called."""

from __future__ import annotations

import asyncio
from pathlib import Path

from stores.archive import export_campaign
from stores.authority import Role
from stores.errors import ArchiveError
from stores.open import Stores
from stores.records.ids import Clock, Id


def archive_name(name: str) -> str:
    """Return the file name of a campaign's archive: letters and digits of its name, hyphens for the rest."""
    slug = "-".join("".join(c if c.isalnum() else " " for c in name.casefold()).split())
    return f"{slug or 'campaign'}.monitor.zip"


async def export_universe(stores: Stores, home: Path, clock: Clock, universe_id: Id) -> str:
    """Write a universe, whole, to `exports` in the home folder; one of the same day gives way to it.

    Returns the archive's path. Raises NotFound, StoreFull, ArchiveError.
    """
    universe = await stores.canon(Role.CONTEXT_ASSEMBLY).universe(universe_id)
    folder = home / "exports"
    try:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    except OSError as error:
        raise ArchiveError(
            f"{folder} cannot be made: {error.strerror}.", kept="Nothing was written.", todo="Make room."
        ) from error
    path = folder / f"{clock():%Y-%m-%d}-{archive_name(universe.name)}"
    archive = await export_campaign(stores, universe_id, path, clock=clock)
    missing_note = f" (originals that are gone: {len(archive.missing)})" if archive.missing else ""
    return f"{archive.path}{missing_note}"
