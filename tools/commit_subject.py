"""Check a commit message's first line: `area: imperative summary`, at most 72 characters (a commit-msg hook)."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

MAX_LENGTH: Final = 72
_SUBJECT_PATTERN: Final = re.compile(r"[a-z][a-z0-9_/, -]*: \S.*")


def find_problem(subject: str) -> str:
    """Return what is wrong with a commit's subject; empty if nothing is."""
    if subject.startswith(("Merge ", "Revert ")):
        return ""
    if len(subject) > MAX_LENGTH:
        return f"The subject has {len(subject)} characters; {MAX_LENGTH} is the most."
    if not _SUBJECT_PATTERN.fullmatch(subject):
        return "The subject has the form `area: imperative summary`."
    return ""


def main(arguments: list[str]) -> int:
    """Check the message in the file that git names; returns the exit code."""
    subject = Path(arguments[0]).read_text(encoding="utf-8").split("\n", 1)[0]
    if problem_text := find_problem(subject):
        sys.stderr.write(f"{problem_text}\n")
    return 1 if problem_text else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
