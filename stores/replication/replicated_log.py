"""The port of the log, forwarded method by method to the server or the copy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from stores.ports import LlmSpending, SceneRecords
from stores.queries import LlmCallQuery, MemoryQuery, ProposalCounts, ProposalQuery
from stores.readable_records import ReadableRecords
from stores.records.grid_maps import GridMapEdit
from stores.records.ids import Id
from stores.records.jobs import Job, JobKind, JobState
from stores.records.llm import DecisionMark, LlmCall
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.play import HeadMove, MoveKind, Note, Resolution, Scene, Story, Turn
from stores.records.sources import LadderStage, Snippet, Source, SourcePage, SourceState
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
from stores.replication.handle import ReplicatedHandle
from stores.stores import AnyLog


class ReplicatedLog(ReplicatedHandle[AnyLog]):
    """The log as one role may use it, whether its server is up or down."""

    # --- reading --------------------------------------------------------------------------------------

    async def stories(self, universe_id: Id | None = None) -> list[Story]:
        return await self._read(lambda log: log.stories(universe_id))

    async def readable_stories(self, universe_id: Id | None = None) -> ReadableRecords[Story]:
        return await self._read(lambda log: log.readable_stories(universe_id))

    async def story(self, story_id: Id) -> Story:
        return await self._read(lambda log: log.story(story_id))

    async def scenes(self, story_id: Id) -> list[Scene]:
        return await self._read(lambda log: log.scenes(story_id))

    async def scene(self, scene_id: Id) -> Scene:
        return await self._read(lambda log: log.scene(scene_id))

    async def scenes_by_id(self, ids: Collection[Id]) -> dict[Id, Scene]:
        return await self._read(lambda log: log.scenes_by_id(ids))

    async def scene_records(self, scene_id: Id, statuses: Collection[ProposalStatus]) -> SceneRecords:
        return await self._read(lambda log: log.scene_records(scene_id, statuses))

    async def turn(self, turn_id: Id) -> Turn:
        return await self._read(lambda log: log.turn(turn_id))

    async def turns(self, ids: Collection[Id]) -> dict[Id, Turn]:
        return await self._read(lambda log: log.turns(ids))

    async def line_length(self, scene_id: Id) -> int:
        return await self._read(lambda log: log.line_length(scene_id))

    async def line_tail(self, scene_id: Id, count: int) -> list[Turn]:
        return await self._read(lambda log: log.line_tail(scene_id, count))

    async def line_slice(self, scene_id: Id, start: int, count: int) -> list[Turn]:
        return await self._read(lambda log: log.line_slice(scene_id, start, count))

    async def on_line(self, scene_id: Id | None, turn_ids: Collection[Id]) -> set[Id]:
        return await self._read(lambda log: log.on_line(scene_id, turn_ids))

    async def children(self, scene_id: Id, turn_id: Id | None) -> list[Turn]:
        return await self._read(lambda log: log.children(scene_id, turn_id))

    async def take_counts(self, turn_ids: Collection[Id]) -> dict[Id, int]:
        return await self._read(lambda log: log.take_counts(turn_ids))

    async def all_turns(self, scene_id: Id) -> list[Turn]:
        return await self._read(lambda log: log.all_turns(scene_id))

    async def head_moves(self, scene_id: Id) -> list[HeadMove]:
        return await self._read(lambda log: log.head_moves(scene_id))

    async def redo_target(self, scene_id: Id) -> Id | None:
        return await self._read(lambda log: log.redo_target(scene_id))

    async def resolutions(self, turn_ids: Collection[Id]) -> list[Resolution]:
        return await self._read(lambda log: log.resolutions(turn_ids))

    async def notes(
        self, *, story_id: Id | None = None, turn_ids: Collection[Id] | None = None
    ) -> list[Note]:
        return await self._read(lambda log: log.notes(story_id=story_id, turn_ids=turn_ids))

    async def map_edits(self, universe_id: Id) -> list[GridMapEdit]:
        return await self._read(lambda log: log.map_edits(universe_id))

    async def proposals(self, query: ProposalQuery = ProposalQuery()) -> list[ProposedChange]:
        return await self._read(lambda log: log.proposals(query))

    async def proposal_counts(self, source_ids: Collection[Id]) -> dict[Id, ProposalCounts]:
        return await self._read(lambda log: log.proposal_counts(source_ids))

    async def proposal_ids(self, scene_id: Id) -> list[Id]:
        return await self._read(lambda log: log.proposal_ids(scene_id))

    async def proposals_by_id(self, ids: Collection[Id]) -> dict[Id, ProposedChange]:
        return await self._read(lambda log: log.proposals_by_id(ids))

    async def canonizations(
        self,
        *,
        ids: Collection[Id] | None = None,
        universe_id: Id | None = None,
        states: Collection[CanonizationState] | None = None,
    ) -> list[Canonization]:
        return await self._read(
            lambda log: log.canonizations(ids=ids, universe_id=universe_id, states=states)
        )

    async def canonization_states(self, universe_id: Id) -> dict[Id, CanonizationState]:
        return await self._read(lambda log: log.canonization_states(universe_id))

    async def canon_version(self, universe_id: Id) -> str:
        return await self._read(lambda log: log.canon_version(universe_id))

    async def rulings(self, universe_id: Id) -> list[Ruling]:
        return await self._read(lambda log: log.rulings(universe_id))

    async def policy(self, universe_id: Id) -> GatePolicy | None:
        return await self._read(lambda log: log.policy(universe_id))

    async def loop_state(self, loop: Loop, subject_id: Id) -> Transition | None:
        return await self._read(lambda log: log.loop_state(loop, subject_id))

    async def loop_states(self, loop: Loop, subject_ids: Collection[Id]) -> dict[Id, Transition]:
        return await self._read(lambda log: log.loop_states(loop, subject_ids))

    async def transitions(
        self, *, loop: Loop | None = None, subject_id: Id | None = None, limit: int = 1000
    ) -> list[Transition]:
        return await self._read(lambda log: log.transitions(loop=loop, subject_id=subject_id, limit=limit))

    async def checkpoints(self, scene_id: Id) -> list[Checkpoint]:
        return await self._read(lambda log: log.checkpoints(scene_id))

    async def memories(self, query: MemoryQuery = MemoryQuery()) -> list[Memory]:
        return await self._read(lambda log: log.memories(query))

    async def summaries(self, scene_id: Id) -> list[Summary]:
        return await self._read(lambda log: log.summaries(scene_id))

    async def archived_logs(self, *, universe_id: Id | None = None) -> list[ArchivedLog]:
        return await self._read(lambda log: log.archived_logs(universe_id=universe_id))

    async def jobs(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[JobKind] | None = None,
        states: Collection[JobState] | None = None,
    ) -> list[Job]:
        return await self._read(lambda log: log.jobs(ids=ids, kinds=kinds, states=states))

    async def llm_calls(self, query: LlmCallQuery = LlmCallQuery()) -> list[LlmCall]:
        return await self._read(lambda log: log.llm_calls(query))

    async def llm_spending(self, *, since: datetime | None = None) -> list[LlmSpending]:
        return await self._read(lambda log: log.llm_spending(since=since))

    async def decision_marks(self, *scene_ids: Id) -> list[DecisionMark]:
        return await self._read(lambda log: log.decision_marks(*scene_ids))

    async def source(self, source_id: Id) -> Source:
        return await self._read(lambda log: log.source(source_id))

    async def sources(
        self, universe_id: Id | None = None, *, states: Collection[SourceState] | None = None
    ) -> list[Source]:
        return await self._read(lambda log: log.sources(universe_id, states=states))

    async def sources_by_id(self, ids: Collection[Id]) -> dict[Id, Source]:
        return await self._read(lambda log: log.sources_by_id(ids))

    async def source_pages(
        self, source_id: Id, edition: int, *, numbers: Collection[int] | None = None
    ) -> list[SourcePage]:
        return await self._read(lambda log: log.source_pages(source_id, edition, numbers=numbers))

    async def snippets(self, source_id: Id) -> list[Snippet]:
        return await self._read(lambda log: log.snippets(source_id))

    async def waiting_snippets(
        self, source_id: Id, edition: int, *, for_model: bool, limit: int
    ) -> tuple[list[Snippet], int]:
        return await self._read(
            lambda log: log.waiting_snippets(source_id, edition, for_model=for_model, limit=limit)
        )

    async def snippet_stages(self, source_id: Id, edition: int) -> dict[LadderStage | None, int]:
        return await self._read(lambda log: log.snippet_stages(source_id, edition))

    async def snippet_anchors(self, source_id: Id, edition: int) -> dict[str, int]:
        return await self._read(lambda log: log.snippet_anchors(source_id, edition))

    async def snippets_by_id(self, ids: Collection[Id]) -> dict[Id, Snippet]:
        return await self._read(lambda log: log.snippets_by_id(ids))

    # --- Orchestrator ----------------------------------------------------------------------------------

    async def append_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> None:
        await self._write("append_turn", turn=turn, kind=kind)

    async def move_head(self, scene_id: Id, to_turn: Id | None, kind: MoveKind) -> None:
        # The store dates a head move itself, so it is sent with the time that the store would take.
        await self._write_at(self._store_clock(), "move_head", scene_id=scene_id, to_turn=to_turn, kind=kind)

    async def put_story(self, story: Story) -> None:
        await self._write("put_story", story=story)

    async def create_scene(self, scene: Scene) -> None:
        await self._write("create_scene", scene=scene)

    async def update_scene(self, scene: Scene) -> None:
        await self._write("update_scene", scene=scene)

    async def record_transition(self, transition: Transition) -> None:
        await self._write("record_transition", transition=transition)

    async def begin_exchange(
        self, turn: Turn, kind: MoveKind, checkpoint: Checkpoint, moves: Sequence[Transition]
    ) -> None:
        await self._write("begin_exchange", turn=turn, kind=kind, checkpoint=checkpoint, moves=moves)

    async def save_checkpoint(self, checkpoint: Checkpoint, moves: Sequence[Transition] = ()) -> None:
        await self._write("save_checkpoint", checkpoint=checkpoint, moves=moves)

    async def finish_exchange(self, run_id: Id, moves: Sequence[Transition] = ()) -> None:
        await self._write("finish_exchange", run_id=run_id, moves=moves)

    async def add_note(self, note: Note) -> None:
        await self._write("add_note", note=note)

    async def add_map_edit(self, edit: GridMapEdit) -> None:
        await self._write("add_map_edit", edit=edit)

    async def put_job(self, job: Job) -> None:
        await self._write("put_job", job=job)

    async def drop_job(self, job_id: Id) -> None:
        await self._write("drop_job", job_id=job_id)

    # --- Narrator --------------------------------------------------------------------------------------

    async def append_gm_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> None:
        await self._write("append_gm_turn", turn=turn, kind=kind)

    async def record_call(self, call: LlmCall) -> None:
        await self._write("record_call", call=call)

    async def mark_decisions(self, marks: Sequence[DecisionMark]) -> None:
        await self._write("mark_decisions", marks=marks)

    # --- Resolver and ingest ---------------------------------------------------------------------------

    async def seal(self, resolution: Resolution, proposals: Sequence[ProposedChange] = ()) -> None:
        await self._write("seal", resolution=resolution, proposals=proposals)

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        await self._write("stage", proposals=proposals)

    async def put_source(self, source: Source) -> None:
        await self._write("put_source", source=source)

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None:
        await self._write("put_snippets", snippets=snippets)

    async def put_pages(self, pages: Sequence[SourcePage]) -> None:
        await self._write("put_pages", pages=pages)

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        await self._write("stage_snippets", snippets=snippets, proposals=proposals)

    # --- CanonKeeper -----------------------------------------------------------------------------------

    async def decide(self, decisions: Mapping[Id, Decision | None]) -> None:
        await self._write("decide", decisions=decisions)

    async def plan_canonization(self, canonization: Canonization) -> None:
        await self._write("plan_canonization", canonization=canonization)

    async def mark_written(self, canonization_id: Id) -> None:
        await self._write("mark_written", canonization_id=canonization_id)

    async def close_canonization(self, canonization: Canonization, scene_outcomes: Sequence[Id] = ()) -> None:
        await self._write("close_canonization", canonization=canonization, scene_outcomes=scene_outcomes)

    async def put_ruling(self, ruling: Ruling) -> None:
        await self._write("put_ruling", ruling=ruling)

    async def put_policy(self, policy: GatePolicy) -> None:
        await self._write("put_policy", policy=policy)

    # --- MemoryManager and Archivist -------------------------------------------------------------------

    async def put_memories(self, memories: Sequence[Memory]) -> None:
        await self._write("put_memories", memories=memories)

    async def put_summaries(self, summaries: Sequence[Summary]) -> None:
        await self._write("put_summaries", summaries=summaries)

    async def mark_archived(self, archived: ArchivedLog) -> None:
        await self._write("mark_archived", archived=archived)
