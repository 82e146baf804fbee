"""Folds the moves of one clock, number or person in a scene into one row of the gate, which one verdict decides. Pure.

So are the steps of one matter that a model reported (who has a thing after whom, a promise and how it was kept), a
death that was told twice, and what a model found of scenery in a scene. Each step belongs to its own turn, so that undo
withdraws that step alone. A change that contradicts something has a row of its own, and moves that come to nothing have
none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import ALIVE, LOCATED_IN, SUBJECT
from agents.canon_keeper.proposal_rows import is_minor_detail
from agents.canon_keeper.proposal_subjects import named_facts
from agents.proposals.decisions import BY_POLICY, CAME_TO_NOTHING, gm_decision, is_rejected
from agents.views.gate_views import CommitReport, LeftOpen
from agents.views.proposal_views import ProposalView
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    EndFact,
    FactValue,
    Payload,
    Standing,
    StateChange,
    StateOp,
)
from stores.records.ids import Id
from stores.records.workflow import (
    OPEN_STATUSES,
    WAITING_STATUSES,
    Decision,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Verdict,
)

RowKey = tuple[object, ...]


def is_foldable(proposal: ProposedChange) -> bool:
    """Return whether the proposal may share a row with others."""
    payload = proposal.payload
    is_move = isinstance(payload, AdvanceClock | StateChange) or _find_placed(payload) is not None
    is_shared = is_move or _find_dead(payload) is not None or is_minor_detail(proposal)
    return is_shared and proposal.scene_id is not None


def find_chains(proposals: Iterable[ProposedChange]) -> dict[Id, Id]:
    """Return by proposal the first step of its matter, for those of more than one step, in the order of the line.

    A step is what a model reported: a fact, and what ends or replaces it while both are open.
    """
    first_by_proposal: dict[Id, Id] = {}
    steps_by_fact: dict[Id, ProposedChange] = {}
    for proposal in proposals:
        if not _may_be_step(proposal):
            continue
        earlier_steps = [steps_by_fact[i] for i in named_facts(proposal.change) if i in steps_by_fact]
        for earlier_step in earlier_steps[:1]:
            first_id = first_by_proposal.setdefault(earlier_step.id, earlier_step.id)
            first_by_proposal[proposal.id] = first_id
        if isinstance(proposal.change, AssertFact):
            steps_by_fact[fact_id_of(proposal)] = proposal
    return first_by_proposal


def _may_be_step(proposal: ProposedChange) -> bool:
    """Say whether it is what a model reported, which has a weight: what plain lines state is decided one by one."""
    return (
        proposal.authority is Authority.SYSTEM
        and proposal.weight is not None
        and proposal.scene_id is not None
        and proposal.status in OPEN_STATUSES
        and isinstance(proposal.change, AssertFact | EndFact)
    )


def expand_to_row_ids(rows: Iterable[ProposalView], ids: Iterable[Id]) -> list[Id]:
    """Return the ids with those of the other moves in the same rows."""
    member_ids_by_id = {member_id: row.member_ids for row in rows for member_id in row.member_ids}
    return list(dict.fromkeys(member_id for i in ids for member_id in (i, *member_ids_by_id.get(i, ()))))


def fold_rows(views: Sequence[ProposalView]) -> tuple[ProposalView, ...]:
    """Return the rows: the moves of one clock, number or person, or the steps of one matter, are one row.

    It is in the place of the first of them, and has its number.
    """
    members_by_row: dict[RowKey, list[ProposalView]] = {}
    chains = find_chains(view.proposal for view in views)
    returned_to = _find_stays_returned_to(views)
    for view in views:
        row_key = _row_key(view, chains, returned_to) or ("row", view.proposal.id)
        members_by_row.setdefault(row_key, []).append(view)
    folded_rows = (_fold_members(members) for members in members_by_row.values())
    return _name_replacements([row for row in folded_rows if row is not None])


def _name_replacements(rows: Sequence[ProposalView]) -> tuple[ProposalView, ...]:
    """Return the rows, of which two that a commit would write say so if one of them replaces the other."""
    ticked_rows = {i: row for row in rows if row.mark == "accept" for i in row.member_ids}
    reasons: defaultdict[Id, list[str]] = defaultdict(list)
    replaced_ids = set[Id]()
    for row in rows:
        for replaced_id in row.replaced_ids if row.mark == "accept" else ():
            replaced_row = ticked_rows.get(replaced_id)
            if replaced_row is not None and replaced_row is not row:
                reasons[row.proposal.id].append(f"It replaces “{replaced_row.title}” of the same commit.")
                reasons[replaced_row.proposal.id].append(f"“{row.title}” replaces it in the same commit.")
                replaced_ids.add(replaced_row.proposal.id)
    return tuple(
        replace(row, reasons=(*row.reasons, *reasons[i]), is_replaced=i in replaced_ids)
        if (i := row.proposal.id) in reasons
        else row
        for row in rows
    )


def sort_by_weight(rows: Iterable[ProposalView]) -> tuple[ProposalView, ...]:
    """Return the rows with what a model reported behind the rest, what matters most first; numbers stay."""
    return tuple(
        sorted(rows, key=lambda row: -(row.proposal.weight if row.proposal.weight is not None else 101))
    )


def number_rows(rows: Iterable[ProposalView]) -> tuple[ProposalView, ...]:
    """Return the rows, numbered from 1."""
    return tuple(_with_number(row, number) for number, row in enumerate(rows, start=1))


def _with_number(row: ProposalView, number: int) -> ProposalView:
    return row if row.number == number else replace(row, number=number)  # a copy of thousands takes long


def split_off_nothing(
    rows: Iterable[ProposalView], proposals: Iterable[ProposedChange]
) -> tuple[list[ProposedChange], list[ProposedChange]]:
    """Return the proposals that a commit is of, and those that no row is of: together they change nothing.

    What was rejected is closed as such.
    """
    member_ids = {member_id for row in rows for member_id in row.member_ids}
    committed: list[ProposedChange] = []
    nothing: list[ProposedChange] = []
    for proposal in proposals:
        has_row = proposal.id in member_ids or is_rejected(proposal)
        (committed if has_row else nothing).append(proposal)
    return committed, nothing


def close_as_nothing(proposals: Iterable[ProposedChange], at: datetime) -> list[ProposalOutcome]:
    """Return that these steps are closed, since what they come to is as canon has it."""
    decision = Decision(verdict=Verdict.REJECT, by=BY_POLICY, at=at, reason=CAME_TO_NOTHING)
    return [
        ProposalOutcome(proposal_id=p.id, status=ProposalStatus.REJECTED, decision=decision)
        for p in proposals
    ]


def count_by_row(
    report: CommitReport,
    rows: Sequence[ProposalView],
    proposals: Iterable[ProposedChange],
) -> CommitReport:
    """Return the report with what it closed, and what it left open, counted in rows, as the gate counts.

    `rows` are those before the commit, and `proposals` what it was of, as they were then.
    """
    statuses = report.statuses
    proposals = tuple(proposals)
    waiting_ids = {p.id for p in proposals if statuses.get(p.id, p.status) in WAITING_STATUSES}
    surplus_counts: defaultdict[ProposalStatus, int] = defaultdict(int)
    replaced_ids = {proposal_id for proposal_id, _ in report.replaced}
    folded_ids = {
        proposal_id for row in rows for proposal_id in _moves_within_row(row, statuses, replaced_ids)
    }
    for row in rows:
        for status in {statuses[i] for i in row.member_ids if i in statuses}:
            # All members but one are counted too many: they were one row, and one verdict.
            surplus_counts[status] += sum(statuses.get(i) is status for i in row.member_ids) - 1
    for proposal in split_off_nothing(rows, proposals)[1]:
        if proposal.id in statuses:
            surplus_counts[statuses[proposal.id]] += 1
    return replace(
        report,
        accepted_count=report.accepted_count - surplus_counts[ProposalStatus.ACCEPTED],
        rejected_count=report.rejected_count - surplus_counts[ProposalStatus.REJECTED],
        deferred_count=report.deferred_count - surplus_counts[ProposalStatus.DEFERRED],
        left_open=_count_left_open(rows, waiting_ids),
        replaced=tuple((i, words) for i, words in report.replaced if i not in folded_ids),
    )


def _moves_within_row(
    row: ProposalView, statuses: Mapping[Id, ProposalStatus], replaced_ids: Collection[Id]
) -> list[Id]:
    """Return the row's accepted moves that its own later ones replaced: the row as a whole was not."""
    accepted_ids = [i for i in row.member_ids if statuses.get(i) is ProposalStatus.ACCEPTED]
    outlasting_ids = [i for i in accepted_ids if i not in replaced_ids] or accepted_ids[-1:]
    return [i for i in accepted_ids if i not in outlasting_ids]


