"""Lays out a graph for a terminal: where each label stands so that related ones are near and none overlap.

Related nodes attract, all others repel (Fruchterman and Reingold 1991), from a radial tree (Eades 1992); then labels
are pushed apart, and the parts that nothing connects are packed below each other. Deterministic.

Positions are map cells at full size: x to the right in columns, y down in lines, of a label's centre. The libraries
that were tried hold the interpreter for 100 ms at 500 nodes (rustworkx), need SciPy from 500 nodes (networkx), or
are under the GPL (grandalf, igraph, fa2); NumPy lets other threads run.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.diagrams.relation_graph import Point
from stores.records.ids import Id

Positions = NDArray[np.float64]

CELLS_PER_LABEL: Final = 4.6
"""How many times its own cells each label has to itself, with room for lines and words between."""
GAP_COLUMNS: Final = 3
"""Columns between two labels on one line, at least."""
GAP_LINES: Final = 1
_GAP_BETWEEN_PARTS: Final = 4
_PAGE_RATIO: Final = 3.2
"""Columns for each line of a map: about those of a terminal beside a card."""
_MOST_EVEN: Final = 0.55
"""How far the labels of a large part are spread evenly, from 0 to 1: its middle is crowded, its rim is not."""
_ROUNDS: Final = 140
_ROUNDS_OF_LARGE: Final = 90
_LARGE: Final = 200
_GOLDEN_ANGLE: Final = math.pi * (3 - math.sqrt(5))


def lay_out_graph(
    widths: Mapping[Id, int],
    edges: Sequence[tuple[Id, Id]],
    earlier: Mapping[Id, Point] | None = None,
) -> dict[Id, Point]:
    """Return where each label stands.

    `widths` are the columns of each label. With the positions of an `earlier` layout, what was there stays about where
    it was. No two labels overlap.
    """
    ids = list(widths)
    index_of = {node_id: n for n, node_id in enumerate(ids)}
    pairs = sorted(
        {(min(a, b), max(a, b)) for a, b in ((index_of[s], index_of[t]) for s, t in edges) if a != b}
    )
    columns = np.array([widths[i] for i in ids], dtype=float)
    earlier_points = {index_of[i]: point for i, point in (earlier or {}).items() if i in index_of}
    parts = []
    for members in _connected_parts(len(ids), pairs):
        local = {n: position for position, n in enumerate(members)}
        local_pairs = [(local[a], local[b]) for a, b in pairs if a in local]
        known = {local[n]: earlier_points[n] for n in members if n in earlier_points}
        parts.append((members, _lay_out_part(columns[members], local_pairs, known)))
    points = _pack_parts(parts, columns)
    return {ids[n]: Point(float(x), float(y)) for n, (x, y) in points.items()}


# --- one connected part -----------------------------------------------------------------------------


def _connected_parts(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the nodes of each part that hangs together, the largest first."""
    neighbours = _neighbours_of(count, pairs)
    part_of = [-1] * count
    parts: list[list[int]] = []
    for start in range(count):
        if part_of[start] >= 0:
            continue
        queue, members = deque([start]), [start]
        part_of[start] = len(parts)
        while queue:
            for other in neighbours[queue.popleft()]:
                if part_of[other] < 0:
                    part_of[other] = len(parts)
                    members.append(other)
                    queue.append(other)
        parts.append(sorted(members))
    return sorted(parts, key=lambda members: (-len(members), members[0]))


