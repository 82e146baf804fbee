"""Draws the lines of a map into the dots of Braille characters, all at once with NumPy: thousands a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from widgets.relation_map.map_canvas import DrawnEdge, LineLayer, MapWindow

_DOT_BITS: Final = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype=np.uint8)
"""The bit of each dot of a Braille character, by line and column."""
_MANY_LINES: Final = 150
"""From so many lines on, those away from the focus are dotted: a thicket of full ones hides all else."""
_DOTTED: Final = 4
"""Of so many dots of a dotted line one is drawn."""
_DASH: Final = 6
"""Dots of a dash, and of the gap after it."""


def draw_lines(edges: Sequence[DrawnEdge], window: MapWindow) -> tuple[list[list[int]], list[list[int]]]:
    """Return the dots of every cell, as bits, and the layer that it shows."""
    bits = np.zeros((window.height, window.width), dtype=np.uint8)
    layers = np.zeros_like(bits)
    if not edges or not bits.size:
        return bits.tolist(), layers.tolist()
    scale = np.array([2.0, 4.0])
    starts = np.array([window.to_cells(e.source) for e in edges]) * scale
    ends = np.array([window.to_cells(e.target) for e in edges]) * scale
    first, last = _clip(starts, ends, np.array([window.width, window.height]) * scale)
    lengths = np.abs((ends - starts) * np.maximum(last - first, 0)[:, None]).max(axis=1)
    counts = np.where(last > first, np.ceil(lengths).astype(np.int64) + 1, 0)
    edge_of = np.repeat(np.arange(len(edges)), counts)
    step = np.arange(len(edge_of)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = first[edge_of] + (last - first)[edge_of] * step / np.maximum(counts - 1, 1)[edge_of]
    dots = (starts[edge_of] + (ends - starts)[edge_of] * share[:, None]).astype(np.int64)
    is_dashed = np.array([e.is_dashed for e in edges])
    # Dashes are counted from the line's own beginning, so that they stand still when the map moves.
    from_start = (share * np.abs(ends - starts).max(axis=1)[edge_of]).astype(np.int64)
    drawn = ~(is_dashed[edge_of] & (from_start // _DASH % 2 == 1))
    if len(edges) >= _MANY_LINES:
        is_near = np.array([e.layer is LineLayer.NEAR for e in edges])
        drawn &= is_near[edge_of] | (from_start % _DOTTED == 0)
    drawn &= (dots >= 0).all(axis=1) & (dots[:, 0] < window.width * 2) & (dots[:, 1] < window.height * 4)
    columns, lines = dots[drawn, 0], dots[drawn, 1]
    np.bitwise_or.at(bits, (lines // 4, columns // 2), _DOT_BITS[lines % 4, columns % 2])
    layer_of = np.array([e.layer for e in edges], dtype=np.uint8)
    np.maximum.at(layers, (lines // 4, columns // 2), layer_of[edge_of][drawn])
    return bits.tolist(), layers.tolist()


def _clip(
    starts: NDArray[np.float64], ends: NDArray[np.float64], size: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return from which to which share of its length each line is within the window (Liang and Barsky 1984)."""
    first, last = np.zeros(len(starts)), np.ones(len(starts))
    along = ends - starts
    for axis in (0, 1):
        speed = along[:, axis]
        is_still = np.abs(speed) < 1e-9
        safe = np.where(is_still, 1.0, speed)
        enter, leave = -starts[:, axis] / safe, (size[axis] - starts[:, axis]) / safe
        enter, leave = np.minimum(enter, leave), np.maximum(enter, leave)
        is_outside = (starts[:, axis] < 0) | (starts[:, axis] >= size[axis])
        first = np.where(is_still, np.where(is_outside, 2.0, first), np.maximum(first, enter))
        last = np.where(is_still, last, np.minimum(last, leave))
    return first, last
