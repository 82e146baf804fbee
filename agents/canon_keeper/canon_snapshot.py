"""Reads the part of canon that assessing or committing some proposals needs, once and beforehand."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

from agents.canon_keeper.fact_ids import first_fact_id, is_open_again, next_fact_id
from agents.canon_keeper.fact_readings import ALIVE, IS, IS_NOT, OCCURRENCE_KINDS, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import (
    current_entity,
    is_about_the_past,
    look_of_name,
    named_entities,
    named_facts,
    normalize_name,
)
from agents.canon_keeper.propositions.proposition_reader import read_propositions
from agents.canon_keeper.related_facts import RelatedFactsLoader
from agents.canon_keeper.sentence_index import predicates_to_compare
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book
from agents.proposals.statements import STATED_PREDICATE
from agents.thread_work import run_beside_screen
from stores.errors import NotFound
from stores.ports import CanonReader
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
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
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Calendar, Entity, Universe

SIMILAR_NAME_LIKENESS = 90
"""Likeness of two names, in per cent, from which one is pointed out as perhaps the other."""

MAX_FACTS_PER_QUERY = 10_000
"""Facts read of one subject and predicate."""


@dataclass(frozen=True, slots=True)
class MergeGain:
    """What an entity gained by a merge, to be given back when the merge is undone."""

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    """Keys of the numbers."""
    description: str = ""
    is_pc: bool = False


@dataclass(frozen=True, slots=True)
class CanonSnapshot:
    """The part of canon that some proposals touch."""

    universe_id: Id
    universe: Universe | None = None
    entities: Mapping[Id, Entity] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    everyone: tuple[Entity, ...] = ()
    """The entities whose names are compared."""
    supersessions: tuple[Supersession, ...] = ()
    """Those along the facts that are to be retconned."""
    evidence: Mapping[Id, tuple[Evidence, ...]] = field(default_factory=dict)
    """Evidence by record; read for a commit only."""
    scenes_by_fact: Mapping[Id, frozenset[Id]] = field(default_factory=dict)
    """The scenes of events with a place, and of deaths."""
    gains: Mapping[Id, MergeGain] = field(default_factory=dict)
    """What merges that are to be undone had added."""

    @property
    def ticks_per_day(self) -> int:
        """How many ticks (minutes) a day of this world has."""
        return _ticks_per_day(self.universe)


def merge_snapshots(canon: CanonSnapshot, added: CanonSnapshot) -> CanonSnapshot:
    """Return both parts of one state of canon, as far as proposals that retcon nothing need them."""
    return replace(
        canon,
        entities={**canon.entities, **added.entities},
        facts=tuple({fact.id: fact for fact in (*canon.facts, *added.facts)}.values()),
        everyone=tuple({entity.id: entity for entity in (*canon.everyone, *added.everyone)}.values()),
        scenes_by_fact={**canon.scenes_by_fact, **added.scenes_by_fact},
    )


async def read_snapshot(
    canon: CanonReader,
    catalogue: Catalogue,
    universe_id: Id,
    proposals: Sequence[ProposedChange],
    *,
    closed_proposals: Sequence[ProposedChange] = (),
) -> CanonSnapshot:
    """Read what the proposals touch: the entities, what is said of them in the same terms, the dead.

    Of the `closed` ones only what they name is read: they are shown, not assessed. Raises StoreError.
    """
    changes = [p.change for p in (*proposals, *closed_proposals)]
    named_ids = {fact_id for c in changes for fact_id in named_facts(c)}
    facts = await canon.facts_by_id(named_ids) if named_ids else {}
    taken_back_facts = await _read_taken_back_facts(canon, proposals)
    facts.update(taken_back_facts)
    supersessions = await _read_supersessions(
        canon, facts, {*_retconned_ids(changes), *taken_back_facts.keys()}
    )
    wanted_ids = {entity_id for c in changes for entity_id in named_entities(c)}
    wanted_ids |= {i.entity_id for fact in facts.values() for i in fact.involves}
    wanted_ids |= {c.entity_id for c in changes if isinstance(c, CreateEntity)}
    # Who may know a secret need not be named in it.
    secrecies = [c.secrecy for c in changes if isinstance(c, AssertFact)] + [
        f.secrecy for f in facts.values()
    ]
    wanted_ids |= {knower_id for secrecy in secrecies if secrecy for knower_id in secrecy.known_to}
    # A retcon may name an entity instead of a fact.
    wanted_ids |= {c.fact_id for c in changes if isinstance(c, RetconFact) and c.fact_id not in facts}
    entities = await _read_entities(canon, wanted_ids)
    fact_queries = await run_beside_screen(
        partial(_all_fact_queries, proposals, catalogue, facts, entities), item_count=len(proposals)
    )
    merges = [c for c in changes if isinstance(c, MergeEntities)]
    absorbed_ids = {c.absorbed_id for c in merges}
    split_ids = (entities[i].merged_into for i in _retconned_ids(changes) if i in entities)
    merging_ids = absorbed_ids | {c.kept_id for c in merges} | {kept_id for kept_id in split_ids if kept_id}
    predicates = _predicates_about_nobody([p.change for p in proposals], catalogue, facts.values())
    statements = {normalize_statement(c.statement) for c in changes if isinstance(c, AssertFact | NoteAxiom)}
    query = FactsQuery(
        about=[
            *((who, _about_query(what, with_history=past)) for who, what, past in sorted(fact_queries)),
            *((who, FactsAboutQuery(limit=MAX_FACTS_PER_QUERY)) for who in sorted(merging_ids)),
        ],
        of_universe=[
            *(FactQuery(predicate=predicate) for predicate in sorted(predicates)),
            *_sentences_about_nobody(p.change for p in proposals),
        ],
        statement_keys=statements if proposals else (),
    )
    if query != FactsQuery():
        facts.update({fact.id: fact for fact in await canon.facts_of_all(universe_id, query)})
    facts.update(await _read_moved_facts(canon, proposals, tuple(facts.values())))
    # Their names, by which the sentences of these facts are read.
    mentioned_ids = {i.entity_id for fact in facts.values() for i in fact.involves}
    entities |= await _read_entities(canon, mentioned_ids - entities.keys())

    creations = [c for c in (p.change for p in proposals) if isinstance(c, CreateEntity)]
    universe = await _read_universe(canon, universe_id)
    related_facts = RelatedFactsLoader(
        canon, catalogue, universe_id, _ticks_per_day(universe), entities, facts
    )
    await related_facts.read(proposals)
    return CanonSnapshot(
        universe_id=universe_id,
        universe=universe,
        scenes_by_fact=related_facts.scenes_by_fact,
        entities=entities,
        facts=tuple(facts.values()),
        everyone=await _read_similar_names(canon, universe_id, creations),
        supersessions=supersessions,
    )


async def with_cited_evidence(
    canon: CanonReader, snapshot: CanonSnapshot, proposals: Sequence[ProposedChange]
) -> CanonSnapshot:
    """Return the snapshot with the evidence that a commit of the proposals cites again. Raises StoreError."""
    changes = [p.change for p in proposals]
    absorbed_ids = {c.absorbed_id for c in changes if isinstance(c, MergeEntities)}
    evidence = await _read_evidence(canon, changes, snapshot.facts, absorbed_ids)
    return replace(snapshot, evidence=evidence)


_FactQueryKey = tuple[Id, str, bool]
"""Which facts about whom, under which predicate, and whether those that ended too."""


def _all_fact_queries(
    proposals: Sequence[ProposedChange],
    catalogue: Catalogue,
    facts: Mapping[Id, Fact],
    entities: Mapping[Id, Entity],
) -> set[_FactQueryKey]:
    names = build_name_book(entities.values())
    return {
        (who.id, predicate, with_history)
        for proposal in proposals
        for entity_id, predicate, with_history in (
            *_fact_queries(proposal, catalogue, facts),
            *_sentence_queries(proposal.change, names),
            *_reopened_queries(proposal.change, catalogue, facts, names),
        )
        if (who := current_entity(entity_id, entities)) is not None
    }


def _fact_queries(
    proposal: ProposedChange, catalogue: Catalogue, facts: Mapping[Id, Fact]
) -> Iterable[_FactQueryKey]:
    """Yield what must be known to check one proposal; whoever might act may be dead."""
    change = proposal.change
    match change:
        case AssertFact():
            with_history = change.valid_to is not None or is_about_the_past(proposal)
            # A mere sentence meets others by its words alone (`facts_saying`).
            is_uncatalogued_occurrence = (
                change.fact_kind in OCCURRENCE_KINDS and change.predicate not in catalogue.predicates
            )
            has_value = change.value is not None or change.fact_kind is FactKind.RELATION
            is_mere_sentence = is_uncatalogued_occurrence or (len(change.involves) < 2 and not has_value)
            related_predicates = () if is_mere_sentence else catalogue.related_predicates(change.predicate)
            for entity_id in named_entities(change):
                yield entity_id, ALIVE, with_history
                yield from ((entity_id, predicate, with_history) for predicate in related_predicates)
        case StateChange():
            is_tag = change.op in (StateOp.TAG, StateOp.UNTAG) or isinstance(change.value, bool)
            predicates = {ALIVE, *catalogue.related_predicates(change.key), *((IS, IS_NOT) if is_tag else ())}
            yield from ((change.entity_id, predicate, False) for predicate in predicates)
        case NoteAxiom():
            yield from ((i.entity_id, change.predicate, False) for i in change.involves)
        case EndFact() | RetconFact():
            if fact := facts.get(change.fact_id):
                for predicate in catalogue.related_predicates(fact.predicate):
                    yield from ((i.entity_id, predicate, False) for i in fact.involves)
        case CreateEntity() | UpdateEntity() | MergeEntities() | ChangeSecrecy() | AdvanceClock():
            return
        case _:
            assert_never(change)


MAX_SENTENCES = 1_000
"""Sentences about one entity with which a new one is compared, the newest: each is read when it is first needed."""

_SENTENCE_PREDICATES = (STATED_PREDICATE, FactKind.EVENT.value)
"""The predicates of facts that only their sentences tell."""


def _about_query(predicate: str, *, with_history: bool) -> FactsAboutQuery:
    newest = MAX_SENTENCES if predicate in _SENTENCE_PREDICATES and not with_history else None
    return FactsAboutQuery(
        predicate=predicate, history=with_history, newest=newest, limit=MAX_FACTS_PER_QUERY
    )


def _sentence_queries(change: Payload, names: NameBook) -> Iterator[_FactQueryKey]:
    """Yield where the sentences stand that a sentence, a relation or a tag is compared with."""
    match change:
        case AssertFact():
            subject_id = next((i.entity_id for i in change.involves if i.role == SUBJECT), "")
            claims = read_statement(change.statement, names, subject_id).claims
            is_read = bool(claims) or bool(read_propositions(change.statement, names, subject_id))
            predicates = predicates_to_compare(claims) if claims else ()
            for entity_id in named_entities(change) if is_read else ():
                yield from ((entity_id, name, False) for name in (*_SENTENCE_PREDICATES, *predicates))
        case StateChange():
            if change.op in (StateOp.TAG, StateOp.UNTAG) or change.key == ALIVE:
                yield change.entity_id, STATED_PREDICATE, False
        case (
            CreateEntity()
            | UpdateEntity()
            | MergeEntities()
            | EndFact()
            | RetconFact()
            | ChangeSecrecy()
            | AdvanceClock()
            | NoteAxiom()
        ):
            return
        case _:
            assert_never(change)


def _reopened_queries(
    change: Payload, catalogue: Catalogue, facts: Mapping[Id, Fact], names: NameBook
) -> Iterator[_FactQueryKey]:
    """Yield the queries for facts that may have replaced what a retcon lets hold again."""
    if not isinstance(change, RetconFact) or change.restore:
        return
    for fact in facts.values():
        if fact.status is FactStatus.SUPERSEDED:
            claims = read_statement(fact.statement, names, fact.entity(SUBJECT) or "").claims
            predicates = {
                *catalogue.related_predicates(fact.predicate),
                *_SENTENCE_PREDICATES,
                *predicates_to_compare(claims),
            }
            yield from ((i.entity_id, predicate, False) for i in fact.involves for predicate in predicates)


def _sentences_about_nobody(changes: Iterable[Payload]) -> Iterator[FactQuery]:
    """Ask for the sentences that name nobody if one is to be compared: `the password is salt` meets no entity's."""
    unnamed_statements = [c.statement for c in changes if isinstance(c, AssertFact) and not c.involves]
    names = build_name_book([])
    if any(read_statement(statement, names).claims for statement in unnamed_statements):
        for predicate in _SENTENCE_PREDICATES:
            yield FactQuery(predicate=predicate, only_about_nobody=True, newest=MAX_SENTENCES)


