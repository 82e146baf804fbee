"""Lines of a newcomer at an inn on a pass: who is where, who comes along, and what the oracle cannot say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import InputError
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        scene = PlayedScene(program, await begin(program))
        await scene.say(
            "/npc here Pell: a thief", "/npc here Widow Arda: a widow", "/creature here Biscuit: a mule"
        )
        yield scene


async def test_place_here_is_where_the_scene_is_with_all_who_are_in_it(scene: PlayedScene) -> None:
    lines = await scene.say("/place here Cold Fork Inn: a smoky inn")
    assert lines[:2] == ("Proposed: Cold Fork Inn", "Proposed: Mara is in Cold Fork Inn.")
    assert await scene.cast_names() == {"Pell", "Widow Arda", "Biscuit"}
    await scene.say("/place here > Cellar: damp")
    assert await scene.place() == "Cold Fork Inn", "here > leads on from there"
    await scene.say("/place here Cellar")
    assert await scene.place() == "Cellar", "a place that is known is gone to"
    with pytest.raises(InputError, match="part of the name"):
        await scene.say("/thing here brass lamp: dented")
    await scene.say("/undo", "/undo", "/undo")
    assert await scene.place() == "Yard"


async def test_cast_brings_in_who_is_away_and_says_who_is_here(scene: PlayedScene) -> None:
    await scene.say("/cast - Widow Arda, Pell")
    assert await scene.say("/cast + Widow Arda, Biscuit, Pell") == (
        "Widow Arda comes in.",
        "Pell comes in.",
        "Biscuit is here already.",
    )
    with pytest.raises(InputError, match="Pell is here"):
        await scene.say("/cast + Pell, Biscuit")
    assert await scene.say("/cast - Biscuit") == ("Biscuit leaves.",)
    assert await scene.say("/cast - Pell, Biscuit") == ("Pell leaves.", "Biscuit is not here.")


async def test_who_leads_a_mule_with_me_comes_along_and_a_mule_bolts(scene: PlayedScene) -> None:
    await scene.say("/cast - Widow Arda")
    lines = await scene.say("> Dawn. Widow Arda and I lead Biscuit up the pass road.")
    assert any("Widow Arda" in line and "come" in line for line in lines)
    assert await scene.cast_names() == {"Widow Arda", "Biscuit"}, "Pell stays behind"
    assert await scene.say("> Biscuit bolts the oats.", "> Arda bolts the door.") == ()
    assert await scene.say("> Biscuit bites Arda and bolts.") == ("Biscuit leaves.",)


async def test_oracle_names_the_command_for_more_than_yes_or_no(scene: PlayedScene) -> None:
    assert (await scene.say("? how many guards are at the gate"))[0].endswith("/howmuch says how much.")
    assert (await scene.say("? what is in the folded note"))[0].endswith("/spark gives words to build on.")


async def test_card_shows_no_conflict_that_the_gate_does_not_show(scene: PlayedScene) -> None:
    await scene.say("/accept 1", "/commit", "/npc here Captain Holt", "/thing ring: silver")
    await scene.say("/fact Pell killed Captain Holt", "> Pell has the ring.")
    view = await scene.view()
    (pell_id,) = [member.entity_id for member in view.cast if member.name == "Pell"]
    rows = await scene.program.services.world.previews.list_proposals_about(pell_id)
    assert [row.title for row in rows] == ["Pell killed Captain Holt.", "Pell has the ring."]
    assert not [row for row in (*rows, *view.proposals) if row.conflicts], "what they name waits beside them"


async def test_hero_who_goes_back_leaves_whom_they_followed_out(scene: PlayedScene) -> None:
    await scene.say("> Pell leaves.", "I follow Pell.")
    assert await scene.cast_names() == {"Pell"}
    assert "Pell stays behind: /cast + Pell brings them along." in await scene.say("I walk back in.")
    assert await scene.cast_names() == {"Widow Arda", "Biscuit"}
    await scene.say("I go back out.")
    assert await scene.cast_names() == {"Pell"}, "who was followed is where they were left"


@pytest.mark.parametrize(
    "line", ["I walk back in with Pell.", "I walk back in, and Pell follows.", "We walk back in."]
)
async def test_hero_who_goes_back_takes_along_whom_the_line_names(scene: PlayedScene, line: str) -> None:
    await scene.say("> Pell leaves.", "I follow Pell.", line)
    assert await scene.cast_names() == {"Pell", "Widow Arda", "Biscuit"}


async def test_hero_who_goes_back_keeps_who_left_with_them(scene: PlayedScene) -> None:
    await scene.say("We walk out to the road, and Pell stays behind.", "I walk back in.")
    assert await scene.cast_names() == {"Pell", "Widow Arda", "Biscuit"}


async def test_fact_of_where_the_hero_is_says_who_stays_behind_as_go_does(scene: PlayedScene) -> None:
    await scene.say("/place here Inn: smoky", "/place Pier Nine: a pier")
    lines = await scene.say("/fact I am in Pier Nine")
    stays = "Pell, Widow Arda and Biscuit stay behind. /go Pier Nine with NAME takes somebody along."
    assert (lines[0], lines[-1]) == ("Proposed: Mara is in Pier Nine.", stays)
    assert (await scene.place(), await scene.cast_names()) == ("Pier Nine", set())
    await scene.say("/undo")
    assert (await scene.place(), await scene.cast_names()) == ("Inn", {"Pell", "Widow Arda", "Biscuit"})


@pytest.mark.parametrize(
    "line", ["/fact I am in the Inn", "/fact I am in Harrow", "/fact Pell is in Pier Nine"]
)
async def test_fact_of_where_somebody_is_leaves_nobody_behind_unless_the_hero_goes(
    scene: PlayedScene, line: str
) -> None:
    await scene.say("/place here Inn: smoky", "/place Pier Nine: a pier", "/place Harrow: a village")
    await scene.say("/fact Inn is in Harrow")
    assert not any("stay" in text for text in await scene.say(line))
    assert await scene.cast_names() == {"Pell", "Widow Arda", "Biscuit"}
