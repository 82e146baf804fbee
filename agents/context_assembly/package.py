"""The context package: what the record holds that bears on one exchange, from ports alone.

`canonical` is canon's, `narrative` the log's, `recalled` what was remembered or found again; what is shown to
a persona of it is text by section (`agents/context_assembly/sections.py`). Source: AGENT_ORCHESTRATION,
ContextAssembly; design/product.md, pain 1 (assertions, commitments, changes and encounters are fed forward).
"""

from __future__ import annotations

from asyncio import create_task, gather
from collections.abc import Awaitable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from agents.context_assembly.agenda import Agenda, Agendas
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.context_assembly.cues import covered, stems
from agents.context_assembly.found_again import (
    PATIENCE,
    Finding,
    FoundAgain,
    LeftOut,
    Passage,
    in_time,
)
from agents.context_assembly.narrative import Line, Narrative, Narratives
from agents.context_assembly.package_cache import PackageCache
from agents.context_assembly.recall_port import Recall
from agents.context_assembly.remembered import Remembered, Remembering
from agents.prose.names import names_in
from agents.resolver.working_state import WorkingState
from stores.errors import StoreError
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.ids import Clock, Id, utc_now
from stores.records.memory import Memory
from stores.records.world import ACTORS, Entity

MOST_FACTS: Final = 60
"""Facts of those in view; the newest."""
READ: Final = 300
"""Facts of one entity that are read at once."""
LATELY: Final = 7 * 24 * 60
"""World time (ticks) back from now that is read besides, of somebody with more facts than that."""
HOPS: Final = 2
NEAR: Final = 40
"""How far from those in view relations are followed, and to how many entities, the nearest."""
MOST_NEARBY: Final = 6
MOST_AXIOMS: Final = 40
MOST_SETTLED: Final = 12
SETTLED_READ: Final = 500
"""Matters that are settled and shown (the latest), and commitments that are read for them."""
MOST_NAMED: Final = 6
"""Names in the player's words that are looked up."""
_ELSEWHERE = frozenset({FactKind.AXIOM, FactKind.COMMITMENT, FactKind.ENCOUNTER, FactKind.ASSERTION})
"""Kinds of fact that stand in lists of their own."""


@dataclass(frozen=True, slots=True)
class Present:
    """Somebody who is here, or who is not: `dead` by the working state, `here` by the scene's comings."""

    entity: Entity
    state: WorkingState
    here: bool = True
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Canonical:
    """What canon holds now. `cast` has working state (staged changes folded in) and, marked, those who
    left; `named` are others in the player's words. `facts` and `relations` are one hop around all of them and
    the place, `encounters` and `assertions` of those present, `axioms` the rules in scope. `settled` are
    promises, debts and questions of those in view that are kept, paid and answered. `nearby` is a hop
    further out: relations of those whom they are related to."""

    cast: tuple[Present, ...] = ()
    named: tuple[Present, ...] = ()
    facts: tuple[Fact, ...] = ()
    relations: tuple[Fact, ...] = ()
    encounters: tuple[Fact, ...] = ()
    assertions: tuple[Fact, ...] = ()
    axioms: tuple[Fact, ...] = ()
    settled: tuple[Fact, ...] = ()
    nearby: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was found again. `memories` are by whose they are. `scenes` are turns of earlier play, `facts` of
    canon what is not in view (what holds above what is over), `rules` of sources: what a search by words,
    meaning and graph finds, and empty without one."""

    memories: Mapping[Id, tuple[Memory, ...]] = field(default_factory=dict)
    scenes: tuple[Passage, ...] = ()
    facts: tuple[Fact, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the package was made of: `canon_version` and `head` name canon and line as they stood, `at` is
    when it was made, by our own clock."""

    universe_id: Id
    story_id: Id
    scene_id: Id
    head: Id | None
    tick: int
    canon_version: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ContextPackage:
    """`scene` is the scene as it stands (ids, world time, staged changes); `words` the player's that names
    were looked up in; `stale` says that it is an older package, because a new one could not be had.
    `left_out` is what was not found or not shown, by section, with why; what a prompt's budget drops is added
    to it there."""

    scene: SceneContext
    agenda: Agenda = field(default_factory=Agenda)
    canonical: Canonical = field(default_factory=Canonical)
    narrative: Narrative = field(default_factory=Narrative)
    recalled: Recalled = field(default_factory=Recalled)
    words: str = ""
    stale: bool = False
    left_out: tuple[LeftOut, ...] = ()
    metadata: Metadata | None = None

    @property
    def pc(self) -> Entity | None:
        return self.scene.actor()

    def present(self) -> list[Present]:
        """Return those who are here and can act: not the player's character, nobody dead or gone."""
        pc_id = self.scene.story.pc_id
        return [p for p in self.canonical.cast if p.here and not p.dead and p.entity.id != pc_id]

    def settled(self) -> list[Fact]:
        """Return the matters that are over: in canon, and by what is staged on the line."""
        staged = (self.agenda.matters[fact_id] for fact_id in self.agenda.payoffs)
        return [*self.canonical.settled, *staged]

    def memories_of(self, entity_id: Id) -> tuple[Memory, ...]:
        """Return what this one remembers, and nobody else's memories."""
        return self.recalled.memories.get(entity_id, ())


