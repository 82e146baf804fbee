"""Makes the edits of grid maps, and finds where a step of the hero's leads on them.

A map is the GM's drawing and no canon: its edits go to the log, and undo in play leaves them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.canon_keeper.fact_readings import CONNECTED_TO, OBJECT, SUBJECT
from agents.diagrams.grid_map import (
    Direction,
    GridMap,
    NamedPlace,
    build_maps,
    find_step,
    spot_label,
    with_connections,
)
from agents.proposals.decisions import is_rejected
from stores.errors import InputError
from stores.ports import CanonReader, LogReader, OrchestratorLog
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.grid_maps import GridCell, GridMapEdit, GridOutline, GridWay
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.workflow import OPEN_STATUSES
from stores.records.world import EntityKind, EntityStatus

if TYPE_CHECKING:
    from agents.context_assembly.scene_context import SceneContext

NOT_MOVED = "Nobody moved."


@dataclass(frozen=True, slots=True)
class HeroStep:
    """Where a step of the hero's leads: to a place, or to a cell that shows none yet."""

    grid_map: GridMap
    cell: GridCell
    place: NamedPlace | None


class GridMapReader:
    """Reads grid maps, and what is known of their places."""

    def __init__(self, log: LogReader, canon: CanonReader) -> None:
        self._log = log
        self._canon = canon

    async def read_maps(self, universe_id: Id) -> list[GridMap]:
        """Return the maps of a universe, in the order they were begun, without removed ones."""
        return [grid_map for grid_map in await self.read_all_maps(universe_id) if not grid_map.is_removed]

    async def read_all_maps(self, universe_id: Id) -> list[GridMap]:
        """Return the maps of a universe, removed ones too, in the order they were begun."""
        edits = await self._log.map_edits(universe_id)
        return await asyncio.to_thread(build_maps, edits) if edits else []

    async def read_places(self, universe_id: Id, place_ids: Collection[Id]) -> dict[Id, NamedPlace]:
        """Return by identifier the places that are in canon or wait at the gate.

        A place that was merged into another is the other one; one that was rejected or retconned is none.
        """
        entities = await self._canon.entities_by_id(place_ids)
        merged_ids = [e.merged_into for e in entities.values() if e.merged_into]
        entities |= await self._canon.entities_by_id(merged_ids)
        places: dict[Id, NamedPlace] = {}
        for place_id in place_ids:
            entity = entities.get(place_id)
            entity = entities.get(entity.merged_into) if entity and entity.merged_into else entity
            if entity and entity.status is EntityStatus.CANONICAL and entity.kind is EntityKind.PLACE:
                places[place_id] = NamedPlace(entity.id, entity.name)
        if set(place_ids) - places.keys():
            places.update(
                {p.id: p for p in await self.read_proposed_places(universe_id) if p.id in place_ids}
            )
        return places

    async def read_proposed_places(self, universe_id: Id) -> list[NamedPlace]:
        """Return the places that wait at the gate and are not rejected."""
        proposals = await self._log.proposals(ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES))
        return [
            NamedPlace(p.change.entity_id, p.change.name, is_proposed=True)
            for p in proposals
            if isinstance(p.change, CreateEntity)
            and p.change.entity_kind is EntityKind.PLACE
            and not is_rejected(p)
        ]

    async def read_connections(self, universe_id: Id) -> frozenset[frozenset[Id]]:
        """Return the pairs of places of which canon says that one leads to the other."""
        facts = await self._canon.facts(universe_id, FactQuery(predicate=CONNECTED_TO))
        pairs = ((fact.entity(SUBJECT), fact.entity(OBJECT)) for fact in facts)
        return frozenset(frozenset((one, other)) for one, other in pairs if one and other and one != other)


class GridMapEditor:
    """Stores the edits of grid maps one after the other, and finds where steps lead."""

    def __init__(self, log: OrchestratorLog, reader: GridMapReader, ids: IdGenerator, clock: Clock) -> None:
        self._log = log
        self._ids = ids
        self._clock = clock
        self._saving = asyncio.Lock()
        self.reader = reader

    # --- edits -------------------------------------------------------------------------------------

    def build_edit(
        self,
        universe_id: Id,
        map_id: Id | None,
        description: str,
        *,
        outline: GridOutline | None = None,
        cells: Iterable[GridCell] = (),
        ways: Iterable[GridWay] = (),
        is_removal: bool = False,
    ) -> GridMapEdit:
        """Return an edit, not stored yet; without a `map_id` it begins a map."""
        return GridMapEdit(
            id=self._ids.new(),
            map_id=map_id or self._ids.new(),
            universe_id=universe_id,
            description=description,
            outline=outline,
            cells=tuple(cells),
            ways=tuple(ways),
            is_removal=is_removal,
            at=self._clock(),
        )

    def build_undo(self, edit: GridMapEdit, *, is_undone: bool) -> GridMapEdit:
        """Return the edit that takes back an earlier one, or redoes it."""
        undo = self.build_edit(edit.universe_id, edit.map_id, edit.description)
        return undo.model_copy(update={"undoes": edit.id, "is_undone": is_undone})

    async def save_edit(self, edit: GridMapEdit) -> None:
        """Store an edit, after those whose saving began before."""
        async with self._saving:
            await self._log.add_map_edit(edit)

    # --- steps -------------------------------------------------------------------------------------

    async def find_hero_step(self, context: SceneContext, direction: Direction) -> HeroStep:
        """Return where a step of the hero's leads, on the first map that has them and lets them pass.

        Raises InputError if no map does.
        """
        place, universe_id = context.place, context.universe.id
        maps = await self.reader.read_maps(universe_id)
        here = [(m, spot) for m in maps if place is not None and (spot := m.find_place(place.id)) is not None]
        if not here:
            raise InputError(
                f"{place.name} is on no grid map." if place else "Nobody knows where this scene is.",
                kept=NOT_MOVED,
                todo="/go PLACE goes there by its name; Ctrl+P, Grid maps, puts places on a map.",
            )
        connections = await self.reader.read_connections(universe_id)
        problem = ""
        for grid_map, spot in here:
            step = find_step(with_connections(grid_map, connections), spot, direction)
            if step.spot is None:
                problem = problem or step.problem
                continue
            cell = grid_map.cell(step.spot)
            places = await self.reader.read_places(universe_id, {cell.place_id} if cell.place_id else set())
            known_place = places.get(cell.place_id or "")
            if known_place is not None or cell.terrain is not None:
                return HeroStep(grid_map, cell, known_place)
            problem = problem or f"Nothing is drawn {direction.name} of here, at {spot_label(step.spot)}."
        raise InputError(problem, kept=NOT_MOVED, todo="Ctrl+P, Grid maps, shows and changes the map.")

    def bind_place(self, step: HeroStep, place_id: Id) -> GridMapEdit:
        """Return the edit by which the cell of a step shows a place, discovered."""
        cell = step.cell.model_copy(update={"place_id": place_id, "is_discovered": True})
        grid_map = step.grid_map
        universe_id = grid_map.undoable[0].universe_id
        return self.build_edit(universe_id, grid_map.id, f"{spot_label(cell.spot)}: a place", cells=(cell,))


def name_wild_place(cell: GridCell) -> str:
    """Return what a cell is called that a hero enters and that has no place yet: `Wood C4`."""
    return f"{str(cell.terrain or 'place').capitalize()} {spot_label(cell.spot)}"
