"""What a model tells with canon on Neo4j and the log on MongoDB: its checkpoints are there, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.orchestrator.narration.steps import NarrationSteps
from stores.records.play import Speaker
from tests.agents.orchestrator.scripted_program import PROSE, house, telling
from tests.agents.orchestrator.test_narration_resume import ACT, ASKED, ON, SCRIPT, Killed, killed, played

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(300)]


async def test_narration_on_servers_is_said_and_undone(tmp_path: Path, on_servers: dict[str, str]) -> None:
    async with telling(tmp_path) as scripted:
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, ACT)
        line = await scripted.line()
        assert [turn.speaker for turn in line] == [Speaker.PLAYER, Speaker.ORACLE, Speaker.GM]
        assert line[-1].text == PROSE
        bill = await services.llm.read_bill()
        assert [call.outcome for call in bill.by_call] == ["done", "done"]
        await services.play.undo(scripted.scene_id)
        assert await scripted.line() == []


@pytest.mark.parametrize("node", ["validate", "critique", "stage"])
async def test_narration_killed_on_one_machine_resumes_on_another(
    tmp_path: Path, on_servers: dict[str, str], monkeypatch: pytest.MonkeyPatch, node: str
) -> None:
    whole = NarrationSteps.build_steps
    with monkeypatch.context() as patched:
        patched.setattr(NarrationSteps, "build_steps", lambda self: killed(whole(self), node, done=True))
        async with telling(tmp_path / "one", SCRIPT, house(*ON)) as scripted:
            with pytest.raises(Killed):
                await scripted.program.services.play.submit(scripted.scene_id, ACT)
            scene_id, before = scripted.scene_id, scripted.asked
    line, proposals, after = await played(tmp_path / "other", scene_id, "langgraph")
    # Archivist and check are asked side by side: which of them is first is chance.
    assert sorted([*before, *after]) == sorted(ASKED)
    assert len(line) == 3
    assert len(proposals) == 1
