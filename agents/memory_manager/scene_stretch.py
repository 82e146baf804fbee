"""What one stretch of a scene holds for those who live it: plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.memory_manager.attendance import Attendance
from agents.memory_manager.sentence_claims import ClaimReader, IdsByName
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Resolution, Scene, Turn
from stores.records.workflow import ProposedChange


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that rests on a turn: the canonical one, or as it would become. `nth` is its place among what
    the turn's proposals say, `denied` that it was decided not to be so, or to be mere colour."""

    fact: Fact
    proposal: ProposedChange
    index_in_turn: int
    is_denied: bool = False
    is_critical: bool = False


@dataclass(frozen=True, slots=True)
class DeathRecord:
    """Somebody died at world time `tick`; `fact_id` says so."""

    tick: int
    fact_id: Id


@dataclass(frozen=True, slots=True)
class SceneStretch:
    """`stated` are the facts by the turn they rest on, `known` all that may be spoken of, `named` whom names
    mean, `names` how they are called; `deaths` who died when; `held` what those present remember already, for
    what is to be corrected or was concluded."""

    scene: Scene
    attendance: Attendance
    turns: Sequence[Turn]
    claim_reader: ClaimReader
    ids_by_name: IdsByName
    names_by_id: Mapping[Id, str]
    results_by_turn: Mapping[Id, Resolution] = field(default_factory=dict)
    stated_by_turn: Mapping[Id, Sequence[StatedFact]] = field(default_factory=dict)
    speakable_facts: Sequence[Fact] = ()
    deaths_by_entity: Mapping[Id, DeathRecord] = field(default_factory=dict)
    held_memories: Sequence[Memory] = ()
