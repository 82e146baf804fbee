"""What was typed in the prompt of each story and not sent, in a file beside the library."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from stores.errors import StoreError
from stores.records.ids import Id
from stores.story_file import StoryFile


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in a prompt."""

    text: str = ""
    is_selected: bool = False
    """Whether typing replaces it, as with a line that was refused."""
    waiting_line: str = ""
    """The line that was sent before it and is not played yet, because a roll is offered for it."""


class DraftFile:
    """Reads and writes drafts."""

    def __init__(self, path: Path) -> None:
        self._file = StoryFile(path)

    async def read(self, story_id: Id) -> Draft:
        """Return the draft of a story, empty if there is none."""
        return _read_draft(await self._file.read(story_id))

    async def save(self, story_id: Id, draft: Draft) -> None:
        """Keep the draft of a story; an empty one is forgotten. Raises StoreError."""
        try:
            await self._file.save(story_id, _write_draft(draft))
        except OSError as error:
            raise StoreError(
                f"What you are typing could not be kept: {error.strerror}.",
                kept="All that you sent is in the library.",
                todo="Send it, or copy it, before you close MONITOR.",
            ) from error


def _read_draft(value: object) -> Draft:
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
            return Draft()


def _write_draft(draft: Draft) -> str | list[str] | dict[str, object]:
    if draft.waiting_line:
        return asdict(draft)
    return [draft.text] if draft.is_selected and draft.text else draft.text
