"""Tests of how much time plain prose lets pass, and of words that only name a time."""

from __future__ import annotations

import pytest

from agents.prose.passing_time import find_time_jump


@pytest.mark.parametrize(
    ("text", "jump"),
    [
        ("Two days pass.", "+2 days"),
        ("An hour passes, and nobody comes.", "+1 hour"),
        ("Then another three hours go by.", "+3 hours"),
        ("A week went by.", "+7 days"),
        ("A fortnight passes.", "+14 days"),
        ("Two days pass quietly.", "+2 days"),
        ("A month passes.", "+1 month"),
        ("A month goes by.", "+1 month"),
        ("Another month passes.", "+1 month"),
        ("A dreadful month passes.", "+1 month"),
        ("Three months later I return.", "+3 months"),
        ("Two long years pass.", "+2 years"),
        ("A season passes without news.", "+1 season"),
        ("Winter passes.", "through winter"),
        ("The winter passes quietly.", "through winter"),
        ("The long winter is over.", "through winter"),
        ("Spring comes at last.", "to spring"),
        ("Three days later I return to Millbrook.", "+3 days"),
        ("It is two hours later.", "+2 hours"),
        ("After two days of walking we see the sea.", "+2 days"),
        ("After an hour, Greta comes in.", "+1 hour"),
        ("The journey takes two hours.", "+2 hours"),
        ("The ride to Millbrook took us a full day.", "+1 day"),
        ("It takes us three hours to reach the mill.", "+3 hours"),
        ("We walk for two hours.", "+2 hours"),
        ("I wait here for 20 minutes.", "+20 minutes"),
        ("The journey takes two hours. It is noon when we arrive.", "to noon"),
        ("It is already dusk when we reach the mill.", "to dusk"),
        ("The next morning we set out for the Old Mill.", "to dawn"),
        ("The next day I walk to the Tarn.", "+1 day"),
        ("I wake on the beach two days later.", "+2 days"),
        ("I come back to the mill a week later.", "+7 days"),
        ("You wake three hours later.", "+3 hours"),
        ("Vess returns two days later.", "+2 days"),
        ("I wake up the next morning.", "to dawn"),
        ("We reach the Tarn the following day.", "+1 day"),
    ],
)
def test_time_that_passes_is_read(text: str, jump: str) -> None:
    assert find_time_jump(text) == jump


@pytest.mark.parametrize(
    "text",
    [
        "Two days do not pass without rain.",
        "Two days ago the mill burned.",
        "If two days pass, he dies.",
        "Two days will pass before he comes.",
        "The journey would take two hours.",
        "I plan to wait for two days.",
        "I promise to come back three days later.",
        '"Two days pass," says Dob.',
        "I dream that two days pass.",
        "The song says that two days pass.",
        "I tell Dob that three days later the mill burned.",
        "He is two days late.",
        "Two days pass?",
        "Three days later?",
        "The next day is his birthday, Osric says.",
        "Next week Osric returns.",
        "Next day is his birthday, Osric says.",
        "Next morning Osric will return.",
        "Osric returns next morning.",
        "It is noon.",
        "I have two hours to live.",
        "An hour is a long time.",
        "Two men pass.",
        "A half hour passes.",
        "A month is a long time.",
        "Winter passes me the salt.",
        "The winter is cold.",
        "Winter would pass.",
        "Spring comes from the north.",
        "I wait until the winter passes.",
        "He is three years old.",
        "Every winter passes.",
        "Every day we walk for two hours.",
        "I find that the mill burned two days later.",
        "I found the man who died two days later.",
        "I tell Dob that I woke two days later.",
        "I see what they did the next day.",
        "I promise to return two days later.",
        "I would wake two days later.",
        "I look at the map of the next day.",
        "I go to bed, and Vess says the boat sank two days later.",
        "Do I wake two days later?",
    ],
)
def test_time_that_is_only_named_does_not_pass(text: str) -> None:
    assert find_time_jump(text) == ""


