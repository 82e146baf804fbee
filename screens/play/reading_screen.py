"""The transcript of a scene for reading only, opened at one of its turns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from screens.dialogs.answer_check import save_then_show
from screens.dialogs.line_dialog import LineDialog
from screens.dialogs.text_dialog import TextDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.play.turn_cards import TurnCardScreen
from screens.play.turn_trace_dialog import TurnTraceDialog
from screens.routes import Back, Route, ToStory, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from stores.records.play import Turn
from widgets.transcript.transcript import Transcript

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.card_views import TurnTrace
    from agents.views.scene_views import SceneView
    from agents.views.turn_views import TurnView

BRANCH_HINT = (
    "The story as it is stays whole. The branch has the canon of that moment, and its own from then on."
)
EDIT_HINT = "A take of this turn, on a branch of its own: the story as it is stays whole."


class ReadingScreen(TurnCardScreen):
    """A scene for reading, with the turn in question marked."""

    CSS_PATH = SCREENS_FOLDER / "play/reading_screen.tcss"
    AUTO_FOCUS = "Transcript"
    BINDING_GROUP_TITLE = "Reading"
    BINDINGS = [
        Binding(
            "f4", "mechanics", "Story only", id="reading.mechanics", tooltip="Hide or show rolls and marks"
        ),
        Binding(
            "B", "branch", "Branch here", id="reading.branch", tooltip="Branch from the highlighted turn"
        ),
        Binding(
            "e,E",
            "edit",
            "Edit",
            id="reading.edit",
            tooltip="The highlighted turn in other words, on a branch",
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
            scene = await self.services.play.scene(trace.scene.id)
            self.post_message(self.ReadingLoaded(trace, scene))
            await self.load_entity_name_index(scene.universe.id)

    @on(ReadingLoaded)
    def _show_scene(self, message: ReadingLoaded) -> None:
        trace, self.scene = message.trace, message.scene
        self.query_one(TitleBar).show_place(
            f"{trace.story.title} · {trace.scene.inline_label}",
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

    # --- branching ---------------------------------------------------------------------------------

    @property
    def played_universe_id(self) -> Id | None:
        return self.scene.universe.id if self.scene else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("branch", "edit"):
            return self._current_turn is not None
        return super().check_action(action, parameters)

    @property
    def _current_turn(self) -> Turn | None:
        transcripts = self.query(Transcript)
        current = transcripts.first().current if transcripts else None
        return current.turn if current else None

    def action_branch(self) -> None:
        if (turn := self._current_turn) is not None:
            self._ask_for_name(f"Branch from turn {turn.depth + 1}", partial(self._make_branch, turn))

    def action_edit(self) -> None:
        if (turn := self._current_turn) is not None:
            editor = TextDialog(f"Edit turn {turn.depth + 1}", turn.text, EDIT_HINT)
            self.app.push_screen(editor, partial(self._ask_where_to_edit, turn))

    def _ask_where_to_edit(self, turn: Turn, text: str | None) -> None:
        if text is not None:
            self._ask_for_name(f"A branch for turn {turn.depth + 1}", partial(self._edit_turn, turn, text))

    def _ask_for_name(self, heading: str, make: Callable[[str], Awaitable[Id]]) -> None:
        """Ask for the branch's name, make the branch, and go to its story."""
        save_name, go_there = save_then_show(
            make, lambda story_id: self.post_message(Visit(ToStory(story_id)))
        )
        self.app.push_screen(LineDialog(heading, explanation=BRANCH_HINT, save_line=save_name), go_there)

    async def _make_branch(self, turn: Turn, name: str) -> Id:
        branch = await self.services.branches.make_branch(turn.scene_id, turn.id, name)
        return branch.copy.story_id

    async def _edit_turn(self, turn: Turn, text: str, name: str) -> Id:
        return await self.services.branches.edit_turn(turn.id, text, name)

    def action_mechanics(self) -> None:
        transcript = self.query_one(Transcript)
        transcript.hide_mechanics = not transcript.hide_mechanics

    def action_back(self) -> None:
        self.post_message(Visit(Back(self)))
