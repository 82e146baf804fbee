"""Decides groups of a review: the list has the keys, the service decides, one write behind the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.worker import Worker

from agents.count_words import count_noun
from agents.views.ingest_views import ReviewOrder
from screens.base import start_change
from screens.dialogs.confirm_dialog import ConfirmDialog
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.workflow import Verdict
from widgets.review_group_list import ReviewGroupList
from widgets.worker import WorkFailed, call_behind_keys, post_failed_work

if TYPE_CHECKING:
    from agents.services.ingest import IngestService
    from agents.views.ingest_views import ReviewGroup


class _WaitingVerdict(NamedTuple):
    """What was decided of a group and is not written yet."""

    group_key: str
    order: ReviewOrder
    verdict: Verdict | None


class GroupDecisions(Vertical):
    """Contains the list of groups, and carries out what is decided in it."""

    @dataclass
    class GroupDecided(Message):
        """A verdict on a group is on its way: it can be shown at once."""

        group: ReviewGroup
        verdict: Verdict | None

    @dataclass
    class DecisionsWritten(Message):
        """All decisions are written, as far as they could be."""

        left_count: int = 0
        """How many rows of the decided groups are decided one by one alone."""
        left_lines: tuple[str, ...] = ()
        """The first of these, each with why."""

    class NothingAcceptable(Message):
        """All that was to be accepted are merges and conflicts."""

    @dataclass
    class _AllFound(Message):
        """These get the verdict at once, if the answer to the question is yes."""

        ids: tuple[Id, ...]
        verdict: Verdict
        explanation: str

    def __init__(self, ingest: IngestService, source_id: Id, *, empty: str) -> None:
        """`empty` is what the list says without groups."""
        super().__init__(id="groups")
        self._ingest = ingest
        self._source_id = source_id
        self._empty = empty
        self.order = ReviewOrder.ENTITY
        """What the groups that are shown are grouped by."""
        self._waiting_verdicts: list[_WaitingVerdict] = []
        self._written_callbacks: list[Callable[[], object]] = []

    def compose(self) -> ComposeResult:
        yield ReviewGroupList(empty=self._empty)

    @property
    def is_writing(self) -> bool:
        return bool(self._waiting_verdicts)

    def call_when_written(self, callback: Callable[[], object]) -> None:
        """Call back once the verdicts of all keys before this one are written; not at all if that fails."""
        call_behind_keys(self.query_one(ReviewGroupList), self, partial(self._wait_for_writes, callback))

    def _wait_for_writes(self, callback: Callable[[], object]) -> None:
        if self.is_writing:
            self._written_callbacks.append(callback)
        else:
            callback()

    # --- one group ---------------------------------------------------------------------------------

    @on(ReviewGroupList.Decided)
    def _decide_group(self, message: ReviewGroupList.Decided) -> None:
        """Write the verdict behind the ones before it."""
        message.stop()
        self._waiting_verdicts.append(_WaitingVerdict(message.group.key, self.order, message.verdict))
        self.post_message(self.GroupDecided(message.group, message.verdict))
        # In a worker of the app: to leave the review at once does not cancel it.
        start_change(self.app, self._write_verdicts, f"decide groups {self._source_id}")

    async def _write_verdicts(self) -> None:
        left_count, left_lines = 0, list[str]()
        try:
            while self._waiting_verdicts:
                # One call for all that are alike: each reads the whole review.
                _, alike_waiting = next(groupby(self._waiting_verdicts, key=lambda waiting: waiting[1:]))
                alike = list(alike_waiting)
                keys, (_, order, verdict) = [one.group_key for one in alike], alike[0]
                counts = await self._ingest.decide_groups(self._source_id, keys, verdict, order)
                left_count += counts.left_count
                left_lines += counts.left_lines
                del self._waiting_verdicts[: len(alike)]
            for callback in self._written_callbacks:
                self.call_later(callback)
        except MonitorError as error:
            if not self.is_attached:
                raise
            self.post_message(WorkFailed(error, "decide"))
        finally:
            self._waiting_verdicts.clear()
            self._written_callbacks.clear()
            self.post_message(self.DecisionsWritten(left_count, tuple(left_lines)))

    # --- all that are shown ------------------------------------------------------------------------

    @on(ReviewGroupList.AllDecided)
    def _look_for_all(self, message: ReviewGroupList.AllDecided) -> None:
        message.stop()
        keys = [group.key for group in message.groups]
        find = self._find_acceptable if message.verdict is Verdict.ACCEPT else self._find_undecided
        start_change(self, partial(find, keys), "find all")

    async def _find_acceptable(self, group_keys: list[str]) -> None:
        found = await self._ingest.find_acceptable(self._source_id, group_keys, self.order)
        left = f" {found.left_count:,} merged or in conflict are left for you." if found.left_count else ""
        explanation = (
            f"All that is undecided in the groups that are shown, and whom it names.{left} "
            "Nothing is written before you commit."
        )
        self.post_message(self._AllFound(found.ids, Verdict.ACCEPT, explanation))

    async def _find_undecided(self, group_keys: list[str]) -> None:
        ids = await self._ingest.find_undecided(self._source_id, group_keys, self.order)
        explanation = (
            "All that is undecided in the groups that are shown. Ctrl+Z undoes it until you commit; after that * shows "
            "it, and u brings it back."
        )
        self.post_message(self._AllFound(ids, Verdict.REJECT, explanation))

    @on(_AllFound)
    def _ask_about_all(self, message: _AllFound) -> None:
        message.stop()
        if not message.ids:
            self.post_message(self.NothingAcceptable())
            return
        verb = "Accept" if message.verdict is Verdict.ACCEPT else "Reject"
        question = ConfirmDialog(
            f"{verb} {count_noun(len(message.ids), 'proposal')}?",
            message.explanation,
            yes=f"{verb} them",
            no="Leave them",
        )
        write = partial(self._write, message.ids, message.verdict)
        self.app.push_screen(
            question, lambda is_yes: start_change(self, write, "decide all") if is_yes else None
        )

    async def _write(self, ids: tuple[Id, ...], verdict: Verdict) -> None:
        await self._ingest.decide(ids, verdict)
        self.post_message(self.DecisionsWritten())

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        post_failed_work(self, message)
