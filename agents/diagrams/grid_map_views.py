"""Grid maps with what is known of their places, as screens and exports show them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from agents.diagrams.grid_map import GridMap, NamedPlace, read_spot, row_order, with_connections
from stores.records.grid_maps import GridOutline, Spot, Terrain, WayKind
from stores.records.ids import Id
from stores.records.world import Universe


@dataclass(frozen=True, slots=True)
class PlaceOnMap:
    """A place that a cell shows."""

    id: Id
    name: str
    is_proposed: bool = False
    """Whether it waits at the gate."""
    is_visited: bool = False
    """Whether play was there."""
    people: tuple[str, ...] = ()
    """Who is there by canon."""


@dataclass(frozen=True, slots=True)
class ShownCell:
    """What a cell shows."""

    place: PlaceOnMap | None = None
    terrain: Terrain | None = None
    text: str = ""
    is_discovered: bool = False
    is_hero_here: bool = False

    @property
    def is_blank(self) -> bool:
        return not (self.place or self.terrain or self.text or self.is_discovered)


_BLANK = ShownCell()


@dataclass(frozen=True)
class ShownGridMap:
    """A map with its places. Cells are put together when they are asked for: a map may have 40,000."""

    grid_map: GridMap
    places: Mapping[Id, PlaceOnMap] = field(default_factory=dict)
    hero_place_id: Id | None = None
    hero_name: str = ""

    @property
    def outline(self) -> GridOutline:
        return self.grid_map.outline

    @cached_property
    def hero_spot(self) -> Spot | None:
        """The cell where the hero is; None: nowhere on this map."""
        return self.grid_map.find_place(self.hero_place_id) if self.hero_place_id else None

    def cell(self, spot: Spot) -> ShownCell:
        """Return what a cell shows."""
        cell = self.grid_map.cells.get(spot)
        if cell is None:
            return _BLANK
        place = self.places.get(cell.place_id or "")
        return ShownCell(
            place,
            cell.terrain,
            cell.text,
            is_discovered=cell.is_discovered or bool(place and place.is_visited),
            is_hero_here=spot == self.hero_spot,
        )

    def leads_from(self, spot: Spot) -> tuple[Spot, ...]:
        """Return the cells to which ways lead from one."""
        return self._leads.get(spot, ())

    @cached_property
    def _leads(self) -> Mapping[Spot, tuple[Spot, ...]]:
        leads: dict[Spot, tuple[Spot, ...]] = {}
        for one, other in self.grid_map.ways:
            leads[one] = (*leads.get(one, ()), other)
            leads[other] = (*leads.get(other, ()), one)
        return leads

    def find(self, words: str) -> Spot | None:
        """Return the cell of a label (`C4`), or the first whose place, or else whose note, has the words in it."""
        labelled = read_spot(words)
        if labelled is not None and self.grid_map.has(labelled):
            return labelled
        wanted, with_note = words.strip().casefold(), None
        for spot in self.drawn_spots():
            cell = self.cell(spot)
            if cell.place and wanted in cell.place.name.casefold():
                return spot
            if with_note is None and wanted in cell.text.casefold():
                with_note = spot
        return with_note

    def drawn_spots(self) -> list[Spot]:
        """Return the cells within the map that hold something, row by row."""
        return sorted(filter(self.grid_map.has, self.grid_map.cells), key=row_order)

    def drawn_ways(self) -> list[tuple[Spot, Spot, WayKind]]:
        """Return the ways within the map, in the order of their first ends."""
        ways = ((a, b, kind) for (a, b), kind in self.grid_map.ways.items())
        within = (way for way in ways if self.grid_map.has(way[0]) and self.grid_map.has(way[1]))
        return sorted(within, key=lambda way: (row_order(way[0]), row_order(way[1])))


@dataclass(frozen=True, slots=True)
class GridMapsView:
    """The grid maps of a universe, with what its canon says of their places."""

    universe: Universe
    maps: tuple[GridMap, ...] = ()
    removed_maps: tuple[GridMap, ...] = ()
    places: Mapping[Id, PlaceOnMap] = field(default_factory=dict)
    connections: frozenset[frozenset[Id]] = frozenset()
    hero_name: str = ""
    hero_place_id: Id | None = None
    place_names: tuple[str, ...] = ()
    """The places of canon, for completion."""

    def find_map(self, map_id: Id | None) -> GridMap | None:
        return next((m for m in self.maps if m.id == map_id), None)

    def with_map(self, grid_map: GridMap) -> GridMapsView:
        """Return the view with a map as it is now, all in the order they were begun."""
        maps_by_id = {m.id: m for m in (*self.maps, *self.removed_maps)} | {grid_map.id: grid_map}
        maps = sorted(maps_by_id.values(), key=lambda m: m.undoable[0].at)
        return replace(
            self,
            maps=tuple(m for m in maps if not m.is_removed),
            removed_maps=tuple(m for m in maps if m.is_removed),
        )

    def find_first_map(self) -> GridMap | None:
        """Return the map that the hero is on; else the one that was begun last."""
        with_hero = (m for m in self.maps if self.hero_place_id and m.find_place(self.hero_place_id))
        return next(with_hero, self.maps[-1] if self.maps else None)

    def show(self, grid_map: GridMap) -> ShownGridMap:
        """Return a map as the GM sees it."""
        return ShownGridMap(
            with_connections(grid_map, self.connections), self.places, self.hero_place_id, self.hero_name
        )


def build_places_on_map(
    places: Mapping[Id, NamedPlace], present: Mapping[Id, Sequence[str]], visited_ids: Collection[Id]
) -> dict[Id, PlaceOnMap]:
    """Return by the identifier that a cell has what is known of its place."""
    return {
        place_id: PlaceOnMap(
            place.id,
            place.name,
            place.is_proposed,
            is_visited=place.id in visited_ids,
            people=tuple(present.get(place.id, ())),
        )
        for place_id, place in places.items()
    }


def show_to_players(shown: ShownGridMap) -> ShownGridMap:
    """Return a map without the GM's notes and secret doors, and without what was not discovered."""
    grid_map = shown.grid_map
    discovered = {spot for spot in grid_map.cells if shown.cell(spot).is_discovered}
    cells = {
        spot: cell.model_copy(update={"text": ""})
        for spot, cell in grid_map.cells.items()
        if spot in discovered
    }
    ways = {
        ends: kind
        for ends, kind in grid_map.ways.items()
        if kind is not WayKind.SECRET and discovered.issuperset(ends)
    }
    places = {i: place for i, place in shown.places.items() if not place.is_proposed}
    return replace(shown, grid_map=replace(grid_map, cells=cells, ways=ways), places=places)
