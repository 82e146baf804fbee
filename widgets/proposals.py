"""What is proposed to become true: the list that scene and canon gate both use, and the scene's panel.

One key decides the row under the cursor, or all rows marked with space; the cursor goes on to the next
undecided row, so a hundred rows take a hundred keys at most.
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

from agents.views.play_views import ProposalView
from stores.records.ids import Id
from stores.records.ledger import Verdict
from widgets.ink import Line
from widgets.proposal_about import ProposalAbout
from widgets.proposal_rows import (
    Grouping,
    grouped,
    header_line,
    is_open,
    is_undecided,
    label_width,
    matches,
    proposal_line,
)
from widgets.row_list import Row, RowList


class ProposalList(RowList[ProposalView]):
    """Proposals by row, with the keys that decide them.

    `accept_all` says what `A` takes: what policy pre-ticks (`ticked`), or everything undecided that meets
    no conflict and that policy does not reject (`unmarked`); rows marked with space are left out of both.
    """

    HELP_TITLE: ClassVar[str] = "Proposals"
    HELP_TEXT: ClassVar[str] = (
        "✓ a commit would accept it, ✗ reject it, · it waits for you, ‖ deferred, ⚠ it meets a conflict. "
        "★ is critical, ≈ much like something known, .80 is how sure it is, `by rule` what a rule of yours "
        "decides.\n"
        "a accepts, r rejects, e edits, c calls it mere colour (and remembers the kind), d defers, u takes a "
        "decision back (of what is decided already: what a commit did), x shows the evidence, h hears a "
        "conflict. Space marks several, * all that are shown; A accepts all but the marked."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('accept')", "Accept", id="proposals.accept", tooltip="Let it become canon"),
        Binding("r", "decide('reject')", "Reject", id="proposals.reject", tooltip="Keep it out of canon"),
        Binding("e", "edit", "Edit", id="proposals.edit", tooltip="Change its words, then accept it"),
        Binding(
            "c", "decide('colour')", "Colour", id="proposals.colour", tooltip="Mere colour: reject this kind"
        ),
        Binding("d", "decide('defer')", "Defer", id="proposals.defer", tooltip="Decide it another time"),
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
        Binding("h", "court", "Court", id="proposals.court", tooltip="Hear both sides, and rule on it"),
        Binding("u", "decide(None)", "Undecide", id="proposals.undecide", tooltip="Take the decision back"),
        Binding("u", "undo", "Take back", id="proposals.undo", tooltip="Undo what a commit made of it"),
    ]

    grouping: reactive[Grouping] = reactive(Grouping.NONE, init=False)
    """How rows are grouped; conflicts come first in groups."""

    filter_text: reactive[str] = reactive("", init=False)
    """Show only rows in which every one of these words occurs."""

    @dataclass
    class Decide(Message):
        """Set the verdict of these proposals; None takes it back."""

        ids: tuple[Id, ...]
        verdict: Verdict | None

    @dataclass
    class AcceptAll(Message):
        """Accept all of these."""

        ids: tuple[Id, ...]

    @dataclass
    class Edit(Message):
        view: ProposalView

    @dataclass
    class Evidence(Message):
        """Show what the proposal rests on, and jump there."""

        view: ProposalView

    @dataclass
    class Court(Message):
        """Hear what the proposal meets."""

        view: ProposalView

    @dataclass
    class Undo(Message):
        """Take back what a commit made of the proposal."""

        view: ProposalView

    @dataclass
    class Highlighted(Message):
        """The cursor stands on another proposal (or, as the list is empty, on none)."""

        view: ProposalView | None

    def __init__(
        self,
        *,
        accept_all: Literal["ticked", "unmarked"] = "ticked",
        empty: str = "Nothing is proposed yet. What play changes in the world shows up here.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._accept_all = accept_all
        self._views: tuple[ProposalView, ...] = ()
        self._selected: set[Id] = set()
        self._label_cells = 0

    # --- what screens call -------------------------------------------------------------------------

    def show(self, views: Sequence[ProposalView]) -> None:
        """Show these; cursor and marks stay on their proposals, but for one that was closed meanwhile: the
        cursor does not go down with it to what is decided."""
        place, stood_on = self.cursor, self.current
        self._views = tuple(views)
        self._label_cells = label_width(views)
        self._selected &= {view.proposal.id for view in self._views if is_open(view)}
        self._lay_out()
        closed = stood_on and is_open(stood_on) and self.current and not is_open(self.current)
        if closed and place is not None:
            self.cursor = self._nearest(place)
        self.highlighted(self.current)

    @property
    def selected(self) -> tuple[ProposalView, ...]:
        """The rows marked with space."""
        return tuple(view for view in self._views if view.proposal.id in self._selected)

    @property
    def views(self) -> tuple[ProposalView, ...]:
        return self._views

    # --- rows --------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        shown = [view for view in self._views if matches(view, self.filter_text)]
        rows: list[Row[ProposalView]] = []
        for name, members in grouped(shown, self.grouping):
            if self.grouping is not Grouping.NONE:
                if rows:
                    rows.append(Row("", lambda width: [[]], height=1))
                draw = partial(self._draw_header, name, members)
                rows.append(Row(f"group {name}", draw, height=1))
            rows += [Row(v.proposal.id, partial(self._draw_row, v), v, height=1) for v in members]
        self.set_rows(rows)

    def _draw_row(self, view: ProposalView, width: int) -> list[Line]:
        selected = view.proposal.id in self._selected
        return [proposal_line(view, width, selected=selected, label_cells=self._label_cells)]

    def _draw_header(self, name: str, views: Sequence[ProposalView], width: int) -> list[Line]:
        return [header_line(name, views, width)]

    def highlighted(self, value: ProposalView | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Highlighted(value))

    def chosen(self, value: ProposalView) -> None:
        self.post_message(self.Evidence(value))

    def watch_grouping(self) -> None:
        self._lay_out()

    def watch_filter_text(self) -> None:
        self._lay_out()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys work only where they would do something: the key bar shows no others."""
        view = self.current
        match action, parameters:
            case "decide", (None,):
                return any(is_open(v) and v.verdict is not None for v in self._targets())
            case "decide", _:
                return view is not None and (is_open(view) or bool(self._selected))
            case (("edit" | "mark"), _):
                return view is not None and is_open(view)
            case "court", _:
                return view is not None and is_open(view) and bool(view.conflicts or view.alike)
            case "undo", _:
                return view is not None and not is_open(view) and not self._selected
            case "evidence", _:
                return view is not None
            case "accept_all", _:
                return any(self._to_accept())
        return super().check_action(action, parameters)

    # --- deciding ----------------------------------------------------------------------------------

    def _targets(self) -> tuple[ProposalView, ...]:
        marked = self.selected
        if marked:
            return marked
        return (self.current,) if self.current is not None else ()

    def action_decide(self, verdict: str | None) -> None:
        """Decide the marked rows, or the one under the cursor; then go on to the next undecided one."""
        wanted = Verdict(verdict) if verdict else None
        ids = tuple(
            view.proposal.id
            for view in self._targets()
            if is_open(view) and (wanted is not None or view.verdict is not None)
        )
        if not ids:
            return
        several = bool(self._selected)
        self._selected.clear()
        self.post_message(self.Decide(ids, wanted))
        if wanted is not None and not several:
            self._go_on()
        self._decided(ids, wanted)

    def _decided(self, ids: Collection[Id], verdict: Verdict | None) -> None:
        """Show the verdict at once; what comes of it is shown when the desk has weighed it."""
        chosen = set(ids)
        self._views = tuple(
            replace(view, verdict=verdict) if view.proposal.id in chosen else view for view in self._views
        )
        self._lay_out()

    def _go_on(self) -> None:
        if self.cursor is None:
            return
        below = range(self.cursor + 1, len(self.rows))
        target = next((i for i in below if (v := self.rows[i].value) and is_undecided(v)), None)
        if target is not None:
            self.cursor = target

    def action_mark(self) -> None:
        if self.current is None or not is_open(self.current):
            return
        self._selected ^= {self.current.proposal.id}
        if self.cursor is not None:
            self.redraw_row(self.cursor)
        self.action_move(1)

    def _to_accept(self) -> Iterator[ProposalView]:
        """Yield what `A` takes of what is shown."""
        marks = ("accept", "defer") if self._accept_all == "unmarked" else ("accept",)
        for view in (row.value for row in self.rows):
            taken = view is not None and is_undecided(view) and view.mark in marks
            if view is not None and taken and view.proposal.id not in self._selected:
                yield view

    def action_mark_all(self) -> None:
        """Mark every open row that is shown; once all are marked, none."""
        shown = {row.value.proposal.id for row in self.rows if row.value and is_open(row.value)}
        self._selected = set() if shown <= self._selected else self._selected | shown
        self.refresh_bindings()
        self.redraw()

    def action_accept_all(self) -> None:
        ids = tuple(view.proposal.id for view in self._to_accept())
        if ids:
            self._selected.clear()
            self.post_message(self.AcceptAll(ids))
            self._decided(ids, Verdict.ACCEPT)

    def action_edit(self) -> None:
        if self.current is not None and is_open(self.current):
            self.post_message(self.Edit(self.current))

    def action_evidence(self) -> None:
        if self.current is not None:
            self.post_message(self.Evidence(self.current))

    def action_court(self) -> None:
        if self.current is not None:
            self.post_message(self.Court(self.current))

    def action_undo(self) -> None:
        if self.current is not None:
            self.post_message(self.Undo(self.current))


class ProposalPanel(Vertical):
    """The scene's live panel: the list, and below it what the row under the cursor rests on."""

    DEFAULT_CSS = """
    ProposalPanel {
        border: round $border-blurred;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        background: $background;
        &:focus-within { border: round $primary; }
        & > ProposalList { height: 1fr; }
        & > ProposalAbout { border-top: solid $border-blurred; }
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
        self.list = ProposalList(accept_all=accept_all)
        self.border_title = "proposals"

    def compose(self) -> ComposeResult:
        yield self.list
        about = ProposalAbout()
        about.display = False
        yield about

    def show(self, views: Sequence[ProposalView]) -> None:
        """Show these proposals, decided ones among them."""
        self.list.show(views)
        waiting = sum(map(is_undecided, views))
        done = len(views) - waiting
        self.border_title = f"proposals {waiting}" if views else "proposals"
        self.border_subtitle = f"{done} decided" if done else ""

    def focus_list(self) -> None:
        self.list.focus()

    @on(ProposalList.Highlighted)
    def _show_detail(self, message: ProposalList.Highlighted) -> None:
        about = self.query_one(ProposalAbout)
        about.display = message.view is not None
        about.show(message.view)
