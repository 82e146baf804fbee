"""Reads how many pixels a cell of the terminal has, without asking the terminal anything."""

from __future__ import annotations

import sys
from typing import Final

from widgets.pictures.picture_kinds import CellSize

USUAL_CELL: Final = CellSize(10, 20)
"""That of a VT340, where a terminal does not say."""


def read_cell_size() -> CellSize:
    """Return the size that the terminal has told the system."""
    if sys.platform == "win32" or sys.__stderr__ is None:
        return USUAL_CELL
    import fcntl
    import struct
    import termios

    try:
        # Textual draws on standard error.
        answer = fcntl.ioctl(sys.__stderr__.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
    except (OSError, ValueError):
        return USUAL_CELL
    rows, columns, width, height = struct.unpack("HHHH", answer)
    if not (rows and columns and width >= columns and height >= rows):
        return USUAL_CELL
    return CellSize(width // columns, height // rows)
