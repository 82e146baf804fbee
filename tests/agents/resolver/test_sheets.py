"""Sheets: defaults, lines, crossings and rests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.proposals.effects import Effect
from agents.resolver.ruleset_schema import Pack
from agents.resolver.rulesets import load_bundled_packs
from agents.resolver.sheets import (
    Load,
    NewSheet,
    build_sheet,
    find_crossings,
    new_sheet,
    read_load,
    sheet_lines,
    suggestions_at_ends,
    take_advance,
    take_rest,
)
from agents.resolver.working_state import apply_state_change, fold_changes
from agents.views.scene_views import CastMember
from stores.errors import InputError
from stores.records.canon import StateChange, StateOp
from stores.records.world import Entity

PACKS = load_bundled_packs().packs
TWOS, TWENTY, TELLING = PACKS["lantern_twos"], PACKS["hard_twenty"], PACKS["plain_telling"]


def sheet(name: str = "Mara", *tags: str, is_pc: bool = True, **numbers: Any) -> NewSheet:
    return NewSheet(name, is_pc, numbers, tags)


def shown(pack: Pack, of: NewSheet) -> list[str]:
    return [f"{line.label} {line.value}".strip() for line in sheet_lines(pack, of)]


def written(effects: tuple[Effect, ...]) -> list[str]:
    return [str(effect) for effect in effects]


# --- showing ----------------------------------------------------------------------------------------


def test_new_sheet_has_defaults() -> None:
    assert new_sheet(TWENTY, "Mara").numbers == {
        "might": 0,
        "grace": 0,
        "wits": 0,
        "nerve": 0,
        "harm": 4,
        "max_hp": 12,
        "hp": 12,
        "provisions": 5,
    }
    assert new_sheet(TELLING, "Mara") == NewSheet("Mara")


def test_sheet_lines_follow_order_of_pack() -> None:
    mara = sheet("Mara", "half-deaf", "Starving", "wounded", nerve=2, HP=7, cracks=2, max_hp=14, harm=2.5)
    assert shown(TWENTY, mara) == [
        "might 0",
        "grace 0",
        "wits 0",
        "nerve 2",
        "harm 2.5",
        "HP 7/14",
        "provisions 5/5",
        "cracks 2",
        "wounded",
        "starving",
        "half-deaf",
    ]
    lines = {line.label: line for line in sheet_lines(TWENTY, mara)}
    assert (lines["HP"].kind, lines["HP"].meaning) == ("track", "Hit points")
    assert (lines["half-deaf"].kind, lines["half-deaf"].meaning) == ("tag", "")


def test_sheet_lines_accept_entities_and_cast_members(make_entity: Callable[..., Entity]) -> None:
    entity = make_entity("Mara", numbers={"hp": 3})
    member = CastMember(entity.id, "Mara", False, {"hp": 3})
    assert sheet_lines(TWOS, entity) == sheet_lines(TWOS, member)


@given(st.dictionaries(st.sampled_from(["hp", "max_hp", "x", "harm"]), st.integers() | st.floats()))
def test_sheet_lines_show_any_numbers(numbers: dict[str, int | float]) -> None:
    lines = sheet_lines(TWENTY, NewSheet("Mara", numbers=numbers))
    assert len({line.label for line in lines}) == len(lines)


# --- zero -------------------------------------------------------------------------------------------


def test_sheet_crossing_differs_for_player_character() -> None:
    (pc,) = find_crossings(TWENTY, sheet(hp=3), sheet(hp=-1))
    assert (pc.cause, written(pc.effects)) == ("HP is at -1", ["Mara +dying"])
    assert pc.says.startswith("Mara is down and dying.")
    (orc,) = find_crossings(TWENTY, sheet("Orc", hp=3, is_pc=False), sheet("Orc", hp=0, is_pc=False))
    assert (orc.says, written(orc.effects)) == ("Orc is slain.", ["Orc.alive = false"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"hp": 3}, {"hp": 1}),
        ({"hp": 0}, {"hp": -3}),
        ({"hp": 0}, {"hp": 3}),
        ({}, {"hp": -8}),
        ({"cracks": 1}, {"cracks": 0}),
        ({"might": 1}, {"might": 0}),
    ],
)
def test_sheet_crossing_needs_existing_number_to_fall(before: dict[str, int], after: dict[str, int]) -> None:
    assert find_crossings(TWENTY, NewSheet("Mara", numbers=before), NewSheet("Mara", numbers=after)) == ()


def test_sheet_crossing_reports_full_track() -> None:
    pack = TWENTY.model_copy(
        update={"tracks": (TWENTY.tracks[1].model_copy(update={"at_full": TWENTY.tracks[1].at_zero}),)}
    )
    (full,) = find_crossings(pack, sheet(provisions=4), sheet(provisions=6))
    assert full.cause == "provisions is at 5"
    assert find_crossings(pack, sheet(provisions=5), sheet(provisions=6)) == ()


# --- rest -------------------------------------------------------------------------------------------


def test_rest_recovers_up_to_maximum() -> None:
    night = take_rest(TWOS, "Night", sheet("Mara", "hurt", hp=7))
    assert (night.minutes, written(night.effects)) == (480, ["Mara.hp +3", "Mara -hurt"])
    assert written(take_rest(TWOS, "night", sheet(hp=10)).effects) == []
    assert written(take_rest(TWOS, "night", sheet(hp=14)).effects) == []
    assert written(take_rest(TWENTY, "long", sheet(hp=2, max_hp=9, provisions=0)).effects) == ["Mara.hp = 9"]
    assert written(take_rest(TWENTY, "long", sheet(hp=9, max_hp=9, provisions=2)).effects) == [
        "Mara.provisions -1"
    ]


def test_rest_refuses_unknown_name() -> None:
    with pytest.raises(InputError, match=r"Lantern Twos has no rest called 'nite'.*Did you mean night"):
        take_rest(TWOS, "nite", sheet())
    with pytest.raises(InputError, match="There is: short, long, restock"):
        take_rest(TWENTY, "xx", sheet())


@given(st.sampled_from([(p, r.key) for p in (TWOS, TWENTY) for r in p.rests]), st.integers(-5, 30))
def test_rest_stays_within_limits(pack_and_rest: tuple[Pack, str], hp: int) -> None:
    pack, key = pack_and_rest
    top = new_sheet(pack).numbers["hp"]
    for effect in take_rest(pack, key, sheet(hp=hp)).effects:
        if effect.key == "hp":
            assert isinstance(effect.value, int)
            after = effect.value if effect.op is StateOp.SET else hp + effect.value
            assert hp < after <= top or after == top < hp


def test_sheet_crossing_reads_working_state(make_entity: Callable[..., Entity]) -> None:
    entity = make_entity("Mara", numbers={"hp": 3}, is_pc=True)
    before = fold_changes(entity, ())
    hit = StateChange(entity_id=entity.id, key="hp", op=StateOp.ADD, value=-5)
    after = apply_state_change(before, hit)
    (down,) = find_crossings(
        TWOS,
        NewSheet(entity.name, True, before.numbers, before.tags),
        NewSheet(entity.name, True, after.numbers, after.tags),
    )
    assert written(down.effects) == ["Mara +down"]


def test_build_sheet_adds_defaults_of_pack() -> None:
    sheet = build_sheet(TWENTY, "Aldric", {"Might": 3, "max_hp": 20, "luck": 1}, ("Wounded", "lame"))
    assert sheet.numbers == {
        "might": 3, "grace": 0, "wits": 0, "nerve": 0, "harm": 4, "max_hp": 20,
        "hp": 20, "provisions": 5, "luck": 1,
    }  # fmt: skip
    assert sheet.tags == ("Wounded", "lame")
    assert build_sheet(TWENTY, "Aldric", {"hp": 3}, ()).numbers["hp"] == 3
    assert build_sheet(TWENTY, "", {}, ()) == new_sheet(TWENTY)


def test_sheet_suggestions_for_numbers_at_limits() -> None:
    down = NewSheet("Mara", numbers={"hp": 0, "provisions": 2})
    (suggestion,) = suggestions_at_ends(TWENTY, down)
    assert (suggestion.cause, [str(e) for e in suggestion.effects]) == ("HP is at 0", ["Mara +dying"])
    (suggestion,) = suggestions_at_ends(TWENTY, NewSheet("Mara", numbers={"hp": 0}, tags=("Dying",)))
    assert suggestion.effects == ()
    assert suggestions_at_ends(TWENTY, NewSheet("Mara", numbers={})) == ()


def test_sheet_lines_have_limits_and_own_flag() -> None:
    lines = {line.key: line for line in sheet_lines(TWENTY, NewSheet("Mara", numbers={"HP": 3}), whole=True)}
    assert (lines["HP"].number, lines["HP"].low, lines["HP"].high, lines["HP"].own) == (3, 0, 12, True)
    assert (lines["might"].number, lines["might"].low, lines["might"].own) == (0, -3, False)
    assert "max_hp" in lines
    plain = sheet_lines(None, NewSheet("Mara", numbers={"hp": 3}, tags=("wet",)))
    assert [line.value for line in plain] == ["3", ""]


# --- gear and advancement -----------------------------------------------------------------------------

KEEP, ROAD = PACKS["under_keep"], PACKS["road_and_oath"]


def test_gear_stands_last_and_its_slots_are_counted() -> None:
    sheet = build_sheet(KEEP, "Mara", {"str": 9}, ["chain mail", "poisoned", "sword"])
    assert [line.label for line in sheet_lines(KEEP, sheet) if line.kind == "tag"] == [
        "poisoned",
        "backpack",
        "sword",
        "chain mail",
    ]
    assert read_load(KEEP, sheet) == Load(5, 9)


def test_advance_takes_its_cost_and_gives_what_it_bought() -> None:
    sheet = build_sheet(ROAD, "Mara", {"might": 2, "xp": 5}, [])
    assert [str(effect) for effect in take_advance(ROAD, "stronger", sheet)] == [
        "Mara.xp -4",
        "Mara.might +1",
    ]


@pytest.mark.parametrize(
    ("numbers", "step", "reason"),
    [
        ({"xp": 2}, "stronger", "stronger costs 3 XP, and Mara has 2"),
        ({"xp": 9, "might": 4}, "stronger", "changes nothing any more: Mara is at the most"),
        ({"xp": 9}, "stornger", "no advance called 'stornger'.*Did you mean stronger"),
    ],
)
def test_advance_that_cannot_be_is_refused(numbers: dict[str, int], step: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        take_advance(ROAD, step, build_sheet(ROAD, "Mara", numbers, []))
