"""Sentences retold in other forms contradict each other as the plain ones do, and their look-alikes do not."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike"), "character"),
    **dict.fromkeys(("Hollowmere", "Black Stag"), "place"),
    **dict.fromkeys(("Swift Return", "jade cup"), "object"),
    **dict.fromkeys(("Red Hand", "Grey Lodge"), "faction"),
}


async def _contradict(before: str, after: str) -> bool:
    return await is_held(SentencePair("retold", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric was right-handed.", "Osric wrote the note with his left hand."),
        ("Nora was tall.", "Nora was a tiny woman."),
        ("Osric quit the Red Hand years ago.", "Osric is a sworn member of the Red Hand."),
        ("Osric was stripped of his rank.", "Osric holds the rank of captain."),
    ],
)
async def test_what_is_told_in_the_past_contradicts(before: str, after: str) -> None:
    assert await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric wrote with his left hand in the dark.", "Osric signed with his right hand."),
        ("Nora was poor.", "Nora was rich."),
        ("Nora was a little girl when the war came.", "Nora was a grown woman when it ended."),
        ("Osric lived alone for years.", "Osric shares a house with Nora."),
        ("The gate was closed yesterday.", "The gate is open."),
        ("Osric quit the Red Hand years ago.", "Osric is a sworn member of the Grey Lodge."),
        ("Osric is a sworn member of the Red Hand.", "Osric quit the Red Hand."),
    ],
)
async def test_what_changes_with_time_does_not(before: str, after: str) -> None:
    assert not await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The jade cup was carved from jade.", "The jade cup turned out to be green glass."),
        ("Osric is a man.", "Osric proved to be a woman."),
        ("Osric is shorter than Brannoc.", "Osric towers over Brannoc."),
        ("Nora keeps the cellar door locked.", "The cellar door is unlocked."),
        ("Osric kept the window shut all night.", "Osric left the window open until dawn."),
        ("Osric slept through the night.", "Osric stood guard all night long."),
        ("The well in Hollowmere is poisoned.", "The water from the well in Hollowmere is safe to drink."),
        ("Nora's daughter is called Ruth.", "The name of Nora's only daughter is Clara."),
        ("The Grey Lodge meets on Thursdays.", "The Grey Lodge holds its meetings on Mondays."),
        ("The Swift Return docked on Friday.", "The Swift Return arrived on Tuesday."),
    ],
)
async def test_other_forms_of_the_same_contradict(before: str, after: str) -> None:
    assert await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric is a man.", "Osric's guest proved to be a woman."),
        ("Osric is shorter than Brannoc.", "Osric towers over Brannoc's son."),
        ("Osric is shorter than Brannoc.", "Osric almost towers over Brannoc."),
        ("Nora keeps the cellar door locked.", "The front door is unlocked."),
        ("Osric kept the window shut all night.", "Osric opened the window in the morning."),
        ("Osric kept the window shut all night.", "Osric left the door open until dawn."),
        ("Osric found the safe empty.", "The chest is full."),
        ("The well is deep.", "The water in the well is shallow."),
        ("Nora's daughter is called Ruth.", "The name of Nora's horse is Clara."),
        ("The Grey Lodge meets on Thursdays.", "The Red Hand holds its meetings on Mondays."),
        ("The Swift Return docked on Friday.", "The Swift Return left on Tuesday."),
    ],
)
async def test_other_forms_of_something_else_do_not(before: str, after: str) -> None:
    assert not await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric came into the world in Hollowmere.", "Osric was born in the Black Stag."),
        ("Nora won the archery contest.", "Brannoc took first place in the archery contest."),
        ("The ledger is written in Latin.", "The entries in the ledger are in plain English."),
        ("Nora cured the fever.", "There is still no cure for the fever."),
        ("Nora kept the code to herself.", "Nora gave the code away to Brannoc."),
        ("Osric told the council the truth about the fire.", "Osric lied to the council about the fire."),
        ("Osric sold his horse in May.", "Osric has never parted with his horse."),
        ("Nora signed the order herself.", "The order bears no signature."),
        ("Osric grew up as an only child.", "Osric is the youngest of five brothers."),
        ("Osric was at home all evening.", "Osric was in the tavern that evening."),
        ("Brannoc repaired the mill wheel.", "The mill wheel remains broken."),
        ("The Swift Return carries no weapons.", "The Swift Return fired both her cannons."),
        ("Osric is the cook at the Black Stag.", "Osric has never worked at the Black Stag."),
        ("Nora refused the bribe.", "Nora pocketed the bribe."),
        ("The house is for sale.", "The house is not for sale."),
        ("Osric wears glasses.", "Osric needs no glasses."),
        ("Nora has a deep voice.", "Nora's high voice rang out."),
        ("Osric left a will.", "Osric died without a will."),
        ("Nora is polite.", "Nora has no manners."),
        ("Osric is afraid of heights.", "Osric has a head for heights."),
        ("Brannoc is superstitious.", "Brannoc does not believe in omens."),
        ("The bread is fresh.", "The bread is crawling with maggots."),
    ],
)
async def test_everyday_words_for_the_contrary_contradict(before: str, after: str) -> None:
    assert await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric came into the world in Hollowmere.", "Osric came into the Black Stag."),
        ("Nora won the archery contest.", "Brannoc took second place in the archery contest."),
        ("The entries in the ledger are in Latin.", "The letter is in English."),
        ("There is no cure for the fever.", "Nora cured the cough."),
        ("Nora kept to herself.", "Nora talked to Brannoc."),
        ("Nora kept the gold to herself.", "Nora gave the horses away."),
        ("Osric sold his horse in May.", "Osric never sold his saddle."),
        ("Osric was at home all evening.", "Osric was in the tavern in the morning."),
        ("Brannoc broke the mill wheel.", "Brannoc repaired the mill wheel."),
        ("The Swift Return carries no weapons.", "The pirates fired both cannons at the Swift Return."),
        ("Nora refused the bribe.", "Nora pocketed the key."),
        ("The house is for sale.", "The house was sold."),
        ("The letter is sealed.", "Nora opened the letter."),
        ("Nora is polite to ladies.", "Nora is rude to her men."),
        ("Nora always obeys her mother.", "Nora disobeyed the order."),
        ("Osric is deaf in one ear.", "Osric heard the bell."),
        ("Osric was wounded in the war.", "Osric escaped without a scratch."),
        ("Osric was a small child.", "Osric was a tall man."),
        ("Brannoc was a coward once.", "Brannoc was brave at the bridge."),
        ("Nora is a teetotaller.", "Nora ordered wine for the guests."),
    ],
)
async def test_everyday_words_of_other_things_do_not(before: str, after: str) -> None:
    assert not await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The jade cup lies at the bottom of the lake.", "The jade cup hangs above the hearth."),
        ("The jade cup is hidden in the attic.", "The jade cup is kept in the cellar."),
        ("It was raining that night.", "The sky was clear that night."),
        ("Nora turned down the offer.", "Nora said yes to the offer."),
        ("The Black Stag burned down last winter.", "We slept at the Black Stag last night."),
        ("The market is on Saturdays.", "The market takes place on Wednesdays."),
        ("Nora's boat is called the Gull.", "The name of Nora's boat is the Tern."),
        ("Hollowmere has no air.", "The air in Hollowmere is thin but breathable."),
        ("The Red Hand has never lost a fight.", "Brannoc beat the Red Hand."),
        ("The baby was a girl.", "The baby was a boy."),
        ("Nora warned the crew.", "Nora gave the crew no warning."),
        ("Nora is good at cards.", "Nora is hopeless at cards."),
        ("Osric is too young to ride.", "Osric is an old man."),
        ("Nora talks to nobody.", "Nora chats with everyone."),
    ],
)
async def test_places_weather_and_skills_contradict(before: str, after: str) -> None:
    assert await _contradict(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The jade cup was in the attic.", "The jade cup is in the cellar."),
        ("The jade cup is in the kitchen.", "The jade cup hangs on the wall."),
        ("It is raining.", "The sky was clear this morning."),
        ("It rained in Hollowmere.", "The sky is clear."),
        ("Nora said yes to the trip.", "Nora refused the offer."),
        ("The Black Stag burned down last night.", "We slept at the Black Stag last winter."),
        ("The market is on Saturdays.", "The fair is on Wednesdays."),
        ("Nora's boat is called the Gull.", "The name of Osric's boat is the Tern."),
        ("Nora warned the crew.", "Nora gave the captain no warning."),
        ("Nora is good at cards.", "Nora is bad at chess."),
        ("Osric was shy at first.", "Osric was outspoken."),
        ("Nora talks to nobody about the war.", "Nora talks to everyone."),
        ("Osric has not danced in ten years.", "Osric danced at his wedding."),
        ("Osric ran out of money in the war.", "Osric is well off."),
    ],
)
async def test_places_weather_and_skills_of_other_things_do_not(before: str, after: str) -> None:
    assert not await _contradict(before, after)
