"""Holds the keys that are pressed while a scene is under way: after Enter on the menu's story, or on a receipt."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events


class HeldKeys:
    """Keys that wait for a screen which is under way, in order."""

    def __init__(self) -> None:
        self._keys: list[events.Key] | None = None

    def start(self) -> None:
        """Hold what is pressed from now on."""
        self._keys = []

    def hold(self, key: events.Key) -> bool:
        """Keep a key if a screen is under way; return whether it is kept."""
        if self._keys is None:
            return False
        is_repeated = key.key == "enter" and not self._keys
        if not is_repeated:  # Enter pressed twice on the menu must not answer what the scene offers
            self._keys.append(key)
        return True

    def release(self) -> Sequence[events.Key]:
        """Hold no longer; return what was held, in the order of pressing: some came by way of another screen."""
        keys, self._keys = self._keys or [], None
        return sorted(keys, key=lambda key: key.time)
