"""The five store ports, and the narrow handles that agents are given.

Reading is open to every agent. Each writing handle has only the methods that the role's row in
`stores/authority.py` allows, so that other writes do not type-check. Adapters implement all of them on one
object bound to a role, and the store itself refuses what the role may not do.

Every write is atomic and durable when it returns, and idempotent by the record's identifier: writing
the same record again changes nothing. Readers see all writes that returned before they began.
Errors: `stores.errors.StoreError` and its kinds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from stores.queries import (
    FactQuery,
    FactsAboutQuery,
    FactsQuery,
    LlmCallQuery,
    MemoryQuery,
    ProposalCounts,
    ProposalQuery,
)
from stores.readable_records import ReadableRecords
from stores.records.canon import CanonBatch, Evidence, Fact, FactKind
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
from stores.records.world import Entity, EntityKind, EntityNames, SceneNode, StoryNode, Universe

# --- canon graph ------------------------------------------------------------------------------------


class Neighbourhood(NamedTuple):
    """Entities within some hops of the roots, by distance, and the relation facts between them."""

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]


class CanonReader(Protocol):
    async def universes(self) -> list[Universe]: ...

    async def readable_universes(self) -> ReadableRecords[Universe]:
        """Return the universes whose record can be read, and what is wrong with the others."""
        ...

    async def universe(self, universe_id: Id) -> Universe: ...

    async def entity(self, entity_id: Id) -> Entity: ...

    async def entities(
        self, universe_id: Id, *, kind: EntityKind | None = None, search: str = "", limit: int = 10_000
    ) -> list[Entity]:
        """Return canonical entities by name; `search` matches any part of a name or alias, without case."""
        ...

    async def entities_by_id(self, ids: Collection[Id]) -> dict[Id, Entity]:
        """Return those of `ids` that are in canon."""
        ...

    async def merged_entities(self, universe_id: Id) -> list[Entity]:
        """Return the entities that are merged into others, oldest first."""
        ...

    async def entity_names(self, universe_id: Id) -> list[str]:
        """Return the names of canonical entities as they are written, oldest first (for completion)."""
        ...

    async def named_entities(self, universe_id: Id) -> list[EntityNames]:
        """Return how every canonical entity is called, as it is written, oldest first."""
        ...

    async def folded_names(self, universe_id: Id) -> list[tuple[str, Id]]:
        """Return every name and alias of canonical entities, without case, with the entity's identifier."""
        ...

    async def names_with_words(self, universe_id: Id, words: Collection[str]) -> list[tuple[str, Id]]:
        """Return what `folded_names` does, of the names that have one of these words, without case.

        What stands in a name between other letters and digits is no word of it.
        """
        ...

    async def find_entity(self, universe_id: Id, name: str) -> list[Entity]:
        """Return canonical entities with exactly this name or alias, without case."""
        ...

    async def entities_named(self, universe_id: Id, names: Collection[str]) -> list[Entity]:
        """Return canonical entities with exactly one of these names or aliases, without case, oldest first."""
        ...

    async def fact(self, fact_id: Id) -> Fact: ...

    async def facts_by_id(self, ids: Collection[Id]) -> dict[Id, Fact]: ...

    async def facts_about(self, entity_id: Id, query: FactsAboutQuery = FactsAboutQuery()) -> list[Fact]:
        """Return the facts that involve the entity in any role, events included, oldest first."""
        ...

    async def facts_at(
        self, universe_id: Id, tick: int, *, kind: FactKind | None = None, limit: int = 10_000
    ) -> list[Fact]:
        """Return facts that hold at world time `tick` (`valid_from` <= tick < `valid_to`).

        Canonical ones, and those that a later fact ended.
        """
        ...

    async def count(self, universe_id: Id | None = None) -> tuple[int, int]:
        """Return how many canonical entities and canonical facts there are."""
        ...

    async def facts(self, universe_id: Id, query: FactQuery = FactQuery()) -> list[Fact]:
        """Return facts of a universe, oldest first."""
        ...

    async def facts_by_statement(self, universe_id: Id, statement_keys: Collection[str]) -> list[Fact]:
        """Return facts of any status with these statements (`Fact.statement_key`), oldest first."""
        ...

    async def facts_of_all(self, universe_id: Id, query: FactsQuery) -> list[Fact]:
        """Return every fact that one of the questions finds, once, in their order."""
        ...

    async def neighbourhood(
        self, roots: Sequence[Id], *, hops: int = 2, limit: int = 50
    ) -> Neighbourhood: ...

    async def evidence_of(self, subject_id: Id) -> list[Evidence]:
        """Return the evidence of a fact or an entity."""
        ...

    async def evidence_of_all(self, subject_ids: Collection[Id]) -> dict[Id, list[Evidence]]:
        """As `evidence_of`, for many at once; a subject without evidence has an empty list."""
        ...

    async def supported_by(self, turn_ids: Collection[Id]) -> list[tuple[Id, Id]]:
        """Return (turn, fact or entity) for everything with evidence from these turns."""
        ...

    async def evidence_from(self, source_id: Id) -> list[tuple[Id, Evidence]]:
        """Return what rests on a document: each fact or entity, with the piece of evidence from there."""
        ...

    async def superseded_by(self, fact_id: Id) -> list[Fact]:
        """Return the facts that supersede this one."""
        ...

    async def supersedes(self, fact_id: Id) -> list[Fact]:
        """Return the facts that this one supersedes."""
        ...

    async def appearances(self, entity_id: Id) -> list[Id]:
        """Return the scenes that the entity appeared in."""
        ...

    async def story_nodes(self, universe_id: Id) -> list[StoryNode]: ...

    async def scene_nodes(self, story_id: Id) -> list[SceneNode]: ...


