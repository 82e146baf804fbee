"""A story is written to a file from inside the program, never over another, as it was played."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import ArchiveError, InputError
from tests.program import begin, opened


def read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


async def test_export_command_writes_the_story_and_says_where(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I look round.", "> The yard is empty."):
            await program.services.play.submit(scene_id, line)
        first, second, journal = [
            (await program.services.play.submit(scene_id, line)).lines[0].removeprefix("Written: ")
            for line in ("/export", "/export", "/export journal")
        ]
        assert len({first, second, journal}) == 3
        assert Path(first).parent == tmp_path / "exports"
        assert "The yard is empty." in read(first)
        assert read(first) == read(second)
        assert "@ I look round." in read(journal)
        with pytest.raises(InputError, match="/export journal"):
            await program.services.play.submit(scene_id, "/export pdf")


async def test_export_to_a_folder_that_cannot_be_made_is_told_in_words(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        (tmp_path / "exports").write_text("not a folder", encoding="utf-8")
        with pytest.raises(ArchiveError, match=r"cannot be written.*Nothing was lost"):
            await program.services.play.submit(scene_id, "/export")


async def test_export_heading_has_the_place_where_the_scene_opened(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "I look round.",
            "/place here > Tar Shed",
            "/go Tar Shed",
            "/commit",
            "/fact The tar is cold",
        ):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/end")
        await program.services.gate.commit(scene_id)
        path = (await program.services.play.submit(scene_id, "/export")).lines[0].removeprefix("Written: ")
        text = read(path)
        assert "· Yard" in text
        assert "Outcome: Canon from this scene" not in text


async def test_export_says_what_ended_and_who_came_in_plain_sentences(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/npc here Vess: a salvager",
            "> Vess leaves. Vess comes in.",
            "/state Mara.hp -3",
            "/commit",
            "> The wind howls.",
            "/state Mara.hp -2",
            "/commit",
        ):
            await program.services.play.submit(scene_id, line)
        markdown, journal = [
            read((await program.services.play.submit(scene_id, line)).lines[0].removeprefix("Written: "))
            for line in ("/export", "/export journal")
        ]
        assert "## No longer true\n\n- Mara's HP is 10. *(" in markdown
        assert "## Also true" not in markdown
        assert "HP is 7" not in markdown, "a number is listed with its last value; the journal has each"
        assert "> *Vess leaves. Vess comes in.*" in markdown
        assert "Note:" not in markdown
        assert "by hand" not in markdown
        assert "! No longer true: Mara's HP is 7. (" in journal
        assert "(note: Vess leaves. Vess comes in.)" in journal
