"""The timeline in lanes, drawn line by line: a row for each person, place and thread, a column for each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len, get_character_cell_size
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from agents.diagrams.timeline_lanes import Axis, AxisUnit, Lane, LaneGroup, Mark, MarkKind, find_column
from widgets.ink import Ink, InkView, Line, draw_line
from widgets.safe_text import ellipsise, one_line

MARK_SIGNS: Final = {
    MarkKind.SCENE: ("●", Ink.STRONG),
    MarkKind.EVENT: ("•", Ink.NPC),
    MarkKind.DEATH: ("†", Ink.BAD),
    MarkKind.MADE: ("◇", Ink.WARN),
    MarkKind.KEPT: ("◆", Ink.GOOD),
    MarkKind.BROKEN: ("×", Ink.BAD),
    MarkKind.ASKED: ("?", Ink.WARN),
    MarkKind.OPENED: ("○", Ink.WARN),
    MarkKind.CLOSED: ("◉", Ink.GOOD),
    MarkKind.DEADLINE: ("⚑", Ink.BAD),
}


class LaneZoom(NamedTuple):
    """What has a column, and how wide it is."""

    unit: AxisUnit
    cells: int


ZOOMS: Final = (
    LaneZoom(AxisUnit.DAY, 7),
    LaneZoom(AxisUnit.DAY, 11),
    LaneZoom(AxisUnit.DAY, 18),
    LaneZoom(AxisUnit.MOMENT, 10),
    LaneZoom(AxisUnit.MOMENT, 18),
    LaneZoom(AxisUnit.MOMENT, 30),
)
_MIN_LABEL_CELLS: Final = 9
"""Cells beside a mark from which its words are written there."""
_NOW_SIGN: Final = "┊"
_REVERSE: Final = Style(reverse=True)


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A row of the chart: a lane, or the heading of a group."""

    lane: Lane | None
    heading: str = ""


