"""Keeps what is typed in the prompt and not sent: through leaving, a restart and a kill."""

from __future__ import annotations

from typing import Final

from screens.play.offered_roll import OFFER_HINT, OfferedRoll
from stores.draft_file import Draft, DraftFile
from stores.records.ids import Id
from widgets.prompt import SELECTED_HINT, PlayPrompt

SAVE_SECONDS: Final = 1.0
"""Seconds between two looks at the prompt: a key press itself saves nothing."""


KEPT_DRAFT_NOTE: Final = "What you had typed here before and not sent is kept: Up brings it back."


class PromptDraft:
    """The draft of one story's prompt."""

    def __init__(self, drafts: DraftFile, prompt: PlayPrompt) -> None:
        self._drafts = drafts
        self._prompt = prompt
        self.offered_roll: OfferedRoll | None = None
        """The line that was sent and waits for the answer to the roll that is offered for it."""
        self.is_kept_for_later = False
        """Whether what was typed before stands behind Up, as something else was typed when it was read."""
        self._story_id: Id | None = None
        self._saved_draft = Draft()

    @property
    def is_changed(self) -> bool:
        """Whether the prompt holds something else than what was saved last."""
        return self._story_id is not None and self._read_prompt() != self._saved_draft

    async def restore(self, story_id: Id) -> None:
        """Put the draft into the prompt, and keep what is typed from now on.

        If somebody has begun to type meanwhile, Up brings the draft back: no text slides under what they type.
        """
        draft = await self._drafts.read(story_id)
        self._story_id, self._saved_draft = story_id, draft
        if draft.waiting_line:
            is_of_line = draft.is_selected or draft.waiting_line in draft.text
            prompt_text = draft.text if is_of_line else draft.waiting_line
            self.offered_roll = OfferedRoll(draft.waiting_line, prompt_text)
        if not self._prompt.is_untouched:
            self.is_kept_for_later = bool(draft.text.strip())
            if self.is_kept_for_later:
                self._prompt.keep_for_later(draft.text)
        elif draft.is_selected:
            self._prompt.restore_text(draft.text, hint=OFFER_HINT if draft.waiting_line else SELECTED_HINT)
        else:
            self._prompt.text = draft.text

    async def save(self) -> None:
        """Save what is typed. Raises StoreError, once for the same text."""
        if self._story_id is not None and self.is_changed:
            self._saved_draft = self._read_prompt()
            await self._drafts.save(self._story_id, self._saved_draft)

    def _read_prompt(self) -> Draft:
        waiting_line = self.offered_roll.typed_line if self.offered_roll else ""
        return Draft(self._prompt.text, self._prompt.is_all_selected, waiting_line)
