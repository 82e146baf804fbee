"""The documents of a world, a row each: title, state, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.count_words import count_noun
from agents.ingest.ladder.ladder_metrics import STAGE_WORDS
from agents.views.ingest_views import IngestProgress, SourceView
from stores.records.sources import SourceState
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, wrap
from widgets.single_keys import SingleKeys

BAR_CELLS: Final = 20

_STATE_SIGNS: Final = {
    SourceState.WAITING: ("·", Ink.MUTED),
    SourceState.READING: ("»", Ink.GM),
    SourceState.PAUSED: ("‖", Ink.WARN),
    SourceState.DONE: ("✓", Ink.GOOD),
    SourceState.FAILED: ("!", Ink.BAD),
    SourceState.CANCELLED: ("✗", Ink.MUTED),
    SourceState.WITHDRAWN: ("✗", Ink.MUTED),
}
_WAITING_SIGN: Final = ("?", Ink.WARN)
_STATE_WORDS: Final = {
    SourceState.WAITING: "waits to be read",
    SourceState.READING: "being read",
    SourceState.PAUSED: "paused",
    SourceState.DONE: "read",
    SourceState.FAILED: "could not be read",
    SourceState.CANCELLED: "stopped",
    SourceState.WITHDRAWN: "withdrawn",
}
WAITS_FOR_MODEL: Final = "waits for its model"
_MODEL_HINT: Final = (
    "It is asked again each minute. M reads on without it, by plain rules, and costs nothing."
)
_STATE_HINTS: Final = {
    SourceState.PAUSED: "What was read is kept. H goes on.",
    SourceState.FAILED: "What was read is kept. H tries again, N takes another file, Ctrl+X gives it up.",
    SourceState.CANCELLED: "R brings it back.",
    SourceState.WITHDRAWN: "Its text is in no search and in no prompt. R brings it back.",
}
"""What can be done with a document that is not read."""


class SourceList(RowList[SourceView], SingleKeys):
    """Documents by row; Enter opens the review of one."""

    HELP_TITLE: ClassVar[str] = "Documents"
    HELP_TEXT: ClassVar[str] = (
        "✓ read, » being read, ? waits for its model, ‖ paused, ! could not be read, ✗ withdrawn or stopped. What a "
        "document says is proposed in its review, and is true only once you accept it there; the review never fills "
        "the gate of play."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "review",
            "Review",
            id="sources.review",
            tooltip="Decide on what it says",
            key_display="⏎",
        ),
    ]

    class Moved(Message):
        """The cursor is on another document."""

    class ReviewRequested(Message):
        """The review of the document under the cursor is to be opened."""

    def show_sources(self, sources: Sequence[SourceView]) -> None:
        """Show these; the cursor stays on its document."""
        self.set_rows([ListRow(s.source.id, partial(_row_lines, s), s, height=2) for s in sources])

    def row_highlighted(self, value: SourceView | None) -> None:
        self.post_message(self.Moved())

    def row_chosen(self, value: SourceView) -> None:
        self.action_review()

    def action_review(self) -> None:
        self.post_message(self.ReviewRequested())


def _row_lines(view: SourceView, width: int) -> Sequence[Line]:
    sign, ink = _WAITING_SIGN if view.progress.waits_for_model else _STATE_SIGNS[view.state]
    return [
        [(f" {sign} ", ink), (ellipsise(one_line(view.source.title), width - 4), Ink.STRONG)],
        [("   ", Ink.PROSE), (ellipsise(_summary(view), width - 4), Ink.MUTED)],
    ]


def _summary(view: SourceView) -> str:
    parts = [_state_words(view.progress)]
    if view.progress.waits_for_model:
        parts = [f"{parts[0]}: {one_line(view.progress.error).rstrip('.')}"]
    if view.progress.page_count:
        parts.append(count_noun(view.progress.page_count, "page"))
    if view.open_count:
        parts.append(f"{view.open_count:,} to review")
    if view.fact_count or view.entity_count:
        parts.append(f"{view.fact_count + view.entity_count:,} in canon")
    return " · ".join(parts)


def _state_words(progress: IngestProgress) -> str:
    """Return the state in words; what was begun and goes on is being read, though the next of it waits its turn."""
    if progress.waits_for_model:
        return WAITS_FOR_MODEL
    is_begun = progress.state is SourceState.WAITING and progress.page_count is not None
    return _STATE_WORDS[SourceState.READING if is_begun else progress.state]


def describe_source(view: SourceView, width: int) -> list[Line]:
    """Return how far a document is, how it was read, what rests on it, and what was left out."""
    progress = view.progress
    lines: list[Line] = [[(part, Ink.STRONG)] for part in wrap(one_line(view.source.title), width)]
    if view.source.file_name and view.source.file_name != view.source.title:
        lines += _muted(view.source.file_name, width)
    lines += _muted(_edition_text(view), width)
    lines.append([])
    if progress.error:
        ink = Ink.WARN if progress.waits_for_model else Ink.BAD
        lines += [[(part, ink)] for part in wrap(one_line(progress.error), width)]
    if progress.waits_for_model or not progress.error:
        lines += progress_lines(progress, width)
    if hint := _MODEL_HINT if progress.waits_for_model else _STATE_HINTS.get(view.state, ""):
        lines += _muted(hint, width)
    lines.append([])
    for text in _count_texts(view):
        lines += [[(part, Ink.PROSE)] for part in wrap(text, width)]
    for note in view.source.notes:
        lines += _muted(f"· {one_line(note)}", width)
    return lines


def _count_texts(view: SourceView) -> list[str]:
    """Return what came of the proposals, and what in canon rests on the document: as the review counts them."""
    decided = f", {view.decided_count:,} of them decided" if view.decided_count else ""
    texts = (
        (view.open_count, f"{view.open_count:,} open in its review{decided}"),
        (view.accepted_count, f"{view.accepted_count:,} accepted and committed"),
        (view.rejected_count, f"{view.rejected_count:,} rejected"),
        (
            view.entity_count + view.fact_count,
            f"in canon: {count_noun(view.fact_count, 'fact')}, and {view.entity_count:,} named "
            "(people, places, things)",
        ),
    )
    return [text for count, text in texts if count]


def progress_lines(progress: IngestProgress, width: int) -> list[Line]:
    """Return a bar of pages, one of passages, and what served the passages."""
    lines: list[Line] = []
    if progress.page_count:
        pages_read = progress.pages_read - progress.pictures_left
        lines += _bar("page", "read", max(0, pages_read), progress.page_count, width)
    if progress.pictures_left:
        lines += _muted(f"{count_noun(progress.pictures_left, 'scanned page')} left for the model", width)
    if progress.chunk_count:
        lines += _bar("passage", "searched for facts", progress.served_count, progress.chunk_count, width)
    stages = [f"{count:,} {STAGE_WORDS[stage]}" for stage, count in progress.by_stage if count]
    if stages:
        lines += _muted(", ".join(stages), width)
    return lines or _muted(_state_words(progress), width)


def _bar(noun: str, what: str, done: int, total: int, width: int) -> list[Line]:
    text = f"{done:,} of {count_noun(total, noun)} {what}"
    if done >= total:
        return _muted(text, width)
    filled = BAR_CELLS * done // total
    bar: Line = [("█" * filled, Ink.GOOD), ("░" * (BAR_CELLS - filled), Ink.MUTED)]
    return [bar, *_muted(text, width)]


def _edition_text(view: SourceView) -> str:
    edition = f"edition {view.source.edition}" if view.source.edition > 1 else ""
    day = view.source.recorded_at.date().isoformat()
    return " · ".join(filter(None, (_state_words(view.progress), f"since {day}", edition)))


def _muted(text: str, width: int) -> list[Line]:
    return [[(part, Ink.MUTED)] for part in wrap(one_line(text), width)]
