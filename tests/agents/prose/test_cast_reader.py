"""Tests who is in a scene by plain narration, and who is not."""

from __future__ import annotations

import pytest

from agents.prose.cast_reader import CastReader
from agents.prose.cast_reading import CastMove, CastState
from agents.prose.mentions import Figure
from tests.agents.prose.cast_cases import CAST_CASES, CastCase

PEOPLE = {"Vess": 0, "Bela": 1, "Tam": 2, "Ode": 3}
FIGURES = (
    Figure(("Captain Vess", "Vess"), ("captain",), "she"),
    Figure(("Bela Orsk", "Bela", "Orsk"), ("smith",), "he"),
    Figure(("Old Tam", "Tam")),
    Figure(("Sister Ode", "Ode"), ("sister",), "she"),
)


def play(case: CastCase) -> tuple[set[int], set[int], set[int]]:
    """Return who is here, who sleeps and who is out of earshot after the lines of a case."""
    reader = CastReader(FIGURES, ("Mara",), ("Boat Sheds",))
    present = {PEOPLE[name] for name in case.here.split()}
    senseless, out_of_earshot, left_behind, dead = set[int](), set[int](), set[int](), set[int]()
    gone = set[int]()
    for line in case.lines:
        groups = (present, senseless, out_of_earshot, left_behind, gone - present, dead)
        state = CastState(*map(frozenset, groups))
        for move, number in reader.read(line.lstrip("> "), state, is_gm=line.startswith(">")):
            for group in (senseless, out_of_earshot, left_behind):
                group.discard(number)
            present.add(number)
            if move is CastMove.LEAVES:
                gone.add(number)
            match move:
                case CastMove.LEAVES | CastMove.STAYS_BEHIND | CastMove.DIES:
                    present.discard(number)
                    {CastMove.STAYS_BEHIND: left_behind, CastMove.DIES: dead}.get(move, set()).add(number)
                case CastMove.FALLS_ASLEEP:
                    senseless.add(number)
                case CastMove.GOES_OUT_OF_EARSHOT:
                    out_of_earshot.add(number)
                case CastMove.COMES | CastMove.WAKES:
                    pass
    return present, senseless, out_of_earshot


@pytest.mark.parametrize("case", CAST_CASES, ids=lambda case: " / ".join(case.lines))
def test_cast_reader_moves_whom_the_words_move(case: CastCase) -> None:
    changes = {PEOPLE[change[1:]]: change[0] for change in case.changes.split()}
    before = {PEOPLE[name] for name in case.here.split()}
    present, senseless, out_of_earshot = play(case)
    assert present == (before | {n for n, sign in changes.items() if sign == "+"}) - {
        n for n, sign in changes.items() if sign == "-"
    }
    assert senseless == {n for n, sign in changes.items() if sign == "z"}
    assert out_of_earshot == {n for n, sign in changes.items() if sign == "~"}
