"""What a proposed change would do to canon, line by line: each thing before and after. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from widgets.ink import Ink, Line
from widgets.safe_text import one_line, plain_text, wrap

ABSENT_VALUE = "—"
"""How the CanonKeeper writes a value that does not exist before or after."""
_MAX_SHORT_CELLS = 24
"""Values up to this many cells stand side by side."""


def diff_lines(diff: Sequence[tuple[str, str, str]], width: int) -> Iterator[Line]:
    """Yield a line for each short change, and minus and plus lines for long ones."""
    for subject, before, after in diff:
        before, after = ("" if value == ABSENT_VALUE else value for value in (before, after))
        is_short = max(cell_len(before), cell_len(after)) <= _MAX_SHORT_CELLS and "\n" not in before + after
        line = _side_by_side(one_line(subject), one_line(before), one_line(after))
        if is_short and sum(cell_len(text) for text, _ in line) <= width:
            yield line
            continue
        yield [(one_line(subject)[:width], Ink.STRONG)]
        yield from _signed_lines("−", before, Ink.BAD, width)
        yield from _signed_lines("+", after, Ink.GOOD, width)


def _signed_lines(sign: str, text: str, ink: Ink, width: int) -> Iterator[Line]:
    for number, part in enumerate(wrap(plain_text(text), width - 4) if text else ()):
        yield [(f"  {sign} {part}" if number == 0 else f"    {part}", ink)]


def _side_by_side(subject: str, before: str, after: str) -> Line:
    if not before:
        return [(f"{subject}  ", Ink.STRONG), (f"+ {after}", Ink.GOOD)]
    if not after:
        return [(f"{subject}  ", Ink.STRONG), (f"− {before}", Ink.BAD)]
    return [(f"{subject}  ", Ink.STRONG), (before, Ink.BAD), (" → ", Ink.MUTED), (after, Ink.GOOD)]
