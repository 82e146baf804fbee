"""The narrative log on MongoDB: reading, and the writes of every role.

The server refuses what a role's user may not write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stores.authority import Role
from stores.errors import NotFound, StoreError
from stores.records.base import Record
from stores.records.grid_maps import GridMapEdit
from stores.records.ids import Clock, Id, utc_now
from stores.records.jobs import Job
from stores.records.llm import DecisionMark, LlmCall
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.play import MoveKind, Note, Resolution, Scene, Story, Turn
from stores.records.sources import Snippet, Source, SourcePage
from stores.records.workflow import (
    OPEN_STATUSES,
    Canonization,
    CanonizationState,
    Checkpoint,
    Decision,
    GatePolicy,
    ProposalStatus,
    ProposedChange,
    Ruling,
    Transition,
)
from stores.servers import turn_tree
from stores.servers.log_documents import (
    add_records,
    any_of,
    insert_new,
    make_document,
    not_found_error,
    put_records,
    read_one,
)
from stores.servers.log_reader import ServerLogReader
from stores.servers.mongo import Document, MongoDatabase, MongoWork, MongoWriteTransaction

_UPDATABLE_SCENE_FIELDS = (
    "title", "goal", "cast", "place_id", "tick", "summary", "passed_offer_ids", "is_taken_back",
)  # fmt: skip


class ServerLog(ServerLogReader):
    """The log as `role` may use it; `clock` dates head moves."""

    def __init__(self, mongo: MongoDatabase, role: Role, *, clock: Clock = utc_now) -> None:
        super().__init__(mongo, role)
        self._clock = clock

    async def _write(self, work: MongoWork[None]) -> None:
        await self._mongo.write(self._role, work)

    # --- Orchestrator and Narrator ------------------------------------------------------------------

    async def append_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> None:
        await self._write(lambda tx: turn_tree.append_turn(tx, turn, kind))

    append_gm_turn = append_turn

    async def move_head(self, scene_id: Id, to_turn: Id | None, kind: MoveKind) -> None:
        at = self._clock()
        await self._write(lambda tx: turn_tree.move_head(tx, scene_id, to_turn, kind, at))

    async def put_story(self, story: Story) -> None:
        await self._write(lambda tx: put_records(tx, "stories", [story]))

    async def create_scene(self, scene: Scene) -> None:
        await self._write(lambda tx: add_scenes(tx, [scene]))

    async def update_scene(self, scene: Scene) -> None:
        async def update(tx: MongoWriteTransaction) -> None:
            stored = await read_one(tx, "scenes", Scene, scene.id)
            fields = {name: getattr(scene, name) for name in _UPDATABLE_SCENE_FIELDS}
            await put_records(tx, "scenes", [stored.model_copy(update=fields)])

        await self._write(update)

    async def record_transition(self, transition: Transition) -> None:
        await self._write(lambda tx: _add_all(tx, "transitions", [transition]))

    async def begin_exchange(
        self, turn: Turn, kind: MoveKind, checkpoint: Checkpoint, moves: Sequence[Transition]
    ) -> None:
        async def begin(tx: MongoWriteTransaction) -> None:
            await turn_tree.append_turn(tx, turn, kind)
            await put_records(tx, "checkpoints", [checkpoint])
            await add_records(tx, "transitions", moves)

        await self._write(begin)

    async def save_checkpoint(self, checkpoint: Checkpoint, moves: Sequence[Transition] = ()) -> None:
        async def save(tx: MongoWriteTransaction) -> None:
            await put_records(tx, "checkpoints", [checkpoint])
            await add_records(tx, "transitions", moves)

        await self._write(save)

    async def finish_exchange(self, run_id: Id, moves: Sequence[Transition] = ()) -> None:
        async def finish(tx: MongoWriteTransaction) -> None:
            await tx.delete("checkpoints", run_id)
            await add_records(tx, "transitions", moves)

        await self._write(finish)

    async def add_note(self, note: Note) -> None:
        await self._write(lambda tx: _add_all(tx, "notes", [note]))

    async def add_map_edit(self, edit: GridMapEdit) -> None:
        await self._write(lambda tx: _add_all(tx, "map_edits", [edit]))

    async def put_job(self, job: Job) -> None:
        await self._write(lambda tx: put_records(tx, "jobs", [job]))

    async def drop_job(self, job_id: Id) -> None:
        await self._write(lambda tx: tx.delete("jobs", job_id))

    async def record_call(self, call: LlmCall) -> None:
        await self._write(lambda tx: _add_all(tx, "llm_calls", [call]))

    async def mark_decisions(self, marks: Sequence[DecisionMark]) -> None:
        await self._write(lambda tx: _add_all(tx, "decisions", marks))

    # --- Resolver and ingest ------------------------------------------------------------------------

    async def seal(self, resolution: Resolution, proposals: Sequence[ProposedChange] = ()) -> None:
        async def seal(tx: MongoWriteTransaction) -> None:
            await add_records(tx, "resolutions", [resolution])
            await stage_proposals(tx, proposals)

        await self._write(seal)

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        await self._write(lambda tx: stage_proposals(tx, proposals))

    # --- CanonKeeper --------------------------------------------------------------------------------

    async def decide(self, decisions: Mapping[Id, Decision | None]) -> None:
        async def decide(tx: MongoWriteTransaction) -> None:
            for proposal_id, decision in decisions.items():
                await _decide(tx, proposal_id, decision)

        await self._write(decide)

    async def plan_canonization(self, canonization: Canonization) -> None:
        await self._write(lambda tx: _add_all(tx, "canonizations", [canonization]))

    async def mark_written(self, canonization_id: Id) -> None:
        async def mark(tx: MongoWriteTransaction) -> None:
            stored = await read_one(tx, "canonizations", Canonization, canonization_id)
            if stored.state is CanonizationState.PLANNED:
                await put_records(tx, "canonizations", [_with_state(stored, CanonizationState.WRITTEN)])

        await self._write(mark)

    async def close_canonization(self, canonization: Canonization, scene_outcomes: Sequence[Id] = ()) -> None:
        async def close(tx: MongoWriteTransaction) -> None:
            if canonization.state is CanonizationState.DROPPED:
                await put_records(tx, "canonizations", [canonization])
                return
            await put_records(tx, "canonizations", [_with_state(canonization, CanonizationState.CLOSED)])
            await _close_proposals(tx, canonization)
            if scene_outcomes:
                await _add_outcomes(tx, canonization, scene_outcomes)

        await self._write(close)

    async def put_ruling(self, ruling: Ruling) -> None:
        await self._write(lambda tx: put_records(tx, "rulings", [ruling]))

    async def put_policy(self, policy: GatePolicy) -> None:
        await self._write(lambda tx: put_records(tx, "policies", [policy]))

    # --- MemoryManager, Archivist and sources -------------------------------------------------------

    async def put_memories(self, memories: Sequence[Memory]) -> None:
        await self._write(lambda tx: put_records(tx, "memories", memories))

    async def put_summaries(self, summaries: Sequence[Summary]) -> None:
        await self._write(lambda tx: put_records(tx, "summaries", summaries))

    async def mark_archived(self, archived: ArchivedLog) -> None:
        await self._write(lambda tx: put_records(tx, "archived_logs", [archived]))

    async def put_source(self, source: Source) -> None:
        await self._write(lambda tx: put_records(tx, "sources", [source]))

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None:
        await self._write(lambda tx: put_records(tx, "snippets", snippets))

    async def put_pages(self, pages: Sequence[SourcePage]) -> None:
        await self._write(lambda tx: put_records(tx, "source_pages", pages))

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        last_versions = list({proposal.id: proposal for proposal in proposals}.values())

        async def stage(tx: MongoWriteTransaction) -> None:
            await _replace_undecided(tx, last_versions)
            await stage_proposals(tx, last_versions)
            await put_records(tx, "snippets", snippets)

        await self._write(stage)


async def _add_all(tx: MongoWriteTransaction, collection: str, records: Sequence[Record]) -> None:
    await add_records(tx, collection, records)


def _with_state(canonization: Canonization, state: CanonizationState) -> Canonization:
    return canonization.model_copy(update={"state": state})


async def add_scenes(tx: MongoWriteTransaction, scenes: Sequence[Scene]) -> None:
    """Insert the scenes that are not there yet, with their heads. Their lines are built afterwards."""
    new_documents = await insert_new(tx, "scenes", [_scene_document(scene) for scene in scenes])
    added_ids = {d["_id"] for d in new_documents}
    heads = [{"_id": s.id, "head": s.head, "depth": -1, "moves": 0} for s in scenes if s.id in added_ids]
    await tx.insert("scene_heads", heads)
    outcomes = [
        {"_id": s.id, "outcomes": list(s.canonical_outcomes)}
        for s in scenes
        if s.id in added_ids and s.canonical_outcomes
    ]
    await tx.insert("scene_outcomes", outcomes)


def _scene_document(scene: Scene) -> Document:
    return make_document("scenes", scene.model_copy(update={"head": None, "canonical_outcomes": ()}))


async def stage_proposals(tx: MongoWriteTransaction, proposals: Sequence[ProposedChange]) -> None:
    """Insert the proposals that are not there yet, as they stand."""
    await insert_new(tx, "proposed_changes", [_proposal_document(p) for p in proposals])


async def _replace_undecided(tx: MongoWriteTransaction, proposals: Sequence[ProposedChange]) -> None:
    """Put the proposals in place of those of the same identifiers that nobody has decided on."""
    proposals_by_id = {p.id: p for p in proposals}
    for stored in await tx.find_all("proposed_changes", {"_id": any_of(proposals_by_id)}):
        if stored["status"] == ProposalStatus.PENDING and stored["decision"] is None:
            document = _proposal_document(proposals_by_id[stored["_id"]])
            await tx.replace("proposed_changes", {**document, "made": stored["made"]})


def _proposal_document(proposal: ProposedChange) -> Document:
    return make_document(
        "proposed_changes",
        proposal,
        status=proposal.status.value,
        decision=_decision_json(proposal.decision),
        error=proposal.error,
        canonization_id=proposal.canonization_id,
    )


async def _decide(tx: MongoWriteTransaction, proposal_id: Id, decision: Decision | None) -> None:
    proposal_document = await tx.find_one("proposed_changes", {"_id": proposal_id})
    if proposal_document is None:
        raise NotFound(f"There is no proposal {proposal_id}.")
    if proposal_document["decision"] == _decision_json(decision):
        return
    if proposal_document["status"] not in OPEN_STATUSES:
        raise StoreError(
            f"Proposal {proposal_id} is {proposal_document['status']} already.",
            kept="Nothing was changed.",
            todo="Propose a retcon to change what a commit closed over.",
        )
    await tx.set_fields("proposed_changes", proposal_id, {"decision": _decision_json(decision)})


async def _close_proposals(tx: MongoWriteTransaction, canonization: Canonization) -> None:
    for outcome in canonization.outcomes:
        state = {
            "status": outcome.status.value,
            "decision": _decision_json(outcome.decision),
            "error": outcome.error,
            "canonization_id": canonization.id,
        }
        await tx.set_fields("proposed_changes", outcome.proposal_id, state)


async def _add_outcomes(
    tx: MongoWriteTransaction, canonization: Canonization, outcomes: Sequence[Id]
) -> None:
    if canonization.scene_id is None:
        raise StoreError(f"Canonization {canonization.id} has no scene to add canonical outcomes to.")
    scene_id = canonization.scene_id
    if await tx.find_one("scenes", {"_id": scene_id}) is None:
        raise not_found_error(Scene, scene_id)
    stored = await tx.find_one("scene_outcomes", {"_id": scene_id})
    all_outcomes = list(dict.fromkeys((*(stored["outcomes"] if stored else ()), *outcomes)))
    if stored is None:
        await tx.insert("scene_outcomes", [{"_id": scene_id, "outcomes": all_outcomes}])
    else:
        await tx.set_fields("scene_outcomes", scene_id, {"outcomes": all_outcomes})


def _decision_json(decision: Decision | None) -> str | None:
    return decision.model_dump_json() if decision else None
