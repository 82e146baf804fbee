"""What must be read of canon to judge or commit some proposals: once, before anything is decided.

Source: design/authority.md, "Contradictions": "checked before every commit".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from agents.canon_keeper.backdrop import Backdrop
from agents.canon_keeper.naming import bare, is_about_the_past, meant, named_entities, named_facts
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import ALIVE, IS, IS_NOT, OCCURRENCES
from stores.errors import NotFound
from stores.ports import CanonReader
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    CreateEntity,
    EndFact,
    Evidence,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    StateChange,
    StateOp,
    Supersession,
    normal,
)
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.world import Calendar, Entity, Universe

ALIKE = 90
"""Likeness of two names, in per cent, from which one is pointed out as perhaps the other."""

MOST = 10_000
"""Facts read of one subject and predicate."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What an entity gained by a merge, to be given back when it is undone; `numbers` by key."""

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    description: str = ""
    is_pc: bool = False


@dataclass(frozen=True, slots=True)
class CanonSnapshot:
    """A part of canon as it stands. `everyone` are those whose names are to be compared; `supersessions`
    along the facts that are to be retconned; `evidence` when it is read for a commit;
    `scenes` in which deeds with a place (and deaths) were told; `gains` of merges that are to be undone."""

    universe_id: Id
    universe: Universe | None = None
    entities: Mapping[Id, Entity] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    everyone: tuple[Entity, ...] = ()
    supersessions: tuple[Supersession, ...] = ()
    evidence: Mapping[Id, tuple[Evidence, ...]] = field(default_factory=dict)
    scenes: Mapping[Id, frozenset[Id]] = field(default_factory=dict)
    gains: Mapping[Id, Gain] = field(default_factory=dict)

    @property
    def day(self) -> int:
        """How many ticks (minutes) a day of this world has."""
        return _day(self.universe)


async def read_snapshot(
    canon: CanonReader,
    catalogue: Catalogue,
    universe_id: Id,
    proposals: Sequence[ProposedChange],
    *,
    closed: Sequence[ProposedChange] = (),
    for_commit: bool = False,
) -> CanonSnapshot:
    """Read what the proposals touch: the entities, what is said of them in the same terms, the dead.

    Of the `closed` ones only what they name is read: they are shown, not weighed. Raises StoreError.
    """
    changes = [p.change for p in (*proposals, *closed)]
    facts = await canon.facts_by_id({fact_id for c in changes for fact_id in named_facts(c)})
    supersessions = await _successions(canon, facts, _retconned(changes))
    wanted = {entity_id for c in changes for entity_id in named_entities(c)}
    wanted |= {i.entity_id for fact in facts.values() for i in fact.involves}
    wanted |= {c.entity_id for c in changes if isinstance(c, CreateEntity)}
    # A retcon may name an entity instead of a fact.
    wanted |= {c.fact_id for c in changes if isinstance(c, RetconFact) and c.fact_id not in facts}
    entities = await _entities(canon, wanted)

    questions = {
        (who.id, what, past)
        for proposal in proposals
        for entity_id, what, past in _questions(proposal, catalogue, facts)
        if (who := meant(entity_id, entities)) is not None
    }
    merges = [c for c in changes if isinstance(c, MergeEntities)]
    absorbed = {c.absorbed_id for c in merges}
    split = (entities[i].merged_into for i in _retconned(changes) if i in entities)
    merging = absorbed | {c.kept_id for c in merges} | {kept for kept in split if kept}
    predicates = _said_of_nobody([p.change for p in proposals], catalogue, facts.values())
    statements = {normal(c.statement) for c in changes if isinstance(c, AssertFact | NoteAxiom)}
    answers = await gather(
        *(
            canon.facts_about(who, predicate=what, history=past, limit=MOST)
            for who, what, past in sorted(questions)
        ),
        *(canon.facts_about(who, limit=MOST) for who in sorted(merging)),
        *(canon.facts(universe_id, predicate=predicate) for predicate in sorted(predicates)),
        *([canon.facts_saying(universe_id, statements)] if statements and proposals else []),
    )
    for answer in answers:
        facts.update({fact.id: fact for fact in answer})

    new = [c for c in (p.change for p in proposals) if isinstance(c, CreateEntity)]
    universe = await _universe(canon, universe_id)
    around = Backdrop(canon, catalogue, universe_id, _day(universe), entities, facts)
    await around.read(proposals)
    return CanonSnapshot(
        universe_id=universe_id,
        universe=universe,
        scenes=around.scenes,
        entities=entities,
        facts=tuple(facts.values()),
        everyone=await _namesakes(canon, universe_id, new),
        supersessions=supersessions,
        evidence=await _evidence(canon, changes, facts.values(), absorbed) if for_commit else {},
    )


_Question = tuple[Id, str, bool]
"""Which facts about whom, under which predicate, and whether those that ended too."""


