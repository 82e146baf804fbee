"""Journeys by keyboard, with still cursors."""

from __future__ import annotations

from typing import NoReturn

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea


@pytest.fixture(autouse=True)
def _keyboard_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_mouse(*args: object, **kwargs: object) -> NoReturn:
        raise AssertionError("these journeys are keyboard only")

    monkeypatch.setattr(Pilot, "click", no_mouse)
    monkeypatch.setattr(Pilot, "hover", no_mouse)


@pytest.fixture(autouse=True)
def _still_cursors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