def _count_left_open(rows: Iterable[ProposalView], waiting_ids: Collection[Id]) -> LeftOpen:
    """Count the rows that wait on, by why they do."""
    waiting_rows = [row for row in rows if any(i in waiting_ids for i in row.member_ids)]
    deferred_count = sum(row.verdict is Verdict.DEFER for row in waiting_rows)
    conflict_count = sum(row.mark == "hold" for row in waiting_rows)
    return LeftOpen(conflict_count, len(waiting_rows) - conflict_count - deferred_count, deferred_count)


def _fold_members(members: Sequence[ProposalView]) -> ProposalView | None:
    """Return the members as one row; None if together they change nothing."""
    first, last = members[0], members[-1]
    if first is last:
        return None if _is_without_effect(last) else last
    if _find_placed(last.proposal.change):
        steps = " ".join(row.title for row in members)
        reason = f"{len(members)} moves in one row ({steps}); you decide on all of them."
        return _build_folded_row(members, last.title, ("", "", ""), reason)
    if all(row.is_scenery for row in members):
        title = "Scenery: " + " ".join(row.title for row in members)
        details = "; ".join(row.title.rstrip(".") for row in members)
        reason = f"{len(members)} details of places in one row ({details}); you decide on all of them."
        return _build_folded_row(members, title, ("", "", ""), reason)
    if isinstance(last.proposal.change, AssertFact | EndFact):
        steps = "; ".join(row.title.rstrip(".") for row in members)
        reason = f"{len(members)} steps in one row ({steps}); you decide on all of them."
        return _build_folded_row(members, last.title, last.diff[0] if last.diff else ("", "", ""), reason)
    (changed_key, _, after), (_, before, _) = (
        row.diff[0] if row.diff else ("", "", "") for row in (last, first)
    )
    if isinstance(last.proposal.change, StateChange):
        if changed_key and before == after:
            return None
        title = f"{last.group}: {changed_key} {before} → {after}" if changed_key else last.title
        steps = ", ".join(row.title.rpartition(": ")[2] for row in members)
        reason = f"{len(members)} changes in one row ({steps}); you decide on all of them."
        return _build_folded_row(members, title, (changed_key, before, after), reason)
    if last.label == "track" and changed_key:
        title = last.title
    elif changed_key:
        size_and_rest = last.title.rpartition(" of ")[2]
        if before == after and size_and_rest.isdecimal():
            if not first.title.endswith(", begins"):
                return None
            size_and_rest += ", begins"
        movement = after if before == after else f"{before} → {after}"
        title = f"{changed_key} {movement} of {size_and_rest}"
    else:
        step_count = sum(
            c.by for c in (row.proposal.change for row in members) if isinstance(c, AdvanceClock)
        )
        title = f"{last.group} {step_count:+d}"
    reason = f"{len(members)} moves in one row; you decide on all of them."
    return _build_folded_row(members, title, (changed_key, before, after), reason)


