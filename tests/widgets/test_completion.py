"""What Tab may put in, and what the hint says."""

from __future__ import annotations

import pytest

from agents.views.replies import CommandHelp
from tests.widgets.samples import COMMANDS, NAMES
from widgets.completion import Completer

COMPLETER = Completer(COMMANDS, NAMES, ("salt_weather", "omens"))


@pytest.mark.parametrize(
    ("typed", "candidates"),
    [
        ("/c", ["/check ", "/commit "]),
        ("/C", ["/check ", "/commit "]),
        ("/undo", ["/undo "]),
        ("/check m", []),
        ("/zz", []),
        ("/table ", ["/table salt_weather", "/table omens"]),
        ("/table W", ["/table salt_weather"]),
        ("/spark om", ["/spark omens"]),
        ("/table = 4", []),
        ("@ma", ["Mara Vey"]),
        ("I ask @o", ["I ask Oss"]),
        ("I ask @anh", ["I ask Sister Anhelm"]),
        ('"@si', ['"Sister Anhelm']),
        ("I ask @", [f"I ask {name}" for name in NAMES]),
        ("mail me@o", []),
        ("plain words", []),
        ("", []),
    ],
)
def test_candidates(typed: str, candidates: list[str]) -> None:
    assert COMPLETER.candidates(typed) == candidates


def test_commands_begin_the_first_line_only() -> None:
    assert COMPLETER.candidates("/c", first_line=False) == []


@pytest.mark.parametrize(
    ("typed", "usage"),
    [
        ("/check", "/check STAT TARGET  roll a stat against a target"),
        ("/check might 9", "/check STAT TARGET  roll a stat against a target"),
        ("/c", "/check  /commit"),
        ("/zz", ""),
        ("/c might", ""),
        ("words", ""),
    ],
)
def test_usage(typed: str, usage: str) -> None:
    assert COMPLETER.usage(typed) == usage


def test_names_may_come_with_their_slash() -> None:
    assert Completer((CommandHelp("/roll", "/roll 2d6", "roll", True),)).candidates("/r") == ["/roll "]
