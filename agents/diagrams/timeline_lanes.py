"""The timeline in lanes: scenes, and below them a lane for each person, place and thread, with what happened in it.

Pure: facts, scenes and threads go in. Ticks are minutes of world time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.canon_keeper.commitments import CommitmentKind, commitment_kind, is_settlement
from agents.canon_keeper.fact_readings import ALIVE, CANON_EVENTS, OCCURRENCE_KINDS, SUBJECT
from agents.world_time.almanac import MoonPhase, days_per_year, find_moon_phase, find_year_day, names_on_day
from agents.world_time.calendar import format_tick, minutes_per_day
from agents.world_time.deadlines import find_deadline
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.story_journal import Thread
from stores.records.world import ACTORS, Calendar, Entity, EntityKind


class MarkKind(StrEnum):
    """What a mark on a lane stands for."""

    SCENE = "scene"
    EVENT = "event"
    DEATH = "death"
    MADE = "made"
    KEPT = "kept"
    BROKEN = "broken"
    ASKED = "asked"
    OPENED = "opened"
    CLOSED = "closed"
    DEADLINE = "deadline"


class LaneGroup(StrEnum):
    SCENES = "Scenes"
    PERSONS = "Persons"
    PLACES = "Places"
    THREADS = "Threads"


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at a time, or has to."""

    tick: int | None
    """None: at an unknown time."""
    kind: MarkKind
    text: str
    fact_id: Id | None = None
    scene_id: Id | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of the timeline."""

    id: Id
    name: str
    group: LaneGroup
    marks: tuple[Mark, ...]
    """In the order of world time."""
    is_open: bool = False
    """Whether a thread goes on until now."""


@dataclass(frozen=True, slots=True)
class LanesInput:
    """The records of a universe that lanes are made of."""

    entities: Mapping[Id, Entity]
    facts: Sequence[Fact]
    """Events, deaths and commitments."""
    scenes: Sequence[Scene]
    scene_titles: Mapping[Id, str]
    casts: Mapping[Id, Sequence[Id]]
    """By scene who was in it."""
    places: Mapping[Id, Sequence[Id]]
    """By scene where it was played."""
    threads: Sequence[Thread]
    """Threads of the stories that are no commitments of canon."""
    calendar: Calendar


def build_lanes(records: LanesInput) -> tuple[Lane, ...]:
    """Return the lanes: the scenes, then who and what has the most marks first."""
    marks_by_entity: defaultdict[Id, list[Mark]] = defaultdict(list)
    scene_marks = []
    for scene in records.scenes:
        mark = Mark(scene.tick, MarkKind.SCENE, records.scene_titles[scene.id], scene_id=scene.id)
        scene_marks.append(mark)
        entity_ids = (*records.casts.get(scene.id, ()), *records.places.get(scene.id, ()))
        for entity_id in dict.fromkeys(entity_ids):
            marks_by_entity[entity_id].append(mark)
    for fact in records.facts:
        if (kind := _mark_kind(fact)) is not None:
            mark = Mark(fact.valid_from, kind, fact.statement, fact_id=fact.id)
            for entity_id in dict.fromkeys(i.entity_id for i in fact.involves):
                if kind is not MarkKind.DEATH or entity_id == fact.entity(SUBJECT):
                    marks_by_entity[entity_id].append(mark)
    lanes = [Lane("scenes", "Scenes", LaneGroup.SCENES, _in_order(scene_marks))]
    entity_lanes = [
        Lane(entity_id, records.entities[entity_id].name, group, _in_order(marks))
        for entity_id, marks in marks_by_entity.items()
        if entity_id in records.entities
        and (group := _lane_group(records.entities[entity_id].kind)) is not None
    ]
    lanes += sorted(
        entity_lanes, key=lambda lane: (lane.group != LaneGroup.PERSONS, -len(lane.marks), lane.name)
    )
    lanes += _thread_lanes(records)
    return tuple(lane for lane in lanes if lane.marks)


def _lane_group(kind: EntityKind) -> LaneGroup | None:
    if kind in ACTORS:
        return LaneGroup.PERSONS
    return LaneGroup.PLACES if kind is EntityKind.PLACE else None


def _mark_kind(fact: Fact) -> MarkKind | None:
    """Return what a fact is on the lanes of those that it names; a commitment is on its own lane."""
    if fact.predicate == ALIVE:
        return MarkKind.DEATH if fact.value is False else None
    if fact.kind not in OCCURRENCE_KINDS or fact.predicate in CANON_EVENTS or is_settlement(fact.statement):
        return None
    return MarkKind.EVENT


def _in_order(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Return marks by time: what has no time comes first, a scene before what happened in it."""
    return tuple(sorted(marks, key=lambda m: (m.tick is not None, m.tick or 0, m.kind is not MarkKind.SCENE)))


def _thread_lanes(records: LanesInput) -> list[Lane]:
    lanes = [
        _commitment_lane(fact, records.calendar)
        for fact in records.facts
        if fact.kind is FactKind.COMMITMENT and fact.status is not FactStatus.RETCONNED
    ]
    for thread in records.threads:
        marks = [Mark(thread.since, MarkKind.OPENED, thread.name)]
        if thread.closed_at is not None:
            marks.append(Mark(thread.closed_at, MarkKind.CLOSED, f"Closed: {thread.name}"))
        lanes.append(
            Lane(thread.id, thread.name, LaneGroup.THREADS, _in_order(marks), is_open=thread.is_open)
        )
    return sorted(lanes, key=lambda lane: (not lane.is_open, lane.marks[0].tick or 0, lane.name))


