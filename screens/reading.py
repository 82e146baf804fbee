"""The transcript of a scene, to be read and not played, opened at one of its turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from screens.aside import Aside
from screens.base import ServiceScreen
from screens.key_bar import KeyBar
from screens.routes import Back, Route, Visit
from screens.title_bar import TitleBar
from screens.trace import TraceScreen
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.play_views import SceneView, TurnTrace, TurnView


class ReadingScreen(ServiceScreen[None]):
    """A scene as it was told, with the turn in question marked."""

    CSS_PATH = "reading.tcss"
    AUTO_FOCUS = "Transcript"
    BINDING_GROUP_TITLE = "Reading"
    BINDINGS = [
        Binding(
            "f4", "mechanics", "Story only", id="reading.mechanics", tooltip="Hide or show rolls and marks"
        ),
        Binding("escape,q", "back", "Back", id="reading.back", tooltip="Back to where you were"),
    ]

    @dataclass
    class Read(Message):
        trace: TurnTrace
        scene: SceneView

    @dataclass
    class Traced(Message):
        trace: TurnTrace

    def __init__(self, services: Services, turn_id: Id) -> None:
        super().__init__(services)
        self.turn_id = turn_id
        self.scene: SceneView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Reading")
        yield Transcript(empty="Nothing was said in this scene.")
        yield Aside()
        yield KeyBar()

    async def read(self) -> None:
        """Read once: a scene that is only read does not change under the reader."""
        if self.scene is None:
            trace = await self.services.play.trace(self.turn_id)
            self.post_message(self.Read(trace, await self.services.play.scene(trace.scene.id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        trace, self.scene = message.trace, message.scene
        self.query_one(TitleBar).show(
            f"{trace.story.title} · scene {trace.scene.order} “{trace.scene.title}”",
            f"turn {trace.turn.depth + 1}",
        )
        transcript = self.query_one(Transcript)
        transcript.open(message.scene.turns, self._fetch)
        if trace.on_line:
            self.call_after_refresh(transcript.jump, trace.turn.depth)
        else:
            self.query_one(Aside).say(
                ("This was undone, or left by a branch, and is off the line now:", f"“{trace.turn.text}”"),
                "warning",
            )

    async def _fetch(self, start: int, count: int) -> list[TurnView]:
        return await self.services.play.transcript(self.scene.scene.id, start, count) if self.scene else []

    @on(Transcript.FetchFailed)
    def _fetch_failed(self, message: Transcript.FetchFailed) -> None:
        message.stop()
        self.query_one(Aside).tell(message.error)

    @on(Transcript.TurnChosen)
    def _chosen(self, message: Transcript.TurnChosen) -> None:
        message.stop()
        self._look_at(message.turn_id)

    @work(exclusive=True, group="trace", exit_on_error=False)
    async def _look_at(self, turn_id: Id) -> None:
        self.post_message(self.Traced(await self.services.play.trace(turn_id)))

    @on(Traced)
    def _tell(self, message: Traced) -> None:
        self.app.push_screen(TraceScreen(message.trace), self._go_on)

    def _go_on(self, route: Route | None) -> None:
        if route is not None:
            self.post_message(Visit(route))

    def action_mechanics(self) -> None:
        transcript = self.query_one(Transcript)
        transcript.hide_mechanics = not transcript.hide_mechanics

    def action_back(self) -> None:
        self.post_message(Visit(Back(self)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)
