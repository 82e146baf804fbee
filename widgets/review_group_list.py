"""The groups of a document's review: one row for an entity or a page, with keys that decide all of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.ingest_views import ReviewGroup
from stores.records.workflow import Verdict
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import pad
from widgets.single_keys import SingleKeys


class ReviewGroupList(RowList[ReviewGroup], SingleKeys):
    """Groups by row. A key decides what is undecided in the group, and goes on to the next that is undecided."""

    HELP_TITLE: ClassVar[str] = "Groups of a review"
    HELP_TEXT: ClassVar[str] = (
        "✓ all accepted, ✗ all rejected, ‖ left for later, ◐ in part, · undecided. ★ is known in your world already. "
        "a accepts all of the group, r rejects it, c too as just flavour, d leaves it for later, u makes it undecided "
        "again. A accepts all groups that are shown, after a filter too, once you say yes, and J rejects them. Ctrl+Z "
        "undoes the last decision. Right or Tab goes to the group's rows, to decide one by one. What is undecided "
        "waits: nothing is lost."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('accept')", "Accept", id="groups.accept", tooltip="Accept all of this group"),
        Binding("r", "decide('reject')", "Reject", id="groups.reject", tooltip="Keep all of it out of canon"),
        Binding(
            "c",
            "decide('colour')",
            "Just flavour",
            id="groups.flavour",
            tooltip="Flavour text, no facts: reject",
        ),
        Binding("d", "decide('defer')", "Defer", id="groups.defer", tooltip="Leave the group for later"),
        Binding(
            "u", "decide(None)", "Undo it", id="groups.undecide", tooltip="Make the group undecided again"
        ),
        Binding(
            "A",
            "accept_all",
            "Accept all",
            id="groups.accept_all",
            tooltip="Accept all groups that are shown, without merges and conflicts",
        ),
        Binding(
            "J",
            "reject_all",
            "Reject all",
            id="groups.reject_all",
            tooltip="Reject all groups that are shown",
            show=False,  # else the line of keys has no room for Help on 80 columns
        ),
        Binding("right", "rows", "Rows", id="groups.rows", tooltip="Decide the rows one by one"),
    ]

    @dataclass
    class Moved(Message):
        """The cursor is on another group, or on none."""

        group: ReviewGroup | None

    @dataclass
    class Decided(Message):
        """All that is undecided in a group is to get this verdict; None makes all of it undecided."""

        group: ReviewGroup
        verdict: Verdict | None

    @dataclass
    class AllDecided(Message):
        """All that is undecided in these groups is to be accepted, or rejected."""

        groups: tuple[ReviewGroup, ...]
        verdict: Verdict

    class RowsRequested(Message):
        """The rows of the group under the cursor are to be decided one by one."""

    is_closed = False
    """Whether the groups are of what commits have closed: nothing is decided there."""

    def show_groups(self, groups: Sequence[ReviewGroup], *, is_closed: bool = False) -> None:
        """Show these; the cursor stays on its group."""
        self.is_closed = is_closed
        self.set_rows([ListRow(g.key, partial(_row_lines, g), g, height=1) for g in groups])

    def go_to(self, key: str) -> None:
        """Put the cursor on this group, if it is shown."""
        if (index := self.find_row(key)) is not None:
            self.cursor = index

    def row_highlighted(self, value: ReviewGroup | None) -> None:
        self.refresh_bindings()
        self.post_message(self.Moved(value))

    def row_chosen(self, value: ReviewGroup) -> None:
        self.action_rows()

    def action_rows(self) -> None:
        self.post_message(self.RowsRequested())

    def action_decide(self, verdict: str | None) -> None:
        if self.current is not None:
            self.post_message(self.Decided(self.current, Verdict(verdict) if verdict else None))
            if verdict:
                self.go_to_next(lambda group: group.undecided_count > 0)

    def action_accept_all(self) -> None:
        self.post_message(self.AllDecided(self._undecided_groups(), Verdict.ACCEPT))

    def action_reject_all(self) -> None:
        self.post_message(self.AllDecided(self._undecided_groups(), Verdict.REJECT))

    def _undecided_groups(self) -> tuple[ReviewGroup, ...]:
        return tuple(row.value for row in self.rows if row.value and row.value.undecided_count)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "decide":
                return self.current is not None and not self.is_closed
            case "rows":
                return self.current is not None
            case "accept_all" | "reject_all":
                return not self.is_closed and any(self._undecided_groups())
        return super().check_action(action, parameters)


def _row_lines(group: ReviewGroup, width: int) -> list[Line]:
    sign, ink = _sign(group)
    counts = f"{group.count:,}" + (f" · p. {group.first_page}" if group.first_page is not None else "")
    known = "★ " if group.is_in_play else ""
    title_width = max(4, width - 4 - len(known) - len(counts) - 1)
    return [
        [
            (f" {sign} ", ink),
            (known, Ink.YOU),
            (f"{pad(group.title, title_width)} ", Ink.PROSE if group.undecided_count else Ink.MUTED),
            (counts, Ink.MUTED),
        ]
    ]


def _sign(group: ReviewGroup) -> tuple[str, Ink]:
    if group.accepted_count == group.count:
        return "✓", Ink.GOOD
    if group.rejected_count == group.count:
        return "✗", Ink.BAD
    if group.later_count == group.count:
        return "‖", Ink.WARN
    if group.undecided_count == group.count:
        return "·", Ink.MUTED
    return "◐", Ink.WARN
