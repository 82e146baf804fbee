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
    BackgroundMoved,
    ImportMoved,
    ModelCalled,
    StepMoved,
    TurnAppended,
    WordsCame,
    WordsDropped,
)
from agents.llm.budget import format_dollars
from screens.base import Happened
from screens.edit_text import EditTextScreen
from screens.model_routes import ToXray
from screens.routes import Visit
from screens.scene_line import TOLD, LineScreen
from screens.scene_play import PlayScreen
from stores.records.ids import Id
from widgets.prompt import Prompt
from widgets.status_bar import StatusBar, backlog
from widgets.steps import Steps
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import SceneView

NOTE_HINT = (
    "What should be otherwise? For example: less gore, shorter, he stays calm. Enter alone tells it just "
    "once more. The take you have stays."
)
GAP = "   "


class TellingScreen(PlayScreen):
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
        Binding("f7", "tell_on", "Go on", id="scene.tell_on", tooltip="The model goes on telling by itself"),
    ]

    @dataclass
    class Cost(Message):
        """What the story has cost so far, in words."""

        words: str

    def __init__(self, services: Services, scene_id: Id) -> None:
        super().__init__(services, scene_id)
        self._steps = Steps()
        self._ticking: Timer | None = None
        self._waiting = ""
        self._importing = ""
        self._appended: set[Id] = set()
        self._last_note = ""

    # --- what the desk says meanwhile --------------------------------------------------------------

    @on(Happened)
    def _heard(self, message: Happened) -> None:
        match message.event:
            case WordsCame(self.scene_id, turn_id, text, name):
                first = not self._telling
                self.query_one(Transcript).add_words(turn_id, text, name, apart=self._opens)
                if first:
                    self.refresh_bindings()
            case WordsDropped(self.scene_id, turn_id):
                self.query_one(Transcript).drop_words(turn_id)
            case TurnAppended(turn) if turn.scene_id == self.scene_id:
                self._appended.add(turn.id)
            case StepMoved(self.scene_id, beat_id, step, state, note):
                self._steps.move(beat_id, step, state, note, time.monotonic())
                self._show_status()
            case ModelCalled(_, story_id) if self.view and story_id in (None, self.view.story.id):
                self._ask_cost()
            case ImportMoved(turns, of_turns):
                self._importing = f"importing {turns:,} of {of_turns:,}" if of_turns else ""
                self.query_one(StatusBar).behind = self._importing
            case BackgroundMoved(waiting, doing):
                # Of an import one wants to know how far it is; what it gives to do comes after it.
                self.query_one(StatusBar).behind = self._importing or backlog(waiting, doing)
            case _:
                pass

    @property
    def _opens(self) -> bool:
        """Whether what is told opens an exchange of its own: nothing was left to answer."""
        transcript = self.query_one(Transcript)
        last = transcript.view_at(transcript.total - 1) if transcript.total else None
        return self.going_on and last is not None and last.turn.speaker in TOLD

    @property
    def _telling(self) -> bool:
        return self.query_one(Transcript).telling

    def settle_words(self, appended: set[Id]) -> None:
        """These turns were in the log when the line was read: they are rows now, or off the line again."""
        for turn_id in appended:
            self.query_one(Transcript).drop_words(turn_id)
        self._appended -= appended
        self.refresh_bindings()

    # --- the step line and the cost ----------------------------------------------------------------

    def show_waiting(self, words: str) -> None:
        """Say at the foot of the prompt what waits for the player; the steps stand before it."""
        self._waiting = words
        self._show_status()

    def _show_status(self) -> None:
        if not self.at_work and not self._steps.running:
            self._steps.clear()
            if self._ticking is not None:
                self._ticking.stop()
                self._ticking = None
        elif self._ticking is None:
            self._ticking = self.set_interval(1.0, self._show_status)
        prompt = self.query_one(Prompt)
        room = max(10, prompt.size.width - 6)
        steps = self._steps.line(room, time.monotonic())
        both = GAP.join(filter(None, (steps, self._waiting)))
        prompt.status = both if len(both) <= room else steps

    def work_changed(self) -> None:
        self._show_status()
        self.refresh_bindings()

    @work(exclusive=True, group="cost", exit_on_error=False)
    async def _ask_cost(self) -> None:
        if self.view is not None:
            self.post_message(self.Cost(await self.cost_of(self.view.story.id)))

    async def cost_of(self, story_id: Id) -> str:
        """Say what a story has cost; nothing while no model is set up."""
        if not self.services.llm.on:
            return ""
        micros, known = await self.services.llm.cost(story_id)
        return format_dollars(micros) if known else f"{format_dollars(micros)}+?"

    @on(Cost)
    def _show_cost(self, message: Cost) -> None:
        self.query_one(StatusBar).extra = message.words

    def untold(self, view: SceneView) -> bool:
        """Whether the scene is there to be opened by the model: nothing of it was told or played."""
        return self.services.llm.on and view.state == "active" and not (view.turns or view.unfinished)

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "stop":
                return self.stoppable
            case "tell_on":
                return self.view is not None and self.services.llm.on and not self.at_work
            case "retake":
                return not (self.services.llm.on and self.at_work)
            case "xray":
                return self.services.llm.on and self.query_one(Transcript).total > 0
            case "xray_here":
                return self.reading
        return super().check_action(action, parameters)

    @property
    def stoppable(self) -> bool:
        """Whether a model may be at work for this scene just now."""
        return self._telling or (self.at_work and self.services.llm.on)

    def action_stop(self) -> None:
        """Stop the words that come. Before the first of them, Escape means what it always means."""
        if not self.services.llm.stop(self.scene_id):
            self.action_escape()

    def action_escape(self) -> None:
        """One step back."""
        raise NotImplementedError

    def action_tell_on(self) -> None:
        self.perform(partial(self.services.play.continue_narration, self.scene_id), goes_on=True)

    def action_xray(self) -> None:
        """Of the turn under the cursor while that is in the transcript, else of the last that was told."""
        current = self.query_one(Transcript).current if self.reading else None
        if current is not None:
            self.post_message(Visit(ToXray(current.turn.id)))
        else:
            self._xray_last()

    def action_xray_here(self) -> None:
        self.action_xray()

    @work(exclusive=True, group="xray", exit_on_error=False)
    async def _xray_last(self) -> None:
        turns = await self.last_turns()
        told = [turn for turn in turns if turn.speaker in TOLD]
        if turns:
            self.post_message(Visit(ToXray((told or turns)[-1].id)))

    # --- retake ------------------------------------------------------------------------------------

    def action_retake(self) -> None:
        """With a model: ask what it should do otherwise. Without: edit the words."""
        if self.services.llm.on:
            self._ask_note()
        else:
            self.action_edit_words()

    def _ask_note(self) -> None:
        if not self.query_one(Transcript).total:
            self.post_message(LineScreen.LastWords(None))
            return
        note = EditTextScreen("Tell it again", self._last_note, NOTE_HINT, optional=True)
        self.app.push_screen(note, self._retell)

    def _retell(self, note: str | None) -> None:
        if note is not None:
            self._last_note = note  # kept until it is told: what fails can be tried again as it was
            self.perform(partial(self.services.play.narrate_again, self.scene_id, note))

    @on(PlayScreen.Replied)
    def _note_done(self, message: PlayScreen.Replied) -> None:
        if message.played:
            self._last_note = ""
