"""Reads the narrative log from `library.db`; see `LogReader`."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import UTC, datetime
from functools import lru_cache

import apsw
from pydantic import TypeAdapter, ValidationError

from stores.embedded import turn_tree
from stores.embedded.documents import (
    damaged_record_error,
    ids_json,
    parse,
    quote_values,
    read_all,
    read_one,
    read_readable,
    read_uncached,
    where_clause,
)
from stores.embedded.memory_reader import EmbeddedMemoryReader
from stores.errors import NotFound
from stores.ports import LlmSpending, SceneRecords
from stores.queries import LlmCallQuery, ProposalCounts, ProposalQuery
from stores.readable_records import ReadableRecords
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
    GatePolicy,
    Loop,
    ProposalStatus,
    ProposedChange,
    Ruling,
    Transition,
    Verdict,
)

SELECT_SCENES = "SELECT body, head, canonical_outcomes FROM scenes"
"""The columns that `read_scenes` makes scenes of."""

_CACHED_SCENES = 16
"""Scenes in the cache; one of ten thousand turns is a hundred kilobytes."""

_OUTCOMES = TypeAdapter(tuple[Id, ...])

# Without its Z, a time without a fraction sorts before the same second with one.
_SELECT_STORIES = """SELECT body FROM stories WHERE ?1 IS NULL OR universe_id = ?1
    ORDER BY rtrim(created_at, 'Z') DESC, made DESC"""

_SELECT_STORY = "SELECT body FROM stories WHERE id = ?"
_SELECT_TURN = "SELECT body FROM turns WHERE id = ?"

_SELECT_LINE = """SELECT t.body FROM line l JOIN turns t ON t.id = l.turn_id
    WHERE l.scene_id = ? AND l.depth BETWEEN ? AND ? ORDER BY l.depth"""

_SELECT_PROPOSALS = """
    SELECT json_set(body, '$.status', shown, '$.decision', json(decision), '$.error', error,
        '$.canonization_id', canonization_id)
    FROM (SELECT *, CASE WHEN status IN ('pending', 'deferred', 'failed') AND (
            turn_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM on_line l WHERE l.turn_id = p.turn_id)
            OR EXISTS (SELECT 1 FROM on_line l WHERE l.turn_id = p.unless_turn)
            OR decision ->> '$.verdict' = 'undo')
        THEN 'withdrawn' ELSE status END AS shown
        FROM proposed_changes p)"""
"""Proposals with their effective status: an open one that is undone, alone or with its turn, is withdrawn."""


class EmbeddedLogReader(EmbeddedMemoryReader):
    async def stories(self, universe_id: Id | None = None) -> list[Story]:
        return await self._all(Story, _SELECT_STORIES, (universe_id,))

    async def readable_stories(self, universe_id: Id | None = None) -> ReadableRecords[Story]:
        return await self._read(
            lambda connection: read_readable(connection, Story, _SELECT_STORIES, (universe_id,))
        )

    async def story(self, story_id: Id) -> Story:
        return await self._one(Story, _SELECT_STORY, story_id)

    async def scenes(self, story_id: Id) -> list[Scene]:
        sql = f'{SELECT_SCENES} WHERE story_id = ? ORDER BY "order", made'
        all_scenes = await self._read(lambda connection: read_scenes(connection, sql, (story_id,)))
        return [scene for scene in all_scenes if not scene.is_taken_back]

    async def scene(self, scene_id: Id) -> Scene:
        return await self._read(lambda connection: read_scene(connection, scene_id))

    async def scene_records(self, scene_id: Id, statuses: Collection[ProposalStatus]) -> SceneRecords:
        def read_records(connection: apsw.Connection) -> SceneRecords:
            scene = read_scene(connection, scene_id)
            story = read_one(connection, Story, _SELECT_STORY, scene.story_id)
            head = read_one(connection, Turn, _SELECT_TURN, scene.head) if scene.head else None
            query = ProposalQuery(scene_id=scene_id, statuses=statuses)
            return SceneRecords(scene, story, head, _read_proposals(connection, query))

        return await self._read(read_records)

    async def scenes_by_id(self, ids: Collection[Id]) -> dict[Id, Scene]:
        sql = f"{SELECT_SCENES} WHERE id IN (SELECT value FROM json_each(?))"
        scenes = await self._read(lambda connection: read_scenes(connection, sql, (ids_json(ids),)))
        return {scene.id: scene for scene in scenes}

    # --- turns --------------------------------------------------------------------------------------

    async def turn(self, turn_id: Id) -> Turn:
        return await self._one(Turn, _SELECT_TURN, turn_id)

    async def turns(self, ids: Collection[Id]) -> dict[Id, Turn]:
        turns = await self._all(
            Turn, "SELECT body FROM turns WHERE id IN (SELECT value FROM json_each(?))", (ids_json(ids),)
        )
        return {turn.id: turn for turn in turns}

    async def line_length(self, scene_id: Id) -> int:
        return await self._read(lambda connection: turn_tree.line_length(connection, scene_id))

    async def line_tail(self, scene_id: Id, count: int) -> list[Turn]:
        def read_tail(connection: apsw.Connection) -> list[Turn]:
            length = turn_tree.line_length(connection, scene_id)
            return read_all(connection, Turn, _SELECT_LINE, (scene_id, length - count, length - 1))

        return await self._read(read_tail)

    async def line_slice(self, scene_id: Id, start: int, count: int) -> list[Turn]:
        def read_slice(connection: apsw.Connection) -> list[Turn]:
            end = min(start + count, turn_tree.line_length(connection, scene_id))
            return read_all(connection, Turn, _SELECT_LINE, (scene_id, start, end - 1))

        return await self._read(read_slice)

    async def on_line(self, scene_id: Id | None, turn_ids: Collection[Id]) -> set[Id]:
        def read_on_line(connection: apsw.Connection) -> set[Id]:
            rows = connection.execute(
                """SELECT turn_id FROM on_line
                   WHERE (?1 IS NULL OR scene_id = ?1) AND turn_id IN (SELECT value FROM json_each(?2))""",
                (scene_id, ids_json(turn_ids)),
            )
            return {str(turn_id) for (turn_id,) in rows}

        return await self._read(read_on_line)

    async def children(self, scene_id: Id, turn_id: Id | None) -> list[Turn]:
        return await self._all(
            Turn,
            "SELECT body FROM turns WHERE scene_id = ? AND parent_id IS ? ORDER BY made",
            (scene_id, turn_id),
        )

    async def take_counts(self, turn_ids: Collection[Id]) -> dict[Id, int]:
        def count_takes(connection: apsw.Connection) -> dict[Id, int]:
            rows = connection.execute(
                """SELECT t.id, count(*) FROM turns t JOIN turns o ON o.scene_id = t.scene_id
                     AND o.parent_id IS t.parent_id AND o.exchange_id = t.exchange_id
                     AND o.speaker = t.speaker
                   WHERE t.id IN (SELECT value FROM json_each(?)) GROUP BY t.id""",
                (ids_json(turn_ids),),
            )
            return {str(turn_id): int(count) for turn_id, count in rows}

        return await self._read(count_takes)

    async def all_turns(self, scene_id: Id) -> list[Turn]:
        return await self._all(Turn, "SELECT body FROM turns WHERE scene_id = ? ORDER BY made", (scene_id,))

    async def head_moves(self, scene_id: Id) -> list[HeadMove]:
        return await self._all(
            HeadMove,
            """SELECT json_object('scene_id', scene_id, 'seq', seq, 'kind', kind, 'from_turn', from_turn,
                   'to_turn', to_turn, 'at', at)
               FROM head_moves WHERE scene_id = ? ORDER BY seq""",
            (scene_id,),
        )

    async def redo_target(self, scene_id: Id) -> Id | None:
        def read_target(connection: apsw.Connection) -> Id | None:
            row = connection.execute(
                """SELECT undo.from_turn, EXISTS (
                       SELECT 1 FROM head_moves redo
                       WHERE redo.scene_id = s.id AND redo.seq > undo.seq
                           AND redo.kind = 'redo' AND redo.from_turn IS s.head
                   ) FROM scenes s JOIN head_moves undo ON undo.scene_id = s.id
                   WHERE s.id = ? AND undo.kind = 'undo' AND undo.to_turn IS s.head
                   ORDER BY undo.seq DESC LIMIT 1""",
                (scene_id,),
            ).fetchone()
            from_turn, is_redone = row or (None, False)
            return None if is_redone else from_turn

        return await self._read(read_target)

    async def resolutions(self, turn_ids: Collection[Id]) -> list[Resolution]:
        return await self._all(
            Resolution,
            "SELECT body FROM resolutions WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY made",
            (ids_json(turn_ids),),
        )

    async def map_edits(self, universe_id: Id) -> list[GridMapEdit]:
        sql = "SELECT body FROM map_edits WHERE universe_id = ? ORDER BY made"
        return await self._read(
            lambda connection: read_uncached(connection, GridMapEdit, sql, (universe_id,))
        )

    async def notes(
        self, *, story_id: Id | None = None, turn_ids: Collection[Id] | None = None
    ) -> list[Note]:
        conditions = [] if story_id is None else ["story_id = :story"]
        if turn_ids is not None:
            conditions.append("turn_id IN (SELECT value FROM json_each(:turns))")
        return await self._all(
            Note,
            f"SELECT body FROM notes {where_clause(conditions)} ORDER BY made",
            {"story": story_id, "turns": ids_json(turn_ids or ())},
        )

    # --- proposals and commits ----------------------------------------------------------------------

    async def proposals(self, query: ProposalQuery = ProposalQuery()) -> list[ProposedChange]:
        return await self._read(lambda connection: _read_proposals(connection, query))

    async def proposal_counts(self, source_ids: Collection[Id]) -> dict[Id, ProposalCounts]:
        def count(connection: apsw.Connection) -> dict[Id, ProposalCounts]:
            counts: dict[Id, ProposalCounts] = {source_id: {} for source_id in source_ids}
            for source_id, status, verdict, count in connection.execute(
                """SELECT source_id, status, decision ->> '$.verdict' AS verdict, count(*) FROM proposed_changes
                   WHERE source_id IN (SELECT value FROM json_each(?)) GROUP BY source_id, status, verdict""",
                (ids_json(source_ids),),
            ):
                counts[source_id][ProposalStatus(status), Verdict(verdict) if verdict else None] = count
            return counts

        return await self._read(count)

    async def proposal_ids(self, scene_id: Id) -> list[Id]:
        def read_ids(connection: apsw.Connection) -> list[Id]:
            sql = "SELECT id FROM proposed_changes WHERE scene_id = ? ORDER BY made"
            return [proposal_id for (proposal_id,) in connection.execute(sql, (scene_id,))]

        return await self._read(read_ids)

    async def proposals_by_id(self, ids: Collection[Id]) -> dict[Id, ProposedChange]:
        proposals = await self._all(
            ProposedChange,
            f"{_SELECT_PROPOSALS} WHERE id IN (SELECT value FROM json_each(?))",
            (ids_json(ids),),
        )
        return {proposal.id: proposal for proposal in proposals}

    async def canonizations(
        self,
        *,
        ids: Collection[Id] | None = None,
        universe_id: Id | None = None,
        states: Collection[CanonizationState] | None = None,
    ) -> list[Canonization]:
        conditions = [] if universe_id is None else ["universe_id = :universe_id"]
        if ids is not None:
            conditions.append("id IN (SELECT value FROM json_each(:ids))")
        if states is not None:
            conditions.append(f"state IN ({quote_values(states)})")
        sql = f"SELECT body FROM canonizations {where_clause(conditions)} ORDER BY made"
        values = {"universe_id": universe_id, "ids": ids_json(ids or ())}
        return await self._read(lambda connection: read_uncached(connection, Canonization, sql, values))

    async def canonization_states(self, universe_id: Id) -> dict[Id, CanonizationState]:
        def read_states(connection: apsw.Connection) -> dict[Id, CanonizationState]:
            rows = connection.execute(
                "SELECT id, state FROM canonizations WHERE universe_id = ?", (universe_id,)
            )
            return {str(id): CanonizationState(state) for id, state in rows}

        return await self._read(read_states)

    async def canon_version(self, universe_id: Id) -> str:
        def read_version(connection: apsw.Connection) -> str:
            row = connection.execute(
                """SELECT count(*), max(made), sum(state = 'written'), sum(state = 'closed')
                   FROM canonizations WHERE universe_id = ?""",
                (universe_id,),
            ).fetchone()
            return ":".join(str(part or 0) for part in row or ())

        return await self._read(read_version)

    async def rulings(self, universe_id: Id) -> list[Ruling]:
        return await self._all(
            Ruling, "SELECT body FROM rulings WHERE universe_id = ? ORDER BY made", (universe_id,)
        )

    async def policy(self, universe_id: Id) -> GatePolicy | None:
        policies = await self._all(GatePolicy, "SELECT body FROM policies WHERE id = ?", (universe_id,))
        return policies[0] if policies else None

    # --- loops --------------------------------------------------------------------------------------

    async def loop_state(self, loop: Loop, subject_id: Id) -> Transition | None:
        return (await self.loop_states(loop, [subject_id])).get(subject_id)

    async def loop_states(self, loop: Loop, subject_ids: Collection[Id]) -> dict[Id, Transition]:
        last_transitions = await self._all(
            Transition,
            """SELECT (SELECT body FROM transitions t WHERE t.loop = ?1 AND t.subject_id = s.subject_id
                       ORDER BY seq DESC LIMIT 1)
               FROM (SELECT DISTINCT value AS subject_id FROM json_each(?2)) s
               WHERE EXISTS (SELECT 1 FROM transitions t
                             WHERE t.loop = ?1 AND t.subject_id = s.subject_id)""",
            (loop.value, ids_json(subject_ids)),
        )
        return {transition.subject_id: transition for transition in last_transitions}

    async def transitions(
        self, *, loop: Loop | None = None, subject_id: Id | None = None, limit: int = 1_000
    ) -> list[Transition]:
        filters = {"loop": loop and loop.value, "subject_id": subject_id}
        conditions = [f"{column} = :{column}" for column, value in filters.items() if value is not None]
        newest_first = await self._all(
            Transition,
            f"SELECT body FROM transitions {where_clause(conditions)} ORDER BY made DESC LIMIT :limit",
            {**filters, "limit": limit},
        )
        return newest_first[::-1]

    async def checkpoints(self, scene_id: Id) -> list[Checkpoint]:
        return await self._all(
            Checkpoint, "SELECT body FROM checkpoints WHERE scene_id = ? ORDER BY made", (scene_id,)
        )

    # --- calls of a model ---------------------------------------------------------------------------

    async def llm_calls(self, query: LlmCallQuery = LlmCallQuery()) -> list[LlmCall]:
        filters = {
            "run_id": query.run_id,
            "scene_id": query.scene_id,
            "story_id": query.story_id,
            "universe_id": query.universe_id,
        }
        conditions = [f"{column} = :{column}" for column, value in filters.items() if value is not None]
        for column, wanted_ids in (("id", query.ids), ("turn_id", query.turn_ids)):
            if wanted_ids is not None:
                conditions.append(f"{column} IN (SELECT value FROM json_each(:{column}s))")
        if query.since is not None:
            conditions.append("at >= :since")
        bindings = {
            **filters,
            "ids": ids_json(query.ids or ()),
            "turn_ids": ids_json(query.turn_ids or ()),
            "since": query.since and _to_stored_time(query.since),
            "last": -1 if query.last is None else query.last,
        }
        # Select the rows by indexes alone; then read only their long bodies, without the cache.
        sql = f"""SELECT body FROM llm_calls WHERE made IN (
            SELECT made FROM llm_calls {where_clause(conditions)} ORDER BY made DESC LIMIT :last) ORDER BY made"""
        return await self._read(lambda connection: read_uncached(connection, LlmCall, sql, bindings))

    async def llm_spending(self, *, since: datetime | None = None) -> list[LlmSpending]:
        sql = f"""SELECT universe_id, story_id, persona, model, substr(at, 1, 10) AS day, count(*),
                sum(tokens_in), sum(tokens_out), sum(micros), sum(NOT priced)
            FROM llm_calls {"" if since is None else "WHERE at >= :since"}
            GROUP BY universe_id, story_id, persona, model, substr(at, 1, 10)
            ORDER BY day, universe_id, story_id, persona, model"""
        bindings = {"since": since and _to_stored_time(since)}
        return await self._read(
            lambda connection: [LlmSpending(*row) for row in connection.execute(sql, bindings)]
        )

    async def decision_marks(self, *scene_ids: Id) -> list[DecisionMark]:
        def read_marks(connection: apsw.Connection) -> list[DecisionMark]:
            marks_by_scene = (
                read_all(connection, DecisionMark, _SELECT_DECISION_MARKS, (id,)) for id in scene_ids
            )
            return [mark for scene_marks in marks_by_scene for mark in scene_marks]

        return await self._read(read_marks)

    async def source(self, source_id: Id) -> Source:
        return await self._one(Source, "SELECT body FROM sources WHERE id = ?", source_id)

    async def sources(
        self, universe_id: Id | None = None, *, states: Collection[SourceState] | None = None
    ) -> list[Source]:
        sources = await self._all(
            Source,
            "SELECT body FROM sources WHERE ?1 IS NULL OR universe_id = ?1 ORDER BY made",
            (universe_id,),
        )
        return [source for source in sources if states is None or source.state in states]

    async def sources_by_id(self, ids: Collection[Id]) -> dict[Id, Source]:
        sql = "SELECT body FROM sources WHERE id IN (SELECT value FROM json_each(?))"
        return {source.id: source for source in await self._all(Source, sql, (ids_json(ids),))}

    async def source_pages(
        self, source_id: Id, edition: int, *, numbers: Collection[int] | None = None
    ) -> list[SourcePage]:
        return await self._read(
            lambda connection: read_uncached(
                connection,
                SourcePage,
                """SELECT body FROM source_pages WHERE source_id = ?1 AND edition = ?2
                   AND (?3 IS NULL OR number IN (SELECT value FROM json_each(?3))) ORDER BY number""",
                (source_id, edition, None if numbers is None else json.dumps(sorted(numbers))),
            )
        )

    async def snippets(self, source_id: Id) -> list[Snippet]:
        return await self._all(
            Snippet, "SELECT body FROM snippets WHERE source_id = ? ORDER BY ordinal, made", (source_id,)
        )

    async def waiting_snippets(
        self, source_id: Id, edition: int, *, for_model: bool, limit: int
    ) -> tuple[list[Snippet], int]:
        waits = "NOT coalesce(body ->> '$.asked_model', 0)" if for_model else "body ->> '$.stage' IS NULL"
        where = f"source_id = ? AND coalesce(body ->> '$.edition', 1) = ? AND {waits}"

        def read_waiting(connection: apsw.Connection) -> tuple[list[Snippet], int]:
            sql = f"SELECT body FROM snippets WHERE {where} ORDER BY ordinal, made LIMIT ?"
            first = read_uncached(connection, Snippet, sql, (source_id, edition, limit))
            sql = f"SELECT count(*) FROM snippets WHERE {where}"
            return first, int(connection.execute(sql, (source_id, edition)).get)

        return await self._read(read_waiting)

    async def snippet_stages(self, source_id: Id, edition: int) -> dict[LadderStage | None, int]:
        def count(connection: apsw.Connection) -> dict[LadderStage | None, int]:
            rows = connection.execute(
                """SELECT body ->> '$.stage' AS stage, count(*) FROM snippets
                   WHERE source_id = ? AND coalesce(body ->> '$.edition', 1) = ? GROUP BY stage""",
                (source_id, edition),
            )
            return {LadderStage(stage) if stage else None: count for stage, count in rows}

        return await self._read(count)

    async def snippet_anchors(self, source_id: Id, edition: int) -> dict[str, int]:
        def count(connection: apsw.Connection) -> dict[str, int]:
            rows = connection.execute(
                """SELECT a.value, count(DISTINCT s.id) FROM snippets s, json_each(s.body, '$.anchors') a
                   WHERE s.source_id = ? AND coalesce(s.body ->> '$.edition', 1) = ? GROUP BY a.value""",
                (source_id, edition),
            )
            return {str(anchor): int(str(count)) for anchor, count in rows}

        return await self._read(count)

    async def snippets_by_id(self, ids: Collection[Id]) -> dict[Id, Snippet]:
        sql = "SELECT body FROM snippets WHERE id IN (SELECT value FROM json_each(?))"
        return {snippet.id: snippet for snippet in await self._all(Snippet, sql, (ids_json(ids),))}


def read_scenes(connection: apsw.Connection, sql: str, bindings: tuple[str]) -> list[Scene]:
    """Return the scenes whose columns `sql` selects (`SELECT_SCENES`)."""
    return [_build_scene(*row) for row in connection.execute(sql, bindings)]


def read_scene(connection: apsw.Connection, scene_id: Id) -> Scene:
    """Return the scene. Raises NotFound."""
    scenes = read_scenes(connection, f"{SELECT_SCENES} WHERE id = ?", (scene_id,))
    if not scenes:
        raise NotFound(f"There is no scene {scene_id}.")
    return scenes[0]


@lru_cache(_CACHED_SCENES)
def _build_scene(body: str, head: Id | None, outcomes_json: str) -> Scene:
    """Build a scene of its columns.

    Its head changes at every exchange, while its outcomes, of which a long one has thousands, seldom do: they
    are not parsed again.
    """
    columns = {"head": head, "canonical_outcomes": _parse_outcomes(outcomes_json, body)}
    return parse(Scene, body).model_copy(update=columns)


@lru_cache(_CACHED_SCENES)
def _parse_outcomes(outcomes_json: str, body: str) -> tuple[Id, ...]:
    try:
        return _OUTCOMES.validate_json(outcomes_json)
    except ValidationError as error:
        raise damaged_record_error(Scene, body) from error


# Looks up the line for each of the few decisions, instead of scanning the line.
_SELECT_DECISION_MARKS = """SELECT d.body FROM decisions d INDEXED BY decision_by_scene
    CROSS JOIN turns t ON t.id = d.turn_id
    WHERE d.scene_id = ? AND EXISTS (
      SELECT 1 FROM on_line l WHERE l.turn_id = d.turn_id AND l.scene_id = d.scene_id)
    ORDER BY t.depth, d.made"""


def _read_proposals(connection: apsw.Connection, query: ProposalQuery) -> list[ProposedChange]:
    filters = {"universe_id": query.universe_id, "story_id": query.story_id, "scene_id": query.scene_id}
    conditions = [f"{column} = :{column}" for column, value in filters.items() if value is not None]
    if query.source_id is not None:
        conditions.append("source_id = :source_id")
    elif not query.with_sources:
        conditions.append("source_id IS NULL")
    if query.kind is not None:
        conditions.append("body ->> '$.payload.kind' = :kind")
    if query.statuses is not None:
        conditions.append(f"status IN ({quote_values(_to_stored_statuses(query.statuses))})")
        conditions.append(f"shown IN ({quote_values(query.statuses)})")
    sql = f"{_SELECT_PROPOSALS} {where_clause(conditions)} ORDER BY made DESC LIMIT :last"
    row_limit = -1 if query.last is None else query.last
    values = {**filters, "kind": query.kind, "source_id": query.source_id, "last": row_limit}
    newest_first = read_all(connection, ProposedChange, sql, values)
    return newest_first[::-1]


def _to_stored_time(at: datetime) -> str:
    """Return a time as the column `llm_calls.at` has it."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat()


def _to_stored_statuses(statuses: Collection[ProposalStatus]) -> set[ProposalStatus]:
    """Return the stored statuses that may be shown as `statuses`, so that their index can be used."""
    undecided_statuses = OPEN_STATUSES if ProposalStatus.WITHDRAWN in statuses else ()
    return {*statuses, *undecided_statuses}
