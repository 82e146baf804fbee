"""Rolling dice, replacing dice, and scoring from the faces alone."""

from __future__ import annotations

import random
from itertools import zip_longest

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.resolver.dice import dice_in_throw_order, pick_faces, reroll_dice, roll_dice, standing_places
from agents.resolver.dice_faces import DiceToThrow, describe_dice_to_throw, read_faces, read_physical_dice
from agents.resolver.dice_formula import MAX_CHAIN, MAX_DICE, MAX_VALUE
from agents.resolver.dice_parser import parse
from agents.resolver.dice_score import DiceRoll, chains_of, score_roll
from stores.errors import InputError
from stores.records.play import Die
from tests.examples import examples

# --- typed faces make results that can be checked by eye --------------------------------------------


@pytest.mark.parametrize(
    ("expression", "faces", "text"),
    [
        ("2d6+1", [5, 4], "2d6+1 [5,4]+1 = 10"),
        ("2d6", [5, 4], "2d6 [5,4] = 9"),
        ("7", [], "7 = 7"),
        ("d20adv+5", [3, 17], "d20adv+5 [(3),17]+5 = 22"),
        ("d20dis", [3, 17], "d20dis [3,(17)] = 3"),
        ("4d6kh3", [6, 1, 3, 5], "4d6kh3 [6,(1),3,5] = 14"),
        ("4d6dl1", [6, 1, 1, 5], "4d6dl1 [6,1,(1),5] = 12"),
        ("4d6dh1", [6, 1, 3, 5], "4d6dh1 [(6),1,3,5] = 9"),
        ("2d20kl1", [8, 8], "2d20kl1 [8,(8)] = 8"),
        ("4dF+1", [1, -1, 0, 1], "4dF+1 [+,-,0,+]+1 = 2"),
        ("d%", [100], "d% [100] = 100"),
        ("d66", [4, 2], "d66 [4,2] = 42"),
        ("d666", [1, 2, 3], "d666 [1,2,3] = 123"),
        ("2d66", [1, 2, 3, 4], "2d66 [1,2,3,4] = 46"),
        # All dice first; then what those faces ask for, together, in the order of the dice.
        ("2d6!", [6, 3, 6, 2], "2d6! [6!,6!,2,3] = 17"),
        ("3d6!", [6, 4, 6, 1, 6, 5], "3d6! [6!,1,4,6!,6!,5] = 28"),
        ("2d6!>=5", [5, 2, 1], "2d6!>=5 [5!,1,2] = 8"),
        ("2d6!kh1", [6, 5, 2], "2d6!kh1 [6!,2,(5)] = 8"),
        ("2d6!kl1", [6, 5, 2], "2d6!kl1 [(6!,2),5] = 5"),
        ("2d6r1", [1, 5, 1, 4], "2d6r1 [1→1→4,5] = 9"),
        ("2d6ro1", [1, 5, 1], "2d6ro1 [1→1,5] = 6"),
        ("2d6ro<=2!", [6, 5, 1, 2], "2d6ro<=2! [6!,1→2,5] = 13"),
        ("d10+d%", [0, 0], "d10+d% [10]+[100] = 110"),
        ("4d10>=7", [7, 10, 6, 1], "4d10>=7 [7*,10*,6,1] = 2"),
        ("3d10!10>=7", [10, 6, 1, 8], "3d10!10>=7 [10*!,8*,6,1] = 2"),
        ("4d10kh2>=7", [7, 10, 9, 1], "4d10kh2>=7 [(7),10*,9*,(1)] = 2"),
        ("(2d6+1)*2-d4", [5, 4, 3], "(2d6+1)*2-d4 ([5,4]+1)*2-[3] = 17"),
        ("d6/2", [5], "d6/2 [5]/2 = 2"),
        ("-d6/2", [5], "-d6/2 -[5]/2 = -3"),
        ("10/d4", [3], "10/d4 10/[3] = 3"),
    ],
)
def test_dice_roll_text_shows_faces_and_total(expression: str, faces: list[int], text: str) -> None:
    dice_roll = roll_dice(expression, faces=faces)
    assert dice_roll.text == text
    assert len(dice_roll.dice) == len(faces)


def test_dice_roll_keeps_every_face() -> None:
    assert roll_dice("2d6r1!kh1", faces=[1, 3, 6, 2]).dice == (
        Die(sides="6", face=1, dropped=True, rerolled=True),
        Die(sides="6", face=6),
        Die(sides="6", face=2, exploded=True),
        Die(sides="6", face=3, dropped=True),
    )


def test_dice_roll_text_shortens_many_dice() -> None:
    dice_roll = roll_dice("1000d6", random.Random(1))
    assert len(dice_roll.dice) == MAX_DICE
    assert "… 960 more]" in dice_roll.text


