"""The next line does not wait for the Archivist: what it reads comes beside play, by turn, once and never lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agents.context_assembly.prompt_sections import UNRECORDED_TEXT
from agents.events import ExchangeRecorded
from agents.llm.errors import ModelError
from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer, ScriptedReply
from monitor_tui.compose import open_program
from stores.errors import InputError
from stores.records.ids import SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import (
    ScriptedProgram,
    house,
    in_this_process,
    scripted,
    telling,
)
from tests.program import START

ARRIVAL = "The gate is shut again, and beside you stands old Wenna from the Salt Chapel."
QUIET = "Rain drums on the roof of the yard, and nothing else stirs for a long while."


def chronicle(text: str = "", **more: object) -> str:
    return json.dumps({"summary": f"Summary of {text or 'it'}.", "changes": [], **more})


class HeldArchivist:
    """An Archivist that answers each narration with what is set for its words, once it is let go."""

    def __init__(self, *, is_held: bool = True) -> None:
        self.gate = asyncio.Event()
        self.asked = asyncio.Event()
        self.answer_by_words: dict[str, ScriptedAnswer] = {}
        self.narrations: list[str] = []
        if not is_held:
            self.gate.set()

    def narrate(self, ask: LlmRequest) -> ScriptedAnswer:
        return self.narrations.pop(0) if self.narrations else QUIET

    def record(self, ask: LlmRequest) -> ScriptedAnswer:
        draft = ask.messages[-1].text
        answer = next((a for words, a in self.answer_by_words.items() if words in draft), chronicle())
        if isinstance(answer, ModelError):
            return ScriptedReply(error=answer, gate=self.gate, started=self.asked)
        assert isinstance(answer, str)
        return ScriptedReply((answer,), gate=self.gate, started=self.asked)

    def script(self) -> dict[Persona, Any]:
        return {Persona.NARRATOR: self.narrate, Persona.ARCHIVIST: self.record}


def arrival_of_wenna(**more: object) -> HeldArchivist:
    archivist = HeldArchivist()
    archivist.narrations = [ARRIVAL]
    change = {
        "kind": "new",
        "subject": "Salt Chapel",
        "object": "place",
        "quote": "stands old Wenna from the Salt Chapel",
    }
    archivist.answer_by_words = {
        "old Wenna": chronicle("her coming", here=["Mara", "Wenna"], came=["Wenna"], changes=[change], **more)
    }
    return archivist


async def with_wenna(scripted_program: ScriptedProgram) -> None:
    """Have Wenna on record, and not in the scene."""
    play = scripted_program.program.services.play
    await play.submit(scripted_program.scene_id, "/npc Wenna")


async def cast(scripted_program: ScriptedProgram) -> set[str]:
    view = await scripted_program.program.services.play.scene(scripted_program.scene_id)
    return {member.name for member in view.cast}


async def titles(scripted_program: ScriptedProgram) -> list[str]:
    view = await scripted_program.program.services.play.scene(scripted_program.scene_id)
    return [row.title for row in view.proposals if "Salt Chapel" in row.title]


async def settled(scripted_program: ScriptedProgram) -> None:
    async with asyncio.timeout(30):
        await scripted_program.program.services.jobs.wait_until_idle()


@pytest.mark.slow
async def test_record_the_next_line_is_narrated_while_the_archivist_hangs(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        assert not archivist.gate.is_set()
        assert await cast(program_under_test) == {"Mara"}
        # The second line is played and told to its end while the first is still unrecorded.
        await services.play.submit(scene_id, "I look around.")
        assert (await program_under_test.last()).text == QUIET
        assert program_under_test.asked == [Persona.NARRATOR, Persona.ARCHIVIST, Persona.NARRATOR]
        assert UNRECORDED_TEXT in program_under_test.sent(Persona.NARRATOR)
        assert UNRECORDED_TEXT not in program_under_test.sent(Persona.NARRATOR, 0)
        assert (await services.play.scene(scene_id)).state == "active"
        archivist.gate.set()
        await settled(program_under_test)
        assert await cast(program_under_test) == {"Mara", "Wenna"}
        assert len(await titles(program_under_test)) == 1
        assert program_under_test.asked.count(Persona.ARCHIVIST) == 2, "each narration is recorded once"
        assert (await services.play.scene(scene_id)).unfinished_count == 0
        told = [event for event in program_under_test.heard if isinstance(event, ExchangeRecorded)]
        assert any("Wenna comes in." in event.lines for event in told)
        # What it came to know is in the next prompt, and nothing says that something is missing.
        await services.play.submit(scene_id, "I take her lamp.")
        sent = program_under_test.sent(Persona.NARRATOR)
        assert UNRECORDED_TEXT not in sent
        assert "Wenna" in sent.split("## Who is here")[1].split("##")[0]


async def test_record_never_overwrites_what_the_next_line_moved(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        await services.play.submit(scene_id, "> Wenna goes away through the gate.")
        assert await cast(program_under_test) == {"Mara"}
        archivist.gate.set()
        await settled(program_under_test)
        assert await cast(program_under_test) == {"Mara"}, "she came, and then she left"
        assert len(await titles(program_under_test)) == 1
        await services.play.undo(scene_id)
        assert await cast(program_under_test) == {"Mara", "Wenna"}, "she left by the line that was undone"


@pytest.mark.parametrize(
    "way",
    [
        "undo",
        pytest.param("retake", marks=pytest.mark.slow),
        pytest.param("branch", marks=pytest.mark.slow),
    ],
)
async def test_record_of_a_narration_off_the_line_is_dropped_and_returns_with_it(
    tmp_path: Path, way: str
) -> None:
    archivist = arrival_of_wenna()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        await services.play.submit(scene_id, "> The yard lies empty.")
        first = await program_under_test.last()
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        match way:
            case "undo":
                await services.play.undo(scene_id)
            case "retake":
                await services.play.narrate_again(scene_id)
            case _:
                await services.play.branch(scene_id, first.id)
        archivist.gate.set()
        await settled(program_under_test)
        assert await cast(program_under_test) == {"Mara"}
        assert await titles(program_under_test) == []
        match way:
            case "undo":
                await services.play.redo(scene_id)
            case "retake":
                await services.play.walk_takes(scene_id, -1)
            case _:
                await services.play.undo(scene_id)
        assert (await program_under_test.last()).text == ARRIVAL
        await settled(program_under_test)
        assert await cast(program_under_test) == {"Mara", "Wenna"}, "nothing is lost"
        assert len(await titles(program_under_test)) == 1, "and nothing is there twice"


@pytest.mark.slow
async def test_record_falls_back_to_plain_rules_when_the_archivist_fails(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    archivist.answer_by_words = {"old Wenna": ModelError("It is down.")}
    archivist.gate.set()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        reply = await services.play.submit(scene_id, "I wait.")
        assert not any("Archivist" in line for line in reply.lines)
        await settled(program_under_test)
        lines = [
            line for e in program_under_test.heard if isinstance(e, ExchangeRecorded) for line in e.lines
        ]
        assert any("The Archivist gave no answer" in line and "It is down." in line for line in lines)
        assert (await services.play.scene(scene_id)).unfinished_count == 0


@pytest.mark.slow
async def test_record_that_a_kill_cut_off_is_made_once_the_scene_is_open_again(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        await with_wenna(program_under_test)
        await program_under_test.program.services.play.submit(program_under_test.scene_id, "I wait.")
        await archivist.asked.wait()
        scene_id = program_under_test.scene_id
    archivist.gate.set()
    clock = SteppingClock(START.replace(year=2027))
    model = scripted(archivist.script())
    program = await open_program(
        tmp_path,
        clock=clock,
        ids=SeededIdGenerator(2, clock),
        model=model,
        settings=house(embedding={"model": "none"}),
        **await in_this_process(tmp_path, clock),
    )
    try:
        reopened = ScriptedProgram(program, scene_id, model)
        program.services.jobs.start()
        await program.services.stories.recover()
        await settled(reopened)
        assert model.requests == [], "nothing is paid for before the player is there"
        await program.services.play.finish_narration(scene_id)
        await settled(reopened)
        assert reopened.asked == [Persona.ARCHIVIST]
        assert await cast(reopened) == {"Mara", "Wenna"}
        assert len(await titles(reopened)) == 1
    finally:
        await program.close()


@pytest.mark.slow
async def test_record_is_waited_for_by_the_end_of_the_scene_and_esc_ends_the_wait(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        end = asyncio.ensure_future(services.gate.end_scene(scene_id))
        done, _ = await asyncio.wait([end], timeout=0.05)
        assert not done, "the gate shows all that was narrated"
        assert services.llm.stop_streaming(scene_id)
        reply = await end
        assert reply.goto == "gate"
        assert (await services.play.scene(scene_id)).unfinished_count == 0


@pytest.mark.slow
async def test_record_goes_on_when_the_next_narration_is_stopped(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    narrator_started = asyncio.Event()
    held = ScriptedReply(("The ", "rain "), gate=asyncio.Event(), started=narrator_started)
    script = archivist.script()

    def narrate(ask: LlmRequest) -> ScriptedAnswer:
        return ARRIVAL if archivist.narrations and archivist.narrations.pop() else held

    script[Persona.NARRATOR] = narrate
    async with telling(tmp_path, script, beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        second = asyncio.ensure_future(services.play.submit(scene_id, "I look around."))
        await narrator_started.wait()
        assert services.llm.stop_streaming(scene_id)
        reply = await second
        assert any("stopped before its first word" in line for line in reply.lines)
        archivist.gate.set()
        await settled(program_under_test)
        assert await cast(program_under_test) == {"Mara", "Wenna"}


@pytest.mark.slow
async def test_record_is_waited_for_by_a_line_that_needs_somebody_who_may_have_come(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    async with telling(tmp_path, archivist.script(), beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        whisper = asyncio.ensure_future(services.play.submit(scene_id, "/whisper Wenna: is it safe?"))
        await asyncio.wait([whisper], timeout=0.05)
        archivist.gate.set()
        await whisper
        assert (await program_under_test.line())[-2].text == "I whisper to Wenna: is it safe?"
        await services.play.submit(scene_id, "/npc Gil")
        with pytest.raises(InputError, match="not here"):
            await services.play.submit(scene_id, "/whisper Gil: is it safe?")


@pytest.mark.slow
async def test_record_that_came_while_the_next_prompt_was_built_is_in_it(tmp_path: Path) -> None:
    archivist = arrival_of_wenna()
    script = archivist.script()

    def direct(ask: LlmRequest) -> ScriptedAnswer:
        if len(archivist.narrations) == 0 and archivist.asked.is_set():
            archivist.gate.set()
            return ScriptedReply((json.dumps({"beats": [], "assumptions": []}),), gate=director_gate)
        return json.dumps({"beats": [], "assumptions": []})

    director_gate = asyncio.Event()
    script[Persona.DIRECTOR] = direct
    settings = house(Persona.DIRECTOR, embedding={"model": "none"})
    async with telling(tmp_path, script, settings, beside_play=True) as program_under_test:
        services, scene_id = program_under_test.program.services, program_under_test.scene_id
        await with_wenna(program_under_test)
        recorded = asyncio.Event()
        services.events.subscribe(lambda e: recorded.set() if isinstance(e, ExchangeRecorded) else None)
        await services.play.submit(scene_id, "I wait.")
        await archivist.asked.wait()
        second = asyncio.ensure_future(services.play.submit(scene_id, "I look around."))
        await recorded.wait()
        director_gate.set()
        await second
        assert UNRECORDED_TEXT in program_under_test.sent(Persona.DIRECTOR)
        sent = program_under_test.sent(Persona.NARRATOR)
        assert UNRECORDED_TEXT not in sent
        assert "Wenna" in sent.split("## Who is here")[1].split("##")[0]
