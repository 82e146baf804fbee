"""Tests that a narrow row says what is promised first."""

from __future__ import annotations

import pytest

from agents.views.scene_views import ThreadView
from widgets.agenda_box import agenda_lines
from widgets.promise_words import put_promise_first


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Mara promised Tam: “I'll wait.”", "“I'll wait.” (Mara, to Tam)"),
        ("Mara promised: “I'll wait.”", "“I'll wait.” (Mara)"),
        ("Mara Venn promised Old Tam to mend the net.", "to mend the net. (Mara Venn, to Old Tam)"),
        ("Mara promised to mend the net.", "to mend the net. (Mara)"),
        ("Tam promised Mara that he will wait.", "that he will wait. (Tam, to Mara)"),
        ("Mara owes Tam three coins.", "Mara owes Tam three coins."),
        ("The promised land is far.", "The promised land is far."),
    ],
)
def test_promise_is_shown_before_who_made_it(title: str, shown: str) -> None:
    assert put_promise_first(title) == shown


def test_threads_say_first_what_is_promised() -> None:
    threads = [
        ThreadView("a", 1, "Corrie Blackwood promised Tam: “I'll pay you back.”", kind="promise"),
        ThreadView("b", 2, "Corrie Blackwood promised Tam: “I won't tell.”", kind="promise"),
        ThreadView("c", 3, "Corrie Blackwood promised herself a rest."),
    ]
    lines = agenda_lines(threads, (), (), 10).plain.splitlines()
    assert [line.partition("• ")[2][:24] for line in lines] == [
        "promise: “I'll pay you b",
        "promise: “I won't tell.”",
        "Corrie Blackwood promise",
    ]
