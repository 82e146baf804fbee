"""The review of a document: what it says, by entity or by page, with keys that decide a group at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from agents.events import CanonCommitted, ProposalsChanged
from agents.views.ingest_views import ReviewGroup, ReviewOrder
from screens.base import ServiceScreen
from screens.folder import SCREENS_FOLDER
from screens.gate.proposal_decisions import ProposalDecisions
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToPage, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.proposal_detail import ProposalDetail
from widgets.proposal_list import ProposalList
from widgets.review_group_list import ReviewGroupList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.ingest_views import ReviewRows, ReviewView
    from agents.views.play_views import CommitReport
    from stores.records.workflow import Verdict

ROWS_READ: Final = 50
"""Rows of a group that are read and assessed at once; the rest follows once those are decided."""
EMPTY_REVIEW = "Nothing waits here. Esc goes back to the documents."
NO_GROUP = "No group is chosen."


class ReviewScreen(ServiceScreen[None]):
    """Groups on the left, the rows of one on the right. Enter writes what is accepted; the rest waits."""

    CSS_PATH = SCREENS_FOLDER / "ingest/review_screen.tcss"
    AUTO_FOCUS = "ReviewGroupList"
    BINDING_GROUP_TITLE = "Review of a document"
    BINDINGS = [
        Binding(
            "enter",
            "commit",
            "Commit",
            id="review.commit",
            tooltip="Write what is accepted to canon; the rest waits",
            priority=True,
            key_display="⏎",
        ),
        Binding("G", "group", "Group", id="review.group", tooltip="Group by whom it is about, or by page"),
        Binding(
            "slash",
            "filter",
            "Filter",
            id="review.filter",
            tooltip="Groups with these words",
            key_display="/",
        ),
        Binding("escape", "escape", "Back", id="review.escape", tooltip="One step back; decisions are kept"),
    ]

    @dataclass
    class ReviewLoaded(Message):
        view: ReviewView

    @dataclass
    class RowsLoaded(Message):
        group_key: str
        rows: ReviewRows

    @dataclass
    class ReviewCommitted(Message):
        report: CommitReport

    def __init__(self, services: Services, source_id: Id) -> None:
        super().__init__(services)
        self.source_id = source_id
        self.order = ReviewOrder.ENTITY
        self._view: ReviewView | None = None
        self._filter_text = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Review")
        yield Input(id="filter", placeholder="only groups with these words", compact=True)
        with Horizontal(id="review"):
            yield ReviewGroupList(empty=EMPTY_REVIEW)
            with ProposalDecisions(
                self.services.gate, self.services.policy, id="rows", decide=self.services.ingest.decide
            ):
                yield ProposalList(accept_all="unmarked", empty=NO_GROUP)
                yield ProposalDetail(with_change=True)
        yield NoticePanel()
        yield KeyBar()

    @property
    def groups(self) -> ReviewGroupList:
        return self.query_one(ReviewGroupList)

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, ProposalsChanged | CanonCommitted)

    async def load_view(self) -> None:
        self.post_message(
            self.ReviewLoaded(await self.services.ingest.read_review(self.source_id, self.order))
        )

    @on(ReviewLoaded)
    def _show_review(self, message: ReviewLoaded) -> None:
        if message.view.order is not self.order:
            return
        view = self._view = message.view
        decided_count = view.open_count - view.undecided_count
        state = f"{view.open_count:,} to review" + (f" · {decided_count:,} decided" if decided_count else "")
        self.query_one(TitleBar).show_place(one_line(view.source.title), state)
        self._show_groups()
        self._load_rows()

    def _show_groups(self) -> None:
        words = self._filter_text.casefold().split()
        groups = self._view.groups if self._view else ()
        self.groups.show_groups([g for g in groups if all(word in g.title.casefold() for word in words)])
        self.refresh_bindings()

    @on(ReviewGroupList.Moved)
    def _load_rows(self) -> None:
        group = self.groups.current
        if group is None:
            self.query_one(ProposalList).show_proposals(())
            self.query_one(ProposalDetail).show_proposal(None)
        else:
            self.run_worker(self._read_rows(group), group="rows", exclusive=True, exit_on_error=False)

    async def _read_rows(self, group: ReviewGroup) -> None:
        rows = await self.services.ingest.read_rows(self.source_id, group.key, self.order, limit=ROWS_READ)
        self.post_message(self.RowsLoaded(group.key, rows))

    @on(RowsLoaded)
    def _show_rows(self, message: RowsLoaded) -> None:
        group = self.groups.current
        if group is None or group.key != message.group_key:
            return
        proposal_list = self.query_one(ProposalList)
        proposal_list.show_proposals([row.view for row in message.rows.rows])
        more = message.rows.total - len(message.rows.rows)
        proposal_list.border_subtitle = f"{more:,} more follow" if more > 0 else ""
        self.refresh_bindings()

    @on(ProposalList.Highlighted)
    def _show_detail(self, message: ProposalList.Highlighted) -> None:
        self.query_one(ProposalDetail).show_proposal(message.view)

    # --- deciding ----------------------------------------------------------------------------------

    @on(ReviewGroupList.Decided)
    def _decide_group(self, message: ReviewGroupList.Decided) -> None:
        self.query_one(NoticePanel).clear()
        self.run_worker(
            self._write_verdict(message.group, message.verdict), group="decide", exit_on_error=False
        )

    async def _write_verdict(self, group: ReviewGroup, verdict: Verdict | None) -> None:
        await self.services.ingest.decide_group(self.source_id, group.key, verdict, self.order)

    @on(ReviewGroupList.RowsRequested)
    def _focus_rows(self) -> None:
        self.query_one(ProposalList).focus()

    @on(ProposalList.ProposalEvidenceRequested)
    def _show_page(self, message: ProposalList.ProposalEvidenceRequested) -> None:
        message.stop()
        page = next((e.page for e in message.view.proposal.evidence if e.page is not None), None)
        if page is not None:
            self.post_message(Visit(ToPage(self.source_id, page)))

    # --- committing --------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "commit":
            view = self._view
            is_decided = view is not None and view.open_count > view.undecided_count
            return is_decided and not isinstance(self.focused, Input)
        return super().check_action(action, parameters)

    def action_commit(self) -> None:
        self.start_change(self._commit, "commit")

    async def _commit(self) -> None:
        self.post_message(self.ReviewCommitted(await self.services.ingest.commit(self.source_id)))

    @on(ReviewCommitted)
    def _show_report(self, message: ReviewCommitted) -> None:
        self.query_one(NoticePanel).show_lines(_report_lines(message.report))
        self.reload()

    # --- grouping and filtering --------------------------------------------------------------------

    def action_group(self) -> None:
        self.order = ReviewOrder.PAGE if self.order is ReviewOrder.ENTITY else ReviewOrder.ENTITY
        self.groups.focus()
        self.reload()

    def action_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.add_class("-shown")
        field.focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._filter_text = message.value
        self._show_groups()

    @on(Input.Submitted, "#filter")
    def _filter_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.groups.focus()

    def action_escape(self) -> None:
        """Go one step back: close the notes, the filter, leave the rows, then the review."""
        field = self.query_one("#filter", Input)
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif field.has_class("-shown"):
            field.clear()
            field.remove_class("-shown")
            self.groups.focus()
        elif not self.groups.has_focus:
            self.groups.focus()
        else:
            self.post_message(Visit(Back(self)))


def _report_lines(report: CommitReport) -> list[str]:
    """Return what a commit of the review wrote, and what it left."""
    lines = [f"{report.accepted_count:,} in canon, {report.rejected_count:,} rejected."]
    if report.held_count:
        noun = "proposal conflicts" if report.held_count == 1 else "proposals conflict"
        lines.append(f"{report.held_count:,} {noun} with canon and wait: C on the row resolves it.")
    lines += [f"Could not be written: {one_line(reason)}" for _, reason in report.failures]
    return [*lines, "What is undecided waits here."]
