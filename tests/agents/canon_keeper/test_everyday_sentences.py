"""Contradictions in short sentences as they are typed in the middle of play; and look-alikes of them."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike", "Wick"), "character"),
    **dict.fromkeys(("Hollowmere", "Marrow Pass", "Black Stag", "Kell Spring"), "place"),
    **dict.fromkeys(("Swift Return", "Red Ledger"), "object"),
    **dict.fromkeys(("Red Hand",), "faction"),
}

MORE_WORDS = [
    ("Osric has never lied.", "Osric misled the guards."),
    ("Osric is honest.", "Osric spins lies all day."),
    ("Osric cannot die.", "Osric is mortal like everybody else."),
    ("Brannoc has no master.", "Brannoc takes orders from Nora."),
    ("Brannoc serves no master.", "Brannoc takes his orders from Nora."),
    ("Brannoc answers to nobody.", "Brannoc is in the service of Nora."),
    ("Osric lives north of Hollowmere.", "Osric lives south of Hollowmere."),
    ("Osric is at sea.", "Osric is here at the Black Stag."),
    ("The Red Ledger was burned to ashes.", "The Red Ledger lies whole in the office."),
    ("Brannoc has no magic at all.", "Brannoc lit the fire with a spell."),
    ("The water in Kell Spring is clean.", "The water in Kell Spring is poisoned."),
    ("Hollowmere is under siege.", "Hollowmere is at peace."),
    ("Nothing grows in Hollowmere.", "Farmers harvest wheat in Hollowmere."),
    ("Osric trusts Nora.", "Osric is suspicious of Nora."),
    ("Osric paid off his debt to Nora.", "Osric still owes Nora money."),
]
LOOK_ALIKES_OF_WORDS = [
    ("Osric misled the guards.", "Osric led the guards."),
    ("Osric serves in the Red Hand.", "Brannoc answers to nobody."),
    ("Osric lives north of Hollowmere.", "Osric lives north of Marrow Pass."),
    ("Osric lives north of Hollowmere.", "Osric lives south of Marrow Pass."),
    ("The water in Kell Spring is clean.", "The water in Hollowmere is poisoned."),
    ("Osric trusts Nora.", "Osric is suspicious of Wick."),
    ("Osric trusts Nora.", "Nora is suspicious of Osric."),
    ("Nothing grows in Hollowmere.", "Farmers harvest wheat in Marrow Pass."),
    ("Brannoc has no magic at all.", "Brannoc lit the fire with a torch."),
]

TURNS_OF_PHRASE = [
    ("Osric loves Nora.", "Osric can't stand Nora."),
    ("Osric and Nora trust each other.", "Osric cannot stomach Nora and suspects her of everything."),
    ("Osric did exactly what he promised Nora.", "Osric broke his promise to Nora."),
    ("Osric did as he had promised.", "Osric went back on his word."),
    ("Osric has never let anyone see the Red Ledger.", "Osric showed the Red Ledger to Nora."),
    ("Nobody knows where the Black Stag is.", "Osric can tell you where the Black Stag is."),
    ("Poison killed Osric.", "A stray arrow ended Osric's life."),
    ("The killer's name is a mystery to Osric.", "Osric knows who the killer is."),
    ("The code is unknown to Osric.", "Osric knows the code."),
    ("The Red Hand was beaten in the final.", "Victory in the final went to the Red Hand."),
    ("Osric has never told a lie.", "Osric told a lie to Nora."),
    ("Osric is barely out of his teens.", "Osric is sixty years old."),
    ("Hollowmere burned to the ground.", "Every house in Hollowmere is still intact."),
    ("It is pitch dark in the Black Stag.", "Bright lamps light the whole Black Stag."),
    ("Only women may join the Red Hand.", "Men may join the Red Hand, too."),
    ("Only members may enter the Black Stag.", "Osric is a stranger and entered the Black Stag."),
]
LOOK_ALIKES_OF_TURNS = [
    ("Osric loves Nora.", "Osric can't stand up."),
    ("Osric loves Nora.", "Osric cannot bear the weight of the chest."),
    ("Osric and Nora trust each other.", "Osric hates Wick and suspects him of everything."),
    ("Osric did exactly what he promised Nora.", "Osric broke his promise to Wick."),
    ("Osric has never let anyone see the Red Ledger.", "Osric let Nora see the Swift Return."),
    ("Nobody knows where the Black Stag is.", "Osric can tell you where Hollowmere is."),
    ("Osric told a lie to Nora.", "Nora has never told a lie."),
    ("Osric told Nora that Wick is dead.", "Wick is alive."),
    ("The killer's name is a mystery to Osric.", "Nora knows who the killer is."),
    ("The Red Hand was beaten in the final.", "Victory in the race went to the Red Hand."),
    ("Nobody in the Red Hand trusts Osric.", "Osric trusts the Red Hand."),
    ("Only members may enter the Black Stag.", "Osric is a member and enters the Black Stag."),
    ("The Swift Return has ten guns.", "The Swift Return's sister ship has twenty guns."),
    ("Some rooms of the Black Stag are dark.", "Bright lamps light the Black Stag."),
    ("Osric is barely out of his teens.", "Osric is twenty-one."),
]

DEBTS_WAYS_AND_MATERIALS = [
    ("Osric owes Nora fifty crowns.", "Osric owes Nora two hundred crowns."),
    ("Osric paid for the Red Ledger.", "The Red Ledger was a gift to Osric."),
    ("The Red Ledger is made of silver.", "The Red Ledger was carved from plain wood."),
    ("Osric made no bargain with Nora.", "Osric signed his soul away to Nora."),
    ("It was Osric who lent Nora the money.", "Nora never borrowed a penny from Osric."),
    ("Osric wrote the letter.", "Osric had no part in the letter."),
    ("Hollowmere has never lost a prisoner.", "Wick escaped from Hollowmere ten years ago."),
    ("Osric can open any lock.", "Osric cannot open the lock of the Black Stag."),
    ("Osric is deaf.", "Osric heard every word we whispered."),
]
LOOK_ALIKES_OF_DEBTS_WAYS_AND_MATERIALS = [
    ("Osric owes Nora fifty crowns.", "Osric owes Wick two hundred crowns."),
    ("Osric owes Nora fifty crowns.", "Nora owes Osric two hundred crowns."),
    ("Osric owes Nora fifty crowns.", "Osric owed Nora two hundred crowns."),
    ("Osric owes Nora fifty crowns.", "Osric owes Nora five sheep."),
    ("Osric paid for the Red Ledger.", "The Swift Return was a gift to Osric."),
    ("Osric paid for the Red Ledger.", "The Red Ledger was a gift to Nora."),
    ("The Red Ledger is made of silver.", "The Red Ledger was carved with wooden tools."),
    ("It was Osric who lent Nora the money.", "Osric never borrowed a penny from Nora."),
    ("Osric wrote the letter.", "Nora had no part in the letter."),
    ("Hollowmere has never lost a prisoner.", "Wick escaped from the Black Stag ten years ago."),
    ("Osric can open the lock.", "Osric cannot open the lock of the Black Stag."),
]

SURVIVORS_WAYS_IN_AND_PLACES = [
    ("Everyone aboard the Swift Return perished.", "Wick was aboard the Swift Return and survived."),
    ("Nobody survived the wreck of the Swift Return.", "Wick survived the wreck of the Swift Return."),
    ("Osric is the only survivor of Hollowmere.", "Two people survived Hollowmere."),
    ("Osric is the only survivor of Hollowmere.", "Wick survived the siege of Hollowmere."),
    ("Only one road leads to Hollowmere.", "Travellers can choose between several roads to Hollowmere."),
    ("Hollowmere has a single gate.", "You can enter Hollowmere by five gates."),
    ("Two doors lead into the Black Stag.", "The Black Stag can be entered by one door."),
    ("This is Osric's first time in Hollowmere.", "Osric was raised in Hollowmere."),
    ("Osric is a native of Hollowmere.", "Osric first came to Hollowmere as a grown man."),
    ("Osric has never left Hollowmere.", "Osric grew up in a village far from Hollowmere."),
    ("Osric is in charge of the Red Hand.", "The Red Hand answers to nobody."),
]
LOOK_ALIKES_OF_SURVIVORS_WAYS_IN_AND_PLACES = [
    ("Everyone aboard the Swift Return perished.", "Wick survived."),
    ("Everyone aboard the Swift Return perished.", "Wick was in Hollowmere and survived."),
    ("Osric survived Hollowmere.", "Wick survived Hollowmere."),
    ("Two people survived Hollowmere.", "Wick survived Hollowmere."),
    ("Only one road leads to Hollowmere.", "Several roads lead to Marrow Pass."),
    ("Only one road leads to Hollowmere.", "Two gates lead into Hollowmere."),
    ("A road leads to Hollowmere.", "Several roads lead to Hollowmere."),
    ("This is Osric's first time in Hollowmere.", "Osric was raised in Marrow Pass."),
    ("This is Osric's first time in Hollowmere.", "Osric is in Hollowmere."),
    ("Osric first came to Hollowmere as a boy.", "Osric grew up in Hollowmere."),
    ("Osric has never left Hollowmere.", "Wick grew up in a village far from Hollowmere."),
    ("Osric is in charge of the Red Hand.", "Wick answers to nobody."),
]

WINNERS_AND_PARTS = [
    ("Osric won the horse race.", "Nora won the horse race."),
    ("Osric won the tournament.", "The tournament was won by Nora."),
    ("The Red Ledger has a handle.", "The Red Ledger is handleless."),
    ("The Black Stag has six windows.", "The Black Stag is windowless."),
]
LOOK_ALIKES_OF_WINNERS_AND_PARTS = [
    ("Osric won the horse race.", "Nora won the boat race."),
    ("Osric won the horse race.", "Nora won the horse."),
    ("Osric won a race.", "Nora won a race."),
    ("Osric won the race last year.", "Nora won the race this year."),
    ("The Black Stag has six windows.", "Hollowmere is windowless."),
    ("The Black Stag has six windows.", "The cellar of the Black Stag is windowless."),
]


async def is_contradiction(before: str, after: str) -> bool:
    return await is_held(SentencePair("everyday", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(("before", "after"), MORE_WORDS)
async def test_everyday_sentences_in_other_words_contradict_each_other(before: str, after: str) -> None:
    assert await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), LOOK_ALIKES_OF_WORDS)
async def test_everyday_sentences_about_others_do_not_contradict_each_other(before: str, after: str) -> None:
    assert not await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), TURNS_OF_PHRASE)
async def test_everyday_sentences_with_turns_of_phrase_contradict_each_other(before: str, after: str) -> None:
    assert await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), LOOK_ALIKES_OF_TURNS)
async def test_everyday_sentences_with_turns_of_phrase_about_others_do_not(before: str, after: str) -> None:
    assert not await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), DEBTS_WAYS_AND_MATERIALS)
async def test_everyday_sentences_of_other_debts_ways_and_materials_contradict(
    before: str, after: str
) -> None:
    assert await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), LOOK_ALIKES_OF_DEBTS_WAYS_AND_MATERIALS)
async def test_everyday_sentences_of_debts_ways_and_materials_of_others_do_not(
    before: str, after: str
) -> None:
    assert not await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), SURVIVORS_WAYS_IN_AND_PLACES)
async def test_everyday_sentences_of_survivors_ways_in_and_places_contradict(before: str, after: str) -> None:
    assert await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), LOOK_ALIKES_OF_SURVIVORS_WAYS_IN_AND_PLACES)
async def test_everyday_sentences_of_survivors_ways_in_and_places_of_others_do_not(
    before: str, after: str
) -> None:
    assert not await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), WINNERS_AND_PARTS)
async def test_everyday_sentences_of_two_winners_and_of_lacked_parts_contradict(
    before: str, after: str
) -> None:
    assert await is_contradiction(before, after)


@pytest.mark.parametrize(("before", "after"), LOOK_ALIKES_OF_WINNERS_AND_PARTS)
async def test_everyday_sentences_of_other_contests_and_parts_do_not(before: str, after: str) -> None:
    assert not await is_contradiction(before, after)
