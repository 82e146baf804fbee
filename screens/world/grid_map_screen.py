"""Grid maps: squares, hexes or rooms that the GM fills by keys, with who is where by canon, and the hero's own cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, assert_never

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.diagrams.grid_map import GridMap, add_edit, build_map, spot_label, spots_between, turn_way
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
from stores.records.grid_maps import MAX_NOTE_LENGTH, GridCell, GridMapEdit, GridWay, Spot, Terrain
from stores.records.ids import Id
from widgets.grid_map.grid_board import GridBoard
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agents.events import Event
    from agents.services.services import Services

NO_MAP_HINT: Final = "No map yet. F2 begins one."
RESTORE_HINT: Final = "No map. F2 begins one, or restores one."
OUTLINE_HINT: Final = "Its name, then squares, hexes or rooms, and its size: The Keep, rooms 12 x 8"
REMOVED: Final = "Removed: {}. Ctrl+Z brings it back."
WAY_BEGUN_HINT: Final = "A way from {}: go to the cell that it leads to, and press | again."
TERRAIN_KEYS: Final = tuple((str(number), terrain) for number, terrain in enumerate(Terrain, 1))


class GridMapScreen(ServiceScreen[None]):
    """A map, and beside it what the cell under the cursor holds."""

    CSS_PATH = SCREENS_FOLDER / "world/grid_map_screen.tcss"
    AUTO_FOCUS = "GridBoard"
    BINDING_GROUP_TITLE = "Grid map"
    BINDINGS = [
        Binding("n", "place", "Place", id="grid-map.place", tooltip="The place that this cell shows"),
        Binding("e", "note", "Note", id="grid-map.note", tooltip="Your note on this cell"),
        *(
            Binding(
                key,
                f"terrain('{terrain}')",
                str(terrain).capitalize(),
                show=False,
                id=f"grid-map.terrain_{key}",
                tooltip=f"This cell, or the area: {terrain}",
            )
            for key, terrain in TERRAIN_KEYS
        ),
        Binding(
            "vertical_line",
            "way",
            "Way",
            id="grid-map.way",
            tooltip="A way from here: again at its other end; once more: a door, locked, secret, none",
            key_display="|",
        ),
        Binding("space", "discovered", "Discovered", id="grid-map.discovered", tooltip="Discovered, or not"),
        Binding(
            "left_parenthesis",
            "corner",
            "Area",
            id="grid-map.corner",
            tooltip="One corner of an area; the cursor is the other",
            key_display="(",
        ),
        Binding(
            "delete", "clear", "Clear", show=False, id="grid-map.clear", tooltip="Empty the cell or area"
        ),
        Binding("ctrl+z", "undo", "Undo", id="grid-map.undo", tooltip="Take the last edit back"),
        Binding("ctrl+y", "redo", "Redo", show=False, id="grid-map.redo", tooltip="Redo it"),
        # One of the three works, by what the cell shows and whether a scene waits below.
        Binding(
            "enter",
            "write_journey",
            "Write /go",
            id="grid-map.enter",
            tooltip="Put /go with this place into the prompt; Enter there goes",
        ),
        Binding(
            "enter", "open", "Open", id="grid-map.open", tooltip="Its card, or the gate where the place waits"
        ),
        Binding("enter", "name", "Place", id="grid-map.name", tooltip="Name the place of an empty cell"),
        Binding("o", "card", "Card", show=False, id="grid-map.card", tooltip="The card of its place"),
        Binding(
            "full_stop",
            "hero",
            "Hero",
            show=False,
            id="grid-map.hero",
            tooltip="Where the hero is",
            key_display=".",
        ),
        Binding(
            "slash", "search", "Search", show=False, id="grid-map.search", tooltip="Find a place or a note"
        ),
        Binding("f2", "maps", "Maps", id="grid-map.maps", tooltip="Another map, a new one, or to remove one"),
        Binding("E", "outline", "Name", show=False, id="grid-map.outline", tooltip="Its name, form and size"),
        Binding("X", "export", "Export", show=False, id="grid-map.export", tooltip="As SVG and GraphML"),
        Binding(
            "g",
            "gate",
            "Gate",
            show=False,
            id="grid-map.gate",
            tooltip="What waits for your decision in this world",
        ),
        Binding("escape,q", "escape", "Back", id="grid-map.escape", tooltip="One step back"),
    ]

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
        self._view: GridMapsView | None = None
        self._map: GridMap | None = None
        self._way_start: Spot | None = None
        self._edit_count = 0
        self._last_removed: GridMap | None = None
        """The map that was removed here, as long as nothing else was done: undo brings it back."""

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
        maps = self._view.maps if self._view else None
        self.post_message(
            self.MapsLoaded(await self.services.world.grid_maps.read_maps(self.universe_id, maps))
        )

    @on(MapsLoaded)
    def _show_maps(self, message: MapsLoaded) -> None:
        if self._view is None:
            self._view = message.view
            self._choose(message.view.find_first_map())
        else:
            self._view = replace(message.view, maps=self._view.maps, removed_maps=self._view.removed_maps)
            self._show(self._map)

    def _choose(self, grid_map: GridMap | None) -> None:
        """Show another map, with the cursor where the hero is on it."""
        self._way_start = None
        self.board.set_corner(None)
        self._show(grid_map)
        if self.board.shown is not None:
            self.board.go_to(self.board.shown.hero_spot or Spot(0, 0))

    def _show(self, grid_map: GridMap | None) -> None:
        assert self._view is not None
        self._map = grid_map
        if grid_map is not None:
            self._view = self._view.with_map(grid_map)
        self.board.show_map(self._view.show(grid_map) if grid_map else None)
        place, size = self._view.universe.name, ""
        if grid_map is not None:
            outline = grid_map.outline
            place, size = f"{place} · {outline.name}", f"{outline.columns} x {outline.rows} {outline.shape}"
        self.query_one(TitleBar).show_place(place, size)
        self.query_one("#legend", Static).update(draw_legend(TERRAIN_KEYS, self.size.width - 2))
        notices = self.query_one(NoticePanel)
        if grid_map is None and not notices.is_shown:
            notices.show_lines((RESTORE_HINT if self._view.removed_maps else NO_MAP_HINT,))
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

    def _draw(self, description: str, cells: Iterable[GridCell] = (), ways: Iterable[GridWay] = ()) -> None:
        assert self._map is not None
        editor = self.services.world.grid_maps.editor
        self._save(editor.build_edit(self.universe_id, self._map.id, description, cells=cells, ways=ways))

    def _save(self, edit: GridMapEdit) -> None:
        """Draw an edit at once, and store it behind the keys, in the order in which edits were made."""
        assert self._map is not None
        self._last_removed = None
        self._show(add_edit(self._map, edit))
        self._store(edit)

    def _store(self, edit: GridMapEdit) -> None:
        self._edit_count += 1
        self.start_change(
            partial(self.services.world.grid_maps.editor.save_edit, edit), f"edit {self._edit_count}"
        )

    def handle_error(self, error: BaseException, worker_name: str) -> None:
        super().handle_error(error, worker_name)
        if worker_name.startswith("edit"):
            self._view = None  # what could not be stored is not on the map
            self.reload()

    def _change_area(self, words: str, change: Callable[[GridCell], GridCell]) -> None:
        """Change the cell under the cursor, or every cell of the area; what stays as it is is not written."""
        if self._map is None:
            return
        one, other = self.board.area
        before = [self._map.cell(spot) for spot in spots_between(one, other)]
        changed = [after for cell in before if (after := change(cell)) != cell]
        where = spot_label(one) if one == other else f"{spot_label(one)} to {spot_label(other)}"
        self.board.set_corner(None)
        if changed:
            self._draw(f"{where}: {words}", changed)

    def action_terrain(self, terrain: str) -> None:
        """Paint the terrain; painted once more it is none."""
        if self._map is None:
            return
        chosen = Terrain(terrain)
        is_there = self._map.cell(self.board.cursor).terrain is chosen
        value = None if is_there else chosen
        self._change_area(terrain, lambda cell: cell.model_copy(update={"terrain": value}))

    def action_discovered(self) -> None:
        if self._map is not None:
            value = not self._map.cell(self.board.cursor).is_discovered
            words = "discovered" if value else "not discovered"
            self._change_area(words, lambda cell: cell.model_copy(update={"is_discovered": value}))

    def action_clear(self) -> None:
        self._change_area("empty", lambda cell: GridCell(spot=cell.spot))

    def action_corner(self) -> None:
        self.board.set_corner(None if self.board.corner else self.board.cursor)

    def action_way(self) -> None:
        """Begin a way here, or lead the one that was begun to here."""
        if self._map is None:
            return
        here = self.board.cursor
        start, self._way_start = self._way_start, None
        notices = self.query_one(NoticePanel)
        notices.clear()
        if start is None:
            self._way_start = here
            notices.show_lines((WAY_BEGUN_HINT.format(spot_label(here)),))
        elif start != here:
            way = turn_way(self._map, start, here)
            words = way.kind or "nothing"
            self._draw(f"{spot_label(start)} to {spot_label(here)}: {words}", ways=(way,))
            notices.show_lines((f"From {spot_label(start)} to {spot_label(here)}: {words}.",))

    def action_undo(self) -> None:
        if self._last_removed is not None:
            self._restore(self._last_removed)
        elif self._map is not None and len(self._map.undoable) > 1:  # the first one begins the map
            edit = self._map.undoable[-1]
            self._save(self.services.world.grid_maps.editor.build_undo(edit, is_undone=True))

    def action_redo(self) -> None:
        if self._map is not None and self._map.redoable and not self._map.redoable[-1].is_removal:
            edit = self._map.redoable[-1]
            self._save(self.services.world.grid_maps.editor.build_undo(edit, is_undone=False))

    # --- places and notes --------------------------------------------------------------------------

    def action_place(self) -> None:
        if self._map is None or self._view is None:
            return
        spot, place = self.board.cursor, self._place_here

        def bind(name: str | None) -> None:
            if name:
                self.start_change(partial(self._bind, spot, name), "place")
            elif name is not None:
                self._set_place(spot, None)

        self.app.push_screen(
            LineDialog(
                f"The place at {spot_label(spot)}",
                value=place.name if place else "",
                explanation="One that is not known yet is proposed: it waits at the gate. Empty: none.",
                suggestions=self._view.place_names,
            ),
            bind,
        )

    async def _bind(self, spot: Spot, name: str) -> None:
        bound = await self.services.world.grid_maps.bind_place(self.universe_id, name, self.scene_id)
        self.post_message(self.PlaceBound(spot, bound.place.id, bound.lines))

    @on(PlaceBound)
    def _show_bound(self, message: PlaceBound) -> None:
        self._set_place(message.spot, message.place_id)
        if message.lines:
            self.query_one(NoticePanel).show_lines(message.lines)
        self.reload()

    def _set_place(self, spot: Spot, place_id: Id | None) -> None:
        if self._map is None:
            return  # it was removed meanwhile
        cell = self._map.cell(spot)
        if cell.place_id != place_id:
            words = "a place" if place_id else "no place"
            self._draw(f"{spot_label(spot)}: {words}", [cell.model_copy(update={"place_id": place_id})])

    def action_note(self) -> None:
        if self._map is None:
            return
        cell = self._map.cell(self.board.cursor)

        def write(text: str | None) -> None:
            if text is not None and text[:MAX_NOTE_LENGTH] != cell.text:
                changed = cell.model_copy(update={"text": text[:MAX_NOTE_LENGTH]})
                self._draw(f"{spot_label(cell.spot)}: a note", [changed])

        dialog = LineDialog(
            f"Your note at {spot_label(cell.spot)}",
            value=cell.text,
            explanation="It is yours alone: no canon, and in no export for players.",
        )
        self.app.push_screen(dialog, write)

    # --- maps --------------------------------------------------------------------------------------

    def action_maps(self) -> None:
        """Choose another map, begin one, remove or restore one."""
        if self._view is None:
            return
        if not self._view.maps and not self._view.removed_maps:
            self._begin()
            return
        self.app.push_screen(GridMapsDialog(self._view), self._apply_map_choice)

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
        assert self._view is not None
        editor = self.services.world.grid_maps.editor
        edit = editor.build_edit(self.universe_id, grid_map.id, "removed", is_removal=True)
        removed = self._last_removed = add_edit(grid_map, edit)
        assert removed is not None
        self._view = self._view.with_map(removed)
        is_shown = self._map is not None and self._map.id == grid_map.id
        self._choose(self._view.find_first_map() if is_shown else self._map)
        self.query_one(NoticePanel).show_lines((REMOVED.format(one_line(grid_map.outline.name)),))
        self._store(edit)

    def _restore(self, grid_map: GridMap) -> None:
        self._last_removed = None
        undo = self.services.world.grid_maps.editor.build_undo(grid_map.undoable[-1], is_undone=True)
        self.query_one(NoticePanel).clear()
        self._choose(add_edit(grid_map, undo))
        self._store(undo)

    def _begin(self) -> None:
        def begin(line: str | None) -> None:
            if line is not None:
                self.start_change(partial(self._begin_map, line), "begin")

        self.app.push_screen(
            LineDialog("What is the map called?", explanation=OUTLINE_HINT, validate_line=read_outline), begin
        )

    async def _begin_map(self, line: str) -> None:
        editor = self.services.world.grid_maps.editor
        edit = editor.build_edit(self.universe_id, None, "a new map", outline=read_outline(line))
        await editor.save_edit(edit)
        self.post_message(self.MapBegun(edit))

    @on(MapBegun)
    def _show_begun(self, message: MapBegun) -> None:
        grid_map = build_map([message.edit])
        self._last_removed = None
        self.query_one(NoticePanel).clear()
        self._choose(grid_map)

    def action_outline(self) -> None:
        if self._map is None:
            return
        grid_map, outline = self._map, self._map.outline

        def change(line: str | None) -> None:
            if line is not None and (changed := read_outline(line, outline)) != outline:
                editor = self.services.world.grid_maps.editor
                self._save(
                    editor.build_edit(self.universe_id, grid_map.id, "name, form or size", outline=changed)
                )

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
        if self._map is not None:
            map_id = self._map.id
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
        elif self._map is not None and self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))
