"""The commit-msg hook's rule."""

from __future__ import annotations

import pytest

from tools.commit_subject import MAX_LENGTH, find_problem


@pytest.mark.parametrize("subject", ["play: load one context a line", "docs, tests: say it once", "Merge x"])
def test_commit_subject_accepts_area_and_summary(subject: str) -> None:
    assert find_problem(subject) == ""


@pytest.mark.parametrize("subject", ["Keep a line to its length", "play:", "play: " + "x" * MAX_LENGTH, ""])
def test_commit_subject_rejects_other_forms(subject: str) -> None:
    assert find_problem(subject)
