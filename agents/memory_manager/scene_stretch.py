"""Holds what one stretch of a scene means for its characters, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from agents.memory_manager.attendance import Attendance
from agents.memory_manager.sentence_claims import ClaimReader, IdsByName
from agents.prose.struck_words import list_tellings
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Resolution, Scene, Turn
from stores.records.workflow import ProposedChange


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that rests on a turn: the canonical one, or the one that a proposal would become."""

    fact: Fact
    proposal: ProposedChange
    index_in_turn: int
    """Its place among the facts of the turn's proposals."""
    is_denied: bool = False
    """Whether it was rejected, or decided to be flavour text."""
    is_critical: bool = False
    is_health_change: bool = False
    """Whether it is a wound or a healing: canon has the number, so memories of it are linked to no fact."""

    def list_tellings(self) -> list[str]:
        """Return the sentences that tell it: those of its evidence, and its own."""
        return list_tellings(self.fact.statement, self.proposal.evidence)


@dataclass(frozen=True, slots=True)
class DeathRecord:
    """The death of a character, and the fact that states it."""

    tick: int
    fact_id: Id


@dataclass(frozen=True, slots=True)
class SceneStretch:
    """What one stretch of a scene holds for its characters."""

    scene: Scene
    attendance: Attendance
    turns: Sequence[Turn]
    claim_reader: ClaimReader
    ids_by_name: IdsByName
    names_by_id: Mapping[Id, str]
    turns_before: Sequence[Turn] = ()
    """The turns just before these; empty if no pronoun in these depends on them."""
    genders: Mapping[Id, str] = field(default_factory=dict)
    """The pronoun (`he`, `she`) of those whose name or description tells it."""
    results_by_turn: Mapping[Id, Resolution] = field(default_factory=dict)
    words_by_result: Mapping[Id, Turn] = field(default_factory=dict)
    """The player's turn that each result is the outcome of, by the result's turn."""
    stated_by_turn: Mapping[Id, Sequence[StatedFact]] = field(default_factory=dict)
    """Facts by the turn they rest on."""
    speakable_facts: Sequence[Fact] = ()
    """All facts that the turns may mention."""
    deaths_by_entity: Mapping[Id, DeathRecord] = field(default_factory=dict)
    number_keys: Collection[str] = ()
    """The numbers that the sheets of the scene's entities have."""
    held_memories: Sequence[Memory] = ()
    """What those present remember already, which may be corrected."""
