"""Pictures of the galleries, so that a change of looks is a decision.

`pytest tests/widgets --snapshot-update` takes new ones."""

from __future__ import annotations

from typing import Protocol

import pytest
from textual.app import App

from tests.widgets.gallery import PlayGallery, WorldGallery


class Compare(Protocol):
    def __call__(self, app: App[None], *, terminal_size: tuple[int, int]) -> bool: ...


SMALL, LARGE = (80, 24), (120, 40)


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
@pytest.mark.parametrize("theme", ["monitor-dark", "monitor-light"])
def test_play(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    app = PlayGallery(theme, trigger="The Hidden Chamber is new and the story stands on it")
    assert snap_compare(app, terminal_size=size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
def test_world(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(WorldGallery(), terminal_size=size)
