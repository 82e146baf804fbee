"""The screen for each place where the record and those in it are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import query_routes as routes
from screens.base import ServiceScreen
from screens.characters.characters_screen import CharactersScreen
from screens.query.query_screen import QueryScreen

if TYPE_CHECKING:
    from agents.services.services import Services


def query_screen_for(services: Services, route: routes.QueryRoute) -> ServiceScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToQuery(universe_id, story_id, scene_id, words):
            return QueryScreen(services, universe_id, story_id, scene_id, words)
        case routes.ToCharacters(universe_id, entity_id, beside):
            return CharactersScreen(services, universe_id, entity_id, from_other_screen=beside)
        case _:
            assert_never(route)