@pytest.mark.parametrize(
    ("text", "jump"),
    [
        ("I went north along the salt road and reached Calder Gate at dusk.", "to dusk"),
        ("We arrive at the mill at nightfall, soaked.", "to night"),
        ("You get back to the inn at dawn.", "to dawn"),
        ("It is getting dark. I take a bunk in the gatehouse and sleep until dawn.", "to dawn"),
        ("I sleep until morning.", "to dawn"),
        ("We wait in the ditch until midnight.", "to midnight"),
        ("I hid in the loft till dusk.", "to dusk"),
        ("That night I creep down to the cellar.", "to night"),
        ("That night it rains.", "to night"),
        ("The next morning the reeve comes.", "to dawn"),
        ("The next day, Osric is gone.", "+1 day"),
        ("Next morning Osric returns.", "to dawn"),
        ("Next morning, Osric comes back with the reeve.", "to dawn"),
        ("Next day we reach Kesh.", "+1 day"),
        ("3 days later, the reeve asks about Osric.", "+3 days"),
        ("Two weeks later nobody has seen him.", "+14 days"),
        ("Later that evening Dace comes to my table.", "to evening"),
        ("It is past midnight when the cellar door gives.", "to midnight"),
        ("It was dusk by the time the boat came in.", "to dusk"),
        ("I walk back to Thornwick through the snow; it takes me two days.", "+2 days"),
        ("I follow the river, and it takes me three hours.", "+3 hours"),
        ("In the morning the snow has melted.", "to dawn"),
        ("At dawn, we break camp.", "to dawn"),
        ("At noon I climb the tower.", "to noon"),
        ("I rest for the night at Marr Hall.", "to dawn"),
        ("We camp for the night under the pines.", "to dawn"),
        ("I spend the night in the hayloft.", "to dawn"),
        ("Night falls.", "to night"),
        ("Dusk falls over the harbour.", "to dusk"),
        ("The sun goes down behind the mill.", "to dusk"),
        ("Dawn breaks, grey and wet.", "to dawn"),
        ("Morning comes.", "to dawn"),
        ("It grows dark.", "to dusk"),
    ],
)
def test_time_of_day_that_comes_is_read(text: str, jump: str) -> None:
    assert find_time_jump(text) == jump


@pytest.mark.parametrize(
    "text",
    [
        "We agree to meet at dusk.",
        "The boat leaves at dawn.",
        "The gate is shut at nightfall.",
        "At night the bridge is guarded.",
        "I want to sleep until dawn.",
        "He sleeps until noon every day.",
        "I never sleep until noon.",
        "Dob told me that he reached the mill at dusk.",
        "I dream that night falls.",
        "We could rest for the night here.",
        "The morning light is grey.",
        "In the morning light the mill looks small.",
        "That night was the worst of my life.",
        "Remember that night I found you?",
        "Nobody crosses until dawn.",
        "I pay Dob for the night.",
        "I ask Dace for a room for the night.",
        "Night falls early in winter, they say.",
        "The takings of two days are gone.",
        "It takes me a moment to see her.",
    ],
)
def test_time_of_day_that_is_only_named_does_not_come(text: str) -> None:
    assert find_time_jump(text) == ""


@pytest.mark.parametrize(
    ("text", "jump"),
    [
        ("The next morning Wenna walks down to the ferry landing.", "to dawn"),
        ("It is evening when Wenna reaches Hathern.", "to evening"),
        ("Wenna Harrow sleeps until dawn.", "to dawn"),
        ("Wenna waits for two hours.", "+2 hours"),
        ("That night Wenna creeps down to the cellar.", "to night"),
        ("Wenna's brother sleeps until dawn.", ""),
    ],
)
def test_hero_is_meant_by_name_as_by_i(text: str, jump: str) -> None:
    assert find_time_jump(text, ("Wenna Harrow", "Wenna")) == jump
