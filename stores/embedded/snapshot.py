"""Opens a copy of a library as it is at this moment, to read it where the library itself cannot be opened.

That is: beside a program that has it open, on a read-only disk, and on a full one.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import closing
from pathlib import Path

import apsw

from stores.embedded.connections import check_header
from stores.embedded.database import Database
from stores.embedded.library import APPLICATION_ID
from stores.embedded.migrations import COLLECTION_OF_TABLE, MIGRATIONS
from stores.embedded.sqlite_errors import translate_sqlite_errors
from stores.embedded.write_ahead_log import check_log
from stores.errors import NotFound


async def open_library_copy(path: Path, folder: Path) -> Database:
    """Copy the library at `path` into the folder and open it there. Raises NotFound, StoreError and OSError."""
    copy = folder / path.name
    await asyncio.to_thread(_copy_library, path, copy)
    return await Database.open(
        copy,
        store_of_table=COLLECTION_OF_TABLE,
        migrations=MIGRATIONS,
        application_id=APPLICATION_ID,
        durability="OFF",
    )


def _copy_library(path: Path, target: Path) -> None:
    if not path.is_file():
        raise NotFound(f"There is no library in {path.parent}.")
    path = path.resolve()
    check_log(path)
    check_header(path, APPLICATION_ID, newest=len(MIGRATIONS))
    with translate_sqlite_errors(path):
        try:
            _copy_open_library(path, target)
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
            # SQLite needs a file beside it to read it. Where none can be made nobody writes either.
            for suffix in ("", "-wal"):
                file = path.with_name(path.name + suffix)
                if file.exists():
                    shutil.copyfile(file, target.with_name(target.name + suffix))


def _copy_open_library(path: Path, target: Path) -> None:
    with (
        closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as source,
        closing(apsw.Connection(str(target))) as copy,
    ):
        source.set_busy_timeout(5_000)
        source.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        with copy.backup("main", source, "main") as backup:
            backup.step()
