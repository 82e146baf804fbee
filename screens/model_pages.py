"""The screen for each place where what the model did and costs is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import model_routes as routes
from screens.base import ServiceScreen
from screens.bill import BillScreen
from screens.model_setup import ModelScreen
from screens.xray import XrayScreen

if TYPE_CHECKING:
    from agents.services.services import Services


def model_page(services: Services, route: routes.ModelRoute) -> ServiceScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToXray(turn_id):
            return XrayScreen(services, turn_id)
        case routes.ToBill(story_id):
            return BillScreen(services, story_id)
        case routes.ToModel():
            return ModelScreen(services)
        case _:
            assert_never(route)
