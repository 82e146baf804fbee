"""Says who speaks a turn, where the reader is the player: by name, or `you`, `the GM`, `dice`."""

from __future__ import annotations

from typing import Final

from stores.records.play import Speaker, Turn

SPEAKER_NAMES: Final = {
    Speaker.PLAYER: "you",
    Speaker.GM: "the GM",
    Speaker.ORACLE: "dice",
    Speaker.SYSTEM: "MONITOR",
}


def describe_speaker(turn: Turn) -> str:
    """Return the speaker in words."""
    return turn.name or SPEAKER_NAMES.get(turn.speaker, turn.speaker.value)
