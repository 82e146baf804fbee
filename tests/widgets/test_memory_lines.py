"""What a memory on the Characters screen says of the truth beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.views.character_views import MemoryView
from stores.records.canon import Standing
from tests.contract import builders as make
from widgets.character_pane import memory_lines

WORDS = "Emmet Crane died at Michaelmas."
VIEW = MemoryView(make.memory(make.entity("Dace"), WORDS), 1.0)


@pytest.mark.parametrize(
    ("view", "verdict"),
    [
        (VIEW, "? not in canon"),
        (replace(VIEW, canon_statement=WORDS, agrees_with_canon=True), "✓ canon agrees"),
        (
            replace(VIEW, canon_statement="Emmet lives.", agrees_with_canon=False),
            "× canon says otherwise: Emmet lives.",
        ),
        (
            replace(VIEW, canon_statement=WORDS, agrees_with_canon=False, is_never_true=True),
            "× retconned: never true",
        ),
        (
            replace(VIEW, canon_statement="Emmet never died.", agrees_with_canon=False, is_never_true=True),
            "× retconned: never true: Emmet never died.",
        ),
        (
            replace(VIEW, canon_statement=WORDS, agrees_with_canon=False, canon_standing=Standing.LIE),
            "× canon has it as a lie",
        ),
        (replace(VIEW, canon_statement=WORDS, canon_standing=Standing.RUMOUR), "? canon has it as a rumour"),
        (
            replace(VIEW, canon_statement="Kept: I pay Dace.", agrees_with_canon=False, is_settled=True),
            "✓ settled since: Kept: I pay Dace.",
        ),
    ],
)
def test_memory_says_how_canon_has_it(view: MemoryView, verdict: str) -> None:
    lines = ["".join(text for text, _ in line).strip() for line in memory_lines(view, 80)]
    assert verdict in lines
