"""Files that a person names on the command line: endless, too large or not text, each refused in words."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from monitor_tui.input_files import MAX_TEXT_BYTES
from tests.test_worked_examples import monitor

endless = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device without end here")


@pytest.mark.slow
@endless
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("play", "--script"), "The script /dev/zero is larger than 16 MB."),
        (("recall", "--questions"), "The file of questions /dev/zero is larger than 16 MB."),
        (("import",), "/dev/zero cannot be read: it is not a file."),
        (("restore",), "/dev/zero cannot be read: it is not a file."),
    ],
)
def test_file_without_end_is_refused(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = monitor(tmp_path, *arguments, "/dev/zero", expect=1)
    assert words in done.stderr
    assert "Nothing was " in done.stderr


def test_script_that_is_not_text_is_refused_with_the_place(tmp_path: Path) -> None:
    script = tmp_path / "a.play"
    script.write_bytes("universe: Käse\n".encode("latin-1"))
    done = monitor(tmp_path / "home", "play", "--script", str(script), expect=1)
    assert "is not text in UTF-8: byte 12 cannot be read. Nothing was done. Save it as UTF-8." in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sparse files")
def test_script_that_is_too_large_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "a.play"
    with script.open("wb") as file:
        file.truncate(MAX_TEXT_BYTES + 1)
    done = monitor(tmp_path / "home", "play", "--script", str(script), expect=1)
    assert "is larger than 16 MB" in done.stderr