def test_dice_roll_keeps_label() -> None:
    assert roll_dice("2d6 [might]", faces=[1, 2]).label == "might"


def test_dice_roll_uses_numbers_by_name() -> None:
    assert roll_dice("2d6+might", faces=[1, 2], numbers_by_name={"might": 3}).text == "2d6+3 [1,2]+3 = 6"


@pytest.mark.parametrize(
    ("expression", "faces", "complaint"),
    [
        ("2d6", [5], "1 face was typed, and 2 dice are thrown"),
        ("2d6", [5, 4, 3], "3 faces were typed, and 2 dice are thrown"),
        ("2d6!", [6, 4, 1, 1], "4 faces were typed, and 3 dice are thrown"),
        ("7", [1], "1 face was typed, and no dice are thrown"),
        ("2d6", [], "still to be thrown: 2d6"),
        ("2d6", [5, 7], "d6 has no face 7"),
        ("2d6", [0, 1], "no face 0"),
        ("4dF", [2, 0, 0, 0], "from -1 to 1"),
        ("d6!", [6], r"still to be thrown: one more d6 \(6 explodes\)"),
    ],
)
def test_dice_roll_refuses_faces_that_do_not_fit(expression: str, faces: list[int], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        roll_dice(expression, faces=faces)


@pytest.mark.parametrize(
    ("text", "faces"),
    [
        ("5 4", (5, 4)),
        ("5,4", (5, 4)),
        ("+ - 0 −", (1, -1, 0, -1)),
        ("+-0−", (1, -1, 0, -1)),
        ("-1; 1", (-1, 1)),
        ("00", (0,)),
        ("", ()),
    ],
)
def test_physical_faces_are_read(text: str, faces: tuple[int, ...]) -> None:
    assert read_faces(text) == faces


@pytest.mark.parametrize(
    ("expression", "faces", "dice_to_throw"),
    [
        ("2d6+d8", [], "2d6 and 1d8"),
        ("d%+4dF+d66", [], "1d100, 4dF and 2d6"),
        ("2d6+1", [5, 4], ""),
        ("7", [], ""),
        ("3d6!", [6, 4, 2], "one more d6 (6 explodes)"),
        ("3d6!", [6, 4, 6], "2 more d6 (6 explodes)"),
        ("3d6!", [6, 4, 6, 1], "one more d6 (6 explodes)"),
        ("3d6!", [6, 4, 6, 1, 6], "one more d6 (6 explodes)"),
        ("2d6r1!", [1, 6], "one more d6 (1 is rerolled) and one more d6 (6 explodes)"),
    ],
)
def test_physical_dice_to_throw_are_described(expression: str, faces: list[int], dice_to_throw: str) -> None:
    assert (
        describe_dice_to_throw(
            read_physical_dice(dice_in_throw_order(parse(expression)), faces).dice_to_throw
        )
        == dice_to_throw
    )


@pytest.mark.parametrize("text", ["5 four", "²", "1e3", "9" * 10, "1 " * (MAX_DICE + 1)])
def test_physical_faces_refuse_other_text(text: str) -> None:
    with pytest.raises(InputError):
        read_faces(text)


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("2d6/0", r"divide by zero \(column 4\)"),
        ("1/(d1-1)", "divide by zero"),
        ("1000000*1000000*2", f"more than {MAX_VALUE:,}"),
        ("1000d6!", "more than 1,000 dice"),
        ("d10000r<=9999", f"thrown {MAX_CHAIN} times"),
        ("d10000!<=9999", f"thrown {MAX_CHAIN} times"),
    ],
)
def test_dice_roll_refuses_to_pass_limits(expression: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        roll_dice(expression, random.Random(3))


def test_dice_roll_needs_generator_or_faces() -> None:
    with pytest.raises(ValueError, match="generator"):
        roll_dice("2d6")


# --- properties -------------------------------------------------------------------------------------


@st.composite
def dice_sets(draw: st.DrawFn) -> str:
    count = draw(st.integers(1, 6))
    sides = draw(st.sampled_from(["4", "6", "10", "20", "%", "F", "66"]))
    text = f"{count}d{sides}"
    if sides == "66":
        return text
    text += draw(st.sampled_from(["", "", "r1", "ro1", "r=1"]))
    text += draw(st.sampled_from(["", "", "!=1", "!"]))
    text += draw(st.sampled_from(["", "", f"kh{draw(st.integers(1, count))}", "kl1", "dl1", "dh"]))
    return text + draw(st.sampled_from(["", "", ">=1", "<4"]))


expressions = st.recursive(
    st.one_of(dice_sets(), st.integers(0, 99).map(str)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
    ),
    max_leaves=6,
)
seeds = st.integers(0, 2**63)


def roll_or_skip(expression: str, seed: int) -> DiceRoll:
    try:
        return roll_dice(expression, random.Random(seed))
    except InputError:
        assume(False)
        raise


def faces_in_throw_order(dice_roll: DiceRoll) -> list[int]:
    """Return the faces in the order in which a player throws them: all dice, then what they ask for."""
    throws = zip_longest(*([die.face for die in chain] for chain in chains_of(dice_roll.dice)))
    return [face for throw in throws for face in throw if face is not None]


@given(expressions, seeds)
@settings(max_examples=examples(200), deadline=None)
def test_physical_dice_asked_step_by_step_give_same_roll(expression: str, seed: int) -> None:
    """Whoever types just what is asked for, each time, ends with the whole roll and no face too many."""
    dice_roll = roll_or_skip(expression, seed)
    throws = dice_in_throw_order(parse(dice_roll.expression))
    fallen, typed_count = faces_in_throw_order(dice_roll), 0
    while dice_to_throw := read_physical_dice(throws, fallen[:typed_count]).dice_to_throw:
        typed_count += sum(one.count for one in dice_to_throw)
    assert typed_count == len(fallen)
    with pytest.raises(InputError, match="typed"):
        read_physical_dice(throws, [*fallen, 1])
    if dice_roll.dice:
        die = throws[0].die
        assert read_physical_dice(throws, ()).dice_to_throw[0] == DiceToThrow(
            read_physical_dice(throws, ()).dice_to_throw[0].count, die
        )
        with pytest.raises(InputError, match="no face"):
            read_physical_dice(throws, [die.high + 1, *fallen[1:]])


@given(st.text(max_size=40))
@settings(deadline=None)
def test_physical_faces_read_or_refuse_any_text(text: str) -> None:
    try:
        faces = read_faces(text)
    except InputError as error:
        refusal = error
    else:
        assert read_faces(" ".join(map(str, faces))) == faces
        return
    assert refusal.kept
    assert refusal.todo


@given(expressions, seeds)
@settings(max_examples=examples(200), deadline=None)
def test_dice_roll_is_restored_from_faces(expression: str, seed: int) -> None:
    dice_roll = roll_or_skip(expression, seed)
    assert dice_roll == roll_dice(expression, random.Random(seed))
    assert dice_roll == score_roll(parse(dice_roll.expression), dice_roll.dice)
    assert dice_roll == roll_dice(dice_roll.expression, faces=faces_in_throw_order(dice_roll))
    assert len(dice_roll.dice) <= MAX_DICE
    assert dice_roll.text.endswith(f"= {dice_roll.total}")


@given(expressions, seeds)
@settings(max_examples=examples(200), deadline=None)
def test_dice_roll_faces_are_on_their_dice(expression: str, seed: int) -> None:
    for die in roll_or_skip(expression, seed).dice:
        low, high = {"F": (-1, 1), "%": (1, 100)}.get(die.sides) or (1, int(die.sides))
        assert low <= die.face <= high
        assert die.dropped or not die.rerolled


@given(
    st.lists(
        st.tuples(
            st.sampled_from("+-"),
            st.integers(1, 8),
            st.integers(1, 100),
            st.sampled_from(["", "kh1", "kl1", "!"]),
        ).filter(lambda term: term[2] not in (1, 66)),
        min_size=1,
        max_size=5,
    ),
    st.integers(-50, 50),
    seeds,
)
@settings(max_examples=examples(200), deadline=None)
def test_dice_total_is_sum_of_counting_dice(
    terms: list[tuple[str, int, int, str]], constant: int, seed: int
) -> None:
    text = "".join(f"{sign}{count}d{sides}{keep}" for sign, count, sides, keep in terms) + f"{constant:+d}"
    dice_roll = roll_dice(text, random.Random(seed))
    fallen = iter([*dice_roll.dice, None])
    die, total = next(fallen), constant
    for sign, count, _, keep in terms:
        faces = []
        for _ in range(count):
            assert die is not None
            assert not die.exploded
            faces.append(die.face)
            while (die := next(fallen)) is not None and die.exploded:
                faces.append(die.face)
        value = {"kh1": max, "kl1": min}.get(keep, sum)(faces)
        total += value if sign == "+" else -value
    assert die is None
    assert dice_roll.total == total


@given(st.integers(1, 10), st.integers(1, 10), seeds)
@settings(deadline=None)
def test_dice_keep_and_drop_are_complements(keep_count: int, drop_count: int, seed: int) -> None:
    count = keep_count + drop_count
    assert (
        roll_dice(f"{count}d20kh{keep_count}", random.Random(seed)).total
        == roll_dice(f"{count}d20dl{drop_count}", random.Random(seed)).total
    )
    assert (
        roll_dice(f"{count}d20kh{keep_count}", random.Random(seed)).total
        + roll_dice(f"{count}d20kl{drop_count}", random.Random(seed)).total
        == roll_dice(f"{count}d20", random.Random(seed)).total
    )


@given(expressions, seeds, st.integers(0, 30))
@settings(max_examples=examples(200), deadline=None)
def test_dice_reroll_keeps_old_face(expression: str, seed: int, die_index: int) -> None:
    dice_roll = roll_or_skip(expression, seed)
    places = [place for place, die in enumerate(dice_roll.dice) if not die.rerolled]
    assume(places)
    index = places[die_index % len(places)]
    try:
        new_roll = reroll_dice(dice_roll, [index], random.Random(seed + 1))
    except InputError:  # the new face divides by zero
        return
    assert new_roll.dice[index].rerolled
    assert new_roll.dice[index].face == dice_roll.dice[index].face
    assert new_roll == score_roll(parse(new_roll.expression), new_roll.dice)


# --- replacing one die ------------------------------------------------------------------------------


def test_dice_reroll_replaces_explosions() -> None:
    dice_roll = roll_dice("2d6!", faces=[6, 2, 4])
    assert dice_roll.total == 12
    new_roll = reroll_dice(dice_roll, [0], random.Random(0))
    new = new_roll.dice[2].face
    assert [die.rerolled for die in new_roll.dice[:2]] == [True, True]
    assert new_roll.text.startswith(f"2d6! [6→4→{new}")


def test_dice_reroll_takes_several_dice() -> None:
    dice_roll = roll_dice("3d6+1", faces=[1, 2, 3])
    new_roll = reroll_dice(dice_roll, [2, 0], faces=[5, 6])
    assert new_roll.text == "3d6+1 [1→5,2,3→6]+1 = 14"
    assert [new_roll.dice[place].face for place in standing_places(new_roll.dice)] == [5, 2, 6]
    # What exploded from a die goes with it, named or not; typed faces may explode in their turn.
    burst = roll_dice("2d6!", faces=[6, 2, 4])
    assert reroll_dice(burst, [1, 0, 2], faces=[6, 1, 3]).text == "2d6! [6→4→6!,3,2→1] = 10"
    assert reroll_dice(burst, [1], faces=[5]).text == "2d6! [6!,4→5,2] = 13"


@pytest.mark.parametrize(("faces", "complaint"), [([], "still"), ([7], "no face 7"), ([1, 2], "typed")])
def test_dice_reroll_refuses_faces_that_do_not_fit(faces: list[int], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        reroll_dice(roll_dice("2d6", faces=[1, 4]), [0], faces=faces)


def test_dice_pick_sets_face_and_shows_fallen_one() -> None:
    assert pick_faces(roll_dice("2d6+1 [leap]", faces=[1, 4]), {0: 6}).text == "2d6+1 [1→6,4]+1 = 11"
    assert pick_faces(roll_dice("2d6+1 [leap]", faces=[1, 4]), {0: 6}).label == "leap"
    assert pick_faces(roll_dice("4d6kh3", faces=[1, 4, 5, 6]), {0: 5}).text == "4d6kh3 [1→5,(4),5,6] = 16"


@pytest.mark.parametrize("index", [-1, 2, 7])
def test_dice_pick_refuses_missing_die(index: int) -> None:
    with pytest.raises(InputError, match="no die"):
        pick_faces(roll_dice("2d6", faces=[1, 4]), {index: 6})


def test_dice_pick_refuses_replaced_die() -> None:
    with pytest.raises(InputError, match="no die"):
        pick_faces(pick_faces(roll_dice("2d6", faces=[1, 4]), {0: 6}), {0: 5})


def test_dice_pick_takes_several_but_no_explosion_with_its_die() -> None:
    assert pick_faces(roll_dice("2d6", faces=[1, 4]), {0: 6, 1: 5}).text == "2d6 [1→6,4→5] = 11"
    with pytest.raises(InputError, match="exploded"):
        pick_faces(roll_dice("d6!", faces=[6, 1]), {0: 6, 1: 5})


def test_dice_pick_refuses_face_not_on_die() -> None:
    with pytest.raises(InputError, match="no face 7"):
        pick_faces(roll_dice("2d6", faces=[1, 4]), {0: 7})


@pytest.mark.parametrize(
    "dice",
    [
        [Die(sides="6", face=1)],
        [Die(sides="6", face=1)] * 3,
        [Die(sides="8", face=1)] * 2,
        [Die(sides="6", face=9)] * 2,
    ],
)
def test_dice_score_refuses_dice_of_other_formula(dice: list[Die]) -> None:
    with pytest.raises(InputError):
        score_roll(parse("2d6"), dice)


# --- chance -----------------------------------------------------------------------------------------


def test_dice_roll_of_seed_never_changes() -> None:
    assert roll_dice("3d6+d20+4dF", random.Random(42)).text == "3d6+d20+4dF [4,1,2]+[5]+[+,+,+,-] = 14"