def _predicates_about_nobody(
    changes: Iterable[Payload], catalogue: Catalogue, named_facts: Iterable[Fact]
) -> set[str]:
    """Facts that involve nobody are found by their predicate, if it has one value at a time."""
    predicates = {c.predicate for c in changes if isinstance(c, AdvanceClock)}
    valued_assertions = [
        c for c in changes if isinstance(c, AssertFact) and not c.involves and c.value is not None
    ]
    predicates |= {
        related_predicate
        for c in valued_assertions
        for related_predicate in catalogue.related_predicates(c.predicate)
    }
    return predicates | {
        fact.predicate for fact in named_facts if not fact.involves and fact.value is not None
    }


async def _read_similar_names(
    canon: CanonReader, universe_id: Id, creations: Sequence[CreateEntity]
) -> tuple[Entity, ...]:
    """Read those whose names are like the names of what is to be created."""
    if not creations:
        return ()
    wanted_names = {normalize_name(name) for change in creations for name in (change.name, *change.aliases)}
    # In a thread: each of the names is compared with every name of the universe.
    similar_ids = await to_thread(_find_similar_names, wanted_names, await canon.folded_names(universe_id))
    return tuple((await canon.entities_by_id(similar_ids)).values())


def _find_similar_names(wanted_names: Collection[str], folded_names: Iterable[tuple[str, Id]]) -> set[Id]:
    """Return whose names are like one of those that are wanted."""
    from rapidfuzz import fuzz, process  # loaded when it is needed: three megabytes

    known_names = [(look_of_name(normalize_name(name)), entity_id) for name, entity_id in folded_names]
    choices = {place: name for place, (name, _) in enumerate(known_names)}
    wanted_words = [frozenset(look_of_name(name).split()) for name in wanted_names]
    # Most names share no word with any that is wanted: those are not compared with each.
    all_wanted_words = frozenset().union(*wanted_words)
    fuller_named_ids = {
        entity_id
        for name, entity_id in known_names
        if not all_wanted_words.isdisjoint(name_words := frozenset(name.split()))
        and any(words < name_words for words in wanted_words)
    }
    return fuller_named_ids | {
        known_names[place][1]
        for name in wanted_names
        for _, _, place in process.extract(
            look_of_name(name), choices, scorer=fuzz.ratio, score_cutoff=SIMILAR_NAME_LIKENESS, limit=10
        )
    }


