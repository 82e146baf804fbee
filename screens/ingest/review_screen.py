"""The review of a document: what it says, by entity or by page, with keys that decide a group at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from agents.count_words import count_noun
from agents.proposals.decisions import SETTLING_VERDICTS
from agents.services.review_groups import subject_of
from agents.views.ingest_views import ReviewOrder
from screens.evidence_routes import find_evidence_route
from screens.folder import SCREENS_FOLDER
from screens.gate.deciding_screen import DecidingScreen, filter_binding, undo_binding
from screens.ingest.group_decisions import GroupDecisions
from screens.ingest.group_rows import GroupRows, ShownGroup
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.proposal_list import ProposalList
from widgets.review_group_list import ReviewGroupList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.gate_views import CommitReport
    from agents.views.ingest_views import ReviewView
    from agents.views.proposal_views import UndoneDecision

EMPTY_REVIEW = "Nothing waits here. Esc goes back to the documents."
NOTHING_CLOSED = "Nothing of it was committed yet. Esc goes back to what waits."
ONLY_SINGLE = (
    "What is undecided here are merges and conflicts: each wants your own look. Right goes to the rows."
)
NO_MATCH = "No group has these words, and none is of such a kind. Esc shows all again."


class ReviewScreen(DecidingScreen):
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
        Binding(
            "enter",
            "commit_or_open",
            "Commit",
            id="review.commit_or_open",
            tooltip="Write what the key before accepted; with nothing decided, open what the cursor is on",
            priority=True,
            show=False,
        ),
        Binding("G", "group", "Group", id="review.group", tooltip="Group by whom it is about, or by page"),
        filter_binding("review", "Groups with these words"),
        undo_binding("review"),
        Binding(
            "asterisk",
            "closed",
            "Show closed",
            id="review.closed",
            tooltip="What was decided and written, or what waits",
            key_display="*",
        ),
        Binding("left", "groups", "Groups", id="review.groups", tooltip="Back to the groups", show=False),
        Binding("escape", "escape", "Back", id="review.escape", tooltip="One step back; decisions are kept"),
    ]

    @dataclass
    class ReviewLoaded(Message):
        view: ReviewView

    @dataclass
    class ReviewCommitted(Message):
        report: CommitReport

    def __init__(self, services: Services, source_id: Id) -> None:
        super().__init__(services)
        self.source_id = source_id
        self.order = ReviewOrder.ENTITY
        self._view: ReviewView | None = None
        self._filter_text = ""
        self._shows_closed = False
        self._entity_before: str | None = None
        self._page_of_entity = ""
        """The group of an entity that was left for its page, and that page."""
        self._target_key: str | None = None
        """The group that the cursor goes to once the groups of the new order are read."""

    def compose(self) -> ComposeResult:
        yield TitleBar("Review")
        yield Input(id="filter", placeholder="only groups with these words", compact=True)
        with Horizontal(id="review"):
            yield GroupDecisions(self.services.ingest, self.source_id, empty=EMPTY_REVIEW)
            yield GroupRows(self.services, self.source_id)
        yield NoticePanel()
        yield KeyBar()

    @property
    def groups(self) -> ReviewGroupList:
        return self.query_one(ReviewGroupList)

    @property
    def main_list(self) -> ReviewGroupList:
        return self.groups

    async def undo_last_decision(self) -> UndoneDecision:
        return await self.services.ingest.undo_last_decision(self.source_id)

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        # After each of several decisions that are on their way, all would be read again: once at their end is enough.
        return super().is_affected_by(event) and not self.query_one(GroupDecisions).is_writing

    async def load_view(self) -> None:
        self.post_message(
            self.ReviewLoaded(
                await self.services.ingest.read_review(
                    self.source_id, self.order, is_closed=self._shows_closed
                )
            )
        )

    @on(ReviewLoaded)
    def _show_review(self, message: ReviewLoaded) -> None:
        is_wanted = message.view.order is self.order and message.view.is_closed is self._shows_closed
        if is_wanted and not self.query_one(GroupDecisions).is_writing:
            self._view = message.view
            self.query_one(GroupDecisions).order = message.view.order
            self._show_groups()
            if self._target_key is not None:
                self.groups.go_to(self._target_key)
                self._target_key = None
            self._load_rows()

    def _show_groups(self) -> None:
        view, words = self._view, self._filter_text.casefold().split()
        if view is None:
            return
        decided_count = view.open_count - view.undecided_count
        state = f"{view.open_count:,} to review" + (f" · {decided_count:,} decided" if decided_count else "")
        if view.is_closed:
            state = f"{view.open_count:,} closed: {view.accepted_count:,} accepted"
        self.query_one(TitleBar).show_place(one_line(view.source.title), state)
        self.groups.empty = NO_MATCH if view.groups else NOTHING_CLOSED if view.is_closed else EMPTY_REVIEW
        self.groups.show_groups(
            [group for group in view.groups if group.matches_words(words)], is_closed=view.is_closed
        )
        self.refresh_bindings()

    @on(ReviewGroupList.Moved)
    def _load_rows(self) -> None:
        """Read the rows of the group under the cursor."""
        group = self.groups.current
        shown = ShownGroup(group.key, self.order, self._shows_closed) if group is not None else None
        self.query_one(GroupRows).show_group(shown)

    # --- deciding ----------------------------------------------------------------------------------

    @on(GroupDecisions.GroupDecided)
    def _show_group_verdict(self, message: GroupDecisions.GroupDecided) -> None:
        """Show the verdict at once; it is written behind the ones before it."""
        self.query_one(NoticePanel).clear()
        if self._view is not None:
            groups = tuple(
                group.with_verdict(message.verdict) if group.key == message.group.key else group
                for group in self._view.groups
            )
            self._view = replace(self._view, groups=groups)
            self._show_groups()

    @on(GroupDecisions.DecisionsWritten)
    def _show_left_count(self, message: GroupDecisions.DecisionsWritten) -> None:
        if message.left_count:
            verb = "waits" if message.left_count == 1 else "wait"
            self.query_one(NoticePanel).show_lines(
                (
                    f"{message.left_count:,} {verb} for you alone: merges, and what is in conflict or protected. "
                    "Right goes to them; C resolves a conflict.",
                    *message.left_lines,
                )
            )
        self.reload()

    @on(GroupDecisions.NothingAcceptable)
    def _explain_nothing_acceptable(self) -> None:
        self.query_one(NoticePanel).show_lines((ONLY_SINGLE,))

    @on(DecidingScreen.DecisionUndone)
    def _show_decision_undone(self, message: DecidingScreen.DecisionUndone) -> None:
        count_text = count_noun(len(message.decision.proposal_ids), "proposal")
        self.query_one(NoticePanel).show_lines((f"Undone: {message.decision.word}: {count_text}.",))
        self.reload()

    @on(ReviewGroupList.RowsRequested)
    def _focus_rows(self) -> None:
        self.query_one(ProposalList).focus()

    @on(ProposalList.ProposalEvidenceRequested)
    def _show_page(self, message: ProposalList.ProposalEvidenceRequested) -> None:
        message.stop()
        if (route := find_evidence_route(message.view.proposal.evidence)) is not None:
            self.post_message(Visit(route))
        else:
            self.query_one(NoticePanel).show_lines(("It rests on the whole document, and on no page of it.",))

    # --- committing --------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("commit", "commit_or_open"):
            is_in_list = isinstance(self.focused, ReviewGroupList | ProposalList)
            is_open = self._view is not None and not self._shows_closed
            return is_open and is_in_list and self._is_decided is (action == "commit")
        if action == "groups":
            return isinstance(self.focused, ProposalList)
        return super().check_action(action, parameters)

    @property
    def _is_decided(self) -> bool:
        """Whether a verdict that a commit closes rows over is shown."""
        groups = self._view.groups if self._view is not None else ()
        return any(group.accepted_count or group.rejected_count for group in groups)

    def action_commit_or_open(self) -> None:
        """Commit if the key before this one decides the first of all; else do what Enter does in the list."""
        self.call_when_stored(self._commit_or_open)

    def _commit_or_open(self) -> None:
        row_verdicts = {view.verdict for view in self.query_one(ProposalList).views}
        if self._is_decided or not row_verdicts.isdisjoint(SETTLING_VERDICTS):
            self._start_commit()
        elif isinstance(self.focused, ProposalList):
            self.focused.call_later(self.focused.action_evidence)  # in the list's turn, so that it bubbles up

    def action_commit(self) -> None:
        """Write what is accepted, with all that was decided before this key."""
        self.call_when_stored(self._start_commit)

    def call_when_stored(self, callback: Callable[[], object]) -> None:
        """Call back once all that was decided by the keys before this one, of groups and of rows, is stored."""
        self.query_one(GroupDecisions).call_when_written(partial(super().call_when_stored, callback))

    def _start_commit(self) -> None:
        self.query_one(NoticePanel).show_lines(("Writing what is accepted …",))
        self.start_change(self._commit, "commit")

    async def _commit(self) -> None:
        self.post_message(self.ReviewCommitted(await self.services.ingest.commit(self.source_id)))

    @on(ReviewCommitted)
    def _show_report(self, message: ReviewCommitted) -> None:
        self.query_one(NoticePanel).show_lines(_report_lines(message.report))
        self.reload()

    # --- grouping and filtering --------------------------------------------------------------------

    def action_group(self) -> None:
        """Group by page or by entity; the cursor stays at what it was on, and comes back to where it was."""
        if (group := self.groups.current) is not None:
            if self.order is ReviewOrder.ENTITY:
                self._target_key = str(group.first_page or "")
                self._entity_before, self._page_of_entity = group.key, self._target_key
            else:
                self._target_key = self._find_entity_key(group.key)
        self.order = ReviewOrder.PAGE if self.order is ReviewOrder.ENTITY else ReviewOrder.ENTITY
        self.groups.focus()
        self.reload()

    def _find_entity_key(self, page_key: str) -> str | None:
        """Return whom to go to from a page: back where one came from it, else whom its row is about."""
        view = self.query_one(ProposalList).current
        if page_key == self._page_of_entity or view is None:
            return self._entity_before
        return subject_of(view.proposal)

    def action_closed(self) -> None:
        self._shows_closed = not self._shows_closed
        self.groups.focus()
        self.reload()

    def action_groups(self) -> None:
        self.groups.focus()

    @on(Input.Changed, "#filter")
    def _filter_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._filter_text = message.value
        self._show_groups()

    def action_escape(self) -> None:
        """Go one step back: close a warning, the filter, leave the rows, what is closed, then the review."""
        notices = self.query_one(NoticePanel)
        is_warned = notices.asks_for_attention
        notices.clear()
        if is_warned:
            return
        if self.close_filter():
            return
        if self._shows_closed and self.groups.has_focus:
            self.action_closed()
        elif not self.groups.has_focus:
            self.groups.focus()
        else:
            self.post_message(Visit(Back(self)))


def _report_lines(report: CommitReport) -> list[str]:
    """Return what a commit of the review wrote, and what it left."""
    rejected = f"{report.rejected_count:,} rejected" if report.rejected_count else ""
    lines = ["; ".join(filter(None, (report.describe_accepted(), rejected))) + "."]
    if not report.accepted_count and not report.rejected_count:
        lines = []
    if report.held_count:
        noun = "waits" if report.held_count == 1 else "wait"
        lines.append(
            f"{report.held_count:,} {noun}: in conflict, or about what is protected. C resolves a conflict."
        )
    lines += [f"✗ {one_line(title)} was not written: {one_line(reason)}" for title, reason in report.failures]
    return [*lines, "What is undecided waits here; * shows what was decided."]
