"""The rows of one group of a review: read and assessed some at a time, decided one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Static

from agents.views.ingest_views import ReviewOrder
from screens.base import start_change
from screens.gate.proposal_decisions import ProposalDecisions
from stores.records.ids import Id
from widgets.proposal_detail import ProposalDetail
from widgets.proposal_list import ProposalList

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.ingest_views import ReviewRows

ROWS_READ: Final = 50
"""Rows of a group that are read and assessed at once; the rest follows once those are decided."""
NO_GROUP = "No group is chosen."


class ShownGroup(NamedTuple):
    """Which rows are shown."""

    group_key: str
    order: ReviewOrder
    is_closed: bool
    """Whether they are of what commits have closed, and not of what is open."""


class GroupRows(ProposalDecisions):
    """Shows the rows of a group with what the one under the cursor would change."""

    @dataclass
    class RowsLoaded(Message):
        group: ShownGroup
        rows: ReviewRows

    def __init__(self, services: Services, source_id: Id) -> None:
        super().__init__(
            services.gate,
            services.policy,
            id="rows",
            decide=services.ingest.decide,
            after_edit=services.ingest.accept_named,
        )
        self._ingest = services.ingest
        self._source_id = source_id
        self._group: ShownGroup | None = None
        self._row_limit = ROWS_READ
        self._is_stale = False

    def compose(self) -> ComposeResult:
        yield ProposalList(accept_all="unmarked", empty=NO_GROUP)
        yield Static(id="more", markup=False)
        yield ProposalDetail(with_change=True)

    def show_group(self, group: ShownGroup | None) -> None:
        """Read the rows of a group again, now or as soon as the read in progress ends; None shows none."""
        if group != self._group:
            self._group, self._row_limit = group, ROWS_READ
            # A key there must not decide a row of the group that the cursor has left.
            self.query_one(ProposalList).show_proposals(())
            self.query_one("#more").display = False
        if group is None:
            self.query_one(ProposalDetail).show_proposal(None)
            return
        self._is_stale = True
        start_change(self, self._read_rows, "rows")

    async def _read_rows(self) -> None:
        while self._is_stale and (group := self._group) is not None:
            self._is_stale = False
            rows = await self._ingest.read_rows(
                self._source_id,
                group.group_key,
                group.order,
                limit=self._row_limit,
                is_closed=group.is_closed,
            )
            self.post_message(self.RowsLoaded(group, rows))

    @on(RowsLoaded)
    def _show_rows(self, message: RowsLoaded) -> None:
        message.stop()
        if message.group != self._group:
            return
        proposal_list, rows = self.query_one(ProposalList), message.rows.rows
        had_read_on = len(rows) > len(proposal_list.views) > 0 and len(rows) > ROWS_READ
        proposal_list.show_proposals([row.view for row in rows])
        more_count = message.rows.total - len(rows)
        self.query_one("#more", Static).update(
            f" {more_count:,} more follow when these are decided" if more_count else ""
        )
        self.query_one("#more").display = bool(more_count)
        if had_read_on:
            proposal_list.go_to_next_undecided()
        if more_count and all(row.verdict is not None for row in rows):
            self._row_limit += ROWS_READ
            self.show_group(message.group)
        self.screen.refresh_bindings()

    @on(ProposalList.Highlighted)
    def _show_detail(self, message: ProposalList.Highlighted) -> None:
        message.stop()
        self.query_one(ProposalDetail).show_proposal(message.view)
