"""The file of a log that is to be brought in, as the screen and the command line name it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from agents.importers.log_reading import MAX_FILE
from stores.errors import InputError

STDIN_PATH = "-"


async def read_log_file(path: str) -> bytes:
    """Return the bytes of a file; `~` is the home folder, `-` what comes from stdin. Raises InputError."""
    return await asyncio.to_thread(_read_bytes, path)


def _read_bytes(path: str) -> bytes:
    if path == STDIN_PATH:
        return sys.stdin.buffer.read(MAX_FILE + 1)
    try:
        with Path(path).expanduser().open("rb") as file:
            # One byte more than may be: that is how too much is known.
            return file.read(MAX_FILE + 1)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path} cannot be read: {reason}.", kept="Nothing was imported.") from error
