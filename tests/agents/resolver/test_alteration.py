"""Alterations: rerolls and picks; fallen faces stay on record."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.resolver.alteration import alter_roll, dice_to_throw_by_hand
from agents.resolver.alteration_parser import read_pick, read_reroll
from agents.resolver.dice import roll_dice, standing_places
from agents.resolver.how_much import roll_amount
from agents.resolver.oracle import Likelihood, ask_oracle
from agents.resolver.random_events import roll_scene_check
from agents.resolver.random_tables import TableLibrary, bundled_tables
from agents.resolver.resolution_requests import (
    Alteration,
    AlterRequest,
    ChanceDraw,
    CheckRequest,
    RollRequest,
)
from agents.resolver.resolver import Resolver
from agents.resolver.sparks import Spark, draw_spark
from stores.errors import InputError
from stores.ports import ResolverLog
from stores.records.canon import StateChange, StateOp
from stores.records.ids import SeededIdGenerator, SteppingClock, derive_id
from stores.records.play import Degree, Resolution, Scene
from stores.records.world import Entity
from tests.agents.resolver.test_resolver import START, FakeLog
from tests.examples import examples

EFFECTS = "might 9; success: Orc.hp -8; partial: Mara.hp -1; fail: Mara.alive = false, Mara +hurt"
TABLES: TableLibrary = bundled_tables()
CHANCES: dict[str, ChanceDraw] = {
    "oracle": lambda rng, faces: ask_oracle(Likelihood.LIKELY, 5, rng, faces),
    "howmuch": lambda rng, faces: roll_amount(rng, faces),
    "start": lambda rng, faces: roll_scene_check(5, rng, faces),
    "spark": lambda rng, faces: draw_spark(TABLES, rng, faces),
    "manners": lambda rng, faces: draw_spark(TABLES, rng, faces, kind="manners"),
}


class RollHarness:
    """A Resolver that seals rolls with given faces, and alters them one turn later each time."""

    def __init__(self, make_entity: Callable[..., Entity]) -> None:
        clock = SteppingClock(START)
        self.log = FakeLog()
        self.resolver = Resolver(cast(ResolverLog, self.log), SeededIdGenerator(1, clock), clock)
        self.people = (
            make_entity("Mara", numbers={"hp": 10, "might": 2}),
            make_entity("Orc", numbers={"hp": 8}),
        )
        self._turns = 0

    def _turn(self) -> dict[str, Any]:
        self._turns += 1
        scene = Scene(
            id=derive_id("scene"),
            story_id=derive_id("story"),
            universe_id=derive_id("universe"),
            order=1,
            title="Yard",
            created_at=START,
        )
        return {
            "scene": scene,
            "turn_id": derive_id("turn", self._turns),
            "seed": self._turns,
            "intent": "I.",
        }

    async def roll(self, spec: str, *faces: int) -> Resolution:
        request = RollRequest(**self._turn(), kind="roll", spec=spec, faces=faces)
        return (await self.resolver.roll(request)).resolution

    async def check(self, spec: str, *faces: int) -> Resolution:
        request = CheckRequest(
            **self._turn(),
            kind="check",
            spec=spec,
            faces=faces,
            player_turn_id=derive_id("words"),
            numbers=self.people[0].numbers,
            entities=self.people,
        )
        return (await self.resolver.check(request)).resolution

    async def draw(self, kind: str, *faces: int) -> Resolution:
        request = RollRequest(
            **self._turn(), kind="spark" if kind == "manners" else kind, spec="likely", faces=faces
        )
        return (await self.resolver.draw(request, CHANCES[kind])).resolution

    async def alter(
        self, old: Resolution, alteration: Alteration, faces: Sequence[int] | None = None
    ) -> Resolution:
        request = AlterRequest(
            **self._turn(),
            spec="",
            original=old,
            alteration=alteration,
            faces=faces,
            chance=CHANCES.get(old.kind),
            player_turn_id=derive_id("words"),
        )
        return (await self.resolver.alter(request)).resolution


@pytest.fixture
def harness(make_entity: Callable[..., Entity]) -> RollHarness:
    return RollHarness(make_entity)


# --- rerolling --------------------------------------------------------------------------------------


async def test_reroll_throws_a_die_again_and_records_it(harness: RollHarness) -> None:
    old = await harness.roll("2d6+1 [leap]", 3, 4)
    new = await harness.alter(old, read_reroll("1", old), [5])
    assert new.text == "2d6+1 [3→5,4]+1 = 10 · leap · by hand · rerolled 3 → 5"
    assert (new.total, new.instead_of, new.altered) == (10, old.turn_id, ("rerolled 3 → 5",))
    assert [(d.face, d.rerolled) for d in new.dice] == [(3, True), (5, False), (4, False)]
    second_reroll = await harness.alter(new, read_reroll("2", new), [1])
    assert second_reroll.text == "2d6+1 [3→5,4→1]+1 = 7 · leap · by hand · rerolled 3 → 5 · rerolled 4 → 1"
    assert (await harness.roll("2d6", 3, 4)).instead_of is None  # and the old one is as it was
    assert harness.log.sealed[old.id] == old


async def test_reroll_of_check_has_effects_of_new_degree(harness: RollHarness) -> None:
    old = await harness.check(EFFECTS, 1, 1)
    assert old.degree is Degree.FAIL
    new = await harness.alter(old, read_reroll("all", old), [6, 6])
    assert (new.degree, new.margin, new.effects) == (Degree.SUCCESS, 5, ("Orc.hp -8",))
    assert new.text.endswith("= 14 vs 9 · success · by hand · rerolled 1 → 6, 1 → 6")
    (proposal,) = [p for p in harness.log.staged.values() if p.turn_id == new.turn_id]
    assert proposal.payload == StateChange(
        entity_id=harness.people[1].id, key="hp", op=StateOp.ADD, value=-8, floor=0
    )
    assert proposal.evidence[0].ref_id == new.id
    assert len([p for p in harness.log.staged.values() if p.turn_id == old.turn_id]) == 2


async def test_reroll_by_seed_is_sealed_once(harness: RollHarness) -> None:
    old = await harness.check("likely; success: Orc.hp -8", 3)
    alteration = read_reroll("", old)
    turn = harness._turn()
    request_fields: dict[str, Any] = {
        "spec": "",
        "original": old,
        "alteration": alteration,
        "player_turn_id": derive_id("words"),
    }
    first = await harness.resolver.alter(AlterRequest(**turn, **request_fields))
    second = await harness.resolver.alter(AlterRequest(**turn, **request_fields))
    assert first == second
    assert first.resolution.by_hand  # the first throw was
    assert first.resolution.altered[0].startswith("rerolled 3 → ")


@pytest.mark.parametrize(
    ("kind", "faces", "typed_text", "new_faces", "text"),
    [
        ("oracle", [37], "", [98], "likely · tension 5 · d100 98 · yes, and · by hand · rerolled 37 → 98"),
        ("oracle", [37], "face 37", [0], "d100 100 · yes, and · by hand · rerolled 37 → 100"),
        ("howmuch", [1, 1, 6], "#3", [2], "how much · 3d6 [1,1,2] = 4 · almost nothing"),
        ("start", [50], "1", [4], "scene check · tension 5 · d100 4 · interrupted"),
        ("spark", [1, 1], "2", [2], "abandon / an accident · by hand · rerolled 1 → 2"),
        ("manners", [1, 1], "2", [2], "apologises for everything"),
    ],
)
async def test_reroll_repeats_draws(
    harness: RollHarness, kind: str, faces: list[int], typed_text: str, new_faces: list[int], text: str
) -> None:
    old = await harness.draw(kind, *faces)
    alteration = read_reroll(typed_text, old)
    new = alter_roll(old, alteration, random.Random(1), new_faces, CHANCES[kind])
    assert text in f"{new.text} · by hand · {new.description}"
    assert [d.face for d in new.dice if d.rerolled] == [faces[alteration.places[0]]]


@pytest.mark.parametrize(
    ("faces", "typed_text", "places"),
    [
        ([5, 4], "2", (1,)),
        ([5, 4], "4", (1,)),
        ([5, 4], "5", (0,)),
        ([5, 4], "1 and 2", (0, 1)),
        ([5, 4], "5, 4", (0, 1)),
        ([5, 4], "all", (0, 1)),
        ([4, 4], "4", (0,)),
        ([4, 4], "4 4", (0, 1)),
        ([2, 1], "#1", (0,)),
        ([2, 1], "die 1", (0,)),
        ([2, 1], "face 1", (1,)),
        ([1, 2], "1 2", (0, 1)),
    ],
)
async def test_reroll_reads_dice_by_number_or_face(
    harness: RollHarness, faces: list[int], typed_text: str, places: tuple[int, ...]
) -> None:
    assert read_reroll(typed_text, await harness.roll("2d6", *faces)).places == places


@pytest.mark.parametrize(
    ("spec", "faces", "typed_text", "complaint"),
    [
        ("2d6", [5, 4], "", r"Which die\?.*1 shows 5, 2 shows 4"),
        ("2d6", [5, 4], "3", "No die shows 3"),
        ("2d6", [5, 4], "#3", "There is no die #?3"),
        ("2d6", [5, 4], "the bad one", "'the bad one' names no die"),
        ("2d6", [2, 1], "1", "Die 1 shows 2, and another die shows 1.*#1.*face 1"),
        ("4dF", [1, 0, 0, 1], "-", r"No die shows -.*1 shows \+"),
        ("4 4", [], "", None),
    ],
)
async def test_reroll_refuses_unknown_dice(
    harness: RollHarness, spec: str, faces: list[int], typed_text: str, complaint: str | None
) -> None:
    if complaint is None:
        old = (await harness.roll("2d6", 1, 2)).model_copy(update={"dice": (), "expression": "7"})
        complaint = "No dice were thrown"
    else:
        old = await harness.roll(spec, *faces)
    with pytest.raises(InputError, match=complaint) as caught:
        read_reroll(typed_text, old)
    assert caught.value.kept


async def test_reroll_reads_fate_dice_by_sign(harness: RollHarness) -> None:
    old = await harness.roll("4dF", 1, 0, -1, 1)
    assert read_reroll("-", old).places == (2,)
    assert (await harness.alter(old, read_reroll("- 0", old), [1, 1])).altered == ("rerolled 0 → +, - → +",)


async def test_reroll_by_hand_asks_for_explosions(harness: RollHarness) -> None:
    old = await harness.roll("2d6!", 1, 2)
    alteration = read_reroll("1", old)
    assert [str(w) for w in dice_to_throw_by_hand(old, alteration, ())] == ["1d6"]
    assert dice_to_throw_by_hand(old, alteration, (6,))[0].reason == "6 explodes"
    assert dice_to_throw_by_hand(old, alteration, (6, 3)) == ()
    with pytest.raises(InputError, match="no face 7"):
        dice_to_throw_by_hand(old, alteration, (7,))


@pytest.mark.parametrize(
    ("update", "complaint"),
    [
        ({"kind": "event"}, "depend on each other"),
        ({"kind": ""}, "earlier version of MONITOR"),
        ({"kind": "check"}, "earlier version of MONITOR"),
    ],
)
async def test_alteration_refuses_events_and_old_rolls(
    harness: RollHarness, update: dict[str, str], complaint: str
) -> None:
    old = (await harness.roll("2d6", 1, 2)).model_copy(update=update)
    for read_alteration in (read_reroll, read_pick):
        with pytest.raises(InputError, match=complaint):
            read_alteration("1", old)


# --- picking ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed_text", "text", "effects"),
    [
        ("success", "2d6+2 [1,2]+2 = 5 vs 9 · success · by hand · picked, rolled fail", ("Orc.hp -8",)),
        ("HIT", "2d6+2 [1,2]+2 = 5 vs 9 · success · by hand · picked, rolled fail", ("Orc.hp -8",)),
        ("partial", "· partial · by hand · picked, rolled fail", ("Mara.hp -1",)),
        ("6 6", "2d6+2 [1→6,2→6]+2 = 14 vs 9 · success · by hand · picked, rolled 1, 2", ("Orc.hp -8",)),
        ("1: 4", "2d6+2 [1→4,2]+2 = 8 vs 9 · partial · by hand · picked, rolled 1", ("Mara.hp -1",)),
        ("die 2 to 5", "[1,2→5]+2 = 8 vs 9 · partial · by hand · picked, rolled 2", ("Mara.hp -1",)),
    ],
)
async def test_pick_changes_result_of_check(
    harness: RollHarness, typed_text: str, text: str, effects: tuple[str, ...]
) -> None:
    old = await harness.check(EFFECTS, 1, 2)
    new = await harness.alter(old, read_pick(typed_text, old))
    assert new.text.endswith(text)
    assert new.effects == effects
    assert new.instead_of == old.turn_id


@pytest.mark.parametrize(
    ("kind", "faces", "typed_text", "text"),
    [
        ("oracle", [37], "yes and", "likely · tension 5 · d100 37 · yes, and · picked, rolled yes, but"),
        ("oracle", [37], "98", "likely · tension 5 · d100 98 · yes, and · picked, rolled 37"),
        ("howmuch", [3, 3, 3], "Overwhelming", "3d6 [3,3,3] = 9 · overwhelming · picked, rolled as expected"),
        ("start", [50], "altered", "d100 50 · altered · picked, rolled as expected"),
        ("spark", [1, 1], "accuse", "d100 2, d100 1 · accuse / an absence · picked, rolled 1"),
        ("manners", [1, 1], "apologises for everything", "d66 12 · apologises for everything · picked"),
    ],
)
async def test_pick_changes_result_of_draw(
    harness: RollHarness, kind: str, faces: list[int], typed_text: str, text: str
) -> None:
    old = await harness.draw(kind, *faces)
    draw_result = CHANCES[kind](random.Random(1), faces)
    alteration = read_pick(typed_text, old, draw_result if isinstance(draw_result, Spark) else None)
    new = alter_roll(old, alteration, random.Random(1), None, CHANCES[kind])
    assert text in f"{new.text} · {new.description}"


async def test_pick_twice_records_both(harness: RollHarness) -> None:
    old = await harness.draw("oracle", 37)
    first = await harness.alter(old, read_pick("no", old))
    with pytest.raises(InputError, match="It is no already"):
        read_pick("no", first)
    second = await harness.alter(first, read_pick("yes", first))
    assert second.text == (
        "likely · tension 5 · d100 37 · yes · by hand · picked, rolled yes, but · picked, rolled no"
    )


@pytest.mark.parametrize(
    ("typed_text", "complaint"),
    [
        ("", "Pick what.*success .* partial .* fail"),
        ("succes", "is no result that this roll can have.*Did you mean success"),
        ("fail", "It is fail already"),
        ("6", "2 dice, and 1 faces"),
        ("7 1", "no face 7"),
        ("3: 1", "no die 3"),
        ("1: 7", "no face 7"),
        ("1 2", "show that already"),
    ],
)
async def test_pick_refuses_impossible_results(harness: RollHarness, typed_text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        read_pick(typed_text, await harness.check(EFFECTS, 1, 2))
    assert caught.value.kept


# --- properties -------------------------------------------------------------------------------------

specs = st.sampled_from(["2d6+1", "4d6kh3", "3d6!", "d20adv+2", "4dF", "d66", "5d10>=7", "2d6r1", "d%"])


@given(specs, st.integers(0, 2**32), st.data())
@settings(max_examples=examples(150), deadline=None)
def test_reroll_keeps_fallen_and_other_dice(spec: str, seed: int, data: st.DataObject) -> None:
    original_roll = roll_dice(spec, random.Random(seed))
    old = Resolution(
        id=derive_id("r"),
        scene_id=derive_id("s"),
        turn_id=derive_id("t"),
        rule="roll",
        kind="roll",
        intent="",
        expression=original_roll.expression,
        dice=original_roll.dice,
        total=original_roll.total,
        text=original_roll.text,
        created_at=START,
    )
    visible_places = standing_places(old.dice)
    number = data.draw(st.integers(1, len(visible_places)))
    alteration = read_reroll(f"#{number}", old)
    new = alter_roll(old, alteration, random.Random(seed + 1))
    other_faces = [d.face for p, d in enumerate(old.dice) if p != alteration.places[0]]
    faces = [d.face for d in new.dice]
    for face in other_faces:  # nothing that fell is lost
        faces.remove(face)
    assert new.dice[alteration.places[0]].rerolled
    assert new.dice[alteration.places[0]].face == old.dice[alteration.places[0]].face
    assert new.description.startswith("rerolled ")


@given(st.text(max_size=30))
@settings(deadline=None)
def test_alteration_parser_reads_or_refuses_any_text(text: str) -> None:
    old = Resolution(
        id=derive_id("r"),
        scene_id=derive_id("s"),
        turn_id=derive_id("t"),
        rule="oracle, likely, tension 5, bend",
        kind="oracle",
        spec="likely",
        intent="",
        dice=ask_oracle(Likelihood.LIKELY, 5, random.Random(1)).dice,
        text=ask_oracle(Likelihood.LIKELY, 5, random.Random(1)).text,
        created_at=START,
    )
    for read_alteration in (read_reroll, read_pick):
        try:
            read_alteration(text, old)
        except InputError as error:
            refusal = error
        else:
            continue
        assert refusal.what
        assert refusal.kept
