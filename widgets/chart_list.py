"""Charts, one below the other, drawn in cells: columns over time and bars side by side, in eighths of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final

from rich.cells import cell_len

from agents.diagrams.charts import Chart, ChartBar, ChartShape, Tone
from widgets.ink import Ink, Line, Piece
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, pad_left, wrap

TONE_INKS: Final = {Tone.PLAIN: Ink.YOU, Tone.GOOD: Ink.GOOD, Tone.MIDDLE: Ink.WARN, Tone.BAD: Ink.BAD}
TONE_FILLS: Final = {Tone.PLAIN: "█", Tone.GOOD: "█", Tone.MIDDLE: "▓", Tone.BAD: "░"}
"""Shades as well as colours, so that nothing relies on colour alone."""
COLUMN_HEIGHT: Final = 6
"""Lines of the highest column."""
MAX_BAR_CELLS: Final = 48
_LABEL_CELLS: Final = 22
_LEFT: Final = "▏▎▍▌▋▊▉█"
_LOWER: Final = "▁▂▃▄▅▆▇█"


class ChartList(RowList[Chart]):
    """Charts; the cursor goes from one to the next."""

    HELP_TITLE: ClassVar[str] = "Charts"
    HELP_TEXT: ClassVar[str] = (
        "█ success or accepted, ▓ partial, ░ failure or rejected. ┆ in the bars of a die: what a fair one has."
    )

    def show_charts(self, charts: Sequence[Chart]) -> None:
        """Show these charts, from the first."""
        self.set_rows([ListRow(chart.title, partial(chart_lines, chart), chart) for chart in charts])
        self.action_edge(-1)


def chart_lines(chart: Chart, width: int) -> list[Line]:
    """Return a chart in lines of at most `width` cells: its title, its bars, what it says."""
    lines: list[Line] = [[(f" {chart.title}", Ink.HEADING)]]
    if chart.bars:
        match chart.shape:
            case ChartShape.COLUMNS:
                lines += _column_lines(chart, width)
            case ChartShape.BARS:
                lines += [_bar_line(chart, bar, width) for bar in chart.bars]
    lines += [[("   ", Ink.MUTED), (part, Ink.MUTED)] for part in wrap(chart.summary, width - 4) if part]
    return [*lines, []]


# --- bars -------------------------------------------------------------------------------------------


def _bar_line(chart: Chart, bar: ChartBar, width: int) -> Line:
    full = chart.full_amount or max(b.amount for b in chart.bars) or 1
    label_cells = min(_LABEL_CELLS, max(cell_len(one_line(b.label)) for b in chart.bars))
    words_cells = max(cell_len(b.words) for b in chart.bars)
    room = max(4, min(MAX_BAR_CELLS, width - label_cells - words_cells - 7))
    pieces: list[Piece] = [
        ("   ", Ink.PROSE),
        (pad_left(bar.label, label_cells), Ink.PROSE),
        (" ", Ink.PROSE),
    ]
    drawn = _bar_cells(bar, full, room)
    # What is expected beyond the longest bar is not shown; of a tiny bar it would be no finite number of cells.
    if chart.expected is not None and chart.expected < full:
        mark = round(chart.expected / full * room)
        if mark < len(drawn):
            drawn[mark] = ("┆", Ink.MUTED if drawn[mark][0] == " " else drawn[mark][1])
    return [*pieces, *drawn, (f" {bar.words}", Ink.MUTED)]


def _bar_cells(bar: ChartBar, full: float, room: int) -> list[Piece]:
    """Return a bar, cell by cell, with blanks to the end of the room."""
    cells: list[Piece] = []
    end = 0.0
    for tone, amount in bar.parts:
        end += amount / full * room
        cells += [(TONE_FILLS[tone], TONE_INKS[tone])] * (round(end) - len(cells))
    eighths = int((end - len(cells)) * 8) if len(bar.parts) == 1 else 0
    if eighths > 0 and len(cells) < room:
        cells.append((_LEFT[eighths - 1], TONE_INKS[bar.parts[0][0]]))
    if not cells and bar.amount:
        cells.append((_LEFT[0], TONE_INKS[bar.parts[0][0]]))
    return [*cells, *[(" ", Ink.PROSE)] * (room - len(cells))]


# --- columns ----------------------------------------------------------------------------------------


def _column_lines(chart: Chart, width: int) -> list[Line]:
    """Return columns with their amounts above and labels below; of too many, the last."""
    bars = chart.bars
    cells = max(cell_len(text) for bar in bars for text in (one_line(bar.label), bar.words)) + 1
    cells = min(max(cells, 3), width - 4)
    bars = bars[-max(1, (width - 4) // cells) :]
    full = chart.full_amount or max(b.amount for b in bars) or 1
    lines: list[Line] = []
    for line in range(COLUMN_HEIGHT, -1, -1):
        pieces: list[Piece] = [("   ", Ink.PROSE)]
        for bar in bars:
            top = -(-bar.amount * COLUMN_HEIGHT // full)
            if line == top:
                pieces.append((pad_left(bar.words, cells - 1) + " ", Ink.STRONG))
            else:
                fill, ink = _column_cell(bar, full, line)
                pieces.append((fill * (cells - 1) + " ", ink))
        lines.append(pieces)
    lines = [line for line in lines if any(text.strip() for text, _ in line)]
    return [
        *lines,
        [("   ", Ink.PROSE), *((f"{pad_left(bar.label, cells - 1)} ", Ink.MUTED) for bar in bars)],
    ]


def _column_cell(bar: ChartBar, full: float, line: int) -> Piece:
    """Return what a column has on a line, counted from the bottom."""
    height = bar.amount / full * COLUMN_HEIGHT
    if line >= height or not bar.amount:
        return " ", Ink.PROSE
    middle, end = min(line + 0.5, height), 0.0
    tone = bar.parts[-1][0]
    for part_tone, amount in bar.parts:
        end += amount / full * COLUMN_HEIGHT
        if middle <= end:
            tone = part_tone
            break
    eighths = round((height - line) * 8)
    if eighths >= 8 or (tone in (Tone.MIDDLE, Tone.BAD) and len(bar.parts) > 1):
        return TONE_FILLS[tone] if len(bar.parts) > 1 else "█", TONE_INKS[tone]
    return _LOWER[max(0, eighths - 1)], TONE_INKS[tone]
