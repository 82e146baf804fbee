"""One proposal as one line, and the order and grouping of many. Pure.

✓ state   Mara.hp -3                    .80
⚠ fact    The bell was moved        ⚠ 1 .50
✗ place   H̶i̶d̶d̶e̶n̶ ̶C̶h̶a̶m̶b̶e̶r̶ ★         rejected
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

from rich.cells import cell_len

from agents.views.proposal_views import ProposalView
from agents.views.row_verdicts import is_open, is_undecided
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict
from widgets.ink import Ink, Line, Piece
from widgets.promise_words import PROMISE_LABEL, put_promise_first
from widgets.safe_text import ellipsise, one_line, pad

SELECTED_SIGN = "●"
COLUMN_CELLS = 13
"""The widest column of labels (`open question`)."""
NARROW_CELLS = 50
"""In rows of fewer cells labels make no column: each is written out, and the title begins right behind it."""
CRITICAL_SIGN = "★"
CONFLICT_SIGN = "⚠"
ALIKE_SIGN = "≈"
DOUBT_SIGN = "?"
"""What a model doubts; what the rules found has CONFLICT_SIGN."""
RETCONNED_SIGN = "×"
CONFLICT_GROUP = "in conflict"
"""The group of proposals with a conflict, which comes first."""
DECIDED_GROUP = "decided"
"""The group of what a commit closed, which comes last."""

_VERDICT_SIGNS = {
    Verdict.ACCEPT: ("✓", Ink.GOOD, "accepted"),
    Verdict.REJECT: ("✗", Ink.BAD, "rejected"),
    Verdict.FLAVOUR: ("✗", Ink.BAD, "just flavour"),
    Verdict.DEFER: ("‖", Ink.WARN, "deferred"),
    Verdict.UNDO: ("·", Ink.MUTED, "undone"),
}
_MARK_SIGNS = {
    "accept": ("✓", Ink.GOOD),
    "reject": ("✗", Ink.BAD),
    "defer": ("·", Ink.MUTED),
    "hold": (CONFLICT_SIGN, Ink.WARN),
}
_STATUS_WORDS = {
    ProposalStatus.PENDING: "",
    ProposalStatus.ACCEPTED: "in canon",
    ProposalStatus.REJECTED: "rejected",
    ProposalStatus.DEFERRED: "",
    ProposalStatus.WITHDRAWN: "withdrawn",
    ProposalStatus.FAILED: "failed",
}


class Grouping(StrEnum):
    """`NONE` keeps the order of proposing; the others put conflicts first."""

    NONE = "none"
    GROUP = "group"
    LABEL = "label"


def proposal_sign(view: ProposalView) -> Piece:
    """Return the sign for what a commit now would do, or for what was decided."""
    if view.is_retconned:
        return (RETCONNED_SIGN, Ink.MUTED)
    if view.verdict is not None:
        sign, ink, _ = _VERDICT_SIGNS[view.verdict]
        return (sign, ink)
    if view.status is ProposalStatus.FAILED:
        return (CONFLICT_SIGN, Ink.BAD)
    return _MARK_SIGNS[view.mark]


def outcome_word(view: ProposalView) -> str:
    """Return the word for how it was decided or ended; empty while nobody has decided it.

    What was left undecided at the end of its scene is undecided still: “deferred” is what the player decided.
    """
    if is_open(view) and view.verdict is not None:
        return _VERDICT_SIGNS[view.verdict][2]
    if view.is_retconned:
        return "retconned"
    if is_open(view) and view.is_replaced:
        return "replaced"
    if is_open(view) and view.adds_only_evidence:
        return "canon already"
    return "no longer so" if view.is_superseded else _STATUS_WORDS[view.status]


def is_kept_out(view: ProposalView) -> bool:
    """Return whether canon has nothing of it: rejected or withdrawn, marked for that, or retconned since."""
    is_closed_out = view.status in (ProposalStatus.REJECTED, ProposalStatus.WITHDRAWN)
    is_marked_out = is_open(view) and view.verdict is None and view.mark == "reject"
    return (
        view.is_retconned
        or is_closed_out
        or is_marked_out
        or view.verdict in (Verdict.REJECT, Verdict.FLAVOUR)
    )


def confidence_text(value: float) -> str:
    """Return 0.8 as `.80`, certainty as `1.0`."""
    return "1.0" if value >= 0.995 else f"{value:.2f}"[1:]


def proposal_line(
    view: ProposalView,
    width: int,
    *,
    selected: bool = False,
    label_cells: int = COLUMN_CELLS,
    number_cells: int = 0,
) -> Line:
    """Return a proposal at `width` cells: marks, number, kind, title, then conflicts and confidence or verdict.

    The number, which commands take, is left out with `number_cells` 0.
    """
    outcome = outcome_word(view) or ("by rule" if view.is_marked_by_rule else "")
    sign, sign_ink = proposal_sign(view)
    title_ink = Ink.STRUCK if is_kept_out(view) else Ink.PROSE if is_undecided(view) else Ink.MUTED
    head: list[Piece] = [
        (" ", Ink.PROSE),
        (SELECTED_SIGN if selected else " ", Ink.NPC),
        (sign, sign_ink),
        (f" {view.number:>{number_cells}} " if number_cells else " ", Ink.MUTED),
        (_label_text(view.label, width, label_cells), Ink.MUTED),
    ]
    tail: list[Piece] = []
    if view.is_critical:
        tail.append((f" {CRITICAL_SIGN}", Ink.WARN))
    if view.conflicts:
        tail.append((f" {CONFLICT_SIGN}{len(view.conflicts)}", Ink.BAD))
    doubt_count = sum(1 for match in view.similar_matches if match.is_model_doubt)
    alike_count = len(view.similar_matches) - doubt_count
    if alike_count and not view.conflicts:
        tail.append((f" {ALIKE_SIGN}{alike_count}", Ink.WARN))
    if doubt_count:
        tail.append((f" {DOUBT_SIGN}{doubt_count}", Ink.WARN))
    tail.append((f" {outcome}" if outcome else f" {confidence_text(view.confidence)}", Ink.MUTED))
    tail.append((" ", Ink.PROSE))
    space = max(4, width - _cell_count(head) - _cell_count(tail))
    title = view.title
    if view.label == PROMISE_LABEL and cell_len(one_line(title)) > space:
        title = put_promise_first(title)
    title = ellipsise(title, space)
    return [*head, (title, title_ink), (" " * (space - cell_len(title)), Ink.PROSE), *tail]


def _label_text(label: str, width: int, column_cells: int) -> str:
    """Return the kind, whole at every width, and the gap behind it: what a row is must never be guessed."""
    label = one_line(label)
    return (label if width < NARROW_CELLS else pad(label, max(column_cells, cell_len(label)))) + " "


def header_line(name: str, views: Sequence[ProposalView], width: int) -> Line:
    """Return a group's heading with how many of it wait and how many have a conflict."""
    undecided_count = sum(map(is_undecided, views))
    conflict_count = sum(1 for view in views if view.conflicts)
    is_partly_decided = undecided_count < len(views) and any(map(is_open, views))
    count_texts = [f"{undecided_count} of {len(views)} open" if is_partly_decided else f"{len(views)}"]
    if conflict_count:
        count_texts.append(f"{CONFLICT_SIGN}{conflict_count}")
    count = "  ".join(count_texts)
    title = ellipsise(name or "other", max(4, width - cell_len(count) - 4))
    return [(f" {title}  ", Ink.HEADING), (count, Ink.MUTED)]


