"""How long a search for a counterexample goes on: for a while by default, to its end in `make test-slow`."""

from __future__ import annotations

import os
from typing import Final

WHOLE: Final = bool(os.environ.get("MONITOR_TEST_WHOLE"))
"""Set by `make test-slow`, which CI runs too."""


def examples(whole: int, quick: int | None = None) -> int:
    """Return how many to try: `whole`, or by default `quick` (else a fifth of it) of them.

    Where it is no argument of Hypothesis's, the test carries the marker `whole`.
    """
    return whole if WHOLE else quick or max(10, whole // 5)