def _commitment_lane(fact: Fact, calendar: Calendar) -> Lane:
    """Return the lane of a promise, a debt or a question: made, until when, and how it ended."""
    is_question = commitment_kind(fact) is CommitmentKind.QUESTION
    marks = [Mark(fact.valid_from, MarkKind.ASKED if is_question else MarkKind.MADE, fact.statement, fact.id)]
    is_open = fact.status is FactStatus.CANONICAL and fact.valid_to is None and not fact.closed
    if fact.valid_to is not None:
        kind = MarkKind.KEPT if fact.closed else MarkKind.BROKEN
        words = "Kept" if fact.closed else "Not kept"
        marks.append(Mark(fact.valid_to, kind, f"{words}: {fact.statement}", fact.id))
    if (deadline := find_deadline(fact.statement, calendar, fact.valid_from)) is not None:
        marks.append(Mark(deadline.tick, MarkKind.DEADLINE, f"Deadline: {deadline.words}", fact.id))
    return Lane(fact.id, fact.statement, LaneGroup.THREADS, _lane_order(marks), is_open=is_open)


def _lane_order(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return marks by time; a deadline that no calendar knows comes last."""
    return tuple(
        sorted(
            marks,
            key=lambda m: (m.tick is None and m.kind is MarkKind.DEADLINE, m.tick is not None, m.tick or 0),
        )
    )


# --- the axis ---------------------------------------------------------------------------------------


class AxisUnit(StrEnum):
    """What has a column of its own: a day, or every moment at which something happened."""

    DAY = "day"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class AxisColumn:
    """A column of the axis: a stretch of world time in which something happened."""

    first_tick: int | None
    """None: what has no known time."""
    label: str
    """The day, or the part of it."""
    era: str = ""
    """What the label is of: the month and year, or the day."""
    moons: str = ""
    """The signs of the moons' phases, where one is full or new."""
    names: str = ""
    """The names that the day has."""
    is_after_gap: bool = False
    """Whether days without anything come before it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The columns in the order of time."""

    columns: tuple[AxisColumn, ...]
    unit: AxisUnit
    now_index: int
    """How many columns lie before or at the present."""
    column_of: Mapping[int | None, int]
    """By tick the number of its column."""


MOON_SIGNS = {MoonPhase.FULL: "○", MoonPhase.NEW: "●"}


def build_axis(lanes: Sequence[Lane], calendar: Calendar, unit: AxisUnit, now: int | None) -> Axis:
    """Return the columns of the times at which something happened; between them nothing did."""
    ticks = sorted({m.tick for lane in lanes for m in lane.marks if m.tick is not None})
    is_any_unknown = any(
        m.tick is None and m.kind is not MarkKind.DEADLINE for lane in lanes for m in lane.marks
    )
    is_any_undated = any(m.tick is None and m.kind is MarkKind.DEADLINE for lane in lanes for m in lane.marks)
    columns = [AxisColumn(None, "when?")] if is_any_unknown else []
    column_of: dict[int | None, int] = {None: 0} if is_any_unknown else {}
    day_length, last_key, last_day = minutes_per_day(calendar), None, None
    for tick in ticks:
        day = tick // day_length
        key = day if unit is AxisUnit.DAY else tick
        if key != last_key:
            columns.append(
                _build_column(calendar, tick, unit, is_after_gap=last_day is not None and day > last_day + 1)
            )
        column_of[tick], last_key, last_day = len(columns) - 1, key, day
    now_index = sum(1 for c in columns if c.first_tick is None or now is None or c.first_tick <= now)
    if is_any_undated:
        columns.append(AxisColumn(None, "when?", is_after_gap=True))
    return Axis(tuple(columns), unit, now_index, column_of)


def find_column(axis: Axis, mark: Mark) -> int:
    """Return the column of a mark: a deadline that no calendar knows is in the last."""
    if mark.tick is None and mark.kind is MarkKind.DEADLINE:
        return len(axis.columns) - 1
    return axis.column_of[mark.tick]


def _build_column(calendar: Calendar, tick: int, unit: AxisUnit, *, is_after_gap: bool) -> AxisColumn:
    day = tick // minutes_per_day(calendar)
    words, _, part = format_tick(calendar, tick).partition(", ")
    names = ", ".join(names_on_day(calendar, day))
    moons = "".join(MOON_SIGNS.get(find_moon_phase(moon, day), "") for moon in calendar.moons)
    if day < 0:
        return AxisColumn(
            tick, _span_before(-day, days_per_year(calendar)), "before", moons, names, is_after_gap
        )
    if calendar.months:
        at = find_year_day(calendar, day)
        era = f"{at.month}, year {at.year}"
        day_label = f"{at.day} {at.month}"
        if unit is AxisUnit.DAY:
            return AxisColumn(tick, str(at.day), era, moons, names, is_after_gap)
        return AxisColumn(tick, part or day_label, day_label, moons, names, is_after_gap)
    if unit is AxisUnit.DAY:
        return AxisColumn(tick, words, "", moons, names, is_after_gap)
    return AxisColumn(tick, part or words, words, moons, names, is_after_gap)


def _span_before(days: int, year_length: int) -> str:
    """Return how long before the first day something was: `-30 y`, `-4 d`."""
    years = round(days / year_length)
    return f"-{years:,} y" if years > 1 else f"-{days:,} d"
