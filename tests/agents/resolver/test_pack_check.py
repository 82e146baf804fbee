"""Checks by a rule pack: text, rule, effects and faults."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.resolver.check import CheckResult, roll_check
from agents.resolver.check import read_check as generic
from agents.resolver.pack_check import read_pack_check
from agents.resolver.ruleset_schema import Pack
from agents.resolver.rulesets import load_bundled_packs, read_pack
from agents.resolver.sheets import NewSheet, Sheet, new_sheet, numbers_of
from stores.errors import InputError
from stores.records.play import Degree
from stores.records.world import Entity
from tests.examples import examples

PACKS = load_bundled_packs().packs
TWOS, TWENTY, TELLING = PACKS["lantern_twos"], PACKS["hard_twenty"], PACKS["plain_telling"]
MARA = NewSheet("Mara", numbers={"might": 1, "Nerve": 2, "hp": 7.5, "harm": 6, "doom": float("inf")})
HURT = NewSheet("Mara", numbers={"might": 1}, tags=("Hurt", "shaken", "half-deaf"))
SUCCESS, PARTIAL, FAIL = Degree.SUCCESS, Degree.PARTIAL, Degree.FAIL


def resolve_check(
    pack: Pack, typed_text: str, sheet: Sheet, rng: random.Random, faces: Iterable[int] | None = None
) -> CheckResult:
    return roll_check(read_pack_check(pack, typed_text, sheet), rng, faces)


def effects(pack: Pack, typed_text: str, faces: Iterable[int], sheet: NewSheet = MARA) -> list[str]:
    return [str(e) for e in resolve_check(pack, typed_text, sheet, random.Random(0), faces).effects]


# --- text and rule -----------------------------------------------------------------------------------

BANDS = ", partial within 3"


@pytest.mark.parametrize(
    ("pack", "typed_text", "faces", "text", "rule"),
    [
        (TWOS, "might", [5, 4], "2d6+1 [5,4]+1 = 10 vs 10 · success · It works.", "check with might vs 10"),
        (TWOS, "MIGHT +1", [4, 1], "2d6+1+1 [4,1]+1+1 = 7 vs 10 · partial", "check with might, +1 vs 10"),
        (TWOS, "might+1", [4, 1], "2d6+1+1 [4,1]+1+1 = 7 vs 10 · partial", "check with might, +1 vs 10"),
        (TWOS, "might −1", [4, 4], "2d6+1-1 [4,4]+1-1 = 8 vs 10 · partial", "check with might, -1 vs 10"),
        (TWOS, "nerve 12", [6, 4], "2d6+2 [6,4]+2 = 12 vs 12 · success", "check with nerve vs 12"),
        (TWOS, "hp vs 12", [1, 1], "2d6+7 [1,1]+7 = 9 vs 12 · partial", "check with hp vs 12"),
        (TWOS, "", [1, 1], "2d6+0 [1,1]+0 = 2 vs 10 · fail", "check vs 10"),
        (TWOS, "vs 2", [1, 1], "2d6+0 [1,1]+0 = 2 vs 2 · success", "check vs 2"),
        (TWOS, "stand firm", [4, 4], "2d6+2 [4,4]+2 = 10 vs 10", "stand firm with nerve vs 10"),
        (TWOS, "STAND  FIRM adv", [1, 4, 4], "3d6kh2+2 [(1),4,4]+2 = 10", "stand firm with nerve, advantage"),
        (TWOS, "might dis", [6, 6, 1], "3d6kl2+1 [6,(6),1]+1 = 8 vs 10", "check with might, disadvantage vs"),
        (TWOS, "might adv dis", [6, 6], "2d6+1 [6,6]+1", "check with might, advantage, disadvantage vs 10"),
        (
            TWOS,
            "strike Orc",
            [6, 6],
            "2d6+1 [6,6]+1 = 13 vs 10 · success · A clean blow.",
            "strike with might",
        ),
        (TWOS, 'strike "Old Tam +1" vs 12 +2', [6, 6], "2d6+1+2 [6,6]+1+2 = 15 vs 12", "might, +2 vs 12"),
        (TWENTY, "strike Orc vs 15", [14], "d20+1 [14]+1 = 15 vs 15 · success · A hit.", "strike with might"),
        (TWENTY, "notice", [11], "d20+0 [11]+0 = 11 vs 12 · fail", "notice with wits vs 12"),
        (TWENTY, "max hp 13", [1], "d20+12 [1]+12 = 13 vs 13 · success", "check with max hp vs 13"),
        (TWENTY, "max_hp 13", [1], "d20+12 [1]+12 = 13 vs 13 · success", "check with max hp vs 13"),
        (
            TWENTY,
            "cling",
            [6],
            "d20 [6] = 6 vs 11 · partial · Still breathing.",
            "cling vs 11, partial within 5",
        ),
        (TELLING, "", [36], "even odds d% [36] = 36 · partial", "check, even odds"),
        (TELLING, "likely", [36], "likely odds d% [36] = 36 · partial", "check, likely odds"),
        (TELLING, "risk unlikely", [36], "unlikely odds d% [36] = 36 · fail", "risk, unlikely odds"),
        (TELLING, "dare +1", [66], "even odds d% [66] = 66 · success", "dare, +1, even odds"),
        (TELLING, "press +2", [41], "likely odds d% [41] = 41 · success", "press, +2, likely odds"),
    ],
)
def test_pack_check_has_text_and_rule(
    pack: Pack, typed_text: str, faces: list[int], text: str, rule: str
) -> None:
    result = resolve_check(pack, typed_text, MARA, random.Random(0), faces)
    assert result.text.startswith(text)
    assert result.rule.startswith(f"{pack.name}: ")
    assert rule in result.rule


def test_pack_check_rule_names_all_modifiers() -> None:
    result = resolve_check(TWOS, "strike Orc +2 adv", HURT, random.Random(0), [6, 1, 1])
    assert result.rule == (
        "Lantern Twos: strike with might, hurt -1, shaken -1, +2, advantage vs 10, partial within 3"
    )
    assert result.text.startswith("3d6kh2+1 [6,1,(1)]+1 = 8 vs 10 · partial")
    assert (result.target, result.margin, result.degree) == (10, -2, PARTIAL)


@pytest.mark.parametrize(
    "typed_text",
    ["2d6+1 vs 8", "2d6 + 1 +2 vs 9", "d20+might vs 15; success: Orc.hp -8", "8d10>=7 vs 3", "4dF vs -2"],
)
@pytest.mark.parametrize("pack", [TWOS, TWENTY])
def test_pack_check_reads_generic_check(pack: Pack, typed_text: str) -> None:
    spec = read_pack_check(pack, typed_text, MARA)
    assert spec == generic(typed_text, numbers_of(pack, MARA))
    assert bool(spec.all_effects()) is ("Orc" in typed_text)


def test_pack_check_reads_plain_luck() -> None:
    result = resolve_check(TWENTY, "likely; fail: Mara +lost", MARA, random.Random(0), [1])
    assert (result.rule, [str(e) for e in result.effects]) == (
        "narrative randomizer, likely odds",
        ["Mara +lost"],
    )


# --- effects and odds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pack", "typed_text", "faces", "expected_effects"),
    [
        (TWOS, "strike Orc", [5, 4], ["Orc.hp -4"]),
        (TWOS, "strike Orc", [4, 4], ["Orc.hp -3", "Mara.hp -2"]),
        (TWOS, "strike @Orc", [1, 1], ["Mara.hp -3"]),
        (TWOS, "strike", [4, 4], ["Mara.hp -2"]),
        (TWOS, "strike Orc; hit: Orc +stunned", [5, 4], ["Orc +stunned"]),
        (TWOS, "strike Orc; partial:", [4, 4], []),
        (TWOS, "strike Orc; fail: Mara +lost", [5, 4], ["Orc.hp -4"]),
        (TWOS, 'strike "The Captain, drunk"', [5, 4], ['"The Captain, drunk".hp -4']),
        (TWENTY, "strike Orc", [20], ["Orc.hp -6"]),
        (TWENTY, "smite Orc", [20], ["Orc.hp -6", "Orc.hp -6"]),
        (TWENTY, "cling", [20], ["Mara -dying", "Mara.hp = 1"]),
        (TELLING, "fight Orc", [50], ["Orc +hurt", "Mara +hurt"]),
        (TELLING, "fight", [50], ["Mara +hurt"]),
    ],
)
def test_pack_check_suggests_effects_of_degree(
    pack: Pack, typed_text: str, faces: list[int], expected_effects: list[str]
) -> None:
    assert effects(pack, typed_text, faces) == expected_effects


def test_pack_check_never_reads_name_as_effect() -> None:
    villain = "X.hp +99, Mara.alive = false"
    spec = read_pack_check(TWOS, f"strike {villain}", NewSheet('"; {target}.hp = 0', numbers={}))
    assert {e.name for e in spec.all_effects()} == {villain, '"; {target}.hp = 0'}
    assert "{target}" not in spec.says[PARTIAL]


def test_pack_check_effect_keeps_sign_of_number() -> None:
    weak = NewSheet("Mara", numbers={"harm": -2})
    assert effects(TWENTY, "strike Orc vs 1", [20], weak) == ["Orc.hp +2"]


def test_pack_check_low_may_win() -> None:
    pack = read_pack(
        """{id: low, name: Low, version: 1, licence: x, attribution: x, summary: x,
        numbers: [{key: stealth, meaning: x, default: 40}],
        check: {dice: d100, vs: "{number}", wins: low, partial_within: 10}}"""
    )
    sheet = new_sheet(pack, "Mara")
    degrees = {
        face: resolve_check(pack, "stealth", sheet, random.Random(0), [face]).degree
        for face in (1, 40, 50, 51)
    }
    assert degrees == {1: SUCCESS, 40: SUCCESS, 50: PARTIAL, 51: FAIL}
    helped = resolve_check(pack, "stealth +20", sheet, random.Random(0), [60])
    assert (helped.roll.total, helped.margin, helped.degree) == (40, 0, SUCCESS)
    assert helped.rule == "Low: check with stealth, +20 vs 40, partial within 10, low wins"


def test_pack_check_number_may_be_dice_pool() -> None:
    pack = read_pack(
        """{id: pool, name: Pool, version: 1, licence: x, attribution: x, summary: x,
        numbers: [{key: nerve, meaning: x, default: 3}], check: {dice: "{number}d6>=5", vs: 1}}"""
    )
    sheet = new_sheet(pack, "Mara")
    assert resolve_check(pack, "nerve", sheet, random.Random(0), [5, 1, 6]).text.startswith(
        "3d6>=5 [5*,1,6*] = 2 vs 1"
    )
    with pytest.raises(InputError, match="at least one die"):
        resolve_check(pack, "", sheet, random.Random(0))


def odds(pack: Pack, sides: int, dice: int, bonus: int) -> Counter[Degree]:
    spec = read_pack_check(pack, f"+{bonus}" if bonus else "", NewSheet("Mara"))
    rng = random.Random(0)
    return Counter(roll_check(spec, rng, faces).degree for faces in product(range(1, sides + 1), repeat=dice))


def test_pack_check_bundled_packs_have_expected_odds() -> None:
    """Of 36 throws of two dice, 6 come to 10 or more and 15 to 7, 8 or 9; of 20 faces, 9 reach 12."""
    assert odds(TWOS, 6, 2, 0) == {SUCCESS: 6, PARTIAL: 15, FAIL: 15}
    assert odds(TWOS, 6, 2, 2) == {SUCCESS: 15, PARTIAL: 15, FAIL: 6}
    assert odds(TWENTY, 20, 1, 0) == {SUCCESS: 9, FAIL: 11}
    assert odds(TELLING, 100, 1, 0) == {SUCCESS: 35, PARTIAL: 30, FAIL: 35}


@pytest.mark.parametrize("pack", PACKS.values(), ids=str)
def test_pack_check_rolls_every_bundled_move(pack: Pack) -> None:
    for sheet in (new_sheet(pack, "Mara"), NewSheet("Orc", is_pc=False)):
        for move in pack.moves:
            for seed in range(20):
                result = resolve_check(pack, f"{move.key} Foe", sheet, random.Random(seed))
                assert "{" not in result.text
                assert {e.name for e in result.effects} <= {sheet.name, "Foe"}
                assert result.rule.isprintable()


# --- faults --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pack", "typed_text", "complaint"),
    [
        (TWOS, "striek", "Lantern Twos has no move or number called 'striek'.*Did you mean strike"),
        (TWOS, "xyzzy", "There is: strike, shoot, .* stand firm, .*might, wits, nerve, hp, light"),
        (TWOS, "strike Orc likely", "rolled with dice"),
        (TWOS, "strike +1 +2", "'.1' sets something that is set already"),
        (TWOS, "strike vs 8 vs 9", "set already"),
        (TWOS, "might vs", "After vs comes the number to reach, not ''"),
        (TWOS, "strike Orc vs", "After vs comes the number to reach, not ''"),
        (TWOS, "strike vs ten adv", "After vs comes the number to reach, not 'ten'"),
        (TWOS, "might 8 vs 9", "'8' sets something that is set already"),
        (TWENTY, "cling adv", "knows no advantage"),
        (TWENTY, "doom", "doom is no number that can be rolled with"),
        (TELLING, "risk vs 9", "check by odds"),
        (TELLING, "risk adv", "check by odds"),
        (TELLING, "9", "check by odds"),
        (TWOS, "strike; often: Orc.hp -1", "'often' is no degree"),
        (TWOS, "strike; Orc", "not an effect"),
        (TWOS, '"strike', "not closed"),
        (TWOS, "2d6+", "stops short"),
        (TWOS, "d20", "does not say what to reach"),
        (TWOS, "x" * 1001, "at most 1,000"),
    ],
)
def test_pack_check_names_faults(pack: Pack, typed_text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        read_pack_check(pack, typed_text, MARA)
    assert caught.value.kept
    assert caught.value.todo


@given(
    st.sampled_from(list(PACKS.values())),
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet='strike might 0123456789d+-vs;:.,Orc"=adv{}', max_size=60),
        st.tuples(st.sampled_from(["strike ", "dare ", "might", "; "]), st.text(max_size=30)).map("".join),
    ),
    st.sampled_from([MARA, HURT, NewSheet()]),
    st.integers(),
)
@settings(max_examples=examples(500), deadline=None)
def test_pack_check_reads_or_refuses_any_text(
    pack: Pack, typed_text: str, sheet: NewSheet, seed: int
) -> None:
    try:
        result = resolve_check(pack, typed_text, sheet, random.Random(seed))
    except InputError as error:
        refusal = error
    else:
        assert result.degree in (SUCCESS, PARTIAL, FAIL)
        assert result.rule.isprintable()
        assert result.text.isprintable()
        assert resolve_check(pack, typed_text, sheet, random.Random(seed)) == result
        return
    assert refusal.what
    assert refusal.todo


# --- entities ---------------------------------------------------------------------


def test_pack_check_accepts_entity_as_sheet(make_entity: Callable[..., Entity]) -> None:
    mara = make_entity("Mara", numbers={"Might": 3}, is_pc=True)
    assert resolve_check(TWOS, "strike Orc", mara, random.Random(0), [4, 3]).degree is SUCCESS
