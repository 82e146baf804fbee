"""The grid maps of an exported world, with what the export says of their places. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from agents.canon_keeper.fact_readings import CONNECTED_TO, OBJECT, SUBJECT
from agents.diagrams.grid_map import GridMap, NamedPlace, spot_label, with_connections
from agents.diagrams.grid_map_views import ShownGridMap, build_places_on_map, show_to_players
from agents.exports.world_values import WorldRecord
from stores.records.ids import Id
from stores.records.world import ACTORS


def show_grid_maps(
    record: WorldRecord, maps: Iterable[GridMap], places: Mapping[Id, NamedPlace], *, with_secrets: bool
) -> list[ShownGridMap]:
    """Return the maps as an export shows them: of people and ways, what is in the record alone.

    Without secrets, what was not discovered, the GM's notes and secret doors are left out, and so is a map of which
    nothing was discovered.
    """
    present: dict[Id, list[str]] = {}
    connections: set[frozenset[Id]] = set()
    for exported in record.entities:
        if exported.entity.kind in ACTORS and exported.place is not None:
            present.setdefault(exported.place.id, []).append(exported.entity.name)
        for _, _, view in exported.card.relations:
            ends = (view.fact.entity(SUBJECT), view.fact.entity(OBJECT))
            if view.fact.predicate == CONNECTED_TO and all(ends):
                connections.add(frozenset(filter(None, ends)))
    scenes = [part.scene for story in record.stories for part in story.scenes if part.scene.head]
    visited_ids = {i for scene in scenes for i in (scene.opening_place_id, scene.place_id) if i}
    places_on_map = build_places_on_map(places, present, visited_ids)
    shown_maps = [ShownGridMap(with_connections(m, connections), places_on_map) for m in maps]
    if with_secrets:
        return shown_maps
    return [players_map for players_map in map(show_to_players, shown_maps) if players_map.drawn_spots()]


def describe_cells(
    shown: ShownGridMap, link: Callable[[Id, str], str], escape: Callable[[str], str]
) -> list[str]:
    """Return what is in the cells that have a place or a note: `A1: The Hall, marsh, rats`.

    `link` writes a place by its identifier and name, `escape` a note.
    """
    lines = []
    for spot in shown.drawn_spots():
        cell = shown.cell(spot)
        if cell.place or cell.text:
            place = link(cell.place.id, cell.place.name) if cell.place else ""
            words = filter(None, (place, cell.terrain or "", escape(cell.text)))
            lines.append(f"{spot_label(spot)}: {', '.join(words)}")
    return lines


def describe_ways(shown: ShownGridMap) -> list[str]:
    """Return the ways of a map in words: `door: A1 to B1`."""
    return [f"{kind}: {spot_label(one)} to {spot_label(other)}" for one, other, kind in shown.drawn_ways()]
