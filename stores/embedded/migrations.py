"""The format of `library.db`: one numbered function for each version, never edited once released."""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from stores.authority import COLLECTIONS, Store
from stores.embedded.changes import (
    create_changes,
    create_loop_changes,
    create_memory_changes,
    create_source_changes,
)
from stores.embedded.connections import Migration
from stores.embedded.permissions import CHANGES_TABLE, OUTBOX_TABLE

COLLECTION_OF_TABLE: Mapping[str, tuple[Store, str]] = {
    **{f"canon_{name}": (Store.CANON, name) for name in COLLECTIONS[Store.CANON]},
    **{name: (Store.LOG, name) for name in COLLECTIONS[Store.LOG]},
}
"""The collection that each table holds, for the authorizer and the tests."""

UNCOLLECTED_TABLES = (OUTBOX_TABLE, "mirror", CHANGES_TABLE)
"""Tables that are no collections: those of a copy of servers (`stores.replication`), and the numbered changes."""


def m001_first_tables(connection: apsw.Connection) -> None:
    for statement in (*_CANON_STATEMENTS, *_LOG_STATEMENTS):
        connection.execute(statement)
    for table in _APPEND_ONLY_TABLES:
        for op in ("UPDATE", "DELETE"):
            connection.execute(_forbid_trigger(table, op))
    for table in COLLECTION_OF_TABLE.keys() - _APPEND_ONLY_TABLES - _LATER_TABLES:
        connection.execute(_delete_guard_trigger(table))


def m002_policies(connection: apsw.Connection) -> None:
    connection.execute(_document_table("policies", "universe_id"))
    connection.execute(_delete_guard_trigger("policies"))


def m003_notes(connection: apsw.Connection) -> None:
    connection.execute(_document_table("notes", "story_id", "scene_id", "turn_id"))
    connection.execute("CREATE INDEX note_by_turn ON notes (turn_id)")
    connection.execute("CREATE INDEX note_by_story ON notes (story_id)")
    for op in ("UPDATE", "DELETE"):
        connection.execute(_forbid_trigger("notes", op))


def m004_outbox(connection: apsw.Connection) -> None:
    # `applied`: the write is in the tables of this file, and not yet known to be on the server.
    connection.execute(
        f"""CREATE TABLE {OUTBOX_TABLE} (
            seq INTEGER PRIMARY KEY, store TEXT NOT NULL, role TEXT NOT NULL, method TEXT NOT NULL,
            arguments TEXT NOT NULL, at TEXT NOT NULL, applied INTEGER NOT NULL) STRICT"""
    )
    connection.execute(f"CREATE INDEX {OUTBOX_TABLE}_by_store ON {OUTBOX_TABLE} (store, seq)")
    for op, row in (("INSERT", "NEW"), ("UPDATE", "OLD"), ("DELETE", "OLD")):
        connection.execute(
            f"""CREATE TRIGGER {OUTBOX_TABLE}_{op.lower()} BEFORE {op} ON {OUTBOX_TABLE}
                WHEN NOT monitor_may('{op.lower()}', '{OUTBOX_TABLE}', {row}.role)
                BEGIN SELECT RAISE(ABORT, 'a role sends what it has done itself'); END"""
        )
    connection.execute(
        "CREATE TABLE mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID"
    )


def m005_calls(connection: apsw.Connection) -> None:
    """Key columns and indexes for `llm_calls` and `decisions`, which nothing wrote before.

    The columns are virtual, as SQLite cannot add stored ones. A call's prompt makes its row long, so lookups and
    sums read the indexes alone.
    """
    for name in ("universe_id", "story_id", "scene_id", "beat_id", "persona", "model"):
        connection.execute(f"ALTER TABLE llm_calls ADD COLUMN {name} TEXT AS (body ->> '$.{name}') VIRTUAL")
    # Without its Z a time with no fraction sorts before the same second with one.
    connection.execute("ALTER TABLE llm_calls ADD COLUMN at TEXT AS (rtrim(body ->> '$.at', 'Z')) VIRTUAL")
    for name, path in (
        ("tokens_in", "tokens_in"),
        ("tokens_out", "tokens_out"),
        ("micros", "cost.micros"),
        ("priced", "cost.known"),
    ):
        connection.execute(
            f"ALTER TABLE llm_calls ADD COLUMN {name} INTEGER AS (body ->> '$.{path}') VIRTUAL"
        )
    connection.execute(
        """CREATE INDEX call_sums ON llm_calls (universe_id, story_id, persona, model, substr(at, 1, 10),
            at, tokens_in, tokens_out, micros, priced)"""
    )
    for name in ("turn", "beat", "scene", "story"):
        connection.execute(
            f"CREATE INDEX call_by_{name} ON llm_calls ({name}_id) WHERE {name}_id IS NOT NULL"
        )
    connection.execute("CREATE INDEX call_by_universe ON llm_calls (universe_id)")
    connection.execute("CREATE INDEX call_by_time ON llm_calls (at)")
    for name in ("universe_id", "turn_id"):
        connection.execute(f"ALTER TABLE decisions ADD COLUMN {name} TEXT AS (body ->> '$.{name}') VIRTUAL")
        connection.execute(f"CREATE INDEX decision_by_{name[:-3]} ON decisions ({name})")
    connection.execute("CREATE INDEX decision_by_scene ON decisions (scene_id)")
    for table in ("llm_calls", "decisions"):
        for op in ("UPDATE", "DELETE"):
            connection.execute(_forbid_trigger(table, op))


