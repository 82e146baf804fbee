"""Every route leads to a screen that takes the route's fields."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import get_args

import pytest

from screens import routes
from screens.navigation import SCREENS, screen_class

WITHOUT_SCREEN = {routes.ToMenu, routes.Back, routes.ToPrompt}
"""Routes that lead to a screen that is open already."""


def test_navigation_has_a_row_for_every_route_that_leads_to_a_screen() -> None:
    assert set(get_args(routes.Route)) == {*SCREENS, *WITHOUT_SCREEN}


@pytest.mark.parametrize("route", SCREENS, ids=lambda route: route.__name__)
def test_navigation_screen_takes_the_fields_of_its_route(route: type) -> None:
    values = {field.name: None for field in fields(route)}
    inspect.signature(screen_class(SCREENS[route])).bind(None, **values)
