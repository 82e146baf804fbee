"""Draw the README's pictures from the real program: `make pictures`.

Plays the opening of the sample world with a seed, by keyboard, reads in a document, and saves the screens as SVG.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import chdir
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from agents.services.services import Services
from monitor_tui.app import MonitorApp, ShowMenu
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.records.ids import SeededIdGenerator, SteppingClock
from tests.agents.ingest.reading_in import read_in
from tests.screens.ingest_library import RULEBOOK, ladder_server

FOLDER = Path(__file__).resolve().parent / "pictures"
DOCUMENT = "The Salt Coast.md"
PLAY = (
    "I lean over the sledge and look for tar on the rope. /check wits vs 8; success: Mara +suspicious",
    "> The cut is clean: a company knife, not the sea.",
    "/fact The rope of Gil Oakum's sledge was cut with a company knife",
    '"Mr Stint, whose knives does the company issue?" /check nerve vs 9; success: Stint.nerve -1',
    "> Stint looks at his coins, and at the door.",
    "/oracle likely: Does Wenna know that knife?",
    "/place here > Boat Shed: tarred boards, a new padlock",
)


GRID_MAP = (
    *("f2", "type:The harbour, rooms 5 x 3", "enter", "n", "type:The Slack Tide", "enter"),
    *("right", "n", "type:Boat Shed", "enter", "vertical_line", "left", "vertical_line", "right", "down"),
    *(
        "left_parenthesis",
        "right",
        "right",
        "down",
        "5",
        "up",
        "left",
        "left",
        "9",
        "e",
        "type:Cut nets",
        "enter",
    ),
    *("vertical_line", "up", "vertical_line", "vertical_line", "down", "vertical_line", "up", "plus"),
)
"""The keys that begin a grid map and fill it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: the keys that lead there from the one before, and the class of the screen that they have to open."""

    name: str
    screen: str
    keys: tuple[str, ...]
    """Names of keys; `type:` types words, `line:` types a line and sends it, `read:` reads in what waits."""


PICTURES = (
    Picture("scene", "SceneScreen", tuple(f"line:{line}" for line in PLAY)),
    Picture("names", "SceneScreen", ("ctrl+g", "left_square_bracket")),
    Picture("dice", "DiceTray", ("escape", "alt+d")),
    Picture("jump", "JumpScreen", ("escape", "f12")),
    Picture("xray", "XrayScreen", ("escape", "enter", "shift+tab", "end", *["up"] * 3, "f6")),
    Picture(
        "gate",
        "GateScreen",
        ("escape", "escape", "line:/end Mara learnt whose knife cut the rope", "r", "j", "a", "j", "a"),
    ),
    Picture("sheet", "SheetScreen", ("enter", "enter", "f5")),
    Picture("universe", "UniverseScreen", ("escape", "escape", "enter", "3")),
    Picture("relations", "RelationMapScreen", ("v",)),
    Picture("grid-map", "GridMapScreen", ("9", *GRID_MAP)),
    Picture("timeline", "LanesScreen", ("escape", "escape", "escape", "T")),
    Picture("events", "TimelineScreen", ("T",)),
    Picture("reading", "ReadingScreen", ("enter", "enter")),
    Picture("relation-list", "RelationsScreen", ("escape", "escape", "escape", "escape", "v", "v")),
    Picture("moment", "MomentScreen", ("escape", "escape", "t")),
    Picture("fact-history", "FactHistoryScreen", ("enter", "h")),
    Picture("promises", "CommitmentsScreen", ("escape", "escape", "p")),
    Picture("gate-rules", "PolicyScreen", ("escape", "P")),
    Picture("picture", "PictureScreen", ("escape", "I")),
    Picture("lookalikes", "LookalikesScreen", ("escape", "m", "slash", "type:Hester", "enter")),
    Picture("merge", "MergeScreen", ("enter",)),
    Picture("retcon", "RetconScreen", ("escape", "escape", "R")),
    Picture("removed", "RemovedCanonScreen", ("escape", "Z")),
    Picture("characters", "CharactersScreen", ("escape", "escape", "4")),
    Picture("query", "QueryScreen", ("escape", "6", "type:Who has the Black Ledger?", "enter")),
    Picture("charts", "ChartsScreen", ("escape", "escape", "escape", "percent_sign")),
    Picture("system", "SystemScreen", ("escape", "7")),
    Picture("tables", "TablesScreen", ("Y",)),
    Picture("settings", "SettingsScreen", ("escape", "escape", "comma")),
    Picture("read-in", "DocumentScreen", ("escape", "5", "n", f"type:{DOCUMENT}", "enter")),
    Picture("documents", "SourcesScreen", ("enter", "read:")),
    Picture("page", "PageScreen", ("o",)),
    Picture("review", "ReviewScreen", ("escape", "enter")),
    Picture("model", "LlmSetupScreen", ("escape", "escape", "M")),
    Picture("prompts", "PromptsScreen", ("e",)),
    Picture("menu", "MenuScreen", ("escape", "escape")),
    Picture("bill", "BillScreen", ("b",)),
    Picture("help", "HelpScreen", ("escape", "question_mark")),
    Picture("set-up", "SetupScreen", ("escape", "1")),
    Picture("stories", "StoriesScreen", ("escape", "2")),
    Picture("import", "ImportScreen", ("i",)),
    Picture(
        "branches",
        "BranchMapScreen",
        ("escape", "l", "home", "down", "B", "type:The quiet way", "enter", "escape"),
    ),
    Picture(
        "conflict",
        "ConflictScreen",
        (
            *("escape", "escape", "escape", "home", "enter"),
            *("line:/fact Gil Oakum owes Wenna Pike nine silver", "line:/commit"),
            *("line:/fact The Harl Salt Company and the Tollers are allies", "f3", "C"),
        ),
    ),
    Picture(
        "branch-comparison", "BranchComparisonScreen", ("escape", "escape", "line:/map", "end", "up", "V")
    ),
)
"""Every picture, in the order in which play and then the menu lead there."""


async def draw_pictures(folder: Path) -> None:
    """Play in a library below `folder`, the current one, which has the document that is read in."""
    home = "monitor"  # pictures name this folder
    opened_programs: list[Program] = []

    async def open_services(show_menu: ShowMenu) -> tuple[Services, Callable[[], Awaitable[None]]]:
        clock = SteppingClock(datetime(2026, 1, 1, 20, tzinfo=UTC))
        program = await open_program(
            Path(home),
            clock=clock,
            ids=SeededIdGenerator(12, clock),
            mode=BackgroundMode.QUERY,
            show_menu=show_menu,
        )
        opened_programs.append(program)
        return program.services, program.close

    async def read_documents() -> None:
        (program,) = opened_programs
        await read_in(program, ladder_server(program))

    app = MonitorApp(open_services, start_at="demo")
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        for picture in PICTURES:
            for key in picture.keys:
                await press(pilot, key, read_documents)
            if type(app.screen).__name__ != picture.screen:
                raise SystemExit(f"{picture.name}.svg would show {app.screen}, not {picture.screen}.")
            app.save_screenshot(f"{picture.name}.svg", str(FOLDER))
        await pilot.press("ctrl+q")
        await settle(pilot)
    await draw_wiki(folder / home)


async def draw_wiki(home: Path) -> None:
    """Export the world that was played as a wiki, and draw one of its pages where a Chromium is installed."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.stderr.write("wiki.png is as it was: no Chromium is installed.\n")
        return
    program = await open_program(home)
    try:
        universe = next(each for each in await program.services.stories.universes() if each.branch is None)
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


async def press(pilot: Pilot[None], key: str, read_documents: Callable[[], Awaitable[None]]) -> None:
    kind, _, words = key.partition(":")
    match kind:
        case "type":
            await type_words(pilot, words)
        case "line":
            await type_words(pilot, words)
            await settle(pilot)
            await pilot.press("enter")
        case "read":
            await read_documents()
        case _:
            await pilot.press(key)
    await settle(pilot)


async def type_words(pilot: Pilot[None], words: str) -> None:
    for character in words:
        pilot.app.post_message(events.Key(_character_to_key(character), character))


async def settle(pilot: Pilot[None]) -> None:
    """Wait until no worker runs and nothing is under way."""
    quiet = 0
    while quiet < 3:
        await pilot.pause(0.05)
        busy = any(not worker.is_finished for worker in pilot.app.workers)
        quiet = 0 if busy else quiet + 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path(DOCUMENT).write_text(RULEBOOK, encoding="utf-8")
        asyncio.run(draw_pictures(Path(folder)))
