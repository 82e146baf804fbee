"""The line that a scene stands on: undo, redo, takes, branches, and a look at one turn."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual import on, work
from textual.binding import Binding
from textual.message import Message

from screens.dialogs.text_dialog import TextDialog
from screens.gate.proposal_decision_screen import ProposalDecisionScreen
from screens.play.turn_trace_dialog import TurnTraceDialog
from screens.routes import Route, ToReading, Visit
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS, Turn
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import Reply, SceneView, TurnTrace

MAX_LOOKBACK_TURNS = 20
"""How far back from the end the last GM turn is looked for: rolls and notes may stand behind it."""


class TurnNavigationScreen(ProposalDecisionScreen):
    """A scene's line of turns and the keys that move along it."""

    BINDINGS = [
        Binding("ctrl+r", "retake", "Retake", id="scene.retake", tooltip="Narrate the last GM turn again"),
        Binding(
            "e,E",
            "edit_words",
            "Edit",
            id="scene.edit",
            tooltip="Edit the last GM turn as a new take",
            show=False,
        ),
        Binding(
            "left",
            "take(-1)",
            "Previous take",
            id="scene.take_before",
            tooltip="The previous take",
            show=False,
        ),
        Binding("right", "take(1)", "Next take", id="scene.take_after", tooltip="The next take", show=False),
        Binding("ctrl+z", "undo", "Undo", id="scene.undo", tooltip="Undo the last exchange"),
        Binding("ctrl+y", "redo", "Redo", id="scene.redo", tooltip="Redo the undone exchange"),
        Binding(
            "b,B", "branch", "Branch here", id="scene.branch", tooltip="Play on from the highlighted turn"
        ),
    ]

    @dataclass
    class ReplyReceived(Message):
        """What came of a key, or of a line that was `played`."""

        reply: Reply
        was_played: bool = False

    @dataclass
    class LastNarrationLoaded(Message):
        """The last GM turn, to be told in other words; None when nobody has answered yet."""

        text: str | None

    @dataclass
    class TurnTraced(Message):
        """Where a turn stands; `jump` to go there instead of telling."""

        trace: TurnTrace
        jump: bool

    def __init__(self, services: Services, scene_id: Id) -> None:
        super().__init__(services)
        self.scene_id = scene_id
        self.view: SceneView | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "undo":
                return self.view is not None and self.view.can_undo
            case "redo":
                return self.view is not None and self.view.can_redo
            case "take":
                return self.is_reading_transcript or (
                    self.query_one(PlayPrompt).input_has_focus and not self.query_one(PlayPrompt).text
                )
            case "branch":
                return self.is_reading_transcript
        return super().check_action(action, parameters)

    @property
    def is_reading_transcript(self) -> bool:
        """Whether the cursor stands in the transcript."""
        return self.query_one(Transcript).has_focus

    @work(group="line", exit_on_error=False)
    async def _run_move(self, move: Awaitable[Reply]) -> None:
        self.post_message(self.ReplyReceived(await move))

    def action_undo(self) -> None:
        self._run_move(self.services.play.undo(self.scene_id))

    def action_redo(self) -> None:
        self._run_move(self.services.play.redo(self.scene_id))

    def action_take(self, step: Literal[-1, 1]) -> None:
        self._run_move(self.services.play.walk_takes(self.scene_id, step))

    def action_branch(self) -> None:
        turn = self.query_one(Transcript).current
        if turn is not None:
            self._run_move(self.services.play.branch(self.scene_id, turn.turn.id))
            self.query_one(PlayPrompt).focus_input()  # what is typed next is the other way it goes

    # --- retake ------------------------------------------------------------------------------------

    def action_retake(self) -> None:
        self.action_edit_words()

    @work(exclusive=True, group="retake", exit_on_error=False)
    async def action_edit_words(self) -> None:
        self.post_message(self.LastNarrationLoaded(await self.read_last_narration()))

    async def read_last_narration(self) -> str | None:
        """Return what the GM told last; None if nobody has answered yet."""
        narrated_texts = (
            turn.text for turn in reversed(await self.read_last_turns()) if turn.speaker in GM_SPEAKERS
        )
        return next(narrated_texts, None)

    async def read_last_turns(self) -> list[Turn]:
        """Return the end of the line."""
        total = self.query_one(Transcript).total
        rows = await self.services.play.transcript(
            self.scene_id, max(0, total - MAX_LOOKBACK_TURNS), MAX_LOOKBACK_TURNS
        )
        return [row.turn for row in rows]

    @on(LastNarrationLoaded)
    def _edit_last_narration(self, message: LastNarrationLoaded) -> None:
        if message.text is None:
            self.show_lines(("No GM turn to narrate again yet.",))
            return
        editor = TextDialog(
            "Narrate again", message.text, "The take you have is kept; Left and Right switch takes."
        )
        self.app.push_screen(editor, self._apply_retake_text)

    def _apply_retake_text(self, new_text: str | None) -> None:
        if new_text is not None:
            self._run_move(self.services.play.retake(self.scene_id, new_text))

    def show_lines(self, lines: tuple[str, ...]) -> None:
        """Show words that are no part of the story."""
        raise NotImplementedError

    # --- looking at a turn -------------------------------------------------------------------------

    @work(exclusive=True, group="trace", exit_on_error=False)
    async def trace_turn(self, turn_id: Id, *, jump: bool = False) -> None:
        """Ask where a turn stands, to tell it or to go there."""
        self.post_message(self.TurnTraced(await self.services.play.trace(turn_id), jump))

    @on(Transcript.TurnChosen)
    def _turn_chosen(self, message: Transcript.TurnChosen) -> None:
        message.stop()
        self.trace_turn(message.turn_id)

    @on(TurnTraced)
    def _show_trace(self, message: TurnTraced) -> None:
        trace = message.trace
        if not message.jump:
            self.app.push_screen(TurnTraceDialog(trace), self._follow_route)
        elif trace.scene.id == self.scene_id and trace.is_on_line:
            self.query_one(Transcript).jump_to(trace.turn.depth)
        else:
            self.post_message(Visit(ToReading(trace.turn.id)))

    def _follow_route(self, route: Route | None) -> None:
        if route is not None:
            self.post_message(Visit(route))