def m006_memories(connection: apsw.Connection) -> None:
    """Key columns and indexes for memories, jobs and archived logs.

    Every index ends in `made`, the rowid, so it gives rows in the order they were made, and the most
    important memories without sorting.
    """
    for name, path in (
        ("scene_id",) * 2,
        ("turn_id",) * 2,
        ("universe_id",) * 2,
        ("fact_id", "linked_fact_id"),
    ):
        connection.execute(f"ALTER TABLE memories ADD COLUMN {name} TEXT AS (body ->> '$.{path}') VIRTUAL")
    connection.execute("ALTER TABLE memories ADD COLUMN importance REAL AS (body ->> '$.importance') VIRTUAL")
    for name in ("scene", "turn", "fact"):
        connection.execute(
            f"CREATE INDEX memory_by_{name} ON memories ({name}_id) WHERE {name}_id IS NOT NULL"
        )
    connection.execute("CREATE INDEX memory_by_universe ON memories (universe_id)")
    connection.execute("CREATE INDEX memory_by_weight ON memories (entity_id, importance)")
    connection.execute("ALTER TABLE jobs ADD COLUMN kind TEXT AS (body ->> '$.kind') VIRTUAL")
    connection.execute("CREATE INDEX job_by_state ON jobs (state, kind)")
    connection.execute(
        "ALTER TABLE archived_logs ADD COLUMN universe_id TEXT AS (body ->> '$.universe_id') VIRTUAL"
    )
    connection.execute("CREATE INDEX archived_by_universe ON archived_logs (universe_id)")


def m007_facts_as_they_stand(connection: apsw.Connection) -> None:
    """A covering index to select facts before their bodies are read: a main character has thousands of facts.

    It ends in `made`, the rowid, so it sorts them too.
    """
    connection.execute(
        "CREATE INDEX fact_as_it_stands ON canon_facts (id, status, valid_to, kind, valid_from)"
    )


def m008_newest_first(connection: apsw.Connection) -> None:
    """Indexes to find the newest facts of an entity with thousands of them, and those that began lately.

    And to read the state of each commit without its batch.
    """
    connection.execute("ALTER TABLE canon_involvements ADD COLUMN made INTEGER")
    connection.execute("ALTER TABLE canon_involvements ADD COLUMN begins INTEGER")
    connection.execute(
        """UPDATE canon_involvements SET (made, begins) =
             (SELECT f.made, f.valid_from FROM canon_facts f WHERE f.id = fact_id)"""
    )
    connection.execute("CREATE INDEX fact_by_entity_made ON canon_involvements (entity_id, made, fact_id)")
    connection.execute(
        "CREATE INDEX fact_by_entity_begins ON canon_involvements (entity_id, begins, made, fact_id)"
    )
    connection.execute("CREATE INDEX canonization_as_it_stands ON canonizations (universe_id, state, id)")


