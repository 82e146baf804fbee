"""Reads what one frame of a terminal program draws: text by row, without its colours."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection

FRAME_END = b"\x1b[?2026l"
"""The end of a synchronized frame."""

FrameTest = Callable[[bytes], bool]
"""Says whether a frame is the one that is waited for."""

_MOVE = re.compile(rb"\x1b\[(\d+);(\d+)H")
_ESCAPE = re.compile(rb"\x1b\[[0-9;?=<>]*[A-Za-z$]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def shows(words: str) -> FrameTest:
    """Return a test for a frame that has these words; any frame has no words."""
    pattern = words.encode()
    return lambda frame: pattern in frame


def shows_in_rows(rows: Collection[int], words: str = "") -> FrameTest:
    """Return a test for a frame that draws one of these rows (from 1) with these words in it."""
    return lambda frame: any(row in rows and words in text for row, text in read_rows(frame).items())


def has_text(output: bytes) -> bool:
    """Say whether anything in the output, beside where the cursor goes, is more than blanks."""
    return any(text.strip() for text in read_rows(output).values())


def read_rows(frame: bytes) -> dict[int, str]:
    """Return the text that the frame draws in each row; what precedes its first move of the cursor is left out."""
    text_by_row: dict[int, str] = defaultdict(str)
    _, *pieces = _MOVE.split(frame)
    for row, text in zip(pieces[::3], pieces[2::3], strict=True):
        text_by_row[int(row)] += _ESCAPE.sub(b"", text).decode(errors="replace").rstrip("\r\n")
    return dict(text_by_row)
