"""Reads the narrative log from MongoDB; see `LogReader`."""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from stores.ports import LlmSpending, SceneRecords
from stores.queries import LlmCallQuery, ProposalCounts, ProposalQuery
from stores.readable_records import ReadableRecords, parse_readable
from stores.records.grid_maps import GridMapEdit
from stores.records.ids import Id
from stores.records.llm import DecisionMark, LlmCall
from stores.records.play import HeadMove, Note, Resolution, Scene, Story, Turn
from stores.records.sources import LadderStage, Snippet, Source, SourcePage, SourceState
from stores.records.workflow import (
    OPEN_STATUSES,
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
    Verdict,
)
from stores.servers import turn_tree
from stores.servers.log_documents import any_of, not_found_error, parse_document, to_time_text
from stores.servers.memory_reader import ServerMemoryReader
from stores.servers.mongo import Document, MongoReadTransaction, equality_filter
from stores.servers.mongo_schema import SPENDING_FIELDS

_BATCH_SIZE = 200
"""Proposals read at once when only the newest are wanted."""


class ServerLogReader(ServerMemoryReader):
    async def stories(self, universe_id: Id | None = None) -> list[Story]:
        return [parse_document(Story, document) for document in await self._find_stories(universe_id)]

    async def readable_stories(self, universe_id: Id | None = None) -> ReadableRecords[Story]:
        return parse_readable(
            await self._find_stories(universe_id), lambda document: parse_document(Story, document)
        )

    async def _find_stories(self, universe_id: Id | None) -> list[Document]:
        async with self._mongo.read_transaction(self._role) as tx:
            return await tx.find_all(
                "stories",
                equality_filter({"universe_id": universe_id}),
                order=[("created", -1), ("made", -1)],
            )

    async def story(self, story_id: Id) -> Story:
        return await self._read_one("stories", Story, story_id)

    async def scenes(self, story_id: Id) -> list[Scene]:
        async with self._mongo.read_transaction(self._role) as tx:
            all_scenes = await read_scenes(tx, {"story_id": story_id})
        return [scene for scene in all_scenes if not scene.is_taken_back]

    async def scene(self, scene_id: Id) -> Scene:
        async with self._mongo.read_transaction(self._role) as tx:
            scenes = await read_scenes(tx, {"_id": scene_id})
        if not scenes:
            raise not_found_error(Scene, scene_id)
        return scenes[0]

    async def scene_records(self, scene_id: Id, statuses: Collection[ProposalStatus]) -> SceneRecords:
        scene = await self.scene(scene_id)
        story, proposals, turns = await gather(
            self.story(scene.story_id),
            self.proposals(ProposalQuery(scene_id=scene_id, statuses=statuses)),
            self.turns([scene.head] if scene.head else []),
        )
        return SceneRecords(scene, story, turns.get(scene.head or ""), proposals)

    async def scenes_by_id(self, ids: Collection[Id]) -> dict[Id, Scene]:
        async with self._mongo.read_transaction(self._role) as tx:
            return {scene.id: scene for scene in await read_scenes(tx, {"_id": any_of(ids)})}

    # --- turns --------------------------------------------------------------------------------------

    async def turn(self, turn_id: Id) -> Turn:
        turns = await self.turns([turn_id])
        if turn_id not in turns:
            raise not_found_error(Turn, turn_id)
        return turns[turn_id]

    async def turns(self, ids: Collection[Id]) -> dict[Id, Turn]:
        async with self._mongo.read_transaction(self._role) as tx:
            return {turn.id: turn for turn in await turn_tree.read_turns(tx, {"_id": any_of(ids)})}

    async def line_length(self, scene_id: Id) -> int:
        async with self._mongo.read_transaction(self._role) as tx:
            return (await turn_tree.read_head(tx, scene_id)).depth + 1

    async def line_tail(self, scene_id: Id, count: int) -> list[Turn]:
        async with self._mongo.read_transaction(self._role) as tx:
            length = (await turn_tree.read_head(tx, scene_id)).depth + 1
            return await turn_tree.read_line(tx, scene_id, max(0, length - count), length)

    async def line_slice(self, scene_id: Id, start: int, count: int) -> list[Turn]:
        async with self._mongo.read_transaction(self._role) as tx:
            length = (await turn_tree.read_head(tx, scene_id)).depth + 1
            return await turn_tree.read_line(tx, scene_id, start, min(start + count, length))

    async def on_line(self, scene_id: Id | None, turn_ids: Collection[Id]) -> set[Id]:
        async with self._mongo.read_transaction(self._role) as tx:
            return await turn_tree.find_on_line(tx, turn_ids, scene_id)

    async def children(self, scene_id: Id, turn_id: Id | None) -> list[Turn]:
        async with self._mongo.read_transaction(self._role) as tx:
            return await turn_tree.read_turns(tx, {"scene_id": scene_id, "parent_id": turn_id})

    async def take_counts(self, turn_ids: Collection[Id]) -> dict[Id, int]:
        async with self._mongo.read_transaction(self._role) as tx:
            wanted_turns = await turn_tree.read_turns(tx, {"_id": any_of(turn_ids)})
            sibling_turns = await turn_tree.read_turns(
                tx,
                {
                    "scene_id": any_of([t.scene_id for t in wanted_turns]),
                    "parent_id": any_of([t.parent_id for t in wanted_turns]),
                },
            )

        def sibling_key(turn: Turn) -> tuple[Any, ...]:
            return turn.scene_id, turn.parent_id, turn.exchange_id, turn.speaker

        return {
            t.id: sum(sibling_key(t) == sibling_key(other) for other in sibling_turns) for t in wanted_turns
        }

    async def all_turns(self, scene_id: Id) -> list[Turn]:
        async with self._mongo.read_transaction(self._role) as tx:
            return await turn_tree.read_turns(tx, {"scene_id": scene_id})

    async def head_moves(self, scene_id: Id) -> list[HeadMove]:
        return await self._read_all("head_moves", HeadMove, {"scene_id": scene_id}, [("seq", 1)])

    async def redo_target(self, scene_id: Id) -> Id | None:
        async with self._mongo.read_transaction(self._role) as tx:
            return await turn_tree.read_redo_target(tx, scene_id)

    async def resolutions(self, turn_ids: Collection[Id]) -> list[Resolution]:
        return await self._read_all("resolutions", Resolution, {"turn_id": any_of(turn_ids)})

    async def notes(
        self, *, story_id: Id | None = None, turn_ids: Collection[Id] | None = None
    ) -> list[Note]:
        where = equality_filter({"story_id": story_id})
        return await self._read_all(
            "notes", Note, where if turn_ids is None else {**where, "turn_id": any_of(turn_ids)}
        )

    async def map_edits(self, universe_id: Id) -> list[GridMapEdit]:
        return await self._read_all("map_edits", GridMapEdit, {"universe_id": universe_id})

    # --- proposals and commits ----------------------------------------------------------------------

    async def proposals(self, query: ProposalQuery = ProposalQuery()) -> list[ProposedChange]:
        where = equality_filter(
            {"universe_id": query.universe_id, "story_id": query.story_id, "scene_id": query.scene_id}
        )
        if query.source_id is not None or not query.with_sources:
            where["source_id"] = query.source_id  # None is also what is not there
        if query.statuses is not None:
            where["status"] = any_of([s.value for s in _to_stored_statuses(query.statuses)])
        newest_first: list[ProposedChange] = []
        async with self._mongo.read_transaction(self._role) as tx:
            skip = 0
            while query.last is None or len(newest_first) < query.last:
                limit = 0 if query.last is None else _BATCH_SIZE
                documents = await tx.find_all(
                    "proposed_changes", where, order=[("made", -1)], skip=skip, limit=limit
                )
                effective_proposals = await _with_effective_status(tx, documents)
                matching_proposals = [
                    p for p in effective_proposals if query.statuses is None or p.status in query.statuses
                ]
                newest_first += [p for p in matching_proposals if query.kind in (None, p.payload.kind)]
                skip += len(documents)
                if query.last is None or len(documents) < _BATCH_SIZE:
                    break
        return newest_first[: query.last][::-1]

    async def proposal_counts(self, source_ids: Collection[Id]) -> dict[Id, ProposalCounts]:
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all(
                "proposed_changes",
                {"source_id": any_of(source_ids)},
                fields={"source_id": 1, "status": 1, "decision": 1},
            )
        counts: dict[Id, Counter[tuple[ProposalStatus, Verdict | None]]] = {i: Counter() for i in source_ids}
        for document in documents:
            counts[document["source_id"]][_status_and_verdict(document)] += 1
        return {source_id: dict(count) for source_id, count in counts.items()}

    async def proposal_ids(self, scene_id: Id) -> list[Id]:
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all(
                "proposed_changes", {"scene_id": scene_id}, order=[("made", 1)], fields={"_id": 1}
            )
        return [document["_id"] for document in documents]

    async def proposals_by_id(self, ids: Collection[Id]) -> dict[Id, ProposedChange]:
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all("proposed_changes", {"_id": any_of(ids)})
            return {proposal.id: proposal for proposal in await _with_effective_status(tx, documents)}

    async def canonizations(
        self,
        *,
        ids: Collection[Id] | None = None,
        universe_id: Id | None = None,
        states: Collection[CanonizationState] | None = None,
    ) -> list[Canonization]:
        where = equality_filter({"universe_id": universe_id})
        if ids is not None:
            where["_id"] = any_of(ids)
        if states is not None:
            where["state"] = any_of([state.value for state in states])
        return await self._read_all("canonizations", Canonization, where)

    async def canonization_states(self, universe_id: Id) -> dict[Id, CanonizationState]:
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all("canonizations", {"universe_id": universe_id}, fields={"state": 1})
        return {str(document["_id"]): CanonizationState(document["state"]) for document in documents}

    async def canon_version(self, universe_id: Id) -> str:
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all(
                "canonizations", {"universe_id": universe_id}, fields={"made": 1, "state": 1}
            )
        states = Counter(str(document["state"]) for document in documents)
        newest = max((document["made"] for document in documents), default=0)
        return f"{len(documents)}:{newest}:{states['written']}:{states['closed']}"

    async def rulings(self, universe_id: Id) -> list[Ruling]:
        return await self._read_all("rulings", Ruling, {"universe_id": universe_id})

    async def policy(self, universe_id: Id) -> GatePolicy | None:
        policies = await self._read_all("policies", GatePolicy, {"_id": universe_id})
        return policies[0] if policies else None

    # --- loops --------------------------------------------------------------------------------------

    async def loop_state(self, loop: Loop, subject_id: Id) -> Transition | None:
        return (await self.loop_states(loop, [subject_id])).get(subject_id)

    async def loop_states(self, loop: Loop, subject_ids: Collection[Id]) -> dict[Id, Transition]:
        async with self._mongo.read_transaction(self._role) as tx:
            states: dict[Id, Transition] = {}
            for subject_id in dict.fromkeys(subject_ids):
                where = {"loop": loop.value, "subject_id": subject_id}
                last_transition = await tx.find_one("transitions", where, newest_by="seq")
                if last_transition is not None:
                    states[subject_id] = parse_document(Transition, last_transition)
            return states

    async def transitions(
        self, *, loop: Loop | None = None, subject_id: Id | None = None, limit: int = 1_000
    ) -> list[Transition]:
        where = equality_filter({"loop": loop and loop.value, "subject_id": subject_id})
        newest_first = await self._read_all("transitions", Transition, where, [("made", -1)], limit)
        return newest_first[::-1]

    async def checkpoints(self, scene_id: Id) -> list[Checkpoint]:
        return await self._read_all("checkpoints", Checkpoint, {"scene_id": scene_id})

    # --- calls of a model ---------------------------------------------------------------------------

    async def llm_calls(self, query: LlmCallQuery = LlmCallQuery()) -> list[LlmCall]:
        if query.last == 0:  # to MongoDB, 0 is no limit
            return []
        where = {
            "run_id": query.run_id,
            "scene_id": query.scene_id,
            "story_id": query.story_id,
            "universe_id": query.universe_id,
        }
        id_filters = {"_id": query.ids, "turn_id": query.turn_ids}
        conditions = equality_filter(where) | {f: any_of(v) for f, v in id_filters.items() if v is not None}
        if query.since is not None:
            conditions["moment"] = {"$gte": to_time_text(query.since)}
        newest_first = await self._read_all("llm_calls", LlmCall, conditions, [("made", -1)], query.last or 0)
        return newest_first[::-1]

    async def llm_spending(self, *, since: datetime | None = None) -> list[LlmSpending]:
        day = {"$substrBytes": ["$moment", 0, 10]}
        pipeline: list[Document] = [
            *([] if since is None else [{"$match": {"moment": {"$gte": to_time_text(since)}}}]),
            {"$project": {"_id": 0, **dict.fromkeys(SPENDING_FIELDS, 1)}},
            {
                "$group": {
                    "_id": {"day": day, **{name: f"${name}" for name in SPENDING_FIELDS[:4]}},
                    "calls": {"$sum": 1},
                    **{name: {"$sum": f"${name}"} for name in SPENDING_FIELDS[5:]},
                }
            },
        ]
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.aggregate("llm_calls", pipeline, [(name, 1) for name in SPENDING_FIELDS])
        spending = [_parse_spending(d) for d in documents]
        return sorted(spending, key=lambda s: (s.day, s.universe_id, s.story_id or "", s.persona, s.model))

    async def decision_marks(self, *scene_ids: Id) -> list[DecisionMark]:
        async with self._mongo.read_transaction(self._role) as tx:
            documents = await tx.find_all("decisions", {"scene_id": any_of(scene_ids)}, order=[("made", 1)])
            marks = [parse_document(DecisionMark, d) for d in documents]
            ids = {mark.turn_id for mark in marks}
            on_line_ids = await turn_tree.find_on_line(tx, ids, None) if ids else set()
            depth_by_turn = {
                turn.id: turn.depth for turn in await turn_tree.read_turns(tx, {"_id": any_of(on_line_ids)})
            }
        scene_positions = {scene_id: place for place, scene_id in enumerate(scene_ids)}
        marks_on_line = [mark for mark in marks if mark.turn_id in depth_by_turn]
        return sorted(marks_on_line, key=lambda m: (scene_positions[m.scene_id], depth_by_turn[m.turn_id]))

    async def source(self, source_id: Id) -> Source:
        return await self._read_one("sources", Source, source_id)

    async def sources(
        self, universe_id: Id | None = None, *, states: Collection[SourceState] | None = None
    ) -> list[Source]:
        sources = await self._read_all("sources", Source, equality_filter({"universe_id": universe_id}))
        return [source for source in sources if states is None or source.state in states]

    async def sources_by_id(self, ids: Collection[Id]) -> dict[Id, Source]:
        sources = await self._read_all("sources", Source, {"_id": any_of(ids)})
        return {source.id: source for source in sources}

    async def source_pages(
        self, source_id: Id, edition: int, *, numbers: Collection[int] | None = None
    ) -> list[SourcePage]:
        where: Document = {"source_id": source_id, "edition": edition}
        if numbers is not None:
            where["number"] = any_of(numbers)
        return await self._read_all("source_pages", SourcePage, where, [("number", 1)])

    async def snippets(self, source_id: Id) -> list[Snippet]:
        return await self._read_all(
            "snippets", Snippet, {"source_id": source_id}, [("ordinal", 1), ("made", 1)]
        )

    async def waiting_snippets(
        self, source_id: Id, edition: int, *, for_model: bool, limit: int
    ) -> tuple[list[Snippet], int]:
        waiting = [
            snippet
            for snippet in await self.snippets(source_id)
            if snippet.edition == edition
            and (not snippet.asked_model if for_model else snippet.stage is None)
        ]
        return waiting[:limit], len(waiting)

    async def snippet_stages(self, source_id: Id, edition: int) -> dict[LadderStage | None, int]:
        return dict(Counter(s.stage for s in await self.snippets(source_id) if s.edition == edition))

    async def snippet_anchors(self, source_id: Id, edition: int) -> dict[str, int]:
        present = (s for s in await self.snippets(source_id) if s.edition == edition)
        return dict(Counter(anchor for snippet in present for anchor in set(snippet.anchors)))

    async def snippets_by_id(self, ids: Collection[Id]) -> dict[Id, Snippet]:
        snippets = await self._read_all("snippets", Snippet, {"_id": any_of(ids)}, [("made", 1)])
        return {snippet.id: snippet for snippet in snippets}


