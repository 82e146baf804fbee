"""Sends what is typed in the prompt to be played, in order, with the line that waits for a roll before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from agents.orchestrator.input.bare_choice import complete_choice
from screens.play.offer_answers import OfferAnswers
from screens.play.offered_roll import OFFER_HINT, OfferedRoll
from screens.play.play_queue import PlayQueue
from screens.play.play_runner import PlayRunner
from screens.play.prompt_draft import PromptDraft
from widgets.prompt import SELECTED_HINT, PlayPrompt

if TYPE_CHECKING:
    from agents.views.replies import Reply


class LineSender:
    """Gives typed lines to the runner, and takes what their replies put into the prompt. `keep_draft` saves it."""

    def __init__(
        self,
        runner: PlayRunner,
        queue: PlayQueue,
        prompt: PlayPrompt,
        draft: PromptDraft,
        offer: OfferAnswers,
        *,
        keep_draft: Callable[[], None],
    ) -> None:
        self._runner = runner
        self._queue = queue
        self._prompt = prompt
        self._draft = draft
        self._offer = offer
        self._keep_draft = keep_draft
        self._number_command = ""
        """The command that the last reply listed numbers for."""

    def send_typed(self, text: str, revised_line: str) -> None:
        """Play what was typed; numbers alone are for the command that listed them last."""
        number_command, self._number_command = self._number_command, ""
        self.send_after_offer(complete_choice(text, number_command), revised_line)

    def send_after_offer(self, line: str, revised_line: str = "") -> None:
        """Play a line; the one that waits for the answer to an offered roll comes before it, without the roll.

        What prepares that roll comes before it, and then it is offered anew.
        """
        offered_roll = self._draft.offered_roll
        if offered_roll is None or offered_roll.is_same_line(line, revised_line):
            self._draft.offered_roll = None
            self.send(line)
        elif offered_roll.is_prepared_by(line):
            self._draft.offered_roll = None
            self.send(line)
            self.send(offered_roll.typed_line)
        else:
            self.tell_waiting_line()
            self.send(line)

    def tell_waiting_line(self) -> None:
        """Play the line for which a roll is offered as it was typed, without the roll."""
        assert self._draft.offered_roll is not None
        typed_line, self._draft.offered_roll = self._draft.offered_roll.typed_line, None
        self.send(typed_line, offers_moves=False)

    def send(self, line: str, *, offers_moves: bool = True) -> None:
        """Play a line after those before it; typing goes on meanwhile."""
        self._keep_draft()  # a line that was sent is none any more
        self._offer.pass_over()
        self._runner.queue_line(line, offers_moves=offers_moves)

    def play_passed_offer(self, reply: Reply) -> bool:
        """Play a line without the roll that a reply offers if the next is being written; return whether it is.

        Then nobody waits for an offer, and no line may be lost.
        """
        is_passed = bool(reply.plain_line) and (self._prompt.has_text or self._queue.has_waiting)
        if is_passed:
            self._runner.queue_plain_line_first(reply.plain_line)
        return is_passed

    def take_reply(self, reply: Reply) -> None:
        """Put into the prompt what a reply puts there, and note what it offers and lists."""
        if reply.plain_line:
            self._draft.offered_roll = OfferedRoll.from_reply(reply)
        self._number_command = reply.number_command
        if reply.prompt_text:
            self._prompt.restore_text(
                reply.prompt_text, hint=OFFER_HINT if reply.plain_line else SELECTED_HINT
            )
        # A line that was sent drops what is suggested.
        if reply.suggested_line and not self._queue.has_waiting:
            self._prompt.suggest_line(reply.suggested_line)