def m009_field_names(connection: apsw.Connection) -> None:
    """Key columns for the renamed fields of checkpoints, calls of a model and facts.

    Checkpoints are rewritten: they are few, and their key is a renamed field. Bodies in the other tables stay
    as they were written (calls are append-only), and their columns read both names.
    """
    # A derived column cannot be renamed along with its expression, so the table is made anew.
    checkpoints = connection.execute(
        """SELECT made, json_remove(json_set(body, '$.run_id', body ->> '$.exchange_id',
                                                   '$.step', body ->> '$.node'), '$.exchange_id', '$.node')
           FROM checkpoints"""
    ).fetchall()
    connection.execute("DROP TABLE checkpoints")
    connection.execute(_document_table("checkpoints", "run_id", "scene_id", unique_key="run_id"))
    connection.execute("CREATE INDEX checkpoint_by_scene ON checkpoints (scene_id)")
    connection.execute(_delete_guard_trigger("checkpoints"))
    connection.executemany("INSERT INTO checkpoints(made, body) VALUES (?, ?)", checkpoints)
    connection.execute(
        """ALTER TABLE llm_calls ADD COLUMN run_id TEXT
            AS (coalesce(body ->> '$.run_id', body ->> '$.beat_id')) VIRTUAL"""
    )
    connection.execute("DROP INDEX call_by_beat")
    connection.execute("CREATE INDEX call_by_run ON llm_calls (run_id) WHERE run_id IS NOT NULL")
    connection.execute(
        """ALTER TABLE canon_facts ADD COLUMN statement_key TEXT
            AS (coalesce(body ->> '$.statement_key', body ->> '$.said')) VIRTUAL"""
    )
    connection.execute("DROP INDEX fact_by_words")
    connection.execute("CREATE INDEX fact_by_statement ON canon_facts (universe_id, statement_key)")


def m010_changes(connection: apsw.Connection) -> None:
    create_changes(connection)


def m011_secrets(connection: apsw.Connection) -> None:
    """A key column by which the few facts that are secrets are found."""
    connection.execute(
        """ALTER TABLE canon_facts ADD COLUMN is_secret INTEGER
            AS (CASE WHEN body ->> '$.secrecy.is_revealed' = 0 THEN 1 END) VIRTUAL"""
    )
    connection.execute(
        "CREATE INDEX fact_by_secrecy ON canon_facts (universe_id, is_secret) WHERE is_secret IS NOT NULL"
    )


def m012_changes_of_loops(connection: apsw.Connection) -> None:
    create_loop_changes(connection)


def m013_changes_of_memory_cursors(connection: apsw.Connection) -> None:
    create_memory_changes(connection)


def m014_sources(connection: apsw.Connection) -> None:
    """Pages of documents, and key columns for what comes from a document.

    A document proposes thousands of changes. The indexes of the others leave them out, so that play reads as few rows
    as before.
    """
    connection.execute(_document_table("source_pages", "source_id", "edition INTEGER", "number INTEGER"))
    connection.execute("CREATE INDEX page_by_source ON source_pages (source_id, edition, number)")
    connection.execute(_delete_guard_trigger("source_pages"))
    for table in ("proposed_changes", "canon_evidence"):
        connection.execute(
            f"ALTER TABLE {table} ADD COLUMN source_id TEXT AS (body ->> '$.source_id') VIRTUAL"
        )
    connection.execute("DROP INDEX proposal_by_universe")
    connection.execute(
        "CREATE INDEX proposal_by_universe ON proposed_changes (universe_id, status) WHERE source_id IS NULL"
    )
    connection.execute("CREATE INDEX proposal_by_status ON proposed_changes (status) WHERE source_id IS NULL")
    connection.execute(
        "CREATE INDEX proposal_by_source ON proposed_changes (source_id, status) WHERE source_id IS NOT NULL"
    )
    create_source_changes(connection)
    connection.execute(
        "CREATE INDEX evidence_by_source ON canon_evidence (source_id) WHERE source_id IS NOT NULL"
    )


def m015_map_edits(connection: apsw.Connection) -> None:
    connection.execute(_document_table("map_edits", "universe_id"))
    connection.execute("CREATE INDEX map_edit_by_universe ON map_edits (universe_id)")
    for op in ("UPDATE", "DELETE"):
        connection.execute(_forbid_trigger("map_edits", op))


MIGRATIONS: tuple[Migration, ...] = (
    m001_first_tables,
    m002_policies,
    m003_notes,
    m004_outbox,
    m005_calls,
    m006_memories,
    m007_facts_as_they_stand,
    m008_newest_first,
    m009_field_names,
    m010_changes,
    m011_secrets,
    m012_changes_of_loops,
    m013_changes_of_memory_cursors,
    m014_sources,
    m015_map_edits,
)


