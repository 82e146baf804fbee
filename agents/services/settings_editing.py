"""The user's settings, as the Settings screen reads and changes them."""

from __future__ import annotations

from typing import Protocol

from agents.views.settings_views import SettingsView


class SettingsEditing(Protocol):
    """Reads all settings, and changes one at a time in settings.toml, whose other lines and comments stay.

    What is changed counts at once where it can. Every change raises InputError, with nothing written, for a value that
    does not fit, or that the environment overrides.
    """

    async def read_settings(self) -> SettingsView: ...

    async def save_setting(self, name: str, typed_value: str) -> SettingsView:
        """Save a value as it was typed; an empty one takes the setting out of the file."""
        ...

    async def save_keys(self, name: str, keys: tuple[str, ...]) -> SettingsView:
        """Give what the name stands for these keys; none are the usual ones."""
        ...
