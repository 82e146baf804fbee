"""Any play, undo, redo, retake, reroll and branch leaves state, proposals and line equal to a fresh replay of
the line."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.views.scene_views import SceneView
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import MonitorError
from stores.queries import ProposalQuery
from stores.records.ids import Id
from stores.records.play import Speaker
from stores.records.workflow import OPEN_STATUSES
from tests.examples import examples
from tests.program import begin, opened

ACTIONS = st.lists(
    st.one_of(
        st.just("I act."),
        st.just("> It happens."),
        st.just("I try. /check 1 vs 1; success: Mara.hp -1"),
        st.just("/check 1 vs 1; success: Mara +tired"),
        st.just("I roll. /check d6 vs 1; success: Mara.hp -1 = 3"),
        st.just("/reroll 1 = 5"),
        st.just("/pick fail"),
        st.just("/state Mara.hp +2"),
        st.just("/fact event: Something happens"),
        st.just("/undo"),
        st.just("/undo"),
        st.just("/redo"),
        st.just("/retake In other words."),
        st.just("/take next"),
        st.just("/take previous"),
        st.integers(1, 12).map(lambda n: f"/branch {n}"),
    ),
    max_size=25,
)


@pytest.mark.slow
@settings(max_examples=examples(40, 8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
def test_line_alone_decides(actions: list[str]) -> None:
    asyncio.run(_play_and_replay(actions))


async def _play_and_replay(actions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder) / "played") as played:
            scene_id = await begin(played)
            redoable: Id | None = None
            for action in actions:
                before = await played.services.play.scene(scene_id)
                try:
                    await played.services.play.submit(scene_id, action)
                except MonitorError:
                    assert await played.services.play.scene(scene_id) == before, (
                        "a refused line changes nothing"
                    )
                    continue
                if action == "/undo":
                    redoable = before.scene.head
                    await played.services.play.submit(scene_id, "/redo")
                    assert (await played.services.play.scene(scene_id)).scene.head == redoable
                    await played.services.play.submit(scene_id, "/undo")
            left = await _line(played, scene_id)
            view = await played.services.play.scene(scene_id)
            staged = await _staged(played, scene_id)
        async with opened(Path(folder) / "replayed") as fresh:
            again = await begin(fresh)
            await _replay(fresh, again, left, staged)
            assert [_told(words) for words, _ in await _line(fresh, again)] == [_told(w) for w, _ in left]
            assert _world(await fresh.services.play.scene(again)) == _world(view)


def _told(words: tuple[Speaker, str]) -> tuple[Speaker, str]:
    """What is typed again comes to the same words; a roll taken otherwise says so, and is not typed again."""
    return words if words[0] is not Speaker.ORACLE else (Speaker.ORACLE, "")


async def _line(program: Program, scene_id: Id) -> list[tuple[tuple[Speaker, str], Id]]:
    rows = await program.services.play.transcript(scene_id, 0, 1_000)
    return [((row.turn.speaker, row.turn.text), row.turn.id) for row in rows]


async def _staged(program: Program, scene_id: Id) -> list[tuple[Id | None, str]]:
    """What counts on the line, as a line that would stage it again, by the turn it hangs on."""
    lines = []
    query = ProposalQuery(scene_id=scene_id, statuses=OPEN_STATUSES)
    for proposal in await program.stores.log(Role.CONTEXT_ASSEMBLY).proposals(query):
        change = proposal.payload
        if change.kind == "state_change":
            effect = (
                f"/state Mara.{change.key} {change.value:+d}"
                if change.op == "add"
                else f"/state Mara +{change.key}"
            )
        else:
            effect = "/fact event: Something happens"
        lines.append((proposal.turn_id, effect))
    return lines


async def _replay(
    program: Program,
    scene_id: Id,
    line: list[tuple[tuple[Speaker, str], Id]],
    staged: list[tuple[Id | None, str]],
) -> None:
    """Type the line once, straight, with what hangs on each of its turns."""
    for effect in (e for turn, e in staged if turn is None):
        await program.services.play.submit(scene_id, effect)
    for (speaker, text), turn_id in line:
        typed = {Speaker.GM: f"> {text}", Speaker.ORACLE: "/check 1 vs 1"}.get(speaker, text)
        await program.services.play.submit(scene_id, typed)
        for effect in (e for turn, e in staged if turn == turn_id):
            await program.services.play.submit(scene_id, effect)


def _world(view: SceneView) -> object:
    """What the line decides: who is how, what is proposed, how far play is, and when it is."""
    return (
        [(m.name, m.numbers, m.tags) for m in view.cast],
        sorted((p.title, str(p.status), p.mark) for p in view.proposals),
        view.turn_count,
        view.when,
    )
