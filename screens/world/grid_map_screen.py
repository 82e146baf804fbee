"""Grid maps: squares, hexes or rooms that the GM fills by keys, with who is where by canon, and the hero's own cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, assert_never

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.diagrams.grid_map import GridMap, spot_label, turn_way
from agents.diagrams.grid_map_views import GridMapsView, PlaceOnMap
from agents.events import CanonCommitted, ProposalsChanged
from agents.services.grid_maps import read_outline
from screens.base import ServiceScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToGate, ToPrompt, ToUniverse, Visit
from screens.title_bar import TitleBar
from screens.world.grid_map_bindings import GRID_MAP_BINDINGS, TERRAIN_KEYS
from screens.world.grid_map_edits import EDIT_WORKERS, GridMapEdits
from screens.world.grid_map_page import describe_cell, draw_legend
from screens.world.grid_maps_dialog import (
    BeginMap,
    GridMapsDialog,
    MapChoice,
    OpenMap,
    RemoveMap,
    RestoreMap,
    describe_removal,
)
from stores.records.canon import CreateEntity
from stores.records.grid_maps import MAX_NOTE_LENGTH, GridCell, GridMapEdit, Spot, Terrain
from stores.records.ids import Id
from widgets.grid_map.grid_board import GridBoard
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from agents.events import Event
    from agents.services.services import Services

NO_MAP_HINT: Final = "No map yet. F2 begins one."
RESTORE_HINT: Final = "No map. F2 begins one, or restores one."
OUTLINE_HINT: Final = "Its name, then squares, hexes or rooms, and its size: The Keep, rooms 12 x 8"
REMOVED: Final = "Removed: {}. Ctrl+Z brings it back."
WAY_BEGUN_HINT: Final = "A way from {}: go to the cell that it leads to, and press | again."


class GridMapScreen(ServiceScreen[None]):
    """A map, and beside it what the cell under the cursor holds."""

    CSS_PATH = SCREENS_FOLDER / "world/grid_map_screen.tcss"
    AUTO_FOCUS = "GridBoard"
    BINDING_GROUP_TITLE = "Grid map"
    BINDINGS = GRID_MAP_BINDINGS

    @dataclass
    class MapsLoaded(Message):
        view: GridMapsView

    @dataclass
    class MapBegun(Message):
        edit: GridMapEdit

    @dataclass
    class PlaceBound(Message):
        spot: Spot
        place_id: Id
        lines: tuple[str, ...]

    @dataclass
    class MapExported(Message):
        paths: tuple[str, ...]

    def __init__(self, services: Services, universe_id: Id, scene_id: Id | None = None) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.scene_id = scene_id
        self._edits = GridMapEdits(
            self,
            services.world.grid_maps.editor,
            universe_id,
            show_map=self._show,
            choose_map=self._choose,
        )
        self._way_start: Spot | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Grid map")
        yield Static(id="legend", markup=False)
        with Horizontal(id="world"):
            yield GridBoard()
            with VerticalScroll(id="details", can_focus=False):
                yield Static(id="cell", markup=False)
        yield NoticePanel()
        yield KeyBar()

    @property
    def board(self) -> GridBoard:
        return self.query_one(GridBoard)

    @property
    def _place_here(self) -> PlaceOnMap | None:
        """The place that the cell under the cursor shows."""
        return self.board.shown.cell(self.board.cursor).place if self.board.shown else None

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | ProposalsChanged)

    async def load_view(self) -> None:
        # What is drawn here is stored behind the keys: the maps are read once, and then what is in their places.
        maps = self._edits.view.maps if self._edits.view else None
        self.post_message(
            self.MapsLoaded(await self.services.world.grid_maps.read_maps(self.universe_id, maps))
        )

    @on(MapsLoaded)
    def _show_maps(self, message: MapsLoaded) -> None:
        self._edits.take_view(message.view)

    def _choose(self, grid_map: GridMap | None) -> None:
        """Show another map, with the cursor where the hero is on it."""
        self._way_start = None
        self.board.set_corner(None)
        self._show(grid_map)
        if self.board.shown is not None:
            self.board.go_to(self.board.shown.hero_spot or Spot(0, 0))

    def _show(self, grid_map: GridMap | None) -> None:
        view = self._edits.set_current_map(grid_map)
        self.board.show_map(view.show(grid_map) if grid_map else None)
        place, size = view.universe.name, ""
        if grid_map is not None:
            outline = grid_map.outline
            place, size = f"{place} · {outline.name}", f"{outline.columns} x {outline.rows} {outline.shape}"
        self.query_one(TitleBar).show_place(place, size)
        self.query_one("#legend", Static).update(draw_legend(TERRAIN_KEYS, self.size.width - 2))
        notices = self.query_one(NoticePanel)
        if grid_map is None and not notices.is_shown:
            notices.show_lines((RESTORE_HINT if view.removed_maps else NO_MAP_HINT,))
        self._show_cell()

    @on(GridBoard.CursorMoved)
    def _cursor_moved(self, message: GridBoard.CursorMoved) -> None:
        message.stop()
        self._show_cell()

    def _show_cell(self) -> None:
        shown = self.board.shown
        content = describe_cell(shown, self.board.cursor) if shown else Content("")
        self.query_one("#cell", Static).update(content)
        self.refresh_bindings()

    # --- edits -------------------------------------------------------------------------------------

    def handle_error(self, error: BaseException, worker_name: str) -> None:
        super().handle_error(error, worker_name)
        if worker_name.startswith(EDIT_WORKERS):
            self._edits.forget()  # what could not be stored is not on the map
            self.reload()

    def _change_area(self, words: str, change: Callable[[GridCell], GridCell]) -> None:
        """Change the cell under the cursor, or every cell of the area; what stays as it is is not written."""
        if self._edits.current_map is None:
            return
        one, other = self.board.area
        self.board.set_corner(None)
        self._edits.change_area(one, other, words, change)

    def action_terrain(self, terrain: str) -> None:
        """Paint the terrain; painted once more it is none."""
        if self._edits.current_map is None:
            return
        chosen = Terrain(terrain)
        is_there = self._edits.current_map.cell(self.board.cursor).terrain is chosen
        value = None if is_there else chosen
        self._change_area(terrain, lambda cell: cell.model_copy(update={"terrain": value}))

    def action_discovered(self) -> None:
        if self._edits.current_map is not None:
            value = not self._edits.current_map.cell(self.board.cursor).is_discovered
            words = "discovered" if value else "not discovered"
            self._change_area(words, lambda cell: cell.model_copy(update={"is_discovered": value}))

    def action_clear(self) -> None:
        self._change_area("empty", lambda cell: GridCell(spot=cell.spot))

    def action_corner(self) -> None:
        self.board.set_corner(None if self.board.corner else self.board.cursor)

    def action_way(self) -> None:
        """Begin a way here, or lead the one that was begun to here."""
        if self._edits.current_map is None:
            return
        here = self.board.cursor
        start, self._way_start = self._way_start, None
        notices = self.query_one(NoticePanel)
        notices.clear()
        if start is None:
            self._way_start = here
            notices.show_lines((WAY_BEGUN_HINT.format(spot_label(here)),))
        elif start != here:
            way = turn_way(self._edits.current_map, start, here)
            words = way.kind or "nothing"
            self._edits.draw(f"{spot_label(start)} to {spot_label(here)}: {words}", ways=(way,))
            notices.show_lines((f"From {spot_label(start)} to {spot_label(here)}: {words}.",))

    def action_undo(self) -> None:
        if self._edits.last_removed is not None:
            self._restore(self._edits.last_removed)
        else:
            self._edits.undo()

    def action_redo(self) -> None:
        self._edits.redo()

    # --- places and notes --------------------------------------------------------------------------

    def action_place(self) -> None:
        if self._edits.current_map is None or self._edits.view is None:
            return
        spot, place = self.board.cursor, self._place_here

        def bind(name: str | None) -> None:
            if name:
                self.start_change(partial(self._bind, spot, name), "place")
            elif name is not None:
                self._edits.set_place(spot, None)

        self.app.push_screen(
            LineDialog(
                f"The place at {spot_label(spot)}",
                value=place.name if place else "",
                explanation="One that is not known yet is proposed: it waits at the gate. Empty: none.",
                suggestions=self._edits.view.place_names,
            ),
            bind,
        )

    async def _bind(self, spot: Spot, name: str) -> None:
        bound = await self.services.world.grid_maps.bind_place(self.universe_id, name, self.scene_id)
        self.post_message(self.PlaceBound(spot, bound.place.id, bound.lines))

    @on(PlaceBound)
    def _show_bound(self, message: PlaceBound) -> None:
        self._edits.set_place(message.spot, message.place_id)
        if message.lines:
            self.query_one(NoticePanel).show_lines(message.lines)
        self.reload()

    def action_note(self) -> None:
        if self._edits.current_map is None:
            return
        cell = self._edits.current_map.cell(self.board.cursor)

        def write(text: str | None) -> None:
            if text is not None and text[:MAX_NOTE_LENGTH] != cell.text:
                changed = cell.model_copy(update={"text": text[:MAX_NOTE_LENGTH]})
                self._edits.draw(f"{spot_label(cell.spot)}: a note", [changed])

        dialog = LineDialog(
            f"Your note at {spot_label(cell.spot)}",
            value=cell.text,
            explanation="It is yours alone: no canon, and in no export for players.",
        )
        self.app.push_screen(dialog, write)

    # --- maps --------------------------------------------------------------------------------------

    def action_maps(self) -> None:
        """Choose another map, begin one, remove or restore one."""
        if self._edits.view is None:
            return
        if not self._edits.view.maps and not self._edits.view.removed_maps:
            self._begin()
            return
        self.app.push_screen(GridMapsDialog(self._edits.view), self._apply_map_choice)

    def _apply_map_choice(self, choice: MapChoice | None) -> None:
        match choice:
            case OpenMap(grid_map):
                self._choose(grid_map)
            case BeginMap():
                self._begin()
            case RemoveMap(grid_map):
                self._ask_removal(grid_map)
            case RestoreMap(grid_map):
                self._restore(grid_map)
            case None:
                pass
            case _:
                assert_never(choice)

    def _ask_removal(self, grid_map: GridMap) -> None:
        def remove(is_confirmed: bool | None) -> None:
            if is_confirmed:
                self._remove(grid_map)

        question = ConfirmDialog(
            f"Remove the map {one_line(grid_map.outline.name)}?",
            describe_removal(grid_map),
            yes="Remove it",
            no="Keep it",
        )
        self.app.push_screen(question, remove)

    def _remove(self, grid_map: GridMap) -> None:
        self._edits.remove(grid_map)
        self.query_one(NoticePanel).show_lines((REMOVED.format(one_line(grid_map.outline.name)),))

    def _restore(self, grid_map: GridMap) -> None:
        self.query_one(NoticePanel).clear()
        self._edits.restore(grid_map)

    def _begin(self) -> None:
        def begin(line: str | None) -> None:
            if line is not None:
                self.start_change(partial(self._begin_map, line), "begin")

        self.app.push_screen(
            LineDialog("What is the map called?", explanation=OUTLINE_HINT, validate_line=read_outline), begin
        )

    async def _begin_map(self, line: str) -> None:
        self.post_message(self.MapBegun(await self._edits.save_new_map(read_outline(line))))

    @on(MapBegun)
    def _show_begun(self, message: MapBegun) -> None:
        self.query_one(NoticePanel).clear()
        self._edits.begin(message.edit)

    def action_outline(self) -> None:
        if self._edits.current_map is None:
            return
        grid_map, outline = self._edits.current_map, self._edits.current_map.outline

        def change(line: str | None) -> None:
            if line is not None and (changed := read_outline(line, outline)) != outline:
                self._edits.change_outline(grid_map.id, changed)

        self.app.push_screen(
            LineDialog(
                "This map",
                value=f"{outline.name}, {outline.shape} {outline.columns} x {outline.rows}",
                explanation=f"{OUTLINE_HINT}. What a smaller one leaves out comes back with a larger one.",
                validate_line=lambda line: read_outline(line, outline),
            ),
            change,
        )

    def action_export(self) -> None:
        if self._edits.current_map is not None:
            map_id = self._edits.current_map.id
            self.query_one(NoticePanel).show_lines(("Exporting ...",))

            async def export() -> None:
                paths = await self.services.world.grid_maps.export_map(self.universe_id, map_id)
                self.post_message(self.MapExported(paths))

            self.start_change(export, "export")

    @on(MapExported)
    def _show_exported(self, message: MapExported) -> None:
        self.query_one(NoticePanel).show_lines(tuple(f"Exported to {path}" for path in message.paths))

    # --- going on ----------------------------------------------------------------------------------

    def action_write_journey(self) -> None:
        """Put the step there into the prompt of the scene below."""
        if (place := self._place_here) is not None and self.scene_id is not None:
            self.post_message(Visit(ToPrompt(self.scene_id, f"/go {place.name}")))

    def action_open(self) -> None:
        self.action_card()

    def action_name(self) -> None:
        self.action_place()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("write_journey", "open", "name"):
            has_place, is_in_play = (
                self.board.shown is not None and self._place_here is not None,
                self.scene_id,
            )
            return action == ("name" if not has_place else "write_journey" if is_in_play else "open")
        return super().check_action(action, parameters)

    def action_card(self) -> None:
        place = self._place_here
        if place is not None and place.is_proposed:
            self.start_change(partial(self._open_proposal, place.id), "open proposal")
        elif place is not None:
            self.post_message(Visit(ToUniverse(self.universe_id, place.id, beside_play=True)))

    async def _open_proposal(self, place_id: Id) -> None:
        """Go to the row of a proposed place, at the gate where it waits."""
        proposals = await self.services.world.previews.list_proposed_entities(self.universe_id)
        rows = [p for p in proposals if isinstance(p.change, CreateEntity) and p.change.entity_id == place_id]
        routes = [ToGate(p.scene_id, self.universe_id, p.id) for p in rows]
        self.post_message(Visit(routes[0] if routes else ToGate(None, self.universe_id)))

    def action_hero(self) -> None:
        if self.board.shown is not None and self.board.shown.hero_spot is not None:
            self.board.go_to(self.board.shown.hero_spot)

    def action_search(self) -> None:
        if self.board.shown is None:
            return
        shown = self.board.shown

        def find(words: str | None) -> None:
            spot = shown.find(words) if words else None
            if spot is not None:
                self.board.go_to(spot)
            elif words:
                self.query_one(NoticePanel).show_lines((f"Nothing on this map is called “{words}”.",))

        self.app.push_screen(LineDialog("Find a place, a note or a cell (C4)"), find)

    def action_gate(self) -> None:
        self.post_message(Visit(ToGate(None, self.universe_id)))

    def action_escape(self) -> None:
        """Go one step back: close notes, end a way or an area that was begun, then leave."""
        if self._way_start is not None or self.board.corner is not None:
            self._way_start = None
            self.board.set_corner(None)
            self.query_one(NoticePanel).clear()
        elif self._edits.current_map is not None and self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))
