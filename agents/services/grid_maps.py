"""Grid maps for their screen and their exports: the maps, who and what is in their places, and their edits."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

from agents.canon_keeper.proposal_subjects import normalize_name
from agents.context_assembly.scene_context import SceneContextLoader
from agents.declarations.declarations import DeclarationService
from agents.diagrams.grid_map import GridMap, NamedPlace
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.dispatcher import Dispatcher
from agents.sanitize import clean
from agents.services.entity_edits import parse_name
from agents.services.relation_graph import GraphFormat, RelationGraphReader, SaveFile
from agents.services.scene_in_play import find_scene_in_play
from agents.services.world_edits import WorldEditor
from agents.solo.grid_maps import GridMapEditor
from agents.views.world_views import NewEntityFields
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import CreateEntity
from stores.records.grid_maps import MAX_SIDE, GridOutline, GridShape
from stores.records.ids import Id
from stores.records.workflow import Loop
from stores.records.world import EntityKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents.diagrams.grid_map_views import GridMapsView, ShownGridMap

_OUTLINE: Final = re.compile(
    r"(?P<name>.*?)[\s,]*(?P<shape>squares|hexes|rooms)?(?:[\s,]*(?P<columns>[0-9]{1,4})\s*[x×]\s*(?P<rows>[0-9]{1,4}))?",
    re.IGNORECASE,
)
DEFAULT_SIDES: Final = (20, 20)
PLACE_EXAMPLE: Final = "The Keep"
NOT_DRAWN: Final = "The map is as it was."


@dataclass(frozen=True, slots=True)
class BoundPlace:
    """A place for a cell, and what to say of it: whether it waits at the gate."""

    place: NamedPlace
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GridMapService:
    """Reads maps, and stores their edits. A new place is proposed: the map makes nothing true."""

    canon: CanonReader
    log: LogReader
    contexts: SceneContextLoader
    editor: GridMapEditor
    relation_graph: RelationGraphReader
    edits: WorldEditor
    declarations: DeclarationService
    loops: LoopTransitions
    dispatcher: Dispatcher
    save_file: SaveFile

    async def read_maps(self, universe_id: Id, maps: Sequence[GridMap] | None = None) -> GridMapsView:
        """Return every map of a universe, with who is where and where the hero is. Raises NotFound, StoreError.

        With `maps`, these are looked at as they are, stored or not.
        """
        from agents.diagrams.grid_map_views import GridMapsView, build_places_on_map
        from agents.diagrams.relation_graph import find_present

        maps = await self.editor.reader.read_all_maps(universe_id) if maps is None else maps
        place_ids = {cell.place_id for m in maps for cell in m.cells.values() if cell.place_id}
        places = await self.editor.reader.read_places(universe_id, place_ids)
        relations = await self.relation_graph.read_graph(universe_id)
        present = await asyncio.to_thread(find_present, relations.graph)
        scene = await find_scene_in_play(self.log, universe_id)
        context = await self.contexts.load_context(scene.id) if scene else None
        hero = context.player_character() if context else None
        known_places = await self.canon.entities(universe_id, kind=EntityKind.PLACE)
        return GridMapsView(
            universe=relations.universe,
            maps=tuple(m for m in maps if not m.is_removed),
            removed_maps=tuple(m for m in maps if m.is_removed),
            places=build_places_on_map(places, present, relations.visited_ids),
            connections=await self.editor.reader.read_connections(universe_id),
            hero_name=hero.name if hero else "",
            hero_place_id=context.place.id if context and context.place else None,
            place_names=tuple(place.name for place in known_places),
        )

    async def bind_place(self, universe_id: Id, typed_name: str, scene_id: Id | None = None) -> BoundPlace:
        """Return the place of a name; one that is not known is proposed, as `/place` does in a scene that is played.

        Raises InputError for what is no place; StoreError.
        """
        name = parse_name(typed_name)
        named = await self.canon.find_entity(universe_id, name)
        places = [e for e in named if e.kind is EntityKind.PLACE]
        if places:
            return BoundPlace(NamedPlace(places[0].id, places[0].name))
        if named:
            raise InputError(
                f"{named[0].name} is a {named[0].kind}, not a place.",
                kept=NOT_DRAWN,
                todo="Give the place another name.",
            )
        wanted = normalize_name(name)
        for place in await self.editor.reader.read_proposed_places(universe_id):
            if normalize_name(place.name) == wanted:
                return BoundPlace(place)
        if scene_id is not None and await self.loops.read_state(Loop.SCENE, scene_id) == "active":
            async with self.dispatcher.exclusive():
                context = await self.contexts.load_context(scene_id)
                proposals = await self.declarations.declare_place(context, name, PLACE_EXAMPLE)
            lines: tuple[str, ...] = (f"Proposed: {name}. It waits at the scene's gate.",)
        else:
            staged = await self.edits.propose_entity(universe_id, NewEntityFields(EntityKind.PLACE, name))
            proposals = list((await self.log.proposals_by_id(staged.proposal_ids)).values())
            lines = staged.lines
        change = next(p.change for p in proposals if isinstance(p.change, CreateEntity))
        return BoundPlace(NamedPlace(change.entity_id, change.name, is_proposed=True), lines)

    async def export_map(self, universe_id: Id, map_id: Id) -> tuple[str, ...]:
        """Write a map as SVG and as GraphML; return the paths. Raises InputError, ArchiveError."""
        view = await self.read_maps(universe_id)
        grid_map = view.find_map(map_id)
        if grid_map is None:
            raise InputError("That map is not there any more.", kept="Nothing was written.")
        texts = [await asyncio.to_thread(_render, view.show(grid_map), f) for f in GraphFormat]
        name = f"{view.universe.name} {grid_map.outline.name}"
        return tuple(
            [await self.save_file(name, f".{f}", t) for f, t in zip(GraphFormat, texts, strict=True)]
        )

    async def render_map(self, universe_id: Id, name: str, format: GraphFormat) -> str:
        """Return the map of a name as the text of a file. Raises InputError, which lists the maps, if none has it."""
        view = await self.read_maps(universe_id)
        wanted = normalize_name(name)
        grid_map = next((m for m in view.maps if normalize_name(m.outline.name) == wanted), None)
        if grid_map is None:
            names = ", ".join(m.outline.name for m in view.maps)
            raise InputError(
                f"{view.universe.name} has no grid map called {name!r}.",
                kept="Nothing was written.",
                todo=f"Its maps: {names}." if names else "Ctrl+P, Grid maps, begins one.",
            )
        return await asyncio.to_thread(_render, view.show(grid_map), format)


def _render(shown: ShownGridMap, format: GraphFormat) -> str:
    from agents.diagrams.grid_export import render_grid_graphml, render_grid_svg

    match format:
        case GraphFormat.SVG:
            return render_grid_svg(shown)
        case GraphFormat.GRAPHML:
            return render_grid_graphml(shown)
        case _:
            assert_never(format)


def read_outline(typed: str, before: GridOutline | None = None) -> GridOutline:
    """Return the outline that a line says: `The Keep, rooms 12 x 8`. Raises InputError.

    What it leaves out is as before; a new map has squares, twenty by twenty.
    """
    match = _OUTLINE.fullmatch(clean(typed))
    assert match is not None
    columns, rows = (before.columns, before.rows) if before else DEFAULT_SIDES
    if match["columns"]:
        columns, rows = int(match["columns"]), int(match["rows"])
    if not (1 <= columns <= MAX_SIDE and 1 <= rows <= MAX_SIDE):
        raise InputError(
            f"A map has 1 to {MAX_SIDE} columns and rows.",
            kept=NOT_DRAWN,
            todo="As in: The Keep, rooms 12 x 8",
        )
    shape = before.shape if before else GridShape.SQUARES
    return GridOutline(
        name=parse_name(match["name"]),
        shape=GridShape(match["shape"].lower()) if match["shape"] else shape,
        columns=columns,
        rows=rows,
    )
