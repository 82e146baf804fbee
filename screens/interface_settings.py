"""What the Settings screen tells the app: the look or the keys in settings.toml are others now."""

from __future__ import annotations

from textual.message import Message


class InterfaceSettingsSaved(Message):
    """Theme, width of the panels or keys were saved: the app is to look so."""
