"""Documents are read by the process behind play; killed while it reads, it goes on, and leaves the same."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from agents.events import Event, IngestProgressed
from agents.story_outline import NewUniverse
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.records.sources import SourceState
from tests.agents.ingest.reading_in import write_book
from tests.agents.ingest.test_ingest_worker import BOOK, comparable, read_records, read_undisturbed
from tests.test_background_process import worker_pid

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def open_in_play(home: Path) -> Program:
    home.mkdir(exist_ok=True)  # noqa: ASYNC240 - nothing else runs
    (home / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    program = await open_program(home, mode=BackgroundMode.PLAY)
    program.services.jobs.start()
    return program


@pytest.mark.parametrize("kills", [0, 3])
async def test_document_is_read_behind_play_whatever_becomes_of_the_process(
    tmp_path: Path, kills: int
) -> None:
    undisturbed = await read_undisturbed(tmp_path)
    program = await open_in_play(tmp_path / "home")
    killed: list[int] = []

    def kill_at_progress(event: Event) -> None:
        pid = worker_pid(program)
        if isinstance(event, IngestProgressed) and pid and pid not in killed and len(killed) < kills:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    try:
        universe = await program.services.stories.create_universe(NewUniverse("Salt"))
        program.services.events.subscribe(kill_at_progress)
        (progress,) = await program.services.ingest.start(write_book(tmp_path, BOOK), universe.id)
        await program.services.jobs.wait_until_idle()
        records = await read_records(program, progress.source_id)
        assert len(killed) == kills
        assert records[0].state is SourceState.DONE
        assert comparable(records) == comparable(undisturbed)
        assert program.services.jobs.current_status().poisoned == ()
    finally:
        await program.close()


async def test_document_goes_on_at_the_next_start(tmp_path: Path) -> None:
    program = await open_in_play(tmp_path / "home")
    universe = await program.services.stories.create_universe(NewUniverse("Salt"))
    (progress,) = await program.services.ingest.start(write_book(tmp_path, BOOK), universe.id)
    await program.close()
    program = await open_in_play(tmp_path / "home")
    try:
        await program.services.jobs.wait_until_idle()
        view = (await program.services.ingest.list_sources(universe.id)).sources[0]
        assert (view.source.id, view.state) == (progress.source_id, SourceState.DONE)
    finally:
        await program.close()


async def test_document_that_fails_too_often_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text('[embedding]\nmodel = "none"\n')

    def fail(*arguments: object) -> None:
        raise RuntimeError("no word list")

    monkeypatch.setattr("monitor_tui.ingest_workers._build_chunk_server", fail)
    monkeypatch.setattr("agents.jobs.job_runner.MAX_FAILURES", 1)
    program = await open_program(home, mode=BackgroundMode.INGEST)
    try:
        universe = await program.services.stories.create_universe(NewUniverse("Salt"))
        await program.services.ingest.start(write_book(tmp_path, BOOK), universe.id)
        await program.services.jobs.wait_until_idle()
        (progress,) = await program.services.ingest.read_progress(universe.id)
        assert "no word list" in progress.error
        assert "System" in progress.error
    finally:
        await program.close()