class ContainerWriter(Protocol):
    """What the Orchestrator may write in canon: story and scene nodes."""

    async def create_story_node(self, node: StoryNode) -> None: ...

    async def create_scene_node(self, node: SceneNode) -> None: ...


class CanonWriter(CanonReader, Protocol):
    """What the CanonKeeper alone may write in canon."""

    async def commit(self, batch: CanonBatch) -> None:
        """Write the whole batch or none of it.

        Entities are replaced; facts, evidence and edges are added if absent; the edges of relation facts
        are kept up to date.
        """
        ...


class CommitWriter(Protocol):
    """Writes commits to canon and the log at once."""

    async def write_commit(self, canonization: Canonization, scene_outcomes: Sequence[Id] = ()) -> None:
        """Write the commit's batch and close it, which no plan announced, in one transaction.

        Canon and log are then as after `plan_canonization`, `commit` and `close_canonization`.
        """
        ...


# --- narrative log ----------------------------------------------------------------------------------


class LlmSpending(NamedTuple):
    """The sum of some calls of a model.

    `day` is YYYY-MM-DD in UTC; `micros` are millionths of a US dollar; `unpriced` is how many of the
    `calls` have no known price.
    """

    universe_id: Id
    story_id: Id | None
    persona: str
    model: str
    day: str
    calls: int
    tokens_in: int
    tokens_out: int
    micros: int
    unpriced: int


class SceneRecords(NamedTuple):
    """What every line of a scene begins with."""

    scene: Scene
    story: Story
    head: Turn | None
    """The last turn of the scene's line."""
    proposals: list[ProposedChange]


