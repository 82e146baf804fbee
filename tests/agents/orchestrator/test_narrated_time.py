"""World time moves with what a model narrates: shown, in the next prompt, and taken back with the turn."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from agents.solo.narrated_time import read_narrated_time
from agents.world_time.calendar import format_tick
from stores.records.llm import Persona
from stores.records.world import Calendar
from tests.agents.orchestrator.scripted_program import ScriptedProgram, telling

CALENDAR = Calendar()
DRIVE = "The sledge runs all night over the pass, and the station lies grey before you in the first light."


@dataclass
class Table:
    scripted: ScriptedProgram
    time: str = ""

    async def say(self, line: str, time: str = "") -> tuple[str, ...]:
        self.time = time
        reply = await self.scripted.program.services.play.submit(self.scripted.scene_id, line)
        if reply.goto == "scene" and reply.subject:
            self.scripted.scene_id = reply.subject
        return reply.lines

    async def prompt_time(self) -> str:
        """Return the time that the Narrator is told before it answers the next line."""
        await self.say("I look about me.")
        prompt = self.scripted.sent(Persona.NARRATOR)
        return prompt.split("## How things stand now\n<data>\n- It is ", 1)[1].split(".\n")[0]


@asynccontextmanager
async def seated(home: Path) -> AsyncIterator[Table]:
    tables: list[Table] = []

    def record(_: LlmRequest) -> ScriptedAnswer:
        return json.dumps({"summary": "They drive.", "changes": [], "time": tables[0].time})

    async with telling(home, {Persona.NARRATOR: DRIVE, Persona.ARCHIVIST: record}) as scripted:
        tables.append(Table(scripted))
        yield tables[0]


@pytest.mark.parametrize(
    ("words", "minutes"),
    [
        ("", None),
        ("none", None),
        ("None.", None),
        ("20 minutes", 20),
        ("+3h", 180),
        ("an hour", 60),
        ("Hours", 180),
        ("2 days", 2 * 1_440),
        ("40 days", None),
        ("a while, I think", None),
        ("-3h", None),
    ],
)
def test_narrated_time_is_read_from_a_models_words(words: str, minutes: int | None) -> None:
    until_tick = read_narrated_time(words, CALENDAR, 600)
    assert until_tick == (None if minutes is None else 600 + minutes)


def test_narrated_night_ends_at_dawn() -> None:
    until_tick = read_narrated_time("overnight", CALENDAR, 22 * 60)
    assert until_tick is not None
    assert format_tick(CALENDAR, until_tick).startswith("Day 2, ")
    assert until_tick == read_narrated_time("to dawn", CALENDAR, 22 * 60)


async def test_narrated_time_is_shown_told_and_undone(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        before = await table.prompt_time()
        assert before.startswith("Day 1, ")
        lines = await table.say("I drive over the pass.", "1 day")
        assert any(line.startswith("Time passes: it is Day 2, ") for line in lines)
        assert (await table.prompt_time()).startswith("Day 2, ")
        await table.say("/undo")
        await table.say("/undo")
        assert await table.prompt_time() == before
        await table.say("/undo")
        await table.say("/redo")
        await table.say("/undo")


async def test_narrated_time_goes_with_another_take(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say("I drive over the pass.", "1 day")
        await table.say("/again shorter", "none")
        assert (await table.prompt_time()).startswith("Day 1, ")


async def test_narrated_time_holds_in_the_next_scene_and_for_turns_that_follow(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say("I drive over the pass.", "1 day")
        await table.say("/continue")
        turns = await table.scripted.line()
        assert turns[-1].tick > turns[0].tick + 1_440
        await table.say("/end We are there")
        report = await table.scripted.program.services.gate.commit(table.scripted.scene_id)
        assert report.next_scene_id
        table.scripted.scene_id = report.next_scene_id
        assert (await table.prompt_time()).startswith("Day 2, ")
