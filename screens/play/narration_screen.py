"""A scene in which a model tells: words as they come, the step it is at, stop, retake and go on, its cost."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.binding import Binding
from textual.message import Message
from textual.timer import Timer

from agents.events import (
    BackgroundProgressed,
    ImportProgressed,
    LlmCallRecorded,
    StepStateChanged,
    TextDiscarded,
    TextStreamed,
    TurnAppended,
)
from agents.llm.budget import format_dollars
from screens.base import EventReceived
from screens.dialogs.text_dialog import TextDialog
from screens.llm_routes import ToXray
from screens.play.play_screen import PlayScreen
from screens.play.turn_navigation import TurnNavigationScreen
from screens.routes import Visit
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS
from widgets.prompt import PlayPrompt
from widgets.status_bar import MIN_SHOWN_BACKLOG, StatusBar, backlog_text
from widgets.step_progress import StepProgress
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import SceneView

RETAKE_NOTE_HINT = (
    "What should change? For example: less gore, shorter, he stays calm. Enter alone narrates it once "
    "more. The take you have is kept."
)
STATUS_GAP = "   "


class NarrationScreen(PlayScreen):
    """A play screen that shows a model at work."""

    BINDINGS = [
        Binding(
            "f6", "xray", "X-ray", id="scene.xray", tooltip="Why the highlighted (or last) turn says this"
        ),
        Binding(
            "X",
            "xray_here",
            "X-ray here",
            id="scene.xray_here",
            tooltip="Why this turn says this",
            show=False,
        ),
        Binding("f7", "tell_on", "Narrate", id="scene.tell_on", tooltip="Let the model narrate on"),
    ]

    @dataclass
    class StoryCostLoaded(Message):
        """What the story has cost so far, in words."""

        cost_text: str

    def __init__(self, services: Services, scene_id: Id) -> None:
        super().__init__(services, scene_id)
        self._step_progress = StepProgress()
        self._status_timer: Timer | None = None
        self._waiting_text = ""
        self._import_progress_text = ""
        self._appended_ids: set[Id] = set()
        self._last_retake_note = ""

    # --- what the desk says meanwhile --------------------------------------------------------------

    @on(EventReceived)
    def _show_progress_event(self, message: EventReceived) -> None:
        match message.event:
            case TextStreamed(self.scene_id, turn_id, text, name):
                is_first_text = not self._is_narrating
                self.query_one(Transcript).add_narrated_text(
                    turn_id, text, name, opens_exchange=self._opens_exchange
                )
                if is_first_text:
                    self.refresh_bindings()
            case TextDiscarded(self.scene_id, turn_id):
                self.query_one(Transcript).drop_narrated_text(turn_id)
            case TurnAppended(turn) if turn.scene_id == self.scene_id:
                self._appended_ids.add(turn.id)
            case StepStateChanged(self.scene_id, beat_id, step, state, note):
                self._step_progress.record_step(beat_id, step, state, note, time.monotonic())
                self._show_status()
            case LlmCallRecorded(_, story_id) if self.view and story_id in (None, self.view.story.id):
                self._load_cost()
            case ImportProgressed(turns, of_turns):
                self._import_progress_text = f"importing {turns:,} of {of_turns:,}" if of_turns else ""
                self.query_one(StatusBar).background_status = self._import_progress_text
            case BackgroundProgressed(waiting, doing):
                # Of an import one wants to know how far it is; what it gives to do comes after it.
                self.query_one(StatusBar).background_status = self._import_progress_text or backlog_text(
                    waiting, doing, at_least=MIN_SHOWN_BACKLOG
                )
            case _:
                pass

    @property
    def _opens_exchange(self) -> bool:
        """Whether what is told opens an exchange of its own: nothing was left to answer."""
        transcript = self.query_one(Transcript)
        last = transcript.view_at(transcript.total - 1) if transcript.total else None
        return self.is_continuing_narration and last is not None and last.turn.speaker in GM_SPEAKERS

    @property
    def _is_narrating(self) -> bool:
        return self.query_one(Transcript).is_narrating

    def drop_appended_text(self, appended_ids: set[Id]) -> None:
        """These turns were in the log when the line was read: they are rows now, or off the line again."""
        for turn_id in appended_ids:
            self.query_one(Transcript).drop_narrated_text(turn_id)
        self._appended_ids -= appended_ids
        self.refresh_bindings()

    # --- the step line and the cost ----------------------------------------------------------------

    def show_waiting_text(self, text: str) -> None:
        """Say at the foot of the prompt what waits for the player; the steps stand before it."""
        self._waiting_text = text
        self._show_status()

    def _show_status(self) -> None:
        if not self.is_playing and not self._step_progress.is_running:
            self._step_progress.clear()
            if self._status_timer is not None:
                self._status_timer.stop()
                self._status_timer = None
        elif self._status_timer is None:
            self._status_timer = self.set_interval(1.0, self._show_status)
        prompt = self.query_one(PlayPrompt)
        room = max(10, prompt.size.width - 6)
        step_line = self._step_progress.step_line(room, time.monotonic())
        status_text = STATUS_GAP.join(filter(None, (step_line, self._waiting_text)))
        prompt.status = status_text if len(status_text) <= room else step_line

    def refresh_play_status(self) -> None:
        self._show_status()
        self.refresh_bindings()

    @work(exclusive=True, group="cost", exit_on_error=False)
    async def _load_cost(self) -> None:
        if self.view is not None:
            self.post_message(self.StoryCostLoaded(await self.read_cost_text(self.view.story.id)))

    async def read_cost_text(self, story_id: Id) -> str:
        """Say what a story has cost; nothing while no model is set up."""
        if not self.services.llm.is_on:
            return ""
        micros, is_cost_known = await self.services.llm.read_story_cost(story_id)
        return format_dollars(micros) if is_cost_known else f"{format_dollars(micros)}+?"

    @on(StoryCostLoaded)
    def _show_cost(self, message: StoryCostLoaded) -> None:
        self.query_one(StatusBar).extra = message.cost_text

    def needs_opening_narration(self, view: SceneView) -> bool:
        """Whether the scene is there to be opened by the model: nothing of it was told or played."""
        return (
            self.services.llm.is_on
            and view.state == "active"
            and not (view.turn_count or view.unfinished_count)
        )

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "stop":
                return self.can_stop_narration
            case "tell_on":
                return self.view is not None and self.services.llm.is_on and not self.is_playing
            case "retake":
                return not (self.services.llm.is_on and self.is_playing)
            case "xray":
                return self.services.llm.is_on and self.query_one(Transcript).total > 0
            case "xray_here":
                return self.is_reading_transcript
        return super().check_action(action, parameters)

    @property
    def can_stop_narration(self) -> bool:
        """Whether a model may be at work for this scene just now."""
        return self._is_narrating or (self.is_playing and self.services.llm.is_on)

    def action_stop(self) -> None:
        """Stop the model's call for this scene; without one, go one step back."""
        if not self.services.llm.stop_streaming(self.scene_id):
            self.action_escape()

    def action_escape(self) -> None:
        """One step back."""
        raise NotImplementedError

    def action_tell_on(self) -> None:
        self.queue_action(
            partial(self.services.play.continue_narration, self.scene_id), continues_narration=True
        )

    def action_xray(self) -> None:
        """Of the turn under the cursor while that is in the transcript, else of the last that was told."""
        current = self.query_one(Transcript).current if self.is_reading_transcript else None
        if current is not None:
            self.post_message(Visit(ToXray(current.turn.id)))
        else:
            self._xray_last_turn()

    def action_xray_here(self) -> None:
        self.action_xray()

    @work(exclusive=True, group="xray", exit_on_error=False)
    async def _xray_last_turn(self) -> None:
        turns = await self.read_last_turns()
        narrated_turns = [turn for turn in turns if turn.speaker in GM_SPEAKERS]
        if turns:
            self.post_message(Visit(ToXray((narrated_turns or turns)[-1].id)))

    # --- retake ------------------------------------------------------------------------------------

    def action_retake(self) -> None:
        """With a model: ask what it should do otherwise. Without: edit the words."""
        if self.services.llm.is_on:
            self._ask_retake_note()
        else:
            self.action_edit_words()

    def _ask_retake_note(self) -> None:
        if not self.query_one(Transcript).total:
            self.post_message(TurnNavigationScreen.LastNarrationLoaded(None))
            return
        dialog = TextDialog("Narrate again", self._last_retake_note, RETAKE_NOTE_HINT, is_optional=True)
        self.app.push_screen(dialog, self._apply_retake_note)

    def _apply_retake_note(self, note: str | None) -> None:
        if note is not None:
            self._last_retake_note = note  # kept until it is told: what fails can be tried again as it was
            self.queue_action(partial(self.services.play.narrate_again, self.scene_id, note))

    @on(PlayScreen.ReplyReceived)
    def _clear_retake_note(self, message: PlayScreen.ReplyReceived) -> None:
        if message.was_played and message.reply.severity == "information":
            self._last_retake_note = ""
