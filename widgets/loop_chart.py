"""Draws a loop's statechart as text, with the state that it is in lit. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from agents.state_machines import ChartMove, ChartState, read_chart
from stores.records.workflow import Loop
from widgets.ink import Ink, Line, Piece
from widgets.safe_text import wrap

INDENT: Final = "    "
ARROW_CELLS: Final = 3
_ARROWS: Final = {(False, False): "   ", (True, False): "──▸", (False, True): "◂──", (True, True): "◂─▸"}
"""What stands between two boxes, by whether a move leads on and whether one leads back."""


class LoopPosition(NamedTuple):
    """A loop, what it is the loop of, and the state that it is in."""

    loop: Loop
    title: str
    state: str


def draw_loop(position: LoopPosition, width: int) -> list[Line]:
    """Return the boxes of the chart, and under them the moves that no arrow shows."""
    chart = read_chart(position.loop)
    lit_state = next(
        (s.name for s in chart.states if position.state == s.name or position.state in s.inner_names), ""
    )
    rows = _fold_states(chart.states, width)
    lines: list[Line] = [[(f"  {position.title}", Ink.STRONG)]]
    for states in rows:
        lines += _draw_boxes(states, chart.moves, lit_state)
    lines += _draw_inner_states(chart.states, position.state, width)
    shown_pairs = {frozenset((a.name, b.name)) for states in rows for a, b in pairwise(states)}
    lines += _draw_other_moves(chart.moves, shown_pairs, lit_state, width)
    return lines


def _fold_states(states: Sequence[ChartState], width: int) -> list[list[ChartState]]:
    """Return the states in rows of boxes that fit."""
    rows: list[list[ChartState]] = [[]]
    used = len(INDENT)
    for state in states:
        cells = len(_words(state.name)) + 4 + ARROW_CELLS
        if rows[-1] and used + cells > width + ARROW_CELLS:
            rows.append([])
            used = len(INDENT)
        rows[-1].append(state)
        used += cells
    return rows


def _draw_boxes(states: Sequence[ChartState], moves: Sequence[ChartMove], lit_state: str) -> list[Line]:
    pairs = {(move.source, move.target) for move in moves}
    top, middle, bottom = list[Piece](), list[Piece](), list[Piece]()
    for index, state in enumerate(states):
        if index == 0:
            arrow = INDENT
        else:
            before = states[index - 1].name
            arrow = _ARROWS[(before, state.name) in pairs, (state.name, before) in pairs]
        gap = " " * len(arrow)
        is_lit = state.name == lit_state
        ink = Ink.GOOD if is_lit else Ink.MUTED
        left_top, line, right_top, side, left_bottom, right_bottom = "┏━┓┃┗┛" if is_lit else "┌─┐│└┘"
        name = _words(state.name)
        edge = line * (len(name) + 2)
        top += [(gap, Ink.MUTED), (f"{left_top}{edge}{right_top}", ink)]
        middle += [(arrow, Ink.MUTED), (f"{side} {name} {side}", ink)]
        bottom += [(gap, Ink.MUTED), (f"{left_bottom}{edge}{right_bottom}", ink)]
    return [top, middle, bottom]


def _draw_inner_states(states: Sequence[ChartState], present: str, width: int) -> list[Line]:
    lines: list[list[Piece]] = []
    for state in (state for state in states if state.inner_names):
        lines.append([(f"{INDENT}{_words(state.name)}:", Ink.MUTED)])
        for name in state.inner_names:
            text, ink = (
                (f" ▸{_words(name)}◂", Ink.GOOD) if name == present else (f" {_words(name)},", Ink.MUTED)
            )
            if sum(len(piece) for piece, _ in lines[-1]) + len(text) > width:
                lines.append([(INDENT, Ink.MUTED)])
            lines[-1].append((text, ink))
        last_text, last_ink = lines[-1][-1]
        lines[-1][-1] = (last_text.rstrip(","), last_ink)
    return [*lines]


def _draw_other_moves(
    moves: Sequence[ChartMove], shown_pairs: set[frozenset[str]], lit_state: str, width: int
) -> list[Line]:
    """Return what can happen from the lit state, and the moves between boxes that do not stand side by side."""
    from_here = [move for move in moves if move.source == lit_state]
    texts = []
    if from_here:
        events = ", ".join(dict.fromkeys(_words(move.event) for move in from_here))
        texts.append(f"from here: {events}")
    far_moves = [
        f"{_words(move.source)} → {_words(move.target)}: {_words(move.event)}"
        for move in moves
        if move.source != move.target and frozenset((move.source, move.target)) not in shown_pairs
    ]
    if far_moves:
        texts.append("also " + " · ".join(far_moves))
    return [
        [(f"{INDENT}{line}", Ink.MUTED)] for text in texts for line in wrap(text, max(8, width - len(INDENT)))
    ]


def _words(name: str) -> str:
    return name.replace("_", " ")
