"""Puts the words on a page of a PDF in reading order, column by column.

Words that touch are a segment. A gutter is where few segments cross, and what stands on both sides of it is
wide enough to be columns of text and not of a table. What crosses a gutter, as a heading over both columns,
is read where it stands: before the columns below it. (A cut by projection as in Nagy and Seth, "Hierarchical
representation of optically scanned documents", 1984, which tolerates what crosses.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from agents.ingest.documents.child.pdf_runs import TextRun

COLUMN_GAP: Final = 0.9
"""Distance of two words from which they may be in two columns, in sizes of their letters."""

MIN_COLUMN_LINES: Final = 4
MIN_COLUMN_EMS: Final = 11.0
"""Width of a column of text at least, in sizes of its letters: narrower ones are of a table."""

MIN_FILL: Final = 0.6
MIN_FULL_LINES: Final = 0.15
"""The part of a column's width that a full line fills at least, and the part of the lines that are full; a table's
cells are more ragged, but it may stand in the column."""

MAX_CROSSING: Final = 0.35
"""How many segments may cross a gutter, as a part of all."""

MAX_BESIDE: Final = 0.6
"""How many of the short lines of a column may stand beside lines of the other; a table's cells all do."""

GUTTER_MARGIN: Final = 0.15
"""The part of the width at each side in which no gutter is looked for."""

MAX_DEPTH: Final = 4
"""Splits inside each other: up to 16 columns."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Words on one line that stand together, or the box of a table."""

    runs: tuple[TextRun, ...]
    left: float
    bottom: float
    right: float
    top: float
    line_count: int = 1

    @property
    def size(self) -> float:
        return max((run.size for run in self.runs), default=0.0)

    @property
    def width(self) -> float:
        return self.right - self.left


def order_runs(
    runs: Sequence[TextRun],
    boxes: Sequence[tuple[float, float, float, float]] = (),
    usual_gutter: float | None = None,
) -> list[TextRun]:
    """Return the runs in reading order. What stands in one of the boxes (left, bottom, right, top) stays together.

    `usual_gutter` is where most pages of the book have theirs.
    """
    free: list[TextRun] = []
    boxed: list[list[TextRun]] = [[] for _ in boxes]
    for run in runs:
        place = next((place for place, box in enumerate(boxes) if is_inside(run, box)), None)
        (free if place is None else boxed[place]).append(run)
    segments = list(_split_into_segments(free))
    for box, held in zip(boxes, boxed, strict=True):
        if held:
            lines = _split_into_lines(held)
            segments.append(Segment(tuple(run for line in lines for run in line), *box, len(lines)))
    return [run for segment in _order(segments, MAX_DEPTH, usual_gutter) for run in segment.runs]


def find_gutter(runs: Sequence[TextRun]) -> float | None:
    """Return where the widest gutter of a page is; None if it has no columns."""
    return _find_gutter(list(_split_into_segments(runs)))


def is_inside(run: TextRun, box: tuple[float, float, float, float]) -> bool:
    left, bottom, right, top = box
    return left <= run.x + run.width / 2 <= right and bottom <= run.y + run.size / 2 <= top


def _split_into_lines(runs: Sequence[TextRun]) -> list[list[TextRun]]:
    """Return the runs of each baseline from left to right, the lines from top to bottom."""
    lines: list[list[TextRun]] = []
    for run in sorted((run for run in runs if run.text.strip()), key=lambda run: (-run.y, run.x)):
        if lines and abs(lines[-1][0].y - run.y) < 0.35 * max(run.size, lines[-1][0].size):
            lines[-1].append(run)
        else:
            lines.append([run])
    return [sorted(line, key=lambda run: run.x) for line in lines]


def _split_into_segments(runs: Sequence[TextRun]) -> Iterator[Segment]:
    for line in _split_into_lines(runs):
        start = 0
        for place in range(1, len(line) + 1):
            if place < len(line):
                before, run = line[place - 1], line[place]
                if run.x - before.end <= COLUMN_GAP * min(run.size, before.size):
                    continue
            part = tuple(line[start:place])
            yield Segment(
                part,
                part[0].x,
                min(run.y for run in part),
                max(run.end for run in part),
                max(run.y + run.size for run in part),
            )
            start = place


