"""Reads files that the user names: whole, from the disk or stdin, up to a size."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from agents.importers.log_decoding import MAX_FILE
from stores.errors import InputError

STDIN_PATH = "-"
MAX_TEXT_BYTES = 16 * 1024 * 1024


async def read_log_file(path: str) -> bytes:
    """Return the bytes of a log, at most one more than may be: that is how a reader knows of too many.

    `~` is the home folder, `-` stdin. Raises InputError.
    """
    return await asyncio.to_thread(_read_bytes, path, MAX_FILE, "Nothing was imported.")


def read_text_file(path: Path, noun: str) -> str:
    """Return the text of a UTF-8 file of at most 16 MB; `-` is stdin. Raises InputError."""
    data = _read_bytes(str(path), MAX_TEXT_BYTES, "Nothing was done.")
    if len(data) > MAX_TEXT_BYTES:
        raise InputError(
            f"The {noun} {path} is larger than {MAX_TEXT_BYTES // 1024 // 1024} MB.",
            kept="Nothing was done.",
            todo="Split it, or check its name.",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"The {noun} {path} is not text in UTF-8: byte {error.start + 1} cannot be read.",
            kept="Nothing was done.",
            todo="Save it as UTF-8.",
        ) from error


def _read_bytes(path: str, max_bytes: int, kept: str) -> bytes:
    if path == STDIN_PATH:
        return sys.stdin.buffer.read(max_bytes + 1)
    try:
        with Path(path).expanduser().open("rb") as file:
            return file.read(max_bytes + 1)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path} cannot be read: {reason}.", kept=kept) from error
