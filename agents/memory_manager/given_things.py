"""Finds who gave away the thing that they had by a fact which has ended: they saw it go. Read-only."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Mapping, Sequence

from agents.memory_manager.merged_entities import MergedEntities
from agents.prose.giving import gives_away
from agents.prose.names import names_of
from stores.ports import CanonReader, LogReader
from stores.records.canon import EvidenceKind, Fact, normalize_statement
from stores.records.ids import Id
from stores.records.play import Speaker
from stores.records.world import ACTORS, Entity


async def find_givers(
    canon: CanonReader,
    log: LogReader,
    ended_facts: Sequence[Fact],
    successors_by_id: Mapping[Id, Sequence[Fact]],
    merged_entities: MergedEntities,
    left_turn_ids: Collection[Id] = (),
) -> set[tuple[Id, Id]]:
    """Return (giver, ended fact) for each that ended by words in which somebody whom it is about gave the thing away.

    Words of the turns that are `left`, or not on the line, do not count.
    """
    successor_ids = {s.id for fact in ended_facts for s in successors_by_id[fact.id]}
    evidence_by_id = await canon.evidence_of_all(successor_ids)
    quoted_turns = [
        (fact_id, e.quote, e.turn_id)
        for fact_id, evidence in evidence_by_id.items()
        for e in evidence
        if e.kind is EvidenceKind.TURN and e.turn_id and e.turn_id not in left_turn_ids
    ]
    turn_ids = {turn_id for _, _, turn_id in quoted_turns}
    if not turn_ids:
        return set()
    involved_ids = {merged_entities.current_id(i.entity_id) for fact in ended_facts for i in fact.involves}
    turns, turn_ids_on_line, entities = await gather(
        log.turns(turn_ids), log.on_line(None, turn_ids), canon.entities_by_id(involved_ids)
    )
    scenes = await log.scenes_by_id({turn.scene_id for turn in turns.values()})
    stories = await gather(*(log.story(story_id) for story_id in {s.story_id for s in scenes.values()}))
    hero_by_story = {story.id: story.pc_id for story in stories}

    def is_given_by(giver: Entity, thing_names: Sequence[str], fact_id: Id) -> bool:
        for quoted_fact_id, quote, turn_id in quoted_turns:
            turn = turns.get(turn_id)
            if quoted_fact_id != fact_id or turn is None or turn_id not in turn_ids_on_line:
                continue
            if turn.speaker not in (Speaker.PLAYER, Speaker.GM) or not _names_thing(quote, thing_names):
                continue
            hero_id = hero_by_story.get(scenes[turn.scene_id].story_id)
            is_hero = hero_id is not None and merged_entities.current_id(hero_id) == giver.id
            is_gm = turn.speaker is Speaker.GM
            if gives_away(quote, turn.text, names_of(giver), is_hero=is_hero, is_gm=is_gm):
                return True
        return False

    givers = set()
    for fact in ended_facts:
        involved = [
            entities[entity_id]
            for entity_id in merged_entities.current_ids(i.entity_id for i in fact.involves)
            if entity_id in entities
        ]
        thing_names = [name for e in involved if e.kind not in ACTORS for name in (e.name, *e.aliases)]
        givers |= {
            (e.id, fact.id)
            for e in involved
            if e.kind in ACTORS and any(is_given_by(e, thing_names, s.id) for s in successors_by_id[fact.id])
        }
    return givers


def _names_thing(quote: str, thing_names: Sequence[str]) -> bool:
    """Say whether words have part of a thing's name, or a pronoun for it: `I give it to Vess`."""
    quote_words = set(normalize_statement(quote).split())
    name_words = {w for name in thing_names for w in normalize_statement(name).split() if len(w) > 2}
    return bool(quote_words & {*name_words, "it", "them"})