def _questions(
    proposal: ProposedChange, catalogue: Catalogue, facts: Mapping[Id, Fact]
) -> Iterable[_Question]:
    """Yield what must be known to check one proposal; whoever might act may be dead."""
    change = proposal.change
    match change:
        case AssertFact():
            past = change.valid_to is not None or is_about_the_past(proposal)
            # A mere sentence meets others by its words alone (`facts_saying`).
            told_once = change.fact_kind in OCCURRENCES and change.predicate not in catalogue.predicates
            valued = change.value is not None or change.fact_kind is FactKind.RELATION
            mere = told_once or (len(change.involves) < 2 and not valued)
            related = () if mere else catalogue.related(change.predicate)
            for entity_id in named_entities(change):
                yield entity_id, ALIVE, past
                yield from ((entity_id, predicate, past) for predicate in related)
        case StateChange():
            tag = change.op in (StateOp.TAG, StateOp.UNTAG) or isinstance(change.value, bool)
            predicates = {ALIVE, *catalogue.related(change.key), *((IS, IS_NOT) if tag else ())}
            yield from ((change.entity_id, predicate, False) for predicate in predicates)
        case NoteAxiom():
            yield from ((i.entity_id, change.predicate, False) for i in change.involves)
        case EndFact() | RetconFact() if change.fact_id in facts:
            fact = facts[change.fact_id]
            for predicate in catalogue.related(fact.predicate):
                yield from ((i.entity_id, predicate, False) for i in fact.involves)


def _said_of_nobody(changes: Iterable[Payload], catalogue: Catalogue, named: Iterable[Fact]) -> set[str]:
    """Facts that involve nobody are found by their predicate, if it has one value at a time."""
    predicates = {c.predicate for c in changes if isinstance(c, AdvanceClock)}
    valued = [c for c in changes if isinstance(c, AssertFact) and not c.involves and c.value is not None]
    predicates |= {related for c in valued for related in catalogue.related(c.predicate)}
    return predicates | {fact.predicate for fact in named if not fact.involves and fact.value is not None}


async def _namesakes(canon: CanonReader, universe_id: Id, new: Sequence[CreateEntity]) -> tuple[Entity, ...]:
    """Read those whose names are like the names of what is to be created."""
    if not new:
        return ()
    known = [(bare(name), entity_id) for name, entity_id in await canon.names(universe_id)]
    choices = {place: name for place, (name, _) in enumerate(known)}
    wanted = {bare(name) for change in new for name in (change.name, *change.aliases)}
    near = {
        known[place][1]
        for name in wanted
        for _, _, place in process.extract(name, choices, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=10)
    }
    return tuple((await canon.entities_by_id(near)).values())


def _retconned(changes: Iterable[Payload]) -> set[Id]:
    return {c.fact_id for c in changes if isinstance(c, RetconFact)}


def _day(universe: Universe | None) -> int:
    calendar = universe.calendar if universe else Calendar()
    return calendar.minutes_per_hour * calendar.hours_per_day


async def _universe(canon: CanonReader, universe_id: Id) -> Universe | None:
    try:
        return await canon.universe(universe_id)
    except NotFound:
        return None


async def _entities(canon: CanonReader, wanted: Collection[Id]) -> dict[Id, Entity]:
    """Return the entities and, for those that were merged into others, these too."""
    found: dict[Id, Entity] = {}
    missing = set(wanted)
    while missing:
        new = await canon.entities_by_id(missing)
        found.update(new)
        missing = {e.merged_into for e in new.values() if e.merged_into} - found.keys()
    return found


_Look = Callable[[Id], Awaitable[list[Fact]]]
"""Gives what a fact superseded, or what superseded it."""


async def _successions(
    canon: CanonReader, facts: dict[Id, Fact], retconned: set[Id]
) -> tuple[Supersession, ...]:
    """Read who superseded whom around the facts to be retconned or restored.

    Down to what they ended and up to what ended that, past any fact that is (or is about to be)
    retconned: those are the facts whose end may move. Adds them to `facts`.
    """

    async def steps(starts: Iterable[Fact], look: _Look) -> list[tuple[Fact, Fact]]:
        taken: list[tuple[Fact, Fact]] = []
        waiting, seen = list(starts), set[Id]()
        while waiting:
            fact = waiting.pop()
            if fact.id in seen:
                continue
            seen.add(fact.id)
            for other in await look(fact.id):
                taken.append((fact, other))
                if other.status is FactStatus.RETCONNED or other.id in retconned:
                    waiting.append(other)
        return taken

    named = [facts[fact_id] for fact_id in sorted(retconned) if fact_id in facts]
    down = await steps(named, canon.supersedes)
    up = await steps([*named, *(older for _, older in down)], canon.superseded_by)
    edges = dict.fromkeys([*((n.id, o.id) for n, o in down), *((n.id, o.id) for o, n in up)])
    facts.update({fact.id: fact for step in (*down, *up) for fact in step})
    return tuple(Supersession(newer_id=newer, older_id=older) for newer, older in edges)


async def _evidence(
    canon: CanonReader, changes: Iterable[Payload], facts: Iterable[Fact], absorbed: Collection[Id]
) -> dict[Id, tuple[Evidence, ...]]:
    """Read what must be cited again: by a value's first fact, and by facts that move to another entity."""
    subjects = {c.entity_id for c in changes if isinstance(c, StateChange)}
    states = (c for c in changes if isinstance(c, AssertFact) and c.fact_kind is FactKind.STATE)
    subjects |= {i.entity_id for c in states for i in c.involves}
    subjects |= {f.id for f in facts if not {i.entity_id for i in f.involves}.isdisjoint(absorbed)}
    ordered = sorted(subjects)
    return {
        subject: tuple(found)
        for subject, found in zip(ordered, await gather(*map(canon.evidence_of, ordered)), strict=True)
    }