def _neighbours_of(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs:
        neighbours[a].append(b)
        neighbours[b].append(a)
    return neighbours


def _lay_out_part(
    columns: Positions, pairs: Sequence[tuple[int, int]], known: Mapping[int, Point]
) -> Positions:
    """Return the positions of one part."""
    if len(columns) == 1:
        return np.array([known[0]]) if known else np.zeros((1, 2))
    if known:
        scale = np.array([float(columns.mean()) + GAP_COLUMNS, 3.0])
        positions = _place_beside_known(
            len(columns), pairs, {n: np.array(p) / scale for n, p in known.items()}
        )
        return _separate_labels(_relax(positions, np.array(pairs), 30, 0.15) * scale, columns)
    rounds = _ROUNDS if len(columns) < _LARGE else _ROUNDS_OF_LARGE
    positions = _relax(_radial_tree(len(columns), pairs), np.array(pairs), rounds, 0.8)
    return _separate_labels(_fill_page(_turn_broadside(positions), columns), columns)


def _radial_tree(count: int, pairs: Sequence[tuple[int, int]]) -> Positions:
    """Return positions on rings around the node with the most relations, each branch within its own sector."""
    neighbours = _neighbours_of(count, pairs)
    root = max(range(count), key=lambda n: (len(neighbours[n]), -n))
    order, parent, depth = [root], {root: root}, {root: 0}
    for node in order:  # grows while it is walked
        for other in neighbours[node]:
            if other not in parent:
                parent[other], depth[other] = node, depth[node] + 1
                order.append(other)
    leaves = [1] * count
    for node in reversed(order):
        children = [n for n in neighbours[node] if parent[n] == node and n != root]
        leaves[node] = max(1, sum(leaves[n] for n in children))
    positions = np.zeros((count, 2))
    sector = {root: (0.0, 2 * math.pi)}
    for node in order:
        start, end = sector[node]
        for child in (n for n in neighbours[node] if parent[n] == node and n != root):
            width = (end - start) * leaves[child] / leaves[node]
            sector[child] = (start, start + width)
            angle, radius = start + width / 2, depth[child] * (1 + 0.02 * leaves[root] / max(1, depth[child]))
            positions[child] = radius * math.cos(angle), radius * math.sin(angle)
            start += width
    return positions


def _place_beside_known(
    count: int, pairs: Sequence[tuple[int, int]], known: Mapping[int, Positions]
) -> Positions:
    """Return the known positions, and for the others places around a neighbour that has one."""
    positions, placed = np.zeros((count, 2)), dict(known)
    neighbours = _neighbours_of(count, pairs)
    queue = deque(placed)
    while queue:
        node = queue.popleft()
        away = placed[node] - np.mean([*known.values()], axis=0)
        heading = math.atan2(float(away[1]), float(away[0]))
        for n, other in enumerate(o for o in neighbours[node] if o not in placed):
            angle = heading + (n + 1) // 2 * (0.7 if n % 2 else -0.7)
            placed[other] = placed[node] + np.array([math.cos(angle), math.sin(angle)])
            queue.append(other)
    for node, point in placed.items():
        positions[node] = point
    return positions


def _relax(positions: Positions, pairs: NDArray[np.int64], rounds: int, heat: float) -> Positions:
    """Let related nodes attract and all nodes repel each other, in ever smaller steps."""
    positions = positions.copy()
    # Nodes that stand on one another would stay so: each is moved aside a little, each to another side.
    turns = np.arange(len(positions)) * _GOLDEN_ANGLE
    positions += 0.01 * np.column_stack((np.cos(turns), np.sin(turns)))
    source, target = pairs[:, 0], pairs[:, 1]
    for step in range(rounds):
        away = positions[:, None, :] - positions[None, :, :]
        squares = np.einsum("ijk,ijk->ij", away, away)
        np.fill_diagonal(squares, 1.0)
        push = np.einsum("ijk,ij->ik", away, 1.0 / np.maximum(squares, 0.01))
        along = positions[source] - positions[target]
        pull = along * np.sqrt(np.einsum("ik,ik->i", along, along))[:, None]
        np.subtract.at(push, source, pull)
        np.add.at(push, target, pull)
        push -= 0.02 * (positions - positions.mean(axis=0))
        length = np.maximum(np.sqrt(np.einsum("ik,ik->i", push, push)), 1e-9)
        positions += push * (np.minimum(length, heat * (1 - step / rounds)) / length)[:, None]
    return positions


def _turn_broadside(positions: Positions) -> Positions:
    """Turn the longest way of a part to the horizontal: a terminal is wide."""
    centred = positions - positions.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axis = vectors[:, -1] if vectors[0, -1] >= 0 else -vectors[:, -1]
    turned: Positions = centred @ np.array([[axis[0], -axis[1]], [axis[1], axis[0]]])
    return turned


def _fill_page(positions: Positions, columns: Positions) -> Positions:
    """Scale a part to a page that has room for its labels, and spread a large one more evenly over it."""
    count = len(columns)
    cells = float((columns + GAP_COLUMNS).sum()) * CELLS_PER_LABEL
    # From centre to centre: half a label stands out on either side.
    wide = math.sqrt(cells * _PAGE_RATIO)
    size = np.array([max(wide - float(columns.mean()), wide / 3), math.sqrt(cells / _PAGE_RATIO)])
    spread = np.maximum(np.ptp(positions, axis=0), 1e-9)
    # A chain stays a chain: nothing is stretched to more than thrice its shape.
    size = np.minimum(size, 3 * spread / spread.max() * size.max())
    shares = (positions - positions.min(axis=0)) / spread
    ranks = np.argsort(np.argsort(positions, axis=0, kind="stable"), axis=0, kind="stable") / max(
        1, count - 1
    )
    evenness = min(_MOST_EVEN, count / 120)
    page: Positions = ((1 - evenness) * shares + evenness * ranks) * size
    return page


def _separate_labels(positions: Positions, columns: Positions) -> Positions:
    """Push labels apart, along the shorter way out, until none overlap."""
    positions = positions.copy()
    wide = (columns[:, None] + columns[None, :]) / 2 + GAP_COLUMNS
    high = 1.0 + GAP_LINES
    rank = np.sign(np.arange(len(columns))[:, None] - np.arange(len(columns))[None, :])
    for _ in range(120):
        across = positions[:, 0][:, None] - positions[:, 0][None, :]
        down = positions[:, 1][:, None] - positions[:, 1][None, :]
        over_x, over_y = wide - np.abs(across), high - np.abs(down)
        overlapping = (over_x > 1e-6) & (over_y > 1e-6)
        np.fill_diagonal(overlapping, False)
        if not overlapping.any():
            return positions
        # A line is as high as two columns are wide: so far is it to either side.
        downward = overlapping & (over_y * 2 <= over_x)
        sideward = overlapping & ~downward
        side_x = np.where(across == 0, rank, np.sign(across))
        side_y = np.where(down == 0, rank, np.sign(down))
        share = np.maximum(overlapping.sum(axis=1), 1) ** 0.5
        positions[:, 0] += (np.where(sideward, over_x, 0) * side_x).sum(axis=1) / (2 * share) * 1.1
        positions[:, 1] += (np.where(downward, over_y, 0) * side_y).sum(axis=1) / (2 * share) * 1.1
    return _sweep_apart(positions, wide, high)


def _sweep_apart(positions: Positions, wide: Positions, high: float) -> Positions:
    """Move what still overlaps down, from the top to the bottom: the last resort, that always ends."""
    order = np.argsort(positions[:, 1], kind="stable")
    for place, n in enumerate(order):
        above = order[:place]
        while True:
            hits = above[
                (np.abs(positions[above, 0] - positions[n, 0]) < wide[n, above] - 1e-6)
                & (np.abs(positions[above, 1] - positions[n, 1]) < high - 1e-6)
            ]
            if not len(hits):
                break
            positions[n, 1] = positions[hits, 1].max() + high
    return positions


# --- the parts together -----------------------------------------------------------------------------


def _pack_parts(
    parts: Sequence[tuple[list[int], Positions]], columns: Positions
) -> dict[int, tuple[float, float]]:
    """Return the positions of all nodes: the largest part on top, the others in rows below it."""
    boxes = []
    for members, positions in parts:
        half = columns[members] / 2
        left, right = (positions[:, 0] - half).min(), (positions[:, 0] + half).max()
        boxes.append(
            (members, positions - [left, positions[:, 1].min()], right - left, np.ptp(positions[:, 1]))
        )
    area = sum((width + _GAP_BETWEEN_PARTS) * (height + 3) for _, _, width, height in boxes)
    page_width = max([math.sqrt(area * _PAGE_RATIO), *(width for _, _, width, _ in boxes)], default=0)
    points: dict[int, tuple[float, float]] = {}
    x = y = row_height = 0.0
    for members, positions, width, height in boxes:
        if x and x + width > page_width:
            x, y, row_height = 0.0, y + row_height + 3, 0.0
        for n, (node_x, node_y) in zip(members, positions, strict=True):
            points[n] = (x + float(node_x), y + float(node_y))
        x, row_height = x + float(width) + _GAP_BETWEEN_PARTS, max(row_height, float(height))
    return points
