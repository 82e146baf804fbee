"""`/accept all` and its like decide what is undecided, and say what they leave and how that is decided."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.records.workflow import Verdict
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        yield PlayedScene(program, await begin(program))


async def read_verdicts(scene: PlayedScene) -> dict[str, Verdict | None]:
    return {row.title: row.verdict for row in (await scene.view()).proposals}


THREE_ROWS = ("/npc here Dob: a smith", "/place Harrow: a village", "/fact The roof leaks")


@pytest.mark.parametrize("command", ["/reject 2", "/flavour 2", "/defer 2"])
async def test_accept_all_leaves_what_was_decided_before(scene: PlayedScene, command: str) -> None:
    await scene.say(*THREE_ROWS, command)
    verdict = (await read_verdicts(scene))["Harrow"]
    word = {"/reject 2": "rejected", "/flavour 2": "just flavour", "/defer 2": "deferred"}[command]
    assert await scene.say("/accept all") == (
        "Accepted: Dob",
        "Accepted: The roof leaks.",
        f"1 {word} before stays so. /accept 2 accepts it.",
    )
    assert await read_verdicts(scene) == {
        "Dob": Verdict.ACCEPT,
        "Harrow": verdict,
        "The roof leaks.": Verdict.ACCEPT,
    }
    await scene.say("/accept 2")
    assert (await read_verdicts(scene))["Harrow"] is Verdict.ACCEPT, "its number decides it all the same"


async def test_accept_all_leaves_what_is_in_conflict(scene: PlayedScene) -> None:
    await scene.say("/npc here Dob: a smith", "/fact Dob is dead", "/accept all", "/commit")
    await scene.say("/fact Dob is alive", "/npc here Hela")
    assert await scene.say("/accept all") == (
        "Accepted: Hela",
        "1 is in conflict and waits. /resolve 3 shows both sides; /accept 3 accepts it all the same.",
    )
    assert (await read_verdicts(scene))["Dob is alive."] is None
    await scene.say("/commit")
    assert "Dob is alive." in {row.title for row in (await scene.view()).proposals}
    assert await scene.say("/accept 3", "/commit") == ("Canon: Dob is alive.",)


async def test_all_keeps_a_conflict_that_was_accepted_by_its_number(scene: PlayedScene) -> None:
    await scene.say("/npc here Dob: a smith", "/fact Dob is dead", "/accept all", "/commit")
    await scene.say("/fact Dob is alive", "/accept 3")
    assert await scene.say("/accept all") == ("Accepted already: Dob is alive.",)


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("/reject all", "2 accepted before stay so. /reject 1 3 rejects them."),
        ("/defer all", "2 accepted before stay so. /defer 1 3 defers them."),
        ("/flavour all", "2 accepted before stay so. /flavour 1 3 makes just flavour of them."),
    ],
)
async def test_no_verdict_on_all_takes_back_another(scene: PlayedScene, command: str, line: str) -> None:
    await scene.say(*THREE_ROWS, "/accept 1 3")
    assert (await scene.say(command))[-1] == line
    verdicts = await read_verdicts(scene)
    assert verdicts["Dob"] is verdicts["The roof leaks."] is Verdict.ACCEPT
    assert verdicts["Harrow"] is not None


async def test_undecide_all_takes_every_verdict_back(scene: PlayedScene) -> None:
    await scene.say(*THREE_ROWS, "/accept 1 3", "/reject 2", "/undecide all")
    assert set((await read_verdicts(scene)).values()) == {None}


async def test_accept_all_is_one_decision_that_undo_takes_back(scene: PlayedScene) -> None:
    assert await scene.say(*THREE_ROWS, "/accept all") == (
        "Accepted: Dob",
        "Accepted: Harrow",
        "Accepted: The roof leaks.",
    )
    await scene.say("/undo")
    assert set((await read_verdicts(scene)).values()) == {None}