class LogReader(Protocol):
    async def stories(self, universe_id: Id | None = None) -> list[Story]:
        """Return stories, newest first."""
        ...

    async def readable_stories(self, universe_id: Id | None = None) -> ReadableRecords[Story]:
        """As `stories`: those whose record can be read, and what is wrong with the others."""
        ...

    async def story(self, story_id: Id) -> Story: ...

    async def scenes(self, story_id: Id) -> list[Scene]:
        """Return the scenes of a story in their order, without those that undo took back."""
        ...

    async def scene(self, scene_id: Id) -> Scene: ...

    async def scenes_by_id(self, ids: Collection[Id]) -> dict[Id, Scene]:
        """Return those of `ids` that exist."""
        ...

    async def scene_records(self, scene_id: Id, statuses: Collection[ProposalStatus]) -> SceneRecords:
        """Return the scene, what it belongs to, and its proposals with these statuses, oldest first."""
        ...

    async def turn(self, turn_id: Id) -> Turn: ...

    async def turns(self, ids: Collection[Id]) -> dict[Id, Turn]: ...

    async def line_length(self, scene_id: Id) -> int:
        """Return the number of turns on the scene's line."""
        ...

    async def line_tail(self, scene_id: Id, count: int) -> list[Turn]:
        """Return the last `count` turns of the line, oldest first; O(count) at any length of campaign."""
        ...

    async def line_slice(self, scene_id: Id, start: int, count: int) -> list[Turn]:
        """Return the turns at depths `start` to `start + count - 1` of the line."""
        ...

    async def on_line(self, scene_id: Id | None, turn_ids: Collection[Id]) -> set[Id]:
        """Return those of `turn_ids` that are on the scene's line (None: each on its own scene's)."""
        ...

    async def children(self, scene_id: Id, turn_id: Id | None) -> list[Turn]:
        """Return the turns whose parent is `turn_id` (None: first turns), in the order they were made."""
        ...

    async def take_counts(self, turn_ids: Collection[Id]) -> dict[Id, int]:
        """Return how many turns share each one's parent, exchange and speaker (itself included)."""
        ...

    async def all_turns(self, scene_id: Id) -> list[Turn]:
        """Return the scene's whole tree, in the order it was made (export, replay, tests)."""
        ...

    async def head_moves(self, scene_id: Id) -> list[HeadMove]: ...

    async def redo_target(self, scene_id: Id) -> Id | None:
        """Return the head that the last undo to the present head came from; None if there is none or it was redone."""
        ...

    async def resolutions(self, turn_ids: Collection[Id]) -> list[Resolution]: ...

    async def notes(
        self, *, story_id: Id | None = None, turn_ids: Collection[Id] | None = None
    ) -> list[Note]:
        """Return a story's notes, or those made on these turns, in the order they were made."""
        ...

    async def map_edits(self, universe_id: Id) -> list[GridMapEdit]:
        """Return the edits of all grid maps of a universe, in the order they were made."""
        ...

    async def proposals(self, query: ProposalQuery = ProposalQuery()) -> list[ProposedChange]:
        """Return proposals in the order they were made.

        One whose turn is off its scene's line (or whose `unless_turn` is on it) comes back as WITHDRAWN
        if it is still undecided by a commit.
        """
        ...

    async def proposal_counts(self, source_ids: Collection[Id]) -> dict[Id, ProposalCounts]:
        """Return by document how many proposals it has; empty for one without any."""
        ...

    async def proposal_ids(self, scene_id: Id) -> list[Id]:
        """Return every proposal of a scene in the order they were made, whatever became of it."""
        ...

    async def proposals_by_id(self, ids: Collection[Id]) -> dict[Id, ProposedChange]:
        """As `proposals`, by identifier."""
        ...

    async def canonizations(
        self,
        *,
        ids: Collection[Id] | None = None,
        universe_id: Id | None = None,
        states: Collection[CanonizationState] | None = None,
    ) -> list[Canonization]:
        """Return the commits that meet every condition given, in the order they were planned."""
        ...

    async def canonization_states(self, universe_id: Id) -> dict[Id, CanonizationState]:
        """Return the state of every commit of the universe, without reading the batches."""
        ...

    async def canon_version(self, universe_id: Id) -> str:
        """Return a version of the universe's canon, which changes whenever a commit is planned, written or closed.

        What was read of canon at the same version still holds.
        """
        ...

    async def rulings(self, universe_id: Id) -> list[Ruling]:
        """Return the rulings on conflicts, in the order they were made."""
        ...

    async def policy(self, universe_id: Id) -> GatePolicy | None:
        """Return the universe's own policy, if it has one."""
        ...

    async def loop_state(self, loop: Loop, subject_id: Id) -> Transition | None:
        """Return the loop's last transition."""
        ...

    async def loop_states(self, loop: Loop, subject_ids: Collection[Id]) -> dict[Id, Transition]: ...

    async def transitions(
        self, *, loop: Loop | None = None, subject_id: Id | None = None, limit: int = 1_000
    ) -> list[Transition]:
        """Return the last `limit` transitions, oldest first."""
        ...

    async def checkpoints(self, scene_id: Id) -> list[Checkpoint]:
        """Return the checkpoints of exchanges that were begun and not finished."""
        ...

    async def memories(self, query: MemoryQuery = MemoryQuery()) -> list[Memory]:
        """Return memories, oldest first; those whose turn was undone are among them (see `on_line`)."""
        ...

    async def summaries(self, scene_id: Id) -> list[Summary]: ...

    async def archived_logs(self, *, universe_id: Id | None = None) -> list[ArchivedLog]:
        """Return the archived logs, oldest first."""
        ...

    async def jobs(
        self,
        *,
        ids: Collection[Id] | None = None,
        kinds: Collection[JobKind] | None = None,
        states: Collection[JobState] | None = None,
    ) -> list[Job]:
        """Return the jobs that meet every condition given, in the order they were first stored."""
        ...

    async def llm_calls(self, query: LlmCallQuery = LlmCallQuery()) -> list[LlmCall]:
        """Return calls of a model in the order they were made, whether or not their turn is on the line."""
        ...

    async def llm_spending(self, *, since: datetime | None = None) -> list[LlmSpending]:
        """Return the spending by universe, story, persona, model and UTC day, sorted by day and then by those."""
        ...

    async def decision_marks(self, *scene_ids: Id) -> list[DecisionMark]:
        """Return the `@DECISION` markers whose turns are on their scene's line, in its order, scene by scene."""
        ...

    async def source(self, source_id: Id) -> Source: ...

    async def sources(
        self, universe_id: Id | None = None, *, states: Collection[SourceState] | None = None
    ) -> list[Source]:
        """Return the documents (of the universe, in these states), oldest first."""
        ...

    async def sources_by_id(self, ids: Collection[Id]) -> dict[Id, Source]:
        """Return those of `ids` that exist."""
        ...

    async def source_pages(
        self, source_id: Id, edition: int, *, numbers: Collection[int] | None = None
    ) -> list[SourcePage]:
        """Return the pages of an edition (of `numbers`, if given), in their order."""
        ...

    async def snippets(self, source_id: Id) -> list[Snippet]:
        """Return the snippets of every edition, by their ordinals."""
        ...

    async def waiting_snippets(
        self, source_id: Id, edition: int, *, for_model: bool, limit: int
    ) -> tuple[list[Snippet], int]:
        """Return the first snippets of an edition that are still to be served, and how many there are.

        For a model those wait that none was asked about, and else those that no stage served.
        """
        ...

    async def snippet_stages(self, source_id: Id, edition: int) -> dict[LadderStage | None, int]:
        """Return how many snippets of an edition each stage served; None for those that wait."""
        ...

    async def snippet_anchors(self, source_id: Id, edition: int) -> dict[str, int]:
        """Return in how many snippets of an edition each anchor was found."""
        ...

    async def snippets_by_id(self, ids: Collection[Id]) -> dict[Id, Snippet]: ...


