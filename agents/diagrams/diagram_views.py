"""Values that the screens with diagrams draw: the relation map, the lanes of the timeline, the charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agents.diagrams.charts import Chart
from agents.diagrams.relation_graph import RelationGraph
from agents.diagrams.timeline_lanes import Axis, AxisUnit, Lane
from stores.records.ids import Id
from stores.records.world import Calendar, Universe


@dataclass(frozen=True, slots=True)
class SceneMoment:
    """The end of a scene, as a moment at which a world is looked at."""

    label: str
    tick: int
    scene_id: Id
    order: int
    """Its number in its story."""


@dataclass(frozen=True, slots=True)
class RelationGraphView:
    """Every relation of a universe at a moment."""

    universe: Universe
    graph: RelationGraph
    moment: str = ""
    """The moment in words; empty: now."""
    tick: int | None = None
    """The moment in world time; None: now."""
    scene_moments: tuple[SceneMoment, ...] = ()
    """The scenes of the universe, in the order of world time."""
    visited_ids: frozenset[Id] = frozenset()
    """The places where play was until then."""


@dataclass(frozen=True, slots=True)
class LanesView:
    """The timeline of a universe in lanes, with an axis of days and one of moments."""

    lanes: tuple[Lane, ...]
    axes: Mapping[AxisUnit, Axis]
    calendar: Calendar
    now: int | None
    """The present of the universe, in ticks; None where nothing was played."""


@dataclass(frozen=True, slots=True)
class ChartTab:
    """Charts that are shown together."""

    name: str
    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class ChartsView:
    """The charts of a universe."""

    universe_name: str
    story_title: str
    """The story that is charted by scene; empty where nothing was played."""
    tabs: tuple[ChartTab, ...]
