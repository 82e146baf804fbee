"""The text of a page: what is marked on it, and what stands for itself."""

from __future__ import annotations

import pytest

from widgets.ink import Ink
from widgets.page_text import QUOTE_SIGN, find_quote, page_lines

PAGE = "# Port Varrow\n\n**Captain Marr** commands the harbour\nwatch. The sum is a_b * c.\n\nNobody else."


def marked(text: str, quote: str, width: int = 40) -> list[str]:
    return [
        "".join(piece for piece, _ in line).strip(f"{QUOTE_SIGN} ")
        for line in page_lines(text, quote, width)
        if line[0][0] == QUOTE_SIGN
    ]


def test_page_marks_a_quote_over_line_breaks_and_bold_words() -> None:
    assert marked(PAGE, "Captain Marr commands the harbour watch.") == [
        "Captain Marr commands the harbour",
        "watch. The sum is a_b * c.",
    ]
    assert marked(PAGE, "**Captain Marr** commands") == ["Captain Marr commands the harbour"]


@pytest.mark.parametrize("quote", ["", "Not there at all.", "***", "Captain .* harbour"])
def test_page_marks_nothing_for_words_that_it_does_not_have(quote: str) -> None:
    assert find_quote(PAGE, quote) == (0, 0)
    assert marked(PAGE, quote) == []


def test_page_draws_headings_and_leaves_formulas_and_markup_as_text() -> None:
    lines = list(page_lines(PAGE + "\n[bold]x[/bold] \x1b[31mred", "", 60))
    assert ("Port Varrow", Ink.HEADING) in lines[0]
    text = "\n".join("".join(piece for piece, _ in line) for line in lines)
    assert "a_b * c" in text
    assert "[bold]x[/bold]" in text
    assert "\x1b" not in text


def test_page_marks_a_quote_in_every_wrapped_line_of_it() -> None:
    words = "one two three four five six seven eight nine ten"
    assert len(marked(f"Before. {words} After.", words, 16)) >= 4


def test_search_for_a_quote_takes_no_long_time_on_a_hostile_page() -> None:
    assert find_quote("a " * 200_000, "a " * 300 + "b") == (0, 0)