class Packages:
    """Builds context packages. Read-only, and stateless but for what it reads through: canon as it was read
    under one version of it, and the last package of a scene, for when a store is down."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        context: ContextAssembly,
        agendas: Agendas,
        recall: Recall | None = None,
        clock: Clock = utc_now,
        *,
        patience: float = PATIENCE,
    ) -> None:
        self._canon = canon
        self._log = log
        self._context = context
        self._agendas = agendas
        self._narratives = Narratives(canon, log)
        self._finding = Finding(recall, canon, log) if recall else None
        self._remembering = Remembering(log, recall, patience)
        self._clock = clock
        self._patience = patience
        self._canonicals: PackageCache[Canonical] = PackageCache()
        self._last: PackageCache[ContextPackage] = PackageCache()

    async def assemble(self, scene: SceneContext, words: str = "") -> ContextPackage:
        """Return what bears on the scene as it stands, and on the names in the player's `words`. If a store
        cannot be read, the scene's last package, marked stale.

        Raises StoreError if there is none.
        """
        try:
            package = await self._assembled(scene, words)
        except StoreError as error:
            last = self._last.get(scene.scene.id)
            if last is None:
                raise
            why = LeftOut("recalled", f"an older package: {error.what}")
            return replace(last, scene=scene, words=words, stale=True, left_out=(*last.left_out, why))
        self._last.put(scene.scene.id, package)
        return package

    async def _assembled(self, scene: SceneContext, words: str) -> ContextPackage:
        cast = _cast(scene)
        here = [p.entity for p in cast if p.here]
        line_read = create_task(self._narratives.line(scene))
        found_read = create_task(self._found(scene, words, line_read))
        narrative_read = create_task(self._narratives.of(scene, words, here, line_read))
        remembered_read = create_task(self._remembering.of(here, words, scene.universe.id, scene.tick))
        try:
            agenda, named, version = await gather(
                self._agendas.of(scene),
                self._named(scene, words, {p.entity.id for p in cast}),
                self._log.canon_version(scene.universe.id),
            )
            canonical = await self._canonical_through(scene, words, cast, named, version)
            narrative = await narrative_read
            remembered: Remembered = await remembered_read
            found = await in_time(found_read, self._patience)
        finally:
            for read in (line_read, narrative_read, found_read, remembered_read):
                read.cancel()
        if found is None:
            found = FoundAgain(left_out=(LeftOut("recalled", "it was not found in time"),))
        return ContextPackage(
            scene=scene,
            agenda=agenda,
            canonical=canonical,
            narrative=narrative,
            recalled=_recalled(canonical, remembered, found),
            words=words,
            left_out=(*found.left_out, *remembered.left_out),
            metadata=Metadata(
                universe_id=scene.universe.id,
                story_id=scene.story.id,
                scene_id=scene.scene.id,
                head=scene.head.id if scene.head else None,
                tick=scene.tick,
                canon_version=version,
                at=self._clock(),
            ),
        )

    async def _found(self, scene: SceneContext, words: str, reading: Awaitable[Line]) -> FoundAgain:
        """Find again what bears on the words; when the player does nothing, on what was told last."""
        if self._finding is None:
            return FoundAgain()

        async def in_view() -> set[Id]:
            line = await reading
            return {t.id for t in (*line.turns, *line.before)}

        last = scene.head.text if scene.head else ""
        return await self._finding.of(words or last, scene.universe.id, in_view=in_view)

    # --- canon ---------------------------------------------------------------------------------------

    async def _canonical_through(
        self,
        scene: SceneContext,
        words: str,
        cast: Sequence[Present],
        named: tuple[Present, ...],
        version: str,
    ) -> Canonical:
        """Read canon, unless it was read for this line and this version of it before."""
        key = (
            *(scene.universe.id, version, scene.scene.id, scene.head and scene.head.id, scene.tick),
            *(scene.place and scene.place.id, words),
            *(p.id for p in scene.staged),
            *(p.entity.id for p in (*cast, *named)),
        )
        kept = self._canonicals.get(key)
        if kept is None:
            kept = await self._canonical(scene, words, cast, named)
            self._canonicals.put(key, kept)
        return replace(kept, cast=tuple(cast), named=named)

    async def _named(self, scene: SceneContext, words: str, known: Collection[Id]) -> tuple[Present, ...]:
        """Find whom and what the player names that is not here."""
        names = names_in(words)[:MOST_NAMED]
        found = await gather(*(self._context.find(scene, name, guess=True) for name in names))
        one_each = {entities[0].id: entities[0] for entities in found if len(entities) == 1}
        place_id = scene.place.id if scene.place else None
        return tuple(
            _present(scene, entity, here=False)
            for entity in one_each.values()
            if entity.id not in known and entity.id != place_id
        )

    async def _canonical(
        self, scene: SceneContext, words: str, cast: Sequence[Present], named: tuple[Present, ...]
    ) -> Canonical:
        place = [scene.place] if scene.place else []
        about = {e.id: e for e in (*(p.entity for p in (*cast, *named)), *place)}
        axioms, settled, around, lists = await gather(
            self._canon.facts(scene.universe.id, kind=FactKind.AXIOM),
            self._settled(scene, set(about)),
            self._canon.neighbourhood(list(about), hops=HOPS, limit=NEAR),
            gather(*(self._about(entity_id, scene.tick) for entity_id in about)),
        )
        found = {fact.id: fact for facts in lists for fact in facts if not fact.closed}
        # By the clock's own number: to compare times of zones takes ten times as long.
        current = sorted(found.values(), key=lambda f: (f.recorded_at.timestamp(), f.id))
        plain = [f for f in current if f.kind not in _ELSEWHERE and f.clock is None][-MOST_FACTS:]
        here = {p.entity.id for p in cast if p.here}
        met = [f for f in current if f.kind is FactKind.ENCOUNTER or f.predicate == "met"]
        said = [f for f in current if f.kind is FactKind.ASSERTION or f.predicate == "said"]
        return Canonical(
            cast=tuple(cast),
            named=named,
            facts=tuple(f for f in plain if f.kind is not FactKind.RELATION and f not in met),
            relations=tuple(f for f in plain if f.kind is FactKind.RELATION and f not in met),
            encounters=tuple(f for f in met if len(_who(f) & here) > 1),
            assertions=tuple(f for f in said if f.entity("subject") in here),
            axioms=tuple(_in_scope(axioms, set(about))),
            settled=tuple(settled),
            nearby=_nearby(around.facts, about, words),
        )

    async def _settled(self, scene: SceneContext, about: Collection[Id]) -> list[Fact]:
        """Return the matters of those in view that are over, the latest last."""
        found = await self._canon.facts(
            scene.universe.id, kind=FactKind.COMMITMENT, history=True, limit=SETTLED_READ
        )
        over = [
            f
            for f in found
            if f.closed and f.status is not FactStatus.RETCONNED and _who(f).intersection(about)
        ]
        return sorted(over, key=lambda f: (f.valid_to or 0, f.recorded_at))[-MOST_SETTLED:]

    async def _about(self, entity_id: Id, tick: int) -> list[Fact]:
        """Return what is current of one entity; of somebody with a long past, the latest, and what began
        lately in the world."""
        facts = await self._canon.facts_about(entity_id, newest=READ)
        if len(facts) < READ:
            return facts
        return [*facts, *await self._canon.facts_about(entity_id, begins=(tick - LATELY, tick), newest=READ)]


def _recalled(canonical: Canonical, remembered: Remembered, found: FoundAgain) -> Recalled:
    """Return what was found again without the facts that are in view anyhow."""
    lists = (
        *(canonical.facts, canonical.relations, canonical.encounters, canonical.assertions),
        *(canonical.axioms, canonical.settled, canonical.nearby),
    )
    shown = {fact.id for facts in lists for fact in facts}
    facts = tuple(fact for fact in found.facts if fact.id not in shown)
    return Recalled(remembered.by_whose, found.passages, facts, found.rules)


def _nearby(around: Iterable[Fact], about: Collection[Id], words: str) -> tuple[Fact, ...]:
    """Return the relations a hop further out: first what shares the player's words, then the newest."""
    asked = stems(words)
    beyond = [f for f in around if not f.closed and not _who(f).intersection(about)]
    best = sorted(beyond, key=lambda f: (covered(asked, stems(f.statement), {}), f.recorded_at, f.id))
    return tuple(best[-MOST_NEARBY:][::-1])


def _cast(scene: SceneContext) -> list[Present]:
    """Return those present, and behind them those who left or are only spoken of in this scene."""
    here = scene.cast()
    pc = scene.actor()
    if pc is not None and pc.id not in {e.id for e in here}:
        here = [pc, *here]
    ids = {e.id for e in here}
    gone = [e for e in scene.entities.values() if e.id not in ids and e.kind in ACTORS]
    return [*(_present(scene, e) for e in here), *(_present(scene, e, here=False) for e in gone)]


def _present(scene: SceneContext, entity: Entity, *, here: bool = True) -> Present:
    state = scene.state(entity)
    alive = state.values.get("alive", "dead" not in {tag.casefold() for tag in state.tags})
    return Present(entity, state, here, dead=alive is False)


def _in_scope(axioms: Iterable[Fact], about: Collection[Id]) -> list[Fact]:
    """Return the rules that are for everyone, or for somebody in view; what must be kept first."""
    meant = [a for a in axioms if not a.involves or _who(a).intersection(about)]
    return sorted(meant, key=lambda a: (a.severity != "must", a.recorded_at, a.id))[:MOST_AXIOMS]


def _who(fact: Fact) -> set[Id]:
    return {i.entity_id for i in fact.involves}
