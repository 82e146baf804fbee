"""What the Resolver is asked for, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol, runtime_checkable

from agents.resolver.check import CheckSpec, read_check
from stores.records.base import Record
from stores.records.canon import FactValue, Payload
from stores.records.ids import Id
from stores.records.play import Degree, Die, Resolution, Scene
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, Number

IsCritical = Callable[[str, FactValue | None], bool]
"""Tells whether giving a predicate this value is critical: proposing it raises a trigger at once."""


def is_death(predicate: str, value: FactValue | None) -> bool:
    """Hold nothing critical but death: the least that any universe does."""
    return predicate == "alive" and value is False


ReadCheck = Callable[[str, Mapping[str, Number]], CheckSpec]
"""Reads what was typed behind `/check`, with the numbers of the acting character."""


class ChanceResult(Protocol):
    """What came of a draw, as it is sealed."""

    @property
    def dice(self) -> tuple[Die, ...]: ...

    @property
    def text(self) -> str: ...

    @property
    def rule(self) -> str: ...


@runtime_checkable
class DecidingChanceResult(ChanceResult, Protocol):
    """A draw that is against something, and proposes what comes of it; `effects` are the same in words."""

    @property
    def degree(self) -> Degree: ...

    @property
    def changes(self) -> Sequence[Payload]: ...

    @property
    def effects(self) -> Sequence[str]: ...


ChanceDraw = Callable[[Random, Sequence[int] | None], ChanceResult]
"""Draws something, with a generator or with the faces of physical dice."""


class Alteration(Record):
    """What is done to a roll: dice at `places` are thrown again, or set to `faces`; or `outcome` counts."""

    places: tuple[int, ...] = ()
    faces: tuple[int, ...] = ()
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollRequest:
    """A roll to seal.

    `turn_id` is the oracle turn that will show the result; it need not be written yet. `intent` is what
    the player typed, word for word, `kind` the command and `spec` what follows it. `seed` (the exchange's)
    fixes every die, unless `faces` holds physical dice. `numbers` are those of the acting character;
    `tick` is the world time of the words (None: the scene's).
    """

    scene: Scene
    turn_id: Id
    intent: str
    spec: str
    seed: int
    kind: str = ""
    numbers: Mapping[str, Number] = field(default_factory=dict)
    faces: Sequence[int] | None = None
    tick: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposingRequest(RollRequest):
    """A roll that may change things; `player_turn_id` holds the words that it rests on."""

    player_turn_id: Id
    is_critical: IsCritical = is_death


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(ProposingRequest):
    """A check to be sealed.

    `entities` are all that an effect may name; `reader` reads the check as the story's rule pack does.
    """

    reader: ReadCheck = read_check
    entities: Iterable[Entity] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterRequest(ProposingRequest):
    """A sealed result to be altered; `chance` is what a draw was made with."""

    old: Resolution
    how: Alteration
    chance: ChanceDraw | None = None


@dataclass(frozen=True, slots=True)
class SealedResult:
    """A stored result, and the changes that it proposes."""

    resolution: Resolution
    proposals: tuple[ProposedChange, ...] = ()