def _document_table(table: str, *keys: str, extra_columns: str = "", unique_key: str = "id") -> str:
    """Return the SQL for a document table: `keys` are derived from the JSON, `extra_columns` are not.

    A key is `name [TYPE] [REFERENCES ...]`; `unique_key` identifies a record.
    """
    columns = ["made INTEGER PRIMARY KEY", "body TEXT NOT NULL", *([extra_columns] if extra_columns else [])]
    for key in (*((unique_key,) if unique_key == "id" else ()), *keys):
        name, _, type_and_reference = key.partition(" ")
        column_type = "INTEGER" if type_and_reference.startswith("INTEGER") else "TEXT"
        columns.append(
            f"\"{name}\" {column_type} AS (body ->> '$.{name}') STORED {type_and_reference.removeprefix('INTEGER')}"
        )
    return f"CREATE TABLE {table} ({', '.join(columns)}, UNIQUE ({unique_key})) STRICT"


_CANON_STATEMENTS = (
    _document_table("canon_universes"),
    _document_table("canon_entities", "universe_id", "kind", "status"),
    "CREATE INDEX entity_by_universe ON canon_entities (universe_id, status)",
    # `folded` is the name without case; ordinal 0 is the name itself, the others its aliases.
    """CREATE TABLE canon_entity_names (
        entity_id TEXT NOT NULL, ordinal INTEGER NOT NULL, universe_id TEXT NOT NULL, folded TEXT NOT NULL,
        PRIMARY KEY (entity_id, ordinal)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX entity_by_name ON canon_entity_names (universe_id, folded, ordinal, entity_id)",
    _document_table(
        "canon_facts",
        "universe_id",
        "kind",
        "predicate",
        "status",
        "said",
        "valid_from INTEGER",
        "valid_to INTEGER",
    ),
    "CREATE INDEX fact_by_words ON canon_facts (universe_id, said)",
    "CREATE INDEX fact_by_predicate ON canon_facts (universe_id, predicate, status)",
    "CREATE INDEX fact_by_universe ON canon_facts (universe_id, status)",
    "CREATE INDEX fact_by_status ON canon_facts (status)",
    "CREATE INDEX fact_by_kind ON canon_facts (universe_id, kind, status)",
    """CREATE TABLE canon_involvements (
        fact_id TEXT NOT NULL REFERENCES canon_facts (id), ordinal INTEGER NOT NULL,
        role TEXT NOT NULL, entity_id TEXT NOT NULL, predicate TEXT NOT NULL,
        PRIMARY KEY (fact_id, ordinal)) STRICT, WITHOUT ROWID""",
    # The fact's predicate again: a main character has thousands of facts, and few of one predicate.
    "CREATE INDEX fact_by_entity ON canon_involvements (entity_id, predicate, fact_id)",
    """CREATE TABLE canon_relations (
        fact_id TEXT NOT NULL REFERENCES canon_facts (id), from_id TEXT NOT NULL, to_id TEXT NOT NULL,
        predicate TEXT NOT NULL, valid_from INTEGER, valid_to INTEGER,
        PRIMARY KEY (fact_id, from_id, to_id)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX relation_out ON canon_relations (from_id, to_id, valid_to)",
    "CREATE INDEX relation_in ON canon_relations (to_id, from_id, valid_to)",
    _document_table("canon_evidence", "turn_id"),
    "CREATE INDEX evidence_by_turn ON canon_evidence (turn_id) WHERE turn_id IS NOT NULL",
    """CREATE TABLE canon_supports (
        subject_id TEXT NOT NULL, evidence_id TEXT NOT NULL REFERENCES canon_evidence (id),
        PRIMARY KEY (subject_id, evidence_id)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX support_by_evidence ON canon_supports (evidence_id)",
    """CREATE TABLE canon_supersessions (
        newer_id TEXT NOT NULL REFERENCES canon_facts (id),
        older_id TEXT NOT NULL REFERENCES canon_facts (id),
        PRIMARY KEY (newer_id, older_id)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX supersession_by_older ON canon_supersessions (older_id)",
    """CREATE TABLE canon_appearances (
        made INTEGER PRIMARY KEY, entity_id TEXT NOT NULL, scene_id TEXT NOT NULL,
        UNIQUE (entity_id, scene_id)) STRICT""",
    _document_table("canon_story_nodes", "universe_id"),
    _document_table("canon_scene_nodes", "story_id", "order INTEGER"),
    _document_table("canon_source_nodes", "universe_id"),
)

_LOG_STATEMENTS = (
    _document_table("stories", "universe_id", "created_at"),
    _document_table(
        "scenes",
        "story_id REFERENCES stories (id)",
        "order INTEGER",
        extra_columns="""head TEXT REFERENCES turns (id) DEFERRABLE INITIALLY DEFERRED,
            canonical_outcomes TEXT NOT NULL DEFAULT '[]'""",
    ),
    'CREATE INDEX scene_by_story ON scenes (story_id, "order")',
    _document_table(
        "turns",
        "scene_id REFERENCES scenes (id)",
        "parent_id REFERENCES turns (id)",
        "exchange_id",
        "depth INTEGER",
        "speaker",
    ),
    "CREATE INDEX turn_by_parent ON turns (scene_id, parent_id)",
    """CREATE TRIGGER turns_speaker BEFORE INSERT ON turns
        WHEN NOT monitor_may('insert', 'turns', NEW.speaker)
        BEGIN SELECT RAISE(ABORT, 'not a speaker that this role may speak as'); END""",
    # Entries deeper than the head are left over from undone turns, and are ignored.
    """CREATE TABLE line (
        scene_id TEXT NOT NULL, depth INTEGER NOT NULL, turn_id TEXT NOT NULL REFERENCES turns (id),
        PRIMARY KEY (scene_id, depth)) STRICT, WITHOUT ROWID""",
    """CREATE VIEW on_line AS SELECT t.id AS turn_id, t.scene_id
        FROM turns t JOIN scenes s ON s.id = t.scene_id JOIN turns h ON h.id = s.head
        JOIN line l ON l.scene_id = t.scene_id AND l.depth = t.depth AND l.turn_id = t.id
        WHERE t.depth <= h.depth""",
    """CREATE TABLE head_moves (
        scene_id TEXT NOT NULL REFERENCES scenes (id), seq INTEGER NOT NULL, kind TEXT NOT NULL,
        from_turn TEXT, to_turn TEXT, at TEXT NOT NULL,
        PRIMARY KEY (scene_id, seq)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX undo_by_head ON head_moves (scene_id, to_turn, seq) WHERE kind = 'undo'",
    _document_table("resolutions", "turn_id"),
    "CREATE INDEX resolution_by_turn ON resolutions (turn_id)",
    _document_table(
        "proposed_changes",
        "universe_id",
        "story_id",
        "scene_id",
        "turn_id",
        "unless_turn",
        extra_columns="status TEXT NOT NULL, decision TEXT, error TEXT NOT NULL, canonization_id TEXT",
    ),
    "CREATE INDEX proposal_by_universe ON proposed_changes (universe_id, status)",
    "CREATE INDEX proposal_by_story ON proposed_changes (story_id, status)",
    "CREATE INDEX proposal_by_scene ON proposed_changes (scene_id, status)",
    _document_table("canonizations", "universe_id", "state"),
    "CREATE INDEX canonization_by_universe ON canonizations (universe_id, state)",
    "CREATE INDEX canonization_by_state ON canonizations (state)",
    _document_table("transitions", "loop", "subject_id", "seq INTEGER", unique_key="loop, subject_id, seq"),
    _document_table("checkpoints", "exchange_id", "scene_id", unique_key="exchange_id"),
    "CREATE INDEX checkpoint_by_scene ON checkpoints (scene_id)",
    _document_table("memories", "entity_id"),
    "CREATE INDEX memory_by_entity ON memories (entity_id)",
    _document_table("summaries", "scene_id"),
    "CREATE INDEX summary_by_scene ON summaries (scene_id)",
    _document_table("decisions", "scene_id"),
    _document_table("sources", "universe_id"),
    _document_table("snippets", "source_id", "ordinal INTEGER"),
    "CREATE INDEX snippet_by_source ON snippets (source_id, ordinal)",
    _document_table("jobs", "universe_id", "state"),
    _document_table("llm_calls", "turn_id"),
    _document_table("rulings", "universe_id"),
    _document_table("archived_logs", "scene_id"),
)

_LATER_TABLES = {"policies", "notes", "source_pages", "map_edits"}
"""Tables that were added after the first version."""

_APPEND_ONLY_TABLES = {"turns", "resolutions", "head_moves", "transitions"}


def _forbid_trigger(table: str, op: str) -> str:
    return f"""CREATE TRIGGER {table}_no_{op.lower()} BEFORE {op} ON {table}
        BEGIN SELECT RAISE(ABORT, '{table} are never changed or removed'); END"""


def _delete_guard_trigger(table: str) -> str:
    """Return a trigger that checks the rows that REPLACE removes, as the authorizer does not see those."""
    return f"""CREATE TRIGGER {table}_delete BEFORE DELETE ON {table}
        WHEN NOT monitor_may('delete', '{table}', NULL)
        BEGIN SELECT RAISE(ABORT, 'this role may not delete from {table}'); END"""
