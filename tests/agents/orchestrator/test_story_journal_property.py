"""Whatever is played, undone, redone, retaken and branched: threads, clocks and tracks are those of a fresh
replay of the line."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.views.scene_views import SceneView
from monitor_tui.compose import Program
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.play import Speaker
from tests.examples import examples
from tests.program import begin, opened

NAMES = ("the bell", "the rope")
KEPT = st.one_of(
    st.sampled_from(NAMES).map(lambda name: f"/thread {name}"),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["+", "-", "close", "open"])).map(" | ".join),
    st.tuples(st.integers(2, 6), st.integers(0, 2)).map(lambda c: f"/clock tide {c[0]} per scene {c[1]}"),
    st.sampled_from(["+1", "+3", "-2", "= 2", "= 5", "per scene 1", "stop"]).map("/clock tide {}".format),
    st.sampled_from(["slow", "epic", "mark", "mark 3", "mark -1", "stop"]).map("/track the wall {}".format),
)
MOVED = st.sampled_from(
    ["I act.", "> It happens.", "/undo", "/redo", "/retake In other words.", "/take previous", "/branch 2"]
)
STEPS = st.one_of(
    KEPT.map(lambda kept: [kept]),
    KEPT.map(lambda kept: ["I act.", kept]),
    KEPT.map(lambda kept: ["/undo", kept, "/redo"]),  # kept later, on an earlier turn
    MOVED.map(lambda moved: [moved]),
)


@pytest.mark.slow
@settings(max_examples=examples(30, 8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, max_size=12).map(lambda steps: [action for step in steps for action in step]))
def test_story_journal_line_alone_decides_what_is_open(actions: list[str]) -> None:
    asyncio.run(_play_and_replay(actions))


async def _play_and_replay(actions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept: list[tuple[Id | None, str]] = []
        undone: list[tuple[int, tuple[Id | None, str]]] = []
        async with opened(Path(folder) / "played") as played:
            scene_id = await begin(played)
            for action in actions:
                head = (await played.services.play.scene(scene_id)).scene.head
                before = await _state(played, scene_id)
                if not await _typed(played, scene_id, action):
                    assert await _state(played, scene_id) == before, "a refused line changes nothing"
                elif " | " in action or action.startswith(("/thread", "/clock", "/track")):
                    kept.append((head, action))
                elif (await played.services.play.scene(scene_id)).scene.head != head:
                    continue
                elif action == "/undo":  # the last command on this turn
                    on_this_turn = [i for i, one in enumerate(kept) if one[0] == head]
                    assert on_this_turn, "what was typed while a line was undone is no part of it"
                    last = on_this_turn[-1]
                    undone.append((last, kept.pop(last)))
                elif action == "/redo":
                    index, command = undone.pop(max(i for i, (_, one) in enumerate(undone) if one[0] == head))
                    kept.insert(index, command)
            rows = await played.services.play.transcript(scene_id, 0, 1_000)
            state = await _state(played, scene_id)
        async with opened(Path(folder) / "replayed") as fresh:
            again = await begin(fresh)
            for turn_id, text, speaker in [(None, "", None)] + [
                (r.turn.id, r.turn.text, r.turn.speaker) for r in rows
            ]:
                if turn_id is not None:
                    await fresh.services.play.submit(again, f"> {text}" if speaker is Speaker.GM else text)
                for _, action in [one for one in kept if one[0] == turn_id]:
                    await _typed(fresh, again, action)
            assert await _state(fresh, again) == state


async def _typed(program: Program, scene_id: Id, action: str) -> bool:
    """Type a line; `the bell | close` is an act on whatever number that thread has. Returns whether it was
    taken."""
    name, bar, verb = action.partition(" | ")
    try:
        if not bar:
            await program.services.play.submit(scene_id, action)
            return True
        lines = (await program.services.play.submit(scene_id, "/thread")).lines
        found = [line.partition(".")[0] for line in lines if f" {name} " in line]
        if len(found) != 1:
            return False  # there is none, or one that is closed and another
        await program.services.play.submit(scene_id, f"/thread {found[0]} {verb}")
    except MonitorError:
        return False
    return True


async def _state(program: Program, scene_id: Id) -> object:
    view: SceneView = await program.services.play.scene(scene_id)
    closed = (await program.services.play.submit(scene_id, "/thread")).lines
    return (
        sorted((t.name, t.weight) for t in view.threads),
        sorted(line.partition(" ")[2] for line in closed if "✓" in line),
        [(c.name, c.filled, c.size, c.per_scene) for c in view.clocks],
        [(t.filled, t.pace) for t in view.tracks],
        view.turn_count,
    )
