"""The narrative log in `library.db`: reading, and the writes of every role.

SQLite refuses what a role may not write, on the role's own connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

import apsw

from stores.authority import Role
from stores.embedded import turn_tree
from stores.embedded.database import Priority, Transactions
from stores.embedded.documents import insert_new, record_json, upsert
from stores.embedded.log_reader import EmbeddedLogReader, read_scene
from stores.errors import NotFound, StoreError
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

_SCENE_COLUMNS = ("head", "canonical_outcomes")
_UPDATABLE_SCENE_FIELDS = (
    "title", "goal", "cast", "place_id", "tick", "summary", "passed_offer_ids", "is_taken_back",
)  # fmt: skip
_PROPOSAL_COLUMNS = ("status", "decision", "error", "canonization_id")


class EmbeddedLog(EmbeddedLogReader):
    """The log as `role` may use it. `priority` is how urgent its writes are; `clock` dates head moves."""

    def __init__(
        self, db: Transactions, role: Role, *, priority: Priority = Priority.PLAY, clock: Clock = utc_now
    ) -> None:
        super().__init__(db)
        self._role = role
        self._priority = priority
        self._clock = clock

    async def _write(self, work: Callable[[apsw.Connection], None]) -> None:
        await self._db.write(self._role, work, self._priority)

    async def _write_in_background(self, work: Callable[[apsw.Connection], None]) -> None:
        """As `_write`, after all writes of play."""
        await self._db.write(self._role, work, Priority.BACKGROUND)

    # --- Orchestrator and Narrator ------------------------------------------------------------------

    async def append_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> None:
        await self._write(lambda connection: turn_tree.append_turn(connection, turn, kind))

    append_gm_turn = append_turn

    async def move_head(self, scene_id: Id, to_turn: Id | None, kind: MoveKind) -> None:
        at = self._clock()
        await self._write(lambda connection: turn_tree.move_head(connection, scene_id, to_turn, kind, at))

    async def put_story(self, story: Story) -> None:
        await self._write(lambda connection: upsert(connection, "stories", [story]))

    async def create_scene(self, scene: Scene) -> None:
        await self._write(lambda connection: add_scenes(connection, [scene]))

    async def update_scene(self, scene: Scene) -> None:
        def update(connection: apsw.Connection) -> None:
            stored_scene = read_scene(connection, scene.id)
            updated_scene = stored_scene.model_copy(
                update={name: getattr(scene, name) for name in _UPDATABLE_SCENE_FIELDS}
            )
            connection.execute(
                "UPDATE scenes SET body = ? WHERE id = ?",
                (record_json(updated_scene, _SCENE_COLUMNS), scene.id),
            )

        await self._write(update)

    async def record_transition(self, transition: Transition) -> None:
        await self._write(lambda connection: insert_new(connection, "transitions", [transition]))

    async def begin_exchange(
        self, turn: Turn, kind: MoveKind, checkpoint: Checkpoint, moves: Sequence[Transition]
    ) -> None:
        def begin(connection: apsw.Connection) -> None:
            turn_tree.append_turn(connection, turn, kind)
            upsert(connection, "checkpoints", [checkpoint], key="run_id")
            insert_new(connection, "transitions", moves)

        await self._write(begin)

    async def save_checkpoint(self, checkpoint: Checkpoint, moves: Sequence[Transition] = ()) -> None:
        def save(connection: apsw.Connection) -> None:
            upsert(connection, "checkpoints", [checkpoint], key="run_id")
            insert_new(connection, "transitions", moves)

        await self._write(save)

    async def finish_exchange(self, run_id: Id, moves: Sequence[Transition] = ()) -> None:
        def finish(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM checkpoints WHERE run_id = ?", (run_id,))
            insert_new(connection, "transitions", moves)

        await self._write(finish)

    async def add_note(self, note: Note) -> None:
        await self._write(lambda connection: insert_new(connection, "notes", [note]))

    async def add_map_edit(self, edit: GridMapEdit) -> None:
        await self._write(lambda connection: insert_new(connection, "map_edits", [edit]))

    async def put_job(self, job: Job) -> None:
        await self._write_in_background(lambda connection: upsert(connection, "jobs", [job]))

    async def drop_job(self, job_id: Id) -> None:
        def drop(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))

        await self._write_in_background(drop)

    async def record_call(self, call: LlmCall) -> None:
        await self._write(lambda connection: insert_new(connection, "llm_calls", [call]))

    async def mark_decisions(self, marks: Sequence[DecisionMark]) -> None:
        await self._write(lambda connection: insert_new(connection, "decisions", marks))

    # --- Resolver and ingest ------------------------------------------------------------------------

    async def seal(self, resolution: Resolution, proposals: Sequence[ProposedChange] = ()) -> None:
        def seal(connection: apsw.Connection) -> None:
            insert_new(connection, "resolutions", [resolution])
            stage_proposals(connection, proposals)

        await self._write(seal)

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        await self._write(lambda connection: stage_proposals(connection, proposals))

    # --- CanonKeeper --------------------------------------------------------------------------------

    async def decide(self, decisions: Mapping[Id, Decision | None]) -> None:
        def decide(connection: apsw.Connection) -> None:
            for proposal_id, decision in decisions.items():
                _decide(connection, proposal_id, decision)

        await self._write(decide)

    async def plan_canonization(self, canonization: Canonization) -> None:
        await self._write(lambda connection: insert_new(connection, "canonizations", [canonization]))

    async def mark_written(self, canonization_id: Id) -> None:
        def mark(connection: apsw.Connection) -> None:
            if not connection.execute("SELECT 1 FROM canonizations WHERE id = ?", (canonization_id,)).get:
                raise NotFound(f"There is no canonization {canonization_id}.")
            connection.execute(
                "UPDATE canonizations SET body = json_set(body, '$.state', ?) WHERE id = ? AND state = ?",
                (CanonizationState.WRITTEN.value, canonization_id, CanonizationState.PLANNED.value),
            )

        await self._write(mark)

    async def close_canonization(self, canonization: Canonization, scene_outcomes: Sequence[Id] = ()) -> None:
        def close(connection: apsw.Connection) -> None:
            if canonization.state is CanonizationState.DROPPED:
                upsert(connection, "canonizations", [canonization])
            else:
                close_commit(connection, canonization, scene_outcomes)

        await self._write(close)

    async def put_ruling(self, ruling: Ruling) -> None:
        await self._write(lambda connection: upsert(connection, "rulings", [ruling]))

    async def put_policy(self, policy: GatePolicy) -> None:
        await self._write(lambda connection: upsert(connection, "policies", [policy]))

    # --- MemoryManager, Archivist and sources -------------------------------------------------------

    async def put_memories(self, memories: Sequence[Memory]) -> None:
        await self._write_in_background(lambda connection: upsert(connection, "memories", memories))

    async def put_summaries(self, summaries: Sequence[Summary]) -> None:
        await self._write_in_background(lambda connection: upsert(connection, "summaries", summaries))

    async def mark_archived(self, archived: ArchivedLog) -> None:
        await self._write_in_background(lambda connection: upsert(connection, "archived_logs", [archived]))

    async def put_source(self, source: Source) -> None:
        await self._write(lambda connection: upsert(connection, "sources", [source]))

    async def put_pages(self, pages: Sequence[SourcePage]) -> None:
        await self._write_in_background(lambda connection: upsert(connection, "source_pages", pages))

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None:
        await self._write_in_background(lambda connection: upsert(connection, "snippets", snippets))

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        last_versions = list({proposal.id: proposal for proposal in proposals}.values())

        def stage(connection: apsw.Connection) -> None:
            _replace_undecided(connection, last_versions)
            stage_proposals(connection, last_versions)
            upsert(connection, "snippets", snippets)

        await self._write_in_background(stage)


def close_commit(
    connection: apsw.Connection, canonization: Canonization, scene_outcomes: Sequence[Id]
) -> None:
    """Close the commit and its proposals, in the transaction that `connection` is in."""
    upsert(connection, "canonizations", [_with_state(canonization, CanonizationState.CLOSED)])
    _close_proposals(connection, canonization)
    if scene_outcomes:
        _add_outcomes(connection, canonization, scene_outcomes)


def _with_state(canonization: Canonization, state: CanonizationState) -> Canonization:
    return canonization.model_copy(update={"state": state})


def add_scenes(connection: apsw.Connection, scenes: Sequence[Scene]) -> None:
    """Insert the scenes that are not there yet, as they stand."""
    connection.executemany(
        "INSERT INTO scenes(body, head, canonical_outcomes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        ((record_json(s, _SCENE_COLUMNS), s.head, json.dumps(s.canonical_outcomes)) for s in scenes),
    )


def stage_proposals(connection: apsw.Connection, proposals: Sequence[ProposedChange]) -> None:
    """Insert the proposals that are not there yet, as they stand."""
    connection.executemany(
        """INSERT INTO proposed_changes(body, status, decision, error, canonization_id)
           VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""",
        (
            (
                record_json(p, _PROPOSAL_COLUMNS),
                p.status.value,
                _decision_json(p.decision),
                p.error,
                p.canonization_id,
            )
            for p in proposals
        ),
    )


def _replace_undecided(connection: apsw.Connection, proposals: Sequence[ProposedChange]) -> None:
    """Put the proposals in place of those of the same identifiers that nobody has decided on."""
    connection.executemany(
        """UPDATE proposed_changes SET body = ?
           WHERE id = ? AND status = ? AND decision IS NULL""",
        ((record_json(p, _PROPOSAL_COLUMNS), p.id, ProposalStatus.PENDING.value) for p in proposals),
    )


def _decide(connection: apsw.Connection, proposal_id: Id, decision: Decision | None) -> None:
    row = connection.execute(
        "SELECT status, decision FROM proposed_changes WHERE id = ?", (proposal_id,)
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no proposal {proposal_id}.")
    if row[1] == _decision_json(decision):
        return
    if row[0] not in OPEN_STATUSES:
        raise StoreError(
            f"Proposal {proposal_id} is {row[0]} already.",
            kept="Nothing was changed.",
            todo="Propose a retcon to change what a commit closed over.",
        )
    connection.execute(
        "UPDATE proposed_changes SET decision = ? WHERE id = ?", (_decision_json(decision), proposal_id)
    )


def _close_proposals(connection: apsw.Connection, canonization: Canonization) -> None:
    connection.executemany(
        "UPDATE proposed_changes SET status = ?, decision = ?, error = ?, canonization_id = ? WHERE id = ?",
        (
            (
                outcome.status.value,
                _decision_json(outcome.decision),
                outcome.error,
                canonization.id,
                outcome.proposal_id,
            )
            for outcome in canonization.outcomes
        ),
    )


def _add_outcomes(connection: apsw.Connection, canonization: Canonization, outcomes: Sequence[Id]) -> None:
    if canonization.scene_id is None:
        raise StoreError(f"Canonization {canonization.id} has no scene to add canonical outcomes to.")
    scene_id = canonization.scene_id
    row = connection.execute("SELECT canonical_outcomes FROM scenes WHERE id = ?", (scene_id,)).fetchone()
    if row is None:
        raise NotFound(f"There is no scene {scene_id}.")
    connection.execute(
        "UPDATE scenes SET canonical_outcomes = ? WHERE id = ?", (_append_ids(row[0], outcomes), scene_id)
    )


def _append_ids(ids_array: str, new_ids: Iterable[Id]) -> str:
    """Return a JSON array of identifiers with those at its end that it does not have.

    It is not written anew: that of a long scene has thousands, and grows with each commit.
    """
    known_ids = set(json.loads(ids_array))
    added_ids = [json.dumps(id) for id in dict.fromkeys(new_ids) if id not in known_ids]
    stored_ids = ids_array.strip().removeprefix("[").removesuffix("]").strip()
    return f"[{', '.join((*filter(None, (stored_ids,)), *added_ids))}]"


def _decision_json(decision: Decision | None) -> str | None:
    return record_json(decision) if decision else None
