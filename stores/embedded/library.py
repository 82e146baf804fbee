"""Opens `library.db`, which has the canon graph and the narrative log."""

from __future__ import annotations

from pathlib import Path

from stores.embedded.database import Database
from stores.embedded.migrations import COLLECTION_OF_TABLE, MIGRATIONS

APPLICATION_ID = 0x4D4F4E31  # "MON1"


async def open_library(path: Path) -> Database:
    """Open the library file at `path`, created if absent, for this process alone.

    Raises LibraryUnreadable (the file is left alone) or LibraryInUse (naming who has it).
    """
    return await Database.open(
        path,
        store_of_table=COLLECTION_OF_TABLE,
        migrations=MIGRATIONS,
        application_id=APPLICATION_ID,
        exclusive=True,
    )
