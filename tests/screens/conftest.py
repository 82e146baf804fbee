"""Journeys by keyboard through real libraries, with still cursors and a keyring of the test's own."""

from __future__ import annotations

from typing import NoReturn

import pytest
from textual.pilot import Pilot
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


class MemoryKeyring:
    """A system keyring that forgets."""

    def __init__(self) -> None:
        self.passwords: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.passwords[service, username] = password


@pytest.fixture(autouse=True)
def keyring(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """A keyring for the test alone, so that no key of this machine's user is read or changed."""
    keyring = MemoryKeyring()
    monkeypatch.setattr("keyring.get_keyring", lambda: keyring)
    monkeypatch.setattr("keyring.get_password", keyring.get_password)
    monkeypatch.setattr("keyring.set_password", keyring.set_password)
    return keyring


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
