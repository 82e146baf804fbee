"""Character sheets by the story's rule pack: shown, changed on the GM's word, and begun for a new hero.

Nothing here writes canon: a change is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations.declarations import DeclarationService
from agents.orchestrator.rolls import RollService
from agents.resolver.ruleset_schema import Pack
from agents.resolver.sheets import NewSheet, SheetLine, build_sheet, sheet_lines, suggestions_at_ends
from agents.resolver.typed_text import fold_name
from agents.story_outline import NewCharacter, StoryOutline
from agents.views.play_views import SheetRow, SheetView
from stores.errors import InputError
from stores.records.canon import Authority, StateChange, StateOp
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, Number


class Sheets:
    """Stateless."""

    def __init__(
        self, context: SceneContextLoader, rolls: RollService, declarations: DeclarationService
    ) -> None:
        self._context = context
        self._rolls = rolls
        self._declarations = declarations

    # --- showing -------------------------------------------------------------------------------------

    async def view(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """Return somebody's sheet, the hero's if nobody is named. Raises InputError if nobody is there."""
        return self.view_in(await self._context.load_context(scene_id), entity_id)

    def view_in(self, context: SceneContext, entity_id: Id | None = None) -> SheetView:
        """Return somebody's sheet in a scene that was read, as `view` does."""
        cast = sorted(context.present_actors(), key=lambda e: not e.is_pc)
        first = context.player_character() or next(iter(cast), None)
        entity = context.entities.get(entity_id) if entity_id else first
        if entity is None:
            raise InputError(
                "Nobody is here who has a sheet.",
                todo="/npc Old Tam: keeper of the salt bell (hp 6) brings somebody in.",
            )
        return self._view(context, entity, cast)

    def of_canon(self, entity: Entity) -> SheetView:
        """Return the numbers and tags that canon gives somebody, by no rules."""
        sheet = NewSheet(entity.name, entity.is_pc, entity.numbers, entity.tags)
        rows = tuple(map(sheet_row, sheet_lines(None, sheet, whole=True)))
        return SheetView(entity.id, entity.name, entity.is_pc, "", rows)

    async def lines(self, scene_id: Id, name: str) -> tuple[str, ...]:
        """Return somebody's sheet as lines. Raises InputError for a name that nobody has here."""
        context = await self._context.load_context(scene_id)
        entity = await self._context.find_one_entity(context, name) if name else None
        view = await self.view(scene_id) if entity is None else self._view(context, entity, ())
        head = f"{view.name} · {view.system}" if view.system else view.name
        return (head, *map(_line, view.rows), *view.hints)

    def _view(self, context: SceneContext, entity: Entity, cast: Sequence[Entity]) -> SheetView:
        pack, sheet = self._rolls.find_pack(context), self._rolls.read_sheet(context, entity)
        changed = {fold_name(change.key) for change in context.state_changes(entity.id)}
        rows = [_row(line, changed) for line in sheet_lines(pack, sheet, whole=True)]
        hints = [
            f"{found.cause}: {found.says}" if found.says else found.cause
            for found in (suggestions_at_ends(pack, sheet) if pack else ())
        ]
        return SheetView(
            entity_id=entity.id,
            name=entity.name,
            is_pc=entity.is_pc,
            system=pack.name if pack else "",
            rows=tuple(rows),
            hints=tuple(hints),
            others=tuple((one.id, one.name) for one in cast),
            tags=tuple(tag.key for tag in pack.tags) if pack else (),
            last_edit=_last_edit(context, entity),
        )

    async def edit(
        self, context: SceneContext, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> list[ProposedChange]:
        """Propose, on the GM's word, that numbers of a sheet are these, and that tags are on it or not.

        Raises InputError for somebody who is not in the scene, and for changes that cannot be.
        """
        view = self.view_in(context, entity_id)
        rows = {fold_name(row.key): row for row in view.rows if row.kind != "tag"}
        changes = [
            _number_change(view.entity_id, row.key if row else key, row, value)
            for key, value in numbers.items()
            for row in (rows.get(fold_name(key)),)
            if row is None or not row.own or row.number != value
        ]
        changes += [
            StateChange(entity_id=view.entity_id, key=tag, op=StateOp.TAG if on else StateOp.UNTAG)
            for tag, on in tags.items()
        ]
        words = ", ".join((*(f"{k} {v:g}" for k, v in numbers.items()), *_tag_words(tags)))
        return await self._declarations.propose_state_changes(
            context, changes, f"{view.name}'s sheet: {words}"
        )

    # --- set-up --------------------------------------------------------------------------------------

    def with_hero(self, outline: StoryOutline, pack: Pack | None) -> StoryOutline:
        """Return the outline with the numbers and tags that its rules give a new hero."""
        hero = outline.pc
        if pack is None or not isinstance(hero, NewCharacter):
            return outline
        sheet = build_sheet(pack, hero.name, dict(hero.numbers), hero.tags)
        return replace(outline, pc=replace(hero, numbers=tuple(sheet.numbers.items()), tags=sheet.tags))


def sheet_row(line: SheetLine) -> SheetRow:
    """Return a line of a sheet as screens draw it."""
    return SheetRow(
        kind=line.kind,
        key=line.key,
        label=line.label,
        shown=line.value,
        meaning=line.meaning,
        number=line.number,
        low=line.low,
        high=line.high,
        own=line.own,
    )


def _last_edit(context: SceneContext, entity: Entity) -> Id | None:
    """Return the GM's own last change of somebody that is staged and not decided."""
    own = (
        p.id
        for p in reversed(context.staged_proposals)
        if isinstance(p.change, StateChange) and p.change.entity_id == entity.id
        if p.authority is Authority.GM and p.decision is None
    )
    return next(own, None)


def _number_change(entity_id: Id, key: str, row: SheetRow | None, value: Number) -> StateChange:
    """Return the step from what stands there; what stands in the rules alone is set."""
    if row is None or not row.own or row.number is None:
        return StateChange(entity_id=entity_id, key=key, op=StateOp.SET, value=value)
    return StateChange(entity_id=entity_id, key=key, op=StateOp.ADD, value=value - row.number)


def _tag_words(tags: Mapping[str, bool]) -> Iterable[str]:
    return (f"{'+' if on else '-'}{tag}" for tag, on in tags.items())


def _row(line: SheetLine, changed: set[str]) -> SheetRow:
    return replace(sheet_row(line), staged=fold_name(line.key) in changed)


def _line(row: SheetRow) -> str:
    mark = "*" if row.staged else ""
    head = f"{row.label} {row.shown}".rstrip() if row.kind != "tag" else f"+{row.label}"
    return f"{head}{mark}" + (f"  ·  {row.meaning}" if row.meaning else "")