class LaneChart(InkView, can_focus=True):
    """Lanes with a cursor on one mark; the window follows it."""

    HELP_TITLE: ClassVar[str] = "Timeline"
    HELP_TEXT: ClassVar[str] = (
        "● a scene, • an event, † a death; ◇ a promise or debt made, ◆ kept, × not kept, ⚑ its deadline; ? an open "
        "question, ○ a thread opened, ◉ closed; ┊ is now, ⋯ days without anything. Under the day: ○ a full, ● a new "
        "moon, and the day's name."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left",
            "step(-1)",
            "Previous",
            show=False,
            id="lanes.previous",
            tooltip="What came before, in this lane",
        ),
        Binding(
            "right",
            "step(1)",
            "Next",
            id="lanes.next",
            tooltip="What came next, in this lane",
            key_display="←↑↓→",
        ),
        Binding("up,k", "lane(-1)", "Up", show=False, id="lanes.up", tooltip="The lane above"),
        Binding("down,j", "lane(1)", "Down", show=False, id="lanes.down", tooltip="The lane below"),
        Binding("home", "edge(0)", "First", show=False, id="lanes.first", tooltip="The first of this lane"),
        Binding("end", "edge(-1)", "Last", show=False, id="lanes.last", tooltip="The last of this lane"),
        Binding(
            "shift+left", "pan(-1)", "Move left", show=False, id="lanes.pan_left", tooltip="Earlier times"
        ),
        Binding(
            "shift+right", "pan(1)", "Move right", show=False, id="lanes.pan_right", tooltip="Later times"
        ),
        Binding(
            "plus,equals_sign",
            "zoom(1)",
            "Zoom in",
            id="lanes.in",
            tooltip="Wider days, then single moments",
            key_display="+",
        ),
        Binding(
            "minus", "zoom(-1)", "Zoom out", id="lanes.out", tooltip="More days in view", key_display="-"
        ),
        Binding("0", "fit", "Fit", id="lanes.fit", tooltip="As much in view as can be"),
    ]

    @dataclass
    class MarkHighlighted(Message):
        lane: Lane
        mark: Mark

    @dataclass
    class MarkChosen(Message):
        lane: Lane
        mark: Mark

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lanes: Sequence[Lane] = ()
        self._axes: Mapping[AxisUnit, Axis] = {}
        self._rows: Sequence[LaneRow] = ()
        self._lane_index = self._mark_index = 0
        self._zoom: LaneZoom | None = None
        """None: as much in view as can be."""
        self._first_cell = self._first_row = 0

    # --- what is shown -----------------------------------------------------------------------------

    def show_lanes(self, lanes: Sequence[Lane], axes: Mapping[AxisUnit, Axis]) -> None:
        """Show other lanes; the cursor stays on its mark if that is still there."""
        current = self.current
        self._lanes, self._axes, self._rows = lanes, axes, build_rows(lanes)
        if current is not None:
            lane_ids = [lane.id for lane in lanes]
            self._lane_index = lane_ids.index(current[0].id) if current[0].id in lane_ids else 0
            marks = lanes[self._lane_index].marks if lanes else ()
            self._mark_index = marks.index(current[1]) if current[1] in marks else 0
        elif lanes:
            self._lane_index, self._mark_index = 0, len(lanes[0].marks) - 1
        self._show_cursor()

    @property
    def current(self) -> tuple[Lane, Mark] | None:
        """The lane and mark under the cursor."""
        if not self._lanes:
            return None
        lane = self._lanes[self._lane_index]
        return lane, lane.marks[self._mark_index]

    @property
    def zoom(self) -> LaneZoom:
        if self._zoom is not None or not self._axes:
            return self._zoom or ZOOMS[0]
        room = self.size.width - self._name_cells
        fitting = [z for z in ZOOMS if len(self._axes[z.unit].columns) * z.cells <= room]
        return fitting[-1] if fitting else ZOOMS[0]

    @property
    def _axis(self) -> Axis:
        return self._axes[self.zoom.unit]

    @property
    def _name_cells(self) -> int:
        return max(14, min(26, self.size.width // 4))

    @property
    def _header_count(self) -> int:
        return 3 if any(s.moons or s.names for s in self._axis.columns) else 2

    def on_resize(self) -> None:
        if self._axes:
            self._show_cursor()

    def _show_cursor(self) -> None:
        """Move the window so that the cursor is in it, and say what is under it."""
        if (current := self.current) is None or not self.size.width:
            self.refresh()
            return
        lane, mark = current
        cells, column = self.zoom.cells, find_column(self._axis, mark)
        room = max(cells, self.size.width - self._name_cells)
        last_start = max(0, len(self._axis.columns) * cells - room)
        self._first_cell = min(self._first_cell, column * cells, last_start)
        self._first_cell = max(self._first_cell, (column + 1) * cells - room)
        row = next(n for n, one in enumerate(self._rows) if one.lane is lane)
        height = max(1, self.size.height - self._header_count)
        self._first_row = max(min(self._first_row, row - 1), row - height + 1, 0)
        self.refresh()
        self.post_message(self.MarkHighlighted(lane, mark))

    # --- keys --------------------------------------------------------------------------------------

    def action_step(self, step: int) -> None:
        if self._lanes:
            last = len(self._lanes[self._lane_index].marks) - 1
            self._mark_index = max(0, min(last, self._mark_index + step))
            self._show_cursor()

    def action_edge(self, index: int) -> None:
        if self._lanes:
            self._mark_index = index % len(self._lanes[self._lane_index].marks)
            self._show_cursor()

    def action_lane(self, step: int) -> None:
        """Go to the lane above or below, to the mark that is nearest in time."""
        if (current := self.current) is None:
            return
        column = find_column(self._axis, current[1])
        self._lane_index = max(0, min(len(self._lanes) - 1, self._lane_index + step))
        marks = self._lanes[self._lane_index].marks
        self._mark_index = min(
            range(len(marks)), key=lambda n: abs(find_column(self._axis, marks[n]) - column)
        )
        self._show_cursor()

    def action_pan(self, step: int) -> None:
        room = self.size.width - self._name_cells
        end = max(0, len(self._axis.columns) * self.zoom.cells - room) if self._axes else 0
        self._first_cell = max(0, min(end, self._first_cell + step * max(1, room // 2)))
        self.refresh()

    def action_zoom(self, step: int) -> None:
        self._zoom = ZOOMS[max(0, min(len(ZOOMS) - 1, ZOOMS.index(self.zoom) + step))]
        self._first_cell = 0
        self._show_cursor()

    def action_fit(self) -> None:
        self._zoom, self._first_cell = None, 0
        self._show_cursor()

    def action_choose(self) -> None:
        if (current := self.current) is not None:
            self.post_message(self.MarkChosen(*current))

    # --- drawing -----------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if not self._lanes:
            return draw_line([], self.inks(), width)
        header_count = self._header_count
        if y < header_count:
            line = header_line(self._axis, self.zoom.cells, self._first_cell, self._name_cells, width, y)
            return draw_line(line, self.inks(), width)
        row_index = y - header_count + self._first_row
        if row_index >= len(self._rows):
            return draw_line([], self.inks(), width)
        row = self._rows[row_index]
        if row.lane is None:
            return draw_line([(f" {row.heading}", Ink.HEADING)], self.inks(), width)
        is_current = row.lane is self._lanes[self._lane_index]
        cells = lane_cells(row.lane, self._axis, self.zoom.cells)
        window = cells[self._first_cell : self._first_cell + width - self._name_cells]
        name = ellipsise(one_line(row.lane.name), self._name_cells - 2)
        name_text = f" {name}{' ' * (self._name_cells - 1 - cell_len(name))}"
        line = [(name_text, Ink.STRONG if is_current else Ink.PROSE), *_join_cells(window)]
        strip = draw_line(line, self.inks(under_cursor=is_current), width)
        if is_current:
            mark_cell = mark_positions(row.lane, self._axis, self.zoom.cells)[self._mark_index]
            x = self._name_cells + mark_cell - self._first_cell
            if self._name_cells <= x < width:
                cursor = strip.crop(x, x + 1).apply_style(self.get_component_rich_style("ink--cursor"))
                reverse = Strip(
                    [
                        segment._replace(style=(segment.style or self.rich_style) + _REVERSE)
                        for segment in cursor
                    ]
                )
                strip = Strip.join([strip.crop(0, x), reverse, strip.crop(x + 1, width)])
        return strip


def build_rows(lanes: Sequence[Lane]) -> list[LaneRow]:
    """Return the rows: the scenes, then each group below its heading."""
    rows = []
    for group, group_lanes in groupby(lanes, key=lambda lane: lane.group):
        if group is not LaneGroup.SCENES:
            rows.append(LaneRow(None, group.value))
        rows += [LaneRow(lane) for lane in group_lanes]
    return rows


def mark_positions(lane: Lane, axis: Axis, column_cells: int) -> list[int]:
    """Return the cell of each mark of a lane: those of one column beside each other, as far as they fit."""
    positions: list[int] = []
    taken: dict[int, int] = {}
    for mark in lane.marks:
        column = find_column(axis, mark)
        count = taken.get(column, 0)
        positions.append(column * column_cells + 1 + min(count, column_cells - 3))
        taken[column] = count + 1
    return positions


def lane_cells(lane: Lane, axis: Axis, column_cells: int) -> list[tuple[str, Ink]]:
    """Return a lane, cell by cell: its line, its marks, and words where there is room for them."""
    total = len(axis.columns) * column_cells
    cells: list[tuple[str, Ink]] = [(" ", Ink.PROSE)] * total
    if (now := axis.now_index * column_cells - 1) < total and axis.now_index:
        cells[now] = (_NOW_SIGN, Ink.MUTED)
    positions = mark_positions(lane, axis, column_cells)
    dated = [x for x, mark in zip(positions, lane.marks, strict=True) if mark.kind is not MarkKind.DEADLINE]
    if dated:
        end = now if lane.is_open else max(dated)
        sign, ink = ("━", Ink.WARN) if lane.is_open else ("─", Ink.MUTED)
        for x in range(min(dated), end):
            cells[x] = (sign, ink)
        for x in range(max(end, min(dated)), max(positions)):
            cells[x] = ("╌", Ink.MUTED)
    for n, (x, mark) in enumerate(zip(positions, lane.marks, strict=True)):
        cells[x] = MARK_SIGNS[mark.kind]
        next_x = min((p for p in positions if p > x), default=total)
        room = min(next_x, (x // column_cells + 1) * column_cells) - x - 3
        is_alone = positions.count(x) == 1
        if room >= _MIN_LABEL_CELLS - 2 and is_alone and column_cells > _MIN_LABEL_CELLS:
            words = ellipsise(one_line(_short_words(lane, mark)), room)
            _write(cells, x + 2, words)
            cells[x + 1] = (" ", Ink.PROSE)
            if x + 2 + cell_len(words) < total:
                cells[x + 2 + cell_len(words)] = (" ", Ink.PROSE)
        elif not is_alone and n == len(positions) - 1 - positions[::-1].index(x):
            cells[x] = (_count_sign(positions.count(x)), Ink.STRONG)
    return cells


def _short_words(lane: Lane, mark: Mark) -> str:
    """Return the words beside a mark; those of a thread stand at the lane already."""
    match mark.kind:
        case MarkKind.MADE | MarkKind.ASKED | MarkKind.OPENED:
            return ""
        case MarkKind.KEPT | MarkKind.BROKEN | MarkKind.CLOSED:
            return mark.text.partition(":")[0]
        case MarkKind.DEADLINE:
            return mark.text.removeprefix("Deadline: ")
        case MarkKind.DEATH:
            return "died"
        case _:
            return mark.text.removesuffix(".")


def _count_sign(count: int) -> str:
    return str(count) if count < 10 else "+"


def _write(cells: list[tuple[str, Ink]], x: int, text: str) -> None:
    for character in text:
        width = get_character_cell_size(character)
        if width and x + width <= len(cells):
            cells[x] = (character, Ink.QUOTE)
            if width == 2:
                cells[x + 1] = ("", Ink.QUOTE)
        x += width


def _join_cells(cells: Sequence[tuple[str, Ink]]) -> list[tuple[str, Ink]]:
    return [("".join(text for text, _ in run), ink) for ink, run in groupby(cells, key=lambda cell: cell[1])]


def header_line(
    axis: Axis, column_cells: int, first_cell: int, name_cells: int, width: int, row: int
) -> Line:
    """Return a line of the head: months or days, the columns' own labels, or moons and named days."""
    cells: list[tuple[str, Ink]] = [(" ", Ink.PROSE)] * (len(axis.columns) * column_cells)
    last_era = None
    for n, column in enumerate(axis.columns):
        x, room = n * column_cells, column_cells - 1
        match row:
            case 0:
                # A month or a day is written once, over all its columns.
                if column.era != last_era:
                    following = next(
                        (k for k in range(n + 1, len(axis.columns)) if axis.columns[k].era != column.era),
                        len(axis.columns),
                    )
                    _put_words(cells, x + 1, column.era, (following - n) * column_cells - 1, Ink.MUTED)
                last_era = column.era
            case 1:
                if column.is_after_gap and x:
                    cells[x] = ("⋯", Ink.MUTED)
                _put_words(cells, x + 1, column.label, room, Ink.STRONG)
            case _:
                _put_words(cells, x + 1, " ".join(filter(None, (column.moons, column.names))), room, Ink.NPC)
    window = cells[first_cell : first_cell + width - name_cells]
    return [(" " * name_cells, Ink.PROSE), *_join_cells(window)]


def _put_words(cells: list[tuple[str, Ink]], x: int, text: str, room: int, ink: Ink) -> None:
    words = ellipsise(one_line(text), max(1, room)) if text else ""
    _write(cells, x, words)
    for k in range(x, min(len(cells), x + cell_len(words))):
        cells[k] = (cells[k][0], ink)
