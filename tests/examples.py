"""How much is tried by default of a search or a table of cases; all of it in `make test-slow`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

import pytest

WHOLE: Final = bool(os.environ.get("MONITOR_TEST_WHOLE"))
"""Set by `make test-slow`, which CI runs too."""


def examples(whole: int, quick: int | None = None) -> int:
    """Return how many to try: `whole`, or by default `quick` (else a fifth of it) of them.

    Where it is no argument of Hypothesis's, the test carries the marker `whole`.
    """
    return whole if WHOLE else quick or max(10, whole // 5)


def first_few(cases: Iterable[object], quick: int = 4) -> list[object]:
    """Return the cases of a parametrized test; those after the first `quick` wait for `make test-slow`."""
    return [case if n < quick else _mark_slow(case) for n, case in enumerate(cases)]


def _mark_slow(case: object) -> object:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
