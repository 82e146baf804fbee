"""What pictures have in common: the two sizes, and a walk to a screen by keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from monitor_tui.app import MonitorApp
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver

Compare = Callable[..., bool]
Steps = tuple[str, ...]

SIZES = pytest.mark.parametrize(
    "size",
    [pytest.param(NARROW, id="80x24"), pytest.param(ROOMY, id="120x40", marks=pytest.mark.slow)],
)
"""The narrow half by default, where room is scarce; the other half, as long again, in `make test-slow`."""


BOTH_SIZES = pytest.mark.parametrize(
    "size", [pytest.param(NARROW, id="80x24"), pytest.param(ROOMY, id="120x40")]
)
"""Both sizes, for pictures that are slow at either."""


def walk(*steps: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Return what presses these keys; `type:` types words."""

    async def run(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, MonitorApp)
        ui = ScreenDriver(pilot.app, pilot)
        await ui.settle()
        for step in steps:
            if step.startswith("type:"):
                await ui.type(step.removeprefix("type:"), enter=False)
            else:
                await ui.press(step)

    return run


def typed(*lines: str) -> Steps:
    """Return the steps that type lines, each with Enter."""
    return tuple(step for line in lines for step in (f"type:{line}", "enter"))
