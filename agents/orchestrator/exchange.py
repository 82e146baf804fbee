"""One exchange as data: what a crash must find again to go on at the next node.

Source: design/loops.md, "One turn" and "Recovery".
"""

from __future__ import annotations

from datetime import datetime

from stores.records.base import Record
from stores.records.ids import Id, IdMaker
from stores.records.play import Scene, Speaker, Turn

NODES = ("record", "assemble", "narrate", "resolve", "finish")
"""The nodes of the turn graph that need no model, in order. Each is idempotent: identifiers and seeds
are fixed when the exchange begins, so that a node done twice is done once."""


class RollPlan(Record):
    """A roll to be made: `turn_id` is the oracle turn that will show it."""

    turn_id: Id
    kind: str
    spec: str
    seed: int


class Exchange(Record):
    """What was typed, and the identifiers and seeds of all that will come of it.

    `beat_id` names it in checkpoints and transitions: the first turn that it appends. `exchange_id` is
    the exchange that its turns join (GM words and rolls may join an open one). `told`: by the GM;
    `passes`: the words say that time passes.
    """

    beat_id: Id
    exchange_id: Id
    scene_id: Id
    parent_id: Id | None
    depth: int
    tick: int
    words_id: Id | None = None
    words: str = ""
    told: bool = False
    passes: bool = False
    seed: int = 0
    roll: RollPlan | None = None

    def words_turn(self, at: datetime) -> Turn | None:
        """Return the turn of the words typed, if there were any."""
        if self.words_id is None:
            return None
        return Turn(
            id=self.words_id,
            scene_id=self.scene_id,
            parent_id=self.parent_id,
            exchange_id=self.exchange_id,
            speaker=Speaker.SYSTEM if self.passes else Speaker.GM if self.told else Speaker.PLAYER,
            text=self.words,
            depth=self.depth,
            tick=self.tick,
            seed=self.seed,
            created_at=at,
        )

    def oracle_turn(self, text: str, at: datetime) -> Turn:
        """Return the turn that shows the sealed result."""
        assert self.roll is not None
        return Turn(
            id=self.roll.turn_id,
            scene_id=self.scene_id,
            parent_id=self.words_id or self.parent_id,
            exchange_id=self.exchange_id,
            speaker=Speaker.ORACLE,
            text=text,
            depth=self.depth + (1 if self.words_id else 0),
            tick=self.tick + (1 if self.words_id else 0),
            seed=self.roll.seed,
            created_at=at,
        )


def begin(
    ids: IdMaker,
    scene: Scene,
    head: Turn | None,
    *,
    words: str = "",
    told: bool = False,
    roll: tuple[str, str] | None = None,
    answered: bool = False,
    until: int | None = None,
) -> Exchange:
    """Fix everything about an exchange that could differ between two tries.

    The player's words open an exchange; the GM's first words answer the open one (unless it is
    `answered` already); a roll on its own belongs to the words before it. A turn takes a minute of world
    time; with `until` (a tick), time passes to then and the words say so.
    """
    first_id = ids.new()
    joins = (
        until is None
        and head is not None
        and ((told and not answered) if words else head.speaker is not Speaker.ORACLE)
    )
    return Exchange(
        beat_id=first_id,
        exchange_id=head.exchange_id if head is not None and joins else first_id,
        scene_id=scene.id,
        parent_id=head.id if head else None,
        depth=head.depth + 1 if head else 0,
        tick=(head.tick if head else scene.tick) + 1 if until is None else until,
        words_id=first_id if words else None,
        words=words,
        told=told,
        passes=until is not None,
        seed=ids.seed(),
        roll=RollPlan(turn_id=ids.new() if words else first_id, kind=roll[0], spec=roll[1], seed=ids.seed())
        if roll
        else None,
    )
