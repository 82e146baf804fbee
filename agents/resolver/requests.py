"""What the Resolver is asked for, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stores.records.canon import Authority, Evidence, Payload
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.play import Resolution, Scene
from stores.records.world import Entity, Number

IsCritical = Callable[[str], bool]
"""Tells whether a predicate is critical: proposing to change it raises a trigger at once."""


def only_life(predicate: str) -> bool:
    """Hold nothing critical but life and death: the least that any universe does."""
    return predicate == "alive"


@dataclass(frozen=True, slots=True, kw_only=True)
class RollRequest:
    """A roll to seal.

    `turn_id` is the oracle turn that will show the result; it need not be written yet. `intent` is what
    the player typed, word for word, and `spec` what follows the command in it. `seed` (the exchange's)
    fixes every die, unless `faces` holds physical dice. `numbers` are those of the acting character;
    `tick` is the world time of the words (None: the scene's).
    """

    scene: Scene
    turn_id: Id
    intent: str
    spec: str
    seed: int
    numbers: Mapping[str, Number] = field(default_factory=dict)
    faces: Sequence[int] | None = None
    tick: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(RollRequest):
    """A check to seal, with what it may do. `entities` are all that an effect may name."""

    player_turn_id: Id
    entities: Iterable[Entity] = ()
    is_critical: IsCritical = only_life


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """Changes that someone states outright, in `words` as typed; no dice.

    They count while `turn_id` is on the line (None: they hang on the scene, or on nothing) and
    `unless_turn` is off it. `evidence` takes the place of the words where there is better.
    `key` is what the identifiers derive from, so that saying the same again changes nothing; it is
    the turn if there is one. `tick` is the world time of the words (None: the scene's). `critical`
    marks them all, whatever `is_critical` says of each.
    """

    universe_id: Id
    payloads: Sequence[Payload]
    words: str
    scene: Scene | None = None
    turn_id: Id | None = None
    unless_turn: Id | None = None
    authority: Authority = Authority.GM
    evidence: tuple[Evidence, ...] = ()
    key: Id | None = None
    tick: int | None = None
    critical: bool = False
    is_critical: IsCritical = only_life


@dataclass(frozen=True, slots=True)
class Sealed:
    """A stored result, and the changes that it proposes."""

    resolution: Resolution
    proposals: tuple[ProposedChange, ...] = ()
