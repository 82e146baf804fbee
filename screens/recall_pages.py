"""The screen for each place where the record and those in it are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import recall_routes as routes
from screens.base import DeskScreen
from screens.characters import CharactersScreen
from screens.query import QueryScreen

if TYPE_CHECKING:
    from agents.desk import Desk


def recall_page(desk: Desk, route: routes.RecallRoute) -> DeskScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToQuery(universe_id, story_id, scene_id, words):
            return QueryScreen(desk, universe_id, story_id, scene_id, words)
        case routes.ToCharacters(universe_id, entity_id, beside):
            return CharactersScreen(desk, universe_id, entity_id, beside=beside)
        case _:
            assert_never(route)
