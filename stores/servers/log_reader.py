"""Reading the narrative log from MongoDB. The words of each method are those of `LogReader`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from stores.ports import LlmSpending
from stores.records.ids import Id
from stores.records.llm import DecisionMark, LlmCall
from stores.records.play import HeadMove, Note, Resolution, Scene, Story, Turn
from stores.records.sources import Snippet, Source
from stores.records.workflow import (
    Canonization,
    CanonizationState,
    Checkpoint,
    Decision,
    GatePolicy,
    Loop,
    ProposalStatus,
    ProposedChange,
    Ruling,
    Transition,
)
from stores.servers import turn_tree
from stores.servers.log_documents import among, moment, not_there, record
from stores.servers.memory_reader import MemoryReads
from stores.servers.mongo import Document, Reading, one_filter
from stores.servers.mongo_schema import SUMMED

UNDECIDED = (ProposalStatus.PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
_AT_ONCE = 200
"""Proposals read at once when only so many of the newest are wanted."""


class LogReads(MemoryReads):
    async def stories(self, universe_id: Id | None = None) -> list[Story]:
        return await self._all(
            "stories", Story, one_filter({"universe_id": universe_id}), [("created", -1), ("made", -1)]
        )

    async def story(self, story_id: Id) -> Story:
        return await self._one("stories", Story, story_id)

    async def scenes(self, story_id: Id) -> list[Scene]:
        async with self._mongo.reading(self._role) as tx:
            return await scenes_of(tx, {"story_id": story_id})

    async def scene(self, scene_id: Id) -> Scene:
        async with self._mongo.reading(self._role) as tx:
            found = await scenes_of(tx, {"_id": scene_id})
        if not found:
            raise not_there(Scene, scene_id)
        return found[0]

    async def scenes_by_id(self, ids: Collection[Id]) -> dict[Id, Scene]:
        async with self._mongo.reading(self._role) as tx:
            return {scene.id: scene for scene in await scenes_of(tx, {"_id": among(ids)})}

    # --- turns --------------------------------------------------------------------------------------

    async def turn(self, turn_id: Id) -> Turn:
        found = await self.turns([turn_id])
        if turn_id not in found:
            raise not_there(Turn, turn_id)
        return found[turn_id]

    async def turns(self, ids: Collection[Id]) -> dict[Id, Turn]:
        async with self._mongo.reading(self._role) as tx:
            return {turn.id: turn for turn in await turn_tree.turns(tx, {"_id": among(ids)})}

    async def line_length(self, scene_id: Id) -> int:
        async with self._mongo.reading(self._role) as tx:
            return (await turn_tree.head(tx, scene_id)).depth + 1

    async def line_tail(self, scene_id: Id, count: int) -> list[Turn]:
        async with self._mongo.reading(self._role) as tx:
            length = (await turn_tree.head(tx, scene_id)).depth + 1
            return await turn_tree.line(tx, scene_id, max(0, length - count), length)

    async def line_slice(self, scene_id: Id, start: int, count: int) -> list[Turn]:
        async with self._mongo.reading(self._role) as tx:
            length = (await turn_tree.head(tx, scene_id)).depth + 1
            return await turn_tree.line(tx, scene_id, start, min(start + count, length))

    async def on_line(self, scene_id: Id | None, turn_ids: Collection[Id]) -> set[Id]:
        async with self._mongo.reading(self._role) as tx:
            return await turn_tree.on_line(tx, turn_ids, scene_id)

    async def children(self, scene_id: Id, turn_id: Id | None) -> list[Turn]:
        async with self._mongo.reading(self._role) as tx:
            return await turn_tree.turns(tx, {"scene_id": scene_id, "parent_id": turn_id})

    async def take_counts(self, turn_ids: Collection[Id]) -> dict[Id, int]:
        async with self._mongo.reading(self._role) as tx:
            asked = await turn_tree.turns(tx, {"_id": among(turn_ids)})
            beside = await turn_tree.turns(
                tx,
                {
                    "scene_id": among([t.scene_id for t in asked]),
                    "parent_id": among([t.parent_id for t in asked]),
                },
            )

        def siblings(turn: Turn) -> tuple[Any, ...]:
            return turn.scene_id, turn.parent_id, turn.exchange_id, turn.speaker

        return {t.id: sum(siblings(t) == siblings(other) for other in beside) for t in asked}

    async def all_turns(self, scene_id: Id) -> list[Turn]:
        async with self._mongo.reading(self._role) as tx:
            return await turn_tree.turns(tx, {"scene_id": scene_id})

    async def head_moves(self, scene_id: Id) -> list[HeadMove]:
        return await self._all("head_moves", HeadMove, {"scene_id": scene_id}, [("seq", 1)])

    async def redo_target(self, scene_id: Id) -> Id | None:
        async with self._mongo.reading(self._role) as tx:
            return await turn_tree.redo_target(tx, scene_id)

    async def resolutions(self, turn_ids: Collection[Id]) -> list[Resolution]:
        return await self._all("resolutions", Resolution, {"turn_id": among(turn_ids)})

    async def notes(
        self, *, story_id: Id | None = None, turn_ids: Collection[Id] | None = None
    ) -> list[Note]:
        where = one_filter({"story_id": story_id})
        return await self._all(
            "notes", Note, where if turn_ids is None else {**where, "turn_id": among(turn_ids)}
        )

    # --- proposals and commits ----------------------------------------------------------------------

    async def proposals(
        self,
        *,
        universe_id: Id | None = None,
        story_id: Id | None = None,
        scene_id: Id | None = None,
        statuses: Collection[ProposalStatus] | None = None,
        kind: str | None = None,
        last: int | None = None,
    ) -> list[ProposedChange]:
        where = one_filter({"universe_id": universe_id, "story_id": story_id, "scene_id": scene_id})
        if statuses is not None:
            where["status"] = among([s.value for s in _stored(statuses)])
        newest_first: list[ProposedChange] = []
        async with self._mongo.reading(self._role) as tx:
            skip = 0
            while last is None or len(newest_first) < last:
                limit = 0 if last is None else _AT_ONCE
                found = await tx.all("proposed_changes", where, order=[("made", -1)], skip=skip, limit=limit)
                shown = await _as_they_count(tx, found)
                counting = [p for p in shown if statuses is None or p.status in statuses]
                newest_first += [p for p in counting if kind in (None, p.payload.kind)]
                skip += len(found)
                if last is None or len(found) < _AT_ONCE:
                    break
        return newest_first[:last][::-1]

    async def proposals_by_id(self, ids: Collection[Id]) -> dict[Id, ProposedChange]:
        async with self._mongo.reading(self._role) as tx:
            found = await tx.all("proposed_changes", {"_id": among(ids)})
            return {proposal.id: proposal for proposal in await _as_they_count(tx, found)}

    async def canonizations(
        self,
        *,
        ids: Collection[Id] | None = None,
        universe_id: Id | None = None,
        states: Collection[CanonizationState] | None = None,
    ) -> list[Canonization]:
        where = one_filter({"universe_id": universe_id})
        if ids is not None:
            where["_id"] = among(ids)
        if states is not None:
            where["state"] = among([state.value for state in states])
        return await self._all("canonizations", Canonization, where)

    async def canonization_states(self, universe_id: Id) -> dict[Id, CanonizationState]:
        async with self._mongo.reading(self._role) as tx:
            found = await tx.all("canonizations", {"universe_id": universe_id}, fields={"state": 1})
        return {str(document["_id"]): CanonizationState(document["state"]) for document in found}

    async def canon_version(self, universe_id: Id) -> str:
        async with self._mongo.reading(self._role) as tx:
            found = await tx.all(
                "canonizations", {"universe_id": universe_id}, fields={"made": 1, "state": 1}
            )
        states = Counter(str(document["state"]) for document in found)
        newest = max((document["made"] for document in found), default=0)
        return f"{len(found)}:{newest}:{states['written']}:{states['closed']}"

    async def rulings(self, universe_id: Id) -> list[Ruling]:
        return await self._all("rulings", Ruling, {"universe_id": universe_id})

    async def policy(self, universe_id: Id) -> GatePolicy | None:
        found = await self._all("policies", GatePolicy, {"_id": universe_id})
        return found[0] if found else None

    # --- loops --------------------------------------------------------------------------------------

    async def loop_state(self, loop: Loop, subject_id: Id) -> Transition | None:
        return (await self.loop_states(loop, [subject_id])).get(subject_id)

    async def loop_states(self, loop: Loop, subject_ids: Collection[Id]) -> dict[Id, Transition]:
        async with self._mongo.reading(self._role) as tx:
            states: dict[Id, Transition] = {}
            for subject_id in dict.fromkeys(subject_ids):
                where = {"loop": loop.value, "subject_id": subject_id}
                last = await tx.one("transitions", where, newest="seq")
                if last is not None:
                    states[subject_id] = record(Transition, last)
            return states

    async def transitions(
        self, *, loop: Loop | None = None, subject_id: Id | None = None, limit: int = 1_000
    ) -> list[Transition]:
        where = one_filter({"loop": loop and loop.value, "subject_id": subject_id})
        newest_first = await self._all("transitions", Transition, where, [("made", -1)], limit)
        return newest_first[::-1]

    async def checkpoints(self, scene_id: Id) -> list[Checkpoint]:
        return await self._all("checkpoints", Checkpoint, {"scene_id": scene_id})

    # --- calls of a model ---------------------------------------------------------------------------

    async def llm_calls(
        self,
        *,
        ids: Collection[Id] | None = None,
        turn_ids: Collection[Id] | None = None,
        run_id: Id | None = None,
        scene_id: Id | None = None,
        story_id: Id | None = None,
        universe_id: Id | None = None,
        since: datetime | None = None,
        last: int | None = None,
    ) -> list[LlmCall]:
        if last == 0:  # which to MongoDB is no limit
            return []
        where = {"beat_id": run_id, "scene_id": scene_id, "story_id": story_id, "universe_id": universe_id}
        among_ids = {"_id": ids, "turn_id": turn_ids}
        conditions = one_filter(where) | {f: among(v) for f, v in among_ids.items() if v is not None}
        if since is not None:
            conditions["moment"] = {"$gte": moment(since)}
        newest_first = await self._all("llm_calls", LlmCall, conditions, [("made", -1)], last or 0)
        return newest_first[::-1]

    async def llm_spending(self, *, since: datetime | None = None) -> list[LlmSpending]:
        day = {"$substrBytes": ["$moment", 0, 10]}
        pipeline: list[Document] = [
            *([] if since is None else [{"$match": {"moment": {"$gte": moment(since)}}}]),
            {"$project": {"_id": 0, **dict.fromkeys(SUMMED, 1)}},
            {
                "$group": {
                    "_id": {"day": day, **{name: f"${name}" for name in SUMMED[:4]}},
                    "calls": {"$sum": 1},
                    **{name: {"$sum": f"${name}"} for name in SUMMED[5:]},
                }
            },
        ]
        async with self._mongo.reading(self._role) as tx:
            found = await tx.summed("llm_calls", pipeline, [(name, 1) for name in SUMMED])
        spent = [_spent(d) for d in found]
        return sorted(spent, key=lambda s: (s.day, s.universe_id, s.story_id or "", s.persona, s.model))

    async def decision_marks(self, *scene_ids: Id) -> list[DecisionMark]:
        async with self._mongo.reading(self._role) as tx:
            found = await tx.all("decisions", {"scene_id": among(scene_ids)}, order=[("made", 1)])
            marks = [record(DecisionMark, d) for d in found]
            ids = {mark.turn_id for mark in marks}
            standing = await turn_tree.on_line(tx, ids, None) if ids else set()
            depth = {turn.id: turn.depth for turn in await turn_tree.turns(tx, {"_id": among(standing)})}
        place = {scene_id: place for place, scene_id in enumerate(scene_ids)}
        standing_marks = [mark for mark in marks if mark.turn_id in depth]
        return sorted(standing_marks, key=lambda m: (place[m.scene_id], depth[m.turn_id]))

    async def source(self, source_id: Id) -> Source:
        return await self._one("sources", Source, source_id)

    async def sources(self, universe_id: Id) -> list[Source]:
        return await self._all("sources", Source, {"universe_id": universe_id})

    async def snippets(self, source_id: Id) -> list[Snippet]:
        return await self._all("snippets", Snippet, {"source_id": source_id}, [("ordinal", 1), ("made", 1)])

    async def snippets_by_id(self, ids: Collection[Id]) -> dict[Id, Snippet]:
        found = await self._all("snippets", Snippet, {"_id": among(ids)}, [("made", 1)])
        return {snippet.id: snippet for snippet in found}


async def scenes_of(tx: Reading, where: Document) -> list[Scene]:
    """Return scenes in their order, each with its head and its canonical outcomes."""
    found = await tx.all("scenes", where, order=[("order", 1), ("made", 1)])
    ids = {"_id": among([d["_id"] for d in found])}
    head_of = {d["_id"]: d["head"] for d in await tx.all("scene_heads", ids)}
    outcomes_of = {d["_id"]: tuple(d["outcomes"]) for d in await tx.all("scene_outcomes", ids)}
    return [
        record(Scene, d).model_copy(
            update={"head": head_of.get(d["_id"]), "canonical_outcomes": outcomes_of.get(d["_id"], ())}
        )
        for d in found
    ]


def _spent(found: Document) -> LlmSpending:
    # As plain integers: the driver has a kind of its own for long ones.
    sums = [int(found[name]) for name in ("calls", *SUMMED[5:])]
    of = found["_id"]
    return LlmSpending(of["universe_id"], of["story_id"], of["persona"], of["model"], of["day"], *sums)


def as_stored(found: Document) -> ProposedChange:
    """Return a proposal with the state that commits and decisions left it in."""
    decision = found["decision"]
    return record(ProposedChange, found).model_copy(
        update={
            "status": ProposalStatus(found["status"]),
            "decision": Decision.model_validate_json(decision) if decision else None,
            "error": found["error"],
            "canonization_id": found["canonization_id"],
        }
    )


async def _as_they_count(tx: Reading, found: Sequence[Document]) -> list[ProposedChange]:
    """Return proposals as they count now: those whose turn is off the line are withdrawn while open."""
    proposals = [as_stored(d) for d in found]
    open_ones = [p for p in proposals if p.status in UNDECIDED]
    turns = {t for p in open_ones for t in (p.turn_id, p.unless_turn) if t}
    standing = await turn_tree.on_line(tx, turns) if turns else set()

    def counts(p: ProposedChange) -> bool:
        return (p.turn_id is None or p.turn_id in standing) and p.unless_turn not in standing

    withdrawn = {"status": ProposalStatus.WITHDRAWN}
    return [
        p if p.status not in UNDECIDED or counts(p) else p.model_copy(update=withdrawn) for p in proposals
    ]


def _stored(statuses: Collection[ProposalStatus]) -> set[ProposalStatus]:
    """Return the stored statuses that may be shown as `statuses`, so that their index can be used."""
    withdrawn = UNDECIDED if ProposalStatus.WITHDRAWN in statuses else ()
    return {*statuses, *withdrawn}
