"""Tests in the player's own words that a plain sentence of the hero's going moves the scene, and nothing else does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.examples import first_few
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        for line in ("/place Cellar", "/place Tarn", "/place Old Mill", "/npc here Jon", "/npc here Bram"):
            await table.say(line)
        await table.say("/commit")
        yield table


@pytest.mark.parametrize(
    ("line", "place"),
    first_few(
        [
            ("I go down to the Cellar with Jon.", "Cellar"),
            ("I go to the Tarn", "Tarn"),
            ("I run back to the Mill.", "Old Mill"),
            ("I take my lantern and climb down the ladder into the Cellar.", "Cellar"),
            ("Jon and I walk to the Tarn.", "Tarn"),
            ("We head for the Old Mill.", "Old Mill"),
            ("I go to the tarn.", "Tarn"),
            ("I walk over to the old mill", "Old Mill"),
            ("I go down to the cellar.", "Cellar"),
            ("I go to the mill.", "Old Mill"),
            ("go out on the Tarn", "Tarn"),
            ("I take the lantern and go out on the Tarn.", "Tarn"),
            ("take the lantern and go out onto the tarn", "Tarn"),
            ("I step back inside the Old Mill.", "Old Mill"),
            ("I make my way back to the Mill.", "Old Mill"),
            ("> You walk up to the old mill.", "Old Mill"),
            ("I follow Jon down to the Cellar.", "Cellar"),
            ("I take Jon to the Tarn.", "Tarn"),
            ("I enter the Old Mill, sword drawn.", "Old Mill"),
            ("> You go down to the Cellar.", "Cellar"),
            ("> Mara walks to the Tarn.", "Tarn"),
            ("> Jon leads you to the Old Mill.", "Old Mill"),
            ("I ride north to the Old Mill.", "Old Mill"),
            ("I ride hard all night to the Tarn.", "Tarn"),
            ("I travel upriver by boat to the Tarn.", "Tarn"),
            ("> Hours later you arrive at the Tarn.", "Tarn"),
        ]
    ),
)
async def test_plain_going_moves_the_scene_and_undo_takes_it_back(
    table: PlayedScene, line: str, place: str
) -> None:
    before, cast_before = await table.view(), await table.cast_names()
    assert before.place == "Yard"
    assert f"The scene goes on in {place}." in await table.say(line)
    after, cast_after = await table.view(), await table.cast_names()
    assert after.place == place
    assert [row.proposal.id for row in after.proposals] == [row.proposal.id for row in before.proposals]
    await table.say("/undo")
    assert (await table.place(), await table.cast_names()) == ("Yard", cast_before)
    await table.say("/redo")
    assert (await table.place(), await table.cast_names()) == (place, cast_after)


@pytest.mark.parametrize(
    "line",
    first_few(
        [
            "I do not go to the Tarn.",
            "I never go to the Tarn.",
            "I went to the Tarn yesterday.",
            "I have been to the Tarn.",
            "If it rains, I go to the Tarn.",
            "I would go to the Tarn.",
            "I want to go to the Tarn.",
            "I think of going to the Tarn.",
            "I nearly go to the Tarn.",
            "Do I go to the Tarn?",
            '"I go to the Tarn," I say.',
            "I tell Jon that I go to the Tarn.",
            "Jon goes to the Tarn.",
            "Jon says he goes to the Tarn.",
            "I send Jon to the Tarn.",
            "I watch Jon go to the Tarn.",
            "I look to the Tarn.",
            "I go to the Tarn's keeper.",
            "I walk towards the Tarn.",
            "I go to the mill door.",
            "I go to the Moon Gate.",
            "I go to bed.",
            "I go down to the crypt.",
            "I go to a mill.",
            "I go to a cellar.",
            "I go to cellar the wine.",
            "Go to the Tarn, Jon.",
            "Go to the Tarn!",
            "I stand out on the Tarn.",
            "I almost go to the Tarn.",
            "> Jon goes down to the Cellar.",
            "> The path goes to the Tarn.",
            "> You remember how you went to the Tarn.",
            "? Do I get to the Tarn",
        ]
    ),
)
async def test_plain_words_that_are_no_going_leave_the_scene_where_it_is(
    table: PlayedScene, line: str
) -> None:
    assert "The scene goes on in" not in " ".join(await table.say(line))
    assert await table.place() == "Yard"


async def test_plain_going_takes_along_who_comes_along(table: PlayedScene) -> None:
    lines = await table.say("I go down to the Cellar with Jon.")
    assert lines[0] == "The scene goes on in Cellar."
    assert await table.cast_names() == {"Jon"}
    await table.say("I run back to the Yard.")
    assert (await table.place(), await table.cast_names()) == ("Yard", {"Bram", "Jon"})
    await table.say("/undo")
    assert (await table.place(), await table.cast_names()) == ("Cellar", {"Jon"})


async def test_plain_going_to_an_unknown_place_moves_nobody_and_says_so_once(table: PlayedScene) -> None:
    note = "“Pier” is not known in this world: /place Pier makes it known (Tab takes it)."
    assert await table.say("I go out on the pier.") == (note,)
    assert await table.say("I walk to the pier.") == ()
    assert (await table.place(), await table.cast_names()) == ("Yard", {"Bram", "Jon"})
    await table.say("/place The Gull Inn", "I go back to the inn.")
    assert (await table.place(), await table.cast_names()) == ("The Gull Inn", set())


@pytest.mark.slow
async def test_place_that_is_made_known_after_going_there_is_where_the_scene_goes_on(
    table: PlayedScene,
) -> None:
    await table.say(
        "I ride north to Stonewick with Jon.", "> It rains.", "/place here > Stonewick: a village"
    )
    assert (await table.place(), await table.cast_names()) == ("Stonewick", {"Jon"})
    await table.say("/undo")
    assert (await table.place(), await table.cast_names()) == ("Yard", {"Bram", "Jon"})
    await table.say("I ride on to Highgarth.", "/place Stonewick")
    assert await table.place() == "Yard", "Stonewick was left behind"
    await table.say("I go to the Tarn.", "/place Highgarth")
    assert await table.place() == "Tarn", "the hero went elsewhere since"
    await table.say("> Jon speaks of Lowgarth.", "/place Lowgarth")
    assert await table.place() == "Tarn", "nobody went to Lowgarth"
    replies = await table.say("I ride to the Toll Tower.", "/npc here Tib", "/place Toll Tower")
    assert replies[-1] == "/go Toll Tower goes there."
    assert await table.place() == "Tarn", "Tib may be in either place"
    await table.say("> Mara rides to Calder with Tib.", "/place Calder")
    assert (await table.place(), await table.cast_names()) == ("Calder", {"Tib"})
    (arrival,) = [p for p in (await table.view()).proposals if p.title == "Mara is in Calder."]
    assert {piece.quote for piece in arrival.proposal.evidence} == {
        "/place Calder",
        "Mara rides to Calder with Tib.",
    }


async def test_plain_going_to_a_place_by_its_kind_means_the_only_one_and_not_where_the_scene_is(
    table: PlayedScene,
) -> None:
    await table.say("/place The Gull Inn", "/place The Rose Inn", "/place The Tin Kettle")
    await table.say("I go to the inn.", "I reach for the kettle.", "I go to the kettle.")
    assert await table.place() == "Yard"
    await table.say("/go Old Mill", "/place New Mill", "I go back to the mill.")
    assert await table.place() == "Old Mill"


@pytest.mark.parametrize(
    "line",
    ["I go to the dock.", "I go to the Dock.", "> Mara walks down to the dock.", "I swim to the dock."],
)
async def test_plain_going_to_one_of_two_places_asks_which_and_stays(table: PlayedScene, line: str) -> None:
    await table.say("/place Old Dock", "/place Dry Dock")
    name = "The Dock" if "Dock" in line else "The dock"
    for _ in range(2):
        assert await table.say(line) == (
            f"“{name}” may be Dry Dock or Old Dock: the scene stays where it is. Write the whole name.",
        )
        assert (await table.place(), await table.cast_names()) == ("Yard", {"Bram", "Jon"})
    assert (await table.say("I go to the dry dock."))[0] == "The scene goes on in Dry Dock."


@pytest.mark.parametrize(
    "line", ["I look over to the dock.", "I walk along the dock.", "Bram talks of the dock."]
)
async def test_words_about_one_of_two_places_ask_nothing(table: PlayedScene, line: str) -> None:
    await table.say("/place Old Dock", "/place Dry Dock")
    assert not [text for text in await table.say(line) if "may be" in text]


async def test_plain_going_by_the_kind_or_the_way_moves_the_scene_to_what_is_known(
    table: PlayedScene,
) -> None:
    await table.say("/place Pier Nine", "/place Lamp Room")
    assert (await table.say("I swim to the pier."))[0] == "The scene goes on in Pier Nine."
    assert await table.place() == "Pier Nine"
    await table.say("I climb the ladder to the Lamp Room.")
    assert await table.place() == "Lamp Room"
    note = "“Weir” is not known in this world: /place Weir makes it known (Tab takes it)."
    assert await table.say("I walk along the shore to the weir.") == (note,)
    assert await table.place() == "Lamp Room"


@pytest.mark.parametrize("line", ["I go to the mill.", "I go to the Mill.", "I go to the Old Mill."])
async def test_plain_going_leaves_the_cast_behind_by_any_name_of_the_place(
    table: PlayedScene, line: str
) -> None:
    await table.say(line)
    assert (await table.place(), await table.cast_names()) == ("Old Mill", set())


async def test_plain_going_out_of_sight_of_any_place_leaves_the_cast_behind(table: PlayedScene) -> None:
    await table.say("I go out into the rain.")
    assert (await table.place(), await table.cast_names()) == ("Yard", set())


async def test_plain_going_reads_the_article_of_a_place_and_its_whole_name_before_a_part(
    table: PlayedScene,
) -> None:
    await table.say("/place The Forge", "/place Dwarves' Forge", "I go to the forge.")
    assert await table.place() == "The Forge"


async def test_plain_going_back_to_no_known_place_meets_nobody_who_stayed_elsewhere(
    table: PlayedScene,
) -> None:
    await table.say("I go to the Tarn.")
    assert await table.say("I walk back to the crypt.") == ()
    assert (await table.place(), await table.cast_names()) == ("Tarn", set())
    await table.say("> Jon comes in.")
    assert await table.cast_names() == {"Jon"}


async def test_plain_going_back_to_another_place_meets_nobody_who_stayed_elsewhere(
    table: PlayedScene,
) -> None:
    await table.say("I go to the Tarn.", "I run back to the Mill.")
    assert (await table.place(), await table.cast_names()) == ("Old Mill", set())
    await table.say("I go back to the Yard.")
    assert (await table.place(), await table.cast_names()) == ("Yard", {"Bram", "Jon"})


async def test_plain_going_and_go_take_turns_whatever_is_committed(table: PlayedScene) -> None:
    await table.say("I go to the Tarn.", "/go Cellar")
    assert await table.place() == "Cellar"
    await table.say("/commit")
    assert await table.place() == "Cellar"
    await table.say("I walk to the Old Mill.")
    assert await table.place() == "Old Mill"
    await table.say("/undo")
    assert await table.place() == "Cellar"
    await table.say("/undo")
    assert await table.place() == "Cellar", "it is proposed again"
    await table.say("/undo")
    assert await table.place() == "Tarn"
    await table.say("/redo")
    assert await table.place() == "Cellar"
    await table.say("/undo", "/undo")
    assert await table.place() == "Yard"


async def test_plain_going_is_where_the_next_scene_begins(table: PlayedScene) -> None:
    await table.say("I go to the Tarn.", "/end I am at the Tarn")
    report = await table.program.services.gate.commit(table.scene_id)
    assert report.next_scene_id
    assert (await table.program.services.play.scene(report.next_scene_id)).place == "Tarn"


async def test_plain_going_to_a_proposed_place_moves_the_scene(table: PlayedScene) -> None:
    await table.say("/place Chapel", "I hurry over to the Chapel.")
    assert await table.place() == "Chapel"


async def test_plain_going_ends_the_place_that_is_proposed_and_undo_brings_it_back(
    table: PlayedScene,
) -> None:
    """`/go` to a place, then on in plain words: what is committed says where the hero is."""
    await table.say("/go Cellar", "I look round.")
    before = [row.title for row in (await table.view()).proposals]
    assert "The scene goes on in Tarn." in await table.say("I go to the Tarn with Jon.")
    assert [row.title for row in (await table.view()).proposals][-2:] == [
        "Mara is in Cellar.",
        "Mara is in Tarn.",
    ]
    await table.say("/undo")
    assert [row.title for row in (await table.view()).proposals] == before
    await table.say("/redo")
    view = await table.view()
    await table.program.services.gate.commit(table.scene_id)
    assert view.story.pc_id is not None
    card = await table.program.services.world.read_card(view.story.pc_id)
    stays = [fact_view for _, _, fact_view in card.relations if fact_view.fact.predicate == "located_in"]
    assert [stay.fact.statement for stay in stays if stay.is_current] == ["Mara is in Tarn."]
    assert await table.place() == "Tarn"


async def test_plain_going_from_a_place_of_canon_proposes_the_new_place(table: PlayedScene) -> None:
    """`/go` to a place and commit, then on in plain words: canon follows the hero."""
    await table.say("/go Cellar", "/commit", "I look round.", "I go to the Tarn.")
    rows = [row for row in (await table.view()).proposals if row.status == "pending"]
    assert [row.title for row in rows] == ["Mara is in Tarn."]
    await table.say("/undo")
    assert [row.title for row in (await table.view()).proposals if row.status == "pending"] == []
    await table.say("/redo", "/commit")
    view = await table.view()
    assert view.story.pc_id is not None
    card = await table.program.services.world.read_card(view.story.pc_id)
    stays = [fact_view for _, _, fact_view in card.relations if fact_view.fact.predicate == "located_in"]
    assert [stay.fact.statement for stay in stays if stay.is_current] == ["Mara is in Tarn."]


async def test_plain_going_through_several_places_is_one_row_of_the_gate(table: PlayedScene) -> None:
    await table.say(
        "/go Cellar", "/commit", "I go to the Tarn.", "I go to the mill.", "I go to the old mill."
    )
    await table.say("I go to the yard.")

    async def waiting() -> list[tuple[str, int]]:
        rows = (await table.view()).proposals
        return [(row.title, len(row.member_ids)) for row in rows if row.status == "pending"]

    assert await waiting() == [("Mara is in Yard.", 3)]
    await table.say("/undo")
    assert await waiting() == [("Mara is in Old Mill.", 2)]
    await table.say("/commit")
    assert await waiting() == []
    view = await table.view()
    assert view.story.pc_id is not None
    card = await table.program.services.world.read_card(view.story.pc_id)
    stays = [fact_view for _, _, fact_view in card.relations if fact_view.fact.predicate == "located_in"]
    assert [stay.fact.statement for stay in stays if stay.is_current] == ["Mara is in Old Mill."]


async def test_place_that_has_a_part_of_somebodys_name_is_gone_to(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            *("/npc Glass Monks", "/npc Salt Baron", "/npc Bram Harrow"),
            *("/place Abbey of Glass", "/place Tower of Salt", "/place Bram's Mill"),
        ):
            await program.services.play.submit(scene_id, line)
        for line, place in (
            ("I go to the Abbey of Glass.", "Abbey of Glass"),
            ("I walk to the Tower of Salt.", "Tower of Salt"),
            ("I go to Bram's Mill.", "Bram's Mill"),
            ("We ride back to the Abbey of Glass.", "Abbey of Glass"),
        ):
            await program.services.play.submit(scene_id, line)
            view = await program.services.play.scene(scene_id)
            assert (view.place, [member.name for member in view.cast]) == (place, ["Mara"]), line
        await program.services.play.submit(scene_id, "> Bram comes in, and Harrow's dog with him.")
        assert "Bram Harrow" in [m.name for m in (await program.services.play.scene(scene_id)).cast]


@pytest.mark.parametrize(
    ("line", "along"),
    [
        ("I carry Jon back to the Cellar.", {"Jon"}),
        ("I take Jon back to the Cellar.", {"Jon"}),
        ("I bring Jon back to the Cellar.", {"Jon"}),
        ("I carry Pim back to the Cellar.", set[str]()),
    ],
)
async def test_who_is_taken_back_to_another_place_comes_along_and_others_stay(
    table: PlayedScene, line: str, along: set[str]
) -> None:
    """“Bram is with you”, though nobody said that he came: Pim, who is not known, was carried."""
    assert (await table.say(line))[0] == "The scene goes on in Cellar."
    assert (await table.place(), await table.cast_names()) == ("Cellar", along)


async def test_who_is_brought_back_here_leaves_nobody_behind(table: PlayedScene) -> None:
    await table.say("/cast - Jon", "I bring Jon back.")
    assert (await table.place(), await table.cast_names()) == ("Yard", {"Bram", "Jon"})


@pytest.mark.parametrize(
    "line",
    [
        "> Jon takes Bram and leaves.",
        "> Jon picks up Bram and walks out.",
        "> Jon takes Bram by the hand and leaves.",
        "> Jon grabs Bram and then runs off.",
    ],
)
async def test_who_is_taken_by_another_who_leaves_is_gone_too(table: PlayedScene, line: str) -> None:
    assert set(await table.say(line)) == {"Jon leaves.", "Bram leaves."}
    assert await table.cast_names() == set()


@pytest.mark.parametrize(
    "line",
    [
        "> Jon takes Bram's coat and leaves.",
        "> Jon thanks Bram and leaves.",
        "> Jon would take Bram and leave.",
    ],
)
async def test_who_is_not_taken_stays(table: PlayedScene, line: str) -> None:
    await table.say(line)
    assert "Bram" in await table.cast_names()


async def test_who_is_taken_by_the_hand_comes_along_and_nobody_who_left(table: PlayedScene) -> None:
    await table.say("/npc here Osric: a miller", "/npc here Lisk: a child", "> Osric storms out.")
    assert await table.say("I take Lisk by the hand and lead her out through the back door.") == (
        "Jon and Bram stay behind: /cast + Jon, Bram brings them along.",
        "Lisk comes along.",
    )
    assert await table.cast_names() == {"Lisk"}
    await table.say("/undo", "I take Lisk's hand and lead her away.")
    assert await table.cast_names() == {"Lisk"}
    await table.say("/undo", "I take Lisk by the hand and lead her to the window.")
    assert await table.cast_names() == {"Jon", "Bram", "Lisk"}, "nobody is left behind"
    await table.say("/undo", "I take him by the hand and lead him out.")
    assert "Osric" not in await table.cast_names(), "he was not there"


@pytest.mark.parametrize("way", ["walk back to the Old Mill alone", "walk to the Old Mill"])
async def test_plain_going_leaves_those_there_with_whom_somebody_is_left(
    table: PlayedScene, way: str
) -> None:
    await table.say("I go to the Tarn with Jon and Bram.")
    await table.say(f"I leave Jon with Bram and {way}.")
    assert await table.cast_names() == set()
    await table.say("I walk back to the Tarn.")
    assert await table.cast_names() == {"Jon", "Bram"}


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("I go aboard the Salvage Skiff with Jon.", "Salvage Skiff"),
        ("I board the Salvage Skiff.", "Salvage Skiff"),
        ("> You climb on board the Salvage Skiff.", "Salvage Skiff"),
        ("I board up the Salvage Skiff.", "Yard"),
        ("I wait aboard the Salvage Skiff's dinghy.", "Yard"),
        ("I want to board the Salvage Skiff.", "Yard"),
        ("> Jon boards the Salvage Skiff.", "Yard"),
    ],
)
async def test_going_aboard_a_known_boat_moves_the_scene(table: PlayedScene, line: str, place: str) -> None:
    await table.say("/place Salvage Skiff: a boat")
    await table.say(line)
    assert await table.place() == place


async def test_going_across_a_yard_or_a_street_with_a_name_moves_the_scene(table: PlayedScene) -> None:
    for line in (
        "I cross the yard to the Tarn.",
        "I cross the frozen square to the Tarn.",
        "I slip out alone and cross Main Street to the Tarn.",
        "I walk down Main Street to the Tarn.",
        "We hurry across Main Street to the Tarn.",
        "I take the High Road to the Tarn.",
    ):
        replies = await table.say(line)
        assert "The scene goes on in Tarn." in replies, line
        assert not any("/npc here" in reply for reply in replies), line
        await table.say("/undo")
        assert await table.place() == "Yard"


async def test_looking_or_shouting_across_a_street_moves_nothing(table: PlayedScene) -> None:
    for line in (
        "I cross Main Street.",
        "I cross the square to see the Tarn.",
        "I cross the square to the door.",
        "I look across Main Street to the Tarn.",
        "I shout down Main Street to the Tarn.",
        "I cross the square towards the Tarn.",
    ):
        await table.say(line)
        assert await table.place() == "Yard", line
        assert await table.cast_names() == {"Jon", "Bram"}, line
    replies = await table.say("> Lois Lane comes in.")
    assert any("/npc here Lois Lane" in reply for reply in replies)


@pytest.mark.parametrize(
    ("line", "place", "here"),
    [
        ("We wade through the drifts to the coal shed, all three of us.", "Coal Shed", {"Jon", "Bram"}),
        ("> Three days later we reach Kesh.", "Kesh", {"Jon", "Bram"}),
        ("We stagger into the Coal Shed.", "Coal Shed", {"Jon", "Bram"}),
        # Who goes alone, or leaves somebody behind, takes nobody along for it.
        ("I wade through the drifts to the coal shed.", "Coal Shed", set[str]()),
        ("> Three days later you reach Kesh.", "Kesh", set[str]()),
        ("We reach Kesh, and Bram stays behind.", "Kesh", {"Jon"}),
        ("Bram stays behind, and we reach Kesh.", "Kesh", {"Jon"}),
    ],
)
async def test_who_goes_with_the_hero_comes_along_when_the_place_becomes_known_behind_it(
    table: PlayedScene, line: str, place: str, here: set[str]
) -> None:
    await table.say(line, f"/place {place}: new to us")
    assert (await table.place(), await table.cast_names()) == (place, here)
