"""Reads all of a universe from `library.db`, and writes it there; see `History`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import apsw
from pydantic import ValidationError

from stores.authority import COLLECTIONS, Store
from stores.embedded.canon_graph import write_batch
from stores.embedded.changes import forget_replaced_changes
from stores.embedded.database import Transactions
from stores.embedded.documents import (
    damaged_record_error,
    describe_record,
    ids_json,
    insert_new,
    parse_uncached,
)
from stores.embedded.narrative_log import add_scenes, stage_proposals
from stores.errors import NotFound
from stores.history import NO_UNIVERSE, RECORD_COLLECTIONS, CollectionRecords
from stores.records.base import Record
from stores.records.canon import CanonBatch
from stores.records.ids import Id
from stores.records.play import HeadMove
from stores.records.workflow import Loop

_BATCH_SIZE = 1_000
"""Records written, and identifiers looked up, by one statement."""

_BY_UNIVERSE_COLUMN = "WHERE universe_id = :universe ORDER BY made"
_BY_UNIVERSE_IN_BODY = "WHERE body ->> '$.universe_id' = :universe ORDER BY made"
_ENTITY_IDS = "SELECT id FROM canon_entities WHERE universe_id = :universe"
_FACT_IDS = "SELECT id FROM canon_facts WHERE universe_id = :universe"
_STORY_IDS = "SELECT id FROM stories WHERE universe_id = :universe"
_SCENE_IDS = f"SELECT id FROM scenes WHERE story_id IN ({_STORY_IDS})"
_TURN_IDS = f"SELECT id FROM turns WHERE scene_id IN ({_SCENE_IDS})"
_SOURCE_IDS = "SELECT id FROM sources WHERE universe_id = :universe"

_SELECT_RECORDS: Mapping[str, str] = {
    "universes": "SELECT body FROM canon_universes WHERE id = :universe",
    "entities": f"SELECT body FROM canon_entities {_BY_UNIVERSE_COLUMN}",
    "facts": f"SELECT body FROM canon_facts {_BY_UNIVERSE_COLUMN}",
    "evidence": f"""SELECT body FROM canon_evidence
        WHERE id IN (SELECT evidence_id FROM canon_supports WHERE subject_id IN ({_FACT_IDS} UNION {_ENTITY_IDS}))
           OR turn_id IN ({_TURN_IDS}) OR body ->> '$.scene_id' IN ({_SCENE_IDS})
           OR body ->> '$.source_id' IN ({_SOURCE_IDS}) ORDER BY made""",
    "supports": f"""SELECT json_object('subject_id', subject_id, 'evidence_id', evidence_id)
        FROM canon_supports WHERE subject_id IN ({_FACT_IDS} UNION {_ENTITY_IDS})
        ORDER BY subject_id, evidence_id""",
    "supersessions": f"""SELECT json_object('newer_id', newer_id, 'older_id', older_id)
        FROM canon_supersessions WHERE newer_id IN ({_FACT_IDS}) ORDER BY newer_id, older_id""",
    "story_nodes": f"SELECT body FROM canon_story_nodes {_BY_UNIVERSE_COLUMN}",
    "scene_nodes": f"SELECT body FROM canon_scene_nodes {_BY_UNIVERSE_IN_BODY}",
    "appearances": f"""SELECT json_object('entity_id', entity_id, 'scene_id', scene_id)
        FROM canon_appearances WHERE entity_id IN ({_ENTITY_IDS}) ORDER BY made""",
    "stories": f"SELECT body FROM stories {_BY_UNIVERSE_COLUMN}",
    "scenes": f"""SELECT json_set(body, '$.head', head, '$.canonical_outcomes', json(canonical_outcomes))
        FROM scenes WHERE story_id IN ({_STORY_IDS}) ORDER BY made""",
    "turns": f"SELECT body FROM turns WHERE scene_id IN ({_SCENE_IDS}) ORDER BY made",
    "head_moves": f"""SELECT json_object('scene_id', scene_id, 'seq', seq, 'kind', kind,
            'from_turn', from_turn, 'to_turn', to_turn, 'at', at)
        FROM head_moves WHERE scene_id IN ({_SCENE_IDS}) ORDER BY scene_id, seq""",
    "notes": f"SELECT body FROM notes WHERE scene_id IN ({_SCENE_IDS}) ORDER BY made",
    "map_edits": f"SELECT body FROM map_edits {_BY_UNIVERSE_COLUMN}",
    "decisions": f"SELECT body FROM decisions {_BY_UNIVERSE_COLUMN}",
    "llm_calls": f"SELECT body FROM llm_calls {_BY_UNIVERSE_COLUMN}",
    "resolutions": f"SELECT body FROM resolutions WHERE body ->> '$.scene_id' IN ({_SCENE_IDS}) ORDER BY made",
    "proposed_changes": f"""SELECT json_set(body, '$.status', status, '$.decision', json(decision),
        '$.error', error, '$.canonization_id', canonization_id) FROM proposed_changes {_BY_UNIVERSE_COLUMN}""",
    "canonizations": f"SELECT body FROM canonizations {_BY_UNIVERSE_COLUMN}",
    "rulings": f"SELECT body FROM rulings {_BY_UNIVERSE_COLUMN}",
    "policies": f"SELECT body FROM policies {_BY_UNIVERSE_COLUMN}",
    "transitions": f"""SELECT body FROM transitions
        WHERE subject_id IN (SELECT :universe UNION {_STORY_IDS} UNION {_SCENE_IDS} UNION {_TURN_IDS}
            UNION SELECT run_id FROM checkpoints WHERE scene_id IN ({_SCENE_IDS})) ORDER BY made""",
    "checkpoints": f"SELECT body FROM checkpoints WHERE scene_id IN ({_SCENE_IDS}) ORDER BY made",
    "memories": f"SELECT body FROM memories {_BY_UNIVERSE_IN_BODY}",
    "summaries": f"SELECT body FROM summaries WHERE scene_id IN ({_SCENE_IDS}) ORDER BY made",
    "archived_logs": f"SELECT body FROM archived_logs {_BY_UNIVERSE_COLUMN}",
    "sources": f"SELECT body FROM sources {_BY_UNIVERSE_COLUMN}",
    "source_pages": f"SELECT body FROM source_pages WHERE source_id IN ({_SOURCE_IDS}) ORDER BY made",
    "snippets": f"SELECT body FROM snippets WHERE source_id IN ({_SOURCE_IDS}) ORDER BY made",
}
"""The SQL for the JSON of a universe's records, by collection."""

