"""What files of `exports` are called, and that none is half written."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor_tui.campaign_exports import archive_name, save_page_picture, save_story
from stores.errors import ArchiveError
from tests.libraries import no_room_beyond


def today() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("letter", ["x", "é", "物", "𐌰"])
async def test_export_of_a_long_name_in_any_script_has_a_file(tmp_path: Path, letter: str) -> None:
    title = letter * 120
    written = await save_page_picture(tmp_path, today, title, 123_456, b"picture")
    assert Path(written).read_bytes() == b"picture"
    (tmp_path / f".{archive_name(title)}.12345678.part").touch()


@pytest.mark.parametrize(
    "title", ["../../etc/passwd", "/etc/passwd", "..", "", "a\0b", "\x1b]52;c;AAAA\x07", "C:\\x", "\ud800"]
)
async def test_export_stays_in_its_folder_whatever_the_title_is(tmp_path: Path, title: str) -> None:
    written = Path(await save_story(tmp_path, today, title, ".md", b"# A story"))
    assert written.parent == tmp_path / "exports"
    assert written.name.isprintable()


async def test_export_on_a_full_disk_leaves_no_half_of_it(tmp_path: Path) -> None:
    with no_room_beyond(1_000), pytest.raises(ArchiveError, match="cannot be written"):
        await save_story(tmp_path, today, "The Bell", ".md", b"word " * 1_000)
    assert list((tmp_path / "exports").iterdir()) == []
    assert (
        Path(await save_story(tmp_path, today, "The Bell", ".md", b"word ")).name == "2026-01-01-the-bell.md"
    )
