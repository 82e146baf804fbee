"""Words on a page of a PDF, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CELL_GAP: Final = 1.3
"""Distance of two words on a line from which they stand apart, as in two cells of a table, in parts of their size."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words in one font. Lengths are in points; `y` grows upwards."""

    text: str
    x: float
    y: float
    width: float
    size: float
    is_bold: bool = False

    @property
    def end(self) -> float:
        return self.x + self.width