def _is_without_effect(row: ProposalView) -> bool:
    """Return whether the row adds to a number that stays as it is: at its floor, or by nothing."""
    change = row.proposal.change
    adds = isinstance(change, StateChange) and change.op is StateOp.ADD and row.status in OPEN_STATUSES
    return adds and not row.conflicts and bool(row.diff) and row.diff[0][1] == row.diff[0][2]


def _build_folded_row(
    members: Sequence[ProposalView], title: str, diff: tuple[str, str, str], reason: str
) -> ProposalView:
    last = members[-1]
    return replace(
        last,
        number=min(row.number for row in members),
        title=title,
        diff=(diff,) if diff[0] else (),
        member_ids=tuple(row.proposal.id for row in members),
        reasons=(*last.reasons, reason),
    )


def _row_key(view: ProposalView, chains: Mapping[Id, Id], returned_to: Collection[Id]) -> RowKey | None:
    """Return what the moves of one row have in common; None for a proposal with a row of its own.

    `returned_to` are the stays from which journeys set out that end where they began: part of the way.
    """
    proposal = view.proposal
    if proposal.scene_id is None or view.conflicts:
        return None
    change, decision = proposal.change, gm_decision(proposal)
    match change:
        case AdvanceClock():
            subject: RowKey = (change.predicate,)
        case AssertFact() | EndFact() if proposal.id in chains:
            subject = ("matter", chains[proposal.id], view.mark)
        case StateChange() | AssertFact() if _find_dead(change) and proposal.status in OPEN_STATUSES:
            subject = ("death", _find_dead(change))
        case StateChange(op=StateOp.ADD | StateOp.SET, value=value) if (
            _is_number(value) and proposal.status in OPEN_STATUSES
        ):
            subject = (change.entity_id, change.key.casefold())
        case AssertFact() if view.is_scenery and proposal.status in OPEN_STATUSES:
            subject = ("scenery", view.mark)
        case AssertFact() if _find_placed(change) and proposal.status in OPEN_STATUSES:
            if not change.ends and fact_id_of(proposal) not in returned_to:
                return None
            subject = (LOCATED_IN, _find_placed(change), view.mark)
        case _:
            return None
    # What became canon by two commits was decided by two verdicts, whatever was undone and redone in between.
    commit_id = None if proposal.status in OPEN_STATUSES else proposal.canonization_id
    return proposal.scene_id, subject, proposal.status, decision and decision.verdict, commit_id


