"""Looking at a copy without its servers, and setting it aside so that the next opening makes a new one."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from stores.authority import Store
from stores.embedded.database import Database
from stores.embedded.leave import OUTBOX
from stores.embedded.library import open_library
from stores.errors import InputError
from stores.mirror.fill import put_in_place
from stores.mirror.outbox import TRUTH, Outbox, carry_over
from stores.mirror.place import Place, place_of, settle_in


class Look(NamedTuple):
    """What the copy in a home folder is of, and how much of it waits to be sent, by store."""

    place: Place
    waiting: Counter[Store]


async def look(home: Path) -> Look:
    """Look at the library in `home`. Raises LibraryInUse, or InputError if there is none."""
    library = await _open(home)
    try:
        outbox = Outbox(library, Counter())
        await outbox.count()
        return Look(await place_of(library), outbox.waiting)
    finally:
        await library.close()


async def set_aside(home: Path) -> Path:
    """Make the copy a library of its own under another name, and return its file.

    All that was played is in it; what waited to be sent of that is not sent any more. Documents and what is
    to be indexed still are. Raises LibraryInUse, or InputError if there is no library.
    """
    library = await _open(home)
    try:
        new = await open_library(home / "filling" / "library.db")
        mirror = (await place_of(library)).mirror  # by which the servers know that it was this one's turn
        try:
            await settle_in(new, Place(mirror=mirror))
            await carry_over(library, new, set(Store) - set(TRUTH))
        finally:
            await new.close()
        await settle_in(library, Place())
        await library.write_as_owner(lambda connection: connection.execute(f"DELETE FROM {OUTBOX}") and None)
    finally:
        await library.close()
    kept = await asyncio.to_thread(put_in_place, home, aside=True)
    assert kept is not None
    return kept


async def _open(home: Path) -> Database:
    path = home / "library.db"
    if not await asyncio.to_thread(path.exists):
        raise InputError(f"There is no library in {home}.", kept="Nothing was changed.")
    return await open_library(path)
