"""The rows of the map: branches, scenes, other ways and takes, each below what it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.branch_views import MapRow, MapRowKind
from stores.records.ids import Id
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line

_SIGNS = {
    MapRowKind.BRANCH: "◆",
    MapRowKind.STORY: "▪",
    MapRowKind.SCENE: "≡",
    MapRowKind.WAY: "·",
    MapRowKind.TAKE: "·",
}
_INKS = {
    MapRowKind.BRANCH: Ink.STRONG,
    MapRowKind.STORY: Ink.HEADING,
    MapRowKind.SCENE: Ink.PROSE,
    MapRowKind.WAY: Ink.QUOTE,
    MapRowKind.TAKE: Ink.QUOTE,
}
_HERE = "● here"


class BranchMapList(RowList[MapRow]):
    """One row for each branch, scene, way and take. The screen says what choosing one does."""

    HELP_TITLE: ClassVar[str] = "Map"
    HELP_TEXT: ClassVar[str] = (
        "◆ a branch, ≡ a scene, · another way that a scene went or another take of a turn; ● is where play stands. "
        "Space shows the ways and takes of a scene. A branch has canon of its own: what was true when it left."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", id="map.choose", tooltip="Play on there, or read the scene"),
        Binding(
            "space", "open_scene", "Takes", id="map.takes", tooltip="Show the ways and takes of this scene"
        ),
    ]

    @dataclass
    class RowChosen(Message):
        row: MapRow

    @dataclass
    class SceneOpened(Message):
        """The ways and takes of this scene are to be shown, or no more."""

        row: MapRow

    @dataclass
    class RowHighlighted(Message):
        row: MapRow | None

    def show_map(self, rows: Sequence[MapRow]) -> None:
        self.set_rows([ListRow(row.key, partial(_draw_row, row), row, height=1) for row in rows])

    def move_to_here(self) -> None:
        """Put the cursor on the scene where play stands, or on the one before while it has no turns."""
        here = [n for n, row in enumerate(self.rows) if row.value is not None and row.value.is_here]
        if not here:
            return
        scene, before = self.rows[here[-1]].value, self.rows[here[-1] - 1].value if here[-1] else None
        is_empty = scene is not None and scene.kind is MapRowKind.SCENE and scene.turn_id is None
        follows_scene = before is not None and before.kind is MapRowKind.SCENE
        self.cursor = here[-1] - (is_empty and follows_scene)

    def move_to_branch(self, universe_id: Id) -> bool:
        """Put the cursor on a branch; return whether it is on the map."""
        for number, row in enumerate(self.rows):
            is_branch = row.value is not None and row.value.kind is MapRowKind.BRANCH
            if is_branch and row.value is not None and row.value.universe.id == universe_id:
                self.cursor = number
                return True
        return False

    def row_highlighted(self, value: MapRow | None) -> None:
        self.post_message(self.RowHighlighted(value))

    def row_chosen(self, value: MapRow) -> None:
        self.action_choose()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "choose":
                return self.current is not None
            case "open_scene":
                return self.current is not None and self.current.kind is MapRowKind.SCENE
        return super().check_action(action, parameters)

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.RowChosen(self.current))

    def action_open_scene(self) -> None:
        if self.current is not None:
            self.post_message(self.SceneOpened(self.current))


def _draw_row(row: MapRow, width: int) -> Sequence[Line]:
    """Return the row's one line: its title whole as far as there is room, then its note, then whether play is there."""
    here = f"  {_HERE}" if row.is_here else ""
    lead = f" {'   ' * row.depth}{_SIGNS[row.kind]} "
    room = max(8, width - len(lead) - len(here))
    title = ellipsise(one_line(row.title), room)
    note_room = room - len(title) - 2
    note = ellipsise(one_line(row.note), note_room) if row.note and note_room >= 8 else ""
    return [
        [
            (lead, Ink.MUTED),
            (title, _INKS[row.kind]),
            (f"  {note}" if note else "", Ink.MUTED),
            (here, Ink.GOOD),
        ]
    ]
