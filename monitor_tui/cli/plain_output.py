"""What commands print, made harmless: names and words from outside may hold escapes that steer a terminal."""

from __future__ import annotations

import io
import re
from typing import BinaryIO, Final, TextIO

_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_COLOURS: Final = re.compile(r"(\x1b\[[0-9;]*m)")
"""Colours of help and usage errors. They change nothing but how text looks."""


class PlainOutput(io.TextIOBase):
    r"""Writes text to a stream with each control character as `\u001b`, which JSON reads as the same one."""

    def __init__(self, stream: TextIO) -> None:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows ASCII alone
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # typeshed has an attribute here
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]  # as above
        return self._stream.errors

    @property
    def buffer(self) -> BinaryIO:
        return self._stream.buffer

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text.isascii() and text.isprintable():
            self._stream.write(text)
        else:
            parts = _COLOURS.split(text)
            parts[::2] = (_UNPRINTABLE.sub(_escape, part) for part in parts[::2])
            self._stream.write("".join(parts))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _escape(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"
