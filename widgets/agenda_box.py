"""A box of clocks, tracks and open threads: what drives the story on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.content import Content
from textual.widgets import Static

from agents.clock_faces import CLOCK_SIGN, format_clock, format_track
from agents.views.scene_views import SceneView, ThreadView
from stores.records.clocks import ProgressClock
from widgets.promise_words import PROMISE_LABEL, put_promise_first
from widgets.safe_text import content, one_line
from widgets.static_content import show_content

MAX_ROWS, MAX_ROWS_LOW = 10, 4
LOW_SCREEN_LINES = 30
"""A terminal with fewer lines gets fewer rows."""
WEIGHT_SIGN = "•"


def agenda_lines(
    threads: Sequence[ThreadView], clocks: Sequence[ProgressClock], tracks: Sequence[ProgressClock], rows: int
) -> Content:
    """Return at most `rows` lines.

    The clock with the fewest steps left first, then tracks, then threads by weight.
    """
    lines = [
        *_clock_lines(clocks),
        *map(_track_line, tracks),
        *map(_thread_line, sorted(threads, key=_heaviest_first)),
    ]
    if len(lines) > rows:
        more = len(lines) - rows + 1
        lines = [*lines[: rows - 1], content(f"… and {more} more: /thread, /clock, /track", "$text-muted")]
    return Content("\n").join(lines)


def _clock_lines(clocks: Sequence[ProgressClock]) -> Iterator[Content]:
    for clock in sorted(clocks, key=lambda clock: clock.size - clock.filled):
        is_nearly_full = clock.size - clock.filled <= 1
        per_scene_text = f"  {clock.per_scene:+d} each scene" if clock.per_scene else ""
        yield Content.assemble(
            (f"{CLOCK_SIGN} ", "$text-muted"),
            (one_line(clock.name), "bold"),
            (f" {format_clock(clock)}", "$text-warning" if is_nearly_full else ""),
            (per_scene_text, "$text-muted"),
        )


def _track_line(track: ProgressClock) -> Content:
    return Content.assemble(("▸ ", "$text-muted"), (one_line(track.name), "bold"), f" {format_track(track)}")


def _thread_line(thread: ThreadView) -> Content:
    kind = f"{thread.kind}: " if thread.kind else ""
    proposed_note = "  proposed" if thread.is_proposed else ""
    name = put_promise_first(thread.name) if thread.kind == PROMISE_LABEL else thread.name
    return Content.assemble(
        (f"{thread.number} ", "$text-muted"),
        (WEIGHT_SIGN * thread.weight + " ", "$text-accent"),
        (kind, "$text-muted"),
        one_line(name),
        (proposed_note, "italic $text-muted"),
    )


def _heaviest_first(thread: ThreadView) -> tuple[int, int]:
    return -thread.weight, thread.number


class AgendaBox(Static):
    """Clocks, tracks and open threads; a thread's number is what `/thread` takes."""

    HELP_TITLE: ClassVar[str] = "Threads"
    HELP_TEXT: ClassVar[str] = (
        f"What is open in the story. {CLOCK_SIGN} a clock with its filled steps, ▸ a progress track; then the threads "
        "with their numbers, ••• the heaviest. Promises, debts and questions are added by themselves.\n"
        "Use /thread, /clock and /track."
    )
    DEFAULT_CSS = """
    AgendaBox {
        height: auto;
        padding: 0 1;
        color: $foreground;
        background: $background;
        border: round $border-blurred;
        border-title-color: $text-muted;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """
    BORDER_TITLE = "threads"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(markup=False, id=id, classes=classes)
        self._view: SceneView | None = None

    def show(self, view: SceneView) -> None:
        """Show what is open in the scene."""
        self._view = view
        self._redraw()

    def on_resize(self) -> None:
        self._redraw()

    def _redraw(self) -> None:
        view = self._view
        if view is None:
            return
        rows = MAX_ROWS_LOW if self.screen.size.height < LOW_SCREEN_LINES else MAX_ROWS
        has_rows = bool(view.threads or view.clocks or view.tracks)
        self.border_title = f"threads {len(view.threads)}" if view.threads else "threads"
        show_content(
            self,
            agenda_lines(view.threads, view.clocks, view.tracks, rows)
            if has_rows
            else content("Nothing open. Add with /thread or /clock.", "$text-muted"),
        )
