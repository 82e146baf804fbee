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
from tests.program import opened

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


pytestmark = pytest.mark.slow
