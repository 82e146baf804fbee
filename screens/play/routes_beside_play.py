"""Where the command palette leads from play: screens about the world that is played, and cards by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from screens.routes import (
    NamedRoute,
    ToBranchMap,
    ToCharacters,
    ToCharts,
    ToCommitments,
    ToLanes,
    ToQuery,
    ToRelationMap,
    ToSourcesBesidePlay,
    ToSystem,
    ToUniverse,
)
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.services.world import WorldServices
    from agents.views.play_views import SceneView

MIN_NAME_LENGTH: Final = 2
"""Letters from which names are looked up."""

MAX_CARDS: Final = 8


def routes_beside_play(view: SceneView) -> tuple[NamedRoute, ...]:
    """Return the screens that can be opened from play, and that lead back to it."""
    universe_id = view.universe.id
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
            "Query", "Ask what is canon, believed or unknown", ToQuery(universe_id, None, view.scene.id)
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
        NamedRoute("Charts", "Tension, dice, costs and the gate", ToCharts(universe_id)),
        NamedRoute(
            "Map",
            "The branches of this world, their scenes, takes and ways",
            ToBranchMap(universe_id, view.scene.id),
        ),
        NamedRoute(
            "Promises", "Promises, debts and open questions", ToCommitments(universe_id, view.scene.id)
        ),
        NamedRoute("System", "Storage, background work, failed jobs", ToSystem()),
    )


async def find_cards(world: WorldServices, universe_id: Id, name: str) -> tuple[NamedRoute, ...]:
    """Return the cards of entities with these letters in a name; none for a single letter."""
    if len(name.strip()) < MIN_NAME_LENGTH:
        return ()
    entities = await world.list_entities(universe_id, name.strip(), limit=MAX_CARDS)
    return tuple(
        NamedRoute(
            entity.name,
            f"The card of this {entity.kind.value}",
            ToUniverse(universe_id, entity.id, beside_play=True),
        )
        for entity in entities
    )
