"""Where a log's scenes begin: at its own marks, where hours lie between two lines, or after so many turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from agents.importing.entries import Entry, Voice
from agents.importing.times import SESSION, day_of

GAP: Final = timedelta(hours=6)
"""Between two lines, from when on they belong to two sessions."""

FEW: Final = 10
"""Turns that a scene has before a gap ends it: by post, hours lie between any two lines."""

LONG: Final = 150
MOST: Final = 200
"""A scene without marks ends at the first of the player's turns after `LONG`, after `MOST` in any case."""

BEGINS: Final = 480
"""World time, in minutes, at which an imported story begins: the first morning."""


MAX_TITLE: Final = 100
"""Characters of a mark that become a scene's title."""


@dataclass(slots=True)
class Part:
    """A scene to be: its title, and its turns and notes in the order of the log; `ticks` beside them."""

    title: str
    entries: list[Entry] = field(default_factory=list)
    ticks: list[int] = field(default_factory=list)

    @property
    def turns(self) -> int:
        return sum(entry.voice is not Voice.OOC for entry in self.entries)


def parts_of(entries: Sequence[Entry]) -> list[Part]:
    """Return the scenes. One that nothing was said in is none: its notes go to the next."""
    parts = _titled(_cut(entries))
    _set_ticks(parts)
    return parts


@dataclass(slots=True)
class _Piece:
    """Entries that belong together. `goes_on`: it only began because the one before was long."""

    mark: str = ""
    goes_on: bool = False
    scene: str = ""
    entries: list[Entry] = field(default_factory=list)
    turns: int = 0
    last: datetime | None = None

    def add(self, entry: Entry) -> None:
        if entry.scene and not self.turns:
            self.mark = self.mark or entry.scene
        self.scene = entry.scene or self.scene
        self.entries.append(entry)
        self.turns += entry.voice is not Voice.OOC
        self.last = entry.at or self.last

    def hours_before(self, entry: Entry) -> bool:
        return entry.at is not None and self.last is not None and abs(entry.at - self.last) >= GAP


def _cut(entries: Sequence[Entry]) -> list[_Piece]:
    pieces = [_Piece()]
    for entry in entries:
        piece = pieces[-1]
        if entry.voice is Voice.MARK:
            _begin(pieces, entry.text)
            continue
        if entry.scene and piece.turns and entry.scene != (piece.scene or piece.mark):
            _begin(pieces, entry.scene)
        elif entry.voice is not Voice.OOC:
            gap = piece.hours_before(entry)
            if (gap and piece.turns >= FEW) or _is_long(piece, entry):
                _begin(pieces, "", goes_on=not gap)
        pieces[-1].add(entry)
    if not pieces[-1].turns and len(pieces) > 1:
        left = pieces.pop()
        pieces[-1].entries += left.entries
    return pieces


def _begin(pieces: list[_Piece], mark: str, *, goes_on: bool = False) -> None:
    """Begin another. If nothing was said in the last one yet, it is that one, under this mark."""
    if pieces[-1].turns:
        scene = pieces[-1].scene if goes_on else mark
        pieces.append(_Piece(mark, goes_on, scene))
    elif mark and mark not in pieces[-1].mark:
        pieces[-1].mark = " · ".join(filter(None, (pieces[-1].mark, mark)))


def _is_long(piece: _Piece, entry: Entry) -> bool:
    return piece.turns >= MOST or (piece.turns >= LONG and entry.voice is Voice.PLAYER)


def _titled(pieces: Sequence[_Piece]) -> list[Part]:
    """Name each for its mark, else for its day, else by its number; parts of one scene are numbered."""
    parts: list[Part] = []
    used: Counter[str] = Counter()
    stem = ""
    for number, piece in enumerate(pieces, 1):
        if not (piece.goes_on and stem):
            day = next((day_of(entry.at) for entry in piece.entries if entry.at), "")
            stem = " ".join(piece.mark.split())[:MAX_TITLE] or (f"{SESSION} {day}" if day else "")
        used[stem] += 1
        named = stem if used[stem] == 1 else f"{stem} ({used[stem]})"
        parts.append(Part(named if stem else f"Part {number}", piece.entries))
    return parts


def _set_ticks(parts: Sequence[Part]) -> None:
    """World time goes on a minute a turn, and with the clock of the log where it has one; never back."""
    tick = BEGINS - 1
    since: tuple[int, datetime] | None = None
    for part in parts:
        for entry in part.entries:
            if entry.voice is not Voice.OOC:
                tick += 1
            if entry.at is not None:
                since = since or (max(tick, BEGINS), entry.at)
                tick = max(tick, since[0] + int((entry.at - since[1]).total_seconds() // 60))
            part.ticks.append(max(tick, BEGINS))


def turns_of(part: Part) -> Iterator[tuple[Entry, int]]:
    """Yield the scene's turns with their world times."""
    return ((e, t) for e, t in zip(part.entries, part.ticks, strict=True) if e.voice is not Voice.OOC)
