"""Says in the player's words why a loop cannot do something, and what to do instead. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from stores.errors import IllegalTransition
from stores.records.workflow import Loop

_NOTHING_CHANGED: Final = "Nothing was changed."

_DEED_WORDS: Final[Mapping[Loop, Mapping[str, str]]] = MappingProxyType(
    {
        Loop.SCENE: {
            "load_context": "This scene cannot be opened",
            "user_turn": "Nothing can be played in this scene",
            "critical_event": "Nothing of this scene can be made canon now",
            "goal_met": "This scene cannot be ended",
            "end": "This scene cannot be ended",
            "reopen": "This scene cannot be reopened",
            "canon_written": "This scene cannot be closed",
            "write_failed": "This scene cannot be closed",
            "retry": "This scene cannot be written again",
            "take_back_end": "The end of this scene cannot be taken back",
            "unload": "This scene cannot be taken back",
        },
        Loop.STORY: {
            "begin": "This story cannot be begun",
            "complete": "This story cannot be finished",
            "abandon": "This story cannot be abandoned",
        },
    }
)
"""What cannot be done, by the event that would do it."""

_SITUATION_WORDS: Final[Mapping[Loop, Mapping[str, str]]] = MappingProxyType(
    {
        Loop.SCENE: {
            "created": "it has not begun yet",
            "active": "it is being played",
            "finalizing": "it is at its gate",
            "failed": "it could not be written at its gate",
            "completed": "it is over",
        },
        Loop.STORY: {
            "created": "it has not begun yet",
            "active": "it is being played",
            "completed": "it is finished",
            "abandoned": "it was abandoned",
        },
    }
)
"""Where the loop stands, by its state."""

_ADVICE: Final[Mapping[Loop, Mapping[str, str]]] = MappingProxyType(
    {
        Loop.SCENE: {
            "created": "Continue opens it.",
            "active": (
                "Ctrl+Z takes back what was done last and, with nothing left in this scene, the end of the one before. "
                "/map branches from an earlier scene."
            ),
            "finalizing": "Enter at the gate ends it; /reopen goes back to play.",
            "failed": "Enter at the gate writes it again; /reopen goes back to play.",
            "completed": (
                "Ctrl+Z takes its end back once all that was done after it is undone; /map branches from it."
            ),
        },
        Loop.STORY: {
            "created": "Continue opens it.",
            "active": "Continue goes on where play stands.",
            "completed": "Start another story in its universe.",
            "abandoned": "Start another story in its universe.",
        },
    }
)

_UNEXPECTED: Final[Mapping[Loop, tuple[str, str]]] = MappingProxyType(
    {
        Loop.MAIN: ("That cannot be done from here.", "Esc goes back to the menu."),
        Loop.TURN: ("That line was played already, or was given up.", "Type it again to play it."),
    }
)
"""What is said of the loops that no key and no command names."""


def describe_situation(loop: Loop, state: str) -> str:
    """Return where the loop stands: "it is at its gate"."""
    return _SITUATION_WORDS[loop][state]


def advise(loop: Loop, state: str) -> str:
    """Return what the player can do where the loop stands."""
    return _ADVICE[loop][state]


def build_refusal(loop: Loop, state: str, event: str) -> IllegalTransition:
    """Return the error that says why the loop cannot do what `event` stands for from `state`."""
    if loop in _UNEXPECTED:
        what, todo = _UNEXPECTED[loop]
        return IllegalTransition(what, kept=_NOTHING_CHANGED, todo=todo)
    return IllegalTransition(
        f"{_DEED_WORDS[loop][event]}: {describe_situation(loop, state)}.",
        kept=_NOTHING_CHANGED,
        todo=advise(loop, state),
    )
