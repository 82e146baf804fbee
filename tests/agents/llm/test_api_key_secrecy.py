"""Tests that an API key in use is in no file that a session writes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.llm.server import FakeModelServer, serve_fake_model
from tests.agents.llm.test_provider_keys import KEY

SCRIPT = (
    "universe: The Abbey\npc: Mara (hp 10)\nstory: Under the Abbey\nplace: Crypt\n---\nI light the lantern.\n"
)


@pytest.mark.slow
async def test_api_key_is_in_no_written_file(tmp_path: Path) -> None:
    home, script = tmp_path / "home", tmp_path / "one.play"
    script.write_text(SCRIPT)
    async with serve_fake_model() as server:
        # The first model sends the key back in its error; the second one answers.
        outputs = [await play(home, script, server, name) for name in ("unauthorized", "gpt-4o-mini")]
        assert server.headers["authorization"] == f"Bearer {KEY}"
    assert "OPENAI_API_KEY" in outputs[0]
    outputs += [
        await run_monitor(home, server, "gpt-4o-mini", *words)
        for words in (
            ("model", "show"),
            ("backup", "--to", str(tmp_path / "backups")),
            ("export", "The Abbey", "--to", str(tmp_path / "abbey.zip")),
        )
    ]
    assert not any(KEY in output for output in outputs)
    names = [name for name, data in written_files(tmp_path)]
    assert any(name.endswith("library.db") for name in names)
    assert sum(name.endswith(".zip") for name in names) == 2, outputs[-2:]
    assert [name for name, data in written_files(tmp_path) if KEY.encode() in data] == []


async def play(home: Path, script: Path, server: FakeModelServer, name: str) -> str:
    return await run_monitor(home, server, name, "play", "--script", str(script), "--keep-going")


async def run_monitor(home: Path, server: FakeModelServer, name: str, *words: str) -> str:
    environ = {
        **os.environ,
        "OPENAI_API_KEY": KEY,
        "MONITOR_MODEL_NAME": f"openai/{name}",
        "MONITOR_MODEL_API_BASE": server.address,
    }

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "monitor_tui", "--home", str(home), *words]
        return subprocess.run(command, capture_output=True, text=True, env=environ, check=False)

    completed = await asyncio.to_thread(run)
    assert "Traceback" not in completed.stderr, completed.stderr
    return completed.stdout + completed.stderr


def written_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file, and every file inside an archive."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.name, path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        yield f"{path.name}/{name}", archive.read(name)
