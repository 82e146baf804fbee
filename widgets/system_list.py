"""How the program itself stands, by row: storage, background work, failed jobs, loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.jobs.job_status import BackgroundView
from agents.telemetry.figures import FigureRow
from stores.records.jobs import Job, JobKind
from widgets.ink import Ink, Line
from widgets.loop_chart import LoopPosition, draw_loop
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import one_line, pad, wrap

NameValuePairs = Sequence[tuple[str, str]]

Figures = Sequence[tuple[str, Sequence[FigureRow]]]
"""Rows of figures under their headings."""

_AIM_SIGNS = {None: ("·", Ink.MUTED), True: ("✓", Ink.GOOD), False: ("!", Ink.WARN)}

NAME_CELLS = 26
WELL_STATES = ("ok", "ready", "open")

JOB_LABELS = {
    JobKind.INDEX: "Word index of",
    JobKind.EMBED: "Meaning index of",
    JobKind.REMEMBER: "Memories of",
    JobKind.SUMMARISE: "Summary of",
    JobKind.ARCHIVE: "Archive of",
    JobKind.DOUBT: "Model's doubts of",
    JobKind.RECORD: "Record of the narrations in",
    JobKind.EXTRACT: "Model's reading of your prose in",
    JobKind.IMPORT: "Import of",
    JobKind.INGEST: "Reading of",
    JobKind.ENRICH: "Model's reading of",
}

FURTHER_HELP = (
    "Bill and budgets: b. Model settings: m. X-ray, why a turn says what it says: F6 in a scene.",
    "`monitor doctor` checks the whole library, `monitor backup` copies it, `monitor reindex` rebuilds the "
    "search indexes. The embedding model is set under [embedding] in settings.toml.",
)


class SystemList(RowList[Job]):
    """The cursor stands on failed jobs, which can be tried again."""

    HELP_TITLE: ClassVar[str] = "System"
    HELP_TEXT: ClassVar[str] = (
        "The state of storage and of background work: search indexes, memories. Play never waits for it. A "
        "job that failed five times stops here until you try it again. Below: how fast MONITOR has been since it "
        "was opened, beside what it aims at, what failed, and where its loops stand."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "retry", "Try again", id="system.retry", tooltip="Try this job again"),
    ]

    @dataclass
    class RetryRequested(Message):
        job: Job

    def show_system(
        self,
        health: NameValuePairs,
        background: BackgroundView,
        documents: NameValuePairs,
        figures: Figures,
        loops: Sequence[LoopPosition],
        notes: Sequence[str],
    ) -> None:
        """Show these; `documents` says how their passages were served."""
        self.set_rows(list(_system_rows(health, background, documents, figures, loops, notes)))

    def row_highlighted(self, value: Job | None) -> None:
        self.refresh_bindings()

    def row_chosen(self, value: Job) -> None:
        self.action_retry()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "retry":
            return self.current is not None
        return super().check_action(action, parameters)

    def action_retry(self) -> None:
        if self.current is not None:
            self.post_message(self.RetryRequested(self.current))


def _system_rows(
    health: NameValuePairs,
    background: BackgroundView,
    documents: NameValuePairs,
    figures: Figures,
    loops: Sequence[LoopPosition],
    notes: Sequence[str],
) -> Iterator[ListRow[Job]]:
    yield heading_row("Storage")
    for name, state in health:
        is_well = state in WELL_STATES
        sign, ink = ("✓", Ink.GOOD) if is_well else ("!", Ink.WARN)
        yield ListRow(f"store {name}", partial(_pair_lines, sign, ink, name, "ok" if is_well else state))
    yield heading_row("Background work")
    for name, state in background.rows:
        yield ListRow(f"background {name}", partial(_pair_lines, "·", Ink.MUTED, name, state))
    if background.poisoned:
        yield heading_row("Failed jobs")
        for job in background.poisoned:
            yield ListRow(
                f"job {job.id}", partial(_job_lines, job, background.names.get(job.subject_id, "")), job
            )
    if documents:
        yield heading_row("Reading documents, since MONITOR was opened")
        for name, state in documents:
            yield ListRow(f"documents {name}", partial(_pair_lines, "·", Ink.MUTED, name, state))
    for title, rows in figures:
        yield heading_row(title)
        for row in rows:
            sign, ink = _AIM_SIGNS[row.is_within_aim]
            yield ListRow(f"{title} {row.label}", partial(_pair_lines, sign, ink, row.label, row.value))
    yield heading_row("Loops, and where they stand")
    for position in loops:
        yield ListRow(f"loop {position.loop}", partial(draw_loop, position))
    if notes:
        yield heading_row("Notes")
        for number, note in enumerate(notes):
            yield text_row(f"note {number}", one_line(note), ink=Ink.PROSE)
    yield heading_row("More")
    for number, help_text in enumerate(FURTHER_HELP):
        yield text_row(f"more {number}", help_text)


def _pair_lines(sign: str, ink: Ink, name: str, state: str, width: int) -> Sequence[Line]:
    first, *rest = wrap(one_line(state), max(8, width - NAME_CELLS - 5)) or [""]
    return [
        [(f"  {sign} ", ink), (pad(one_line(name), NAME_CELLS), Ink.STRONG), (first, Ink.PROSE)],
        *([(" " * (NAME_CELLS + 4), Ink.PROSE), (line, Ink.PROSE)] for line in rest),
    ]


def _job_lines(job: Job, name: str, width: int) -> Sequence[Line]:
    job_text = f"{JOB_LABELS[job.kind]} {one_line(name) or 'something that no longer exists'}"
    attempts_text = f"tried {job.attempts} times: {one_line(job.error)}"
    return [
        [("  ! ", Ink.WARN), (line, Ink.STRONG)] if n == 0 else [("    ", Ink.PROSE), (line, Ink.STRONG)]
        for n, line in enumerate(wrap(job_text, width - 5))
    ] + [[("    ", Ink.PROSE), (line, Ink.PROSE)] for line in wrap(attempts_text, width - 5)]
