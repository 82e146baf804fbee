"""The screen for each place that the Universe screen leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import world_routes as routes
from screens.base import ServiceScreen
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
    from agents.services.services import Services


def world_page(services: Services, route: routes.WorldRoute) -> ServiceScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToRetcon(subject_id):
            return RetconScreen(services, subject_id)
        case routes.ToLookalikes(universe_id, entity_id):
            return LookalikesScreen(services, universe_id, entity_id)
        case routes.ToMerge(kept_id, absorbed_id):
            return MergeScreen(services, kept_id, absorbed_id)
        case routes.ToHistory(fact_id):
            return HistoryScreen(services, fact_id)
        case routes.ToMoment(universe_id):
            return MomentScreen(services, universe_id)
        case routes.ToTimeline(universe_id):
            return TimelineScreen(services, universe_id)
        case routes.ToTies(entity_id):
            return TiesScreen(services, entity_id)
        case routes.ToTakenBack(universe_id):
            return TakenBackScreen(services, universe_id)
        case routes.ToLedger(universe_id, scene_id):
            return LedgerScreen(services, universe_id, scene_id)
        case _:
            assert_never(route)
