"""Tests of the import in the background: its events, cancelling, and one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import Event, ImportProgressed, Notice
from agents.importers.import_views import ImportResult
from monitor_tui.compose import Program
from stores.errors import InputError
from tests.agents.importers.test_importer import TURNS, import_request, log_bytes
from tests.program import opened


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path / "home") as opened_program:
        yield opened_program


async def test_import_runner_publishes_progress_and_resumes_after_cancel(
    program: Program, tmp_path: Path
) -> None:
    imports, heard_events = program.services.imports, []
    stop_at = 40

    def hear(event: Event) -> None:
        heard_events.append(event)
        if isinstance(event, ImportProgressed) and event.imported_turns == stop_at:
            imports.cancel()

    program.services.events.subscribe(hear)
    path = tmp_path / "the_long-road.jsonl"
    path.write_bytes(log_bytes())
    import_request = await imports.open_request(str(path), hero="Mira")
    assert await imports.run(import_request) is None
    assert imports.progress is None
    assert [e.text for e in heard_events if isinstance(e, Notice)] == [
        f"Cancelled: 40 of {TURNS} turns are in. Import the same file again, and it goes on from there."
    ]
    heard_events.clear()
    stop_at = 0
    result = await imports.run(import_request)
    assert isinstance(result, ImportResult)
    assert result.resumed_at == 41
    assert [e.text for e in heard_events if isinstance(e, Notice)] == [
        "Imported “The long road”: 120 turns in 6 scenes."
    ]
    imported_counts = [e.imported_turns for e in heard_events if isinstance(e, ImportProgressed)]
    assert imported_counts == [0, 40, 60, 80, 100, 120, 0]


async def test_import_runner_runs_one_at_a_time_and_ends_on_close(program: Program) -> None:
    imports = program.services.imports
    running = asyncio.ensure_future(imports.run(import_request(data=log_bytes(3_000))))
    came = asyncio.Event()
    program.services.events.subscribe(
        lambda e: came.set() if isinstance(e, ImportProgressed) and e.imported_turns else None
    )
    await came.wait()
    with pytest.raises(InputError, match="Another import is running"):
        await imports.run(import_request())
    await program.close()
    assert await running is None


async def test_import_runner_names_unreadable_file(program: Program, tmp_path: Path) -> None:
    for path in (str(tmp_path / "none.txt"), str(tmp_path), "a\0b"):
        with pytest.raises(InputError, match="cannot be read"):
            await program.services.imports.open_request(path)
