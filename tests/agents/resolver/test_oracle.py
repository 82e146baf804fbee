"""The oracle: published odds that add up, dice that keep to them, and typed questions."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.resolver.oracle import (
    LIKELIHOOD_ALIASES,
    TENSIONS,
    Grade,
    Likelihood,
    OracleQuery,
    ask_oracle,
    check_tension,
    event_chance,
    grade_of,
    is_event,
    oracle_odds,
    read_likelihood,
    read_oracle_query,
    yes_in_100,
)
from stores.errors import InputError
from stores.records.play import Die, TensionMode

CELLS = [
    (first_row, tension, mode) for first_row in Likelihood for tension in TENSIONS for mode in TensionMode
]

likelihoods = st.sampled_from(list(Likelihood))
tensions = st.sampled_from(list(TENSIONS))
modes = st.sampled_from(list(TensionMode))
faces = st.integers(1, 100)


def at_least(published: Mapping[Grade, int]) -> list[int]:
    """Return how many faces give each grade or a better one."""
    return list(accumulate(reversed([*published.values()])))


# --- the odds ---------------------------------------------------------------------------------------


def test_oracle_odds_add_up_to_100() -> None:
    assert len(CELLS) == 7 * 9 * 2
    for cell in CELLS:
        published = oracle_odds(*cell)
        assert list(published) == list(Grade)
        assert sum(published.values()) == 100
        assert min(published.values()) >= 0


def test_oracle_odds_agree_with_chance_of_yes() -> None:
    for cell in CELLS:
        yes = sum(count for grade, count in oracle_odds(*cell).items() if grade.is_yes)
        assert yes == yes_in_100(*cell)
        assert 0 < yes < 100


@pytest.mark.parametrize("mode", list(TensionMode))
@pytest.mark.parametrize("tension", list(TENSIONS))
def test_oracle_odds_rise_with_likelihood(tension: int, mode: TensionMode) -> None:
    for less, more in pairwise(Likelihood):
        assert yes_in_100(less, tension, mode) < yes_in_100(more, tension, mode)
        worse, better = at_least(oracle_odds(less, tension, mode)), at_least(oracle_odds(more, tension, mode))
        assert all(a <= b for a, b in zip(worse, better, strict=True))


@pytest.mark.parametrize("likelihood", list(Likelihood))
def test_oracle_bend_makes_yes_likelier_with_tension(likelihood: Likelihood) -> None:
    yes = [yes_in_100(likelihood, tension) for tension in TENSIONS]
    assert yes == sorted(yes)
    assert yes[0] < yes[-1]


@pytest.mark.parametrize("likelihood", list(Likelihood))
def test_oracle_edge_moves_only_extreme_answers(likelihood: Likelihood) -> None:
    by_tension = [oracle_odds(likelihood, tension, TensionMode.EDGE) for tension in TENSIONS]
    assert len({yes_in_100(likelihood, tension, TensionMode.EDGE) for tension in TENSIONS}) == 1
    extremes = [first_row[Grade.YES_AND] + first_row[Grade.NO_AND] for first_row in by_tension]
    assert extremes == sorted(extremes)
    assert extremes[0] < extremes[-1]
    for first_row, second_row in pairwise(by_tension):
        assert abs(first_row[Grade.YES] - second_row[Grade.YES]) <= 1  # a face that is rounded
        assert abs(first_row[Grade.NO] - second_row[Grade.NO]) <= 1


def test_oracle_modes_agree_at_middle_tension() -> None:
    for likelihood in Likelihood:
        assert oracle_odds(likelihood, 5, TensionMode.BEND) == oracle_odds(likelihood, 5, TensionMode.EDGE)


@given(likelihoods, tensions)
def test_oracle_opposite_likelihood_at_opposite_tension_is_complement(
    likelihood: Likelihood, tension: int
) -> None:
    opposite = list(Likelihood)[6 - list(Likelihood).index(likelihood)]
    assert yes_in_100(likelihood, tension) + yes_in_100(opposite, 10 - tension) == 100


def test_oracle_odds_have_published_values() -> None:
    assert tuple(oracle_odds(Likelihood.EVEN, 5).values()) == (12, 25, 13, 13, 25, 12)
    assert tuple(oracle_odds(Likelihood.LIKELY, 9).values()) == (4, 9, 4, 21, 42, 20)
    assert tuple(oracle_odds(Likelihood.UNLIKELY, 1, TensionMode.EDGE).values()) == (3, 35, 32, 14, 15, 1)


@given(likelihoods, tensions, modes)
def test_oracle_faces_match_published_odds(likelihood: Likelihood, tension: int, mode: TensionMode) -> None:
    counts = Counter(grade_of(face, likelihood, tension, mode) for face in range(1, 101))
    assert all(counts[grade] == count for grade, count in oracle_odds(likelihood, tension, mode).items())


@given(st.tuples(faces, faces).map(sorted), likelihoods, tensions, modes)
def test_oracle_higher_face_is_never_worse(
    pair: list[int], likelihood: Likelihood, tension: int, mode: TensionMode
) -> None:
    low, high = (list(Grade).index(grade_of(face, likelihood, tension, mode)) for face in pair)
    assert low <= high


# --- random events ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tension", list(TENSIONS))
def test_oracle_event_has_published_chance(tension: int) -> None:
    brings = [face for face in range(1, 101) if is_event(face, tension)]
    assert len(brings) == event_chance(tension) == 2 * tension
    assert sorted(99 - face for face in brings) == brings  # as many high as low


@pytest.mark.parametrize(
    ("face", "tension", "brings"),
    [
        (27, 5, True),
        (61, 5, True),
        (5, 5, True),
        (28, 5, False),
        (100, 9, False),
        (9, 1, True),
        (34, 9, True),
    ],
)
def test_oracle_event_needs_gap_and_tension_of_ten(face: int, tension: int, brings: bool) -> None:
    assert is_event(face, tension) is brings


# --- asking -----------------------------------------------------------------------------------------


def test_oracle_answer_has_text_and_dice() -> None:
    answer = ask_oracle(Likelihood.LIKELY, 5, random.Random(1), faces=[37])
    assert answer.text == "likely · tension 5 · d100 37 · yes, but"
    assert answer.rule == "oracle, likely, tension 5, bend"
    assert answer.dice == (Die(sides="%", face=37),)
    assert answer.grade is Grade.YES_BUT
    assert not answer.is_event


def test_oracle_answer_text_includes_event() -> None:
    answer = ask_oracle(Likelihood.EVEN, 5, random.Random(1), faces=[94])
    assert answer.is_event
    assert answer.text == "even · tension 5 · d100 94 · yes, and · event"


@given(likelihoods, tensions, modes, st.integers())
def test_oracle_answer_follows_seed(
    likelihood: Likelihood, tension: int, mode: TensionMode, seed: int
) -> None:
    first_row, second_row = (
        ask_oracle(likelihood, tension, random.Random(seed), mode=mode) for _ in range(2)
    )
    assert first_row == second_row
    assert first_row.grade is grade_of(first_row.roll.total, likelihood, tension, mode)


@pytest.mark.parametrize("tension", [0, 10, -1])
def test_oracle_refuses_invalid_tension(tension: int) -> None:
    for use in (check_tension, event_chance, lambda t: oracle_odds(Likelihood.EVEN, t)):
        with pytest.raises(InputError, match="no tension"):
            use(tension)
    with pytest.raises(InputError, match="from 1 to 9"):
        ask_oracle(Likelihood.EVEN, tension, random.Random(1))


def test_oracle_reads_double_zero_as_100() -> None:
    assert ask_oracle(Likelihood.EVEN, 5, random.Random(1), faces=[0]).text.startswith(
        "even · tension 5 · d100 100"
    )


@pytest.mark.parametrize("typed_text", [[-1], [101], [], [5, 6]])
def test_oracle_refuses_faces_of_other_dice(typed_text: list[int]) -> None:
    with pytest.raises(InputError):
        ask_oracle(Likelihood.EVEN, 5, random.Random(1), faces=typed_text)


# --- reading ----------------------------------------------------------------------------------------


def test_likelihood_has_rank_and_short_name() -> None:
    assert [likelihood.rank for likelihood in Likelihood] == [-3, -2, -1, 0, 1, 2, 3]
    assert {likelihood for name, likelihood in LIKELIHOOD_ALIASES.items() if len(name) <= 3} == set(
        Likelihood
    )


@pytest.mark.parametrize("name", [*LIKELIHOOD_ALIASES, "Very  Likely", "50/50", "VL"])
def test_likelihood_is_read_by_every_name(name: str) -> None:
    assert read_likelihood(name) in Likelihood


def test_likelihood_refuses_unknown_name_with_suggestion() -> None:
    with pytest.raises(InputError, match="Did you mean likely") as caught:
        read_likelihood("likley")
    assert caught.value.kept == "Nothing was rolled."


@pytest.mark.parametrize(
    ("typed_text", "meant"),
    [
        ("likley: Does it rain?", "likely: Does it rain?"),
        ("Likley: Does it rain?", "likely: Does it rain?"),
        ("veyr likely: is it?", "very likely: is it?"),
        ("very unlikly, is it?", "very unlikely: is it?"),
        ("imposible: is it?", "impossible: is it?"),
        ("certian is the door shut?", "certain: is the door shut?"),
        ("evne: is it?", "even: is it?"),
        ("quite likely: is it?", "likely: is it?"),
    ],
)
def test_oracle_query_refuses_misspelt_likelihood(typed_text: str, meant: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"Did you mean ? {meant}")) as caught:
        read_oracle_query(typed_text)
    assert caught.value.kept == "Nothing was rolled."


@pytest.mark.parametrize(
    "typed_text",
    [
        "Vess: does she lie?",
        "Evan: does he lie?",
        "Evan is he here?",
        "Maybel is she here?",
        "The bell: is it likely to ring?",
        "Is it likely: yes?",
        "Only is a word?",
    ],
)
def test_oracle_query_leaves_a_name_in_the_question(typed_text: str) -> None:
    assert read_oracle_query(typed_text) == OracleQuery(typed_text)


@pytest.mark.parametrize(
    ("typed_text", "question", "likelihood"),
    [
        ("likely is the door locked?", "is the door locked?", Likelihood.LIKELY),
        ("very likely the door is shut", "the door is shut", Likelihood.VERY_LIKELY),
        ("vl: is it?", "is it?", Likelihood.VERY_LIKELY),
        ("vl, is it?", "is it?", Likelihood.VERY_LIKELY),
        ("e is he here", "is he here", Likelihood.EVEN),
        ("u: the guards", "the guards", Likelihood.UNLIKELY),
        ("even: the guards sleep?", "the guards sleep?", Likelihood.EVEN),
        ("even is he here", "is he here", Likelihood.EVEN),
        ("Likely", "", Likelihood.LIKELY),
        ("Even the guards sleep?", "Even the guards sleep?", None),
        ("Certain people know?", "Certain people know?", None),
        ("Sure that it holds?", "Sure that it holds?", None),
        ("I am lost?", "I am lost?", None),
        ("C natural on the bell?", "C natural on the bell?", None),
        ("Likelihood of rain?", "Likelihood of rain?", None),
        ("is it likely?", "is it likely?", None),
        ("does he say: likely?", "does he say: likely?", None),
        ("", "", None),
    ],
)
def test_oracle_query_reads_likelihood_before_question(
    typed_text: str, question: str, likelihood: Likelihood | None
) -> None:
    assert read_oracle_query(typed_text) == OracleQuery(question, likelihood)
