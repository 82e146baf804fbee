"""The map: the main line and branches of a world, with their scenes, takes and ways, and where play stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.events import HeadMoved, ProposalsChanged, SceneOpened
from agents.views.branch_views import MapRow, MapRowKind
from screens.base import ServiceScreen
from screens.dialogs.answer_check import save_then_show
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToBranchComparison, ToGate, ToReading, ToStory, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.branch_map_list import BranchMapList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.orchestrator.branch_maker import MadeBranch
    from agents.services.services import Services
    from agents.views.branch_views import BranchMap
    from agents.views.replies import Reply
    from agents.views.world_views import StagedEdits

NAME_HINT = (
    "Name the branch. The line that you leave is kept whole. The branch has the canon of that moment, "
    "and its own from then on."
)


class BranchMapScreen(ServiceScreen[None]):
    """One list; every key is about the row under the cursor."""

    CSS_PATH = SCREENS_FOLDER / "world/branch_map_screen.tcss"
    AUTO_FOCUS = "BranchMapList"
    BINDING_GROUP_TITLE = "Map"
    BINDINGS = [
        Binding(
            "B", "branch", "Branch here", id="map.branch", tooltip="A branch from this scene, way or take"
        ),
        Binding("e,E", "rename", "Name", id="map.rename", tooltip="Give this branch another name"),
        Binding("V", "compare", "Compare", id="map.compare", tooltip="Canon of this branch beside that here"),
        Binding(
            "m",
            "merge",
            "Merge",
            id="map.merge",
            tooltip="Propose here what is true on this branch and not here",
        ),
        Binding("g", "gate", "Gate", id="map.gate", tooltip="What waits for your decision in this world"),
        Binding("escape,q", "escape", "Back", id="map.escape", tooltip="One step back"),
    ]

    @dataclass
    class MapLoaded(Message):
        view: BranchMap

    @dataclass
    class BranchMade(Message):
        branch: MadeBranch

    @dataclass
    class BranchMerged(Message):
        staged_edits: StagedEdits

    @dataclass
    class WentTo(Message):
        """Play goes on from another turn of a scene; `reply` says so, or asks first."""

        row: MapRow
        reply: Reply

    def __init__(self, services: Services, universe_id: Id, scene_id: Id | None) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.scene_id = scene_id
        self._opened_scene_ids = frozenset(filter(None, [scene_id]))
        self._has_been_shown = False
        self._new_branch_id: Id | None = None
        """The universe of a branch that was just made, until the cursor is on it."""

    def compose(self) -> ComposeResult:
        yield TitleBar("Map")
        yield BranchMapList(empty="Reading ...")
        yield NoticePanel()
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, HeadMoved | SceneOpened | ProposalsChanged)

    async def load_view(self) -> None:
        branches = self.services.branches
        self.post_message(self.MapLoaded(await branches.read_map(self.universe_id, self._opened_scene_ids)))

    @on(MapLoaded)
    def _show_map(self, message: MapLoaded) -> None:
        count = message.view.branch_count
        self.query_one(TitleBar).show_place(
            message.view.world_name, f"{count} {'branch' if count == 1 else 'branches'}"
        )
        self._list.show_map(message.view.rows)
        if not self._has_been_shown:
            self._has_been_shown = True
            self._list.move_to_here()
        if self._new_branch_id is not None and self._list.move_to_branch(self._new_branch_id):
            self._new_branch_id = None
        self.refresh_bindings()

    @property
    def _list(self) -> BranchMapList:
        return self.query_one(BranchMapList)

    @property
    def _row(self) -> MapRow | None:
        """The row under the cursor; None before the list is there."""
        lists = self.query(BranchMapList)
        return lists.first().current if lists else None

    @on(BranchMapList.RowHighlighted)
    def _cursor_moved(self, message: BranchMapList.RowHighlighted) -> None:
        message.stop()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        row = self._row
        match action:
            case "branch":
                return row is not None and (row.scene_id is not None or row.story_id is not None)
            case "rename":
                return row is not None and row.universe.branch is not None
            case "compare" | "merge":
                return row is not None and row.universe.id != self.universe_id
        return super().check_action(action, parameters)

    # --- going there -------------------------------------------------------------------------------

    @on(BranchMapList.RowChosen)
    def _open_row(self, message: BranchMapList.RowChosen) -> None:
        message.stop()
        row = message.row
        match row.kind:
            case MapRowKind.WAY | MapRowKind.TAKE if row.is_played:
                self.start_change(partial(self._go_to_turn, row), "go there")
            case MapRowKind.BRANCH | MapRowKind.STORY:
                self._play_story(row.story_id)
            case MapRowKind.SCENE if row.is_played:
                self._play_story(row.story_id)
            case _ if row.turn_id is not None:
                self.post_message(Visit(ToReading(row.turn_id)))
            case _:
                self.query_one(NoticePanel).show_lines(("That scene has no turns.",))

    def _play_story(self, story_id: Id | None) -> None:
        if story_id is None:
            self.query_one(NoticePanel).show_lines(("Nothing was played there yet.",))
        else:
            self.post_message(Visit(ToStory(story_id)))

    async def _go_to_turn(self, row: MapRow, *, is_confirmed: bool = False) -> None:
        assert row.scene_id is not None
        assert row.turn_id is not None
        reply = await self.services.play.branch(row.scene_id, row.turn_id, is_confirmed=is_confirmed)
        self.post_message(self.WentTo(row, reply))

    @on(WentTo)
    def _show_where_play_went(self, message: WentTo) -> None:
        row, reply = message.row, message.reply
        if not reply.confirm_line:
            self._play_story(row.story_id)
            return
        question = ConfirmDialog("Go there?", "\n".join(reply.lines), yes=reply.confirm_word, no="Stay here")

        def apply_answer(is_confirmed: bool | None) -> None:
            if is_confirmed:
                self.start_change(partial(self._go_to_turn, row, is_confirmed=True), "go there all the same")

        self.app.push_screen(question, apply_answer)

    @on(BranchMapList.SceneOpened)
    def _open_scene(self, message: BranchMapList.SceneOpened) -> None:
        message.stop()
        if message.row.scene_id is not None:
            self._opened_scene_ids ^= {message.row.scene_id}
            self.reload()

    # --- branching ---------------------------------------------------------------------------------

    def action_branch(self) -> None:
        if (row := self._row) is not None:
            save_name, show_branch = save_then_show(
                partial(self._make_branch, row), lambda branch: self.post_message(self.BranchMade(branch))
            )
            heading = f"Branch {_describe_origin(row)}"
            self.app.push_screen(LineDialog(heading, explanation=NAME_HINT, save_line=save_name), show_branch)

    async def _make_branch(self, row: MapRow, name: str) -> MadeBranch:
        branches = self.services.branches
        match row.kind:
            case MapRowKind.WAY | MapRowKind.TAKE if row.scene_id:
                return await branches.make_branch(row.scene_id, row.turn_id, name)
            case MapRowKind.SCENE if row.scene_id:
                return await branches.make_branch_after(row.scene_id, name)
            case _:
                assert row.story_id is not None
                return await branches.fork_story(row.story_id, name)

    @on(BranchMade)
    def _show_branch(self, message: BranchMade) -> None:
        branch = message.branch
        self._new_branch_id = branch.copy.universe_id
        self.query_one(NoticePanel).show_lines(
            (
                f"“{branch.name}” begins at {branch.place_in_words}, with canon as it was then. "
                "Enter on it plays there.",
            )
        )
        self.reload()

    def action_rename(self) -> None:
        if (row := self._row) is not None and row.universe.branch is not None:
            old_name = row.universe.branch.name
            save_name = partial(self._rename_branch, row.universe.id, old_name)
            self.app.push_screen(LineDialog("Name of the branch", value=old_name, save_line=save_name))

    async def _rename_branch(self, universe_id: Id, old_name: str, name: str) -> None:
        if name != old_name:
            await self.services.branches.rename_branch(universe_id, name)
            self.reload()

    # --- comparing and merging ---------------------------------------------------------------------

    def action_compare(self) -> None:
        if (row := self._row) is not None:
            self.post_message(Visit(ToBranchComparison(self.universe_id, row.universe.id)))

    def action_merge(self) -> None:
        if (row := self._row) is not None:
            self.start_change(partial(self._merge, row.universe.id), "merge")

    async def _merge(self, other_id: Id) -> None:
        self.post_message(self.BranchMerged(await self.services.branches.merge(self.universe_id, other_id)))

    @on(BranchMerged)
    def _show_merged(self, message: BranchMerged) -> None:
        self.query_one(NoticePanel).show_lines(message.staged_edits.lines)

    def action_gate(self) -> None:
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))


def _describe_origin(row: MapRow) -> str:
    """Return from where a branch of the row begins, in words."""
    match row.kind:
        case MapRowKind.BRANCH | MapRowKind.STORY:
            return f"from where “{row.title}” stands"
        case MapRowKind.SCENE:
            return f"from where play stands in {row.title}" if row.is_played else f"after {row.title}"
        case MapRowKind.WAY | MapRowKind.TAKE:
            return f"from {row.title}"
