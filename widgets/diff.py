"""What a proposed change would do to canon, line by line: each thing before and after. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from widgets.ink import Ink, Line
from widgets.safe_text import one_line, plain, wrap

ABSENT = "—"
"""How the CanonKeeper says that a thing was not there before, or will not be after."""
_SHORT = 24
"""Values up to this many cells stand side by side."""


def diff_lines(diff: Sequence[tuple[str, str, str]], width: int) -> Iterator[Line]:
    """Yield a line for each short change, and minus and plus lines for long ones."""
    for what, before, after in diff:
        before, after = ("" if value == ABSENT else value for value in (before, after))
        short = max(cell_len(before), cell_len(after)) <= _SHORT and "\n" not in before + after
        line = _side_by_side(one_line(what), one_line(before), one_line(after))
        if short and sum(cell_len(text) for text, _ in line) <= width:
            yield line
            continue
        yield [(one_line(what)[:width], Ink.STRONG)]
        yield from _signed("−", before, Ink.BAD, width)
        yield from _signed("+", after, Ink.GOOD, width)


def _signed(sign: str, text: str, ink: Ink, width: int) -> Iterator[Line]:
    for number, part in enumerate(wrap(plain(text), width - 4) if text else ()):
        yield [(f"  {sign} {part}" if number == 0 else f"    {part}", ink)]


def _side_by_side(what: str, before: str, after: str) -> Line:
    if not before:
        return [(f"{what}  ", Ink.STRONG), (f"+ {after}", Ink.GOOD)]
    if not after:
        return [(f"{what}  ", Ink.STRONG), (f"− {before}", Ink.BAD)]
    return [(f"{what}  ", Ink.STRONG), (before, Ink.BAD), (" → ", Ink.MUTED), (after, Ink.GOOD)]
