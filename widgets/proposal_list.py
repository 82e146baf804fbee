"""The list of proposals that play screen and gate share, and the play screen's panel.

One key decides the row under the cursor, or all rows marked with space; the cursor goes on to the next
undecided row, so that a hundred rows take at most a hundred keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive

from agents.views.proposal_views import ProposalView
from agents.views.row_verdicts import is_acceptable_unseen, is_open, is_undecided
from stores.records.canon import AssertFact
from stores.records.ids import Id
from stores.records.workflow import Verdict
from widgets.ink import Line
from widgets.proposal_detail import ProposalDetail
from widgets.proposal_rows import (
    Grouping,
    group_proposals,
    header_line,
    label_width,
    matches_filter,
    proposal_line,
)
from widgets.row_list import ListRow, RowList
from widgets.single_keys import SingleKeys


class ProposalList(RowList[ProposalView], SingleKeys):
    """Proposals by row, with the keys that decide them.

    `accept_all` says what `A` accepts: what policy pre-ticks (`ticked`), or everything undecided that has no
    conflict and that policy does not reject (`unmarked`). Rows marked with space are left out of both, and so are
    merges that policy does not pre-tick.
    """

    HELP_TITLE: ClassVar[str] = "Proposals"
    HELP_TEXT: ClassVar[str] = (
        "✓ a commit will accept it, ✗ reject it, · undecided, ‖ deferred, ⚠ in conflict. ★ is critical, "
        "≈ the name is like a known one, .80 is the confidence, `by rule` was decided by one of your rules.\n"
        "a accepts, r rejects, e edits, W chooses who may know it, c means just flavour (rejected, and the kind "
        "is remembered), "
        "d defers, u undoes the row's decision (after a commit it proposes to retract what that did), "
        "Ctrl+Z the last one, "
        "x shows the evidence, C resolves a conflict. Space marks one, * all that are shown; A accepts all "
        "but the marked."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('accept')", "Accept", id="proposals.accept", tooltip="Let it become canon"),
        Binding("r", "decide('reject')", "Reject", id="proposals.reject", tooltip="Keep it out of canon"),
        Binding("e", "edit", "Edit", id="proposals.edit", tooltip="Edit and accept"),
        Binding(
            "e",
            "explain_edit",
            "Edit",
            id="proposals.explain_edit",
            tooltip="Say why this cannot be edited here",
            show=False,
        ),
        Binding(
            "W",
            "choose_knowers",
            "Secret",
            id="proposals.secret",
            tooltip="Choose who may know it, and accept",
        ),
        Binding(
            "c",
            "decide('colour')",
            "Just flavour",
            id="proposals.flavour",
            tooltip="Flavour text, not a fact: reject",
        ),
        Binding("d", "decide('defer')", "Defer", id="proposals.defer", tooltip="Decide later"),
        Binding("space", "mark", "Mark", id="proposals.mark", tooltip="Mark it, to decide several at once"),
        Binding(
            "asterisk",
            "mark_all",
            "Mark all",
            id="proposals.mark_all",
            tooltip="Mark all that are shown, or none",
            key_display="*",
            show=False,
        ),
        Binding(
            "A", "accept_all", "Accept all", id="proposals.accept_all", tooltip="Accept all but the marked"
        ),
        Binding("x,enter", "evidence", "Evidence", id="proposals.evidence", tooltip="Show what it rests on"),
        Binding(
            "C", "resolve", "Resolve", id="proposals.resolve", tooltip="Compare both sides and resolve it"
        ),
        Binding("u", "decide(None)", "Undo it", id="proposals.undecide", tooltip="Undo this decision"),
        Binding(
            "u",
            "undo",
            "Retract",
            id="proposals.undo",
            tooltip="Propose to retract what the commit did; the next commit does it",
        ),
        Binding(
            "u",
            "explain_undo",
            "Undo it",
            id="proposals.explain_undo",
            tooltip="Say what undoes the last decision",
            show=False,
        ),
    ]

    grouping: reactive[Grouping] = reactive(Grouping.NONE, init=False)
    """How rows are grouped; conflicts come first in groups."""

    filter_text: reactive[str] = reactive("", init=False)
    """Show only rows in which every one of these words occurs."""

    @dataclass
    class Decided(Message):
        """Set the verdict of these proposals; None removes it."""

        ids: tuple[Id, ...]
        verdict: Verdict | None

    @dataclass
    class AllAccepted(Message):
        """Accept all of these."""

        ids: tuple[Id, ...]

    @dataclass
    class EditRequested(Message):
        view: ProposalView

    @dataclass
    class KnowersRequested(Message):
        """Who may know the proposed fact is to be chosen."""

        view: ProposalView

    @dataclass
    class ProposalEvidenceRequested(Message):
        """The evidence of the proposal is to be shown."""

        view: ProposalView

    @dataclass
    class ConflictOpened(Message):
        """The conflicts of the proposal are to be shown."""

        view: ProposalView

    @dataclass
    class UndoRequested(Message):
        """Undo what a commit did with the proposal."""

        view: ProposalView

    @dataclass
    class NothingToEdit(Message):
        """The row is decided for good, or there is none (`view` is None): there is nothing to edit."""

        view: ProposalView | None

    class NothingToUndo(Message):
        """There is no decision on the row: the cursor went on from the one that was decided last."""

    @dataclass
    class Highlighted(Message):
        """The cursor is on another proposal, or (the list is empty) on none."""

        view: ProposalView | None

    def __init__(
        self,
        *,
        accept_all: Literal["ticked", "unmarked"] = "ticked",
        empty: str = "No proposals yet. What play changes in the world shows up here.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._accept_all = accept_all
        self._views: tuple[ProposalView, ...] = ()
        self._selected_ids: set[Id] = set()
        self._shown_in_conflict: set[Id] = set()
        """Rows that were shown among the conflicts: they keep their place when theirs is decided."""
        self._label_cells = self._number_cells = 0

    # --- what screens call -------------------------------------------------------------------------

    def show_proposals(self, views: Sequence[ProposalView]) -> None:
        """Show these; cursor and marks stay on their proposals, except on one that was closed meanwhile."""
        cursor_before, view_before = self.cursor, self.current
        self._views = tuple(views)
        self._label_cells = label_width(views)
        self._number_cells = max((len(str(view.number)) for view in views), default=0)
        self._selected_ids &= {view.proposal.id for view in self._views if is_open(view)}
        self._shown_in_conflict &= {view.proposal.id for view in self._views if is_open(view)}
        self._shown_in_conflict |= {v.proposal.id for v in self._views if is_open(v) and v.conflicts}
        self._rebuild_rows()
        was_closed = view_before and is_open(view_before) and self.current and not is_open(self.current)
        if was_closed and cursor_before is not None:
            self.cursor = self._nearest_row(cursor_before)
        self.row_highlighted(self.current)

    def go_to_newest(self, ids: Collection[Id]) -> None:
        """Put the cursor on the last shown of these."""
        rows = [i for i, row in enumerate(self.rows) if row.value and row.value.proposal.id in ids]
        if rows:
            self.cursor = rows[-1]

    @property
    def selected_views(self) -> tuple[ProposalView, ...]:
        """The rows marked with space."""
        return tuple(view for view in self._views if view.proposal.id in self._selected_ids)

    @property
    def views(self) -> tuple[ProposalView, ...]:
        return self._views

    # --- rows --------------------------------------------------------------------------------------

    def _rebuild_rows(self) -> None:
        shown_views = [view for view in self._views if matches_filter(view, self.filter_text)]
        rows: list[ListRow[ProposalView]] = []
        for name, members in group_proposals(shown_views, self.grouping, self._shown_in_conflict):
            if self.grouping is not Grouping.NONE:
                if rows:
                    rows.append(ListRow("", lambda width: [[]], height=1))
                draw = partial(self._draw_header, name, members)
                rows.append(ListRow(f"group {name}", draw, height=1))
            rows += [ListRow(v.proposal.id, partial(self._draw_row, v), v, height=1) for v in members]
        self.set_rows(rows)

    def _draw_row(self, view: ProposalView, width: int) -> list[Line]:
        selected = view.proposal.id in self._selected_ids
        return [
            proposal_line(
                view,
                width,
                selected=selected,
                label_cells=self._label_cells,
                number_cells=self._number_cells,
            )
        ]

    def _draw_header(self, name: str, views: Sequence[ProposalView], width: int) -> list[Line]:
        return [header_line(name, views, width)]

    def row_highlighted(self, value: ProposalView | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value))

    def row_chosen(self, value: ProposalView) -> None:
        self.post_message(self.ProposalEvidenceRequested(value))

    def watch_grouping(self) -> None:
        self._rebuild_rows()

    def watch_filter_text(self) -> None:
        self._rebuild_rows()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether the key would do something; the key bar shows no others."""
        view = self.current
        match action, parameters:
            case "decide", (None,):
                return any(is_open(v) and v.verdict is not None for v in self._target_views())
            case "decide", _:
                return view is not None and (is_open(view) or bool(self._selected_ids))
            case (("edit" | "mark"), _):
                return view is not None and is_open(view)
            case "explain_edit", _:
                return view is None or not is_open(view)
            case "choose_knowers", _:
                return view is not None and is_open(view) and isinstance(view.proposal.change, AssertFact)
            case "resolve", _:
                return view is not None and is_open(view) and bool(view.conflicts or view.similar_matches)
            case "undo", _:
                return view is not None and not is_open(view) and not self._selected_ids
            case "explain_undo", _:
                return view is not None and is_open(view) and view.verdict is None and not self._selected_ids
            case "evidence", _:
                return view is not None
            case "accept_all", _:
                return any(self._views_to_accept())
        return super().check_action(action, parameters)

    # --- deciding ----------------------------------------------------------------------------------

    def _target_views(self) -> tuple[ProposalView, ...]:
        selected_views = self.selected_views
        if selected_views:
            return selected_views
        return (self.current,) if self.current is not None else ()

    def action_decide(self, verdict: str | None) -> None:
        """Decide the marked rows, or the one under the cursor; then go on to the next undecided one."""
        new_verdict = Verdict(verdict) if verdict else None
        ids = tuple(
            view.proposal.id
            for view in self._target_views()
            if is_open(view) and (new_verdict is not None or view.verdict is not None)
        )
        if not ids:
            return
        has_several = bool(self._selected_ids)
        self._selected_ids.clear()
        self.post_message(self.Decided(ids, new_verdict))
        if new_verdict is not None and not has_several:
            self.go_to_next_undecided()
        self._show_verdict(ids, new_verdict)
        if new_verdict is not None and has_several:
            self._leave_decided_row()

    def _show_verdict(self, ids: Collection[Id], verdict: Verdict | None) -> None:
        """Show the verdict at once; its effects are shown when the services have assessed it."""
        decided_ids = set(ids)
        self._views = tuple(
            replace(view, verdict=verdict) if view.proposal.id in decided_ids else view
            for view in self._views
        )
        self._rebuild_rows()

    def go_to_next_undecided(self) -> None:
        """Put the cursor on the next row below that is undecided, if there is one."""
        self.go_to_next(is_undecided)

    def _leave_decided_row(self) -> None:
        """Go on to the next undecided row after several were decided at once, unless the cursor is on one."""
        if self.current is not None and not is_undecided(self.current):
            self.go_to_next_undecided()

    def action_mark(self) -> None:
        if self.current is None or not is_open(self.current):
            return
        self._selected_ids ^= {self.current.proposal.id}
        if self.cursor is not None:
            self.redraw_row(self.cursor)
        self.action_move(1)

    def _views_to_accept(self) -> Iterator[ProposalView]:
        """Yield the rows that `A` accepts."""
        for view in (row.value for row in self.rows):
            if view is None or view.proposal.id in self._selected_ids or not is_acceptable_unseen(view):
                continue
            if view.mark == "accept" or self._accept_all == "unmarked":
                yield view

    def action_mark_all(self) -> None:
        """Mark every open row that is shown; once all are marked, none."""
        shown_ids = {row.value.proposal.id for row in self.rows if row.value and is_open(row.value)}
        self._selected_ids = set() if shown_ids <= self._selected_ids else self._selected_ids | shown_ids
        self.refresh_bindings()
        self.redraw()

    def action_accept_all(self) -> None:
        ids = tuple(view.proposal.id for view in self._views_to_accept())
        if ids:
            self._selected_ids.clear()
            self.post_message(self.AllAccepted(ids))
            self._show_verdict(ids, Verdict.ACCEPT)
            self._leave_decided_row()

    def action_edit(self) -> None:
        if self.current is not None and is_open(self.current):
            self.post_message(self.EditRequested(self.current))

    def action_explain_edit(self) -> None:
        self.post_message(self.NothingToEdit(self.current))

    def action_choose_knowers(self) -> None:
        if self.current is not None and is_open(self.current):
            self.post_message(self.KnowersRequested(self.current))

    def action_evidence(self) -> None:
        if self.current is not None:
            self.post_message(self.ProposalEvidenceRequested(self.current))

    def action_resolve(self) -> None:
        if self.current is not None:
            self.post_message(self.ConflictOpened(self.current))

    def action_explain_undo(self) -> None:
        self.post_message(self.NothingToUndo())

    def action_undo(self) -> None:
        if self.current is not None:
            self.post_message(self.UndoRequested(self.current))


