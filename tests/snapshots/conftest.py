"""Pictures of real libraries, with still cursors and without a keyring."""

from __future__ import annotations

import pytest
from keyring.backends import fail
from textual.widgets import Input, TextArea

from tests.screens.libraries import (
    built_library,
    copy_library,
    narrated_home,
    played_home,
    remembered_home,
    sample_home,
)

__all__ = ["built_library", "copy_library", "narrated_home", "played_home", "remembered_home", "sample_home"]


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda self: None)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)


@pytest.fixture(autouse=True)
def _empty_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of this machine's user is found."""
    monkeypatch.setattr("keyring.get_keyring", fail.Keyring)
