"""The order of the rulings that a conflict allows: Enter makes the first."""

from __future__ import annotations

from agents.canon_keeper.conflicts.conflict_reader import FactConflict
from agents.services.ruling_options import list_ruling_options
from agents.views.proposal_views import ConflictView
from stores.records.canon import Fact
from stores.records.workflow import RulingKind
from stores.records.world import Calendar
from tests.agents.canon_keeper.contradiction_cases import DEAD_ORC, MOOD, does
from tests.agents.canon_keeper.proposal_builders import CATALOGUE, MARA, ORC, fact


def first_option(check_name: str, other: Fact) -> str:
    conflict = FactConflict(
        proposal=does(ORC, "The orc fought.", valid_from=90),
        claim=fact("mood", MARA, value="glad", valid_from=90),
        other=other,
        catalogue=CATALOGUE,
        conflict=ConflictView(check_name, "the two cannot both be true"),
        rulings=tuple(RulingKind),
    )
    return list_ruling_options(conflict, Calendar(), 100)[0].name


def test_ruling_options_never_begin_with_what_revives_the_dead() -> None:
    assert first_option("dead_do_not_act", DEAD_ORC) == "old"
    assert first_option("one_value", MOOD) == "new"
