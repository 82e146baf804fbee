"""Character sheets by the story's rule pack: shown, edited on the GM's word, and begun for a new hero.

Nothing here writes canon: a change is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations.declarations import DeclarationService
from agents.resolver.ruleset_schema import Pack
from agents.resolver.sheets import NewSheet, SheetLine, build_sheet, sheet_lines, suggestions_at_ends
from agents.solo.story_rules import StoryRules, read_working_sheet
from agents.story_outline import NewCharacter, StoryOutline
from agents.typed_text import fold_name
from agents.views.play_views import SheetRow, SheetView
from stores.errors import InputError
from stores.records.canon import Authority, StateChange, StateOp
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
        return self.read_sheet_in(await self._context.load_context(scene_id), entity_id)

    def read_sheet_in(self, context: SceneContext, entity_id: Id | None = None) -> SheetView:
        """Return somebody's sheet in a scene that was read already."""
        cast = sorted(context.present_actors(), key=lambda e: not e.is_pc)
        default_entity = context.player_character() or next(iter(cast), None)
        entity = context.entities.get(entity_id) if entity_id else default_entity
        if entity is None:
            raise InputError(
                "Nobody is here who has a sheet.",
                todo="/npc NAME: who they are (hp 6) brings somebody in.",
            )
        return self._build_view(context, entity, cast)

    def build_canon_sheet(self, entity: Entity) -> SheetView:
        """Return the numbers and tags that canon gives somebody, without a rule pack."""
        sheet = NewSheet(entity.name, entity.is_pc, entity.numbers, entity.tags)
        rows = tuple(map(build_sheet_row, sheet_lines(None, sheet, whole=True)))
        return SheetView(entity.id, entity.name, entity.is_pc, "", rows)

    async def describe_sheet(self, scene_id: Id, name: str) -> tuple[str, ...]:
        """Return somebody's sheet as lines. Raises InputError for an unknown name."""
        context = await self._context.load_context(scene_id)
        entity = await self._context.find_one_entity(context, name) if name else None
        view = await self.read_sheet(scene_id) if entity is None else self._build_view(context, entity, ())
        heading = f"{view.name} · {view.system}" if view.system else view.name
        return (heading, *map(_format_row, view.rows), *view.hints)

    def _build_view(self, context: SceneContext, entity: Entity, cast: Sequence[Entity]) -> SheetView:
        pack, sheet = self._rules.find_pack(context), read_working_sheet(context, entity)
        changed_keys = {fold_name(change.key) for change in context.state_changes(entity.id)}
        rows = [_build_marked_row(line, changed_keys) for line in sheet_lines(pack, sheet, whole=True)]
        hints = [
            f"{suggestion.cause}: {suggestion.says}" if suggestion.says else suggestion.cause
            for suggestion in (suggestions_at_ends(pack, sheet) if pack else ())
        ]
        return SheetView(
            entity_id=entity.id,
            name=entity.name,
            is_pc=entity.is_pc,
            system=pack.name if pack else "",
            rows=tuple(rows),
            hints=tuple(hints),
            other_sheets=tuple((other_entity.id, other_entity.name) for other_entity in cast),
            known_tags=tuple(tag.key for tag in pack.tags) if pack else (),
            last_edit_id=_find_last_edit_id(context, entity),
        )

    async def propose_edit(
        self, context: SceneContext, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> list[ProposedChange]:
        """Propose, on the GM's word, numbers of a sheet, and tags to add or remove.

        Raises InputError for somebody who is not in the scene, and for impossible changes.
        """
        view = self.read_sheet_in(context, entity_id)
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

    # --- set-up --------------------------------------------------------------------------------------

    def add_starting_sheet(self, outline: StoryOutline, pack: Pack | None) -> StoryOutline:
        """Return the outline with the numbers and tags that its rules give a new hero."""
        hero = outline.pc
        if pack is None or not isinstance(hero, NewCharacter):
            return outline
        sheet = build_sheet(pack, hero.name, dict(hero.numbers), hero.tags)
        return replace(outline, pc=replace(hero, numbers=tuple(sheet.numbers.items()), tags=sheet.tags))


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
    )


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
    return f"{heading}{mark}" + (f"  ·  {row.meaning}" if row.meaning else "")
