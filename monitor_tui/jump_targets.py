"""Where the palette leads by name: everybody and everything of a world, its scenes and threads, settings, stories.

They are read once for an open palette, and searched in a thread, so that a world of any size holds no key.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agents.views.branch_views import MapRowKind
from monitor_tui.fuzzy_match import FuzzyMatch, compile_filter, fold_text, match_text
from screens.routes import (
    NamedRoute,
    ToCommitments,
    ToGate,
    ToReading,
    ToSettings,
    ToStory,
    ToUniverse,
)
from stores.records.canon import CreateEntity

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.ids import Id
    from stores.records.workflow import ProposedChange
    from stores.records.world import EntityNames

MAX_HITS: Final = 25
TARGETS_BETWEEN_LOOKS: Final = 500
"""Targets after which a search sees whether it is still wanted."""


@dataclass(frozen=True, slots=True)
class JumpTarget:
    """A place with the name by which it is found, folded for searching."""

    folded: str
    named_route: NamedRoute


@dataclass(frozen=True, slots=True)
class JumpHit:
    target: JumpTarget
    match: FuzzyMatch


class JumpTargets:
    """All targets over one screen. A search that another one overtakes ends early."""

    def __init__(self, targets: Sequence[JumpTarget]) -> None:
        self._targets = targets
        self._searches_begun = 0

    def search(self, query: str) -> list[JumpHit]:
        """Return the best matches, the best first. Runs in a thread."""
        self._searches_begun += 1
        return heapq.nlargest(
            MAX_HITS, self._match_all(fold_text(query.strip())), key=lambda hit: hit.match.score
        )

    def _match_all(self, query: str) -> Iterator[JumpHit]:
        search, letters = self._searches_begun, compile_filter(query)
        for number, target in enumerate(self._targets):
            if number % TARGETS_BETWEEN_LOOKS == 0 and search != self._searches_begun:
                return
            if letters.match(target.folded) and (match := match_text(query, target.folded)):
                yield JumpHit(target, match)


async def read_jump_targets(
    services: Services, universe_id: Id | None, played_scene_id: Id | None
) -> JumpTargets:
    """Read where one can go from a screen about a world; `played_scene_id` is open below, and no target.

    From a screen about none: in the world that was played last.
    """
    routes: list[NamedRoute] = []
    entities: list[EntityNames] = []
    cards, universes = await services.stories.stories(), await services.stories.universes()
    universe_id = universe_id or await services.stories.find_last_universe_id()
    if universe_id is not None:
        entities = await services.world.list_named_entities(universe_id)
        routes += _proposal_routes(await services.world.previews.list_proposed_entities(universe_id))
        routes += await _read_scenes(services, universe_id, played_scene_id)
        routes += (
            NamedRoute(
                entry.fact.fact.statement,
                f"This {entry.kind}, {entry.age}" if entry.age else f"This {entry.kind}",
                ToCommitments(universe_id, played_scene_id, entry.fact.fact.id),
            )
            for entry in await services.world.commitments.list_open_commitments(universe_id)
        )
    routes += await _read_settings(services)
    routes += (
        NamedRoute(card.story.title, f"Play this story, in {card.universe.name}", ToStory(card.story.id))
        for card in cards
        if card.state == "active" and played_scene_id is None
    )
    routes += (
        NamedRoute(
            universe.name, "What is true in this world, and why", ToUniverse(universe.id, beside_play=True)
        )
        for universe in universes
    )
    return JumpTargets(await asyncio.to_thread(_build_targets, universe_id, entities, routes))


def _proposal_routes(proposals: Iterable[ProposedChange]) -> Iterator[NamedRoute]:
    """Yield a route to each who is only proposed, by name and by alias, to the row at its gate."""
    for proposal in proposals:
        change = proposal.change
        if not isinstance(change, CreateEntity):
            continue
        route = ToGate(proposal.scene_id, proposal.universe_id, proposal.id)
        for name in (change.name, *change.aliases):
            whose = "this" if name == change.name else f"{change.name}, a"
            yield NamedRoute(name, f"Proposed: {whose} {change.entity_kind.value} waits at the gate", route)


async def _read_scenes(
    services: Services, universe_id: Id, played_scene_id: Id | None
) -> Iterator[NamedRoute]:
    """Return the scenes of a world and its branches, to be read; the one that play stands in, to be played."""
    rows = (await services.branches.read_map(universe_id)).rows
    return (
        NamedRoute(
            row.title,
            "Play goes on in this scene" if row.is_played and row.story_id else "Read this scene",
            ToStory(row.story_id) if row.is_played and row.story_id else ToReading(row.turn_id or ""),
        )
        for row in rows
        if row.kind is MapRowKind.SCENE and row.turn_id and row.scene_id != played_scene_id
    )


async def _read_settings(services: Services) -> Iterator[NamedRoute]:
    settings = await services.settings.read_settings()
    return (
        NamedRoute(
            f"{setting.label} ({group.title.partition(' (')[0].lower()})",
            setting.meaning,
            ToSettings(setting.label),
        )
        for group in settings.groups
        for setting in group.settings
    )


def _build_targets(
    universe_id: Id | None, entities: Sequence[EntityNames], routes: Sequence[NamedRoute]
) -> tuple[JumpTarget, ...]:
    """Return all targets. Runs in a thread: a large world has tens of thousands."""
    return tuple(
        JumpTarget(fold_text(named.name), named) for named in (*_card_routes(universe_id, entities), *routes)
    )


def _card_routes(universe_id: Id | None, entities: Sequence[EntityNames]) -> Iterator[NamedRoute]:
    for entity in entities:
        route = ToUniverse(universe_id, entity.id, beside_play=True)
        yield NamedRoute(entity.name, f"The card of this {entity.kind.value}", route)
        for alias in entity.aliases:
            yield NamedRoute(alias, f"The card of {entity.name}", route)
