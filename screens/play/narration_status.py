"""Shows a narration in progress: its words, its current step, and background work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.timer import Timer

from agents.events import (
    BackgroundProgressed,
    ImportProgressed,
    StepStateChanged,
    TextDiscarded,
    TextStreamed,
    TurnAppended,
)
from screens.play.play_queue import PlayQueue
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS
from widgets.prompt import PlayPrompt
from widgets.status_bar import MIN_SHOWN_BACKLOG, StatusBar, backlog_text
from widgets.step_progress import StepProgress
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.llm import LlmService

STATUS_GAP = "   "

SetInterval = Callable[[float, Callable[[], None]], Timer]
"""Calls a function at an interval in seconds."""


class NarrationStatus:
    """Draws the events of a narration into the transcript, the prompt's status and the header."""

    def __init__(
        self,
        llm: LlmService,
        queue: PlayQueue,
        transcript: Transcript,
        prompt: PlayPrompt,
        status_bar: StatusBar,
        set_interval: SetInterval,
    ) -> None:
        self._llm = llm
        self._queue = queue
        self._transcript = transcript
        self._prompt = prompt
        self._status_bar = status_bar
        self._set_interval = set_interval
        self._step_progress = StepProgress()
        self._timer: Timer | None = None
        self._waiting_text = ""
        self._import_text = ""
        self._appended_ids: set[Id] = set()

    @property
    def is_narrating(self) -> bool:
        """Whether the transcript shows words of a narration that is not a turn yet."""
        return self._transcript.is_narrating

    @property
    def can_be_stopped(self) -> bool:
        """Whether a model may be at work for this scene."""
        return self.is_narrating or (self._queue.is_playing and self._llm.is_on)

    @property
    def appended_ids(self) -> set[Id]:
        """The turns that were appended since their rows were drawn last."""
        return set(self._appended_ids)

    def show_event(self, scene_id: Id, event: Event) -> None:
        """Draw an event of the scene's narration or of background work."""
        match event:
            case TextStreamed(event_scene_id, turn_id, text) if event_scene_id == scene_id:
                self._transcript.add_narrated_text(turn_id, text, opens_exchange=self._opens_exchange)
            case TextDiscarded(event_scene_id, turn_id) if event_scene_id == scene_id:
                self._transcript.drop_narrated_text(turn_id)
            case TurnAppended(turn) if turn.scene_id == scene_id:
                self._appended_ids.add(turn.id)
            case StepStateChanged(event_scene_id, run_id, step, state, note) if event_scene_id == scene_id:
                self._step_progress.record_step(run_id, step, state, note, time.monotonic())
                self.refresh()
            case ImportProgressed(turns, of_turns):
                self._import_text = f"importing {turns:,} of {of_turns:,}" if of_turns else ""
                self._status_bar.background_status = self._import_text
            case BackgroundProgressed(waiting, doing):
                # Of an import one wants to know how far it is; what it gives to do comes after it.
                self._status_bar.background_status = self._import_text or backlog_text(
                    waiting, doing, at_least=MIN_SHOWN_BACKLOG
                )
            case _:
                pass

    @property
    def _opens_exchange(self) -> bool:
        """Return whether the narration opens an exchange of its own, since nothing waits for an answer."""
        last = self._transcript.view_at(self._transcript.total - 1) if self._transcript.total else None
        return self._queue.is_continuing_narration and last is not None and last.turn.speaker in GM_SPEAKERS

    def drop_appended_text(self, appended_ids: set[Id]) -> None:
        """Drop the words of turns that are rows now, or off the timeline again."""
        for turn_id in appended_ids:
            self._transcript.drop_narrated_text(turn_id)
        self._appended_ids -= appended_ids

    def show_waiting_text(self, text: str) -> None:
        """Show what waits for the player in the prompt's status, after the steps."""
        self._waiting_text = text
        self.refresh()

    def refresh(self) -> None:
        """Draw the prompt's status again; once a second while something is being played."""
        if not self._queue.is_playing and not self._step_progress.is_running:
            self._step_progress.clear()
            if self._timer is not None:
                self._timer.stop()
                self._timer = None
        elif self._timer is None:
            self._timer = self._set_interval(1.0, self.refresh)
        room = max(10, self._prompt.size.width - 6)
        step_line = self._step_progress.step_line(room, time.monotonic())
        status_text = STATUS_GAP.join(filter(None, (step_line, self._waiting_text)))
        self._prompt.status = status_text if len(status_text) <= room else step_line