class TurnWriter(Protocol):
    """Appends turns and moves the head. Turn, line position, head and head move are written in one transaction.

    `kind` is TAKE or BRANCH if the turn's parent is not the head. The store checks the speaker: the
    Orchestrator writes player, oracle and system turns, the Narrator gm and npc turns.
    """

    async def append_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> None: ...

    async def move_head(self, scene_id: Id, to_turn: Id | None, kind: MoveKind) -> None: ...


class OrchestratorLog(LogReader, TurnWriter, Protocol):
    async def put_story(self, story: Story) -> None: ...

    async def create_scene(self, scene: Scene) -> None: ...

    async def update_scene(self, scene: Scene) -> None:
        """Update title, goal, cast, place, tick, summary and passed offers.

        Never the head (see `move_head`) nor outcomes.
        """
        ...

    async def record_transition(self, transition: Transition) -> None: ...

    async def begin_exchange(
        self, turn: Turn, kind: MoveKind, checkpoint: Checkpoint, moves: Sequence[Transition]
    ) -> None:
        """Do `append_turn`, `save_checkpoint` and `record_transition` in one transaction, with one fsync."""
        ...

    async def save_checkpoint(self, checkpoint: Checkpoint, moves: Sequence[Transition] = ()) -> None: ...

    async def finish_exchange(self, run_id: Id, moves: Sequence[Transition] = ()) -> None:
        """Remove the checkpoint, as the exchange is complete."""
        ...

    async def add_note(self, note: Note) -> None: ...

    async def add_map_edit(self, edit: GridMapEdit) -> None: ...

    async def put_job(self, job: Job) -> None:
        """Store the job, replacing it. Writes of play go before this one."""
        ...

    async def drop_job(self, job_id: Id) -> None: ...


