"""The grid maps of a universe while they are edited: each edit is shown at once, and stored behind the keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from agents.diagrams.grid_map import GridMap, add_edit, build_map, spot_label, spots_between
from screens.base import ServiceScreen
from stores.records.grid_maps import GridCell, GridMapEdit, GridOutline, GridWay, Spot
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.diagrams.grid_map_views import GridMapsView
    from agents.solo.grid_maps import GridMapEditor

EDIT_WORKERS = "edit"
"""What the names of the workers begin with that store edits."""


class GridMapEdits:
    """Holds the maps as they were read and edited since, and stores the edits in the order in which they were made.

    `show_map` draws the map again; `choose_map` shows another one, with the cursor on it.
    """

    def __init__(
        self,
        screen: ServiceScreen[Any],
        editor: GridMapEditor,
        universe_id: Id,
        *,
        show_map: Callable[[GridMap | None], None],
        choose_map: Callable[[GridMap | None], None],
    ) -> None:
        self._screen = screen
        self._editor = editor
        self._universe_id = universe_id
        self._show_map = show_map
        self._choose_map = choose_map
        self.view: GridMapsView | None = None
        """The maps; None until they are read."""
        self.current_map: GridMap | None = None
        """The map that is shown."""
        self._edit_count = 0
        self.last_removed: GridMap | None = None
        """The map that was removed here, as long as nothing else was done: undo brings it back."""

    # --- which maps there are ----------------------------------------------------------------------

    def take_view(self, view: GridMapsView) -> None:
        """Take what was read: the first time the maps, later only what is in their places."""
        if self.view is None:
            self.view = view
            self._choose_map(view.find_first_map())
        else:
            self.view = replace(view, maps=self.view.maps, removed_maps=self.view.removed_maps)
            self._show_map(self.current_map)

    def set_current_map(self, grid_map: GridMap | None) -> GridMapsView:
        """Note which map is shown, as it is now, and return the maps with it."""
        assert self.view is not None, "no map is shown before the maps are read"
        self.current_map = grid_map
        if grid_map is not None:
            self.view = self.view.with_map(grid_map)
        return self.view

    def forget(self) -> None:
        """Forget the maps until they are read again: an edit that is shown could not be stored."""
        self.view = self.current_map = None

    # --- edits of the map that is shown ------------------------------------------------------------

    def draw(self, description: str, cells: Iterable[GridCell] = (), ways: Iterable[GridWay] = ()) -> None:
        """Change cells or ways of the map that is shown."""
        assert self.current_map is not None
        self._save(
            self._editor.build_edit(
                self._universe_id, self.current_map.id, description, cells=cells, ways=ways
            )
        )

    def change_area(self, one: Spot, other: Spot, words: str, change: Callable[[GridCell], GridCell]) -> None:
        """Change every cell between two corners; what stays as it is is not written."""
        assert self.current_map is not None
        before = [self.current_map.cell(spot) for spot in spots_between(one, other)]
        changed = [after for cell in before if (after := change(cell)) != cell]
        where = spot_label(one) if one == other else f"{spot_label(one)} to {spot_label(other)}"
        if changed:
            self.draw(f"{where}: {words}", changed)

    def set_place(self, spot: Spot, place_id: Id | None) -> None:
        """Have a cell show a place, or none."""
        if self.current_map is None:
            return  # it was removed meanwhile
        cell = self.current_map.cell(spot)
        if cell.place_id != place_id:
            words = "a place" if place_id else "no place"
            self.draw(f"{spot_label(spot)}: {words}", [cell.model_copy(update={"place_id": place_id})])

    def change_outline(self, map_id: Id, outline: GridOutline) -> None:
        """Change the name, form or size of the map that is shown."""
        self._save(self._editor.build_edit(self._universe_id, map_id, "name, form or size", outline=outline))

    def undo(self) -> None:
        """Take the last edit of the map that is shown back."""
        if self.current_map is not None and len(self.current_map.undoable) > 1:  # the first begins the map
            self._save(self._editor.build_undo(self.current_map.undoable[-1], is_undone=True))

    def redo(self) -> None:
        """Do again what was undone last."""
        grid_map = self.current_map
        if grid_map is not None and grid_map.redoable and not grid_map.redoable[-1].is_removal:
            self._save(self._editor.build_undo(grid_map.redoable[-1], is_undone=False))

    def _save(self, edit: GridMapEdit) -> None:
        assert self.current_map is not None
        self.last_removed = None
        self._show_map(add_edit(self.current_map, edit))
        self._store(edit)

    def _store(self, edit: GridMapEdit) -> None:
        self._edit_count += 1
        self._screen.start_change(partial(self._editor.save_edit, edit), f"{EDIT_WORKERS} {self._edit_count}")

    # --- whole maps --------------------------------------------------------------------------------

    async def save_new_map(self, outline: GridOutline) -> GridMapEdit:
        """Store a new map, and return the edit that begins it. Runs in a worker."""
        edit = self._editor.build_edit(self._universe_id, None, "a new map", outline=outline)
        await self._editor.save_edit(edit)
        return edit

    def begin(self, edit: GridMapEdit) -> None:
        """Show a map that was begun."""
        self.last_removed = None
        self._choose_map(build_map([edit]))

    def remove(self, grid_map: GridMap) -> None:
        """Remove a map; undo brings it back."""
        assert self.view is not None
        edit = self._editor.build_edit(self._universe_id, grid_map.id, "removed", is_removal=True)
        removed = self.last_removed = add_edit(grid_map, edit)
        assert removed is not None
        self.view = self.view.with_map(removed)
        is_shown = self.current_map is not None and self.current_map.id == grid_map.id
        self._choose_map(self.view.find_first_map() if is_shown else self.current_map)
        self._store(edit)

    def restore(self, grid_map: GridMap) -> None:
        """Bring a removed map back, and show it."""
        self.last_removed = None
        undo = self._editor.build_undo(grid_map.undoable[-1], is_undone=True)
        self._choose_map(add_edit(grid_map, undo))
        self._store(undo)
