"""What a ruling makes of each of the two statements, as whole sentences. Pure."""

from __future__ import annotations

from typing import Final, assert_never

from agents.canon_keeper.conflicts.conflict_reader import FactConflict
from agents.services.commit_preview import format_moment
from agents.views.conflict_views import RulingRequest
from stores.records.canon import Standing
from stores.records.workflow import Ruling, RulingKind
from stores.records.world import Calendar

STANDING_WORDS: Final = {
    Standing.RUMOUR: "only as a rumour",
    Standing.LIE: "only as a lie",
    Standing.DISPUTED: "as disputed",
    Standing.TRUE: "as true",
}
"""How canon keeps a statement."""


def describe_both_statements(
    fact_conflict: FactConflict, ruling: Ruling, request: RulingRequest, calendar: Calendar
) -> tuple[str, str]:
    """Return what becomes of the new statement, and what of the old one."""
    is_old_proposed = fact_conflict.other_proposal is not None
    stays = "becomes canon" if is_old_proposed else "stays in canon"
    begin_tick = fact_conflict.claim.valid_from if ruling.tick is None else ruling.tick
    moment = "then" if begin_tick is None else format_moment(calendar, begin_tick)
    kept_words = STANDING_WORDS[ruling.standing or Standing.RUMOUR]
    yields_old = request.yielding == "old"
    match ruling.ruling:
        case RulingKind.FROM_NOW:
            return f"New: it becomes canon, true from {moment}.", f"Old: it {stays}, true until {moment}."
        case RulingKind.NEW:
            gone = "it is rejected." if is_old_proposed else "it leaves canon: it was never true."
            return "New: it becomes canon.", f"Old: {gone}"
        case RulingKind.OLD:
            return "New: it is rejected.", f"Old: it {stays} as it is."
        case RulingKind.BOTH if yields_old:
            return "New: it becomes canon, as true.", f"Old: it {stays} {kept_words}."
        case RulingKind.BOTH:
            return f"New: it becomes canon {kept_words}.", f"Old: it {stays}, as true."
        case RulingKind.BOUNDED if request.yielding != "new":
            return f"New: it becomes canon, true from {moment}.", f"Old: it {stays}, true until {moment}."
        case RulingKind.BOUNDED:
            return f"New: it becomes canon, true until {moment}.", f"Old: it {stays}, true from {moment}."
        case RulingKind.SPLIT:
            shared_names = fact_conflict.shared
            shared_name = shared_names.get(request.entity_id or "") or next(iter(shared_names.values()))
            other_name = request.name or f"another {shared_name}"
            new_name, old_name = (shared_name, other_name) if yields_old else (other_name, shared_name)
            return f"New: it becomes canon, about {new_name}.", f"Old: it {stays}, about {old_name}."
        case _ as unreachable:
            assert_never(unreachable)
