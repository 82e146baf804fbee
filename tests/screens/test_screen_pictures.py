"""Every screen that navigation opens has a picture, which the program draws and docs/screens.md shows."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from screens.navigation import SCREENS

DOCS = Path(__file__).parents[2] / "docs"
DRAWN_OTHERWISE = {"wiki.png"}
"""Pictures that are of a browser."""


@pytest.fixture(scope="module")
def screen_by_picture() -> dict[str, str]:
    """Return the class of the screen that each picture is of, as `make pictures` draws them."""
    pictures = runpy.run_path(str(DOCS / "make_pictures.py"))["PICTURES"]
    assert len({picture.name for picture in pictures}) == len(pictures)
    return {f"{picture.name}.svg": picture.screen for picture in pictures}


def test_every_screen_has_a_picture(screen_by_picture: dict[str, str]) -> None:
    screens_without = {entry.class_name for entry in SCREENS.values()} - set(screen_by_picture.values())
    assert screens_without == set(), "give each of them a row in docs/make_pictures.py"


def test_every_picture_is_drawn_and_shown(screen_by_picture: dict[str, str]) -> None:
    shown = re.findall(r"\(pictures/([^)]+)\)", (DOCS / "screens.md").read_text(encoding="utf-8"))
    assert len(shown) == len(set(shown))
    assert set(shown) == screen_by_picture.keys() | DRAWN_OTHERWISE
    assert [name for name in shown if not (DOCS / "pictures" / name).is_file()] == []
