"""The context package: what the record holds that bears on one exchange, from ports alone.

`canonical` is canon's, `narrative` the log's, `recalled` what was remembered or found again; what is shown to
a persona of it is text by section (`agents/context_assembly/sections.py`). Source: AGENT_ORCHESTRATION,
ContextAssembly; design/product.md, pain 1 (assertions, commitments, changes and encounters are fed forward).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.context_assembly.agenda import Agenda, Agendas
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.resolver.working_state import WorkingState
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.model import DecisionMark
from stores.records.play import Turn
from stores.records.world import Entity

LINE = 24
"""Turns of the line that are kept in view at most."""
STEP = 8
"""The view of the line moves on by so many turns at a time, so that a prompt mostly only grows at its end and
a provider's prefix cache holds; 17 to 24 turns are in view."""
MOST_FACTS = 60
"""Facts of those in view; the newest."""
MOST_AXIOMS = 40
MOST_MEMORIES = 8
"""Memories of one character; the most important."""
MOST_NAMED = 6
"""Names in the player's words that are looked up."""


@dataclass(frozen=True, slots=True)
class Present:
    """Somebody who is here, or who is not: `dead` by the working state, `here` by the scene's comings."""

    entity: Entity
    state: WorkingState
    here: bool = True
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Canonical:
    """What canon holds now: `cast` with working state (staged changes folded in), `named` entities of the
    player's words; `facts` and `relations` one hop around them, `encounters` and `assertions` those among
    present people, `axioms` the rules in scope."""

    cast: tuple[Present, ...] = ()
    named: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    relations: tuple[Fact, ...] = ()
    encounters: tuple[Fact, ...] = ()
    assertions: tuple[Fact, ...] = ()
    axioms: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Narrative:
    """What the log holds: the last turns of the line, oldest first; the scene's rolling summary (its bullets,
    and what earlier scenes came to); decision marks on the line; what earlier scenes those present shared."""

    line: tuple[Turn, ...] = ()
    summary: tuple[str, ...] = ()
    decisions: tuple[DecisionMark, ...] = ()
    met_before: frozenset[Id] = frozenset()
    """Who was in an earlier scene with the player's character."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found again. `memories` are by whose they are; scenes, turns and rules found by words and
    vectors are the search's to add (`scenes`, `rules`): until then nothing is."""

    memories: Mapping[Id, tuple[Memory, ...]] = field(default_factory=dict)
    scenes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextPackage:
    """`scene` is the scene as it stands (ids, world time, staged changes); `words` the player's that names were
    looked up in; `stale` says that it is an older package, because a new one could not be had."""

    scene: SceneContext
    agenda: Agenda = Agenda()
    canonical: Canonical = Canonical()
    narrative: Narrative = Narrative()
    recalled: Recalled = Recalled()
    words: str = ""
    stale: bool = False

    @property
    def pc(self) -> Entity | None:
        return self.scene.actor()

    def present(self) -> list[Present]:
        """Return those who are here and can act: not the player's character, nobody dead or gone."""
        return [
            p for p in self.canonical.cast if p.here and not p.dead and p.entity.id != self.scene.story.pc_id
        ]

    def npc(self, entity_id: Id) -> Entity | None:
        return next((p.entity for p in self.canonical.cast if p.entity.id == entity_id), None)

    def memories_of(self, entity_id: Id) -> tuple[Memory, ...]:
        """Return what this one remembers, and nobody else's memories."""
        return self.recalled.memories.get(entity_id, ())


class Packages:
    """Builds context packages. Stateless and read-only."""

    def __init__(
        self, canon: CanonReader, log: LogReader, context: ContextAssembly, agendas: Agendas
    ) -> None:
        self._canon = canon
        self._log = log
        self._context = context
        self._agendas = agendas

    async def assemble(self, scene: SceneContext, words: str = "") -> ContextPackage:
        """Return what bears on the scene as it stands, and on the names in the player's `words`.

        Raises StoreError if a store cannot be read; `scene` may then go with an older package, marked stale.
        """
        raise NotImplementedError
