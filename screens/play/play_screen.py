"""Playing lines: what is typed goes to the desk in order, what comes back stands in the aside.

Nothing typed is lost: what could not be played is put back into the prompt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message

from agents.events import Notice
from agents.llm.errors import ModelError
from screens.llm_routes import ToBill, ToLlmSetup, ToXray
from screens.notice_panel import NoticePanel
from screens.play.turn_navigation import TurnNavigationScreen
from screens.query_routes import ToQuery
from screens.routes import ToConflict, ToGate, ToHelp, ToMenu, ToPolicy, ToScene, ToUniverse, Visit
from screens.world_routes import ToCommitments
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.prompt import PlayPrompt
from widgets.safe_text import one_line
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import CommandHelp, CommitReport, Reply


GOTO_WITH_OWN_SCREEN = ("gate", "help", "court", "house", "ledger", "xray", "bill", "model", "query")
"""Where a reply leads that is told there in full."""


@dataclass(frozen=True)
class QueuedPlay:
    """Something to play when what came before it is done; `line` as it was typed, if it was.

    `goes_on`: the story is told on without an act of the player's.
    """

    run: Callable[[], Awaitable[Reply]]
    typed_line: str = ""
    continues_narration: bool = False


class PlayScreen(TurnNavigationScreen):
    """A line screen with a prompt: exchanges, commands, and what is critical."""

    @dataclass
    class PlayFailed(Message):
        """What was to be played could not be."""

        error: MonitorError

    @dataclass
    class TriggerCommitted(Message):
        """What was critical is written."""

        report: CommitReport

    def __init__(self, services: Services, scene_id: Id) -> None:
        super().__init__(services, scene_id)
        self._play_queue: deque[QueuedPlay] = deque()
        self._current_play: QueuedPlay | None = None

    @on(PlayPrompt.LineSubmitted)
    def _send_typed_line(self, message: PlayPrompt.LineSubmitted) -> None:
        message.stop()
        self.send_line(message.text)

    def send_line(self, line: str) -> None:
        """Play a line when those before it are done; typing goes on meanwhile."""
        continues_narration = line.startswith("/continue")
        self._play_queue.append(
            QueuedPlay(lambda: self.services.play.submit(self.scene_id, line), line, continues_narration)
        )
        self.play_next()

    def queue_action(self, run: Callable[[], Awaitable[Reply]], *, continues_narration: bool = False) -> None:
        """Play what a key asks for, in the order of the lines that were typed."""
        self._play_queue.append(QueuedPlay(run, continues_narration=continues_narration))
        self.play_next()

    @property
    def is_playing(self) -> bool:
        """Whether something is being played."""
        return self._current_play is not None

    @property
    def is_continuing_narration(self) -> bool:
        """Whether the story is being told on without an act of the player's."""
        return self._current_play is not None and self._current_play.continues_narration

    def refresh_play_status(self) -> None:
        """Something is being played now, or is not any more."""

    def play_next(self) -> None:
        """Play the next of what waits, once the scene is open and what came before it is done."""
        if self.view is not None and self._current_play is None and self._play_queue:
            self._current_play = self._play_queue.popleft()
            self.query_one(NoticePanel).clear()
            self._run_play(self._current_play.run)
        self.refresh_play_status()

    @work(group="play", name="play", exit_on_error=False)
    async def _run_play(self, run: Callable[[], Awaitable[Reply]]) -> None:
        try:
            reply = await run()
        except MonitorError as error:
            self.post_message(self.PlayFailed(error))
        else:
            self.post_message(self.ReplyReceived(reply, was_played=True))

    @on(TurnNavigationScreen.ReplyReceived)
    def _show_reply(self, message: TurnNavigationScreen.ReplyReceived) -> None:
        reply = message.reply
        if reply.lines and reply.goto not in GOTO_WITH_OWN_SCREEN:
            self.query_one(NoticePanel).show_lines(reply.lines, reply.severity)
        # A line to go on with; what the rules suggest beside a played one never runs into what is typed.
        if reply.prompt_text and not (reply.kind == "exchange" and self.query_one(PlayPrompt).text.strip()):
            self.query_one(PlayPrompt).restore_text(reply.prompt_text)
        self._follow_reply(reply)
        self.reload()
        if message.was_played:
            self._current_play = None
            self.play_next()

    @on(PlayFailed)
    def _show_play_failure(self, message: PlayFailed) -> None:
        self.query_one(NoticePanel).show_error(message.error)
        self._restore_unplayed_line(message.error)
        self.play_next()

    def _restore_unplayed_line(self, error: BaseException) -> None:
        """Give a line back that was not played. One that only the model had no answer to is in the story."""
        line = self._current_play.typed_line if self._current_play else ""
        self._current_play = None
        if line and (line.startswith("/") or not isinstance(error, ModelError)):
            self.query_one(PlayPrompt).restore_text(line)

    def _follow_reply(self, reply: Reply) -> None:
        match reply.goto:
            case "scene" if reply.subject and reply.subject != self.scene_id:
                self.post_message(Visit(ToScene(reply.subject)))
            case "gate":
                self.post_message(Visit(ToGate(self.scene_id)))
            case "court" if reply.subject:
                self.post_message(Visit(ToConflict(reply.subject)))
            case "house" if reply.subject:
                self.post_message(Visit(ToPolicy(reply.subject)))
            case "ledger" if self.view:
                self.post_message(Visit(ToCommitments(self.view.universe.id, self.scene_id)))
            case "xray" if reply.subject:
                self.post_message(Visit(ToXray(reply.subject)))
            case "bill" if self.view:
                self.post_message(Visit(ToBill(self.view.story.id)))
            case "model":
                self.post_message(Visit(ToLlmSetup()))
            case "query":
                self._open_query(reply.query_text)
            case "help":
                self.post_message(Visit(ToHelp()))
            case "menu":
                self.post_message(Visit(ToMenu()))
            case "universe" if self.view:
                self.post_message(Visit(ToUniverse(self.view.universe.id, reply.subject, beside_play=True)))

    # --- the record --------------------------------------------------------------------------------

    def action_query(self) -> None:
        self._open_query("")

    def _open_query(self, question: str) -> None:
        if self.view is not None:
            self.post_message(Visit(ToQuery(self.view.universe.id, None, self.scene_id, question)))

    def fill_prompt(self, text: str) -> None:
        """Go on with these words in the prompt."""
        self.query_one(PlayPrompt).restore_text(text)
        self.query_one(PlayPrompt).focus_input()

    # --- what is critical --------------------------------------------------------------------------

    @on(TriggerBar.CommitRequested)
    def action_commit_now(self) -> None:
        self.start_change(self._commit_trigger(), "commit")

    async def _commit_trigger(self) -> None:
        self.post_message(self.TriggerCommitted(await self.services.gate.commit_trigger(self.scene_id)))

    @on(TriggerBar.Dismissed)
    def dismiss_trigger(self) -> None:
        """Leave what is critical to the scene's end."""
        self.start_change(self.services.gate.dismiss_trigger(self.scene_id), "dismiss")

    @on(TriggerCommitted)
    def _show_committed(self, message: TriggerCommitted) -> None:
        report = message.report
        written_lines = [f"Canon: {one_line(fact.statement)}" for fact in report.facts]
        written_lines += [f"Canon: {one_line(entity.name)} ({entity.kind})" for entity in report.entities]
        failed_lines = [f"Not written: {subject}: {reason}" for subject, reason in report.failures]
        result_lines = [*written_lines, *failed_lines] or ["Nothing new to write."]
        self.query_one(NoticePanel).show_lines(result_lines, "warning" if failed_lines else "information")
        self.reload()

    # --- words for the user ------------------------------------------------------------------------

    def show_lines(self, lines: Sequence[str]) -> None:
        self.query_one(NoticePanel).show_lines(lines)

    def show_notice(self, notice: Notice) -> None:
        self.query_one(NoticePanel).show_lines((notice.text,), notice.severity)

    def handle_error(self, error: BaseException, worker: str) -> None:
        """Errors stand in the aside; whatever was being played comes back to the prompt."""
        if worker == "play":
            self._restore_unplayed_line(error)
            self.refresh_play_status()
        if isinstance(error, MonitorError):
            self.query_one(NoticePanel).show_error(error)
        else:
            super().handle_error(error, worker)

    @on(Transcript.FetchFailed)
    def _fetch_failed(self, message: Transcript.FetchFailed) -> None:
        message.stop()
        self.query_one(NoticePanel).show_error(message.error)

    # --- the palette -------------------------------------------------------------------------------

    def commands(self) -> tuple[CommandHelp, ...]:
        """The slash commands, for the palette."""
        return self.services.play.commands()

    def type_command(self, command: CommandHelp) -> None:
        """Send a command that needs no words; begin one that does."""
        name = f"/{command.name.removeprefix('/')}"
        prompt = self.query_one(PlayPrompt)
        if command.needs_argument:
            prompt.text = f"{name} "
            prompt.focus_input()
        else:
            self.send_line(name)