class ProposalPanel(Vertical):
    """The list on the play screen, with the details of the row under the cursor."""

    DEFAULT_CSS = """
    ProposalPanel {
        border: round $border-blurred;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        background: $background;
        &:focus-within {
            border: heavy $primary;
            border-title-color: $primary;
            border-title-style: bold;
            border-subtitle-color: $primary;
        }
        & > ProposalList { height: 1fr; }
        & > ProposalDetail { border-top: solid $border-blurred; }
    }
    """

    def __init__(
        self,
        *,
        accept_all: Literal["ticked", "unmarked"] = "ticked",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.proposal_list = ProposalList(accept_all=accept_all)
        self.border_title = "proposals"

    def compose(self) -> ComposeResult:
        yield self.proposal_list
        detail = ProposalDetail()
        detail.display = False
        yield detail

    def show_proposals(self, views: Sequence[ProposalView]) -> None:
        """Show these proposals, decided ones included; follow new ones, unless the user is in the list."""
        known_ids = {view.proposal.id for view in self.proposal_list.views}
        self.proposal_list.show_proposals(views)
        if known_ids and not self.proposal_list.has_focus:
            self.proposal_list.go_to_newest({view.proposal.id for view in views} - known_ids)
        undecided_count = sum(map(is_undecided, views))
        decided_count = len(views) - undecided_count
        self.border_title = f"proposals {undecided_count}" if undecided_count else "proposals"
        self.border_subtitle = f"{decided_count} decided" if decided_count else ""

    def focus_list(self) -> None:
        self.proposal_list.focus()

    @on(ProposalList.Highlighted)
    def _show_detail(self, message: ProposalList.Highlighted) -> None:
        detail = self.query_one(ProposalDetail)
        detail.display = message.view is not None
        detail.show_proposal(message.view)
