"""Dice notation: what is read, its normal spelling, and harmless errors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.resolver.dice import roll_dice
from agents.resolver.dice_formula import MAX_DEPTH, MAX_DICE, MAX_LENGTH, MAX_NUMBER, MAX_SIDES
from agents.resolver.dice_parser import parse
from stores.errors import InputError
from tests.examples import examples

NOTATION = "0123456789dDkKhlroF%!<>=+-*/()[]# advis²½٣－×÷"


@pytest.mark.parametrize(
    ("typed_text", "normal"),
    [
        ("2d6+1", "2d6+1"),
        (" 2 D6", None),
        ("2D6 + 1", "2d6+1"),
        ("1d20", "d20"),
        ("d%", "d%"),
        ("d100", "d100"),
        ("4df", "4dF"),
        ("d66", "d66"),
        ("2d666", "2d666"),
        ("4d6kh3", "4d6kh3"),
        ("4d6k3", "4d6kh3"),
        ("2d20kl", "2d20kl1"),
        ("4d6 dl 1", "4d6dl1"),
        ("4d6dh", "4d6dh1"),
        ("d20adv+5", "d20adv+5"),
        ("d20 advantage", "d20adv"),
        ("1d20DIS", "d20dis"),
        ("3d6!", "3d6!"),
        ("3d6!6", "3d6!"),
        ("3d6!>=5", "3d6!>=5"),
        ("3d6!-1", "3d6!-1"),
        ("4d6r1", "4d6r1"),
        ("4d6ro1", "4d6ro1"),
        ("4d6r<=2", "4d6r<=2"),
        ("4dFr=-1", "4dFr=-1"),
        ("4dFr=-1kh2-1", "4dFr=-1kh2-1"),
        ("4dFkh3", "4dFkh3"),
        ("8d10>=7", "8d10>=7"),
        ("8d10!10>=7", "8d10!10>=7"),
        ("8d10 kh5 !10 r1 > 6", "8d10r1!10kh5>6"),
        ("8d10=10", "8d10=10"),
        ("2d6*2-10/3", "2d6*2-10/3"),
        ("2d6×2÷3", "2d6*2/3"),
        ("(2d6+1)*-2", "(2d6+1)*-2"),
        ("2d6+-1", "2d6-1"),
        ("2d6 − −1", "2d6+1"),
        ("-d4", "-d4"),
        ("+5", "5"),
        ("007", "7"),
    ],
)
def test_dice_parser_normalizes_spelling(typed_text: str, normal: str | None) -> None:
    if normal is None:
        with pytest.raises(InputError):
            parse(typed_text)
    else:
        assert str(parse(typed_text)) == normal


@pytest.mark.parametrize(
    ("typed_text", "label"),
    [
        ("2d6+1 [might]", "might"),
        ("2d6 # a leap  over the pit", "a leap over the pit"),
        ("2d6[]", ""),
        ("2d6 [red\x1b[31m]", None),
        ("2d6 # red\x1b[31m", "red [31m"),
    ],
)
def test_dice_parser_reads_labels(typed_text: str, label: str | None) -> None:
    if label is None:
        with pytest.raises(InputError):
            parse(typed_text)
    else:
        assert parse(typed_text).label == label


def test_dice_parser_reads_numbers_by_name() -> None:
    names = {"Might": 2, "might of arms": 5, "fear": -3}
    assert str(parse("2d6+MIGHT", names)) == "2d6+2"
    assert str(parse("2d6+might of arms", names)) == "2d6+5"
    assert str(parse("2d6+fear", names)) == "2d6-3"
    with pytest.raises(InputError, match="'mighty'"):
        parse("2d6+mighty", names)


@pytest.mark.parametrize(
    ("typed_text", "complaint"),
    [
        ("", "no dice"),
        ("   ", "no dice"),
        ("2d6+", r"stops short \(column 5\)"),
        ("2d6+x", r"not 'x' \(column 5\)"),
        ("2d6 vs 8", r"not 'vs' \(column 5\)"),
        ("(2d6", "not closed"),
        ("2d6)", r"not '\)' \(column 4\)"),
        ("0d6", "at least one die"),
        ("d0", "1 to 10,000 sides"),
        (f"d{MAX_SIDES + 1}", "1 to 10,000 sides, not 10,001"),
        (f"{MAX_DICE + 1}d6", "at most 1,000 dice"),
        ("600d6+401d6", r"not 1,001 \(column 7\)"),
        ("501d66", "not 1,002"),
        ("9" * 150 + "d6", "as many as that"),
        (f"2d6+{MAX_NUMBER + 1}", "up to 1,000,000"),
        ("d6>=9999999", "up to 1,000,000"),
        ("1+" * MAX_LENGTH + "1", "at most 200 characters"),
        ("(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1), "20 deep"),
        ("-" * (MAX_DEPTH + 1) + "1", "20 deep"),
        ("d1!", "for ever"),
        ("d6!>=1", "for ever"),
        ("d6r<=6", "for ever"),
        ("2d6r", "which faces"),
        ("8d10>=", "needs a number"),
        ("4d6kh5", "5 of 4 dice cannot be kept"),
        ("4d6kh0", "cannot be kept"),
        ("2d6dl2", "2 of 2 dice cannot be dropped"),
        ("4d6kh3kl1", "in one way only"),
        ("d6!!", "explode in one way only"),
        ("d6r1r2", "reroll in one way only"),
        ("d6>=2>=3", "count successes in one way only"),
        ("2d20adv", "for one die"),
        ("d20advdis", "in one way only"),
        ("d66kh1", "digit by digit"),
        ("²d6", "expected a number or dice"),
        ("__import__('os').system('x')", "expected a number or dice"),
    ],
)
def test_dice_parser_errors_name_fault_and_column(typed_text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        parse(typed_text)
    assert caught.value.kept == "Nothing was rolled."
    assert "2d6+1" in caught.value.todo


@given(st.one_of(st.text(max_size=250), st.text(alphabet=NOTATION, max_size=60)))
@settings(max_examples=examples(500), deadline=None)
def test_dice_parser_reads_or_refuses_any_text(text: str) -> None:
    try:
        formula = parse(text, {"might": 2})
    except InputError as error:
        refusal = error
    else:
        assert str(parse(str(formula))) == str(formula)
        return
    assert refusal.what
    assert refusal.todo


def test_dice_beat_challenge_dice_that_are_lower() -> None:
    """A tie goes to the challenge."""
    assert roll_dice("d6+3 beats 2d10", faces=(4, 6, 7)).text == "d6+3 beats 2d10 [4]+3 beats [6,7] = 1"
    assert roll_dice("d6+3 beats 2d10", faces=(6, 1, 8)).total == 2
    assert str(parse("(d6 + 3)  BEATS 2d10")) == "(d6+3) beats 2d10"


@pytest.mark.parametrize("text", ["d6 beats", "d6 beats 5", "d6 beats d66"])
def test_dice_refuse_to_beat_what_are_no_dice(text: str) -> None:
    with pytest.raises(InputError, match="dice should stand here, as in d6"):
        parse(text)