async def read_scenes(tx: MongoReadTransaction, where: Document) -> list[Scene]:
    """Return scenes in their order, each with its head and its canonical outcomes."""
    documents = await tx.find_all("scenes", where, order=[("order", 1), ("made", 1)])
    ids = {"_id": any_of([d["_id"] for d in documents])}
    head_by_scene = {d["_id"]: d["head"] for d in await tx.find_all("scene_heads", ids)}
    outcomes_by_scene = {d["_id"]: tuple(d["outcomes"]) for d in await tx.find_all("scene_outcomes", ids)}
    return [
        parse_document(Scene, d).model_copy(
            update={
                "head": head_by_scene.get(d["_id"]),
                "canonical_outcomes": outcomes_by_scene.get(d["_id"], ()),
            }
        )
        for d in documents
    ]


def _parse_spending(group_document: Document) -> LlmSpending:
    # As plain integers, as the driver has its own class for long ones.
    sums = [int(group_document[name]) for name in ("calls", *SPENDING_FIELDS[5:])]
    group_key = group_document["_id"]
    return LlmSpending(
        group_key["universe_id"],
        group_key["story_id"],
        group_key["persona"],
        group_key["model"],
        group_key["day"],
        *sums,
    )


def parse_proposal(proposal_document: Document) -> ProposedChange:
    """Return a proposal with its status and decision, which are fields of the document."""
    decision = proposal_document["decision"]
    return parse_document(ProposedChange, proposal_document).model_copy(
        update={
            "status": ProposalStatus(proposal_document["status"]),
            "decision": Decision.model_validate_json(decision) if decision else None,
            "error": proposal_document["error"],
            "canonization_id": proposal_document["canonization_id"],
        }
    )


