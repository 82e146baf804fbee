"""Asks which grid map is meant: one to open, a new one, one to remove, or a removed one to restore."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.widgets import OptionList

from agents.diagrams.grid_map import GridMap
from agents.diagrams.grid_map_views import GridMapsView
from screens.dialogs.choice_dialog import ChoiceDialog


@dataclass(frozen=True, slots=True)
class OpenMap:
    grid_map: GridMap


@dataclass(frozen=True, slots=True)
class BeginMap:
    pass


@dataclass(frozen=True, slots=True)
class RemoveMap:
    grid_map: GridMap


@dataclass(frozen=True, slots=True)
class RestoreMap:
    grid_map: GridMap


MapChoice = OpenMap | BeginMap | RemoveMap | RestoreMap


class GridMapsDialog(ChoiceDialog[MapChoice]):
    """Dismisses with what is to be done with which map, or None."""

    BINDINGS = [
        Binding(
            "delete", "remove", "Remove", id="grid-maps.remove", tooltip="Remove this map; it can be restored"
        )
    ]

    def __init__(self, view: GridMapsView) -> None:
        choices: list[tuple[MapChoice, str]] = [(OpenMap(m), m.outline.name) for m in view.maps]
        choices.append((BeginMap(), "a new one"))
        choices += [(RestoreMap(m), f"restore {m.outline.name}") for m in view.removed_maps]
        super().__init__("Which map?", choices)

    def action_remove(self) -> None:
        row = self.query_one(OptionList).highlighted
        choice = self._choices[row][0] if row is not None else None
        if isinstance(choice, OpenMap):
            self.dismiss(RemoveMap(choice.grid_map))


def describe_removal(grid_map: GridMap) -> str:
    """Return what goes with a map, and what stays."""
    cells = [cell for spot, cell in grid_map.cells.items() if grid_map.has(spot)]
    counts = ((len(cells), "cell"), (sum(bool(c.text) for c in cells), "note"), (len(grid_map.ways), "way"))
    listed = ", ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in counts if number)
    drawing = f"What is drawn on it goes: {listed}." if listed else "Nothing is drawn on it."
    return f"{drawing} Its places stay in the world as they are. Ctrl+Z, or F2, brings the map back."