_SELECT_SESSION_TRANSITIONS = f"SELECT body FROM transitions WHERE loop = '{Loop.MAIN.value}' ORDER BY made"


class EmbeddedHistory:
    is_single_snapshot = True
    """A dump is one read transaction, of however many universes."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    async def dump(self, universe_id: Id, sink: Callable[[str, Iterator[Record]], None]) -> None:
        def dump_universe(connection: apsw.Connection) -> None:
            if connection.execute("SELECT 1 FROM canon_universes WHERE id = ?", (universe_id,)).get is None:
                raise NotFound(f"There is no universe {universe_id}.")
            for collection in RECORD_COLLECTIONS:
                sink(collection, _select_records(connection, collection, universe_id))

        await self._db.read(dump_universe)

    async def dump_all(self, sink: Callable[[Id, str, Iterator[Record]], None]) -> None:
        def dump_universes(connection: apsw.Connection) -> None:
            universes = connection.execute("SELECT id FROM canon_universes ORDER BY made").fetchall()
            for (universe_id,) in universes:
                for collection in RECORD_COLLECTIONS:
                    sink(
                        str(universe_id),
                        collection,
                        _select_records(connection, collection, str(universe_id)),
                    )
            session_rows = connection.execute(_SELECT_SESSION_TRANSITIONS)
            sink(NO_UNIVERSE, "transitions", _parse_rows(session_rows, "transitions"))

        await self._db.read(dump_universes)

    async def load(
        self,
        parts: Iterable[CollectionRecords],
        *,
        mentioned_ids: Collection[Id],
        finish_partial: bool = False,
    ) -> set[Id]:
        def load_records(connection: apsw.Connection) -> set[Id]:
            if not finish_partial and (existing_ids := _find_existing_ids(connection, mentioned_ids)):
                return existing_ids
            # Scenes refer to their head turns and turns to their scenes, so references are checked at the end.
            connection.pragma("defer_foreign_keys", True)
            for collection, records in parts:
                for batch in _split_into_batches(_BATCH_SIZE, records):
                    _RECORD_WRITERS[collection](connection, batch)
            _rebuild_lines(connection)
            forget_replaced_changes(connection)
            return set()

        return await self._db.write_as_owner(load_records)


def _select_records(connection: apsw.Connection, collection: str, universe_id: Id) -> Iterator[Record]:
    return _parse_rows(connection.execute(_SELECT_RECORDS[collection], {"universe": universe_id}), collection)


def _parse_rows(rows: Iterable[Any], collection: str) -> Iterator[Record]:
    """Parse the one column of the rows. Raises LibraryUnreadable, naming the record as far as it can be read."""
    model = RECORD_COLLECTIONS[collection].record_type
    try:
        for (body,) in rows:
            yield parse_uncached(model, body)
    except (UnicodeDecodeError, apsw.CorruptError, apsw.SQLError) as error:
        raise damaged_record_error(model) from error


def find_damaged_records(connection: apsw.Connection) -> Iterator[str]:
    """Read every record of every universe, and name those that cannot be read."""
    for (universe_id,) in connection.execute("SELECT id FROM canon_universes ORDER BY made").fetchall():
        for collection, sql in _SELECT_RECORDS.items():
            model = RECORD_COLLECTIONS[collection].record_type
            try:
                for (body,) in connection.execute(sql, {"universe": universe_id}):
                    try:
                        model.model_validate_json(str(body))
                    except ValidationError:
                        yield f"{describe_record(model, body)} cannot be read"
            except (UnicodeDecodeError, apsw.Error):  # nothing after it in this collection can be read either
                yield f"{describe_record(model)} cannot be read"


# --- what is here already ---------------------------------------------------------------------------

_KEY_COLUMNS = {
    **{f"canon_{name}": "id" for name in ("universes", "entities", "facts", "evidence")},
    **{f"canon_{name}": "id" for name in ("story_nodes", "scene_nodes", "source_nodes")},
    **{name: "id" for name in COLLECTIONS[Store.LOG] if name not in ("line", "head_moves", "transitions")},
    "checkpoints": "run_id",
}


def _find_existing_ids(connection: apsw.Connection, ids: Collection[Id]) -> set[Id]:
    """Return those of `ids` that are in use, for a record or the subject of a transition."""
    loops = ", ".join(f"'{loop.value}'" for loop in Loop)
    lookups = [f"SELECT {key} FROM {table} WHERE {key} IN given" for table, key in _KEY_COLUMNS.items()]
    lookups.append(f"SELECT subject_id FROM transitions WHERE loop IN ({loops}) AND subject_id IN given")
    sql = f"WITH given AS MATERIALIZED (SELECT value FROM json_each(?)) {' UNION '.join(lookups)}"
    return {
        str(existing_id)
        for batch in _split_into_batches(_BATCH_SIZE, ids)
        for (existing_id,) in connection.execute(sql, (ids_json(batch),))
    }


# --- writing ----------------------------------------------------------------------------------------

_RecordWriter = Callable[[apsw.Connection, Sequence[Any]], None]


def _document_writer(table: str) -> _RecordWriter:
    return lambda connection, records: insert_new(connection, table, records)


def _canon_writer(field: str) -> _RecordWriter:
    """Return a writer that writes as a commit does, with names, involvements and relation edges."""
    batch = CanonBatch(id="", universe_id="")
    return lambda connection, records: write_batch(
        connection, batch.model_copy(update={field: tuple(records)})
    )


def _add_head_moves(connection: apsw.Connection, moves: Sequence[HeadMove]) -> None:
    connection.executemany(
        """INSERT INTO head_moves(scene_id, seq, kind, from_turn, to_turn, at) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING""",
        ((m.scene_id, m.seq, m.kind.value, m.from_turn, m.to_turn, m.at.isoformat()) for m in moves),
    )


_RECORD_WRITERS: Mapping[str, _RecordWriter] = {
    **{name: _document_writer(name) for name in RECORD_COLLECTIONS if name in COLLECTIONS[Store.LOG]},
    "universes": _document_writer("canon_universes"),
    **{name: _canon_writer(name) for name in ("entities", "facts", "evidence", "supports", "appearances")},
    "supersessions": _canon_writer("supersedes"),
    "story_nodes": _document_writer("canon_story_nodes"),
    "scene_nodes": _document_writer("canon_scene_nodes"),
    "scenes": add_scenes,
    "head_moves": _add_head_moves,
    "proposed_changes": stage_proposals,
}


def _rebuild_lines(connection: apsw.Connection) -> None:
    """Build the line of every scene that has a head and no line yet: those just written."""
    connection.execute(
        """WITH RECURSIVE path (scene_id, id, parent_id, depth) AS (
               SELECT s.id, t.id, t.parent_id, t.depth FROM scenes s JOIN turns t ON t.id = s.head
               WHERE NOT EXISTS (SELECT 1 FROM line l WHERE l.scene_id = s.id)
               UNION ALL
               SELECT p.scene_id, t.id, t.parent_id, t.depth FROM path p JOIN turns t ON t.id = p.parent_id)
           INSERT INTO line (scene_id, depth, turn_id) SELECT scene_id, depth, id FROM path"""
    )


def _split_into_batches(batch_size: int, items: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, batch_size)):
        yield batch
