"""Replaces a small file of the home folder whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(file: Path, text: str) -> None:
    """Write `text` to a file that only its owner may read. A link is replaced, and what it leads to is left alone."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")  # mode 600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
