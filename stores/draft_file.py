"""What was typed in the prompt of each story and not sent, in a file beside the library."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Final

from stores.errors import StoreError
from stores.records.ids import Id

MAX_DRAFTS: Final = 50
"""Stories whose drafts are kept, the latest ones."""


class DraftFile:
    """Reads and writes drafts. A file that cannot be read counts as none: nothing else rests on it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = asyncio.Lock()

    async def read(self, story_id: Id) -> str:
        """Return the draft of a story, empty if there is none."""
        async with self._lock:
            return (await asyncio.to_thread(self._read_all)).get(story_id, "")

    async def save(self, story_id: Id, text: str) -> None:
        """Keep the draft of a story; an empty one is forgotten. Raises StoreError."""
        async with self._lock:
            await asyncio.to_thread(self._save, story_id, text)

    def _read_all(self) -> dict[Id, str]:
        try:
            drafts = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(drafts, dict):
            return {}
        return {key: text for key, text in drafts.items() if isinstance(text, str)}

    def _save(self, story_id: Id, text: str) -> None:
        drafts = self._read_all()
        if drafts.pop(story_id, "") == text:
            return
        if text:
            drafts[story_id] = text  # the latest last
        unfinished_path = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        try:
            unfinished_path.unlink(missing_ok=True)
            with unfinished_path.open("x", encoding="utf-8") as file:
                json.dump(dict(list(drafts.items())[-MAX_DRAFTS:]), file, ensure_ascii=False)
            unfinished_path.replace(self._path)
        except OSError as error:
            raise StoreError(
                f"What you are typing could not be kept: {error.strerror}.",
                kept="All that you sent is in the library.",
                todo="Send it, or copy it, before you close MONITOR.",
            ) from error
