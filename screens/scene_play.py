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
from screens.aside import Aside
from screens.model_routes import ToBill, ToModel, ToXray
from screens.recall_routes import ToQuery
from screens.routes import ToCourt, ToGate, ToHelp, ToHouse, ToMenu, ToScene, ToUniverse, Visit
from screens.scene_line import LineScreen
from screens.world_routes import ToLedger
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.prompt import Prompt
from widgets.safe_text import one_line
from widgets.transcript import Transcript
from widgets.trigger_bar import TriggerBar

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import CommandHelp, CommitReport, Reply


ELSEWHERE = ("gate", "help", "court", "house", "ledger", "xray", "bill", "model", "query")
"""Where a reply leads that is told there in full."""


@dataclass(frozen=True)
class Play:
    """Something to play when what came before it is done; `line` as it was typed, if it was. `goes_on`: the
    story is told on without an act of the player's."""

    act: Callable[[], Awaitable[Reply]]
    line: str = ""
    goes_on: bool = False


class PlayScreen(LineScreen):
    """A line screen with a prompt: exchanges, commands, and what is critical."""

    @dataclass
    class NotPlayed(Message):
        """What was to be played could not be."""

        error: MonitorError

    @dataclass
    class Committed(Message):
        """What was critical is written."""

        report: CommitReport

    def __init__(self, services: Services, scene_id: Id) -> None:
        super().__init__(services, scene_id)
        self._unsent: deque[Play] = deque()
        self._in_play: Play | None = None

    @on(Prompt.Submitted)
    def _typed(self, message: Prompt.Submitted) -> None:
        message.stop()
        self.send(message.text)

    def send(self, line: str) -> None:
        """Play a line when those before it are done; typing goes on meanwhile."""
        goes_on = line.startswith("/continue")
        self._unsent.append(Play(lambda: self.services.play.submit(self.scene_id, line), line, goes_on))
        self.play_on()

    def perform(self, act: Callable[[], Awaitable[Reply]], *, goes_on: bool = False) -> None:
        """Play what a key asks for, in the order of the lines that were typed."""
        self._unsent.append(Play(act, goes_on=goes_on))
        self.play_on()

    @property
    def at_work(self) -> bool:
        """Whether something is being played."""
        return self._in_play is not None

    @property
    def going_on(self) -> bool:
        """Whether the story is being told on without an act of the player's."""
        return self._in_play is not None and self._in_play.goes_on

    def work_changed(self) -> None:
        """Something is being played now, or is not any more."""

    def play_on(self) -> None:
        """Play the next of what waits, once the scene is open and what came before it is done."""
        if self.view is not None and self._in_play is None and self._unsent:
            self._in_play = self._unsent.popleft()
            self.query_one(Aside).clear()
            self._play(self._in_play.act)
        self.work_changed()

    @work(group="play", name="play", exit_on_error=False)
    async def _play(self, act: Callable[[], Awaitable[Reply]]) -> None:
        try:
            reply = await act()
        except MonitorError as error:
            self.post_message(self.NotPlayed(error))
        else:
            self.post_message(self.Replied(reply, played=True))

    @on(LineScreen.Replied)
    def _replied(self, message: LineScreen.Replied) -> None:
        reply = message.reply
        if reply.lines and reply.goto not in ELSEWHERE:
            self.query_one(Aside).say(reply.lines, reply.severity)
        # A line to go on with; what the rules suggest beside a played one never runs into what is typed.
        if reply.text and not (reply.kind == "exchange" and self.query_one(Prompt).text.strip()):
            self.query_one(Prompt).restore(reply.text)
        self._go_to(reply)
        self.reload()
        if message.played:
            self._in_play = None
            self.play_on()

    @on(NotPlayed)
    def _not_played(self, message: NotPlayed) -> None:
        self.query_one(Aside).tell(message.error)
        self._put_back(message.error)
        self.play_on()

    def _put_back(self, error: BaseException) -> None:
        """Give a line back that was not played. One that only the model had no answer to is in the story."""
        line = self._in_play.line if self._in_play else ""
        self._in_play = None
        if line and (line.startswith("/") or not isinstance(error, ModelError)):
            self.query_one(Prompt).restore(line)

    def _go_to(self, reply: Reply) -> None:
        match reply.goto:
            case "scene" if reply.subject and reply.subject != self.scene_id:
                self.post_message(Visit(ToScene(reply.subject)))
            case "gate":
                self.post_message(Visit(ToGate(self.scene_id)))
            case "court" if reply.subject:
                self.post_message(Visit(ToCourt(reply.subject)))
            case "house" if reply.subject:
                self.post_message(Visit(ToHouse(reply.subject)))
            case "ledger" if self.view:
                self.post_message(Visit(ToLedger(self.view.universe.id, self.scene_id)))
            case "xray" if reply.subject:
                self.post_message(Visit(ToXray(reply.subject)))
            case "bill" if self.view:
                self.post_message(Visit(ToBill(self.view.story.id)))
            case "model":
                self.post_message(Visit(ToModel()))
            case "query":
                self._ask_record(reply.words)
            case "help":
                self.post_message(Visit(ToHelp()))
            case "menu":
                self.post_message(Visit(ToMenu()))
            case "universe" if self.view:
                self.post_message(Visit(ToUniverse(self.view.universe.id, reply.subject, beside_play=True)))

    # --- the record --------------------------------------------------------------------------------

    def action_query(self) -> None:
        self._ask_record("")

    def _ask_record(self, words: str) -> None:
        if self.view is not None:
            self.post_message(Visit(ToQuery(self.view.universe.id, None, self.scene_id, words)))

    def take_words(self, words: str) -> None:
        """Go on with these words in the prompt."""
        self.query_one(Prompt).restore(words)
        self.query_one(Prompt).focus_input()

    # --- what is critical --------------------------------------------------------------------------

    @on(TriggerBar.CommitNow)
    def action_commit_now(self) -> None:
        self.change(self._commit_now(), "commit")

    async def _commit_now(self) -> None:
        self.post_message(self.Committed(await self.services.gate.commit_trigger(self.scene_id)))

    @on(TriggerBar.Dismiss)
    def leave_for_later(self) -> None:
        """Leave what is critical to the scene's end."""
        self.change(self.services.gate.dismiss_trigger(self.scene_id), "dismiss")

    @on(Committed)
    def _written(self, message: Committed) -> None:
        report = message.report
        written = [f"Canon: {one_line(fact.statement)}" for fact in report.facts]
        written += [f"Canon: {one_line(entity.name)} ({entity.kind})" for entity in report.entities]
        failed = [f"Not written: {what}: {why}" for what, why in report.failed]
        words = [*written, *failed] or ["There was nothing new to write."]
        self.query_one(Aside).say(words, "warning" if failed else "information")
        self.reload()

    # --- words for the user ------------------------------------------------------------------------

    def say(self, lines: Sequence[str]) -> None:
        self.query_one(Aside).say(lines)

    def heard(self, notice: Notice) -> None:
        self.query_one(Aside).say((notice.text,), notice.severity)

    def refused(self, error: BaseException, worker: str) -> None:
        """Errors stand in the aside; whatever was being played comes back to the prompt."""
        if worker == "play":
            self._put_back(error)
            self.work_changed()
        if isinstance(error, MonitorError):
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)

    @on(Transcript.FetchFailed)
    def _fetch_failed(self, message: Transcript.FetchFailed) -> None:
        message.stop()
        self.query_one(Aside).tell(message.error)

    # --- the palette -------------------------------------------------------------------------------

    def commands(self) -> tuple[CommandHelp, ...]:
        """The slash commands, for the palette."""
        return self.services.play.commands()

    def type_command(self, command: CommandHelp) -> None:
        """Send a command that needs no words; begin one that does."""
        name = f"/{command.name.removeprefix('/')}"
        prompt = self.query_one(Prompt)
        if command.needs_argument:
            prompt.text = f"{name} "
            prompt.focus_input()
        else:
            self.send(name)
