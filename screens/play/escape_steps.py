"""What Escape does on the play screen: one step at a time, and not two by one row of presses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, assert_never

from screens.notice_panel import NoticePanel
from screens.play.line_sender import LineSender
from screens.play.offer_answers import OfferAnswers
from screens.play.prompt_draft import PromptDraft
from screens.play.scene_side import SceneSide
from stores.records.ids import Id
from widgets.prompt import PlayPrompt

if TYPE_CHECKING:
    from agents.services.llm import LlmService

EscapeAction = Literal["escape", "tell_plainly", "later"]

ESCAPE_ENDS_HERE = "Esc ends here, at the prompt. After any other key it asks whether to leave for the menu."


class EscapeSteps:
    """Takes the steps back, and knows whether a row of Escapes has answered something already."""

    def __init__(
        self,
        llm: LlmService,
        prompt: PlayPrompt,
        lines: LineSender,
        draft: PromptDraft,
        offer: OfferAnswers,
        side: SceneSide,
        notices: NoticePanel,
        *,
        ask_to_leave: Callable[[Callable[[], None]], None],
    ) -> None:
        """`ask_to_leave` asks whether to leave for the menu, and calls what it is given if the player stays."""
        self._llm = llm
        self._prompt = prompt
        self._lines = lines
        self._draft = draft
        self._offer = offer
        self._side = side
        self._notices = notices
        self._ask_to_leave = ask_to_leave
        self._is_spent = False
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
        self._is_spent = self._is_spent and key == "escape"

    def stop_narration(self, scene_id: Id) -> None:
        """Stop the model's call for this scene; without one, go one step back.

        An Escape that began this narration, as the first of a row, is followed by none that stops it.
        """
        if not self._is_spent and self._llm.stop_streaming(scene_id):
            self._note_answer()
            return
        match self.next_action:
            case "tell_plainly":
                self.tell_plainly()
            case "later":
                self.leave_offer()
            case "escape":
                self.step_back()
            case _ as unreachable:
                assert_never(unreachable)

    def tell_plainly(self) -> None:
        """Play the words as they were typed, without the roll that is offered for them."""
        self._note_answer()
        self._prompt.text = ""
        self._lines.tell_waiting_line()

    def leave_offer(self) -> None:
        """Leave the offer to commit to the end of the scene."""
        self._note_answer()
        self._offer.dismiss()

    def step_back(self) -> None:
        """Focus the prompt, clear the notes, or ask whether to leave.

        Notes that a new line was typed under are read already: they go without a step of their own. In a row it ends at
        the prompt, once it has answered something: who presses it often wants out of a panel.
        """
        if not self._prompt.input_has_focus:
            self._side.leave()
        elif self._notices.is_shown and not self._has_new_text:
            self._notices.clear()
        elif self._is_spent:
            self._notices.show_lines([ESCAPE_ENDS_HERE])
        else:
            self._notices.clear()
            self._ask_to_leave(self._note_answer)

    @property
    def _has_new_text(self) -> bool:
        return self._prompt.has_text and not self._prompt.has_restored_text

    def _note_answer(self) -> None:
        self._is_spent = True
