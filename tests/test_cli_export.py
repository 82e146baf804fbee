"""The commands that take a world out, and bring edits of it in."""

from __future__ import annotations

import asyncio
import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitor_tui.cli.app import app
from stores.errors import InputError
from tests.program import begin, opened

RUNNER = CliRunner()

pytestmark = pytest.mark.slow


async def test_world_goes_out_in_every_form_and_edits_come_in(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with opened(home) as program:
        scene_id = await begin(program, name="The Marches")
        for line in (
            "/npc here Tam: a ferryman",
            "/lore pier, quay: It stands on piles",
            "I wave.",
            "/commit",
        ):
            await program.services.play.submit(scene_id, line)

    async def run(*arguments: str) -> Result:
        return await asyncio.to_thread(RUNNER.invoke, app, [*arguments, "--home", str(home)])

    vault, wiki, lorebook, book = (tmp_path / name for name in ("vault", "wiki", "lore.json", "story.epub"))
    assert f"Exported to {vault}: " in (await run("export", "The Marches", "--vault", str(vault))).stdout
    assert f"Exported to {wiki}: " in (await run("export", "The Marches", "--wiki", str(wiki))).stdout
    assert (wiki / "Tam.html").is_file()
    assert (await run("export", "The Marches", "--lorebook", str(lorebook))).exit_code == 0
    (entry,) = json.loads(lorebook.read_text())["entries"].values()
    assert (entry["key"], entry["content"]) == (["pier", "quay"], "It stands on piles.")
    again = await run("export", "The Marches", "--lorebook", str(lorebook))
    assert isinstance(again.exception, InputError), "a file that is there is not written over"
    blocks_file = tmp_path / "blocks.json"
    assert (await run("export", "The Marches", "--statblocks", str(blocks_file))).exit_code == 0
    blocks = {block["name"]: block for block in json.loads(blocks_file.read_text())}
    assert (blocks["Tam"]["type"], blocks["Tam"]["subtype"]) == ("character", "alive")
    assert {"name": "Description", "desc": "a ferryman"} in blocks["Tam"]["traits"]
    assert (await run("story", "A story", "--as", "epub", "--to", str(book))).exit_code == 0
    assert zipfile.is_zipfile(book)
    log = (await run("story", "A story", "--as", "lonelog")).stdout
    assert "@ I wave." in log
    assert "[N:Tam]" in log
    assert isinstance((await run("story", "A story", "--as", "epub")).exception, InputError)
    both = await run("export", "The Marches", "--vault", str(vault), "--wiki", str(wiki))
    assert isinstance(both.exception, InputError)
    other = await run("export", "The Marches", "--wiki", str(vault))
    assert isinstance(other.exception, InputError), "a vault is no place for a wiki"

    note = vault / "Characters/Tam.md"
    note.write_text(note.read_text().replace("a ferryman", "An old ferryman."))
    synced = (await run("sync", str(vault))).stdout
    assert "Proposed: Tam: description" in synced
    assert "Nothing new to propose." in (await run("sync", str(vault))).stdout


def test_archive_of_a_world_is_written_over_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"

    async def begin_world() -> None:
        async with opened(home) as program:
            await begin(program, name="The Marches")

    asyncio.run(begin_world())
    monkeypatch.chdir(tmp_path)
    Path("the-marches.monitor.zip").write_text("my own notes")

    def run(*arguments: str) -> Result:
        return RUNNER.invoke(app, ["export", *arguments, "--home", str(home)])

    assert "Exported to the-marches-2.monitor.zip" in run("The Marches").stdout
    assert "Exported to the-marches-3.monitor.zip" in run("The Marches").stdout
    refused = run("The Marches", "--to", "the-marches.monitor.zip")
    assert "is there already" in str(refused.exception)
    assert Path("the-marches.monitor.zip").read_text() == "my own notes"
    assert zipfile.is_zipfile("the-marches-2.monitor.zip")