class NarratorLog(LogReader, Protocol):
    async def append_gm_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> None: ...

    async def record_call(self, call: LlmCall) -> None: ...

    async def mark_decisions(self, marks: Sequence[DecisionMark]) -> None: ...


class ResolverLog(LogReader, Protocol):
    async def seal(self, resolution: Resolution, proposals: Sequence[ProposedChange] = ()) -> None:
        """Store a result and its proposals in one transaction."""
        ...

    async def stage(self, proposals: Sequence[ProposedChange]) -> None: ...


class CanonKeeperLog(LogReader, Protocol):
    async def decide(self, decisions: Mapping[Id, Decision | None]) -> None:
        """Set (or, with None, remove) the decision on proposals that no commit has closed over."""
        ...

    async def plan_canonization(self, canonization: Canonization) -> None: ...

    async def mark_written(self, canonization_id: Id) -> None: ...

    async def close_canonization(self, canonization: Canonization, scene_outcomes: Sequence[Id] = ()) -> None:
        """Update every outcome's proposal, add the scene's canonical outcomes, and close, in one transaction."""
        ...

    async def put_ruling(self, ruling: Ruling) -> None:
        """Store a ruling, replacing one on the same pair."""
        ...

    async def put_policy(self, policy: GatePolicy) -> None: ...


class MemoryWriter(Protocol):
    async def put_memories(self, memories: Sequence[Memory]) -> None:
        """Store the memories, replacing those of the same identifiers."""
        ...

    async def put_summaries(self, summaries: Sequence[Summary]) -> None: ...


class MemoryLog(LogReader, MemoryWriter, Protocol):
    """The log as the MemoryManager has it."""


class SourceWriter(Protocol):
    async def put_source(self, source: Source) -> None: ...

    async def put_pages(self, pages: Sequence[SourcePage]) -> None: ...

    async def put_snippets(self, snippets: Sequence[Snippet]) -> None: ...

    async def stage_snippets(self, snippets: Sequence[Snippet], proposals: Sequence[ProposedChange]) -> None:
        """Store snippets and stage what was found in them, in one transaction.

        A proposal that is there already is replaced if nobody has decided on it; a decided one stays. Of several
        with one identifier the last is stored.
        """
        ...


class IngestLog(LogReader, SourceWriter, Protocol):
    async def stage(self, proposals: Sequence[ProposedChange]) -> None: ...


class ArchivedLogWriter(Protocol):
    async def mark_archived(self, archived: ArchivedLog) -> None: ...


class ArchivistLog(ArchivedLogWriter, LogReader, Protocol):
    """What archives logs."""


# --- derived stores and originals -------------------------------------------------------------------


class VectorHit(NamedTuple):
    id: Id
    score: float


