"""`monitor knows`: what somebody remembers, the newest first, and what a question to the record makes of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agents.views.query_views import AnswerStanding
from monitor_tui.cli.app import app
from stores.authority import Role
from stores.errors import InputError
from tests.contract import builders as make
from tests.program import begin, opened

RUNNER = CliRunner()
OLD, NEW = "Gil owes me for two winters.", "Mara asked me for the boat."


async def test_belief_question_is_answered_by_memories_newest_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        universe = await program.services.stories.add_sample()
        canon, log = program.stores.canon(Role.NARRATOR), program.stores.log(Role.MEMORY_MANAGER)
        (wenna,) = await canon.find_entity(universe.id, "Wenna")
        memories = [make.memory(wenna, text, tick=tick) for tick, text in enumerate((OLD, NEW))]
        await log.put_memories(memories)
        query = program.services.query
        answer = await query.answer_question("What does Wenna know?", universe_id=universe.id, in_words=False)
        assert [finding.text for finding in answer.findings] == [NEW, OLD]
        assert answer.standing is AnswerStanding.BELIEVED
        answer = await query.answer_question(
            "What does Wenna know about Gil?", universe_id=universe.id, in_words=False
        )
        assert [finding.text for finding in answer.findings] == [OLD]
        answer = await query.answer_question(
            "What does Ivo know about Gil?", universe_id=universe.id, in_words=False
        )
        assert (answer.standing, answer.findings) == (AnswerStanding.UNKNOWN, ())
    told = await asyncio.to_thread(
        RUNNER.invoke, app, ["knows", "wenna", "--about", "Gil", "--json", "--home", str(tmp_path)]
    )
    assert [memory["text"] for memory in json.loads(told.stdout)] == [OLD]
    told = await asyncio.to_thread(RUNNER.invoke, app, ["knows", "Ivo", "--home", str(tmp_path)])
    assert told.stdout == "Unknown: no memory says so.\n"
    told = await asyncio.to_thread(RUNNER.invoke, app, ["knows", "Nobody", "--home", str(tmp_path)])
    assert isinstance(told.exception, InputError)


async def test_knows_reads_a_part_of_a_name_as_play_does(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I look.", "/npc here Dob Harrow", "/npc here Nell Harrow", "/place Dobham", "/commit"):
            await program.services.play.submit(scene_id, line)
        await program.services.play.submit(scene_id, "/npc here Jorun Vale")

    async def ask(*words: str) -> str:
        told = await asyncio.to_thread(RUNNER.invoke, app, ["knows", *words, "--home", str(tmp_path)])
        return told.stdout or str(told.exception)

    nothing = "Unknown: no memory says so.\n"
    assert await ask("Dob", "--universe", "Tes") == nothing
    assert await ask("dob harrow") == nothing
    assert await ask("Jorun") == nothing, "who is proposed is known, too"
    assert await ask("Harrow") == "'Harrow' could be any of: Dob Harrow, Nell Harrow. Type more of the name."
    assert await ask("Vess") == "There is nobody called 'Vess'. Give the name as the world has it."


pytestmark = pytest.mark.slow
