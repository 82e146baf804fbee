"""Lanes of the timeline: whose, with which marks; and an axis on which every mark has its column."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.diagrams.timeline_lanes import (
    AxisUnit,
    Lane,
    LaneGroup,
    LanesInput,
    Mark,
    MarkKind,
    build_axis,
    build_lanes,
    find_column,
)
from stores.records.canon import Fact, FactKind, FactStatus, Involvement
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.story_journal import Thread
from stores.records.world import Calendar, EntityKind, Month, Moon, NamedDay
from tests.agents.diagrams.world_records import AT, WORLD, entity

DAY = 1440
CALENDAR = Calendar(
    months=(Month(name="Frost", days=30), Month(name="Thaw", days=30)),
    moons=(Moon(name="the moon", cycle_days=28, full_on=2),),
    named_days=(NamedDay(name="the thaw", day=31),),
)


def fact(statement: str, kind: FactKind, tick: int | None, *people: str, **fields: object) -> Fact:
    roles = ("subject", "object")
    return Fact.model_validate(
        {
            "id": statement,
            "universe_id": WORLD,
            "kind": kind,
            "predicate": "happened",
            "statement": statement,
            "involves": [Involvement(role=r, entity_id=p) for r, p in zip(roles, people, strict=False)],
            "valid_from": tick,
            "recorded_at": AT,
            **fields,
        }
    )


def records() -> LanesInput:
    entities = {
        e.id: e for e in (entity("Mara"), entity("Dob"), entity("Ruk"), entity("Pier", EntityKind.PLACE))
    }
    scene = Scene(
        id="s1", story_id="st", universe_id=WORLD, order=1, title="The yard", cast=("Mara", "Dob"),
        opening_place_id="Pier", tick=60, created_at=AT,
    )  # fmt: skip
    promise = "Mara promised Ruk to bring back the bell by the thaw."
    facts = (
        fact("Dob died.", FactKind.STATE, DAY + 100, "Dob", predicate="alive", value=False),
        fact("Dob pulled Ruk out of the sea.", FactKind.EVENT, 90, "Dob", "Ruk"),
        fact(promise, FactKind.COMMITMENT, 100, "Mara", "Ruk", predicate="promised"),
        fact(
            "Ruk owes Dob a coin before the wedding.",
            FactKind.COMMITMENT,
            100,
            "Ruk",
            "Dob",
            valid_to=DAY * 2,
            closed=True,
            predicate="owes",
        ),
        fact("Ruk promised a boat.", FactKind.COMMITMENT, 1, "Ruk", status=FactStatus.RETCONNED),
    )
    thread = Thread(id="t", story_id="st", name="Who moved the bell", since=70, closed_at=DAY * 3)
    return LanesInput(
        entities,
        facts,
        (scene,),
        {"s1": "Scene 1"},
        {"s1": ("Mara", "Dob")},
        {"s1": ("Pier",)},
        (thread,),
        CALENDAR,
    )


def lane(lanes: tuple[Lane, ...], name: str) -> Lane:
    return next(one for one in lanes if one.name.startswith(name))


def test_lanes_tell_who_was_where_who_died_and_what_was_promised_until_when() -> None:
    lanes = build_lanes(records())
    assert [one.group for one in lanes] == [
        LaneGroup.SCENES, *[LaneGroup.PERSONS] * 3, LaneGroup.PLACES, *[LaneGroup.THREADS] * 3,
    ]  # fmt: skip
    kinds = {one.name[:12]: [m.kind for m in one.marks] for one in lanes}
    assert kinds["Dob"] == [MarkKind.SCENE, MarkKind.EVENT, MarkKind.DEATH]
    assert kinds["Ruk"] == [MarkKind.EVENT]  # Dob's death is not on it
    assert kinds["Pier"] == [MarkKind.SCENE]
    promise = lane(lanes, "Mara promised")
    assert promise.is_open
    assert [(m.kind, m.tick) for m in promise.marks] == [
        (MarkKind.MADE, 100),
        (MarkKind.DEADLINE, 31 * DAY - 1),
    ]
    debt = lane(lanes, "Ruk owes")
    assert not debt.is_open
    assert [m.kind for m in debt.marks] == [MarkKind.MADE, MarkKind.KEPT, MarkKind.DEADLINE]
    assert [m.kind for m in lane(lanes, "Who moved").marks] == [MarkKind.OPENED, MarkKind.CLOSED]


def test_axis_names_months_moons_and_days_and_marks_gaps() -> None:
    axis = build_axis(build_lanes(records()), CALENDAR, AxisUnit.DAY, now=DAY * 2)
    assert [s.label for s in axis.columns] == ["1", "2", "3", "4", "1", "when?"]
    assert axis.columns[0].era == "Frost, year 1"
    assert axis.columns[1].moons == "○"
    assert (axis.columns[4].era, axis.columns[4].names, axis.columns[4].is_after_gap) == (
        "Thaw, year 1",
        "the thaw",
        True,
    )
    assert axis.now_index == 3
    moments = build_axis(build_lanes(records()), CALENDAR, AxisUnit.MOMENT, now=None)
    assert len(moments.columns) > len(axis.columns)


ticks = st.none() | st.integers(-(10**8), 10**6)
marks = st.builds(Mark, ticks, st.sampled_from(list(MarkKind)), st.just(""))
lanes_of_marks = st.lists(
    st.builds(
        Lane,
        st.text(max_size=3),
        st.just("x"),
        st.sampled_from(list(LaneGroup)),
        st.lists(marks, min_size=1).map(tuple),
    ),
    min_size=1,
    max_size=6,
)


@given(lanes_of_marks, st.sampled_from(list(AxisUnit)), st.booleans(), st.none() | st.integers(-1000, 1000))
@settings(max_examples=30, deadline=None)
def test_axis_has_a_column_for_every_mark_in_the_order_of_time(
    lanes: list[Lane], unit: AxisUnit, has_months: bool, now: Id | None
) -> None:
    axis = build_axis(lanes, CALENDAR if has_months else Calendar(), unit, now)  # type: ignore[arg-type]
    dated = sorted((m.tick, find_column(axis, m)) for one in lanes for m in one.marks if m.tick is not None)
    assert [column for _, column in dated] == sorted(column for _, column in dated)
    assert all(0 <= find_column(axis, m) < len(axis.columns) for one in lanes for m in one.marks)
    known = [s.first_tick for s in axis.columns if s.first_tick is not None]
    assert known == sorted(set(known))
