"""The map of relations, drawn line by line: arrow keys go from one entity to the next, and the map follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agents.diagrams.graph_labels import group_by_ends, join_edge_words, node_label
from agents.diagrams.relation_graph import GraphNode, Point, RelationGraph
from stores.records.ids import Id
from stores.records.world import EntityKind
from widgets.relation_map.map_canvas import (
    DrawnEdge,
    DrawnMap,
    DrawnNode,
    LineLayer,
    MapInk,
    MapPicture,
    MapWindow,
    Zoom,
    draw_map,
    fitting_window,
    nearest_in_direction,
)
from widgets.safe_text import ellipsise, one_line

MAX_NAME_CELLS: Final = 24
ZOOM_STEP: Final = 1.25
PAN_COLUMNS, PAN_LINES = 8, 4
MAX_LINES_WITH_WORDS: Final = 24
"""Lines that all have their words; of more, only those at the focus do."""
PROPOSED_SIGN: Final = "◌"
KIND_INKS: Final = {
    EntityKind.CHARACTER: MapInk.PERSON,
    EntityKind.CREATURE: MapInk.PERSON,
    EntityKind.PLACE: MapInk.PLACE,
    EntityKind.FACTION: MapInk.FACTION,
    EntityKind.OBJECT: MapInk.THING,
    EntityKind.CONCEPT: MapInk.IDEA,
}


@dataclass(frozen=True, slots=True)
class LaidOutMap:
    """What a map shows, and where."""

    shown: RelationGraph
    points: Mapping[Id, Point]
    notes: Mapping[Id, str]
    """What stands behind a name: how many related ones are not shown (`+3`), or who is in a place."""


def map_label(node: GraphNode) -> str:
    """Return the sign and name of an entity as the map draws them."""
    label = ellipsise(one_line(node_label(node)), MAX_NAME_CELLS)
    return f"{PROPOSED_SIGN}{label[1:]}" if node.is_proposed else label


def label_columns(node: GraphNode, note: str) -> int:
    """Return the columns of a label on the map, with the spaces around it and the note after it."""
    return cell_len(map_label(node)) + 2 + (cell_len(note) + 1 if note else 0)


class RelationMap(Widget, can_focus=True):
    """A window on a map. The screen says what is shown; the keys here move the focus and the window."""

    HELP_TITLE: ClassVar[str] = "Map"
    HELP_TEXT: ClassVar[str] = (
        "● a person, ♦ a player character, ⌂ a place, ⚑ a faction, ■ a thing, ○ an idea, ▲ a creature; ◌ and dashed "
        "lines wait at the gate. +3: three more are related. ← from the other end; ~ a rumour, ≠ a lie, ? disputed. "
        "Behind a place: ✓ play was there, ● who is."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(0,-1)", "Up", show=False, id="relation-map.up", tooltip="To the next one above"),
        Binding(
            "down", "go(0,1)", "Down", show=False, id="relation-map.down", tooltip="To the next one below"
        ),
        Binding(
            "left",
            "go(-1,0)",
            "To the left",
            show=False,
            id="relation-map.left",
            tooltip="To the next one on the left",
        ),
        Binding(
            "right",
            "go(1,0)",
            "Next one",
            id="relation-map.right",
            tooltip="To the next one on the right",
            key_display="←↑↓→",
        ),
        Binding(
            "shift+up", "pan(0,-1)", "Move up", show=False, id="relation-map.pan_up", tooltip="Move the map"
        ),
        Binding(
            "shift+down",
            "pan(0,1)",
            "Move down",
            show=False,
            id="relation-map.pan_down",
            tooltip="Move the map",
        ),
        Binding(
            "shift+left",
            "pan(-1,0)",
            "Move left",
            show=False,
            id="relation-map.pan_left",
            tooltip="Move the map",
        ),
        Binding(
            "shift+right",
            "pan(1,0)",
            "Move the map",
            show=False,
            id="relation-map.pan_right",
            tooltip="Move the map",
        ),
        Binding(
            "plus,equals_sign", "zoom(1)", "Zoom in", id="relation-map.in", tooltip="Closer", key_display="+"
        ),
        Binding(
            "minus", "zoom(-1)", "Zoom out", id="relation-map.out", tooltip="Further away", key_display="-"
        ),
        Binding("0", "fit", "Fit", id="relation-map.fit", tooltip="The whole map in view"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"relation-map--{ink}" for ink in MapInk}
    DEFAULT_CSS = """
    RelationMap {
        background: $background;
        & > .relation-map--line { color: $foreground 50%; }
        & > .relation-map--near-line { color: $text-accent; }
        & > .relation-map--proposed-line { color: $text-warning; }
        & > .relation-map--words { color: $foreground 60%; text-style: italic; }
        & > .relation-map--near-words { color: $text-muted; text-style: italic; }
        & > .relation-map--person { color: $text-primary; }
        & > .relation-map--place { color: $text-success; }
        & > .relation-map--faction { color: $text-secondary; }
        & > .relation-map--thing { color: $text-warning; }
        & > .relation-map--idea { color: $text-muted; }
        & > .relation-map--proposed { color: $text-warning; text-style: italic; }
        & > .relation-map--note { color: $text-muted; }
        & > .relation-map--focus { color: $foreground; background: $primary 30%; text-style: bold; }
        &:focus > .relation-map--focus { color: $background; background: $primary; text-style: bold; }
    }
    """
    ALLOW_SELECT = False

    @dataclass
    class FocusMoved(Message):
        """Another entity of the map has the focus."""

        entity_id: Id

    @dataclass
    class FocusChosen(Message):
        """The entity that has the focus was clicked again."""

        entity_id: Id

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.map = LaidOutMap(RelationGraph(), {}, {})
        self.focus_id: Id | None = None
        self.is_fitted = True
        """Whether the window follows the map, to have all of it in view."""
        self._centre = Point(0, 0)
        self._zoom = Zoom(1, 1)
        self._drawn: DrawnMap | None = None
        self._styles: dict[MapInk | None, Style] = {}

    # --- what is shown -----------------------------------------------------------------------------

    def show_map(self, laid_out: LaidOutMap, focus_id: Id | None) -> None:
        """Show another map; where it was not fitted into the window, what had the focus stays where it was."""
        before = self.map.points.get(self.focus_id or "")
        self.map, self.focus_id = laid_out, focus_id
        point = laid_out.points.get(focus_id or "")
        if not self.is_fitted and before is not None and point is not None:
            self._centre = Point(self._centre.x + point.x - before.x, self._centre.y + point.y - before.y)
        self._redraw()

    def move_focus_to(self, entity_id: Id) -> None:
        """Give the focus to an entity of the map, and bring it into view."""
        self.focus_id = entity_id
        self._bring_into_view(self.map.points[entity_id])
        self._redraw()

    def _redraw(self) -> None:
        self._drawn = None
        self.refresh()

    @property
    def window(self) -> MapWindow:
        """The part of the map that is in view."""
        width, height = self.size
        if self.is_fitted:
            widths = {i: label_columns(n, self.map.notes.get(i, "")) for i, n in self.map.shown.nodes.items()}
            fitted = fitting_window(self.map.points, widths, width, height)
            self._centre, self._zoom = fitted.centre, fitted.zoom
        return MapWindow(width, height, self._centre, self._zoom)

    def _draw(self) -> DrawnMap:
        if self._drawn is None:
            self._drawn = draw_map(build_picture(self.map, self.focus_id), self.window, self.focus_id)
        return self._drawn

    def render_line(self, y: int) -> Strip:
        rows = self._draw().rows
        if y >= len(rows):
            return Strip.blank(self.size.width, self.rich_style)
        if not self._styles:
            self._styles = {ink: self.get_component_rich_style(f"relation-map--{ink}") for ink in MapInk}
            self._styles[None] = self.rich_style
        return Strip([Segment(run.text, self._styles[run.ink]) for run in rows[y]], self.size.width)

    def notify_style_update(self) -> None:
        self._styles = {}
        super().notify_style_update()

    def on_resize(self) -> None:
        self._redraw()

    def on_focus(self) -> None:
        self._styles = {}

    def on_blur(self) -> None:
        self._styles = {}

    # --- keys --------------------------------------------------------------------------------------

    def action_go(self, dx: int, dy: int) -> None:
        """Go to the next entity on that side; where there is none, move the map."""
        origin = self.map.points.get(self.focus_id or "", self.window.centre)
        others = {i: point for i, point in self.map.points.items() if i != self.focus_id}
        target_id = nearest_in_direction(others, origin, dx, dy)
        if target_id is None:
            self.action_pan(dx, dy)
        else:
            self.move_focus_to(target_id)
            self.post_message(self.FocusMoved(target_id))

    def action_pan(self, dx: int, dy: int) -> None:
        window = self.window
        self.is_fitted = False
        self._centre = window.to_map(window.width / 2 + dx * PAN_COLUMNS, window.height / 2 + dy * PAN_LINES)
        self._redraw()

    def action_zoom(self, step: int) -> None:
        """Zoom about what has the focus, which stays where it is."""
        window = self.window
        self.is_fitted = False
        zoom = window.zoom.times(ZOOM_STEP**step)
        still = self.map.points.get(self.focus_id or "", window.centre)
        column, line = window.to_cells(still)
        if not (0 <= column < window.width and 0 <= line < window.height):
            still = window.centre
        share = window.zoom.x / zoom.x
        self._centre = Point(
            still.x + (window.centre.x - still.x) * share, still.y + (window.centre.y - still.y) * share
        )
        self._zoom = zoom
        self._redraw()

    def action_fit(self) -> None:
        self.is_fitted = True
        self._redraw()

    def _bring_into_view(self, point: Point) -> None:
        """Move the window so that a point is well inside it."""
        window = self.window
        column, line = window.to_cells(point)
        margin_x, margin_y = min(14, window.width // 4), min(3, window.height // 4)
        aside = min(0, column - margin_x) + max(0, column - (window.width - margin_x))
        below = min(0, line - margin_y) + max(0, line - (window.height - margin_y))
        if (aside or below) and not self.is_fitted:
            self._centre = window.to_map(window.width / 2 + aside, window.height / 2 + below)

    # --- mouse -------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Go to the entity that was clicked; a second click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for entity_id, (line, start, end) in self._draw().spans.items():
            if line == offset.y and start <= offset.x < end:
                if entity_id == self.focus_id:
                    self.post_message(self.FocusChosen(entity_id))
                else:
                    self.move_focus_to(entity_id)
                    self.post_message(self.FocusMoved(entity_id))
                return

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.action_zoom(1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.action_zoom(-1)


def build_picture(laid_out: LaidOutMap, focus_id: Id | None) -> MapPicture:
    """Return what is to be drawn of a map while an entity has the focus."""
    shown, points = laid_out.shown, laid_out.points
    near_ids = {focus_id, *shown.neighbours.get(focus_id or "", ())}
    nodes = tuple(
        DrawnNode(
            node_id,
            map_label(node),
            MapInk.PROPOSED if node.is_proposed else KIND_INKS[node.kind],
            points[node_id],
            note=laid_out.notes.get(node_id, ""),
            rank=len(shown.neighbours[node_id]) + 1_000 * (node_id in near_ids),
        )
        for node_id, node in shown.nodes.items()
    )
    groups = list(group_by_ends(shown))
    edges = []
    for source_id, target_id, group in groups:
        source, target = points[source_id], points[target_id]
        is_near, is_proposed = focus_id in (source_id, target_id), all(e.is_proposed for e in group)
        layer = LineLayer.NEAR if is_near else LineLayer.PROPOSED if is_proposed else LineLayer.CANON
        # Read from the focus where it has one; else from left to right, as one reads.
        reader_id = focus_id if is_near and focus_id else source_id if source.x <= target.x else target_id
        edges.append(
            DrawnEdge(
                source,
                target,
                one_line(join_edge_words(group, reader_id)),
                layer,
                is_dashed=is_proposed,
                shows_words=is_near or len(groups) <= MAX_LINES_WITH_WORDS,
            )
        )
    return MapPicture(nodes, tuple(edges))
