"""Character sheets by the story's rule pack: shown, rested, and watched for what runs out.

Nothing here writes canon: what a rest does is proposed, what the rules say of a number at 0 only suggested.
Source: design/product.md ("deterministic state with one writer, every value editable"); docs/rule-packs.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.desk import NewCharacter, StoryOutline
from agents.orchestrator.calendar import clock_time
from agents.orchestrator.declarations import Declarations, by_hand
from agents.orchestrator.exchange import Exchange, begin
from agents.orchestrator.rolls import Rolls
from agents.resolver.effects import Effect
from agents.resolver.names import Names
from agents.resolver.proposals import proposal_id, touches_critical
from agents.resolver.resolver import settle
from agents.resolver.ruleset_schema import Pack, spoken
from agents.resolver.sheets import NewSheet, Sheet, SheetLine, at_ends, begun, crossings, rest, sheet_lines
from agents.resolver.words import folded
from agents.resolver.working_state import fold
from agents.views import Reply, SheetRow, SheetView
from stores.errors import InputError
from stores.records.canon import Authority, StateChange, StateOp
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import ProposedChange
from stores.records.world import Entity, Number

_WITH = re.compile(r"(.*?)(?:\s+with\s+(.+))?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Watch:
    """What was staged on a scene's line at a moment."""

    scene_id: Id
    staged: frozenset[Id]


