"""Somebody known by what they are, in small letters, is read and told of as anybody else: `The hooded stranger`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        yield PlayedScene(program, await begin(program))


async def offered(table: PlayedScene) -> list[str]:
    return [offer.command for offer in (await table.view()).offers]


async def test_promises_to_and_by_somebody_in_small_letters_name_them(table: PlayedScene) -> None:
    await table.say("/npc here The hooded stranger", "/npc here Jonas Reed")
    proposed = {
        "I promise the hooded stranger that I will find the lamp.": (
            "Proposed: Mara promised the hooded stranger: “I will find the lamp.”"
        ),
        "> Jonas promises the hooded stranger that he will watch the mill.": (
            "Proposed: Jonas Reed promised the hooded stranger that he will watch the mill."
        ),
        "> The hooded stranger promises me to watch the mill.": (
            "Proposed: The hooded stranger promised Mara to watch the mill."
        ),
    }
    assert {line: (await table.say(line))[0] for line in proposed} == proposed


async def test_reply_has_the_article_as_its_place_in_the_sentence_wants_it(table: PlayedScene) -> None:
    await table.say("/npc here The hooded stranger", "/npc here Jonas Reed", "/npc here the red monk")
    assert await table.say("> The hooded stranger tells Jonas that the mill is haunted.") == (
        "Jonas Reed remembers it from the hooded stranger; canon stays as it is.",
    )
    assert await table.say("> The red monk leaves.") == ("The red monk leaves.",)
    assert await table.say("I nod to the red monk.") == (
        "The red monk is not here: /cast + the red monk brings them in (Tab takes it).",
    )
    ideas = await table.program.services.play.suggest_actions(table.scene_id)
    assert any(action.startswith("I ask the hooded stranger ") for action in ideas.actions)


@pytest.mark.parametrize("name", ["The hooded stranger", "Jonas Reed"])
async def test_who_left_is_brought_in_by_coming_or_acting_here_alone(table: PlayedScene, name: str) -> None:
    await table.say("/npc Dorrit", f"/npc here {name}", f"> {name} leaves.")
    within = name[:1].lower() + name[1:] if name.startswith("The") else name
    for line in (
        f"> {name} killed Dorrit, they say.",
        f"> {name} drinks too much, says the innkeeper.",
        f"> {name} is dead, says the innkeeper.",
        f"> {name} is waiting at the mill.",
        f"> {name} is sitting in the old church.",
        f"> The innkeeper asks about {within}.",
        f"> {name}'s cloak lies on the chair.",
        f"I ask Dorrit where {within} went.",
    ):
        await table.say(line)
        assert await table.cast_names() == set(), line
        assert f"/cast + {name}" not in await offered(table), line
    for line in (
        f"> {name} is waiting at the bar.",
        f"> {name} comes in.",
        f'> {name} says, "Good evening."',
    ):
        await table.say(line)
        assert await table.cast_names() == {name}, line
        await table.say("/undo")


async def test_stranger_who_left_is_offered_to_be_known_and_not_to_be_here(table: PlayedScene) -> None:
    await table.say("> The hooded stranger nods at me.")
    assert await offered(table) == ["/npc here The Hooded Stranger"]
    assert await table.say("> The hooded stranger leaves.") == (
        "“The Hooded Stranger” left and is not known: /npc The Hooded Stranger makes them known (Tab takes it).",
    )
    assert await offered(table) == ["/npc The Hooded Stranger"]
    assert await table.say("> The bell rings.") == ()
    await table.say("/undo", "/undo")
    assert await offered(table) == ["/npc here The Hooded Stranger"]
    await table.say("> The hooded stranger leaves.", "> The hooded stranger comes in.")
    assert await offered(table) == ["/npc here The Hooded Stranger"]


async def test_stranger_who_comes_and_leaves_by_one_line_is_offered_once(table: PlayedScene) -> None:
    await table.say("> The miller comes in and leaves again.")
    assert await offered(table) == ["/npc The Miller"]


@pytest.mark.parametrize(("name", "command"), [("the red monk", "The Red Monk"), ("Dob", "Dob")])
@pytest.mark.parametrize(
    "gift",
    ["I give {} a silver coin.", "I hand {} a coin.", "I give my knife to {}.", "> {} gives me a coin."],
)
async def test_gift_with_somebody_unknown_offers_to_make_them_known(
    table: PlayedScene, gift: str, name: str, command: str
) -> None:
    line = gift.format(name)
    await table.say(line.replace("> the", "> The"))
    assert f"/npc here {command}" in await offered(table), line


@pytest.mark.parametrize(
    "gift",
    [
        "> Jonas gives the red monk a coin.",
        "> Jonas gives the red monk the coin and smiles.",
        "> Jonas pays the red monk two coins.",
    ],
)
async def test_gift_of_another_to_somebody_unknown_offers_to_make_them_known(
    table: PlayedScene, gift: str
) -> None:
    await table.say("/npc here Jonas: a smith")
    await table.say(gift)
    assert await offered(table) == ["/npc here The Red Monk"]
    await table.say(gift)
    assert await offered(table) == ["/npc here The Red Monk"], "once"


@pytest.mark.parametrize(
    "line",
    [
        "> Jonas gives the door a push.", "> Jonas gives the dog a bone.",
        "> Jonas gave the red monk a coin years ago.",
        "> Jonas gives the red monk a coin by letter.", "> Does Jonas give the red monk a coin?",
    ],
)  # fmt: skip
async def test_what_is_no_gift_to_somebody_here_offers_nobody(table: PlayedScene, line: str) -> None:
    await table.say("/npc here Jonas: a smith")
    await table.say(line)
    assert not [command for command in await offered(table) if command.startswith("/npc here")]


@pytest.mark.parametrize("name", ["the red monk", "Dob Marsh"])
async def test_gift_to_somebody_known_is_proposed_and_brings_them_in(table: PlayedScene, name: str) -> None:
    await table.say(f"/npc {name}", "/thing silver coin")
    for gift in ("I give {} a silver coin.", "I give the silver coin to {}.", "I hand {} my silver coin."):
        replies = await table.say(gift.format(name))
        assert replies == (
            f"{name[:1].upper()}{name[1:]} comes in.",
            f"Proposed: {name[:1].upper()}{name[1:]} has the silver coin.",
        )
        await table.say("/undo")
