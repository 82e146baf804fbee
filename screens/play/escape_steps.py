"""What Escape does on the play screen: one step at a time, and not two by one row of presses."""

from __future__ import annotations

from typing import Literal

from screens.play.offer_answers import OfferAnswers
from screens.play.prompt_draft import PromptDraft
from widgets.prompt import PlayPrompt

EscapeAction = Literal["escape", "tell_plainly", "later"]


class EscapeSteps:
    """Knows the way back from what is offered, and whether a row of Escapes has answered something already."""

    def __init__(self, prompt: PlayPrompt, draft: PromptDraft, offer: OfferAnswers) -> None:
        self._prompt = prompt
        self._draft = draft
        self._offer = offer
        self.is_spent = False
        """Whether Escape has answered something: more of them in a row do nothing."""

    @property
    def next_action(self) -> EscapeAction:
        """What the way back is now: from an offered roll, from an offer to commit, or else a step."""
        if not self._prompt.input_has_focus:
            return "escape"
        if self._draft.offered_roll is not None and (
            self._prompt.has_restored_text or not self._prompt.has_text
        ):
            return "tell_plainly"
        return "later" if self._offer.is_shown else "escape"

    def note_key(self, key: str) -> None:
        """Note a key before it does anything: any other than Escape ends a row of Escapes."""
        self.is_spent = self.is_spent and key == "escape"
