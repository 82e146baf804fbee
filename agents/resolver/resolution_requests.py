"""The requests that the Resolver takes, and the results that it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Protocol, runtime_checkable

from agents.resolver.check import CheckSpec, read_check
from agents.resolver.sheets import find_floor
from stores.records.base import Record
from stores.records.canon import FactValue, Payload
from stores.records.ids import Id
from stores.records.play import Degree, Die, Resolution, Scene
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, Number

IsCritical = Callable[[str, FactValue | None], bool]
"""Returns whether giving a predicate this value is critical: proposing it raises a trigger at once."""


def is_death(predicate: str, value: FactValue | None) -> bool:
    """Return whether the value means death, which is critical in every universe."""
    return predicate == "alive" and value is False


ReadCheck = Callable[[str, Mapping[str, Number]], CheckSpec]
"""Reads what was typed behind `/check`, with the numbers of the acting character."""


class ChanceResult(Protocol):
    """The result of a draw, as it is sealed."""

    @property
    def dice(self) -> tuple[Die, ...]: ...

    @property
    def text(self) -> str: ...

    @property
    def rule(self) -> str: ...


@runtime_checkable
class DecidingChanceResult(ChanceResult, Protocol):
    """The result of a draw that has a degree and proposes changes; `effects` are these in words."""

    @property
    def degree(self) -> Degree: ...

    @property
    def changes(self) -> Sequence[Payload]: ...

    @property
    def effects(self) -> Sequence[str]: ...


ChanceDraw = Callable[[Random, Sequence[int] | None], ChanceResult]
"""Draws something, with a generator or with the faces of physical dice."""


class Alteration(Record):
    """What is done to a sealed roll."""

    places: tuple[int, ...] = ()
    """The dice that are thrown again, or set to `faces`."""

    faces: tuple[int, ...] = ()
    outcome: str = ""
    """The outcome that counts instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollRequest:
    """A roll to seal."""

    scene: Scene
    turn_id: Id
    """The oracle turn that will show the result; it need not be written yet."""

    intent: str
    """What the player typed, word for word."""

    spec: str
    """What follows the command."""

    seed: int
    """Fixes every die, unless `faces` has physical dice."""

    kind: str = ""
    """The command."""

    attempt: str = ""
    """Who tries what, which stands before the dice; empty where the player's words say it."""

    numbers: Mapping[str, Number] = field(default_factory=dict)
    """The numbers of the acting character."""

    faces: Sequence[int] | None = None
    tick: int | None = None
    """The world time of the words; None: the scene's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposingRequest(RollRequest):
    """A roll that may propose changes."""

    player_turn_id: Id | None
    """The turn with the words that are evidence; None of a roll without words."""

    is_critical: IsCritical = is_death


FindFloor = Callable[[str], Number | None]
"""Returns what the number of this key does not go below; None: no limit."""

hp_floor: FindFloor = partial(find_floor, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(ProposingRequest):
    """A check to seal."""

    reader: ReadCheck = read_check
    """Reads the check as the story's rule pack does."""

    entities: Iterable[Entity] = ()
    """All that an effect may name."""

    find_floor: FindFloor = hp_floor
    """What a number does not go below, by the story's rule pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterRequest(ProposingRequest):
    """A sealed result to alter."""

    original: Resolution
    alteration: Alteration
    chance: ChanceDraw | None = None
    """The draw that the result was made with."""


@dataclass(frozen=True, slots=True)
class SealedResult:
    """A stored result, and the changes that it proposes."""

    resolution: Resolution
    proposals: tuple[ProposedChange, ...] = ()