def _retconned_ids(changes: Iterable[Payload]) -> set[Id]:
    return {c.fact_id for c in changes if isinstance(c, RetconFact)}


def _ticks_per_day(universe: Universe | None) -> int:
    calendar = universe.calendar if universe else Calendar()
    return calendar.minutes_per_hour * calendar.hours_per_day


async def _read_universe(canon: CanonReader, universe_id: Id) -> Universe | None:
    try:
        return await canon.universe(universe_id)
    except NotFound:
        return None


async def _read_entities(canon: CanonReader, wanted_ids: Collection[Id]) -> dict[Id, Entity]:
    """Return the entities and, for those that were merged into others, these too."""
    entities_by_id: dict[Id, Entity] = {}
    missing_ids = set(wanted_ids)
    while missing_ids:
        new_entities = await canon.entities_by_id(missing_ids)
        entities_by_id.update(new_entities)
        missing_ids = {e.merged_into for e in new_entities.values() if e.merged_into} - entities_by_id.keys()
    return entities_by_id


_ReadSuccession = Callable[[Id], Awaitable[list[Fact]]]
"""Gives what a fact superseded, or what superseded it."""


async def _read_supersessions(
    canon: CanonReader, facts: dict[Id, Fact], retconned_ids: set[Id]
) -> tuple[Supersession, ...]:
    """Read who superseded whom around the facts to be retconned or restored.

    Down to what they ended and up to what ended that, past any fact that is (or is about to be)
    retconned: those are the facts whose end may move. Adds them to `facts`.
    """

    async def follow_successions(
        start_facts: Iterable[Fact], read_succession: _ReadSuccession
    ) -> list[tuple[Fact, Fact]]:
        fact_pairs: list[tuple[Fact, Fact]] = []
        pending_facts, visited_ids = list(start_facts), set[Id]()
        while pending_facts:
            fact = pending_facts.pop()
            if fact.id in visited_ids:
                continue
            visited_ids.add(fact.id)
            for other in await read_succession(fact.id):
                fact_pairs.append((fact, other))
                if other.status is FactStatus.RETCONNED or other.id in retconned_ids:
                    pending_facts.append(other)
        return fact_pairs

    named_facts = [facts[fact_id] for fact_id in sorted(retconned_ids) if fact_id in facts]
    older_pairs = await follow_successions(named_facts, canon.supersedes)
    newer_pairs = await follow_successions(
        [*named_facts, *(older for _, older in older_pairs)], canon.superseded_by
    )
    edges = dict.fromkeys([*((n.id, o.id) for n, o in older_pairs), *((n.id, o.id) for o, n in newer_pairs)])
    facts.update({fact.id: fact for pair in (*older_pairs, *newer_pairs) for fact in pair})
    return tuple(Supersession(newer_id=newer, older_id=older) for newer, older in edges)


