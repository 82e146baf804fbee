"""Tests which plain sentences of a player's are decisions, and which only sound like one."""

from __future__ import annotations

import pytest

from agents.prose.plain_decisions import find_decisions

LASTING = (
    (
        "I decide never to set foot in the drowned chapel again.",
        "I never set foot in the drowned chapel again",
    ),
    ("I decide to never lie to Tam.", "I never lie to Tam"),
    ("decide never to lie to Tam", "I never lie to Tam"),
    (
        "The lantern gutters. I decide that I will never sail at night.",
        "I will never sail at night",
    ),
    ("I've decided to always knock twice.", "I always knock twice"),
    ("I decided never to walk the weir after dark.", "I never walk the weir after dark"),
    ("I have now decided never to gamble with Gil.", "I never gamble with Gil"),
    ("We decide never to split up in the tunnels.", "We never split up in the tunnels"),
    (
        "I resolve to leave a coin at the shrine every morning.",
        "I leave a coin at the shrine every morning",
    ),
    ("I decide not to open the black door ever.", "I do not open the black door ever"),
    (
        "So I decide to carry no iron as long as I am among the Hill Folk.",
        "I carry no iron as long as I am among the Hill Folk",
    ),
    (
        "I decide that we shall no longer pay the toll.",
        "We shall no longer pay the toll",
    ),
    ("I will never trust a ferryman again.", "I will never trust a ferryman again"),
    (
        "I spit out the wine; I'll never drink in this house again.",
        "I'll never drink in this house again",
    ),
    ("Never again will I leave the gate unwatched.", "Never again will I leave the gate unwatched"),
    ("From now on I sleep with the door barred.", "From now on I sleep with the door barred"),
    (
        "From this day on, we share the watch.",
        "From this day on, we share the watch",
    ),
    ("I speak only the truth to Bela from now on.", "I speak only the truth to Bela from now on"),
    ("Henceforth I carry the ledger myself.", "Henceforth I carry the ledger myself"),
    (
        '"From now on I drink nothing stronger than tea," I tell Wenna.',
        "From now on I drink nothing stronger than tea",
    ),
    ('"I will never row for Harl again."', "I will never row for Harl again"),
    (
        'I set down the oar. "I have decided never to go back to the pier."',
        "I never go back to the pier",
    ),
    (
        "I tell Edda that from now on I work alone.",
        "From now on I work alone",
    ),
)
OFFERED = (
    ("I decide to go left.", "I go left"),
    ("I decide to give half of it to the hospice.", "I give half of it to the hospice"),
    ("I decide not to answer.", "I do not answer"),
    ("I decide that the bell will stay where it is.", "The bell will stay where it is"),
    ('"From now on I will do as you say," I tell Tam.', "From now on I will do as you say"),
    ("I decide never to fight unless I must, if the road stays quiet.", None),
)
NONE = (
    "I plan never to come back here.",
    "I want to stay away from the pier from now on.",
    "Do I decide to trust him?",
    "Should I never speak to her again?",
    "If he lies, I will never speak to him again.",
    "When this is over I will never hold a sword again.",
    "Perhaps I will never trust a ferryman again.",
    "Dagna says that from now on I carry the reeds.",
    '"From now on I give the orders here," says Harl.',
    'Harl snarls: "I will never pay you again."',
    "I will never see her again.",
    "I'll never know what he meant again and again.",
    "I will never understand the tides.",
    "I decide on the red door.",
    "I cannot decide what to do.",
    "I dream that I decide never to wake.",
    "Before I decide to leave, I look round.",
    "I ask her what I decide to do with it.",
    "From now on I can see the tower.",
    "From now on the bridge is shut.",
    "She decides never to marry.",
    "I decided against it years ago.",
    "I might decide never to return.",
    "I take back what I decided about Tam.",
)


@pytest.mark.parametrize(("line", "words"), LASTING)
def test_plain_decision_that_holds_is_read_in_the_players_words(line: str, words: str) -> None:
    assert [(d.words, d.is_lasting) for d in find_decisions(line)] == [(words, True)]


@pytest.mark.parametrize(("line", "words"), [pair for pair in OFFERED if pair[1]])
def test_plain_decision_of_the_moment_or_unclear_is_not_lasting(line: str, words: str) -> None:
    assert [(d.words, d.is_lasting) for d in find_decisions(line)] == [(words, False)]


@pytest.mark.parametrize("line", NONE)
def test_plain_words_that_decide_nothing_are_no_decision(line: str) -> None:
    assert find_decisions(line) == ()


def test_plain_decision_too_long_for_a_decision_is_left_to_the_player() -> None:
    assert find_decisions(f"I decide never to {'walk on and ' * 40} stop.") == ()
    assert find_decisions(f"I decide never to {'walk on and ' * 5_000} stop.") == ()
