"""Values that the Settings screen draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class SettingSource(StrEnum):
    """Where the value of a setting comes from."""

    USUAL = "usual"
    """The program's own default, or what was last chosen in it."""
    FILE = "settings.toml"
    ENVIRONMENT = "the environment"


@dataclass(frozen=True, slots=True)
class SettingView:
    """One setting with its value."""

    name: str
    """As in the file: `budget.day`."""
    label: str
    meaning: str
    value: str
    """As it is typed; empty if there is none."""
    empty_text: str
    """What an empty value means."""
    source: SettingSource
    kind: Literal["switch", "choice", "text"]
    choices: tuple[str, ...] = ()
    is_for_next_start: bool = False
    """Whether a change counts only once MONITOR is started again."""


@dataclass(frozen=True, slots=True)
class SettingGroup:
    title: str
    settings: tuple[SettingView, ...]


@dataclass(frozen=True, slots=True)
class KeyView:
    """What a key does, and the keys for it."""

    name: str
    """Its name in `[keymap]`: `scene.gate`."""
    place: str
    """The screen or panel, as its help is headed."""
    label: str
    meaning: str
    keys: tuple[str, ...]
    usual_keys: tuple[str, ...]
    source: SettingSource


@dataclass(frozen=True, slots=True)
class SettingsView:
    groups: tuple[SettingGroup, ...]
    keys: tuple[KeyView, ...]
    file: str
    home: str
