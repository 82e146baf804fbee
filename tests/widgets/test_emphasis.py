"""Emphasis in a telling: drawn as such, its signs left out, and nothing else read as markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.records.play import Speaker
from tests.widgets.samples import turn_view
from tests.widgets.test_safe_text import TEXTS
from widgets.emphasis import find_emphasis, wrap_emphasised
from widgets.ink import Ink
from widgets.safe_text import plain_text, wrap
from widgets.transcript.turn_lines import turn_lines


@pytest.mark.parametrize(
    ("text", "shown", "inks"),
    [
        ("She *whispers* it.", "She whispers it.", [("whispers", Ink.EMPHASIS)]),
        ("A _soft_ knock.", "A soft knock.", [("soft", Ink.EMPHASIS)]),
        ("**Stop!** he says.", "Stop! he says.", [("Stop!", Ink.STRONG)]),
        ("“*Never*,” she says.", "“Never,” she says.", [("Never", Ink.EMPHASIS)]),
        ("2 * 3 * 4 and 2d6*3*2", "2 * 3 * 4 and 2d6*3*2", []),
        ("a snake_case_name", "a snake_case_name", []),
        ("*one line\nanother*", "*one line\nanother*", []),
        ("[b]no[/b] *yes [red]*", "[b]no[/b] yes [red]", [("yes [red]", Ink.EMPHASIS)]),
        ("**open *and* shut", "**open and shut", [("and", Ink.EMPHASIS)]),
    ],
)
def test_emphasis_is_found_without_its_signs(text: str, shown: str, inks: list[tuple[str, Ink]]) -> None:
    found_text, spans = find_emphasis(text)
    assert found_text == shown
    assert [(found_text[s.start : s.end], s.ink) for s in spans] == inks


def test_emphasis_of_a_telling_is_drawn_over_the_end_of_a_line() -> None:
    """The GM writes *italics* and **bold**: I read them as such, and no asterisk stands in the story."""
    view = turn_view(1, Speaker.GM, "The bell *tolls and tolls* in the **deep** [bold]dark[/].")
    lines = turn_lines(view, 24)
    assert "*" not in "".join(text for line in lines for text, _ in line)
    emphasised = [text for line in lines for text, ink in line if ink is Ink.EMPHASIS]
    assert " ".join(emphasised) == "tolls and tolls"
    assert [text for line in lines for text, ink in line if ink is Ink.STRONG] == ["deep"]
    assert "[bold]dark[/]." in "".join(text for line in lines for text, _ in line)


@given(st.one_of(TEXTS, st.text(st.sampled_from("ab *_\n.“”[]"), max_size=80)), st.integers(2, 60))
def test_emphasis_changes_no_line_of_what_is_shown(text: str, width: int) -> None:
    lines = ["".join(part for part, _ in line) for line in wrap_emphasised(text, width, Ink.PROSE)]
    assert lines == wrap(find_emphasis(plain_text(text))[0], width)
