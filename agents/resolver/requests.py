"""What the Resolver is asked for, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from agents.resolver.check import CheckSpec, read_check
from stores.records.canon import Literalish
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.play import Die, Resolution, Scene
from stores.records.world import Entity, Number

IsCritical = Callable[[str, Literalish | None], bool]
"""Tells whether giving a predicate this value is critical: proposing it raises a trigger at once."""


def only_death(predicate: str, value: Literalish | None) -> bool:
    """Hold nothing critical but death: the least that any universe does."""
    return predicate == "alive" and value is False


ReadCheck = Callable[[str, Mapping[str, Number]], CheckSpec]
"""Reads what was typed behind `/check`, with the numbers of the acting character."""


class Drawn(Protocol):
    """What came of a draw, as it is sealed."""

    @property
    def dice(self) -> tuple[Die, ...]: ...

    @property
    def text(self) -> str: ...

    @property
    def rule(self) -> str: ...


Chance = Callable[[Random], Drawn]
"""Draws something that is against nothing and changes nothing."""


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
    """A check to seal, with what it may do. `entities` are all that an effect may name; `read` reads the
    check as the story's rule pack does."""

    player_turn_id: Id
    read: ReadCheck = read_check
    entities: Iterable[Entity] = ()
    is_critical: IsCritical = only_death


@dataclass(frozen=True, slots=True)
class Sealed:
    """A stored result, and the changes that it proposes."""

    resolution: Resolution
    proposals: tuple[ProposedChange, ...] = ()
