"""The screen for each place where the record and those in it are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.query import QueryScreen
from screens.recall_routes import RecallRoute

if TYPE_CHECKING:
    from agents.desk import Desk
    from screens.base import DeskScreen


def recall_page(desk: Desk, route: RecallRoute) -> DeskScreen[None]:
    """Return the screen that a route leads to."""
    return QueryScreen(desk, route.universe_id, route.story_id, route.scene_id, route.words)
