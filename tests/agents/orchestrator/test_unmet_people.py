"""Tests what plain words say of people whom nobody has brought in: one line, never silence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.records.canon import Authority, CreateEntity
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/place St. Osk's Chapel", "/npc Captain Vess: a sailor", "/npc Bela: a miller", "I wait."
        )
        yield table


def unknown(name: str) -> str:
    return f"“{name}” is not known in this world: /npc here {name} brings them in (Tab takes it)."


VESS_IS_AWAY = "Captain Vess is not here: /cast + Captain Vess brings them in (Tab takes it)."


async def test_plain_words_of_a_stranger_offer_to_bring_them_in_once_a_scene(table: PlayedScene) -> None:
    assert await table.say("Greta smiles at me.") == (unknown("Greta"),)
    assert await table.say("I ask Greta about the bell.") == ()
    assert await table.say("> The innkeeper pours you an ale.") == (unknown("The Innkeeper"),)
    assert await table.say("I tell Mother Agnes the truth.") == (unknown("Mother Agnes"),)
    await table.say("/npc here Greta", "/npc here The Innkeeper")
    assert await table.say("> The innkeeper leaves.") == ("The Innkeeper leaves.",)
    assert await table.say("The innkeeper comes back. Greta smiles at her.") == ("The Innkeeper comes in.",)
    reply = await table.program.services.play.submit(table.scene_id, "Wil Tanner nods.")
    assert reply.suggested_line == "/npc here Wil Tanner"


async def test_plain_words_to_somebody_away_say_so_and_record_nothing_of_them(table: PlayedScene) -> None:
    for line in (
        "I ask Vess about the bell.",
        "I turn and tell the captain that the bell is mine.",
        "I ask Vess if she knows Bela.",
        "I attack Vess with my knife.",
        "> You shout at Vess.",
    ):
        assert await table.say(line) == (VESS_IS_AWAY,), line
    assert await table.say("I promise Vess to bring the bell.") == (
        "Proposed: Mara promised Captain Vess to bring the bell.",
        VESS_IS_AWAY,
    )
    (row,) = [row for row in (await table.view()).proposals if row.title.startswith("Mara promised")]
    assert (row.proposal.authority, row.mark) == (Authority.SYSTEM, "defer"), "she did not hear it"
    assert await table.cast() == {}
    assert await table.say("I wave to Vess and Bela.") == (
        "Captain Vess and Bela are not here: /cast + Captain Vess, Bela brings them in (Tab takes it).",
    )
    await table.say("/cast + Captain Vess")
    assert await table.say("I ask Vess about the bell.") == ()
    await table.say("I promise Vess to come back.")
    (row,) = [row for row in (await table.view()).proposals if row.title.endswith("to come back.")]
    assert row.proposal.authority is Authority.GM


@pytest.mark.parametrize(
    "line",
    [
        "I walk back along the pier with Vess.",
        "I walked back along the pier with Vess.",
        "I sit on the wall with Vess.",
        "> You stroll with the captain down the quay.",
    ],
)
async def test_company_that_is_away_is_said_to_be_away(table: PlayedScene, line: str) -> None:
    assert await table.say(line) == (VESS_IS_AWAY,)
    assert await table.cast() == {}
    await table.say("/cast + Captain Vess")
    assert await table.say(line) == ()


async def test_company_in_thoughts_plans_and_reports_is_nobody_who_is_away(table: PlayedScene) -> None:
    for line in (
        "I walk along the pier with Vess's lamp.",
        "I walk along the pier with Vess on my mind.",
        "I walk along the pier with Vess far behind.",
        "I walk along the pier without Vess.",
        "I walked along the pier with Vess last year.",
        "I dream that I walk along the pier with Vess.",
        "I will walk along the pier with Vess.",
        "I go to the meeting with Vess.",
        "I stay in touch with Vess.",
        "I go along with Vess's plan.",
    ):
        assert await table.say(line) == (), line


async def test_plain_words_with_the_dead_say_that_they_are_dead(table: PlayedScene) -> None:
    await table.say("/npc here Dob", "/fact Dob is dead", "/accept all", "/commit")
    for line in ("I ask Dob about the bell.", "I attack Dob.", "Dob smiles at me.", "> Dob nods."):
        assert await table.say(line) == ("⚠ Dob is dead.",), line


async def test_who_is_just_killed_is_not_offered_to_be_brought_in(table: PlayedScene) -> None:
    await table.say("/npc here Dob")
    lines = await table.say("> Dob kills Bela.")
    assert "Proposed: Bela died." in lines
    assert not any("/cast +" in line for line in lines)


async def test_trade_with_its_kind_or_age_is_offered_and_known(table: PlayedScene) -> None:
    for line, name in (
        ("> The old weaver nods.", "The Weaver"),
        ("> The night watchman waves.", "The Night Watchman"),
    ):
        reply = await table.program.services.play.submit(table.scene_id, line)
        assert reply.suggested_line == f"/npc here {name}"
        await table.say(reply.suggested_line)
    assert await table.say("> The night watchman leaves.") == ("The Night Watchman leaves.",)
    for line in ("> The other guard nods.", "> The first mate nods.", "> The old clock strikes."):
        assert await table.say(line) == (), line


async def test_plain_words_that_need_nobody_here_say_nothing(table: PlayedScene) -> None:
    for line in (
        "I think of Vess.",
        "I write a letter and tell Vess the truth.",
        "I would ask Vess if she were here.",
        "I want to ask Vess about it.",
        "Did I tell Vess about it?",
        "Winter comes. Guards come in. Rain whispers.",
        "The page turns, and the door opens.",
        "I promise Vess's sister nothing.",
        "I ask Vess in my thoughts.",
    ):
        assert await table.say(line) == (), line
    for line, name in (
        ("I remember Greta. She smiled at me.", "Greta"),
        ("I pray to Saint Orsolya.", "Saint Orsolya"),
    ):
        assert await table.say(line) == (
            f"“{name}” is not known in this world: /npc {name} makes them known (Tab takes it).",
        )
    assert await table.say("Greta's mill stands by the river.") == (), "each name once a scene"


async def test_thing_that_changes_hands_and_is_not_known_is_named_and_then_read(table: PlayedScene) -> None:
    await table.say("/npc here Wenna", "/accept all", "/commit")
    reply = await table.program.services.play.submit(table.scene_id, "I hand Wenna the rope.")
    assert reply.lines == ("“rope” is not known in this world: /thing rope makes it known (Tab takes it).",)
    assert await table.say("I hand Wenna the rope.") == (), "once a scene"
    for line in (
        "I give Wenna a chance.",
        "> Wenna throws you a glance.",
        "I leave the house in a hurry.",
        "I take a deep breath.",
        "I take a seat by the fire.",
        "If I hand Wenna the lamp, she goes.",
    ):
        assert await table.say(line) == (), line
    assert await table.say(reply.suggested_line) == ("Proposed: rope", "Proposed: Wenna has the rope.")
    await table.say("/accept all")
    assert "Canon: Wenna has the rope." in await table.say("/commit")


async def test_line_that_names_nobody_known_is_read_again_when_they_are_declared(table: PlayedScene) -> None:
    await table.say(
        "/thing Glass Bell", "> Dob stole the glass bell.", "> Dob promises you free ale.", "I go on."
    )
    titles = [row.title for row in (await table.view()).proposals]
    assert "Dob stole the glass bell." not in titles
    assert await table.say("/npc Dob: a thief") == (
        "Proposed: Dob",
        "Proposed: Dob stole the glass bell.",
        "Proposed: Dob promised Mara: “Free ale.”",
        "Dob is known, not here: /cast + Dob brings them in.",
    )
    (row,) = [row for row in (await table.view()).proposals if row.title == "Dob stole the glass bell."]
    assert (row.quote, row.mark) == ("Dob stole the glass bell", "defer"), "on the words that said it"
    await table.say("/undo")
    titles = [row.title for row in (await table.view()).proposals]
    assert not {"Dob", "Dob stole the glass bell."} & set(titles), "undone with the command"
    await table.say("/npc Dob: a thief", "/accept all")
    assert "Canon: Dob stole the glass bell." in await table.say("/commit")


async def test_line_is_not_read_again_for_what_a_roll_decided_or_where_the_scene_was(
    table: PlayedScene,
) -> None:
    await table.say("/place Old Mill", "Dob stole the bell. /check 2d6 vs 7", "I drop the sack.")
    await table.say("I go to the Old Mill.")
    assert await table.say("/npc Dob: a thief") == (
        "Proposed: Dob",
        "Dob is known, not here: /cast + Dob brings them in.",
    )
    assert await table.say("/thing Sack") == ("Proposed: Sack",), "it lies where the scene was then"


STEN_IS_AWAY = "Sten is not here: /cast + Sten brings them in (Tab takes it)."


async def begin_second_scene(table: PlayedScene) -> None:
    """Play a scene with Sten, and the next one without a word of him."""
    await table.say("/npc here Sten: a prisoner", "I nod.", "/end It is over", "/commit")
    assert await table.cast() == {}


async def test_who_was_with_us_and_does_something_here_is_offered(table: PlayedScene) -> None:
    await begin_second_scene(table)
    for line in (
        "> Sten begs for water.",
        "> Sten begged for water.",
        "> Sten is bleeding.",
        "> Sten is hungry.",
        "> Sten watches me.",
    ):
        assert await table.say(line) == (STEN_IS_AWAY,), line
    assert await table.say("/cast + Sten") == ("Sten comes in.",)
    assert await table.say("> Sten begs for water.") == ()
    assert await table.say("/cast - Sten", "> Sten begs for water.") == (STEN_IS_AWAY,), "in the same scene"


async def test_who_was_left_behind_and_falls_into_the_water_is_offered_and_not_brought_in(
    table: PlayedScene,
) -> None:
    await table.say("/npc here Hedda: a widow", "/npc here Lisk: a child")
    line = "> Hedda falls into the millrace and does not come up again."
    assert "Hedda leaves." in await table.say(line), "she was here"
    await table.say("/undo", "I step outside with Lisk.")
    assert await table.say(line) == ("Hedda is not here: /cast + Hedda brings them in (Tab takes it).",)
    assert await table.cast_names() == {"Lisk"}
    assert await table.say("> Hedda falls to her knees.") == ("Hedda comes in.",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "> Bela begs for water.",
        "> Sten rides to St. Osk's Chapel.",
        "> Sten begs in St. Osk's Chapel.",
        "> Meanwhile Sten begs for water.",
        "> Sten never begs.",
        "> Sten needs water.",
        "> Sten is a coward.",
        "> Sten served ten years at sea.",
        "> Does Sten beg for water?",
        "I remember how Sten begs for water.",
        "I dream that Sten begs for water.",
    ],
)
async def test_who_was_not_with_us_or_may_be_elsewhere_is_not_offered(table: PlayedScene, line: str) -> None:
    await begin_second_scene(table)
    assert not any("/cast +" in reply for reply in await table.say(line))


async def test_dead_of_an_earlier_scene_who_do_something_are_said_to_be_dead(table: PlayedScene) -> None:
    await table.say("/npc here Sten: a prisoner", "> Sten dies.", "/accept all", "/end It is over", "/commit")
    assert await table.say("> Sten begs for water.") == ("⚠ Sten is dead.",)


@pytest.mark.parametrize(
    "line",
    [
        "> Will Karr comes in.",
        "> May Karr comes in.",
        "> Then Will Karr comes in.",
        "> Out of the rain comes Will Karr.",
        "> Will Karr smiled at me.",
        "> Mark Karr comes in.",
    ],
)
async def test_another_first_name_before_a_known_surname_brings_in_nobody(
    table: PlayedScene, line: str
) -> None:
    await table.say("/npc Wilma Karr")
    first_name = next(word for word in ("Will", "May", "Mark") if word in line)
    assert await table.say(line) == (unknown(f"{first_name} Karr"),)
    assert await table.cast() == {}


@pytest.mark.parametrize(
    "line",
    [
        "> Wilma comes in. Will Karr stay?",
        "> Karr comes in.",
        "> On the third of May Karr comes in.",
        "> Wilma comes in. May Karr rest her feet.",
    ],
)
async def test_verb_before_a_name_is_no_first_name(table: PlayedScene, line: str) -> None:
    await table.say("/npc Wilma Karr")
    assert await table.say(line) == ("Wilma Karr comes in.",)


async def test_fact_of_another_first_name_is_not_of_whom_the_surname_means(table: PlayedScene) -> None:
    await table.say("/npc Wilma Karr", "/fact Will Karr is dead")
    wilma_ids = [
        r.proposal.change.entity_id
        for r in (await table.view()).proposals
        if isinstance(r.proposal.change, CreateEntity) and r.proposal.change.name == "Wilma Karr"
    ]
    (row,) = [row for row in (await table.view()).proposals if row.title == "Will Karr is dead."]
    assert len(wilma_ids) == 1
    assert wilma_ids[0] not in str(row.proposal.change)
