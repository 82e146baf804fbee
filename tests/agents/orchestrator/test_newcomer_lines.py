"""Lines of a newcomer that once brought nothing, or the wrong offer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.declarations.amounts import is_amount
from agents.prose.mentions import read_roles
from agents.prose.trades import is_trade
from tests.agents.orchestrator.test_lost_and_found import HollowRails, begin_in_hollow_rails
from tests.program import opened


@pytest.fixture
async def rails(tmp_path: Path) -> AsyncIterator[HollowRails]:
    async with opened(tmp_path) as program:
        yield await begin_in_hollow_rails(program)


async def test_going_by_name_to_where_somebody_stayed_behind_meets_them_again(rails: HollowRails) -> None:
    lines = await rails.say("I go to Quarry Siding with Juno.")
    assert "Perrin Holt stays behind: /cast + Perrin Holt brings them along." in lines
    assert "Perrin Holt comes in." in await rails.say("I go to Signal Hut.")
    assert await rails.cast_names() == {"Juno Ames", "Perrin Holt"}, "Juno came along"
    await rails.say("I set off for Quarry Siding alone.")
    assert await rails.cast_names() == set()
    await rails.say("I set off for Signal Hut alone.")
    assert await rails.cast_names() == {"Juno Ames", "Perrin Holt"}
    await rails.say("/undo")
    assert await rails.cast_names() == set(), "undo takes it back with its line"
    await rails.say("I go to Switchback Halt.")
    assert await rails.cast_names() == set(), "they stayed elsewhere"


@pytest.mark.slow
async def test_going_to_where_somebody_died_or_left_meets_nobody(rails: HollowRails) -> None:
    await rails.say("I go to Quarry Siding with Juno.", "> Perrin dies.")
    await rails.say("I go to Signal Hut with Juno.", "> Juno storms out.", "I go to Quarry Siding.")
    assert "Juno Ames comes in." not in await rails.say("I go to Signal Hut.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "titles"),
    [
        ("> Perrin Holt never leaves Switchback Halt.", ["Perrin Holt never leaves Switchback Halt."]),
        ("> Perrin has never left Switchback Halt.", ["Perrin has never left Switchback Halt."]),
        ("> Perrin never leaves Juno.", ["Perrin never leaves Juno."]),
        ("> Perrin never leaves.", []),
        ("> Perrin never leaves the stove.", []),
    ],
)
async def test_place_that_somebody_never_leaves_is_proposed(
    rails: HollowRails, line: str, titles: list[str]
) -> None:
    await rails.say(line)
    assert await rails.proposals() == titles
    assert await rails.cast_names() == {"Juno Ames", "Perrin Holt"}, "nobody leaves by it"


async def test_money_of_a_debt_is_no_unknown_thing(rails: HollowRails) -> None:
    await rails.say("> I owe Juno five crowns.")
    assert await rails.say("I give Juno the five crowns back.") == (
        "Kept? /paid Odile Strand owes Juno five crowns (Tab takes it)",
    )
    lines = await rails.say("I give Juno the copper kettle.")
    assert lines == (
        "“copper kettle” is not known in this world: /thing copper kettle makes it known (Tab takes it).",
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("five crowns", True),
        ("two shillings", True),
        ("money", True),
        ("20 marks", True),
        ("several letters", True),
    ]
    + [(name, False) for name in ("crown", "copper kettle", "gold ring", "Tenth Lantern", "letter")],
)
def test_amount_is_told_from_a_thing(name: str, expected: bool) -> None:
    assert is_amount(name) is expected


async def test_unknown_trades_are_offered_and_known_ones_are_not(rails: HollowRails) -> None:
    offer = "“The {0}” is not known in this world: /npc here The {0} brings them in (Tab takes it)."
    assert await rails.say("> The stationmaster glares at us.") == (offer.format("Stationmaster"),)
    assert await rails.say("> The blacksmith nods.") == (offer.format("Blacksmith"),)
    await rails.say("/npc here Bram Tull: a fishmonger")
    assert await rails.say("> The fishmonger nods.") == ()
    assert await rails.say("> The talisman glows.") == ()


@pytest.mark.parametrize(
    "word", ["stationmaster", "blacksmith", "weaver", "washerwoman", "signalman", "goatherd"]
)
def test_trade_is_known(word: str) -> None:
    assert is_trade(word)
    assert read_roles("Bram Tull", f"the old {word}") == ("bram", word)


@pytest.mark.parametrize(
    "word", ["woman", "man", "talisman", "human", "master", "lantern", "wife", "pacemaker"]
)
def test_other_word_is_no_trade(word: str) -> None:
    assert not is_trade(word)
