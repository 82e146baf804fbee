"""Several moves of one clock in one scene are one row of the gate, and a verdict on it is on all of them.

Each move hangs on its own turn, so that undo takes back that one alone. Pure.
"Gate fatigue is the likeliest failure".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.canon_keeper.decisions import gm_decision
from agents.views.play_views import ProposalView
from stores.records.canon import AdvanceClock
from stores.records.ids import Id
from stores.records.workflow import ProposedChange

Key = tuple[object, ...]


def together(proposals: Iterable[ProposedChange], ids: Iterable[Id]) -> list[Id]:
    """Return the ids with those of the other moves that stand in the same rows."""
    rows: defaultdict[Key, list[Id]] = defaultdict(list)
    keys: dict[Id, Key] = {}
    for proposal in proposals:
        if (key := _key(proposal)) is not None:
            rows[key].append(proposal.id)
            keys[proposal.id] = key
    return list(dict.fromkeys(one for i in ids for one in (i, *(rows[keys[i]] if i in keys else ()))))


def folded_rows(views: Sequence[ProposalView]) -> tuple[ProposalView, ...]:
    """Return the rows with moves of one clock as one, where the last of them stood; numbered anew."""
    rows: dict[Key, list[ProposalView]] = {}
    for view in views:
        key = _key(view.proposal) or ("row", view.proposal.id)
        members = rows.pop(key, [])
        rows[key] = [*members, view]
    one_each = (_one(members) for members in rows.values())
    return tuple(replace(view, number=number) for number, view in enumerate(one_each, start=1))


def _one(members: Sequence[ProposalView]) -> ProposalView:
    first, last = members[0], members[-1]
    if first is last:
        return last
    (what, _, after), (_, before, _) = (row.diff[0] if row.diff else ("", "", "") for row in (last, first))
    if last.label == "track" and what:
        title = last.title
    elif what:
        title = f"{what} {before} -> {after} of {last.title.rpartition(' of ')[2]}"
    else:
        steps = sum(c.by for c in (row.proposal.change for row in members) if isinstance(c, AdvanceClock))
        title = f"{last.group} {steps:+d}"
    return replace(
        last,
        title=title,
        diff=((what, before, after),) if what else (),
        mark="hold" if any(row.mark == "hold" for row in members) else last.mark,
        conflicts=tuple(conflict for row in members for conflict in row.conflicts),
        reasons=(*last.reasons, f"{len(members)} moves in one row: a verdict is on all of them."),
    )


def _key(proposal: ProposedChange) -> Key | None:
    """Return what the moves of one row have in common; None for what stands alone."""
    change, decided = proposal.change, gm_decision(proposal)
    if not isinstance(change, AdvanceClock) or proposal.scene_id is None:
        return None
    return proposal.scene_id, change.predicate, proposal.status, decided and decided.verdict