class Sheets:
    """Stateless."""

    def __init__(
        self,
        context: ContextAssembly,
        rolls: Rolls,
        declarations: Declarations,
        ids: IdMaker,
        clock: Clock,
    ) -> None:
        self._context = context
        self._rolls = rolls
        self._declarations = declarations
        self._ids = ids
        self._clock = clock

    # --- showing -------------------------------------------------------------------------------------

    async def view(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """Return somebody's sheet, the hero's if nobody is named. Raises InputError if nobody is there."""
        context = await self._context.load(scene_id)
        cast = sorted(context.cast(), key=lambda e: not e.is_pc)
        first = context.actor() or next(iter(cast), None)
        entity = context.entities.get(entity_id) if entity_id else first
        if entity is None:
            raise InputError(
                "Nobody is here who has a sheet.",
                todo="/npc Old Tam: keeper of the salt bell (hp 6) brings somebody in.",
            )
        return self._view(context, entity, cast)

    async def lines(self, scene_id: Id, name: str) -> tuple[str, ...]:
        """Return somebody's sheet as lines. Raises InputError for a name that nobody has here."""
        context = await self._context.load(scene_id)
        entity = await self._context.named(context, name) if name else None
        view = await self.view(scene_id) if entity is None else self._view(context, entity, ())
        head = f"{view.name} · {view.system}" if view.system else view.name
        return (head, *map(_line, view.rows), *view.hints)

    def _view(self, context: SceneContext, entity: Entity, cast: Sequence[Entity]) -> SheetView:
        pack, sheet = self._rolls.pack(context), self._rolls.sheet(context, entity)
        changed = {folded(change.key) for change in context.changes(entity.id)}
        rows = [_row(line, changed) for line in sheet_lines(pack, sheet, whole=True)]
        hints = [
            f"{found.because}: {found.says}" if found.says else found.because
            for found in (at_ends(pack, sheet) if pack else ())
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
        self, scene_id: Id, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> list[ProposedChange]:
        """Propose, on the GM's word, that numbers of a sheet are these, and that tags are on it or not.

        Raises InputError for somebody who is not in the scene, and for changes that cannot be.
        """
        view = await self.view(scene_id, entity_id)
        rows = {folded(row.key): row for row in view.rows if row.kind != "tag"}
        changes = [
            _number_change(view.entity_id, row.key if row else key, row, value)
            for key, value in numbers.items()
            for row in (rows.get(folded(key)),)
            if row is None or not row.own or row.number != value
        ]
        changes += [
            StateChange(entity_id=view.entity_id, key=tag, op=StateOp.TAG if on else StateOp.UNTAG)
            for tag, on in tags.items()
        ]
        words = ", ".join((*(f"{k} {v:g}" for k, v in numbers.items()), *_tag_words(tags)))
        return await self._declarations.changes(scene_id, changes, f"{view.name}'s sheet: {words}")

    # --- rests ---------------------------------------------------------------------------------------

    def rests(self, context: SceneContext) -> tuple[str, ...]:
        """List the rests of the story's rules, a line each. Raises InputError without a pack."""
        pack = self._needed(context)
        lines = [f"{spoken(r.key)} ({_length(r.minutes)}): {r.meaning}" for r in pack.rests]
        return tuple(lines) or (f"{pack.name} has no rests; /time +8h lets time pass.",)

    async def rest(self, context: SceneContext, typed: str) -> Exchange:
        """Return the exchange that a rest is: time passes, and its effects are proposed with it.

        `typed` is the rest's name, and who rests along (`night with Old Tam`). Raises InputError.
        """
        pack, hero = self._needed(context), context.actor()
        found = _WITH.fullmatch(typed)
        assert found is not None
        key, others = found[1].strip(), found[2] or ""
        resting = [hero] if hero else []
        resting += [await self._context.named(context, n.strip()) for n in others.split(",") if n.strip()]
        if not resting:
            raise InputError(
                "This story has no player character to rest.",
                kept="Nothing was played.",
                todo=f"/rest {key} with Old Tam",
            )
        recovered = [(one, rest(pack, key, self._rolls.sheet(context, one))) for one in resting]
        meant = next(r for r in pack.rests if spoken(r.key) == spoken(key))
        until = context.tick + meant.minutes
        who = " and ".join(one.name for one in resting)
        verb = "rests" if len(resting) == 1 else "rest"
        when = clock_time(context.universe.calendar, until)
        words = f"{who} {verb}: {meant.meaning.rstrip('.')}. It is {when}."
        exchange = begin(self._ids, context.scene, context.head, words=words, until=until)
        effects = [(one, effect) for one, recovery in recovered for effect in recovery.effects]
        return exchange.model_copy(update={"proposals": await self._proposed(context, exchange, effects)})

    async def _proposed(
        self, context: SceneContext, exchange: Exchange, effects: Iterable[tuple[Entity, Effect]]
    ) -> tuple[ProposedChange, ...]:
        assert exchange.words_id is not None
        turn, is_critical = exchange.words_turn(self._clock()), await self._rolls.is_critical(context)
        proposals = []
        for index, (entity, effect) in enumerate(effects):
            _, change = settle(replace(effect, name=entity.name), Names([entity]))
            named = proposal_id(exchange.words_id, index)
            proposals.append(
                ProposedChange(
                    id=named,
                    universe_id=context.universe.id,
                    story_id=context.story.id,
                    scene_id=context.scene.id,
                    turn_id=exchange.words_id,
                    payload=change,
                    evidence=by_hand(named, exchange.words, turn),
                    authority=Authority.PLAYER,
                    tick=exchange.tick,
                    critical=touches_critical(change, is_critical),
                    created_at=self._clock(),
                )
            )
        return tuple(proposals)

    # --- what runs out -------------------------------------------------------------------------------

    async def watch(self, scene_id: Id) -> Watch | None:
        """Remember what is staged, so that `crossed` can tell what came since; None without a rule pack."""
        context = await self._context.load(scene_id)
        if self._rolls.pack(context) is None:
            return None
        return Watch(scene_id, frozenset(p.id for p in context.staged))

    async def crossed(self, watch: Watch | None, reply: Reply) -> Reply:
        """Add to a reply what the rules say of numbers that came to 0 (or tracks that filled) since, with
        their effects as a line to accept. Nothing is staged: the GM decides."""
        if watch is None:
            return reply
        context = await self._context.load(watch.scene_id)
        pack = self._rolls.pack(context)
        new = [p.change for p in context.staged if p.id not in watch.staged]
        changes = [change for change in new if isinstance(change, StateChange)]
        if pack is None or not changes:
            return reply
        lines: list[str] = []
        effects: list[Effect] = []
        for entity_id in dict.fromkeys(change.entity_id for change in changes):
            entity = context.entities[entity_id]
            own = [change for change in changes if change.entity_id == entity_id]
            before, after = self._around(context, entity, own)
            lines += _counted_from_nothing(pack, before, own)
            for found in crossings(pack, before, after):
                lines.append(f"{entity.name}: {found.because}." + (f" {found.says}" if found.says else ""))
                effects += found.effects
        if not effects:
            return replace(reply, lines=(*reply.lines, *lines))
        accept = f"/state {', '.join(dict.fromkeys(map(str, effects)))}"
        lines.append(f"The rules suggest {accept}" + ("" if reply.text else " (Enter stages it)"))
        return replace(reply, lines=(*reply.lines, *lines), text=reply.text or accept)

    def _around(
        self, context: SceneContext, entity: Entity, changes: Sequence[StateChange]
    ) -> tuple[Sheet, Sheet]:
        """Return somebody's sheet before these changes, and as it stands with them."""
        earlier = list(context.changes(entity.id))
        for change in changes:
            earlier.remove(change)
        before = fold(entity, earlier)
        sheet = NewSheet(entity.name, entity.is_pc, before.numbers, before.tags)
        return sheet, self._rolls.sheet(context, entity)

    # --- set-up --------------------------------------------------------------------------------------

    def with_hero(self, outline: StoryOutline, pack: Pack | None) -> StoryOutline:
        """Return the outline with the numbers and tags that its rules give a new hero."""
        hero = outline.pc
        if pack is None or not isinstance(hero, NewCharacter):
            return outline
        sheet = begun(pack, hero.name, dict(hero.numbers), hero.tags)
        return replace(outline, pc=replace(hero, numbers=tuple(sheet.numbers.items()), tags=sheet.tags))

    def _needed(self, context: SceneContext) -> Pack:
        pack = self._rolls.pack(context)
        if pack is None:
            raise InputError(
                "This story is played by no rule pack, so it has no rests.",
                kept="Nothing was played.",
                todo="/time +8h lets time pass; /system chooses a pack.",
            )
        return pack


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
        for p in reversed(context.staged)
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
    return replace(sheet_row(line), staged=folded(line.key) in changed)


def _line(row: SheetRow) -> str:
    mark = "*" if row.staged else ""
    head = f"{row.label} {row.shown}".rstrip() if row.kind != "tag" else f"+{row.label}"
    return f"{head}{mark}" + (f"  ·  {row.meaning}" if row.meaning else "")


def _counted_from_nothing(pack: Pack, before: Sheet, changes: Iterable[StateChange]) -> list[str]:
    """Say which numbers of the rules were moved that somebody has not got: they count from 0."""
    had = {folded(key) for key in before.numbers}
    new = [
        c.key
        for c in changes
        if c.op is StateOp.ADD and c.key in pack.number_keys() and folded(c.key) not in had
    ]
    return [
        f"{before.name} had no {spoken(key)}, so it counts from 0: /state {before.name}.{key} = 8 sets it."
        for key in dict.fromkeys(new)
    ]


def _length(minutes: int) -> str:
    """Return minutes of world time in words: `8 h`, `30 min`, `3 days`."""
    for unit, size in (("days", 1440), ("h", 60)):
        if minutes >= size and minutes % size == 0:
            return f"{minutes // size} {'day' if unit == 'days' and minutes == size else unit}"
    return f"{minutes} min"
