"""The screen for each place where what the model did and costs is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import model_routes as routes
from screens.base import DeskScreen
from screens.bill import BillScreen
from screens.model_setup import ModelScreen
from screens.xray import XrayScreen

if TYPE_CHECKING:
    from agents.desk import Desk


def model_page(desk: Desk, route: routes.ModelRoute) -> DeskScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToXray(turn_id):
            return XrayScreen(desk, turn_id)
        case routes.ToBill(story_id):
            return BillScreen(desk, story_id)
        case routes.ToModel():
            return ModelScreen(desk)
        case _:
            assert_never(route)
