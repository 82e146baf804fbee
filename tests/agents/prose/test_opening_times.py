"""Tests of the words by which a sentence says that it happens later, and of those that say it happened before."""

from __future__ import annotations

import time

import pytest

from agents.prose.opening_times import drop_opening_times, restore_times


@pytest.mark.parametrize(
    ("text", "plain_text"),
    [
        ("A while later Juno loses the token.", "Juno loses the token."),
        ("Some time later, Perrin lost it.", "Perrin lost it."),
        ("Half an hour later I lose the key.", "I lose the key."),
        ("Three days later the bell is gone.", "the bell is gone."),
        ("And then, it rains. Later on, Mrs. Hale dies.", "And then, it rains. Mrs. Hale dies."),
        ("Not long after, Juno, who limps, is dead.", "Juno, who limps, is dead."),
        ("That same night Juno hides it; the next morning she is dead.", "Juno hides it; she is dead."),
        ("By nightfall Juno is dead.", "Juno is dead."),
        ("Juno steals it a few minutes later.", "Juno steals it."),
        ("Juno, a while later, loses the token.", "Juno loses the token."),
        ("Juno later gives it to Fenn.", "Juno gives it to Fenn."),
    ],
)
def test_time_that_went_by_is_left_out(text: str, plain_text: str) -> None:
    assert drop_opening_times(text) == plain_text


@pytest.mark.parametrize(
    "text",
    [
        "Last year Juno stole the token.",
        "An hour ago Perrin took it.",
        "Yesterday Juno lost it.",
        "After the war Juno stole the bell.",
        "A day after the fire Juno died.",
        "Soon Juno will be dead.",
        "Days Inn is here.",
        "Evening Star sinks.",
        "Later than Perrin, Juno comes in.",
        "Juno, Perrin and Fenn are here.",
        "Juno will later give it to Fenn.",
    ],
)
def test_time_before_stays_in_the_words(text: str) -> None:
    assert drop_opening_times(text) == text


def test_words_without_their_time_are_found_in_the_text() -> None:
    text = "It rains. Juno, a while later, loses the token. It snows."
    assert restore_times("Juno loses the token", text) == "Juno, a while later, loses the token."
    assert restore_times("It snows", text) == "It snows"


@pytest.mark.timed
@pytest.mark.parametrize(
    "text", [" " * 20_000, "A while later" + " " * 20_000, "a " * 10_000, "later " * 5_000]
)
def test_long_text_of_few_words_is_read_at_once(text: str) -> None:
    started = time.process_time()
    drop_opening_times(text)
    assert time.process_time() - started < 1