def label_width(views: Iterable[ProposalView]) -> int:
    """Return the cells that the longest label takes."""
    return min(COLUMN_CELLS, max((cell_len(one_line(view.label)) for view in views), default=0))


def matches_filter(view: ProposalView, filter_text: str) -> bool:
    """Return whether every word of the filter occurs in the row or its quote."""
    text = " ".join((view.label, view.title, view.group, view.quote)).casefold()
    return all(word in text for word in filter_text.casefold().split())


def group_proposals(
    views: Iterable[ProposalView], by: Grouping, shown_in_conflict: Collection[Id] = ()
) -> list[tuple[str, list[ProposalView]]]:
    """Return (name, views) groups: conflicts first, then by name, closed ones last.

    Open rows of `shown_in_conflict` stay with the conflicts, though theirs was decided since.
    """
    views = list(views)
    if by is Grouping.NONE:
        return [("", views)] if views else []

    def group_name(view: ProposalView) -> str:
        return one_line(view.group if by is Grouping.GROUP else view.label)

    def is_in_conflict(view: ProposalView) -> bool:
        return bool(view.conflicts) or view.proposal.id in shown_in_conflict

    conflicting_views = sorted(
        (v for v in views if is_open(v) and is_in_conflict(v)), key=lambda v: group_name(v).casefold()
    )
    closed_views = [view for view in views if not is_open(view)][::-1]
    groups: dict[str, list[ProposalView]] = {}
    for view in views:
        if is_open(view) and not is_in_conflict(view):
            groups.setdefault(group_name(view), []).append(view)
    ordered_groups = sorted(groups.items(), key=lambda item: item[0].casefold())
    conflict_groups = [(CONFLICT_GROUP, conflicting_views)] if conflicting_views else []
    closed_groups = [(DECIDED_GROUP, closed_views)] if closed_views else []
    return [*conflict_groups, *ordered_groups, *closed_groups]


def _cell_count(pieces: Iterable[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)
