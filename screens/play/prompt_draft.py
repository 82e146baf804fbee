"""Keeps what is typed in the prompt and not sent: through leaving, a restart and a kill."""

from __future__ import annotations

from typing import Final

from stores.draft_file import DraftFile
from stores.records.ids import Id
from widgets.prompt import PlayPrompt

SAVE_SECONDS: Final = 1.0
"""Seconds between two looks at the prompt: a key press itself saves nothing."""


class PromptDraft:
    """The draft of one story's prompt."""

    def __init__(self, drafts: DraftFile, prompt: PlayPrompt) -> None:
        self._drafts = drafts
        self._prompt = prompt
        self._story_id: Id | None = None
        self._saved_text = ""

    @property
    def is_changed(self) -> bool:
        """Whether the prompt holds something else than what was saved last."""
        return self._story_id is not None and self._prompt.text != self._saved_text

    async def restore(self, story_id: Id) -> None:
        """Put the draft into the empty prompt, and keep what is typed from now on."""
        draft = await self._drafts.read(story_id)
        self._story_id, self._saved_text = story_id, draft
        if draft and not self._prompt.text:
            self._prompt.text = draft

    async def save(self) -> None:
        """Save what is typed. Raises StoreError, once for the same text."""
        if self._story_id is not None and self.is_changed:
            self._saved_text = self._prompt.text
            await self._drafts.save(self._story_id, self._saved_text)
