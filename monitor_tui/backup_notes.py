"""Holds what there is to say of the daily backup on the menu, which is filled before the backup's code is loaded."""

from __future__ import annotations


class BackupNotes:
    """The last note of the daily backup, if there is one."""

    def __init__(self) -> None:
        self._notes: tuple[str, ...] = ()

    def notes(self) -> tuple[str, ...]:
        return self._notes

    def set_note(self, text: str) -> None:
        self._notes = (text,)
