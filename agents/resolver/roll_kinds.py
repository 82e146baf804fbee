"""Lists the kinds of roll, for the parser, the help and the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

RollKind = Literal[
    "check", "move", "roll", "oracle", "howmuch", "react", "spark", "table", "event", "start", "track"
]
"""The stored name of a kind of roll; all but `start` and `track` are also the command for it."""


@dataclass(frozen=True, slots=True)
class RollRules:
    """The rules for rolls of one kind."""

    method: Literal["check", "dice", "draw"]
    """How it is resolved: against a target, as plain dice, or as a draw of chance."""
    usage: str = ""
    """How it is typed; empty for a roll that another command makes."""
    summary: str = ""
    needs_argument: bool = False
    ends_prose: bool = False
    """Whether it may stand at the end of the player's words, and is narrated with them."""
    is_act: bool = False
    """Whether it is an act of the player by itself, which a model narrates."""
    program_draws: bool = False
    """Whether the program throws the dice even if the player throws all others: those of an event depend on
    each other, and a table may need dice that nobody owns."""


ROLL_KINDS: Mapping[RollKind, RollRules] = MappingProxyType(
    {
        "check": RollRules(
            "check",
            "/check 2d6+1 vs 9; success: NAME.hp -3",
            "Roll against a target; effects are optional",
            ends_prose=True,
            is_act=True,
        ),
        "move": RollRules(
            "check",
            "/move strike NAME",
            "A named move of the story's rules; alone it lists them",
            ends_prose=True,
            is_act=True,
        ),
        "roll": RollRules(
            "dice",
            "/roll 2d6+1  (= 5 4: your own dice)",
            "Roll dice",
            needs_argument=True,
            ends_prose=True,
        ),
        "oracle": RollRules(
            "draw",
            "/oracle likely: Is it locked?  (or ? ...)",
            "Ask a yes-or-no question",
            needs_argument=True,
        ),
        "howmuch": RollRules("draw", "/howmuch +1", "How much of it there is, from -3 (little) to +3 (much)"),
        "react": RollRules(
            "draw", "/react NAME", "How someone reacts to your character", needs_argument=True
        ),
        "spark": RollRules(
            "draw",
            "/spark",
            "Two words for ideas; /spark TABLE draws from a table",
            program_draws=True,
        ),
        "table": RollRules(
            "draw",
            "/table NAME",
            "Roll on a table of this world or your own; alone it lists them",
            program_draws=True,
        ),
        "event": RollRules(
            "draw",
            "/event",
            "A random event about your own people, places and open matters",
            program_draws=True,
        ),
        "start": RollRules("draw"),
        "track": RollRules("draw"),
    }
)

assert set(ROLL_KINDS) == set(get_args(RollKind))

CHECK_KINDS: frozenset[str] = frozenset(k for k, rules in ROLL_KINDS.items() if rules.method == "check")
DRAW_KINDS: frozenset[str] = frozenset(k for k, rules in ROLL_KINDS.items() if rules.method == "draw")
PROGRAM_DRAWN_KINDS: frozenset[str] = frozenset(k for k, rules in ROLL_KINDS.items() if rules.program_draws)
PROSE_KINDS: frozenset[str] = frozenset(k for k, rules in ROLL_KINDS.items() if rules.ends_prose)
ACT_KINDS: frozenset[str] = frozenset(k for k, rules in ROLL_KINDS.items() if rules.is_act)
TYPED_KINDS: Mapping[str, RollKind] = MappingProxyType(
    {k: k for k, rules in ROLL_KINDS.items() if rules.usage}
)
"""The kinds that a command of the same name makes."""
