"""Files of tests that `-m` leaves out as a whole: they are not even imported, which takes seconds in each process."""

from __future__ import annotations

import re
from pathlib import Path

_FILE_MARKS = re.compile(r"^pytestmark = (?:\[$.*?^\]|[^\n]*)", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"pytest\.mark\.(\w+)")
_LEFT_OUT = re.compile(r"\bnot (\w+)")


def is_left_out(path: Path, asked: str) -> bool:
    """Say whether each test of a file has a mark that the words behind `-m` leave out, as in "not slow"."""
    if "or not" in asked:
        return False
    left_out = _LEFT_OUT.findall(asked)
    statement = _FILE_MARKS.search(path.read_text(encoding="utf-8")) if left_out else None
    return statement is not None and not set(left_out).isdisjoint(_MARK.findall(statement[0]))
