"""A small file beside the library with a value for each story, of those that were played last."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Final

from stores.records.ids import Id
from stores.small_files import read_small_file

MAX_STORIES: Final = 50
"""Stories whose values are kept, the latest ones."""

MAX_FILE_BYTES: Final = 64_000_000
"""Far more than fifty prompts hold."""


class StoryFile:
    """Reads and writes values by story. A file that cannot be read counts as none: nothing else rests on it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = asyncio.Lock()

    async def read(self, story_id: Id) -> object:
        """Return the value of a story, None if there is none."""
        async with self._lock:
            return (await asyncio.to_thread(self._read_all)).get(story_id)

    async def save(self, story_id: Id, value: object) -> None:
        """Keep the value of a story; an empty one is forgotten. Raises OSError."""
        async with self._lock:
            await asyncio.to_thread(self._save, story_id, value)

    def _read_all(self) -> dict[Id, object]:
        try:
            values = json.loads(read_small_file(self._path, MAX_FILE_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        return values if isinstance(values, dict) else {}

    def _save(self, story_id: Id, value: object) -> None:
        values = self._read_all()
        if (values.pop(story_id, None) or None) == (value or None):
            return
        if value:
            values[story_id] = value  # the latest last
        unfinished_path = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        unfinished_path.unlink(missing_ok=True)
        with unfinished_path.open("x", encoding="utf-8") as file:
            json.dump(dict(list(values.items())[-MAX_STORIES:]), file, ensure_ascii=False)
        unfinished_path.replace(self._path)
