"""Groups the words on a page of a PDF into lines, and joins them with spaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.ingest.documents.child.pdf_runs import CELL_GAP, TextRun

WORD_GAP: Final = 0.12
"""Distance of two words on a line from which a space is between them, in parts of the size of the letters."""

LEADER: Final = re.compile(r"(?:\s*\.){5,}\s*")
"""The dots between an entry of a table of contents and its page."""


@dataclass(slots=True)
class Line:
    runs: list[TextRun] = field(default_factory=list)

    @property
    def x(self) -> float:
        return self.runs[0].x

    @property
    def y(self) -> float:
        return self.runs[0].y

    @property
    def size(self) -> float:
        """The size of most of its letters."""
        return max(self.runs, key=lambda run: len(run.text)).size

    @property
    def is_bold(self) -> bool:
        return all(run.is_bold for run in self.runs if run.text.strip())

    def takes(self, run: TextRun) -> bool:
        last = self.runs[-1]
        return abs(run.y - self.y) < 0.5 * max(run.size, last.size) and run.x > last.end - run.size

    def cells(self) -> list[list[TextRun]]:
        """Return the runs in groups that stand clearly apart."""
        groups = [[self.runs[0]]]
        for run in self.runs[1:]:
            last = groups[-1][-1]
            if run.x - last.end > CELL_GAP * max(run.size, last.size):
                groups.append([run])
            else:
                groups[-1].append(run)
        return groups

    def plain_text(self) -> str:
        return join_runs(self.runs)


def group_lines(
    runs: Sequence[TextRun], table_of: Callable[[TextRun], object] = lambda run: None
) -> list[Line]:
    """Return the lines of runs in reading order; what stands in a table shares no line with what does not."""
    lines: list[Line] = []
    for run in runs:
        if not run.text.strip():
            continue
        if lines and lines[-1].takes(run) and table_of(lines[-1].runs[0]) is table_of(run):
            lines[-1].runs.append(run)
        else:
            lines.append(Line([run]))
    return lines


def join_runs(runs: Sequence[TextRun]) -> str:
    return LEADER.sub(" … ", "".join(space_runs(runs)).strip())


def space_runs(runs: Sequence[TextRun]) -> Iterator[str]:
    """Yield the text of each run, with a space before it where it stands apart from the one before."""
    last: TextRun | None = None
    for run in runs:
        is_apart = last is not None and run.x - last.end > WORD_GAP * run.size
        yield f" {run.text}" if is_apart else run.text
        last = run
