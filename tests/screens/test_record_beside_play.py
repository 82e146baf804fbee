"""The play screen while the Archivist still reads: the next line is narrated, and the record comes as a note."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agents.llm.scripted_model import ScriptedReply
from agents.services.services import Services
from monitor_tui.app import ShowMenu
from monitor_tui.compose import open_program
from stores.records.ids import SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.orchestrator.scripted_program import in_this_process
from tests.screens.screen_driver import EVENING, ROOMY, OpenServices, ScreenDriver, SteppingTimer, started_app
from tests.screens.scripted_llm import ScriptedLlm, start_sample_story, write_settings

pytestmark = pytest.mark.slow

ARRIVAL = "Behind the barrels stands Hester Marrow, wet to the knee, and says nothing of how she came by."
QUIET = "The rain goes on over the slates, and somewhere a shutter knocks twice."


def open_beside_play(home: Path, model: ScriptedLlm) -> OpenServices:
    """Open the program as the screen does, with what goes on beside play in this process."""

    async def open_services(
        show_menu: ShowMenu | None = None,
    ) -> tuple[Services, Callable[[], Awaitable[None]]]:
        clock = SteppingClock(EVENING)
        program = await open_program(
            home,
            clock=clock,
            ids=SeededIdGenerator(8, clock),
            model=model,
            embedder=FakeEmbedder("all-MiniLM-L6-v2-int8"),
            timer=SteppingTimer(),
            show_menu=show_menu,
            **await in_this_process(home, clock),
        )
        return program.services, program.close

    return open_services


async def until(ui: ScreenDriver, *words: str) -> None:
    async with asyncio.timeout(60):
        while not ui.shows(*words):
            await ui.pilot.pause(0.02)


async def test_record_comes_beside_the_next_line_and_is_shown_as_a_note(tmp_path: Path) -> None:
    write_settings(tmp_path)
    gate = asyncio.Event()
    record = json.dumps(
        {"summary": "Hester comes.", "here": ["Hester Marrow"], "came": ["Hester Marrow"], "changes": []}
    )
    model = ScriptedLlm(
        {
            Persona.NARRATOR: ARRIVAL,
            Persona.ARCHIVIST: ScriptedReply((record,), gate=gate),
            Persona.STEWARD: json.dumps({"doubts": []}),
        }
    )
    async with started_app(open_beside_play(tmp_path, model), ROOMY) as ui:
        await start_sample_story(ui.services)
        await ui.press("2", "enter")
        assert ui.screen == "SceneScreen"
        await ui.type("I look behind the barrels.", enter=False)
        await ui.pilot.press("enter")
        await until(ui, "wet to the knee", "archivist …")
        model.script[Persona.NARRATOR] = QUIET
        await ui.type("I wait and listen.", enter=False)
        await ui.pilot.press("enter")
        await until(ui, "The rain goes on over the slates")
        assert not ui.shows("Hester Marrow comes in.")
        gate.set()
        await until(ui, "Hester Marrow comes in.")
