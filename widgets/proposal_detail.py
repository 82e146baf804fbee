"""The details of one proposal: its change, evidence, conflicts, and the reasons for its mark.

Drawn line by line, in a pane of fixed size, so that moving the cursor causes no layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.strip import Strip

from agents.proposals.evidence import show_words
from agents.views.proposal_views import ProposalView
from agents.views.row_verdicts import is_open
from stores.records.workflow import ProposalStatus, Verdict
from widgets.diff import diff_lines
from widgets.ink import Ink, InkView, Line, draw_line
from widgets.proposal_rows import ALIKE_SIGN, CONFLICT_SIGN, DOUBT_SIGN
from widgets.safe_text import one_line, wrap

NEW_FACT_HINT = "This is added; nothing else in canon changes."
SAID_ALREADY_HINT = "It is canon already; only this evidence is new."
REJECTED_HINT = "✗ Rejected: a commit leaves canon as it is. u undoes that."


class ProposalDetail(InkView, can_focus=False):
    """The pane; with `change`, the change as a diff against canon stands first."""

    HELP_TITLE: ClassVar[str] = "What it rests on"
    HELP_TEXT: ClassVar[str] = (
        "− is what canon, or an earlier proposal, says now, + what it would say; below it the quote that it rests on, "
        "how a sentence was read (editing it corrects that), its conflicts, and why it is marked as it is."
    )
    DEFAULT_CSS = """
    ProposalDetail { height: 7; padding: 0 1; scrollbar-gutter: auto; }
    """

    def __init__(
        self, *, with_change: bool = False, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._with_change = with_change
        self._view: ProposalView | None = None
        self._lines: list[Line] = []

    def show_proposal(self, view: ProposalView | None) -> None:
        """Show the details of this proposal."""
        if view != self._view:
            self._view = view
            self._rebuild_lines()
            self.scroll_to_line(0)

    def on_resize(self) -> None:
        self._rebuild_lines()

    def _rebuild_lines(self) -> None:
        width, previous_count = max(8, self.scrollable_content_region.width), len(self._lines)
        self._lines = (
            list(detail_lines(self._view, width, with_change=self._with_change)) if self._view else []
        )
        self.set_line_count(len(self._lines), width)
        self.refresh_lines(0, max(previous_count, len(self._lines)))

    def render_line(self, y: int) -> Strip:
        line_index = y + self.scroll_offset.y
        line = self._lines[line_index] if line_index < len(self._lines) else []
        return draw_line(line, self.inks(), self.scrollable_content_region.width)


def detail_lines(view: ProposalView, width: int, *, with_change: bool) -> Iterator[Line]:
    """Yield change, quote with its place, how it was read, conflicts and reasons; each wrapped to `width` cells."""
    if with_change and is_open(view):
        if view.adds_only_evidence:
            yield from _text_lines(SAID_ALREADY_HINT, Ink.WARN, width)
        else:
            yield from (
                diff_lines(view.diff, width) if view.diff else _text_lines(NEW_FACT_HINT, Ink.MUTED, width)
            )
        yield []
    if is_open(view) and view.verdict in (Verdict.REJECT, Verdict.FLAVOUR):
        yield from _text_lines(REJECTED_HINT, Ink.BAD, width)
    words = show_words(one_line(view.quote), is_quotation=view.is_quotation)
    page = next((piece.page for piece in view.proposal.evidence if piece.page is not None), None)
    place = f"page {page}" if page is not None else ""
    if view.turn_number is not None:
        place = f"{'after ' if view.is_declared_after_turn else ''}turn {view.turn_number}"
    if words or place:
        yield from _quote_lines(place, words, width)
    if view.reading and is_open(view):
        yield from _text_lines(f"· {one_line(view.reading)}", Ink.MUTED, width)
    for conflict in view.conflicts:
        yield from _text_lines(f"{CONFLICT_SIGN} {one_line(conflict.text)}", Ink.BAD, width)
    for likeness in view.similar_matches:
        sign = DOUBT_SIGN if likeness.is_model_doubt else ALIKE_SIGN
        yield from _text_lines(f"{sign} {one_line(likeness.text)}", Ink.WARN, width)
    shown_texts = {c.text for c in (*view.conflicts, *view.similar_matches)}
    if with_change and view.adds_only_evidence:
        shown_texts.add(SAID_ALREADY_HINT)
    for reason in view.reasons:
        if reason not in shown_texts:
            yield from _text_lines(f"· {one_line(reason)}", Ink.MUTED, width)
    if view.is_closed_by_policy:
        mark = "✓" if view.status is ProposalStatus.ACCEPTED else "✗"
        yield from _text_lines(
            f"· Committed with the rest, as {mark} marked it. u proposes to retract it.", Ink.MUTED, width
        )


def _text_lines(text: str, ink: Ink, width: int) -> Iterator[Line]:
    return ([(part, ink)] for part in wrap(text, width))


def _quote_lines(place: str, quote: str, width: int) -> Iterator[Line]:
    """Yield the quote with its place before it."""
    first, *rest = wrap(f"{place}  {quote}".strip(), width)
    yield [(first[: len(place)], Ink.MUTED), (first[len(place) :], Ink.QUOTE)]
    yield from ([(part, Ink.QUOTE)] for part in rest)
