"""The result of a commit: what is true from now on, and what could not be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from agents.views.gate_views import WAITING_PLACE
from screens.dialogs.dialog import Dialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.typed_ahead import TypeAhead, type_ahead
from stores.records.canon import Standing
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.views.gate_views import CommitReport


NOTHING_NEW = "Nothing new. Your decisions are recorded."
UNDO_OF_EDITS = "It stays canon. R on a fact in the universe takes that back."


class CommitReportDialog(Dialog[None]):
    """The canonical outcomes of a commit; any of Enter, Esc or space goes on."""

    CSS_PATH = SCREENS_FOLDER / "dialogs/dialog.tcss"
    AUTO_FOCUS = "VerticalScroll"
    BINDING_GROUP_TITLE = "What is canon now"
    BINDINGS = [
        Binding("enter,escape,space", "close", "Go on", id="outcome.close", tooltip="Go on", key_display="⏎"),
        Binding("ctrl+z", "undo", "Undo", id="outcome.undo", tooltip="Take it back, once you have said yes"),
    ]

    def __init__(
        self,
        report: CommitReport,
        title: str = "",
        *,
        leads_to_prompt: bool = False,
    ) -> None:
        """`leads_to_prompt`: play goes on after it, so that a line typed here begins there."""
        super().__init__()
        self._leads_to_prompt = leads_to_prompt
        self._type_ahead = TypeAhead(self)
        self._report = report
        self._heading = title or ("Some of it could not be written" if report.failures else "Canon now says")

    def compose(self) -> ComposeResult:
        report = self._report
        with Vertical(classes="dialog wide"):
            yield Static(self._heading, classes="question", markup=False)
            with VerticalScroll(classes="outcomes"):
                lines = list(_report_lines(report)) or [content(NOTHING_NEW, "$text-muted")]
                yield Static(Content("\n").join(lines), markup=False)
            yield Static(_decision_counts(report), classes="keys", markup=False)
            if report.has_outcome_of_open_scene:
                yield Static(report.describe_open_scene(), classes="keys", markup=False)
            if report.next_scene_id and report.left_open.describe():
                yield Static(WAITING_PLACE, classes="keys", markup=False)
            undo_hint = Static(UNDO_OF_EDITS, id="undo-hint", classes="detail", markup=False)
            undo_hint.display = False
            yield undo_hint
        yield KeyBar()

    def on_key(self, event: events.Key) -> None:
        if self._leads_to_prompt and self._type_ahead.take(event):
            self.action_close()

    def action_undo(self) -> None:
        """Undo what stands here: by the undo of the play that it leads to, which says first what leaves canon."""
        if self._leads_to_prompt:
            type_ahead(self, events.Key("ctrl+z", None))
            self.action_close()
        else:
            self.query_one("#undo-hint", Static).display = True

    def action_close(self) -> None:
        if self.is_current:  # keys may follow before the dialog is gone
            self.dismiss(None)


def _report_lines(report: CommitReport) -> Iterator[Content]:
    for entity in report.entities:
        yield Content.assemble(
            ("+ ", "$text-success"), (one_line(entity.name), "bold"), (f"  {entity.kind}", "$text-muted")
        )
    for fact in report.facts:
        marks = [fact.standing.value] if fact.standing is not Standing.TRUE else []
        marks += ["secret"] if fact.is_secret else []
        note = ("".join(f"  {mark}" for mark in marks), "$text-muted")
        yield Content.assemble(("✓ ", "$text-success"), one_line(fact.statement), note)
    for change in report.changes:
        yield Content.assemble(("~ ", "$text-warning"), one_line(change))
    for title in report.repeated:
        yield Content.assemble(("· ", "$text-muted"), one_line(title), ("  said already", "$text-muted"))
    for subject, reason in report.failures:
        yield Content.assemble(("✗ ", "$text-error"), (one_line(subject), "bold"), f"  {one_line(reason)}")
    for matter in report.open_matters:
        yield Content.assemble(("? ", "$text-accent"), f"Still open: {one_line(matter)}")
    if report.open_matters:
        yield content("Promises, in the world, settles them or drops them.", "$text-muted")
    if report.cost_line:
        yield content(report.cost_line, "$text-muted")


def _decision_counts(report: CommitReport) -> str:
    counts = ((report.rejected_count, "rejected"), (len(report.failures), "failed"))
    decided = (f"{count} {word}" for count, word in counts if count)
    return " · ".join(filter(None, (report.describe_accepted(), *decided, report.left_open.describe())))