class VectorItem(NamedTuple):
    """A vector to be indexed. `scope` has the values to filter by: universe, story, scene, entity ...

    `fingerprint` is a short digest of what was indexed; if it differs from that of the present content, the
    item is out of date. `token_codes` are kept beside the vector, and are not searched by.
    """

    id: Id
    vector: Sequence[float]
    scope: Mapping[str, str]
    fingerprint: str = ""
    token_codes: bytes = b""


class VectorIndex(Protocol):
    """Vectors by collection and model.

    Those of different models are independent; those of one model have one dimension.
    """

    async def put(self, collection: str, items: Sequence[VectorItem], *, model: str) -> None: ...

    async def delete(self, collection: str, ids: Collection[Id], *, model: str) -> None: ...

    async def search(
        self,
        collection: str,
        vector: Sequence[float],
        *,
        model: str,
        k: int = 10,
        scope: Mapping[str, str] | None = None,
    ) -> list[VectorHit]:
        """Return the `k` nearest by cosine, best first; exact."""
        ...

    async def count(self, collection: str, *, model: str, scope: Mapping[str, str] | None = None) -> int: ...

    async def fingerprints(
        self,
        collection: str,
        *,
        model: str,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        """Return what is indexed (of `ids`, within `scope`), with its fingerprint."""
        ...

    async def token_codes(self, collection: str, ids: Collection[Id], *, model: str) -> dict[Id, bytes]:
        """Return the token codes of those of `ids` that were put with some."""
        ...

    async def models(self, collection: str) -> dict[str, int]:
        """Return every model with vectors in the collection, and how many it has."""
        ...

    async def drop(self, collection: str, *, model: str) -> None:
        """Remove all vectors of the model, if there are any."""
        ...


class TextHit(NamedTuple):
    id: Id
    score: float


class TextItem(NamedTuple):
    """A text to be indexed; for `scope` and `fingerprint` see `VectorItem`.

    The first `own_length` characters of the text are the item's own; what follows is of its neighbours.
    """

    id: Id
    text: str
    scope: Mapping[str, str]
    fingerprint: str = ""
    own_length: int = 0


class TextIndex(Protocol):
    async def put(self, collection: str, items: Sequence[TextItem]) -> None: ...

    async def delete(self, collection: str, ids: Collection[Id]) -> None: ...

    async def search(
        self, collection: str, query: str, *, k: int = 10, scope: Mapping[str, str] | None = None
    ) -> list[TextHit]:
        """Return the `k` best by BM25 over any of the query's words, best first; any query is valid."""
        ...

    async def count(self, collection: str, *, scope: Mapping[str, str] | None = None) -> int: ...

    async def fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        """Return what is indexed (of `ids`, within `scope`), with its fingerprint."""
        ...


@runtime_checkable
class TextIndexWithCursor(TextIndex, Protocol):
    """A text index that keeps how far it follows the library (`stores.changes`). One without is compared at a start."""

    async def read_cursor(self) -> str:
        """Return what was written last; empty if nothing was, or if the index was made anew."""
        ...

    async def write_cursor(self, cursor: str) -> None:
        """Store it, durable only after all that was indexed before."""
        ...


@runtime_checkable
class VectorIndexWithCursor(VectorIndex, Protocol):
    """As `TextIndexWithCursor`, for the vectors of each model."""

    async def read_cursor(self, *, model: str) -> str: ...

    async def write_cursor(self, cursor: str, *, model: str) -> None: ...


@runtime_checkable
class RebuildableTextIndex(Protocol):
    """A text index that can be rebuilt while the present one is in use."""

    async def rebuild(self, collection: str, batches: AsyncIterator[Sequence[TextItem]]) -> int:
        """Replace the collection by these items once all of them are indexed; return how many there are.

        If it fails, the collection is unchanged.
        """
        ...


class ObjectStore(Protocol):
    """Immutable objects, stored under their SHA-256."""

    async def put(self, collection: str, data: bytes) -> str:
        """Store and return the key; the same bytes give the same key."""
        ...

    async def get(self, collection: str, key: str) -> bytes: ...

    async def exists(self, collection: str, key: str) -> bool: ...

    async def keys(self, collection: str) -> list[str]: ...
