"""Forms of sentence, values and everyday words by which two sentences contradict each other, and look-alikes."""

from __future__ import annotations

import pytest

from tests.agents.canon_keeper.test_sentence_contradictions import SentencePair, is_held

NAMES = {
    **dict.fromkeys(("Osric Vane", "Brannoc", "Nora Pike", "King Aldous"), "character"),
    **dict.fromkeys(("Hollowmere", "Marrow Pass", "Black Stag", "Thornwood"), "place"),
    **dict.fromkeys(("Swift Return", "Star Opal"), "object"),
    **dict.fromkeys(("Red Hand", "Pike family"), "faction"),
    "Thari": "concept",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric speaks Thari fluently.", "Osric doesn't speak Thari."),
        ("Nothing in this world can kill Osric.", "A silver arrow killed Osric."),
        ("Osric died without ever learning of the plot.", "Osric knew about the plot."),
        ("Osric died without paying Nora.", "Osric paid Nora."),
        ("It was on a Friday that the siege began.", "The siege began on a Tuesday."),
        ("Osric was the only one of the Red Hand who survived the fire.", "Osric died in the fire."),
        (
            "Osric gave the Star Opal to his nephew Brannoc of his own free will.",
            "Brannoc robbed Osric of the Star Opal.",
        ),
        (
            "Osric won the Star Opal at cards.",
            "The Star Opal came down to Osric from his grandfather by will.",
        ),
        ("Osric bought the Star Opal.", "Osric got the Star Opal as a gift."),
        ("Osric found the Star Opal.", "Nora sold Osric the Star Opal."),
        ("Nora left the Star Opal to Osric in her will.", "Osric bought the Star Opal."),
        ("Osric was already six when Nora was born.", "Osric and Nora are twins."),
        ("Osric was born two years after Nora.", "Osric is older than Nora."),
        ("Osric and Nora were born in the same year.", "Osric is ten years younger than Nora."),
        ("Osric killed Brannoc.", "Osric was slain by Brannoc."),
        ("A woman founded the Red Hand.", "The founder of the Red Hand was a man called Aron."),
        ("The captain of the Swift Return is a woman.", "The Swift Return's captain is an old man."),
        ("Osric speaks Thari and no other language.", "Osric speaks fluent German."),
        ("Less than a hundred people live in Hollowmere.", "Hollowmere has four thousand inhabitants."),
        ("Hollowmere is home to two hundred souls.", "The population of Hollowmere is nine thousand."),
        ("The Black Stag has three floors.", "The Black Stag is five storeys high."),
        ("Osric has ten fingers like anybody else.", "Osric has eleven fingers."),
        (
            "The hull of the Swift Return is black from bow to stern.",
            "The Swift Return's hull is white all over.",
        ),
        ("Osric has his mother's brown eyes.", "Both of Osric's eyes are a pale blue."),
        ("Nora does not own any land.", "Nora's own fields stretch from the river to the wood."),
        ("Osric and Nora have never met.", "Osric and Nora sailed together for ten years."),
        ("Nothing grows in Marrow Pass.", "There are apple orchards all over Marrow Pass."),
        ("Hollowmere has never been taken.", "Raiders have captured Hollowmere twice."),
        ("Nora took no bribe.", "Nora was bribed by the Red Hand."),
        ("Osric has no horse.", "Osric's mare is in the stable."),
        ("Osric has never been beaten.", "Nora beat Osric at chess."),
        ("Osric has never seen the sea.", "Osric served ten years on a ship."),
        (
            "The hermit Osric has lived in Hollowmere all his life.",
            "Osric moved to Hollowmere after the plague.",
        ),
        (
            "The Star Opal has never left Hollowmere.",
            "Bandits kept the Star Opal in a cave far from Hollowmere.",
        ),
        (
            "Nora's room is on the top floor of the Black Stag.",
            "Nora's room in the Black Stag is down in the cellar.",
        ),
        ("Brannoc taught Osric the art of locks.", "Osric is self-taught in locks and never had a teacher."),
        (
            "The shields of the Swift Return gave out in the battle.",
            "The Swift Return's shields held through the battle.",
        ),
        ("Osric has never belonged to the Red Hand.", "Osric has been in the inner circle of the Red Hand."),
        ("Osric never took a bribe in his whole career.", "Osric was bought for a thousand pounds."),
        ("Nora is a mortal woman.", "No mortal, Nora is a goddess in disguise."),
        (
            "No light has ever burned in the Black Stag.",
            "A thousand candles light the Black Stag every evening.",
        ),
        ("Nobody in Hollowmere owes Osric anything.", "Half of Hollowmere is in Osric's debt."),
        ("Osric was acquitted.", "Osric was found guilty."),
        ("Osric died childless.", "Osric left three sons."),
        ("Osric and Nora are brother and sister.", "Osric and Nora are not related."),
        ("The siege lasted a week.", "The siege lasted forty days."),
        ("The meeting is on Monday.", "The meeting takes place on Tuesday."),
        ("Osric died on the gallows.", "Osric died in his bed."),
        ("Osric paid his debt in full.", "Osric still owes Nora ten coins."),
        ("Hollowmere is two days' ride from Marrow Pass.", "Hollowmere is an hour's walk from Marrow Pass."),
        ("Osric's birthplace is Hollowmere.", "Osric was born in Marrow Pass."),
        ("Osric is buried in Hollowmere.", "Osric's grave is in Marrow Pass."),
        ("The Swift Return has three masts.", "The Swift Return is a one-masted ship."),
        ("The Red Hand numbers a dozen men.", "The Red Hand has three hundred fighters."),
        ("The Black Stag is the only inn in Hollowmere.", "There are three inns in Hollowmere."),
        ("The Red Hand was founded last year.", "The Red Hand is centuries old."),
        ("The door of the Black Stag is made of oak.", "The Black Stag has an iron door."),
        ("Osric is blind in both eyes.", "Osric spotted the ship first."),
        ("Osric never eats fish.", "Osric had trout for supper."),
        ("Hollowmere is an island.", "Hollowmere lies on the mainland."),
        ("The roof leaks.", "The roof is watertight."),
        ("Nora never told a soul about the trapdoor.", "Nora told Brannoc about the trapdoor."),
    ],
)
async def test_plain_pairs_that_contradict_each_other_are_held(before: str, after: str) -> None:
    assert await is_held(SentencePair("contradiction", NAMES, before, after, contradicts=True))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Osric speaks a little Thari.", "Osric doesn't speak Thari well."),
        ("Osric speaks Thari.", "Osric does not speak Thari fluently."),
        ("Osric knows Nora.", "Osric does not know Nora well."),
        ("Osric does not fully trust Nora.", "Osric trusts Nora."),
        ("Osric did not die peacefully.", "Osric is dead."),
        ("Osric died without paying Nora.", "Brannoc paid Nora."),
        ("It was on a Friday that the siege began.", "The siege ended on a Tuesday."),
        ("Osric bought a horse in Hollowmere.", "Osric found a ring in Hollowmere."),
        ("Osric bought the Star Opal.", "Nora stole the Star Opal from Osric."),
        ("Osric found the Star Opal.", "Osric sold the Star Opal to Nora."),
        ("Osric and Nora were born in the same year.", "Osric is older than Nora."),
        ("Osric killed Brannoc.", "Brannoc was killed by Osric."),
        ("A woman stole the ring.", "A man stole the horse."),
        ("Osric speaks German.", "Osric speaks Latin."),
        ("Osric speaks only German.", "Osric speaks German fluently."),
        ("Four hundred people live in Hollowmere.", "Hollowmere has a population of five hundred."),
        ("Three brothers live in Hollowmere.", "Hollowmere has a hundred inhabitants."),
        ("Osric has two fingers missing.", "Osric has ten fingers."),
        ("Osric never loses his temper.", "Osric lost the duel."),
        ("Osric never sails at night.", "Osric sailed to Hollowmere."),
        ("Osric said nothing about the opal.", "Osric told Brannoc about the horse."),
        ("Osric keeps his promise to Nora.", "Osric made no promise to Brannoc."),
        ("Osric has no land.", "Osric works on Nora's farm."),
        ("Osric taught Nora to swim.", "Osric never had a teacher."),
        ("Osric and Nora have never met.", "Osric sailed with Nora's brother."),
        ("The guard Osric killed was Nora's brother.", "Osric is alive."),
        ("Osric moved to Hollowmere.", "Osric was born in Hollowmere."),
        ("The Star Opal has never left Hollowmere.", "The Star Opal was brought to Hollowmere by Osric."),
        ("The Star Opal is in Hollowmere.", "The Star Opal was taken to Marrow Pass."),
        ("Osric lives in the cellar.", "Osric is on the first floor."),
        ("Osric paid part of his debt.", "Osric still owes Nora ten coins."),
        ("Nora never told Osric the whole truth.", "Nora told Osric a part of the truth."),
        ("Nobody lives in the mill.", "A family of weavers works in the mill."),
        ("Osric was brave in the battle.", "Osric was a coward at the duel."),
        ("Half of Hollowmere burned down.", "Hollowmere has a market."),
        ("Hollowmere is two days' walk from Marrow Pass.", "Hollowmere is a day's ride from Marrow Pass."),
        ("Osric is buried in Hollowmere.", "Osric died in Marrow Pass."),
        ("The Swift Return is a two-decked ship.", "The Swift Return has three masts."),
        ("The Black Stag has a red door.", "The Black Stag has a blue roof."),
        ("The Black Stag is the only inn in Hollowmere.", "There is an inn in Hollowmere."),
        ("Osric is blind to Nora's faults.", "Osric spotted the ship."),
        ("Hollowmere surrendered its treasure.", "Hollowmere has never been taken."),
    ],
)
async def test_plain_pairs_that_only_look_like_contradictions_are_left_alone(before: str, after: str) -> None:
    assert not await is_held(SentencePair("look-alike", NAMES, before, after, contradicts=False))
