"""The screen for each place that the Universe screen leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import world_routes as routes
from screens.base import ServiceScreen
from screens.world.commitments_screen import CommitmentsScreen
from screens.world.fact_history_screen import FactHistoryScreen
from screens.world.lookalikes_screen import LookalikesScreen
from screens.world.merge_screen import MergeScreen
from screens.world.moment_screen import MomentScreen
from screens.world.relations_screen import RelationsScreen
from screens.world.removed_canon_screen import RemovedCanonScreen
from screens.world.retcon_screen import RetconScreen
from screens.world.timeline_screen import TimelineScreen

if TYPE_CHECKING:
    from agents.services.services import Services


def world_screen_for(services: Services, route: routes.WorldRoute) -> ServiceScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToRetcon(subject_id):
            return RetconScreen(services, subject_id)
        case routes.ToLookalikes(universe_id, entity_id):
            return LookalikesScreen(services, universe_id, entity_id)
        case routes.ToMerge(kept_id, absorbed_id):
            return MergeScreen(services, kept_id, absorbed_id)
        case routes.ToHistory(fact_id):
            return FactHistoryScreen(services, fact_id)
        case routes.ToMoment(universe_id):
            return MomentScreen(services, universe_id)
        case routes.ToTimeline(universe_id):
            return TimelineScreen(services, universe_id)
        case routes.ToRelations(entity_id):
            return RelationsScreen(services, entity_id)
        case routes.ToRemovedCanon(universe_id):
            return RemovedCanonScreen(services, universe_id)
        case routes.ToCommitments(universe_id, scene_id):
            return CommitmentsScreen(services, universe_id, scene_id)
        case _:
            assert_never(route)
