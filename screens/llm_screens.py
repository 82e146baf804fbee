"""The screen for each place where what the model did and costs is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from screens import llm_routes as routes
from screens.base import ServiceScreen
from screens.llm.bill_screen import BillScreen
from screens.llm.llm_setup_screen import LlmSetupScreen
from screens.llm.xray_screen import XrayScreen

if TYPE_CHECKING:
    from agents.services.services import Services


def llm_screen_for(services: Services, route: routes.LlmRoute) -> ServiceScreen[None]:
    """Return the screen that a route leads to."""
    match route:
        case routes.ToXray(turn_id):
            return XrayScreen(services, turn_id)
        case routes.ToBill(story_id):
            return BillScreen(services, story_id)
        case routes.ToLlmSetup():
            return LlmSetupScreen(services)
        case _:
            assert_never(route)
