"""Which of somebody's gear is a thing of the world, and whether they have that thing now.

Gear of a rule pack is a word on a sheet. Made a thing of the world, it goes with the thing: whoever has the thing has
the gear, and who loses it has it no more. The thing bears the gear's word as a tag, which is what ties the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.fact_readings import OBJECT, OWNED_BY, SUBJECT
from agents.canon_keeper.sentences.possession import ANYBODY
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book
from agents.context_assembly.scene_context import SceneContext
from agents.proposals.decisions import is_rejected
from agents.resolver.ruleset_schema import Pack
from agents.resolver.sheets import NewSheet, Sheet
from agents.solo.story_rules import read_working_sheet
from agents.typed_text import fold_name
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import AssertFact, CreateEntity, Fact, FactStatus
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind

_OWNS, _HAS, _FINDS = "owns", "has", "verb:find"


@dataclass(frozen=True, slots=True)
class GearThings:
    """By the word of gear, without case, the name of the thing that it is."""

    held: Mapping[str, str] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)
    """Of things that they had and have no more."""


NO_GEAR_THINGS: Final = GearThings()


async def read_gear_things(
    context: SceneContext, canon: CanonReader, pack: Pack | None, owner_id: Id
) -> GearThings:
    """Return which gear is a thing that somebody has or had, by canon and by what the scene proposes."""
    words = {fold_name(tag.key) for tag in pack.tags if tag.kind == "gear"} if pack else set()
    if not words:
        return NO_GEAR_THINGS
    held: dict[str, str] = {}
    gone: dict[str, str] = {}
    for thing, tags in await _read_tagged_things(context, canon, words):
        holders = await _read_holders(context, canon, thing)
        if holders and holders[-1] == owner_id:
            held.update(dict.fromkeys(tags, thing.name))
        elif owner_id in holders:
            gone.update(dict.fromkeys(tags, thing.name))
    return GearThings(held, {word: name for word, name in gone.items() if word not in held})


async def read_sheet_with_gear(
    context: SceneContext, canon: CanonReader, pack: Pack, entity: Entity | None
) -> Sheet:
    """Return somebody's sheet as checks read it: gear that is a thing counts while they have the thing."""
    sheet = read_working_sheet(context, entity)
    if entity is None or not any(tag.kind == "gear" and tag.modifier for tag in pack.tags):
        return sheet
    return add_gear(sheet, await read_gear_things(context, canon, pack, entity.id))


def add_gear(sheet: Sheet, gear: GearThings) -> Sheet:
    """Return the sheet without gear that is gone with its thing, and with the gear that things are."""
    present = [tag for tag in sheet.tags if fold_name(tag) not in gear.gone]
    added = gear.held.keys() - {fold_name(tag) for tag in present}
    return NewSheet(sheet.name, sheet.is_pc, sheet.numbers, (*present, *sorted(added)))


async def _read_tagged_things(
    context: SceneContext, canon: CanonReader, words: set[str]
) -> list[tuple[Entity, set[str]]]:
    """Return the things that bear one of the words, in canon or by what the scene proposes, each with those words."""
    proposed_tags = {
        p.change.entity_id: p.change.tags
        for p in context.staged_proposals
        if isinstance(p.change, CreateEntity) and not is_rejected(p)
    }
    things = {e.id: e for e in await canon.entities(context.universe.id, kind=EntityKind.OBJECT)}
    things |= {e.id: e for e in context.entities.values() if e.kind is EntityKind.OBJECT}
    tagged = []
    for thing in things.values():
        tags = {*context.working_state(thing).tags, *proposed_tags.get(thing.id, ())}
        if borne := words & {fold_name(tag) for tag in tags}:
            tagged.append((thing, borne))
    return tagged


async def _read_holders(context: SceneContext, canon: CanonReader, thing: Entity) -> list[Id | None]:
    """Return who had a thing one after the other, the present holder last; None: nobody."""
    facts = await canon.facts_about(thing.id, FactsAboutQuery(history=True))
    facts = [fact for fact in facts if fact.status is not FactStatus.RETCONNED]
    facts.sort(key=lambda fact: (fact.valid_from or 0, fact.recorded_at))
    staged = [p.change for p in context.staged_proposals if not is_rejected(p)]
    statements: list[Fact | AssertFact] = [*facts]
    statements += [
        change
        for change in staged
        if isinstance(change, AssertFact) and any(i.entity_id == thing.id for i in change.involves)
    ]
    ids = {i.entity_id for statement in statements for i in statement.involves}
    entities = {**await canon.entities_by_id(ids), **context.entities}
    names = build_name_book(entities[i] for i in ids if i in entities)
    holders: list[Id | None] = []
    for statement in statements:
        for holder_id, has_it in _read_possession(statement, thing.id, names):
            if has_it:
                holders.append(holder_id)
            elif holders and holder_id in (None, holders[-1]):
                holders.append(None)
    return holders


def _read_possession(
    statement: Fact | AssertFact, thing_id: Id, names: NameBook
) -> Iterator[tuple[Id | None, bool]]:
    """Yield who has the thing by a statement, or has it no more; None: whoever it was."""
    by_role = {i.role: i.entity_id for i in statement.involves}
    if statement.predicate == OWNED_BY and by_role.get(SUBJECT) == thing_id:
        yield by_role.get(OBJECT), True
    elif statement.predicate == _OWNS and by_role.get(OBJECT) == thing_id:
        yield by_role.get(SUBJECT), True
    else:
        for claim in read_statement(statement.statement, names).claims:
            if claim.object is None or claim.object.entity != thing_id:
                continue
            if claim.relation in (_HAS, _OWNS):
                yield (None if claim.subject == ANYBODY else claim.subject.entity), claim.is_affirmed
            elif claim.relation == _FINDS and claim.is_affirmed:
                yield claim.subject.entity, True
