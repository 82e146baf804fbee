"""The transcript of a scene for reading only, opened at one of its turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from screens.base import ServiceScreen
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.play.turn_trace_dialog import TurnTraceDialog
from screens.routes import Back, Route, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import SceneView, TurnTrace, TurnView


class ReadingScreen(ServiceScreen[None]):
    """A scene for reading, with the turn in question marked."""

    CSS_PATH = SCREENS_FOLDER / "play/reading_screen.tcss"
    AUTO_FOCUS = "Transcript"
    BINDING_GROUP_TITLE = "Reading"
    BINDINGS = [
        Binding(
            "f4", "mechanics", "Story only", id="reading.mechanics", tooltip="Hide or show rolls and marks"
        ),
        Binding("escape,q", "back", "Back", id="reading.back", tooltip="Back to where you were"),
    ]

    @dataclass
    class ReadingLoaded(Message):
        trace: TurnTrace
        scene: SceneView

    @dataclass
    class ReadingTurnTraced(Message):
        trace: TurnTrace

    def __init__(self, services: Services, turn_id: Id, declaration: str = "") -> None:
        super().__init__(services)
        self.turn_id = turn_id
        self.declaration = declaration
        self.scene: SceneView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Reading")
        yield Transcript(empty="This scene has no turns.")
        yield NoticePanel()
        yield KeyBar()

    async def load_view(self) -> None:
        """Read once: a scene that is only read does not change meanwhile."""
        if self.scene is None:
            trace = await self.services.play.trace(self.turn_id)
            self.post_message(self.ReadingLoaded(trace, await self.services.play.scene(trace.scene.id)))

    @on(ReadingLoaded)
    def _show_scene(self, message: ReadingLoaded) -> None:
        trace, self.scene = message.trace, message.scene
        self.query_one(TitleBar).show_place(
            f"{trace.story.title} · scene {trace.scene.order} “{trace.scene.title}”",
            f"turn {trace.turn.depth + 1}",
        )
        transcript = self.query_one(Transcript)
        transcript.open_timeline(message.scene.turn_count, self._fetch_turns)
        is_after_turn = bool(self.declaration) and self.declaration not in trace.turn.text
        declaration_lines = (f"Declared after this turn: “{self.declaration}”",) if is_after_turn else ()
        if trace.is_on_line:
            self.call_after_refresh(transcript.jump_to, trace.turn.depth)
            self.query_one(NoticePanel).show_lines(declaration_lines)
        else:
            self.query_one(NoticePanel).show_lines(
                (
                    "This turn was undone, or is on another branch:",
                    f"“{trace.turn.text}”",
                    *declaration_lines,
                ),
                "warning",
            )

    async def _fetch_turns(self, start: int, count: int) -> list[TurnView]:
        return await self.services.play.transcript(self.scene.scene.id, start, count) if self.scene else []

    @on(Transcript.FetchFailed)
    def _fetch_failed(self, message: Transcript.FetchFailed) -> None:
        message.stop()
        self.query_one(NoticePanel).show_error(message.error)

    @on(Transcript.TurnChosen)
    def _turn_chosen(self, message: Transcript.TurnChosen) -> None:
        message.stop()
        self._trace_turn(message.turn_id)

    @work(exclusive=True, group="trace", exit_on_error=False)
    async def _trace_turn(self, turn_id: Id) -> None:
        self.post_message(self.ReadingTurnTraced(await self.services.play.trace(turn_id)))

    @on(ReadingTurnTraced)
    def _show_trace(self, message: ReadingTurnTraced) -> None:
        self.app.push_screen(TurnTraceDialog(message.trace), self._follow_route)

    def _follow_route(self, route: Route | None) -> None:
        if route is not None:
            self.post_message(Visit(route))

    def action_mechanics(self) -> None:
        transcript = self.query_one(Transcript)
        transcript.hide_mechanics = not transcript.hide_mechanics

    def action_back(self) -> None:
        self.post_message(Visit(Back(self)))
