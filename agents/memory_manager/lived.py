"""What one stretch of a scene holds for those who live it: plain data.

Source: the issue "Context that remembers", MemoryManager.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.memory_manager.claims import Claims, Named
from agents.memory_manager.presence import Attendance
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.memory import Memory
from stores.records.play import Resolution, Scene, Turn


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that rests on a turn: the canonical one, or as it would become. `nth` is its place among what
    the turn's proposals say, `denied` that it was decided not to be so, or to be mere colour."""

    fact: Fact
    proposal: ProposedChange
    nth: int
    denied: bool = False
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Death:
    """Somebody died at world time `tick`; `fact_id` says so."""

    tick: int
    fact_id: Id


@dataclass(frozen=True, slots=True)
class Lived:
    """`stated` are the facts by the turn they rest on, `known` all that may be spoken of, `named` whom names
    mean, `names` how they are called; `deaths` who died when; `held` what those present remember already, for
    what is to be corrected or was concluded."""

    scene: Scene
    attendance: Attendance
    turns: Sequence[Turn]
    claims: Claims
    named: Named
    names: Mapping[Id, str]
    results: Mapping[Id, Resolution] = field(default_factory=dict)
    stated: Mapping[Id, Sequence[Stated]] = field(default_factory=dict)
    known: Sequence[Fact] = ()
    deaths: Mapping[Id, Death] = field(default_factory=dict)
    held: Sequence[Memory] = ()
