"""Where the command palette leads: screens about the world that is played, and about the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.routes import (
    NamedRoute,
    ToBill,
    ToBranchMap,
    ToCharacters,
    ToCharts,
    ToCommitments,
    ToGridMaps,
    ToHelp,
    ToLanes,
    ToLlmSetup,
    ToQuery,
    ToRelationMap,
    ToSettings,
    ToSourcesBesidePlay,
    ToSystem,
    ToTables,
    ToUniverse,
)
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.views.scene_views import SceneView


def routes_beside_play(view: SceneView) -> tuple[NamedRoute, ...]:
    """Return the screens that can be opened from play, and that lead back to it."""
    universe_id = view.universe.id
    return (
        *world_routes(universe_id, view.scene.id),
        NamedRoute(
            "Query", "Ask what is canon, believed or unknown", ToQuery(universe_id, None, view.scene.id)
        ),
        NamedRoute(
            "Map",
            "The branches of this world, their scenes, takes and ways",
            ToBranchMap(universe_id, view.scene.id),
        ),
        NamedRoute(
            "Promises", "Promises, debts and open questions", ToCommitments(universe_id, view.scene.id)
        ),
        *program_routes(),
    )


def world_routes(universe_id: Id, scene_id: Id | None = None) -> tuple[NamedRoute, ...]:
    """Return the screens about a world that can be opened over any screen, from a scene too, and lead back to it."""
    return (
        NamedRoute(
            "Universe", "What is true in this world, and why", ToUniverse(universe_id, beside_play=True)
        ),
        NamedRoute(
            "Characters",
            "Sheets, memories beside the truth, history",
            ToCharacters(universe_id, from_other_screen=True),
        ),
        NamedRoute(
            "Documents",
            "Read in rulebooks and notes, and review what they say",
            ToSourcesBesidePlay(universe_id),
        ),
        NamedRoute("Timeline", "Scenes, deaths and promises, by world time", ToLanes(universe_id)),
        NamedRoute("Relations", "Who is related to whom: a map", ToRelationMap(universe_id)),
        NamedRoute(
            "Places", "A map of places, and who is where", ToRelationMap(universe_id, is_of_places=True)
        ),
        NamedRoute("Grid maps", "Squares, hexes or rooms that you fill", ToGridMaps(universe_id, scene_id)),
        NamedRoute("Charts", "Tension, dice, costs and the gate", ToCharts(universe_id)),
        NamedRoute("Tables", "Tables to roll on: look at them, write your own", ToTables(universe_id)),
    )


def program_routes() -> tuple[NamedRoute, ...]:
    """Return the screens about the program itself."""
    return (
        NamedRoute("System", "Storage, background work, failed jobs", ToSystem()),
        NamedRoute("Settings", "Theme, keys, budgets, folders", ToSettings()),
        NamedRoute("Model", "Who narrates: you or a model", ToLlmSetup()),
        NamedRoute("Bill", "What the model has cost, and budgets", ToBill()),
        NamedRoute("Help", "Keys, commands and the tour", ToHelp()),
    )
