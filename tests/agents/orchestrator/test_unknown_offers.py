"""What lines tell of people, places and things that nobody made known is offered, in a newcomer's words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import InputError
from tests.examples import first_few
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        for line in ("/npc here Jonas Reed", "/npc Dorrit Pell", "/npc Glass Monks", "/npc Bram"):
            await table.say(line)
        yield table


async def list_offered(table: PlayedScene, line: str) -> list[str]:
    """Play a line, undo it, and return the commands that it offered."""
    before = (await table.view()).offers
    await table.say(line)
    offers = [offer.command for offer in (await table.view()).offers if offer not in before]
    await table.say("/undo")
    return offers


async def test_what_somebody_owns_is_offered_as_a_thing(table: PlayedScene) -> None:
    offers = {
        "Jonas Reed owns Salvage Skiff": ["/thing Salvage Skiff"],
        "> Jonas owns the Grey Gull.": ["/thing Grey Gull"],
        "> The Osprey is owned by Jonas.": ["/thing Osprey"],
        # Who is named so, and where one can be, is no thing.
        "> Jonas owns Harrow Hall.": ["/place Harrow Hall"],
        "> Jonas owns up to Mother Agnes.": ["/npc Mother Agnes"],
        "> Jonas owns that Piet is right.": ["/npc Piet"],
    }
    for line, commands in offers.items():
        assert await list_offered(table, line) == commands, line


async def test_thing_is_offered_without_what_is_told_of_it(table: PlayedScene) -> None:
    offers = {
        "I give Jonas the sword that I found.": ["/thing sword"],
        "I hand Jonas the key she gave me.": ["/thing key"],
        "I hand Jonas my lantern and half of my bread.": ["/thing lantern"],
        "I give Jonas my rope and some of my bread.": ["/thing rope"],
        "I give Jonas my kettle.": ["/thing kettle"],
        "I give Jonas half of my bread.": [],
        "I give Jonas a smile and half of my bread.": [],
    }
    for line, commands in offers.items():
        assert await list_offered(table, line) == commands, line


async def test_what_was_promised_is_offered_as_kept_once_it_is_given(table: PlayedScene) -> None:
    await table.say("I promise Jonas a pair of dry boots.")
    offers = await list_offered(table, "I give Jonas a pair of dry boots, as I promised.")
    (paid,) = (command for command in offers if command.startswith("/paid Mara promised Jonas Reed"))
    for line in (
        "I give Jonas the boots I promised.",
        "> You hand Jonas the dry boots that you promised him.",
    ):
        offers = await list_offered(table, line)
        assert paid in offers, line
        assert not any("promised" in command for command in offers if command != paid), line
    for line in (
        "I give Jonas the ring I promised.",
        "I do not give Jonas the boots I promised.",
        "Do I give Jonas the boots I promised?",
        "I will give Jonas the boots I promised.",
        "I give Jonas the boots.",
    ):
        assert paid not in await list_offered(table, line), line


@pytest.mark.slow
async def test_theft_and_loss_of_an_unknown_thing_is_offered_as_a_gift_is(table: PlayedScene) -> None:
    offers = {
        "> Jonas Reed stole the parcel.": ["/thing parcel"],
        "> Jonas took the silver spoon.": ["/thing silver spoon"],
        "> Jonas escapes and takes Dorrit's horse.": ["/thing horse"],
        "> Jonas drops the lamp in the river.": ["/thing lamp"],
        "> Jonas steals my lantern.": ["/thing lantern"],
        "> Jonas runs off with the satchel.": ["/thing satchel"],
        "> Jonas gives me a folded note.": ["/thing folded note"],
        # Who is named comes first: Tab takes it.
        "> Orrel Finch, the innkeeper, brings me a copper pot.": ["/npc Orrel Finch", "/thing copper pot"],
        "> The silver bowl was stolen.": ["/thing silver bowl"],
        "I steal the goblet.": ["/thing goblet"],
        "> Jonas steals Dorrit's purse and runs.": ["/thing purse"],
        "I lose the compass in the snow.": ["/thing compass"],
        "> A messenger brings me a letter from the abbot.": ["/thing letter"],
        "> Dorrit's cart was stolen in the night.": ["/thing cart"],
        "> One of the drovers steals my saddle in the scuffle.": ["/thing saddle"],
        "> The scarf slips from my neck and is lost in the snow.": ["/thing scarf"],
        "> Jonas sells the brass key to a drover for a jug of ale.": ["/thing brass key"],
        "> Jonas gives Dorrit a silver key to the tower cellar.": [
            "/cast + Dorrit Pell",
            "/thing silver key",
        ],
        "I take his knife.": ["/thing knife"],
        # Money beside a thing has no name.
        "> Jonas gives me his ladle and fifty silver.": ["/thing ladle"],
        "> Jonas gives me ten silver pennies and a kettle.": ["/thing kettle"],
        # What only one can do lasts, too.
        "> Only Jonas can open the crypt.": ["/place Crypt"],
        "> Only Jonas can open the iron chest.": ["/thing iron chest"],
        # Nothing of these is a thing that is gone.
        "> Jonas loses the trail.": [],
        "> The road is lost in the snow.": [],
        "> A boy steals an apple.": [],
        "I take her hand.": [],
        "I take my coat.": [],
        "> Jonas takes the stairs.": [],
        "> Jonas steals the show.": [],
        "> Jonas drops the mug.": [],
        "> Jonas takes the cup and drinks.": [],
        "> Only Jonas can save the town.": [],
        "I take the rope.": [],
        "> Only Jonas can solve the riddle.": [],
        "> Jonas is in the barn.": [],
        "> The sight gives me the shivers.": [],
    }
    assert {line: await list_offered(table, line) for line in offers} == offers


@pytest.mark.slow
async def test_place_that_is_named_after_somebody_is_offered_whole(table: PlayedScene) -> None:
    offers = {
        "I travel to the Monastery of Glass.": ["/place Monastery of Glass"],
        "I go to Bram's Mill.": ["/place Bram's Mill"],
        "I walk to Orrin's Ferry.": ["/place Orrin's Ferry"],
        "I take the ferry to Harrowmere.": ["/place Harrowmere"],
        "I climb up to the lighthouse.": ["/place Lighthouse"],
        "> Highgarth lies a day to the north.": ["/place Highgarth"],
        "> Silence lies over the yard.": [],
        "> Today is a day of rest.": [],
        "I walk to the door.": [],
        "> Jonas drinks from the Silver Bowl.": ["/thing Silver Bowl"],
        "> Jack Bell waves at Jonas.": ["/npc here Jack Bell"],
        "> Gorran and Jonas are enemies.": ["/npc Gorran"],
        "> Osk reads aloud from a book.": ["/npc Osk"],
    }
    assert {line: await list_offered(table, line) for line in offers} == offers


async def test_thing_that_somebody_owns_is_offered_and_owned_once_it_is_known(table: PlayedScene) -> None:
    assert await list_offered(table, "> Jonas owns a tin drum.") == ["/thing tin drum"]
    assert await list_offered(table, "> Jonas owns a mill.") == ["/place Mill"]
    for line in ("> Jonas owns a great deal.", "> Jonas owns a farm near the weir.", "> Jonas owns nothing."):
        assert await list_offered(table, line) == []
    await table.say("> Jonas owns a tin drum.")
    assert await table.say("/thing tin drum: red") == (
        "Proposed: tin drum",
        "Proposed: Jonas owns a tin drum.",
    )


async def test_name_that_may_be_a_place_is_offered_as_both_until_one_is_taken(table: PlayedScene) -> None:
    assert await table.say("I buy Jonas a cup of ale and ask him about Harrow.") == (
        "“Harrow” is not known in this world: /place Harrow makes it known as a place, /npc Harrow as a person "
        "(Tab takes it).",
    )
    commands = ["/npc Harrow", "/place Harrow"]
    assert [offer.command for offer in (await table.view()).offers] == commands
    await table.say("/place Harrow")
    assert (await table.view()).offers == ()


async def test_two_names_of_which_one_may_be_a_place_are_offered_at_once(table: PlayedScene) -> None:
    assert await table.say("I ask Jonas about Harrow and Dace Holloway.") == (
        "“Harrow” and “Dace Holloway” are not known in this world: /npc Harrow (or /place Harrow) and "
        "/npc Dace Holloway make them known (Tab takes it).",
    )


async def test_no_person_is_proposed_where_a_place_is_meant(table: PlayedScene) -> None:
    with pytest.raises(InputError, match="/place Monastery of Glass makes it known first"):
        await table.say("/place Monastery of Glass > Crypt: cold")
    with pytest.raises(InputError, match="Glass Monks is a character, not a place"):
        await table.say("/place Glass Monks > Crypt")


@pytest.mark.slow
async def test_who_is_paid_comes_in_and_the_debt_is_offered(table: PlayedScene) -> None:
    await table.say("/fact Mara owes Dorrit Pell three shillings.")
    for line in ("I pay Dorrit no heed.", "I pay Dorrit a visit."):
        assert await table.say(line) == ()
    for line in ("I pay Dorrit three shillings.", "I repay Dorrit.", "I pay my debt to Dorrit."):
        assert await table.say(line) == (
            "Dorrit Pell comes in.",
            "Kept? /paid Mara owes Dorrit Pell three shillings (Tab takes it)",
        )
        await table.say("/undo")


async def test_offer_to_lift_a_decision_waits_until_it_is_lifted(table: PlayedScene) -> None:
    await table.say("From now on I drink no wine.", "/decide 2 men stand guard", "I drop my rule about wine.")
    await table.say("> It rains.")
    offer = "/lift From now on I drink no wine"
    assert offer in [o.command for o in (await table.view()).offers]
    await table.say(offer)
    assert offer not in [o.command for o in (await table.view()).offers]
    assert await table.say("/lift 2 men stand guard") == ("No longer decided: 2 men stand guard",)


@pytest.mark.slow
async def test_offer_of_a_name_is_gone_once_somebody_has_it_among_others(table: PlayedScene) -> None:
    await table.say("I promise Jonas that I will bring the ring to his daughter Isa.")
    assert "/npc Isa" in [offer.command for offer in (await table.view()).offers]
    await table.say("/npc Isa Tarrow: a weaver in Lowgarth")
    assert "/npc Isa" not in [offer.command for offer in (await table.view()).offers]
    lines = await table.say("/npc Morna Tarrow: Isa's mother, long dead")
    assert lines[-1] == "Morna Tarrow is known. /fact Morna Tarrow is dead makes the death true."


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("> The two men in grey are from Salt Hollow.", ["/place Salt Hollow"]),
        ("> Jonas comes from Harrowmere.", ["/place Harrowmere"]),
        ("I am from Dunvale.", ["/place Dunvale"]),
        ("> In the Cistern there's a body in the water.", ["/place Cistern"]),
        ("> Jonas nods. He takes a brass key from under the lamp and gives it to me.", ["/thing brass key"]),
        ("> Bram takes the purse from the shelf and hands it to me.", ["/thing purse"]),
        ("> The letter is from Greta Moss.", ["/npc Greta Moss"]),
        ("> The brass ring comes from Ansel.", ["/npc Ansel"]),
        ("I take the horn and the flute from Jonas.", ["/thing horn", "/thing flute"]),
    ],
)
async def test_where_somebody_is_from_is_a_place_and_two_things_are_two(
    table: PlayedScene, line: str, commands: list[str]
) -> None:
    assert sorted(await list_offered(table, line)) == sorted(commands)


@pytest.mark.parametrize(
    ("earlier", "line", "offered"),
    first_few(
        [
            ("> Jonas gives Bram a purse of silver.", "> Bram takes the purse.", []),
            ("> Jonas gives Bram a purse.", "> Jonas takes Bram's purse of silver.", []),
            ("> Jonas gives Bram a silver key.", "> Bram gives me the key.", []),
            # These are two.
            (
                "> Jonas gives Bram a purse of silver.",
                "> Jonas gives me the purse of gold.",
                ["/thing purse of gold"],
            ),
            ("> Jonas gives Bram a silver key.", "> Jonas gives me a key.", ["/thing key"]),
            ("> Jonas gives Bram a silver key.", "> Bram gives me the iron key.", ["/thing iron key"]),
        ]
    ),
)
async def test_thing_that_was_offered_by_a_longer_name_is_not_offered_again(
    table: PlayedScene, earlier: str, line: str, offered: list[str]
) -> None:
    await table.say("/cast + Bram", earlier)
    before = (await table.view()).offers
    await table.say(line)
    offers = [offer.command for offer in (await table.view()).offers if offer not in before]
    assert offers == offered


@pytest.mark.slow
async def test_thing_of_two_longer_names_or_of_an_undone_line_is_offered(table: PlayedScene) -> None:
    await table.say("/cast + Bram", "> Jonas gives Bram a silver key.", "> Jonas gives Bram an iron key.")
    assert "/thing key" in "".join(await table.say("> Bram gives me the key."))
    await table.say("> Jonas gives Bram a red scarf.", "/undo")
    assert "/thing scarf" in "".join(await table.say("> Bram gives me the scarf."))


async def test_thing_with_its_matter_in_its_name_is_known_for_short(table: PlayedScene) -> None:
    await table.say("/cast + Bram", "> Jonas gives Bram a purse of silver.", "> Bram gives me the purse.")
    proposed = await table.say("/thing purse of silver")
    assert proposed[1:] == ("Proposed: Bram has the purse of silver.", "Proposed: Mara has the purse.")
    assert await table.say("> Jonas takes my purse.") == ("Proposed: Jonas has the purse.",)


async def test_who_is_named_with_what_they_are_is_offered_by_name(table: PlayedScene) -> None:
    await table.say("/npc Marn: a smith", "/npc Hedda: a widow")
    offers = {
        "> Osric the miller comes down the ladder with a lamp in his hand.": ["/npc here Osric: the miller"],
        "> Lisbet the ferrywoman pushes the door open and shakes out her hood.": [
            "/npc here Lisbet: the ferrywoman"
        ],
        "> Corm the old brewer nods.": ["/npc here Corm: the brewer"],
        "> Gerta, the cook, comes in.": ["/npc here Gerta: the cook"],
        "I greet Ansel the baker.": ["/npc here Ansel: the baker"],
        # Marn is another smith, and stays away.
        "> Oswin the smith comes in.": ["/npc here Oswin: the smith"],
        # Nobody is named by these.
        "> Then the tinker comes in.": ["/npc here The Tinker"],
        "> Ahead the gravedigger nods.": ["/npc here The Gravedigger"],
        "Attack the sentry as he passes.": ["/npc here The Sentry"],
        # Who is known is no stranger by what they are.
        "> Hedda the weaver comes in.": [],
        "> Rolf the carter would come in.": [],
        '> "Rolf the carter comes in," says Jonas.': [],
    }
    assert {line: await list_offered(table, line) for line in offers} == offers
    assert "Marn" not in await table.cast_names()
    assert "Osric is here." in await table.say("> Osric the miller comes in.", "/npc here Osric: the miller")
    assert "Osric leaves." in await table.say("> The miller storms out."), "he is the miller"


async def test_another_first_name_before_a_known_surname_is_somebody_else(table: PlayedScene) -> None:
    await table.say("/npc Captain Vess: a smuggler", "/npc Osric Karr")
    cast = await table.cast_names()
    offers = {
        "> Wilma Vess comes in.": ["/npc here Wilma Vess"],
        "> Wilma Karr comes in.": ["/npc here Wilma Karr"],
        "> Edda Vess attacks Jonas.": ["/npc here Edda Vess"],
        '> "Go away," says Gerta Vess.': ["/npc here Gerta Vess"],
        "> Hobb Vess is dead.": ["/npc Hobb Vess"],
        "> Osric Vess is dead.": ["/npc Osric Vess"],
    }
    assert {line: await list_offered(table, line) for line in offers} == offers
    for line in offers:
        assert not [reply for reply in await table.say(line) if "Captain" in reply or "Osric Karr" in reply]
    assert await table.cast_names() == cast
    assert "Captain Vess comes in." in await table.say("> Captain Vess and Wilma Vess come in.")
    assert "Osric Karr comes in." in await table.say("> Old Karr comes in.")
    assert "Captain Vess is dead in this scene." in await table.say("> Mother Vess is dead.")


async def test_first_name_before_the_only_name_of_somebody_is_somebody_else(table: PlayedScene) -> None:
    await table.say("/npc Vess: a trader")
    cast = await table.cast_names()
    assert await list_offered(table, "> Wilma Vess comes in.") == ["/npc here Wilma Vess"]
    for line in ("> Wilma Vess comes in.", "> I see Wilma Vess on the pier.", "> Wilma Vess is dead."):
        assert not [reply for reply in await table.say(line) if reply.startswith("Vess")]
    assert await table.cast_names() == cast
    for line in (
        "> Vess comes in.",
        "> Tall Vess comes in.",
        "> Then Vess comes in.",
        "> Captain Vess comes in.",
    ):
        assert "Vess comes in." in await table.say(line)
        await table.say("> Vess leaves.")


@pytest.mark.parametrize("deed", ["Attack", "Follow", "Threaten", "Wake", "Greet", "Kill", "Bring"])
async def test_imperative_before_a_name_is_no_part_of_it(table: PlayedScene, deed: str) -> None:
    await table.say("/npc here Vess: a trader")
    assert await list_offered(table, f"{deed} Vess.") == []
    assert await list_offered(table, f"{deed} Wilma Karr.") in (["/npc Wilma Karr"], ["/npc here Wilma Karr"])


@pytest.mark.slow
async def test_each_of_several_who_come_in_is_offered(table: PlayedScene) -> None:
    await table.say("/npc Osric: a man")
    offers = {
        "> Hobb and the tinker come in.": ["/npc here Hobb", "/npc here The Tinker"],
        "> Edda and Gerta come in.": ["/npc here Edda", "/npc here Gerta"],
        "> Alwin, the baker and the smith come in.": [
            "/npc here Alwin",
            "/npc here The Baker",
            "/npc here The Smith",
        ],
        "> Ansel and her young brother Wat come in.": ["/npc here Ansel", "/npc here Wat"],
        "> Corm and two guards come in.": ["/npc here Corm"],
        "> Berrin enters.": ["/npc here Berrin"],
        "> Lisbet follows me.": ["/npc here Lisbet"],
        # Osric is known.
        "> Osric and the miller come in.": ["/npc here The Miller"],
        # These are nobody.
        "> Soldiers and the priest come in.": ["/npc here The Priest"],
        "> Wolves appear at the edge of the wood.": [],
        "> Dusk is here.": [],
        "> Trouble arrives.": [],
        "> Saltmere appears on the horizon.": [],
    }
    assert {line: await list_offered(table, line) for line in offers} == offers
    assert await table.say("> Osric and the miller come in.") == ("Osric comes in.",)


async def test_whose_men_are_spoken_to_is_not_offered(table: PlayedScene) -> None:
    lie = "I lie to the king's men and tell them that Jonas Reed is my brother."
    assert [await list_offered(table, line) for line in (lie, "I talk to the king's men.")] == [[], []]
    await table.say(lie)
    assert await list_offered(table, lie) == [], "they are the men, whoever was named before"
    assert await list_offered(table, "I talk to the king and tell him that Jonas is my brother.") == [
        "/npc here The King"
    ]


async def test_place_that_was_asked_about_is_offered_again_where_the_hero_goes_there(
    table: PlayedScene,
) -> None:
    """I asked about the shed, did not make it known, and go there: nothing would happen, without a word."""
    for topic, offered in (("the Tar Shed", "/place Tar Shed"), ("Harrow", "/npc Harrow")):
        (asked,) = await table.say(f"I ask Jonas about {topic}.")
        assert offered in asked
        name = topic.removeprefix("the ")
        assert await table.say(f"I go into {topic} with Jonas.") == (
            f"“{name}” is not known in this world: /place {name} makes it known (Tab takes it).",
        )
        assert await table.say(f"I go into {topic} with Jonas.") == ()


async def test_who_is_told_of_somebody_by_name_is_no_first_name_of_theirs(table: PlayedScene) -> None:
    await table.say("/npc here Abena: my sister", "/npc Captain Lowe: our captain")
    assert await list_offered(table, "I tell Abena Lowe is a deserter.") == []
    assert await list_offered(table, "I look at Abena Moss.") == ["/npc Abena Moss"]
