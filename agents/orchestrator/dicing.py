"""Dice at the table: asking for the player's own, telling what may be rolled, taking a roll otherwise.

Source: design/product.md, "Solo procedures" (physical dice; reroll one die, pick instead of rolled).
"""

from __future__ import annotations

import random
from typing import Literal

from agents.context_assembly.context import SceneContext
from agents.orchestrator.exchange import again
from agents.orchestrator.line import Line
from agents.orchestrator.rolls import CHECKS, DRAWN_BY_PROGRAM, Rolls
from agents.orchestrator.router import Roll
from agents.orchestrator.turn_graph import TurnGraph
from agents.resolver.alter_reading import read_pick, read_reroll
from agents.resolver.dice_faces import Wanted, in_words, open_for_faces, split_faces
from agents.resolver.pack_check import moves_of, what_to_check
from agents.resolver.sparks import Spark
from agents.views import Reply
from stores.records.ids import IdMaker
from stores.records.play import DiceBy, Resolution, Speaker, Turn

How = Literal["reroll", "pick"]


class Dicing:
    """Stateless."""

    def __init__(self, rolls: Rolls, line: Line, graph: TurnGraph, ids: IdMaker) -> None:
        self._rolls = rolls
        self._line = line
        self._graph = graph
        self._ids = ids

    async def asks(self, line: str, roll: Roll, context: SceneContext) -> Reply | None:
        """Return what is still missing before a typed line can be played; None if nothing is.

        Raises InputError, with nothing recorded, for a roll that could not be resolved.
        """
        if listing := self._listing(roll, context):
            return Reply("operation", listing, text=f"{line.rstrip()} ")
        wanted = await self._rolls.ready(roll, context)
        return _asking(line, roll.faces, wanted) if wanted else None

    def by_program(self, turns: list[Turn], results: list[Resolution], context: SceneContext) -> list[str]:
        """Say which of these rolls the program made although the player throws the dice."""
        if context.story.dice is not DiceBy.PHYSICAL:
            return []
        shown = {turn.id for turn in turns if turn.speaker is Speaker.ORACLE}
        drawn = [r for r in results if r.turn_id in shown and r.kind in DRAWN_BY_PROGRAM and not r.by_hand]
        words = {
            "event": "The program drew the event: its dice depend on each other.",
            "spark": "The program drew the words; /spark = 34 61 draws with your own percentile dice.",
        }
        return list(dict.fromkeys(words[r.kind] for r in drawn))

    async def alter(self, context: SceneContext, how: How, typed: str) -> tuple[Reply, list[Turn]]:
        """Take the last roll of the line otherwise, as another take of the turn that shows it.

        Returns the turns that left the line for it: none while dice are still to be thrown by hand. Raises
        InputError if the line does not end in a roll, or this one cannot be taken so.
        """
        shown, old = await self._line.last_roll(context.scene)
        spec, faces = split_faces(typed) if how == "reroll" else (typed, None)
        if how == "reroll":
            alteration = read_reroll(spec, old)
        else:
            alteration = read_pick(spec, old, await self._drawn(old, context))
        line = f"/{how} {typed}".rstrip()
        if wanted := await self._rolls.ready_again(old, alteration, faces, context):
            return _asking(line, faces, wanted), []
        exchange = again(
            self._ids, shown, alteration, words=line, faces=faces, take=await self._line.next_take(shown)
        )
        left = [shown] if context.head is None or context.head.id == shown.id else [shown, context.head]
        await self._graph.play(exchange, context)
        return Reply("exchange"), left

    async def _drawn(self, old: Resolution, context: SceneContext) -> Spark | None:
        """Return a spark as it was drawn, so that one of its rows can be picked."""
        if old.kind != "spark":
            return None
        chance = await self._rolls.chance(old.kind, old.spec, context)
        faces = [die.face for die in old.dice if not die.rerolled]
        drawn = chance(random.Random(0), faces)
        return drawn if isinstance(drawn, Spark) else None

    def _listing(self, roll: Roll, context: SceneContext) -> tuple[str, ...]:
        """Return what may stand behind a bare `/move` or `/check`; nothing if it says what it wants."""
        pack = self._rolls.pack(context)
        if roll.kind not in CHECKS or roll.spec.split(";")[0].strip() or pack is None:
            return ()
        sheet = self._rolls.sheet(context, context.actor())
        if roll.kind == "move":
            return moves_of(pack, sheet) or (f"{pack.name} has no moves; /check rolls its numbers.",)
        # What has no numbers is rolled as it stands: nothing is left to say.
        return ("What with?", *what_to_check(pack, sheet)) if pack.gauges() else ()


def _asking(line: str, faces: tuple[int, ...] | None, wanted: tuple[Wanted, ...]) -> Reply:
    dice = in_words(wanted)
    more = any(one.why for one in wanted)
    said = f"Throw {dice}, and type on." if more else f"Throw {dice}, and type what fell behind the =."
    return Reply("operation", (said,), text=open_for_faces(line, faces))
