"""What was typed in the prompt of each story and not sent, in a file beside the library."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from stores.errors import StoreError
from stores.records.ids import Id
from stores.small_files import read_small_file

MAX_DRAFTS: Final = 50
"""Stories whose drafts are kept, the latest ones."""

MAX_FILE_BYTES: Final = 64_000_000
"""Far more than fifty prompts hold."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in a prompt."""

    text: str = ""
    is_selected: bool = False
    """Whether typing replaces it, as with a line that was refused."""
    waiting_line: str = ""
    """The line that was sent before it and is not played yet, because a roll is offered for it."""


class DraftFile:
    """Reads and writes drafts. A file that cannot be read counts as none: nothing else rests on it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = asyncio.Lock()

    async def read(self, story_id: Id) -> Draft:
        """Return the draft of a story, empty if there is none."""
        async with self._lock:
            return (await asyncio.to_thread(self._read_all)).get(story_id, Draft())

    async def save(self, story_id: Id, draft: Draft) -> None:
        """Keep the draft of a story; an empty one is forgotten. Raises StoreError."""
        async with self._lock:
            await asyncio.to_thread(self._save, story_id, draft)

    def _read_all(self) -> dict[Id, Draft]:
        try:
            drafts = json.loads(read_small_file(self._path, MAX_FILE_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(drafts, dict):
            return {}
        return {key: draft for key, value in drafts.items() if (draft := _read_draft(value)) is not None}

    def _save(self, story_id: Id, draft: Draft) -> None:
        drafts = self._read_all()
        if drafts.pop(story_id, Draft()) == draft:
            return
        if draft.text or draft.waiting_line:
            drafts[story_id] = draft  # the latest last
        values = {key: _write_draft(draft) for key, draft in list(drafts.items())[-MAX_DRAFTS:]}
        unfinished_path = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        try:
            unfinished_path.unlink(missing_ok=True)
            with unfinished_path.open("x", encoding="utf-8") as file:
                json.dump(values, file, ensure_ascii=False)
            unfinished_path.replace(self._path)
        except OSError as error:
            raise StoreError(
                f"What you are typing could not be kept: {error.strerror}.",
                kept="All that you sent is in the library.",
                todo="Send it, or copy it, before you close MONITOR.",
            ) from error


def _read_draft(value: object) -> Draft | None:
    """Return a draft as the file has it: its text; if it is selected, a list of just that; or its fields by name."""
    match value:
        case str():
            return Draft(value)
        case [str() as text]:
            return Draft(text, is_selected=True)
        case {
            "text": str() as text,
            "is_selected": bool() as is_selected,
            "waiting_line": str() as waiting_line,
        }:
            return Draft(text, is_selected, waiting_line)
        case _:
            return None


def _write_draft(draft: Draft) -> str | list[str] | dict[str, object]:
    if draft.waiting_line:
        return asdict(draft)
    return [draft.text] if draft.is_selected else draft.text
