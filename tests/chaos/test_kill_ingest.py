"""`monitor ingest` is killed again and again while it reads books: begun anew, it leaves what one reading does.

Its processes behind play, and those that read documents, end with it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pytest

from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import open_program
from stores.authority import Role
from stores.records.sources import SourceState
from tests.agents.ingest.reading_in import write_book
from tests.agents.ingest.test_ingest_worker import CHAPTER, comparable, read_records

KILLS: Final = int(os.environ.get("MONITOR_CHAOS_INGEST_KILLS", "40"))
"""A hundred take eight minutes, which all that runs in CI has no room for."""
KILLS_PER_BOOK: Final = 10
BOOK: Final = "".join(CHAPTER.format(n=n, filler=f"The tide turns at stone {n}. " * 30) for n in range(60))
RUN_SECONDS: Final = 120.0

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3_600)]


def start_ingest(home: Path, book: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        (sys.executable, "-m", "monitor_tui", "--home", str(home), "ingest", book, "--universe", "Salt"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def make_home(home: Path) -> Path:
    home.mkdir()
    (home / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    return home


async def read_only_source(home: Path) -> list[Any]:
    program = await open_program(home, mode=BackgroundMode.OFF)
    try:
        (source,) = await program.stores.log(Role.INGEST).sources()
        return await read_records(program, source.id)
    finally:
        await program.close()


async def test_document_is_whole_however_often_the_command_is_killed(tmp_path: Path) -> None:
    book, dice = write_book(tmp_path, BOOK), random.Random(20_261_126)
    undisturbed_home = make_home(tmp_path / "undisturbed")
    started_at = monotonic()
    assert start_ingest(undisturbed_home, book).wait(RUN_SECONDS) == 0
    whole_seconds = monotonic() - started_at
    undisturbed = comparable(await read_only_source(undisturbed_home))
    kills = runs = 0
    while kills < KILLS:
        runs += 1
        home = make_home(tmp_path / f"home{runs}")
        for _ in range(KILLS_PER_BOOK):
            process = start_ingest(home, book)
            try:
                process.wait(dice.uniform(0.1, whole_seconds))
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                kills += 1
        assert start_ingest(home, book).wait(RUN_SECONDS) == 0
        records = await read_only_source(home)
        assert records[0].state is SourceState.DONE
        assert comparable(records) == undisturbed, f"after {kills} kills"
        assert all(snippet.stage and snippet.anchors for snippet in records[2])
    print(f"{kills} kills over {runs} books; one takes {whole_seconds:.1f} s undisturbed")
