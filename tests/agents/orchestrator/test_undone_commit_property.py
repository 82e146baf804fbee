"""Any play with commits: undo and redo are each other's opposite, and undo of a commit leaves all as before it."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from monitor_tui.compose import Program
from stores.errors import MonitorError
from stores.records.ids import Id
from tests.agents.orchestrator.test_undone_commit import SceneState, read_state, say
from tests.examples import examples
from tests.program import begin, opened

COMMIT = "/commit"
ACTIONS = st.lists(
    st.one_of(
        st.just("I look round."),
        st.just("> Maud waits by the door."),
        st.just("I step closer. /check might vs 99; fail: Mara.hp -2"),
        st.just("/npc here Maud Tesk: ferrywoman"),
        st.just("/thing iron key"),
        st.just("/fact Maud Tesk owns iron key"),
        st.just("/fact event: The bell rang"),
        st.just("/state Mara.hp -1, Mara +tired"),
        st.just("/state Mara -tired"),
        st.just("/state Maud Tesk +dead"),
        st.just("/place Weir"),
        st.just("/go Weir"),
        st.just("/clock Tide 6"),
        st.just("/clock Tide +1"),
        st.just("/reject 1"),
        st.just("/undo"),
        st.just("/redo"),
        st.just(COMMIT),
        st.just(COMMIT),
    ),
    max_size=16,
)


@pytest.mark.slow
@settings(max_examples=examples(40, 8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
@example(["/clock Tide 6", COMMIT, "/clock Tide +1", COMMIT])
def test_undo_and_redo_are_opposites_whatever_is_committed(actions: list[str]) -> None:
    asyncio.run(_play(actions))


async def _play(actions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder)) as program:
            scene_id = await begin(program)
            for action in actions:
                before = await read_state(program, scene_id)
                told = await _try(program, scene_id, action)
                if told is None:
                    assert await read_state(program, scene_id) == before, "what is refused changes nothing"
                    continue
                if action == COMMIT and (await read_state(program, scene_id)).canon != before.canon:
                    await _undo_line_and_commit(program, scene_id, before)
                elif action == "/undo":
                    await _redo_and_undo(program, scene_id, before)


async def _undo_line_and_commit(program: Program, scene_id: Id, before: SceneState) -> None:
    """Take back a line after the commit, and the commit: all is as before it; redo and redo: as after the line."""
    committed = await read_state(program, scene_id)
    await say(program, scene_id, "/undo")
    assert await read_state(program, scene_id) == before
    await say(program, scene_id, "/redo")
    assert await read_state(program, scene_id) == committed
    await say(program, scene_id, "I wait.", "/undo", "/undo")
    assert await read_state(program, scene_id) == before
    await say(program, scene_id, "/redo", "/redo")


async def _redo_and_undo(program: Program, scene_id: Id, before: SceneState) -> None:
    undone = await read_state(program, scene_id)
    await say(program, scene_id, "/redo")
    assert await read_state(program, scene_id) == before
    await say(program, scene_id, "/undo")
    assert await read_state(program, scene_id) == undone


async def _try(program: Program, scene_id: Id, action: str) -> tuple[str, ...] | None:
    try:
        return await say(program, scene_id, action)
    except MonitorError:
        return None
