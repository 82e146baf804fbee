"""Reads the relations of a whole universe, now or at a moment of world time, for the map and its exports."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, assert_never

from agents.canon_keeper.universe_policy import PolicyStore
from agents.proposals.decisions import is_rejected
from agents.services.manual_edits import read_present_tick
from agents.story_entries import read_story_entries
from agents.world_time.calendar import format_tick
from agents.world_time.moments import read_moment
from stores.errors import InputError, parse_field
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import AssertFact, FactKind
from stores.records.ids import Id
from stores.records.story_journal import PlaceEntry
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import EntityKind, Universe

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import RelationGraphView, SceneMoment
    from agents.diagrams.relation_graph import MapSelection

# What draws is imported when something is drawn: the start does without it.

MAX_RELATIONS: Final = 20_000

_SCENE_PATTERN: Final = re.compile(
    r"(?:turn\s+(?P<turn>[0-9]{1,6})\s+of\s+)?(?:scene\s*|s)(?P<scene>[0-9]{1,5})", re.IGNORECASE
)

SaveFile = Callable[[str, str, str], Awaitable[str]]
"""Writes a text to a new file of a name and an ending, and returns its path. Raises ArchiveError."""


class GraphFormat(StrEnum):
    """A format of files that hold a map of relations."""

    SVG = "svg"
    GRAPHML = "graphml"


@dataclass(frozen=True, slots=True)
class RelationGraphReader:
    """Reads relations, and exports them. Writes nothing to a store."""

    canon: CanonReader
    log: LogReader
    policies: PolicyStore
    save_file: SaveFile

    async def read_graph(
        self, universe_id: Id, typed_moment: str = "", root_id: Id | None = None
    ) -> RelationGraphView:
        """Return every relation of a universe, now or at a moment, and what waits at the gate beside it.

        A moment is typed as `scene 3`, `turn 12 of scene 3`, or a day of the world (`day 3, dusk`). A scene is looked
        at as it ends. Raises InputError for a moment that cannot be read.
        """
        from agents.diagrams.diagram_views import RelationGraphView
        from agents.diagrams.relation_graph import MAX_DRAWN, build_relation_graph

        universe = await self.canon.universe(universe_id)
        scene_moments = await self._read_scene_moments(universe_id)
        tick = await self._read_tick(universe, scene_moments, typed_moment)
        if tick is None:
            facts = await self.canon.facts(
                universe_id, FactQuery(kind=FactKind.RELATION, limit=MAX_RELATIONS)
            )
        else:
            facts = await self.canon.facts_at(universe_id, tick, kind=FactKind.RELATION, limit=MAX_RELATIONS)
        proposals = [] if tick is not None else await self._read_open_proposals(universe_id)
        related_ids = {i.entity_id for fact in facts for i in fact.involves}
        related_ids.update(
            i.entity_id for p in proposals if isinstance(p.change, AssertFact) for i in p.change.involves
        )
        entities = await self.canon.entities_by_id(related_ids | ({root_id} if root_id else set()))
        places = await self.canon.entities(universe_id, kind=EntityKind.PLACE, limit=MAX_DRAWN)
        entities.update({place.id: place for place in places})
        catalogue = await self.policies.read_catalogue(universe_id)
        graph = await asyncio.to_thread(build_relation_graph, entities.values(), facts, proposals, catalogue)
        return RelationGraphView(
            universe=universe,
            graph=graph,
            moment="" if tick is None else _moment_words(universe, scene_moments, typed_moment, tick),
            tick=tick,
            scene_moments=scene_moments,
            visited_ids=await self._read_visited_places(universe_id, tick),
        )

    async def export_graph(
        self, universe_id: Id, selection: MapSelection, typed_moment: str = ""
    ) -> tuple[str, ...]:
        """Write the part of a map that is shown as SVG and as GraphML; return the paths. Raises ArchiveError."""
        universe = await self.canon.universe(universe_id)
        texts = [await self.render_graph(universe_id, selection, f, typed_moment) for f in GraphFormat]
        name = f"{universe.name} relations"
        return tuple(
            [await self.save_file(name, f".{f}", t) for f, t in zip(GraphFormat, texts, strict=True)]
        )

    async def render_graph(
        self, universe_id: Id, selection: MapSelection, format: GraphFormat, typed_moment: str = ""
    ) -> str:
        """Return the part of a map that is shown as the text of a file. Raises InputError for an unreadable moment."""
        from agents.diagrams.graph_export import render_graphml, render_svg
        from agents.diagrams.relation_graph import select_subgraph

        view = await self.read_graph(universe_id, typed_moment, selection.root_id)
        shown = select_subgraph(view.graph, selection)
        match format:
            case GraphFormat.SVG:
                title = " · ".join(filter(None, (view.universe.name, view.moment)))
                return await asyncio.to_thread(render_svg, shown, title)
            case GraphFormat.GRAPHML:
                return await asyncio.to_thread(render_graphml, shown)
            case _:
                assert_never(format)

    async def _read_open_proposals(self, universe_id: Id) -> list[ProposedChange]:
        proposals = await self.log.proposals(ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES))
        return [p for p in proposals if not is_rejected(p)]

    async def _read_visited_places(self, universe_id: Id, tick: int | None) -> frozenset[Id]:
        """Return where scenes opened and went on, up to a tick."""
        visited_ids: set[Id] = set()
        for story in (await self.log.readable_stories(universe_id)).records:
            for scene in await self.log.scenes(story.id):
                if scene.head and (tick is None or scene.tick <= tick):
                    place_ids = (scene.opening_place_id, scene.place_id if tick is None else None)
                    visited_ids.update(filter(None, place_ids))
            entries, _ = await read_story_entries(self.log, story)
            visited_ids.update(
                e.place_id for e in entries if isinstance(e, PlaceEntry) and (tick is None or e.tick <= tick)
            )
        return frozenset(visited_ids)

    async def _read_scene_moments(self, universe_id: Id) -> tuple[SceneMoment, ...]:
        from agents.diagrams.diagram_views import SceneMoment

        moments = []
        stories = (await self.log.readable_stories(universe_id)).records
        for story in stories:
            scenes = [scene for scene in await self.log.scenes(story.id) if scene.head]
            heads = await self.log.turns([scene.head for scene in scenes if scene.head])
            of_story = f" of “{story.title}”" if len(stories) > 1 else ""
            moments += [
                SceneMoment(
                    f"{scene.label}{of_story}",
                    heads[scene.head].tick if scene.head in heads else scene.tick,
                    scene.id,
                    scene.order,
                )
                for scene in scenes
            ]
        return tuple(sorted(moments, key=lambda moment: (moment.tick, moment.order)))

    async def _read_tick(
        self, universe: Universe, scene_moments: Sequence[SceneMoment], typed_moment: str
    ) -> int | None:
        words = " ".join(typed_moment.split())
        if (match := _SCENE_PATTERN.fullmatch(words)) is None:
            present_tick = await read_present_tick(self.log, universe.id)
            if words.casefold() in ("", "now"):
                return None
            return parse_field("when", read_moment, words, universe.calendar, present_tick)
        order = int(match["scene"])
        # Of several stories the one that is latest in world time is meant.
        moment = next((m for m in reversed(scene_moments) if m.order == order), None)
        if moment is None:
            raise _moment_error(f"There is no scene {order} with turns.")
        if match["turn"] is None:
            return moment.tick
        turns = await self.log.line_slice(moment.scene_id, int(match["turn"]) - 1, 1)
        if not turns or match["turn"] == "0":
            raise _moment_error(f"{moment.label} has no turn {match['turn']}.")
        return turns[0].tick


def _moment_words(
    universe: Universe, scene_moments: Sequence[SceneMoment], typed_moment: str, tick: int
) -> str:
    when = format_tick(universe.calendar, tick)
    match = _SCENE_PATTERN.fullmatch(" ".join(typed_moment.split()))
    if match is None:
        ended = [m for m in scene_moments if m.tick == tick]
        return f"end of {ended[-1].label[0].lower()}{ended[-1].label[1:]}, {when}" if ended else when
    turn = f"turn {match['turn']} of " if match["turn"] else "end of "
    return f"{turn}scene {match['scene']}, {when}"


def _moment_error(what: str) -> InputError:
    return InputError(
        what, kept="The map was not changed.", todo="Try scene 2, turn 5 of scene 2, day 3 dusk, or now."
    )
