"""The keys that move along a scene's timeline, narrate its last turn again, or look at one turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.worker import Worker

from screens.dialogs.answer_check import save_then_show
from screens.dialogs.text_dialog import TextDialog
from screens.gate.proposal_decisions import ProposalDecisions
from screens.notice_panel import NoticePanel
from screens.play.play_queue import PlayQueue
from screens.play.turn_trace_dialog import TurnTraceDialog
from screens.routes import Route, ToBranchMap, ToReading, ToXray, Visit
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS, Turn
from widgets.prompt import PlayPrompt
from widgets.safe_text import plain_text
from widgets.transcript.transcript import Transcript
from widgets.worker import post_failed_work

if TYPE_CHECKING:
    from agents.services.llm import LlmService
    from agents.services.play import PlayService
    from agents.views.card_views import TurnTrace
    from agents.views.replies import Reply
    from agents.views.scene_views import SceneView
    from agents.views.turn_views import TurnView

MAX_LOOKBACK_TURNS = 20
"""Turns back from the end in which the last GM turn is looked for; rolls and notes may follow it."""

MAX_OFFERED_LENGTH = 300
"""Characters of a turn that are offered as a decision."""

NO_TURN = (
    "Nothing is played in this scene yet. l opens the map: B there branches from a turn of an earlier scene."
)
EARLIER_TAKES = "Left and Right switch takes of the last turn. l opens the map: it has the takes of this one."
RETAKE_NOTE_HINT = (
    "What should change? For example: less gore, shorter, he stays calm. Enter alone narrates it once "
    "more. The take you have is kept."
)


NOTHING_PLAYED = "Nothing was played yet. F6 shows how a turn came to be."


class TimelinePanel(Horizontal):
    """The part of the play screen with the transcript, the prompt and the panels beside them."""

    BINDINGS = [
        Binding("ctrl+r", "retake", "Retake", id="scene.retake", tooltip="Narrate the last GM turn again"),
        Binding(
            "e,E",
            "edit_words",
            "Edit",
            id="scene.edit",
            tooltip="Edit the highlighted (or last GM) turn as a new take",
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
        Binding("ctrl+z", "undo", "Undo", id="scene.undo", tooltip="Undo the last thing done"),
        Binding("ctrl+y", "redo", "Redo", id="scene.redo", tooltip="Redo what was undone"),
        Binding(
            "ctrl+y",
            "explain_redo",
            "Redo",
            id="scene.explain_redo",
            tooltip="Redo what was undone",
            show=False,
        ),
        Binding("B", "branch", "Branch here", id="scene.branch", tooltip="Play on from the highlighted turn"),
        Binding(
            "B",
            "explain_branch",
            "Branch here",
            id="scene.explain_branch",
            tooltip="Say what can be branched from",
            show=False,
        ),
        Binding(
            "l",
            "map",
            "Map",
            id="scene.map",
            tooltip="The map of branches, scenes, ways and takes",
            show=False,
        ),
        Binding(
            "ctrl+g",
            "names",
            "Names",
            id="scene.names",
            tooltip="To the next name in the story on the screen: Enter opens its card",
            show=False,
        ),
        Binding(
            "exclamation_mark",
            "decide",
            "Decide",
            id="scene.decide",
            tooltip="Hold to what the highlighted turn says: /decide with its words",
            show=False,
        ),
        Binding(
            "f6", "xray", "X-ray", id="scene.xray", tooltip="Why the highlighted (or last) turn says this"
        ),
        Binding(
            "f6",
            "xray_unlisted",
            "X-ray",
            id="scene.xray_unlisted",
            tooltip="How the last turn came to be, or that there is none",
            show=False,
        ),
    ]

    @dataclass
    class Moved(Message):
        """A key moved along the timeline."""

        reply: Reply

    @dataclass
    class RetakeRequested(Message):
        """The model is to narrate the last turn again, after what is being played."""

        run: Callable[[], Awaitable[Reply]]

    @dataclass
    class LastNarrationLoaded(Message):
        """The last GM turn, to be put in other words."""

        text: str

    @dataclass
    class TurnTraced(Message):
        """Where a turn is; with `jump`, go there in place of showing it."""

        trace: TurnTrace
        jump: bool

    def __init__(self, play: PlayService, llm: LlmService, queue: PlayQueue, *, id: str) -> None:
        super().__init__(id=id)
        self._play = play
        self._llm = llm
        self._scene_id: Id = ""
        self._view: SceneView | None = None
        self._queue = queue
        self._awaits_undo = False
        """Whether undo was asked for before the scene was read."""
        self._last_retake_note = ""

    # --- what the screen tells it ------------------------------------------------------------------

    def show_scene(self, scene_id: Id, view: SceneView) -> None:
        """Use `view` as the scene from now on."""
        self._scene_id, self._view = scene_id, view
        if self._awaits_undo:
            self._awaits_undo = False
            self.action_undo()

    def forget_retake_note(self) -> None:
        """Forget the note of a retake that is narrated."""
        self._last_retake_note = ""

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "explain_redo":
                return self._view is not None  # with nothing to bring back it says so
            case "redo":
                return self._view is not None and self._view.can_redo
            case "take":
                prompt = self.query_one(PlayPrompt)
                return self.is_reading_transcript or (prompt.input_has_focus and not prompt.text)
            case "branch":
                return self.is_reading_transcript and self.query_one(Transcript).total > 0
            case "explain_branch":
                return self.is_reading_transcript and self.query_one(Transcript).total == 0
            case "decide" | "map":
                return self.is_reading_transcript
            case "retake":
                return not (self._llm.is_on and self._queue.is_playing)
            case "xray":
                return self._has_xray
            case "xray_unlisted":
                return not self._has_xray
        return super().check_action(action, parameters)

    @property
    def _has_xray(self) -> bool:
        """Whether the footer lists the X-ray: a model narrated, or a turn is highlighted."""
        has_record = self._llm.is_on or self.is_reading_transcript
        return has_record and self.query_one(Transcript).total > 0

    @property
    def is_reading_transcript(self) -> bool:
        """Whether the transcript has the cursor."""
        return self.query_one(Transcript).has_focus

    @work(group="line", exit_on_error=False)
    async def _run_move(self, move: Awaitable[Reply]) -> None:
        self.post_message(self.Moved(await move))

    def action_undo(self) -> None:
        """Undo the last thing done, as soon as the scene has been read: with nothing to take back it says so."""
        if self._view is None:
            self._awaits_undo = True
            return
        self._move_after_verdicts(lambda: self._play.undo(self._scene_id))

    def action_redo(self) -> None:
        self._move_after_verdicts(lambda: self._play.redo(self._scene_id))

    def _move_after_verdicts(self, move: Callable[[], Awaitable[Reply]]) -> None:
        """Run a move once the verdicts are stored that the keys before this one set in the list of proposals."""
        decisions = self.query_one(ProposalDecisions)
        if decisions.has_focus_within:
            decisions.call_when_stored(lambda: self._run_move(move()))
        else:
            self._run_move(move())

    def action_explain_redo(self) -> None:
        """Say that there is nothing to redo, as redo does."""
        self.action_redo()

    def action_take(self, step: Literal[-1, 1]) -> None:
        transcript = self.query_one(Transcript)
        current = transcript.current if self.is_reading_transcript else None
        if current is not None and current.turn.depth + 1 < transcript.total:
            self.query_one(NoticePanel).show_lines((EARLIER_TAKES,))
            return
        self._run_move(self._play.walk_takes(self._scene_id, step))

    def action_branch(self) -> None:
        turn = self.query_one(Transcript).current
        if turn is None:
            self.query_one(NoticePanel).show_lines((NO_TURN,))
            return
        self._run_move(self._play.branch(self._scene_id, turn.turn.id))
        self.query_one(PlayPrompt).focus_input()  # what is typed next is the other way it goes

    def action_explain_branch(self) -> None:
        """Say that no turn of this scene can be branched from, and where earlier scenes can."""
        self.query_one(NoticePanel).show_lines((NO_TURN,))

    def action_map(self) -> None:
        if self._view is not None:
            self.post_message(Visit(ToBranchMap(self._view.universe.id, self._scene_id)))

    def action_names(self) -> None:
        """Go into the story, to the first name of the last turn on the screen."""
        transcript = self.query_one(Transcript)
        transcript.cursor = None
        transcript.focus()
        transcript.call_after_refresh(transcript.action_name, 1)

    def action_decide(self) -> None:
        """Put the words of the highlighted turn behind `/decide`, to be shortened and sent."""
        turn, prompt = self.query_one(Transcript).current, self.query_one(PlayPrompt)
        if turn is None:
            self.query_one(NoticePanel).show_lines((NO_TURN,))
            return
        words = " ".join(plain_text(turn.turn.text).split())
        prompt.restore_text(f"/decide {words[:MAX_OFFERED_LENGTH]} ")
        prompt.focus_input()

    # --- retake ------------------------------------------------------------------------------------

    def action_retake(self) -> None:
        """With a model, ask what it should do otherwise; without one, edit the words."""
        if not self._llm.is_on:
            self.action_edit_words()
        elif not self.query_one(Transcript).total:
            self._edit_last_turn()
        else:
            hint = RETAKE_NOTE_HINT
            if len(models := self._llm.retake_models) > 1:
                hint += f" Begin with a model's name to ask that one: {', '.join(models)}."
            dialog = TextDialog("Narrate again", self._last_retake_note, hint, is_optional=True)
            self.app.push_screen(dialog, self._apply_retake_note)

    def _apply_retake_note(self, note: str | None) -> None:
        if note is not None:
            self._last_retake_note = (
                note  # kept until it is narrated: what fails can be tried again as it was
            )
            self.post_message(self.RetakeRequested(partial(self._play.narrate_again, self._scene_id, note)))

    def action_edit_words(self) -> None:
        """Edit the turn under the transcript's cursor, or the last GM turn."""
        current = self.query_one(Transcript).current if self.is_reading_transcript else None
        if current is None:
            self._edit_last_turn()
            return
        self._open_editor(
            f"Edit turn {current.turn.depth + 1}",
            current.turn.text,
            self._edit_hint(current),
            partial(self._play.edit_turn, self._scene_id, current.turn.id),
        )

    def _edit_hint(self, view: TurnView) -> str:
        """Return what editing a turn does, before it is done."""
        if view.turn.speaker not in GM_SPEAKERS:
            return "Your line is played again from here. What followed it is kept as another way."
        if view.turn.depth + 1 < self.query_one(Transcript).total:
            return "It reads in these words from now on; the turns after it stand. Ctrl+Z brings the old words back."
        return "Another take of this turn. The turn as it was is kept."

    def _open_editor(
        self, heading: str, text: str, hint: str, make_take: Callable[[str], Awaitable[Reply]]
    ) -> None:
        """Ask for other words; a take of them that is refused leaves them in the dialog."""
        save_text, show_reply = save_then_show(make_take, lambda reply: self.post_message(self.Moved(reply)))
        self.app.push_screen(TextDialog(heading, text, hint, save_text=save_text), show_reply)

    @work(exclusive=True, group="retake", exit_on_error=False)
    async def _edit_last_turn(self) -> None:
        last_narration = await self._play.read_last_narration(self._scene_id)
        self.post_message(self.LastNarrationLoaded(last_narration.text))

    async def _read_last_turns(self) -> list[Turn]:
        total = self.query_one(Transcript).total
        rows = await self._play.transcript(
            self._scene_id, max(0, total - MAX_LOOKBACK_TURNS), MAX_LOOKBACK_TURNS
        )
        return [row.turn for row in rows]

    @on(LastNarrationLoaded)
    def _edit_last_narration(self, message: LastNarrationLoaded) -> None:
        message.stop()
        self._open_editor(
            "Narrate again",
            message.text,
            "The take you have is kept; Left and Right switch takes.",
            partial(self._play.retake, self._scene_id),
        )

    # --- looking at a turn -------------------------------------------------------------------------

    @work(exclusive=True, group="trace", exit_on_error=False)
    async def trace_turn(self, turn_id: Id, *, jump: bool = False) -> None:
        """Read where a turn is, to show it or to go there."""
        self.post_message(self.TurnTraced(await self._play.trace(turn_id), jump))

    @on(Transcript.TurnChosen)
    def _turn_chosen(self, message: Transcript.TurnChosen) -> None:
        message.stop()
        self.trace_turn(message.turn_id)

    @on(TurnTraced)
    def _show_trace(self, message: TurnTraced) -> None:
        message.stop()
        trace = message.trace
        if not message.jump:
            self.app.push_screen(TurnTraceDialog(trace), self._follow_route)
        elif trace.scene.id == self._scene_id and trace.is_on_line:
            self.query_one(Transcript).jump_to(trace.turn.depth)
        else:
            self.post_message(Visit(ToReading(trace.turn.id)))

    def _follow_route(self, route: Route | None) -> None:
        if route is not None:
            self.post_message(Visit(route))

    def action_xray(self) -> None:
        """Open the X-ray of the turn under the transcript's cursor, else of the last narration."""
        current = self.query_one(Transcript).current if self.is_reading_transcript else None
        if current is not None:
            self.post_message(Visit(ToXray(current.turn.id)))
        else:
            self._xray_last_turn()

    def action_xray_unlisted(self) -> None:
        """Open the X-ray of the last turn, or say that there is none."""
        if self.query_one(Transcript).total:
            self._xray_last_turn()
        else:
            self.query_one(NoticePanel).show_lines((NOTHING_PLAYED,))

    @work(exclusive=True, group="xray", exit_on_error=False)
    async def _xray_last_turn(self) -> None:
        turns = await self._read_last_turns()
        narrated_turns = [turn for turn in turns if turn.speaker in GM_SPEAKERS]
        if turns:
            self.post_message(Visit(ToXray((narrated_turns or turns)[-1].id)))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        post_failed_work(self, message)
