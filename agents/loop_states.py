"""Says which state a loop is in by its last transition. Pure, and without the charts, which the menu does not need."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from stores.records.workflow import Loop, Transition

_INITIAL_STATES: Final[Mapping[Loop, str]] = MappingProxyType(
    {Loop.MAIN: "idle", Loop.STORY: "created", Loop.SCENE: "created", Loop.TURN: "received"}
)


def initial_state(loop: Loop) -> str:
    """Return the first state of the loop."""
    return _INITIAL_STATES[loop]


def state_after(loop: Loop, last_transition: Transition | None) -> str:
    """Return the state that this transition leads to; the initial state for None."""
    return last_transition.target if last_transition else initial_state(loop)
