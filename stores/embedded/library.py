"""Opens `library.db`, which has the canon graph and the narrative log."""

from __future__ import annotations

from pathlib import Path

from stores.embedded.database import Database
from stores.embedded.followed_database import FollowedDatabase
from stores.embedded.migrations import COLLECTION_OF_TABLE, MIGRATIONS
from stores.errors import LibraryUnreadable

APPLICATION_ID = 0x4D4F4E31  # "MON1"


def refuse_new_library(home: Path) -> None:
    """Raise LibraryUnreadable if `library.db` is gone or empty while what belonged to it is still there.

    A new library in its place would look as if nothing had happened, and its backups push out the old ones.
    """
    library_path = home / "library.db"
    if library_path.exists() and library_path.stat().st_size:
        return
    remains = [
        name for name in ("library.db-wal", "index.db", "objects", "backups") if _has_content(home / name)
    ]
    if remains:
        state = "is empty" if library_path.exists() else "is gone"
        raise LibraryUnreadable(
            f"{library_path} {state}, and {', '.join(remains)} of the library that it was "
            f"{'is' if len(remains) == 1 else 'are'} still there.",
            kept="Nothing was changed.",
            todo="Bring a backup back into a new folder: monitor restore FILE --into FOLDER. To begin anew here, "
            "move what is left to another place first.",
        )


def _has_content(path: Path) -> bool:
    if path.is_dir():
        files = (file for file in path.rglob("*") if file.is_file())
        return any(not part.startswith(".") for file in files for part in file.relative_to(path).parts[:1])
    return path.is_file() and path.stat().st_size > 0


async def follow_library(path: Path) -> FollowedDatabase:
    """Open the library file at `path` beside the process that has it. Raises LibraryUnreadable or StoreError."""
    return await FollowedDatabase.open(
        path,
        store_of_table=COLLECTION_OF_TABLE,
        application_id=APPLICATION_ID,
        version=len(MIGRATIONS),
    )


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
