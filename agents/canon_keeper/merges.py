"""One thing under two names: who might be the same, what a merge would move, and how to split it again.

Source: design/authority.md, "same thing, other name: alias and fuzzy match -> proposed merge, shown side
by side"; design/ontology.md, `merge_entities`.
"""

from __future__ import annotations

from asyncio import to_thread
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from agents.canon_keeper.changes import apply, created
from agents.canon_keeper.decisions import UNCHANGED
from agents.canon_keeper.house import ReadHouse
from agents.canon_keeper.naming import bare
from agents.canon_keeper.readings import MERGED, is_open, overlap, same_thing_said, slot_of, stands
from agents.canon_keeper.snapshot import ALIKE, Gain, read_snapshot
from agents.canon_keeper.world import World
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    Authority,
    CreateEntity,
    Fact,
    FactKind,
    FactStatus,
    MergeEntities,
    RetconFact,
)
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import Canonization, CanonizationState, ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityStatus

_DONE = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


@dataclass(frozen=True, slots=True)
class Lookalike:
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
    """What a merge would do. `clashes` come first: pairs of the kept one's fact and the absorbed one's
    that cannot both be so (None: what the kept one bears from the start).

    `moved` pairs facts with themselves afterwards; `repeated` are the absorbed one's that say what the
    kept one has already; `relations` counts the relations among the moved.
    """

    kept: Entity
    absorbed: Entity
    clashes: tuple[tuple[Fact | None, Fact], ...]
    after: Entity
    moved: tuple[tuple[Fact, Fact], ...]
    repeated: tuple[Fact, ...]
    relations: int
    memories: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the kept one gains."""
        return tuple(name for name in self.after.aliases if name not in self.kept.aliases)


class Merges:
    """Previews merges and splits. Writes nothing: both are proposals."""

    def __init__(self, canon: CanonReader, log: LogReader, house: ReadHouse, clock: Clock) -> None:
        self._canon = canon
        self._log = log
        self._house = house
        self._clock = clock

    async def lookalikes(self, universe_id: Id, of: Id | None = None) -> list[Lookalike]:
        """Return pairs of one kind whose names are the same or nearly so, or one within the other, the most
        alike first; with `of`, only those of one entity, which is then the pair's first."""
        names = [(bare(name), whose) for name, whose in await self._canon.names(universe_id)]
        own = [pair for pair in names if pair[1] == of]
        if of is not None:
            names = [*own, *(pair for pair in names if pair[1] != of)]
        pairs = await to_thread(_alike, names, None if of is None else len(own))
        known = await self._canon.entities_by_id({i for pair in pairs for i in pair})
        found = [
            Lookalike(known[other if other == of else one], known[one if other == of else other], likeness)
            for (one, other), likeness in pairs.items()
            if known[one].kind is known[other].kind
        ]
        return sorted(found, key=lambda pair: (-pair.likeness, pair.one.name, pair.other.name))

    async def namesakes(self, proposal: ProposedChange) -> list[Lookalike]:
        """Return who in canon may be the entity that is proposed (`other`), the most alike first.

        To take them for one, accept the proposal together with `Lookalike.merge`. Raises StoreError.
        """
        change = proposal.change
        if not isinstance(change, CreateEntity):
            return []
        new = created(proposal, change)
        names = [(bare(name), whose) for name, whose in await self._canon.names(proposal.universe_id)]
        own = [(bare(name), new.id) for name in (new.name, *new.aliases)]
        pairs = _alike([*own, *(pair for pair in names if pair[1] != new.id)], only=len(own))
        known = await self._canon.entities_by_id({i for pair in pairs for i in pair} - {new.id})
        found = [
            Lookalike(known[one if other == new.id else other], new, likeness)
            for (one, other), likeness in pairs.items()
            if likeness >= ALIKE or known[one if other == new.id else other].kind is new.kind
        ]
        return sorted(found, key=lambda pair: (-pair.likeness, pair.one.kind is not new.kind, pair.one.name))

    async def preview(self, kept_id: Id, absorbed_id: Id) -> MergePreview:
        """Preview `MergeEntities(kept, absorbed)`. Raises InputError if they are not two in canon."""
        known = await self._canon.entities_by_id([kept_id, absorbed_id])
        two = [e for e in known.values() if e.status is EntityStatus.CANONICAL]
        if len(two) < 2:
            raise InputError("These are not two entities of canon.", kept=UNCHANGED)
        kept, absorbed = known[kept_id], known[absorbed_id]
        trial = ProposedChange(
            id=derived("preview", kept_id, absorbed_id),
            universe_id=kept.universe_id,
            payload=MergeEntities(kept_id=kept_id, absorbed_id=absorbed_id),
            authority=Authority.GM,
            created_at=self._clock(),
        )
        catalogue = (await self._house(kept.universe_id)).catalogue
        canon = await read_snapshot(self._canon, catalogue, kept.universe_id, [trial])
        world = World(canon, catalogue)
        apply(trial, world)
        edges = {edge.older_id: edge.newer_id for edge in world.supersedes}
        moved, repeated = [], []
        clashes: list[tuple[Fact | None, Fact]] = []
        for old in (f for f in canon.facts if is_open(f) and _is_of(f, absorbed_id)):
            newer = world.facts.get(edges.get(old.id, ""))
            if newer is None:
                clashes.append((None, old))
            elif newer.predicate != MERGED:
                moved.append((old, newer))
                clashes += [(f, old) for f in world.rivals(newer) if _meets(f, newer)]
            elif _is_said(_moved(old, absorbed_id, kept_id), world):
                repeated.append(old)
            else:
                slot = slot_of(_moved(old, absorbed_id, kept_id), catalogue)
                clashes.append((world.holding(slot) if slot else None, old))
        return MergePreview(
            kept=kept,
            absorbed=absorbed,
            clashes=tuple(clashes),
            after=world.entities[kept_id],
            moved=tuple(moved),
            repeated=tuple(repeated),
            relations=sum(old.kind is FactKind.RELATION for old, _ in moved),
            memories=len(await self._log.memories(absorbed_id)),
        )

    async def absorbed_by(self, kept_id: Id) -> list[Entity]:
        """Return the entities that were merged into this one and still are, the latest first."""
        kept = await self._canon.entity(kept_id)
        done = await self._log.proposals(universe_id=kept.universe_id, statuses=[ProposalStatus.ACCEPTED])
        ids = [
            c.absorbed_id for p in done if isinstance(c := p.change, MergeEntities) and c.kept_id == kept_id
        ]
        known = await self._canon.entities_by_id(ids)
        order = dict.fromkeys(reversed(ids))
        return [known[i] for i in order if i in known and known[i].merged_into == kept_id]

    async def split(self, absorbed_id: Id) -> tuple[RetconFact, ...]:
        """Return the changes that undo a merge: each fact that moved goes back, and then the name.

        Stage and accept them together, in this order. Raises InputError if it was not merged.
        """
        absorbed = (await self._canon.entities_by_id([absorbed_id])).get(absorbed_id)
        if absorbed is None or absorbed.status is not EntityStatus.MERGED:
            raise InputError("It was not merged into anything.", kept=UNCHANGED)
        _, merge = await self._merge_of(absorbed)
        moved = await self._moved_by(merge, absorbed)
        back = (RetconFact(fact_id=f.id) for f in moved if f.status is not FactStatus.RETCONNED)
        return (*back, RetconFact(fact_id=absorbed_id, restore=True))

    async def gains(self, proposals: Sequence[ProposedChange]) -> dict[Id, Gain]:
        """Return what kept entities gained by the merges that the proposals would undo."""
        ids = [p.change.fact_id for p in proposals if isinstance(p.change, RetconFact) and p.change.restore]
        merged = [e for e in (await self._canon.entities_by_id(ids)).values() if e.merged_into] if ids else []
        return {e.id: await self._gain(e) for e in merged}

    async def _gain(self, absorbed: Entity) -> Gain:
        earlier, merge = await self._merge_of(absorbed)
        after = _entity_in([merge] if merge else [], absorbed.merged_into)
        before = _entity_in(earlier, absorbed.merged_into)
        if after is None or before is None:
            # Nothing in the log tells of the kept one before: what both bear is taken to be its own.
            return Gain(names=(absorbed.name, *absorbed.aliases))
        return Gain(
            names=tuple(name for name in after.aliases if name not in (*before.aliases, before.name)),
            tags=tuple(tag for tag in after.tags if tag not in before.tags),
            numbers=tuple(key for key in after.numbers if key not in before.numbers),
            description=after.description if after.description != before.description else "",
            is_pc=after.is_pc and not before.is_pc,
        )

    async def _merge_of(self, absorbed: Entity) -> tuple[list[Canonization], Canonization | None]:
        """Return the commits before the merge, and the one that made it."""
        commits = await self._log.canonizations(universe_id=absorbed.universe_id, states=_DONE)
        for place in range(len(commits) - 1, -1, -1):
            merged = (e for e in commits[place].batch.entities if e.id == absorbed.id)
            is_merged = any(e.status is EntityStatus.MERGED for e in merged)
            if is_merged and not _was_merged(commits[:place], absorbed.id):
                return commits[:place], commits[place]
        return commits, None

    async def _moved_by(self, merge: Canonization | None, absorbed: Entity) -> list[Fact]:
        if merge is None:
            return []
        ids = [o.proposal_id for o in merge.outcomes if o.status is ProposalStatus.ACCEPTED]
        merges = [
            p.id
            for p in (await self._log.proposals_by_id(ids)).values()
            if isinstance(p.change, MergeEntities) and p.change.absorbed_id == absorbed.id
        ]
        moved = [f.id for f in merge.batch.facts if f.proposal_id in merges]
        now = await self._canon.facts_by_id(moved)
        return [now[i] for i in moved if i in now]


