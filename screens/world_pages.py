"""The screen for each place that the Universe screen leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import world_routes as routes
from screens.base import DeskScreen
from screens.history import HistoryScreen
from screens.ledger import LedgerScreen
from screens.lookalikes import LookalikesScreen
from screens.merge import MergeScreen
from screens.moment import MomentScreen
from screens.retcon import RetconScreen
from screens.taken_back import TakenBackScreen
from screens.ties import TiesScreen
from screens.timeline import TimelineScreen

if TYPE_CHECKING:
    from agents.desk import Desk


def world_page(desk: Desk, route: routes.WorldRoute) -> DeskScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToRetcon(subject_id):
            return RetconScreen(desk, subject_id)
        case routes.ToLookalikes(universe_id, entity_id):
            return LookalikesScreen(desk, universe_id, entity_id)
        case routes.ToMerge(kept_id, absorbed_id):
            return MergeScreen(desk, kept_id, absorbed_id)
        case routes.ToHistory(fact_id):
            return HistoryScreen(desk, fact_id)
        case routes.ToMoment(universe_id):
            return MomentScreen(desk, universe_id)
        case routes.ToTimeline(universe_id):
            return TimelineScreen(desk, universe_id)
        case routes.ToTies(entity_id):
            return TiesScreen(desk, entity_id)
        case routes.ToTakenBack(universe_id):
            return TakenBackScreen(desk, universe_id)
        case routes.ToLedger(universe_id, scene_id):
            return LedgerScreen(desk, universe_id, scene_id)
        case _:
            assert_never(route)
