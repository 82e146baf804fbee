"""Names how much background work a program does."""

from __future__ import annotations

from enum import StrEnum


class BackgroundMode(StrEnum):
    OFF = "nothing"
    """No process is started, and nothing is done before `settle` is called."""
    QUERY = "ask"
    """For a command that may ask by meaning."""
    INGEST = "ingest"
    """As QUERY, for a command that also reads the documents that wait."""
    PLAY = "play"
    """For the program with its screen, where the work begins after the first frame."""