def _order(segments: Sequence[Segment], depth: int, usual_gutter: float | None = None) -> Iterator[Segment]:
    gutter = _find_gutter(segments) if depth else None
    if gutter is None and usual_gutter is not None and _fits_gutter(segments, usual_gutter):
        gutter = usual_gutter
    if gutter is None:
        yield from sorted(segments, key=lambda one: (-round(one.top - 0.5 * one.size), one.left))
        return
    crossing = sorted((one for one in segments if one.left < gutter < one.right), key=lambda one: -one.top)
    sides = [one for one in segments if not one.left < gutter < one.right]
    for over in crossing:
        band = [one for one in sides if one.bottom >= over.top - 0.3 * (over.size or 10.0)]
        sides = [one for one in sides if one not in band]
        yield from _order_band(band, gutter, depth)
        yield over
    yield from _order_band(sides, gutter, depth)


def _order_band(segments: Sequence[Segment], gutter: float, depth: int) -> Iterator[Segment]:
    yield from _order([one for one in segments if one.right <= gutter], depth - 1)
    yield from _order([one for one in segments if one.left >= gutter], depth - 1)


def _find_gutter(segments: Sequence[Segment]) -> float | None:
    """Return where the widest gap is that few segments cross; None if nothing parts columns of text."""
    if len(segments) < 2:
        return None
    left, right = min(one.left for one in segments), max(one.right for one in segments)
    width = int(right - left) + 1
    if not 0 < width < 20_000:
        return None
    steps = [0] * (width + 2)
    for one in segments:
        steps[int(one.left - left)] += 1
        steps[int(one.right - left) + 1] -= 1
    cover = list(accumulate(steps))
    margin = int(width * GUTTER_MARGIN)
    inner = range(margin, width - margin)
    fewest = min((cover[x] for x in inner), default=len(segments))
    if fewest > MAX_CROSSING * len(segments):
        return None
    for start, end in sorted(_level_spans(cover, inner, fewest), key=lambda span: span[0] - span[1]):
        gutter = left + (start + end) / 2
        before = [one for one in segments if one.right <= gutter]
        after = [one for one in segments if one.left >= gutter]
        if _are_columns(before, after):
            return gutter
    return None


def _fits_gutter(segments: Sequence[Segment], gutter: float) -> bool:
    before = [one for one in segments if one.right <= gutter]
    after = [one for one in segments if one.left >= gutter]
    is_crossed = len(segments) - len(before) - len(after) > MAX_CROSSING * len(segments)
    return not is_crossed and bool(before) and bool(after) and (_is_column(before) or _is_column(after))


def _level_spans(cover: Sequence[int], inner: range, level: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for x in inner:
        if cover[x] > level:
            continue
        if spans and spans[-1][1] == x:
            spans[-1] = (spans[-1][0], x + 1)
        else:
            spans.append((x, x + 1))
    return spans


def _are_columns(before: Sequence[Segment], after: Sequence[Segment]) -> bool:
    """Return whether both are columns of text; one may have short lines only, unless they stand beside the other's."""
    if _is_column(before) and _is_column(after):
        return True
    full, short = (before, after) if _is_column(before) else (after, before)
    if not _is_column(full) or len(short) < MIN_COLUMN_LINES:
        return False
    baselines = {round(one.bottom) + offset for one in full for offset in (-1, 0, 1)}
    beside = sum(round(one.bottom) in baselines for one in short)
    return beside < MAX_BESIDE * len(short)


def _is_column(segments: Sequence[Segment]) -> bool:
    """Return whether enough of the segments are as wide as lines of a column of text."""
    if not segments:
        return False
    side = max(one.right for one in segments) - min(one.left for one in segments)
    sizes = sorted(one.size for one in segments)
    wide = max(MIN_FILL * side, MIN_COLUMN_EMS * sizes[len(sizes) // 2])
    full_count = sum(one.line_count for one in segments if one.width >= wide)
    return full_count >= max(MIN_COLUMN_LINES, MIN_FULL_LINES * sum(one.line_count for one in segments))
