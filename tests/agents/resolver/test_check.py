"""Tests of the generic check."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.resolver.check import ODDS, CheckSpec, Odds, luck_degree, read_check, resolve_by_luck, roll_check
from stores.errors import InputError
from stores.records.play import Degree
from tests.examples import examples

NUMBERS = {"might": 1, "Dex mod": -1, "hp": 7.5, "doom": float("inf")}
SUCCESS, PARTIAL, FAIL = Degree.SUCCESS, Degree.PARTIAL, Degree.FAIL


@pytest.mark.parametrize(
    ("spec", "faces", "text", "rule"),
    [
        ("2d6+1 vs 9", [5, 4], "2d6+1 [5,4]+1 = 10 vs 9 · success", "2d6+1 vs 9"),
        ("might 9", [5, 4], "2d6+1 [5,4]+1 = 10 vs 9 · success", "might vs 9"),
        ("MIGHT  9", [4, 4], "2d6+1 [4,4]+1 = 9 vs 9 · success", "MIGHT vs 9"),
        ("might vs 9", [5, 1], "2d6+1 [5,1]+1 = 7 vs 9 · partial", "might vs 9"),
        ("might vs. 9", [4, 1], "2d6+1 [4,1]+1 = 6 vs 9 · fail", "might vs 9"),
        ("dex mod 7", [4, 4], "2d6-1 [4,4]-1 = 7 vs 7 · success", "dex mod vs 7"),
        ("hp vs 12", [1, 1], "2d6+7 [1,1]+7 = 9 vs 12 · fail", "hp vs 12"),
        ("d20adv + might VS 15", [9, 14], "d20adv+1 [(9),14]+1 = 15 vs 15 · success", "d20adv + might vs 15"),
        ("4dF vs -2", [-1, -1, -1, 0], "4dF [-,-,-,0] = -3 vs -2 · partial", "4dF vs -2"),
        (
            "8d10>=7vs 3",
            [7, 8, 1, 1, 1, 1, 1, 1],
            "8d10>=7 [7*,8*,1,1,1,1,1,1] = 2 vs 3 · partial",
            "8d10>=7 vs 3",
        ),
        ("2d6 [a leap] vs 3", [1, 1], "2d6 [1,1] = 2 vs 3 · partial · a leap", "2d6 [a leap] vs 3"),
        ("", [50], "even odds d% [50] = 50 · partial", "narrative randomizer, even odds"),
        (" Likely ", [50], "likely odds d% [50] = 50 · success", "narrative randomizer, likely odds"),
        ("unlikely", [50], "unlikely odds d% [50] = 50 · fail", "narrative randomizer, unlikely odds"),
    ],
)
def test_check_result_has_text_and_rule(spec: str, faces: list[int], text: str, rule: str) -> None:
    result = roll_check(read_check(spec, NUMBERS), random.Random(0), faces)
    assert (result.text, result.rule) == (text, rule)


@pytest.mark.parametrize(
    ("margin", "degree"), [(5, SUCCESS), (0, SUCCESS), (-1, PARTIAL), (-2, PARTIAL), (-3, FAIL), (-9, FAIL)]
)
def test_check_degree_follows_margin(margin: int, degree: Degree) -> None:
    result = roll_check(read_check(f"10 vs {10 - margin}", {}), random.Random(0))
    assert (result.margin, result.degree) == (margin, degree)


EFFECTS = "might 9; success: Orc.hp -8; partial: Mara.hp -3; miss: Mara.hp -5, Mara +wounded; Orc -brave"


@pytest.mark.parametrize(
    ("faces", "effects"),
    [
        ([6, 6], ["Orc.hp -8", "Orc -brave"]),
        ([4, 3], ["Mara.hp -3"]),
        ([1, 1], ["Mara.hp -5", "Mara +wounded"]),
    ],
)
def test_check_has_effects_of_its_degree(faces: list[int], effects: list[str]) -> None:
    spec = read_check(EFFECTS, NUMBERS)
    assert [str(e) for e in roll_check(spec, random.Random(0), faces).effects] == effects
    assert len(spec.all_effects()) == 5


@pytest.mark.parametrize("spec", ["", "likely; hit: Orc.hp -1", "2d6 vs 8;;  ; fail:", "even ;Orc.hp -1"])
def test_check_accepts_empty_clauses(spec: str) -> None:
    assert len(read_check(spec, {}).all_effects()) == spec.count("Orc")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("migt 9", r"no number called 'migt'\. There is: might 1.*Did you mean might\?"),
        ("migt vs 9", "Did you mean might"),
        ("wits 9", "There is: might 1, Dex mod -1"),
        ("might", "does not say what to reach.*might vs 9"),
        ("2d6+1", r"does not say what to reach.*2d6\+1 vs 9"),
        ("2d6 9", "Did you mean 2d6 vs 9"),
        ("2d6 vs", "number to reach, not ''"),
        ("2d6 vs lots", "number to reach, not 'lots'"),
        ("2d6 vs 99999999", "number to reach"),
        ("vs 8", "missing before vs"),
        ("2d6+ vs 8", "stops short"),
        ("doom 9", "doom is inf"),
        ("2d6+doom vs 9", "not 'doom'"),
        ("2d6 vs 8; often: Orc.hp -1", "'often' is no degree"),
        ("2d6 vs 8; Orc", "not an effect"),
        ('2d6 vs 8; "Orc.hp -1', "not closed"),
        ("x" * 1001, "at most 1,000"),
    ],
)
def test_check_parser_names_faults(spec: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_check(spec, NUMBERS)
    assert re.search(complaint, str(caught.value))
    assert caught.value.todo


def test_check_parser_without_numbers_says_so() -> None:
    with pytest.raises(InputError, match="nor any other yet"):
        read_check("might 9", {})


@given(
    st.one_of(
        st.text(max_size=120),
        st.text(alphabet='might 0123456789d+-vs;:.,Orc"=', max_size=60),
        st.text(max_size=20).map("2d6 vs {}".format),
        st.text(max_size=40).map("might 9; {}".format),
    ),
    st.integers(),
)
@settings(max_examples=examples(500), deadline=None)
def test_check_parser_reads_or_refuses_any_text(text: str, seed: int) -> None:
    try:
        result = roll_check(read_check(text, NUMBERS), random.Random(seed))
    except InputError as error:
        refusal = error
    else:
        assert result.degree in (SUCCESS, PARTIAL, FAIL)
        assert result.rule.isprintable()
        assert result.text.isprintable()
        return
    assert refusal.what
    assert refusal.todo


# --- the narrative randomizer -----------------------------------------------------------------------


@pytest.mark.parametrize("odds", Odds)
def test_luck_follows_published_odds(odds: Odds) -> None:
    assert sum(ODDS[odds]) == 100
    exact = Counter(luck_degree(face, odds) for face in range(1, 101))
    assert (exact[FAIL], exact[PARTIAL], exact[SUCCESS]) == ODDS[odds]

    rng, throws = random.Random(20_261_121), 4_000
    degree_counts = Counter(roll_check(CheckSpec("", odds=odds), rng).degree for _ in range(throws))
    expected = {
        degree: throws * share / 100
        for degree, share in zip((FAIL, PARTIAL, SUCCESS), ODDS[odds], strict=True)
    }
    chi_squared = sum(
        (degree_counts[degree] - expected_count) ** 2 / expected_count
        for degree, expected_count in expected.items()
    )
    assert chi_squared < 13.82  # two degrees of freedom, one in a thousand


def test_luck_high_faces_are_better() -> None:
    for odds in Odds:
        order = [luck_degree(face, odds) for face in range(1, 101)]
        assert order == sorted(order, key=(FAIL, PARTIAL, SUCCESS).index)


def test_luck_states_why_rules_failed() -> None:
    spec = read_check("might 9; success: Orc.hp -1; partial: Orc.hp -1; fail: Orc.hp -1", NUMBERS)
    result = resolve_by_luck(spec, random.Random(0), "the rules failed")
    assert result.text.startswith("even odds d% [")
    assert result.text.endswith(f" · {result.degree} (the rules failed)")
    assert result.rule.endswith("the rules failed")
    assert [str(e) for e in result.effects] == ["Orc.hp -1"]
    assert (result.target, result.margin) == (None, None)