def _was_merged(commits: Sequence[Canonization], entity_id: Id) -> bool:
    last = _entity_in(commits, entity_id)
    return last is not None and last.status is EntityStatus.MERGED


def _entity_in(commits: Sequence[Canonization], entity_id: Id | None) -> Entity | None:
    """Return the entity as the last of the commits left it."""
    found = (e for commit in reversed(commits) for e in commit.batch.entities if e.id == entity_id)
    return next(found, None)


def _alike(names: Sequence[tuple[str, Id]], only: int | None = None) -> dict[tuple[Id, Id], float]:
    """Return pairs of entities with names that are nearly the same, and how nearly (per cent); with
    `only`, pairs of the first so many names with others."""
    found: dict[tuple[Id, Id], float] = {}
    words = [name for name, _ in names]
    for place, (name, whose) in enumerate(names[:only]):
        rest = words[place + 1 :]
        for _, likeness, ahead in process.extract(
            name, rest, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=10
        ):
            other = names[place + 1 + ahead][1]
            if other != whose:
                pair = (min(whose, other), max(whose, other))
                found[pair] = max(likeness, found.get(pair, 0.0))
    for pair, likeness in _within(names, only):
        found.setdefault(pair, likeness)
    return found


def _within(
    names: Sequence[tuple[str, Id]], only: int | None = None
) -> Iterator[tuple[tuple[Id, Id], float]]:
    """Yield pairs in which all words of one name are in the other: `Wenna` and `Wenna Pike`."""
    bearing = defaultdict[str, set[int]](set)
    words = [set(name.split()) for name, _ in names]
    for place, own in enumerate(words):
        for word in own:
            bearing[word].add(place)
    for place, own in enumerate(words):
        for longer in sorted(set.intersection(*(bearing[word] for word in own)) if own else ()):
            (short, one), (long, other) = names[place], names[longer]
            asked = only is None or place < only or longer < only
            if asked and one != other and own != words[longer]:
                yield (min(one, other), max(one, other)), fuzz.ratio(short, long)


def _is_of(fact: Fact, entity_id: Id) -> bool:
    return any(i.entity_id == entity_id for i in fact.involves)


def _meets(one: Fact, other: Fact) -> bool:
    return stands(one) and stands(other) and overlap(one, other)


def _moved(fact: Fact, absorbed_id: Id, kept_id: Id) -> Fact:
    """Return the fact as it would read of the kept one."""
    involves = (
        i.model_copy(update={"entity_id": kept_id}) if i.entity_id == absorbed_id else i
        for i in fact.involves
    )
    return fact.model_copy(update={"involves": tuple(involves)})


def _is_said(fact: Fact, world: World) -> bool:
    """Say whether canon says already what the fact says."""
    return any(is_open(f) and same_thing_said(f, fact, world.catalogue) for f in world.alike(fact))