async def _read_taken_back_facts(canon: CanonReader, proposals: Iterable[ProposedChange]) -> dict[Id, Fact]:
    """Return what commits that were undone since had made of proposals that are open again."""
    facts_by_id: dict[Id, Fact] = {}
    wanted_ids = {first_fact_id(p) for p in proposals if is_open_again(p)}
    while wanted_ids:
        new_facts = await canon.facts_by_id(wanted_ids)
        facts_by_id.update(new_facts)
        wanted_ids = {next_fact_id(fact_id) for fact_id in new_facts}
    return facts_by_id


async def _read_moved_facts(
    canon: CanonReader, proposals: Iterable[ProposedChange], facts: Iterable[Fact]
) -> dict[Id, Fact]:
    """Return the facts that merges which were undone since, and are proposed again, had moved."""
    merges = [(p.id, p.change) for p in proposals if is_open_again(p) and isinstance(p.change, MergeEntities)]
    moved_ids = {
        derive_id("fact", proposal_id, fact.id)
        for proposal_id, merge in merges
        for fact in facts
        if any(i.entity_id == merge.absorbed_id for i in fact.involves)
    }
    return await canon.facts_by_id(moved_ids) if moved_ids else {}


async def _read_evidence(
    canon: CanonReader, changes: Iterable[Payload], facts: Iterable[Fact], absorbed_ids: Collection[Id]
) -> dict[Id, tuple[Evidence, ...]]:
    """Read what must be cited again: by a value's first fact, and by facts that move to another entity."""
    subject_ids = {c.entity_id for c in changes if isinstance(c, StateChange)}
    state_assertions = (c for c in changes if isinstance(c, AssertFact) and c.fact_kind is FactKind.STATE)
    subject_ids |= {i.entity_id for c in state_assertions for i in c.involves}
    if absorbed_ids:
        subject_ids |= {f.id for f in facts if any(i.entity_id in absorbed_ids for i in f.involves)}
    evidence_by_subject = await canon.evidence_of_all(subject_ids) if subject_ids else {}
    return {subject: tuple(evidence_by_subject.get(subject, ())) for subject in sorted(subject_ids)}