def _find_placed(change: Payload) -> Id | None:
    """Return who or what is in a place by a change; None if nobody is."""
    if not isinstance(change, AssertFact) or change.predicate != LOCATED_IN:
        return None
    return next((i.entity_id for i in change.involves if i.role == SUBJECT), None)


def _find_stays_returned_to(views: Sequence[ProposalView]) -> set[Id]:
    """Return the stays that a journey ended whose last one led back: both would be rows of the same words."""
    moves = [
        (view.proposal, change, placed_id)
        for view in views
        if isinstance(change := view.proposal.change, AssertFact) and (placed_id := _find_placed(change))
    ]
    ended = {fact_id for _, change, _ in moves for fact_id in change.ends}
    last_statements = {placed_id: change.statement for _, change, placed_id in moves}
    return {
        fact_id
        for proposal, change, placed_id in moves
        if (fact_id := fact_id_of(proposal)) in ended and change.statement == last_statements[placed_id]
    }


def _find_dead(change: Payload) -> Id | None:
    """Return who dies by a change, of a being's state or as a fact; None if nobody does."""
    match change:
        case StateChange(key=key, value=False) if key == ALIVE:
            return change.entity_id
        case AssertFact(value=False, standing=Standing.TRUE) if change.predicate == ALIVE:
            return next((i.entity_id for i in change.involves if i.role == SUBJECT), None)
        case _:
            return None


def _is_number(value: FactValue | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
