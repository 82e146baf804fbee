"""One thing under two names: who might be the same, what a merge would move, and how to split it again."""

from __future__ import annotations

from asyncio import to_thread
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.canon_snapshot import SIMILAR_NAME_LIKENESS, MergeGain, read_snapshot
from agents.canon_keeper.change_application import apply_change
from agents.canon_keeper.fact_readings import (
    MERGED_PREDICATE,
    fact_key_of,
    is_open,
    is_same_statement,
    is_true,
    times_overlap,
)
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.canon_keeper.universe_policy import ReadPolicy
from agents.proposals.decisions import NOTHING_DECIDED
from agents.proposals.proposals import ProposalSite, build_proposal
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery, ProposalQuery
from stores.records.canon import (
    Authority,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    RetconFact,
)
from stores.records.ids import Clock, Id, derive_id
from stores.records.workflow import Canonization, CanonizationState, ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityStatus

MIN_SHORTENED_NAME: Final = 3
"""Letters that a name has at least for a longer one to count as the same: `Nan`, `Nanette`."""
_COMMITTED_STATES = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


@dataclass(frozen=True, slots=True)
class LookalikePair:
    """Two entities that may be one; `likeness` of their nearest names in per cent."""

    one: Entity
    other: Entity
    likeness: float

    @property
    def merge(self) -> MergeEntities:
        """The change that makes them one, under the first one's name."""
        return MergeEntities(kept_id=self.one.id, absorbed_id=self.other.id)


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What a merge would do.

    `conflicts` pair facts of the kept and of the absorbed entity that cannot both be true (None: a value
    that the kept one was created with). `moved_facts` pair facts with themselves afterwards;
    `repeated_facts` are the absorbed one's that the kept one has already; `relation_count` counts the
    relations among the moved.
    """

    kept_entity: Entity
    absorbed_entity: Entity
    conflicts: tuple[tuple[Fact | None, Fact], ...]
    merged_entity: Entity
    moved_facts: tuple[tuple[Fact, Fact], ...]
    repeated_facts: tuple[Fact, ...]
    relation_count: int
    memory_count: int

    @property
    def added_names(self) -> tuple[str, ...]:
        """The names that the kept one gains."""
        return tuple(name for name in self.merged_entity.aliases if name not in self.kept_entity.aliases)


class MergePreviewer:
    """Previews merges and splits. Writes nothing: both are proposals."""

    def __init__(self, canon: CanonReader, log: LogReader, read_policy: ReadPolicy, clock: Clock) -> None:
        self._canon = canon
        self._log = log
        self._read_policy = read_policy
        self._clock = clock

    async def find_lookalikes(self, universe_id: Id, entity_id: Id | None = None) -> list[LookalikePair]:
        """Return pairs of one kind with equal, similar or contained names, the most alike first.

        With `entity_id`, only the pairs of that entity, which then comes first in each.
        """
        names = await self._canon.folded_names(universe_id)
        pairs = await to_thread(_similar_pairs, names, entity_id)
        entities_by_id = await self._canon.entities_by_id({i for pair in pairs for i in pair})
        lookalike_pairs = [
            LookalikePair(
                entities_by_id[other if other == entity_id else one],
                entities_by_id[one if other == entity_id else other],
                likeness,
            )
            for (one, other), likeness in pairs.items()
            if entities_by_id[one].kind is entities_by_id[other].kind
        ]
        return sorted(lookalike_pairs, key=lambda pair: (-pair.likeness, pair.one.name, pair.other.name))

    async def preview_merge(self, kept_id: Id, absorbed_id: Id) -> MergePreview:
        """Preview `MergeEntities(kept, absorbed)`. Raises InputError if they are not two in canon."""
        entities_by_id = await self._canon.entities_by_id([kept_id, absorbed_id])
        canonical_entities = [e for e in entities_by_id.values() if e.status is EntityStatus.CANONICAL]
        if len(canonical_entities) < 2:
            raise InputError("These are not two entities of canon.", kept=NOTHING_DECIDED)
        kept_entity, absorbed_entity = entities_by_id[kept_id], entities_by_id[absorbed_id]
        trial_proposal = build_proposal(
            derive_id("preview", kept_id, absorbed_id),
            MergeEntities(kept_id=kept_id, absorbed_id=absorbed_id),
            (),
            Authority.GM,
            ProposalSite(kept_entity.universe_id),
            self._clock(),
        )
        catalogue = (await self._read_policy(kept_entity.universe_id)).catalogue
        canon = await read_snapshot(self._canon, catalogue, kept_entity.universe_id, [trial_proposal])
        draft = CanonDraft(canon, catalogue)
        apply_change(trial_proposal, draft)
        edges = {edge.older_id: edge.newer_id for edge in draft.supersessions}
        moved_facts, repeated_facts = [], []
        conflicts: list[tuple[Fact | None, Fact]] = []
        for old_fact in (f for f in canon.facts if is_open(f) and _involves_entity(f, absorbed_id)):
            newer = draft.facts.get(edges.get(old_fact.id, ""))
            if newer is None:
                conflicts.append((None, old_fact))
            elif newer.predicate != MERGED_PREDICATE:
                moved_facts.append((old_fact, newer))
                conflicts += [(f, old_fact) for f in draft.rival_facts(newer) if _are_rivals(f, newer)]
            elif _is_stated(_moved_fact(old_fact, absorbed_id, kept_id), draft):
                repeated_facts.append(old_fact)
            else:
                fact_key = fact_key_of(_moved_fact(old_fact, absorbed_id, kept_id), catalogue)
                conflicts.append((draft.current_fact(fact_key) if fact_key else None, old_fact))
        return MergePreview(
            kept_entity=kept_entity,
            absorbed_entity=absorbed_entity,
            conflicts=tuple(conflicts),
            merged_entity=draft.entities[kept_id],
            moved_facts=tuple(moved_facts),
            repeated_facts=tuple(repeated_facts),
            relation_count=sum(old.kind is FactKind.RELATION for old, _ in moved_facts),
            memory_count=len(await self._log.memories(MemoryQuery(entity_id=absorbed_id))),
        )

    async def read_absorbed(self, kept_id: Id) -> list[Entity]:
        """Return the entities that were merged into this one and still are, the latest first."""
        kept_entity = await self._canon.entity(kept_id)
        accepted_proposals = await self._log.proposals(
            ProposalQuery(
                universe_id=kept_entity.universe_id,
                statuses=[ProposalStatus.ACCEPTED],
                kind="merge_entities",
                with_sources=True,
            )
        )
        ids = [
            c.absorbed_id
            for p in accepted_proposals
            if isinstance(c := p.change, MergeEntities) and c.kept_id == kept_id
        ]
        entities_by_id = await self._canon.entities_by_id(ids)
        ordered_ids = dict.fromkeys(reversed(ids))
        return [
            entities_by_id[i]
            for i in ordered_ids
            if i in entities_by_id and entities_by_id[i].merged_into == kept_id
        ]

    async def plan_split(self, absorbed_id: Id) -> tuple[RetconFact, ...]:
        """Return the changes that undo a merge: each fact that moved goes back, and then the name.

        Stage and accept them together, in this order. Raises InputError if it was not merged.
        """
        absorbed_entity = (await self._canon.entities_by_id([absorbed_id])).get(absorbed_id)
        if absorbed_entity is None or absorbed_entity.status is not EntityStatus.MERGED:
            raise InputError("It was not merged into anything.", kept=NOTHING_DECIDED)
        _, merge = await self._find_merge(absorbed_entity)
        moved_facts = await self._read_moved_facts(merge, absorbed_entity)
        retcons = (RetconFact(fact_id=f.id) for f in moved_facts if f.status is not FactStatus.RETCONNED)
        return (*retcons, RetconFact(fact_id=absorbed_id, restore=True))

    async def read_gains(self, proposals: Sequence[ProposedChange]) -> dict[Id, MergeGain]:
        """Return what kept entities gained by the merges that the proposals would undo."""
        ids = [p.change.fact_id for p in proposals if isinstance(p.change, RetconFact) and p.change.restore]
        merged_entities = (
            [e for e in (await self._canon.entities_by_id(ids)).values() if e.merged_into] if ids else []
        )
        return {e.id: await self._read_gain(e) for e in merged_entities}

    async def _read_gain(self, absorbed_entity: Entity) -> MergeGain:
        earlier_commits, merge = await self._find_merge(absorbed_entity)
        after = _last_entity_in([merge] if merge else [], absorbed_entity.merged_into)
        before = _last_entity_in(earlier_commits, absorbed_entity.merged_into)
        if after is None or before is None:
            # Nothing in the log tells of the kept one before: what both bear is taken to be its own.
            return MergeGain(names=(absorbed_entity.name, *absorbed_entity.aliases))
        return MergeGain(
            names=tuple(name for name in after.aliases if name not in (*before.aliases, before.name)),
            tags=tuple(tag for tag in after.tags if tag not in before.tags),
            numbers=tuple(key for key in after.numbers if key not in before.numbers),
            description=after.description if after.description != before.description else "",
            is_pc=after.is_pc and not before.is_pc,
        )

    async def _find_merge(self, absorbed_entity: Entity) -> tuple[list[Canonization], Canonization | None]:
        """Return the commits before the merge, and the one that made it."""
        commits = await self._log.canonizations(
            universe_id=absorbed_entity.universe_id, states=_COMMITTED_STATES
        )
        for place in range(len(commits) - 1, -1, -1):
            entity_versions = (e for e in commits[place].batch.entities if e.id == absorbed_entity.id)
            is_merged = any(e.status is EntityStatus.MERGED for e in entity_versions)
            if is_merged and not _was_merged(commits[:place], absorbed_entity.id):
                return commits[:place], commits[place]
        return commits, None

    async def _read_moved_facts(self, merge: Canonization | None, absorbed_entity: Entity) -> list[Fact]:
        if merge is None:
            return []
        ids = [o.proposal_id for o in merge.outcomes if o.status is ProposalStatus.ACCEPTED]
        merge_ids = [
            p.id
            for p in (await self._log.proposals_by_id(ids)).values()
            if isinstance(p.change, MergeEntities) and p.change.absorbed_id == absorbed_entity.id
        ]
        moved_ids = [f.id for f in merge.batch.facts if f.proposal_id in merge_ids]
        facts_by_id = await self._canon.facts_by_id(moved_ids)
        return [facts_by_id[i] for i in moved_ids if i in facts_by_id]


def _was_merged(commits: Sequence[Canonization], entity_id: Id) -> bool:
    last = _last_entity_in(commits, entity_id)
    return last is not None and last.status is EntityStatus.MERGED


def _last_entity_in(commits: Sequence[Canonization], entity_id: Id | None) -> Entity | None:
    """Return the entity as the last of the commits left it."""
    entity_versions = (e for commit in reversed(commits) for e in commit.batch.entities if e.id == entity_id)
    return next(entity_versions, None)


def _similar_pairs(
    folded_names: Iterable[tuple[str, Id]], entity_id: Id | None = None
) -> dict[tuple[Id, Id], float]:
    """Return pairs of entities with names that are nearly the same, and how nearly (per cent).

    With `entity_id`, pairs of its names with others.
    """
    from rapidfuzz import fuzz, process  # loaded when it is needed: three megabytes

    names = [(normalize_name(name), whose) for name, whose in folded_names]
    own_names = [pair for pair in names if pair[1] == entity_id]
    first_count = None if entity_id is None else len(own_names)
    if entity_id is not None:
        names = [*own_names, *(pair for pair in names if pair[1] != entity_id)]
    likeness_by_pair: dict[tuple[Id, Id], float] = {}
    words = [name for name, _ in names]
    for place, (name, whose) in enumerate(names[:first_count]):
        rest = words[place + 1 :]
        for _, likeness, ahead in process.extract(
            name, rest, scorer=fuzz.ratio, score_cutoff=SIMILAR_NAME_LIKENESS, limit=10
        ):
            other = names[place + 1 + ahead][1]
            if other != whose:
                pair = (min(whose, other), max(whose, other))
                likeness_by_pair[pair] = max(likeness, likeness_by_pair.get(pair, 0.0))
    for pair, likeness in (
        *_contained_name_pairs(names, first_count),
        *_shortened_name_pairs(names, first_count),
    ):
        likeness_by_pair.setdefault(pair, likeness)
    return likeness_by_pair


def _contained_name_pairs(
    names: Sequence[tuple[str, Id]], first_count: int | None = None
) -> Iterator[tuple[tuple[Id, Id], float]]:
    """Yield pairs in which all words of one name are in the other: `Wenna` and `Wenna Pike`."""
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    places_by_word = defaultdict[str, set[int]](set)
    words = [set(name.split()) for name, _ in names]
    for place, own in enumerate(words):
        for word in own:
            places_by_word[word].add(place)
    for place, own in enumerate(words):
        for longer in sorted(set.intersection(*(places_by_word[word] for word in own)) if own else ()):
            (short, one), (long, other) = names[place], names[longer]
            is_relevant = first_count is None or place < first_count or longer < first_count
            if is_relevant and one != other and own != words[longer]:
                yield (min(one, other), max(one, other)), fuzz.ratio(short, long)


def _shortened_name_pairs(
    names: Sequence[tuple[str, Id]], first_count: int | None = None
) -> Iterator[tuple[tuple[Id, Id], float]]:
    """Yield pairs in which one name begins the other, within a word: `Nan` and `Nanette`."""
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    sorted_names = sorted((name, whose, place) for place, (name, whose) in enumerate(names))
    for index, (short, one, place) in enumerate(sorted_names):
        if len(short) < MIN_SHORTENED_NAME:
            continue
        for long, other, longer in sorted_names[index + 1 :]:
            if not long.startswith(short):
                break
            is_relevant = first_count is None or place < first_count or longer < first_count
            if is_relevant and one != other and long[len(short) :][:1].isalpha():
                yield (min(one, other), max(one, other)), fuzz.ratio(short, long)


def _involves_entity(fact: Fact, entity_id: Id) -> bool:
    return any(i.entity_id == entity_id for i in fact.involves)


def _are_rivals(one: Fact, other: Fact) -> bool:
    return is_true(one) and is_true(other) and times_overlap(one, other)


def _moved_fact(fact: Fact, absorbed_id: Id, kept_id: Id) -> Fact:
    """Return the fact as it would read of the kept one."""
    involves = (
        i.model_copy(update={"entity_id": kept_id}) if i.entity_id == absorbed_id else i
        for i in fact.involves
    )
    return fact.model_copy(update={"involves": tuple(involves)})


def _is_stated(fact: Fact, draft: CanonDraft) -> bool:
    """Say whether canon says already what the fact says."""
    return any(is_open(f) and is_same_statement(fact, f, draft.catalogue) for f in draft.similar_facts(fact))
