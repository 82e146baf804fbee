"""What runs out: numbers that come to 0 and tracks that fill up, heard as they are staged.

What the rules say of it is told and its effects are suggested; nothing is staged, for the GM decides.
Source: docs/rule-packs.md (`at_zero`, `at_full`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.orchestrator.rolls import Rolls
from agents.resolver.effects import Effect
from agents.resolver.ruleset_schema import Pack, spoken
from agents.resolver.sheets import NewSheet, Sheet, crossings
from agents.resolver.words import folded
from agents.resolver.working_state import fold
from agents.views import Reply
from stores.errors import InputError
from stores.records.canon import StateChange, StateOp
from stores.records.ids import Id
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class Watch:
    """What was staged on a scene's line at a moment."""

    scene_id: Id
    staged: frozenset[Id]


class RunningOut:
    """Stateless."""

    def __init__(self, context: ContextAssembly, rolls: Rolls) -> None:
        self._context = context
        self._rolls = rolls

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
            try:
                suggested = crossings(pack, before, after)
            except InputError as error:  # what was played stays played, whatever the pack makes of it
                lines.append(f"{entity.name}: {error.what}")
                continue
            for found in suggested:
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
