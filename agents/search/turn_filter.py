"""Says which turns a search is about: who said them, and on which days. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from agents.world_time.log_times import find_said_day
from stores.records.play import GM_SPEAKERS, Scene, Speaker, Turn

PLAYER_WORD: Final = "player"
GM_WORD: Final = "gm"


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which turns are wanted; all, if nothing is set."""

    speaker: str = ""
    """`player`, `gm` (who also speaks as characters) or the name of whoever is speaking."""
    since: date | None = None
    until: date | None = None
    """The first and the last day on which they were played; of an imported log, on which it says so."""

    @property
    def is_empty(self) -> bool:
        return self == TurnFilter()

    def includes(self, turn: Turn, speaker_name: str, scene: Scene | None) -> bool:
        """Say whether a turn is wanted; `speaker_name` is the name of who said it."""
        if not self._includes_speaker(turn, speaker_name):
            return False
        if self.since is None and self.until is None:
            return True
        day = find_said_day(turn, scene)
        return (
            day is not None
            and (self.since is None or self.since <= day)
            and (self.until is None or day <= self.until)
        )

    def _includes_speaker(self, turn: Turn, speaker_name: str) -> bool:
        wanted = self.speaker.casefold().strip()
        if wanted == PLAYER_WORD:
            return turn.speaker is Speaker.PLAYER
        if wanted == GM_WORD:
            return turn.speaker in GM_SPEAKERS
        name = speaker_name.casefold()
        return not wanted or wanted == name or wanted in name.split()


ALL_TURNS: Final = TurnFilter()
