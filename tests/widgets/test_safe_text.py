"""Outside text never steers the terminal, is never markup, and takes the cells it is said to take."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.safe_text import content, ellipsise, one_line, pad, plain_text, wrap

HOSTILE = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\link",
        "\x1bP+q\x1b\\",
        "\x9b2J",
        "\x1b",
        "\x07",
        "\x00",
        "\r",
        "\x85",
        "\u202e",
        "\u2066",
        "\u200f",
        "\ufeff",
        "\ud800",
        "[bold]",
        "[@click=app.quit]x[/]",
        "\U0001f469\u200d\U0001f680",
        "日本語",
        "é",
        "\t",
        "  ",
        "word " * 9,
        "x" * 50,
    ]
)
TEXTS = st.lists(st.one_of(HOSTILE, st.text(alphabet=st.characters(), max_size=12)), max_size=8).map("".join)
DIRECTION = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_safe(text: str) -> bool:
    return not any(c != "\n" and unicodedata.category(c) in ("Cc", "Cs") for c in text) and not (
        DIRECTION & set(text)
    )


@given(TEXTS)
def test_safe_text_nothing_that_steers_a_terminal_comes_through(text: str) -> None:
    assert is_safe(plain_text(text))
    assert is_safe(content(text).plain)
    assert "\n" not in one_line(text)
    assert plain_text(plain_text(text)) == plain_text(text)
    plain_text(text).encode()


@given(TEXTS, st.integers(0, 60))
def test_ellipsised_text_is_one_line_of_at_most_the_width(text: str, width: int) -> None:
    line = ellipsise(text, width)
    assert is_safe(line)
    assert "\n" not in line
    assert cell_len(line) <= width


@given(TEXTS, st.integers(0, 60))
def test_padded_text_takes_exactly_the_width(text: str, width: int) -> None:
    assert cell_len(pad(text, width)) == width


@given(TEXTS, st.integers(2, 60))
def test_wrapped_text_fits_and_loses_no_word(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert all(is_safe(line) for line in lines)
    assert "".join("".join(lines).split()) == "".join(plain_text(text).split())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("\x1b[2J\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;gotcha\x07after", "after"),
        ("\x1b]52;c;ZXZpbA==\x1b\\after", "after"),
        ("abc\x9b31mdef", "abcdef"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("a\tb", "a    b"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert plain_text(text) == shown


def test_markup_is_only_text() -> None:
    assert content("[bold red]x[/] $y").plain == "[bold red]x[/] $y"
    assert not content("[bold red]x[/]").spans


def test_wrapping_breaks_at_spaces_and_keeps_line_breaks() -> None:
    assert wrap("the salt coast\n\nat night", 8) == ["the salt", "coast", "", "at night"]


def test_safe_text_word_wider_than_the_line_is_cut() -> None:
    assert wrap("日本語日本語 ok", 5) == ["日本", "語日", "本語", "ok"]
