"""What SQLite keeps aside during a write, to undo a statement that fails, is kept in memory and not in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from stores.authority import Role
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.library import open_library
from stores.queries import FactQuery
from tests.contract import builders as make

COMMITS, FACTS = 4, 200
"""Enough for each commit to change more pages than SQLite keeps in memory by itself (64 KB)."""


class _RecordingVfs(apsw.VFS):
    """Opens files as SQLite does, and notes those that are temporary: they have no name."""

    def __init__(self) -> None:
        self.base = apsw.vfs_names()[0]
        super().__init__("recording", self.base, makedefault=True)
        self.temporary_count = 0

    def xOpen(  # noqa: N802  (SQLite's name)
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        self.temporary_count += name is None
        return apsw.VFSFile(self.base, name, flags)


@pytest.fixture
def vfs() -> Iterator[_RecordingVfs]:
    recording = _RecordingVfs()
    yield recording
    recording.unregister()


async def test_commit_of_many_facts_opens_no_temporary_file(vfs: _RecordingVfs, tmp_path: Path) -> None:
    library = await open_library(tmp_path / "library.db")
    canon = EmbeddedCanon(library, Role.CANON_KEEPER)
    vfs.temporary_count = 0
    for commit in range(COMMITS):
        facts = [make.fact(f"The lamp {commit}.{number} is lit.") for number in range(FACTS)]
        await canon.commit(make.batch(facts=tuple(facts)))
    assert len(await canon.facts(make.UNIVERSE, FactQuery(limit=1_000))) == COMMITS * FACTS
    await library.close()
    assert vfs.temporary_count == 0
