"""What is settled already is settled by no command again, and is said to be so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import InputError
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    """A debt that is paid (1), a promise that is kept (2), one that is broken (3), one that is open (4)."""
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(
            "/npc here Dob", "/npc here Vess", "I wait.", "/fact debt: Dob owes Vess forty crowns"
        )
        await scene.say("/promise Dob will come back", "/promise Vess will mend the boat")
        await scene.say("/promise Dob will sing", "/accept all", "/commit")
        await scene.say("/paid 1", "/paid 2", "/broken 3", "/accept all", "/commit")
        yield scene


async def refuse(scene: PlayedScene, line: str) -> InputError:
    rows = (await scene.view()).proposals
    threads = (await scene.view()).threads
    with pytest.raises(InputError) as refused:
        await scene.say(line)
    assert (await scene.view()).proposals == rows
    assert (await scene.view()).threads == threads
    return refused.value


@pytest.mark.parametrize(
    ("line", "ending"),
    [
        ("/paid 1", "Paid: Dob owes Vess forty crowns."),
        ("/paid forty crowns", "Paid: Dob owes Vess forty crowns."),
        ("/broken Dob owes Vess forty crowns", "Paid: Dob owes Vess forty crowns."),
        ("/paid 2", "Kept: Dob will come back."),
        ("/broken come back", "Kept: Dob will come back."),
        ("/paid mend the boat", "Not kept: Vess will mend the boat."),
        ("/broken 3", "Not kept: Vess will mend the boat."),
    ],
)
async def test_what_is_settled_is_said_to_be_so(scene: PlayedScene, line: str, ending: str) -> None:
    error = await refuse(scene, line)
    assert (error.what, error.kept) == (f"It is settled already. {ending}", "Nothing was proposed.")


@pytest.mark.parametrize(
    "line",
    [
        "/thread 2 close",
        "/thread close 2",
        "/thread 2 +",
        "/thread Dob will come back close",
        "/thread close Dob will come back",
        "/thread close come back: he came",
    ],
)
async def test_thread_of_what_is_settled_is_not_closed_again(scene: PlayedScene, line: str) -> None:
    assert (await refuse(scene, line)).what == "It is settled already. Kept: Dob will come back."


async def test_what_is_open_is_settled_as_before(scene: PlayedScene) -> None:
    assert await scene.say("/paid sing") == ("Proposed: Kept: Dob will sing.",)
    assert await scene.say("/thread Who comes back") == ("Thread 5 is open: Who comes back",)
    assert (await scene.say("/thread close Who comes back"))[0] == "Closed: Who comes back"
    assert "no such promise" in (await refuse(scene, "/paid 9")).what
    assert "no such promise" in (await refuse(scene, "/paid the moon")).what
    assert "names no thread" in (await refuse(scene, "/thread close the moon")).what


async def test_same_promise_made_again_is_kept_again(scene: PlayedScene) -> None:
    await scene.say("I wait.", "/promise Dob will come back")
    assert await scene.say("/paid come back") == ("Proposed: Kept: Dob will come back.",)
