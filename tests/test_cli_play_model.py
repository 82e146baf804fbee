"""`monitor play` with a model shows what it told, on stdout and as JSON."""

from __future__ import annotations

from pathlib import Path

from monitor_tui.play_script import play_script, read_script
from tests.agents.orchestrator.scripted_program import PROSE, telling

SCRIPT = """universe: Test
story: A story
---
> The yard is empty.
I force the iron door. /check might 9
? even: Is it raining
"""


async def test_play_model_what_the_model_told_stands_with_its_line(tmp_path: Path) -> None:
    async with telling(tmp_path) as scripted:
        played = await play_script(scripted.program.services, read_script(SCRIPT))
    assert [reply.get("tells") for reply in played.replies] == [None, [PROSE], None]
    assert played.error is None or not played.error
