"""Says which figures a mark in prose means at that point of a reading."""

from __future__ import annotations

import re

from agents.prose.cast_reading import CastReading
from agents.prose.mentions import EVERYONE


def figures_of(mark: str, reading: CastReading) -> tuple[int, ...]:
    """Return the numbers of the figures that a mark means: `0,2`, or everybody present but `A-1`.

    Everybody is whoever is present, without the subject of the sentence and those who are said to stay.
    """
    if mark.startswith(EVERYONE):
        not_meant = {int(n) for n in re.findall(r"\d+", mark)} | reading.staying | reading.excepted
        not_meant |= {int(n) for n in re.findall(r"\d+", reading.subject)}
        return tuple(n for n in sorted(reading.present) if n not in not_meant)
    numbers = tuple(int(part) for part in mark.split(",") if part.isdecimal())
    return tuple(n for n in numbers if n not in reading.excepted) if len(numbers) > 1 else numbers
