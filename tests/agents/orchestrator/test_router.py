"""What a typed line means, and what is refused with words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.clean import MAX_LINE, clean
from agents.orchestrator.router import Operation, Roll, Words, route
from stores.errors import InputError

OPERATIONS = {"fact", "commit", "end", "undo", "help"}


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("I force the door.", Words("I force the door.", told=False)),
        ('"Who is there?"', Words('"Who is there?"', told=False)),
        ("> The hinges give.", Words("The hinges give.", told=True)),
        ("/narrate The hinges give.", Words("The hinges give.", told=True)),
        ("/NARRATE The hinges give.", Words("The hinges give.", told=True)),
        ("I push /check might 9", Words("I push", told=False, roll=Roll("check", "might 9"))),
        ("> It bites. /roll 2d6", Words("It bites.", told=True, roll=Roll("roll", "2d6"))),
        ("either/or, he said", Words("either/or, he said", told=False)),
        ("/check", Roll("check", "")),
        ("/roll 3d6!", Roll("roll", "3d6!")),
        ("/fact The bell was moved", Operation("fact", "The bell was moved")),
        ("/undo", Operation("undo", "")),
        ("two\r\nlines", Words("two\nlines", told=False)),
        ("red \x1b[31malert\x1b[0m \x07bell", Words("red alert bell", told=False)),
        ("title \x1b]0;evil\x07gone", Words("title gone", told=False)),
    ],
)
def test_a_line_means(line: str, meaning: object) -> None:
    assert route(line, OPERATIONS) == meaning


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "nothing typed"),
        ("  \t ", "nothing typed"),
        ("\x1b[2J\x00", "nothing to play"),
        (">", "no words to tell"),
        ("> /check 2d6", "no words to tell"),
        ("/fcat x", "Did you mean /fact"),
        ("/zzzzzz", "no command /zzzzzz"),
        ("x" * (MAX_LINE + 1), "20,001 characters"),
        ("x" * 100_000, "100,000 characters"),
    ],
)
def test_bad_input_is_refused_in_words(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        route(line, OPERATIONS)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_and_never_dangerous(line: str) -> None:
    try:
        typed = route(line, OPERATIONS)
    except InputError:
        return
    text = typed.text if isinstance(typed, Words) else ""
    assert not [c for c in text if unicodedata.category(c) == "Cc" and c != "\n"]


@given(st.text(max_size=200))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)
