"""`monitor ingest`: estimates, reads documents in, says what came of it, and ends with the code that fits."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.story_outline import NewUniverse
from monitor_tui.compose import open_program

BOOK = """# Gull Point

Captain Mara Venn keeps the lamp at Gull Point. The dead cannot cross salt.
"""

pytestmark = pytest.mark.slow


def monitor(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    return subprocess.run(
        [sys.executable, "-m", "monitor_tui", "--home", str(home), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ingest_reads_a_folder_and_reports_as_json(tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "coast.md").write_text(BOOK)
    (folder / "tides.txt").write_text("Old Bren fears the tide.\n")
    (folder / "cover.png").write_bytes(b"\x89PNG")
    home = tmp_path / "home"
    (estimate,) = read_json(monitor(home, "ingest", str(folder), "--estimate", "--json"))
    assert len(estimate["documents"]) == 2
    assert [one["path"] for one in estimate["skipped"]] == ["cover.png"]
    told = read_json(monitor(home, "ingest", str(folder), "--universe", "Coast", "--json"))
    assert told["universe"]["name"] == "Coast"
    assert {one["state"] for one in told["documents"]} == {"done"}
    served_count = sum(one["served"] for one in told["documents"])
    assert sum(told["ladder"]["chunks_by_stage"].values()) == served_count
    assert told["ladder"]["milliseconds_by_step"]["finalize"]["chunks"] == served_count
    coast = next(one for one in told["documents"] if one["title"] == "Gull Point")
    assert coast["proposals"] >= 2
    assert sum(coast["by_stage"].values()) == coast["served"] == coast["chunks"]
    again = read_json(monitor(home, "ingest", str(folder), "--universe", "Coast", "--json"))
    assert [one["id"] for one in again["documents"]] == [one["id"] for one in told["documents"]]


def test_ingest_of_what_cannot_be_read_ends_with_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    gone = monitor(home, "ingest", str(tmp_path / "gone.pdf"))
    assert gone.returncode == 1
    assert "gone.pdf" in gone.stderr
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing")
    told = monitor(home, "ingest", str(broken), "--universe", "Coast")
    assert told.returncode == 1
    assert "not read" in told.stdout
    assert "Traceback" not in told.stderr
    assert monitor(home, "ingest").returncode == 2


def test_ingest_without_waiting_is_read_by_the_next_command(tmp_path: Path) -> None:
    book, home = tmp_path / "coast.md", tmp_path / "home"
    book.write_text(BOOK)
    waiting = read_json(monitor(home, "ingest", str(book), "--no-wait", "--json"))
    assert waiting["documents"][0]["state"] == "waiting"
    assert waiting["universe"]["name"] == "Gull Point"
    done = read_json(monitor(home, "ingest", str(book), "--universe", "Gull Point", "--json"))
    assert done["documents"][0]["state"] == "done"


def test_ingest_says_that_a_document_waits_for_its_model_and_reads_on_without_it(tmp_path: Path) -> None:
    book, home = tmp_path / "coast.md", tmp_path / "home"
    book.write_text(BOOK)

    async def start_with_model() -> None:
        program = await open_program(home)
        try:
            universe = await program.services.stories.create_universe(NewUniverse("Coast"))
            await program.services.ingest.start(str(book), universe.id, uses_model=True)
        finally:
            await program.close()

    asyncio.run(start_with_model())
    waiting = monitor(home, "ingest", str(book), "--universe", "Coast")
    assert waiting.returncode == 1
    assert "it waits for its model: No model is set up to read documents." in waiting.stdout
    assert "--no-model" in waiting.stdout
    done = read_json(monitor(home, "ingest", str(book), "--universe", "Coast", "--no-model", "--json"))
    assert (done["documents"][0]["state"], done["documents"][0]["waits_for_model"]) == ("done", False)