def _status_and_verdict(proposal_document: Document) -> tuple[ProposalStatus, Verdict | None]:
    decision = proposal_document["decision"]
    return (
        ProposalStatus(proposal_document["status"]),
        Decision.model_validate_json(decision).verdict if decision else None,
    )


async def _with_effective_status(
    tx: MongoReadTransaction, documents: Sequence[Document]
) -> list[ProposedChange]:
    """Return proposals as they count now: an open one that is undone, alone or with its turn, is withdrawn."""
    proposals = [parse_proposal(d) for d in documents]
    open_proposals = [p for p in proposals if p.status in OPEN_STATUSES]
    turn_ids = {t for p in open_proposals for t in (p.turn_id, p.unless_turn) if t}
    on_line_ids = await turn_tree.find_on_line(tx, turn_ids) if turn_ids else set()

    def counts(p: ProposedChange) -> bool:
        if p.decision is not None and p.decision.verdict is Verdict.UNDO:
            return False
        return (p.turn_id is None or p.turn_id in on_line_ids) and p.unless_turn not in on_line_ids

    withdrawn_status = {"status": ProposalStatus.WITHDRAWN}
    return [
        p if p.status not in OPEN_STATUSES or counts(p) else p.model_copy(update=withdrawn_status)
        for p in proposals
    ]


def _to_stored_statuses(statuses: Collection[ProposalStatus]) -> set[ProposalStatus]:
    """Return the stored statuses that may be shown as `statuses`, so that their index can be used."""
    undecided_statuses = OPEN_STATUSES if ProposalStatus.WITHDRAWN in statuses else ()
    return {*statuses, *undecided_statuses}
