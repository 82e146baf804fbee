"""Finds where the scenes of a story were played, by where canon has their heroes."""

from __future__ import annotations

from collections.abc import Iterable

from agents.canon_keeper.fact_readings import LOCATED_IN, SUBJECT
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.play import Scene


async def read_scene_places(
    log: LogReader, canon: CanonReader, hero_id: Id | None, scenes: Iterable[Scene]
) -> dict[Id, list[Id]]:
    """Return by scene where its turns were, in order: not where it opened if its first turn led away from there."""
    query = FactsAboutQuery(predicate=LOCATED_IN, history=True)
    facts = await canon.facts_about(hero_id, query) if hero_id else []
    stays = {
        fact.id: fact
        for fact in facts
        if fact.status is not FactStatus.RETCONNED
        and fact.entity(SUBJECT) == hero_id
        and fact.entity("object")
    }
    places: dict[Id, list[Id]] = {}
    for scene in scenes:
        own_stays = [stays[i] for i in scene.canonical_outcomes if i in stays]
        first_turns = await log.line_slice(scene.id, 0, 1) if own_stays else []
        first_tick = first_turns[0].tick if first_turns else scene.tick
        places[scene.id] = _find_places(scene, own_stays, first_tick)
    return places


def _find_places(scene: Scene, stays: Iterable[Fact], first_tick: int) -> list[Id]:
    opening_place_id = scene.opening_place_id or scene.place_id
    sorted_stays = sorted(stays, key=lambda fact: fact.valid_from or 0)
    is_left_at_once = bool(sorted_stays) and (sorted_stays[0].valid_from or 0) <= first_tick
    place_ids = [
        None if is_left_at_once else opening_place_id,
        *(fact.entity("object") for fact in sorted_stays),
    ]
    return list(dict.fromkeys(i for i in place_ids if i))
