"""Character sheets by the story's rule pack: shown, edited on the GM's word, and begun for a new hero.

Nothing here writes canon: a change is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.canon_keeper.fact_readings import OBJECT, OWNED_BY, SUBJECT
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations.declarations import DeclarationService
from agents.resolver.ruleset_schema import Pack
from agents.resolver.sheets import (
    NewSheet,
    Sheet,
    SheetLine,
    build_sheet,
    list_advances,
    numbers_of,
    read_load,
    sheet_lines,
    suggestions_at_ends,
)
from agents.resolver.working_state import find_changed_keys
from agents.solo.gear_things import NO_GEAR_THINGS, GearThings, add_gear, read_gear_things
from agents.solo.story_rules import StoryRules, read_working_sheet
from agents.story_outline import NewCharacter, StoryOutline
from agents.typed_numbers import number_label
from agents.typed_text import fold_name
from agents.views.sheet_views import SheetRow, SheetView
from stores.errors import InputError
from stores.queries import FactsAboutQuery
from stores.records.canon import AssertFact, Authority, EndFact, StateChange, StateOp
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, Number


class CharacterSheets:
    """Shows sheets, and proposes changes of them."""

    def __init__(
        self, context: SceneContextLoader, rules: StoryRules, declarations: DeclarationService
    ) -> None:
        self._context = context
        self._rules = rules
        self._declarations = declarations

    # --- showing -------------------------------------------------------------------------------------

    async def read_sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """Return somebody's sheet, the hero's if nobody is named. Raises InputError for an unknown name."""
        context = await self._context.load_context(scene_id)
        return await self._read_view(context, _find_owner(context, entity_id), _list_cast(context))

    def build_canon_sheet(self, entity: Entity) -> SheetView:
        """Return the numbers and tags that canon gives somebody, without a rule pack."""
        sheet = NewSheet(entity.name, entity.is_pc, entity.numbers, entity.tags)
        rows = tuple(map(build_sheet_row, sheet_lines(None, sheet, whole=True)))
        return SheetView(entity.id, entity.name, entity.is_pc, "", rows)

    async def describe_sheet(self, scene_id: Id, name: str) -> tuple[str, ...]:
        """Return somebody's sheet as lines. Raises InputError for an unknown name."""
        context = await self._context.load_context(scene_id)
        entity = await self._context.find_one_entity(context, name) if name else None
        view = await self._read_view(context, entity or _find_owner(context))
        heading = f"{view.name} · {view.system}" if view.system else view.name
        load_lines = (f"Gear: {view.load_text}",) if view.load_text else ()
        thing_lines = (f"Owns {', '.join(view.things)}",) if view.things else ()
        return (heading, *map(_format_row, view.rows), *load_lines, *thing_lines, *view.hints)

    async def _list_things(self, context: SceneContext, entity_id: Id) -> tuple[str, ...]:
        """Return the names of what somebody owns, by canon and by what the scene proposes."""
        facts = await self._context.canon.facts_about(entity_id, FactsAboutQuery(predicate=OWNED_BY))
        owner_by_thing = {f.entity(SUBJECT): f.entity(OBJECT) for f in facts}
        staged = [p.change for p in context.staged_proposals]
        ended_ids = {change.fact_id for change in staged if isinstance(change, EndFact)}
        for fact in facts:
            if fact.id in ended_ids:
                del owner_by_thing[fact.entity(SUBJECT)]
        for change in staged:
            if isinstance(change, AssertFact) and change.predicate == OWNED_BY:
                ids = {i.role: i.entity_id for i in change.involves}
                owner_by_thing[ids.get(SUBJECT)] = ids.get(OBJECT)
        thing_ids = [thing for thing, owner in owner_by_thing.items() if thing and owner == entity_id]
        entities = {**context.entities, **await self._context.canon.entities_by_id(thing_ids)}
        return tuple(sorted(entities[i].name for i in thing_ids if i in entities))

    async def _read_view(
        self, context: SceneContext, entity: Entity, cast: Sequence[Entity] = ()
    ) -> SheetView:
        """Return somebody's sheet with what they own; gear that is a thing counts while they own it."""
        pack = self._rules.find_pack(context)
        gear = await read_gear_things(context, self._context.canon, pack, entity.id)
        view = self._build_view(context, entity, cast, gear)
        return replace(view, things=await self._list_things(context, entity.id))

    def _build_view(
        self,
        context: SceneContext,
        entity: Entity,
        cast: Sequence[Entity] = (),
        gear: GearThings = NO_GEAR_THINGS,
    ) -> SheetView:
        pack, sheet = self._rules.find_pack(context), read_working_sheet(context, entity)
        gone_rows = [_build_gone_row(tag, gear) for tag in sheet.tags if fold_name(tag) in gear.gone]
        sheet = add_gear(sheet, gear)
        changed_keys = {fold_name(key) for key in find_changed_keys(entity, context.state_changes(entity.id))}
        rows = [_build_marked_row(line, changed_keys) for line in sheet_lines(pack, sheet, whole=True)]
        rows = [*(_name_thing(row, gear) for row in rows), *gone_rows]
        hints = [
            f"{suggestion.cause}: {suggestion.says}" if suggestion.says else suggestion.cause
            for suggestion in (suggestions_at_ends(pack, sheet) if pack else ())
        ]
        hints += _describe_growth(pack, sheet) if pack else ()
        return SheetView(
            entity_id=entity.id,
            name=entity.name,
            is_pc=entity.is_pc,
            system=pack.name if pack else "",
            rows=tuple(rows),
            hints=tuple(hints),
            other_sheets=tuple((other_entity.id, other_entity.name) for other_entity in cast),
            load_text=_describe_load(pack, sheet) if pack else "",
            known_tags=tuple(tag.key for tag in pack.tags) if pack else (),
            last_edit_id=_find_last_edit_id(context, entity),
        )

    async def propose_edit(
        self, context: SceneContext, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> list[ProposedChange]:
        """Propose, on the GM's word, numbers of a sheet, and tags to add or remove.

        Raises InputError for somebody who is not in the scene, and for impossible changes.
        """
        view = self._build_view(context, _find_owner(context, entity_id))
        rows_by_key = {fold_name(row.key): row for row in view.rows if row.kind != "tag"}
        changes = [
            _build_number_change(view.entity_id, row.key if row else key, row, value)
            for key, value in numbers.items()
            for row in (rows_by_key.get(fold_name(key)),)
            if row is None or not row.is_on_sheet or row.number != value
        ]
        changes += [
            StateChange(entity_id=view.entity_id, key=tag, op=StateOp.TAG if is_set else StateOp.UNTAG)
            for tag, is_set in tags.items()
        ]
        edit_text = ", ".join((*(f"{k} {v:g}" for k, v in numbers.items()), *_describe_tags(tags)))
        return await self._declarations.propose_state_changes(
            context, changes, f"{view.name}'s sheet: {edit_text}", is_quotation=False
        )

    # --- gear as things of the world -----------------------------------------------------------------

    async def list_gear(self, context: SceneContext) -> tuple[str, ...]:
        """Return the hero's gear as lines, with the things that it is."""
        hero, pack = context.player_character(), self._rules.find_pack(context)
        if hero is None or pack is None:
            return ()
        view = await self._read_view(context, hero)
        load_lines = (f"Gear: {view.load_text}",) if view.load_text else ()
        return (*load_lines, *(_format_row(row) for row in view.rows if row.is_gear))

    async def propose_gear_thing(self, context: SceneContext, argument: str) -> list[ProposedChange]:
        """Propose that gear of the hero's is a thing of the world: `long blade`, or `long blade: Oathkeeper`.

        Raises InputError for what is no gear of theirs, or is a thing already.
        """
        hero, pack = context.player_character(), self._rules.find_pack(context)
        typed_gear, _, typed_name = (part.strip() for part in argument.partition(":"))
        gear_tags = {fold_name(tag.key): tag.key for tag in pack.tags if tag.kind == "gear"} if pack else {}
        sheet_words = {fold_name(tag) for tag in read_working_sheet(context, hero).tags}
        word = fold_name(typed_gear)
        if hero is None or word not in gear_tags.keys() & sheet_words:
            known = ", ".join(gear_tags[w] for w in sorted(gear_tags.keys() & sheet_words))
            raise InputError(
                f"{hero.name if hero else 'Nobody'} carries no {typed_gear!r} by the rules.",
                kept="Nothing was proposed.",
                todo=f"Gear: {known}." if known else "/state NAME +GEAR puts gear of the rules on a sheet.",
            )
        gear = await read_gear_things(context, self._context.canon, pack, hero.id)
        if (thing := gear.held.get(word) or gear.gone.get(word)) is not None:
            raise InputError(
                f"{hero.name}'s {typed_gear} is a thing of the world already: {thing}.",
                kept="Nothing was proposed.",
            )
        name = typed_name or f"{hero.name.split()[0]}'s {gear_tags[word]}"
        return await self._declarations.declare_held_thing(
            context, hero, name, gear_tags[word], f"/gear {argument}"
        )

    # --- set-up --------------------------------------------------------------------------------------

    def add_starting_sheet(self, outline: StoryOutline, pack: Pack | None) -> StoryOutline:
        """Return the outline with the numbers and tags that its rules give a new hero."""
        hero = outline.pc
        if pack is None or not isinstance(hero, NewCharacter):
            return outline
        sheet = build_sheet(pack, hero.name, dict(hero.numbers), hero.tags)
        return replace(outline, pc=replace(hero, numbers=tuple(sheet.numbers.items()), tags=sheet.tags))


def _list_cast(context: SceneContext) -> list[Entity]:
    """Return who is in the scene, the hero first."""
    return sorted(context.present_actors(), key=lambda e: not e.is_pc)


def _find_owner(context: SceneContext, entity_id: Id | None = None) -> Entity:
    """Return whose sheet is asked for, the hero's if nobody is named. Raises InputError if nobody is there."""
    hero = context.player_character() or next(iter(_list_cast(context)), None)
    entity = context.entities.get(entity_id) if entity_id else hero
    if entity is None:
        raise InputError(
            "Nobody is here who has a sheet.",
            todo="/npc NAME: who they are (hp 6) brings somebody in.",
        )
    return entity


def _name_thing(row: SheetRow, gear: GearThings) -> SheetRow:
    thing = gear.held.get(fold_name(row.key)) if row.is_gear else None
    return replace(row, meaning=" · ".join(filter(None, (thing, row.meaning)))) if thing else row


def _build_gone_row(tag: str, gear: GearThings) -> SheetRow:
    meaning = f"gone with {gear.gone[fold_name(tag)]}"
    return SheetRow("tag", tag, tag, meaning=meaning, is_gear=True, is_gone=True)


def build_sheet_row(line: SheetLine) -> SheetRow:
    """Return a line of a sheet as screens draw it."""
    return SheetRow(
        kind=line.kind,
        key=line.key,
        label=line.label,
        value_text=line.value,
        meaning=line.meaning,
        number=line.number,
        minimum=line.low,
        maximum=line.high,
        is_on_sheet=line.own,
        is_gear=line.is_gear,
    )


def _describe_load(pack: Pack, sheet: Sheet) -> str:
    """Return how much gear is carried: `3 of 8 slots`; empty where the rules have no gear."""
    if pack.carries is None and all(tag.kind != "gear" for tag in pack.tags):
        return ""
    load = read_load(pack, sheet)
    return f"{load.slots} slots" if load.room is None else f"{load.slots} of {load.room} slots"


def _describe_growth(pack: Pack, sheet: Sheet) -> Iterable[str]:
    """Yield that too much is carried, and that experience can be spent."""
    load = read_load(pack, sheet)
    if load.room is not None and load.slots > load.room:
        yield f"{sheet.name} carries {load.slots} slots of {load.room}: something has to stay behind."
    if pack.advancement is None:
        return
    experience = numbers_of(pack, sheet)[pack.advancement.experience]
    if any(cost <= experience for _, cost in list_advances(pack, sheet)):
        yield f"{number_label(pack.advancement.experience)} {experience:g} can be spent: /advance"


def _find_last_edit_id(context: SceneContext, entity: Entity) -> Id | None:
    """Return the GM's last change of somebody that is staged and undecided."""
    own_edit_ids = (
        p.id
        for p in reversed(context.staged_proposals)
        if isinstance(p.change, StateChange) and p.change.entity_id == entity.id
        if p.authority is Authority.GM and p.decision is None
    )
    return next(own_edit_ids, None)


def _build_number_change(entity_id: Id, key: str, row: SheetRow | None, value: Number) -> StateChange:
    """Return the change by the difference from the present number; a number that only the rules have is set."""
    if row is None or not row.is_on_sheet or row.number is None:
        return StateChange(entity_id=entity_id, key=key, op=StateOp.SET, value=value)
    return StateChange(entity_id=entity_id, key=key, op=StateOp.ADD, value=value - row.number)


def _describe_tags(tags: Mapping[str, bool]) -> Iterable[str]:
    return (f"{'+' if is_set else '-'}{tag}" for tag, is_set in tags.items())


def _build_marked_row(line: SheetLine, changed_keys: set[str]) -> SheetRow:
    return replace(build_sheet_row(line), is_staged=fold_name(line.key) in changed_keys)


def _format_row(row: SheetRow) -> str:
    mark = "*" if row.is_staged else ""
    heading = f"{row.label} {row.value_text}".rstrip() if row.kind != "tag" else f"+{row.label}"
    if row.is_gone:
        return f"({row.label})  ·  {row.meaning}"
    return f"{heading}{mark}" + (f"  ·  {row.meaning}" if row.meaning else "")
