"""A turn as lines: widths, gutter, sealed results, marks, and what F4 hides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.views.turn_views import TurnView
from stores.records.play import Degree, Speaker
from tests.widgets.samples import PROSE, resolution, turn_view
from tests.widgets.test_safe_text import TEXTS, is_safe
from widgets.ink import UNSTYLED_INKS, Ink
from widgets.transcript.turn_lines import TurnOptions, estimate_height, turn_lines, turn_strips

EVERYTHING = TurnOptions()
STORY_ONLY = TurnOptions(hide_mechanics=True)


def text_of(view: TurnView, width: int = 60, options: TurnOptions = EVERYTHING) -> list[str]:
    return ["".join(text for text, _ in line) for line in turn_lines(view, width, options)]


@given(TEXTS, st.sampled_from(Speaker), TEXTS, st.integers(16, 140), st.booleans())
def test_turn_line_every_strip_has_the_width_and_steers_nothing(
    text: str, speaker: Speaker, name: str, width: int, at_cursor: bool
) -> None:
    view = turn_view(
        5, speaker, text, name=name, take_count=3, made_count=2, resolution=resolution(5, text=text)
    )
    for strip in turn_strips(view, width, UNSTYLED_INKS, is_at_cursor=at_cursor):
        assert strip.cell_length == width
        assert is_safe(strip.text)


def test_turn_line_speaker_stands_in_the_gutter_and_words_hang_beside_it() -> None:
    assert text_of(turn_view(1, Speaker.GM, "one two three four"), 20) == [
        " gm   one two three",
        "      four",
    ]


def test_turn_line_exchange_begins_with_an_empty_line_but_the_first_does_not() -> None:
    assert text_of(turn_view(4, Speaker.PLAYER, "I go.")) == ["", " you  I go."]
    assert text_of(turn_view(0, Speaker.PLAYER, "I go.")) == [" you  I go."]


def test_turn_line_name_too_long_for_the_gutter_stands_above_the_words() -> None:
    assert text_of(turn_view(2, Speaker.NPC, "Aye.", name="Oss")) == [" Oss  Aye."]
    assert text_of(turn_view(2, Speaker.NPC, "Aye.", name="Ferryman Oss")) == [" Ferryman Oss", "      Aye."]


def test_turn_line_sealed_result_stands_behind_a_rule_with_its_degree_and_effects() -> None:
    view = turn_view(
        2,
        Speaker.ORACLE,
        "",
        resolution=resolution(2, text="2d6 = 9 vs 9 · success", effects=("Mara.hp -3",)),
    )
    assert text_of(view) == [" ⚄    ┃ 2d6 = 9 vs 9 · ✓\xa0success", "      ┃ → Mara: HP -3"]


@pytest.mark.parametrize(
    ("degree", "ink"), [(Degree.SUCCESS, Ink.GOOD), (Degree.PARTIAL, Ink.WARN), (Degree.FAIL, Ink.BAD)]
)
def test_turn_line_degree_is_said_in_sign_word_and_ink(degree: Degree, ink: Ink) -> None:
    view = turn_view(2, Speaker.ORACLE, "", resolution=resolution(2, degree=degree))
    pieces = [piece for line in turn_lines(view, 60) for piece in line]
    assert any(degree.value in text and text[0] in "✓~✗" and piece_ink is ink for text, piece_ink in pieces)


@pytest.mark.parametrize(
    ("kind", "text", "loud", "ink"),
    [
        ("oracle", "even · tension 5 · d100 18 · no", "✗\xa0no", Ink.BAD),
        ("oracle", "likely · tension 5 · d100 40 · yes, but · event", "✓\xa0yes,\xa0but", Ink.GOOD),
        ("react", "reaction of Rat · 2d6 [4,2] = 6 · wary · by hand", "wary", Ink.WARN),
        ("react", "reaction of wary · 2d6 [1,1] = 2 · hostile", "hostile", Ink.BAD),
    ],
)
def test_turn_line_answer_is_as_loud_as_the_outcome_of_a_check(
    kind: str, text: str, loud: str, ink: Ink
) -> None:
    sealed = resolution(2, text=text).model_copy(update={"kind": kind, "degree": Degree.NONE})
    pieces = [
        piece
        for line in turn_lines(turn_view(2, Speaker.ORACLE, "", resolution=sealed), 70)
        for piece in line
    ]
    assert (loud, ink) in pieces


def test_turn_line_result_without_words_is_said_from_its_numbers() -> None:
    view = turn_view(2, Speaker.ORACLE, "", resolution=resolution(2, text="", degree=Degree.NONE))
    assert text_of(view) == [" ⚄    ┃ 2d6+1 = 10 vs 9"]


def test_takes_and_what_was_made_true_are_marked_at_the_right_edge() -> None:
    (line,) = text_of(turn_view(1, Speaker.GM, "Short.", take=2, take_count=3, made_count=2), 40)
    assert line.endswith("take 2/3 ★2")
    assert len(line) == 39
    *_, last = text_of(turn_view(1, Speaker.GM, "w" * 33, take=2, take_count=3), 40)
    assert last.strip() == "take 2/3"


def test_turn_line_story_alone_has_no_rolls_and_no_marks() -> None:
    assert text_of(turn_view(1, Speaker.ORACLE, "2d6 = 7"), options=STORY_ONLY) == []
    assert text_of(turn_view(1, Speaker.GM, "Short.", take_count=3, made_count=1), options=STORY_ONLY) == [
        " gm   Short."
    ]


def test_turn_line_note_hangs_under_its_turn_and_goes_with_the_mechanics() -> None:
    view = replace(
        turn_view(1, Speaker.GM, "It rains.", made_count=1), notes=("ask about the bell", "or not")
    )
    assert text_of(view, 40) == [
        " gm   It rains.                      ★1",
        "      (note) ask about the bell",
        "      (note) or not",
    ]
    assert text_of(view, 24)[-3:-1] == ["      (note) ask about", "             the bell"]
    assert text_of(view, 40, TurnOptions(hide_mechanics=True)) == [" gm   It rains."]


def test_turn_line_cursor_is_a_bar_on_every_line_but_the_empty_one() -> None:
    strips = turn_strips(
        turn_view(4, Speaker.PLAYER, "one two three four"), 20, UNSTYLED_INKS, is_at_cursor=True
    )
    assert [strip.text[0] for strip in strips] == [" ", "▌", "▌"]


def test_prose_keeps_to_a_readable_measure() -> None:
    assert max(len(line) for line in text_of(turn_view(1, Speaker.GM, PROSE * 4), 200)) <= 6 + 96


@given(st.text(alphabet="abcdefg ", min_size=0, max_size=3000), st.integers(30, 120))
def test_estimates_are_near(text: str, width: int) -> None:
    view = turn_view(1, Speaker.GM, text.strip())
    real = len(turn_lines(view, width))
    assert abs(estimate_height(view, width) - real) <= max(2, real // 2)
