"""`monitor names`, as a player runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from monitor_tui.cli.app import app
from tests.test_worked_examples import monitor

pytestmark = pytest.mark.slow

STORY = "“Who is it?” asked Mara Venn.\r\n\r\n“Only Tom,” said Tom. Mara laughed at Harrowmere.\r\n"
RUNNER = CliRunner()


def test_names_of_a_novel_are_printed_as_json_with_true_places(tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_bytes(STORY.encode())
    printed = json.loads(monitor(tmp_path, "names", str(file), "--json").stdout)
    mara = next(name for name in printed["names"] if name["name"] == "Mara Venn")
    assert mara["kind"] == "character"
    assert mara["aliases"] == ["Mara"]
    places = [*(m for name in printed["names"] for m in name["mentions"]), *printed["quotes"]]
    assert all(STORY[place["start"] : place["end"]] == place["text"] for place in places)
    assert [quote["speaker"] for quote in printed["quotes"]] == ["Mara Venn", "Tom"]


def test_names_are_listed_in_a_table_without_json(tmp_path: Path) -> None:
    file = tmp_path / "story.md"
    file.write_text(STORY, encoding="utf-8")
    shown = RUNNER.invoke(app, ["names", str(file)])
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["Name", "Kind", "Times", "Also", "called"]
    assert any(line.split() == ["Mara", "Venn", "character", "2", "Mara"] for line in lines)
    assert lines[-1] == "2 quotes, 2 with a speaker."


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "cannot be read: no such file or directory."),
        (b" \n", "is empty."),
        (b"\x7fELF\0\0\0", "is not text."),
    ],
)
def test_file_that_cannot_be_read_ends_with_a_clear_error(
    tmp_path: Path, data: bytes | None, words: str
) -> None:
    file = tmp_path / "story.txt"
    if data is not None:
        file.write_bytes(data)
    failed = monitor(tmp_path, "names", str(file), "--json", expect=1)
    assert failed.stdout == ""
    assert words in failed.stderr
    assert "Nothing was listed." in failed.stderr


def test_names_of_stdin_are_listed(tmp_path: Path) -> None:
    printed = json.loads(monitor(tmp_path, "names", "-", "--json", stdin="Then Mr. Darcy bowed.").stdout)
    assert [name["name"] for name in printed["names"]] == ["Mr. Darcy"]


def test_names_of_an_old_text_in_windows_1252_are_listed_with_a_note(tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_bytes("Then Mr. Darcy met André Cœur.".encode("cp1252"))
    listed = monitor(tmp_path, "names", str(file), "--json")
    assert {name["name"] for name in json.loads(listed.stdout)["names"]} == {"Mr. Darcy", "André Cœur"}
    assert "read as Windows-1252" in listed.stderr


def test_names_of_a_web_page_are_listed_by_its_text(tmp_path: Path) -> None:
    file = tmp_path / "story.html"
    file.write_text("<html><body><p>Then Mr. Darcy bowed to Jane.</p></body></html>", encoding="utf-8")
    printed = json.loads(monitor(tmp_path, "names", str(file), "--json").stdout)
    assert [name["name"] for name in printed["names"]] == ["Mr. Darcy", "Jane"]
