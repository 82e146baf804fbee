"""Holds the keys that are pressed while what they are meant for is under way: a screen, or the next page of one."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events


class HeldKeys:
    """Keys that wait for a screen or page which is under way, in order."""

    def __init__(self) -> None:
        self._keys: list[events.Key] | None = None
        self._skips_enter = False

    def start(self, *, skips_enter: bool = False) -> None:
        """Hold what is pressed from now on; with `skips_enter` not an Enter that comes first."""
        self._keys, self._skips_enter = [], skips_enter

    @property
    def is_holding(self) -> bool:
        return self._keys is not None

    @property
    def has_keys(self) -> bool:
        return bool(self._keys)

    def hold(self, key: events.Key) -> bool:
        """Keep a key if something is under way; return whether it is not to be pressed now."""
        if self._keys is None:
            return False
        if not (self._skips_enter and key.key == "enter" and not self._keys):
            self._keys.append(key)
        return True

    def release(self) -> Sequence[events.Key]:
        """Hold no longer; return what was held, in the order of pressing: some came by way of another screen."""
        keys, self._keys = self._keys or [], None
        return sorted(keys, key=lambda key: key.time)
