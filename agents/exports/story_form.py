"""Names the forms that a story is written in; nothing heavy is loaded with it."""

from __future__ import annotations

from enum import StrEnum


class StoryForm(StrEnum):
    """How a story is written out."""

    MARKDOWN = "markdown"
    JOURNAL = "journal"
    LONELOG = "lonelog"
    EPUB = "epub"
    HTML = "html"

    @property
    def file_ending(self) -> str:
        return f".{self.value}" if self in (StoryForm.EPUB, StoryForm.HTML) else ".md"
