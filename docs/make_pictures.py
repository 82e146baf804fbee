"""Draw the README's pictures from the real program: `make pictures`.

Plays the opening of the sample world with a seed, by keyboard, and saves the screens as SVG.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from agents.services.services import Services
from monitor_tui.app import MonitorApp, ShowMenu
from monitor_tui.compose import open_program
from stores.records.ids import SeededIdGenerator, SteppingClock

FOLDER = Path(__file__).parent / "pictures"
PLAY = (
    "I lean over the sledge and look for tar on the rope. /check wits vs 8; success: Mara +suspicious",
    "> The cut is clean: a company knife, not the sea.",
    "/fact The rope of Gil Oakum's sledge was cut with a company knife",
    '"Mr Stint, whose knives does the company issue?" /check nerve vs 9; success: Stint.nerve -1',
    "> Stint looks at his coins, and at the door.",
    "/oracle likely: Does Wenna know that knife?",
    "/place here > Boat Shed: tarred boards, a new padlock",
)


async def main() -> None:
    with tempfile.TemporaryDirectory() as home:

        async def open_services(show_menu: ShowMenu) -> tuple[Services, Callable[[], Awaitable[None]]]:
            clock = SteppingClock(datetime(2026, 1, 1, 20, tzinfo=UTC))
            program = await open_program(
                Path(home), clock=clock, ids=SeededIdGenerator(12, clock), show_menu=show_menu
            )
            return program.services, program.close

        app = MonitorApp(open_services, start_at="demo")
        async with app.run_test(size=(120, 36)) as pilot:
            await settle(pilot)
            for line in PLAY:
                await typed(pilot, line)
            app.save_screenshot("scene.svg", str(FOLDER))
            await pilot.press("enter")
            await settle(pilot)
            await typed(pilot, "/end Mara learnt whose knife cut the rope")
            await pilot.press("r", "j", "a", "j", "a")
            await settle(pilot)
            app.save_screenshot("gate.svg", str(FOLDER))
            await pilot.press("enter", "enter")
            await settle(pilot)
            for keys, name in (
                (("escape", "enter", "3", "v"), "relations"),
                (("escape", "T"), "timeline"),
            ):
                for key in keys:
                    await pilot.press(key)
                    await settle(pilot)
                app.save_screenshot(f"{name}.svg", str(FOLDER))
            await pilot.press("ctrl+q")
            await settle(pilot)
        await draw_wiki(Path(home))


async def draw_wiki(home: Path) -> None:
    """Export the world that was played as a wiki, and draw one of its pages where a Chromium is installed."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.stderr.write("wiki.png is as it was: no Chromium is installed.\n")
        return
    program = await open_program(home)
    try:
        (universe,) = await program.services.stories.universes()
        await program.services.open_exports().export_wiki(universe.id, str(home / "wiki"))
    finally:
        await program.close()
    process = await asyncio.create_subprocess_exec(
        *(
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=820,900",
            "--virtual-time-budget=3000",
        ),
        f"--user-data-dir={home / 'browser'}",
        f"--screenshot={FOLDER / 'wiki.png'}",
        f"{(home / 'wiki' / 'Wenna Pike.html').as_uri()}#search=knife",
        stderr=asyncio.subprocess.DEVNULL,
    )
    await process.wait()


async def typed(pilot: Pilot[None], line: str) -> None:
    for character in line:
        pilot.app.post_message(events.Key(_character_to_key(character), character))
    await settle(pilot)
    await pilot.press("enter")
    await settle(pilot)


async def settle(pilot: Pilot[None]) -> None:
    """Wait until no worker runs and nothing is under way."""
    quiet = 0
    while quiet < 3:
        await pilot.pause(0.05)
        busy = any(not worker.is_finished for worker in pilot.app.workers)
        quiet = 0 if busy else quiet + 1


if __name__ == "__main__":
    asyncio.run(main())
