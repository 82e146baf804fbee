"""The statecharts as text: every state has its box, and the present one is drawn heavier."""

from __future__ import annotations

import pytest

from agents.state_machines import CHARTS, legal_events, read_chart
from stores.records.workflow import Loop
from widgets.loop_chart import LoopPosition, draw_loop


def drawn(loop: Loop, state: str, width: int = 76) -> list[str]:
    return [
        "".join(text for text, _ in line) for line in draw_loop(LoopPosition(loop, "Scene 3", state), width)
    ]


def test_chart_of_a_scene_at_its_gate_lights_it() -> None:
    assert drawn(Loop.SCENE, "finalizing") == [
        "  Scene 3",
        "    ┌─────────┐   ┌────────┐   ┏━━━━━━━━━━━━┓   ┌────────┐   ┌───────────┐",
        "    │ created │◂─▸│ active │◂─▸┃ finalizing ┃◂─▸│ failed │   │ completed │",
        "    └─────────┘   └────────┘   ┗━━━━━━━━━━━━┛   └────────┘   └───────────┘",
        "    from here: reopen, canon written, write failed",
        "    also finalizing → completed: canon written · failed → active: reopen ·",
        "    completed → active: take back end",
    ]


def test_chart_of_the_session_lights_the_mode_inside() -> None:
    lines = "\n".join(drawn(Loop.MAIN, "system"))
    assert "┃ executing ┃" in lines
    assert "▸system◂" in lines
    assert "▸query◂" not in lines


@pytest.mark.parametrize("loop", list(Loop))
def test_chart_shows_every_state_and_every_event_from_each(loop: Loop) -> None:
    for state in read_chart(loop).states:
        lines = "\n".join(drawn(loop, state.name, width=200))
        assert lines.count("┏") == 1
        for name in (*(one.name for one in read_chart(loop).states), *state.inner_names):
            assert name.replace("_", " ") in lines
        for event in legal_events(loop, state.name) if not state.inner_names else ():
            assert event.replace("_", " ") in lines
    assert len(read_chart(loop).states) == len(list(CHARTS[loop].states))


@pytest.mark.parametrize("width", [30, 40, 76, 116])
def test_chart_fits_the_width(width: int) -> None:
    for loop, state in ((Loop.MAIN, "idle"), (Loop.SCENE, "active"), (Loop.TURN, "proposing")):
        assert max(map(len, drawn(loop, state, width))) <= width
