"""What the play screen asks and shows over the story, and what becomes of the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from screens.characters.sheet_screen import SheetScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.play.dice_tray import MAX_ROLLS, DiceTray
from screens.play.ideas_dialog import IdeasDialog
from screens.play.line_sender import LineSender
from screens.routes import ToMenu, Visit
from stores.records.ids import Id
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.replies import Reply
    from stores.records.play import Resolution

ROLL_LOOKBACK_TURNS = 100
"""Turns back from the end in which the dice tray looks for rolls."""


class SceneDialogs:
    """Opens the dialogs of the play screen."""

    def __init__(
        self,
        screen: Screen[Any],
        services: Services,
        prompt: PlayPrompt,
        lines: LineSender,
    ) -> None:
        self._screen = screen
        self._services = services
        self._prompt = prompt
        self._lines = lines

    def open_sheet(self, scene_id: Id) -> None:
        """Show the sheets of the scene; what the rules say of changes there is suggested afterwards."""

        def suggest(line: str | None) -> None:
            if line:
                self._prompt.suggest_line(line)

        self._screen.app.push_screen(SheetScreen(self._services, scene_id), suggest)

    def ask_to_leave(self, note_stay: Callable[[], None]) -> None:
        """Ask whether to leave for the menu; call back if the player stays."""
        detail = "The scene stays as it is. Resume it under Continue."
        if self._prompt.text.strip():
            detail += "\nWhat you typed and did not send is kept."

        def apply_answer(is_confirmed: bool | None) -> None:
            if is_confirmed:
                self._screen.post_message(Visit(ToMenu()))
            else:
                note_stay()

        dialog = ConfirmDialog("Leave for the menu?", detail, yes="Leave", no="Play on")
        self._screen.app.push_screen(dialog, apply_answer)

    def ask_to_confirm(self, reply: Reply) -> None:
        """Show what a line would take, and send the line that does it all the same if the answer is yes."""
        question, *details = reply.lines

        def apply_answer(is_confirmed: bool | None) -> None:
            if is_confirmed:
                self._lines.send(reply.confirm_line)

        dialog = ConfirmDialog(question, "\n".join(details), yes=reply.confirm_word, no="Keep it")
        self._screen.app.push_screen(dialog, apply_answer)

    def open_dice_tray(
        self,
        scene_id: Id,
        queue_play: Callable[[Callable[[], Awaitable[Reply]]], None],
    ) -> None:
        """Show the last rolls, and roll; `queue_play` has each roll made after what is being played."""

        async def read_rolls() -> tuple[Resolution, ...]:
            turn_count = self._screen.query_one(Transcript).total
            start = max(0, turn_count - ROLL_LOOKBACK_TURNS)
            rows = await self._services.play.transcript(scene_id, start, 2 * ROLL_LOOKBACK_TURNS)
            return tuple(row.resolution for row in reversed(rows) if row.resolution)[:MAX_ROLLS]

        def play_line(line: str) -> Awaitable[Reply]:
            return self._services.play.submit(scene_id, line, with_view=True)

        self._screen.app.push_screen(DiceTray(read_rolls, play_line, queue_play))

    def offer_ideas(self, scene_id: Id) -> None:
        """Offer three things that the hero could do next."""
        dialog = IdeasDialog(partial(self._services.play.suggest_actions, scene_id))
        self._screen.app.push_screen(dialog, self._use_idea)

    def _use_idea(self, action: str | None) -> None:
        """Put an action into the prompt: what is typed there already stays in front of it."""
        if action is None:
            return
        if self._prompt.has_text:
            self._prompt.text = f"{self._prompt.text.rstrip()} {action}"
            self._prompt.focus_input()
        else:
            self.fill_prompt(action)

    def fill_prompt(self, text: str) -> None:
        """Put these words into the empty prompt."""
        self._prompt.restore_text(text)
        self._prompt.focus_input()
