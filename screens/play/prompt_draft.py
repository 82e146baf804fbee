"""Keeps what is typed in the prompt and not sent: through leaving, a restart and a kill."""

from __future__ import annotations

from typing import Final

from stores.draft_file import Draft, DraftFile
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
        self._saved_draft = Draft()

    @property
    def is_changed(self) -> bool:
        """Whether the prompt holds something else than what was saved last."""
        return self._story_id is not None and self._read_prompt() != self._saved_draft

    async def restore(self, story_id: Id) -> None:
        """Put the draft into the empty prompt, and keep what is typed from now on."""
        draft = await self._drafts.read(story_id)
        self._story_id, self._saved_draft = story_id, draft
        if self._prompt.text:
            return
        if draft.is_selected:
            self._prompt.restore_text(draft.text)
        else:
            self._prompt.text = draft.text

    async def save(self) -> None:
        """Save what is typed. Raises StoreError, once for the same text."""
        if self._story_id is not None and self.is_changed:
            self._saved_draft = self._read_prompt()
            await self._drafts.save(self._story_id, self._saved_draft)

    def _read_prompt(self) -> Draft:
        return Draft(self._prompt.text, is_selected=self._prompt.is_all_selected)
