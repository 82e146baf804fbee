"""Numbers the threads of a scene by the history of its story: the same whenever the program was started.

First what was there when the scene began, then what came since, in the order in which it came. What is settled or
undone leaves a gap, so that a number never means another thread while the scene is open.
"""

from __future__ import annotations

from asyncio import gather
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import is_open
from agents.context_assembly.scene_context import SceneContext
from agents.resolver.threads import build_threads
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import AssertFact, Fact, FactKind
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.story_journal import (
    JournalEntry,
    Thread,
    ThreadAction,
    ThreadEntry,
    UndoEntry,
    find_undone_entry_ids,
)
from stores.records.workflow import CanonizationState, ProposalStatus, ProposedChange

MAX_SCENES: Final = 8
"""Scenes whose numbers are remembered, those that were read last."""
READ_AT_ONCE: Final = 16
"""Commits that are in memory at a time: each is as long as all that it wrote."""
MAX_OTHER_PROPOSALS: Final = 200
"""Newest accepted proposals of a universe among which those are looked for that ended something meanwhile."""


class FactChanges(NamedTuple):
    """When a commit was made, and which facts of canon it changed."""

    at: datetime
    fact_ids: tuple[Id, ...]


class ThreadNumbers:
    """Reads the numbers of threads. Those that were read are remembered until a thread comes that has none."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self._log = log
        self._numbers_by_scene: OrderedDict[Id, Mapping[Id, int]] = OrderedDict()
        self._closed_commits: dict[Id, FactChanges] = {}
        """What closed commits changed, which stays so; the commits themselves are long."""

    async def number_threads(self, context: SceneContext, threads: Collection[Thread]) -> Mapping[Id, int]:
        """Return the numbers of the scene's threads, from 1, by thread."""
        scene_id = context.scene.id
        numbers = self._numbers_by_scene.get(scene_id, {})
        if any(thread.id not in numbers for thread in threads):
            ids = dict.fromkeys((*await self._read_ids_in_order(context), *(thread.id for thread in threads)))
            numbers = {thread_id: number for number, thread_id in enumerate(ids, start=1)}
            self._numbers_by_scene[scene_id] = numbers
        if numbers:
            self._numbers_by_scene.move_to_end(scene_id)
        while len(self._numbers_by_scene) > MAX_SCENES:
            self._numbers_by_scene.popitem(last=False)
        return numbers

    async def _read_ids_in_order(self, context: SceneContext) -> list[Id]:
        universe_id = context.universe.id
        scene_proposals, other_proposals, facts = await gather(
            self._log.proposals(ProposalQuery(scene_id=context.scene.id)),
            self._log.proposals(
                ProposalQuery(
                    universe_id=universe_id, statuses=[ProposalStatus.ACCEPTED], last=MAX_OTHER_PROPOSALS
                )
            ),
            self._canon.facts(universe_id, FactQuery(kind=FactKind.COMMITMENT, history=True)),
        )
        changed_fact_ids = await self._read_changed_fact_ids(
            context.scene, [*scene_proposals, *other_proposals]
        )
        commitments = [f for f in facts if is_open(f) or f.id in changed_fact_ids]
        return order_threads(context, commitments, scene_proposals)

    async def _read_changed_fact_ids(
        self, scene: Scene, proposals: Iterable[ProposedChange]
    ) -> frozenset[Id]:
        """Return the facts that were changed since the scene began: their ends among them."""
        commit_ids = {p.canonization_id for p in proposals if p.canonization_id is not None}
        changes_by_commit = {i: self._closed_commits[i] for i in commit_ids & self._closed_commits.keys()}
        unread_ids = sorted(commit_ids - changes_by_commit.keys())
        for start in range(0, len(unread_ids), READ_AT_ONCE):
            for commit in await self._log.canonizations(ids=unread_ids[start : start + READ_AT_ONCE]):
                fact_ids = tuple(change.fact_id for change in commit.batch.fact_changes)
                if commit.state is not CanonizationState.DROPPED:
                    changes_by_commit[commit.id] = FactChanges(commit.created_at, fact_ids)
                if commit.state is CanonizationState.CLOSED:
                    self._closed_commits[commit.id] = changes_by_commit[commit.id]
        return frozenset(
            fact_id
            for changes in changes_by_commit.values()
            if changes.at >= scene.created_at
            for fact_id in changes.fact_ids
        )


def order_threads(
    context: SceneContext, commitments: Sequence[Fact], scene_proposals: Sequence[ProposedChange]
) -> list[Id]:
    """Return the threads that the scene has or had, in the order of their numbers.

    `commitments` are those of canon that were in force in the scene, `scene_proposals` all that were proposed in it.
    """
    began_at = context.scene.created_at
    proposed_at = {
        fact_id_of(p): p.created_at
        for p in scene_proposals
        if any(map(_is_commitment, (p.change, p.payload)))
    }
    came_at = {f.id: f.recorded_at for f in commitments} | proposed_at
    first_commitments = [
        Thread(id=f.id, story_id=context.story.id, name=f.statement, since=f.valid_from, fact_id=f.id)
        for f in commitments
        if came_at[f.id] < began_at
    ]
    first_threads = build_threads(
        _entries_when_scene_began(context, began_at), first_commitments, context.story.id
    )
    first_ids = [thread.id for thread in first_threads]
    came_at |= {
        entry.thread_id: entry.at
        for entry in context.story.entries
        if isinstance(entry, ThreadEntry) and entry.act is ThreadAction.OPEN and entry.at >= began_at
    }
    since_by_id = {f.id: f.valid_from for f in commitments}

    def order_of(thread_id: Id) -> tuple[datetime, bool, int, Id]:
        since = since_by_id.get(thread_id)
        return came_at[thread_id], since is not None, since or 0, thread_id

    return [*first_ids, *sorted(came_at.keys() - set(first_ids), key=order_of)]


def _entries_when_scene_began(context: SceneContext, began_at: datetime) -> Iterator[ThreadEntry]:
    """Yield the entries on threads that counted when the scene began, in the order of the line."""
    undo_entries = (e for e in context.story.entries if isinstance(e, UndoEntry) and e.at < began_at)
    undone_ids = find_undone_entry_ids(undo_entries)
    entries: tuple[JournalEntry, ...] = (*context.story_entries, *context.undone_entries)
    for entry in sorted(entries, key=lambda e: (e.tick, e.at)):
        if isinstance(entry, ThreadEntry) and entry.at < began_at and entry.id not in undone_ids:
            yield entry


def _is_commitment(change: object) -> bool:
    return isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT
