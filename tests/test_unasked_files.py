"""Which files `-m` leaves out is read from their marks, without importing them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unasked_files import is_left_out

DEFAULT = "not chaos and not servers and not slow and not timed and not model"
SLOW = "(slow or whole or hypothesis) and not chaos and not servers and not timed"


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("pytestmark = pytest.mark.slow\n", DEFAULT, True),
        ("pytestmark = pytest.mark.slow\n", SLOW, False),
        ("pytestmark = pytest.mark.slow\n", "", False),
        ("pytestmark = pytest.mark.slow\n", "whole or not slow", False),
        ("pytestmark = [\n    pytest.mark.servers,\n    pytest.mark.timeout(9),\n]\n", SLOW, True),
        ("pytestmark = [pytest.mark.whole]\n\nLINES = [\n    pytest.mark.slow,\n]\n", DEFAULT, False),
        ("@pytest.mark.slow\ndef test_one() -> None: ...\n", DEFAULT, False),
    ],
)
def test_file_is_left_out_if_all_its_tests_are(tmp_path: Path, text: str, asked: str, expected: bool) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(text, encoding="utf-8")
    assert is_left_out(path, asked) is expected
