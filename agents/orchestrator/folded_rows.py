"""Folds the moves of one clock or number in a scene into one row of the gate, which one verdict decides. Pure.

Each move belongs to its own turn, so that undo withdraws that move alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.proposals.decisions import gm_decision
from agents.views.play_views import ProposalView
from stores.records.canon import AdvanceClock, FactValue, StateChange, StateOp
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange

RowKey = tuple[object, ...]


def expand_to_row_ids(proposals: Iterable[ProposedChange], ids: Iterable[Id]) -> list[Id]:
    """Return the ids with those of the other moves in the same rows."""
    ids_by_row: defaultdict[RowKey, list[Id]] = defaultdict(list)
    keys_by_id: dict[Id, RowKey] = {}
    for proposal in proposals:
        if (key := _row_key(proposal)) is not None:
            ids_by_row[key].append(proposal.id)
            keys_by_id[proposal.id] = key
    return list(
        dict.fromkeys(
            row_member_id
            for i in ids
            for row_member_id in (i, *(ids_by_row[keys_by_id[i]] if i in keys_by_id else ()))
        )
    )


def fold_rows(views: Sequence[ProposalView]) -> tuple[ProposalView, ...]:
    """Return the rows, renumbered; the moves of one clock or number are one row in the place of the last of them."""
    members_by_row: dict[RowKey, list[ProposalView]] = {}
    for view in views:
        key = _row_key(view.proposal) or ("row", view.proposal.id)
        members = members_by_row.pop(key, [])
        members_by_row[key] = [*members, view]
    folded_views = (_fold_members(members) for members in members_by_row.values())
    return tuple(
        view if view.number == number else replace(view, number=number)
        for number, view in enumerate(folded_views, start=1)
    )


def _fold_members(members: Sequence[ProposalView]) -> ProposalView:
    first, last = members[0], members[-1]
    if first is last:
        return last
    (changed_key, _, after), (_, before, _) = (
        row.diff[0] if row.diff else ("", "", "") for row in (last, first)
    )
    if isinstance(last.proposal.change, StateChange):
        title = f"{last.group}: {changed_key} {before} → {after}" if changed_key else last.title
        steps = ", ".join(row.title.rpartition(": ")[2] for row in members)
        reason = f"{len(members)} changes in one row ({steps}); you decide on all of them."
        return _build_folded_row(members, title, (changed_key, before, after), reason)
    if last.label == "track" and changed_key:
        title = last.title
    elif changed_key:
        title = f"{changed_key} {before} → {after} of {last.title.rpartition(' of ')[2]}"
    else:
        step_count = sum(
            c.by for c in (row.proposal.change for row in members) if isinstance(c, AdvanceClock)
        )
        title = f"{last.group} {step_count:+d}"
    reason = f"{len(members)} moves in one row; you decide on all of them."
    return _build_folded_row(members, title, (changed_key, before, after), reason)


def _build_folded_row(
    members: Sequence[ProposalView], title: str, diff: tuple[str, str, str], reason: str
) -> ProposalView:
    last = members[-1]
    return replace(
        last,
        title=title,
        diff=(diff,) if diff[0] else (),
        mark="hold" if any(row.mark == "hold" for row in members) else last.mark,
        conflicts=tuple(conflict for row in members for conflict in row.conflicts),
        reasons=(*last.reasons, reason),
    )


def _row_key(proposal: ProposedChange) -> RowKey | None:
    """Return what the moves of one row have in common; None for a proposal with a row of its own."""
    change, decision = proposal.change, gm_decision(proposal)
    match change:
        case AdvanceClock():
            subject: RowKey = (change.predicate,)
        case StateChange(op=StateOp.ADD | StateOp.SET, value=value) if (
            _is_number(value) and proposal.status in OPEN_STATUSES
        ):
            subject = (change.entity_id, change.key.casefold())
        case _:
            return None
    if proposal.scene_id is None:
        return None
    return proposal.scene_id, subject, proposal.status, decision and decision.verdict


def _is_number(value: FactValue | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
