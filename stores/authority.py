"""Who may write what: one table, from which permissions, credentials and tests are derived.

Anything that is not granted here is refused by the store itself. `columns` narrows an update to those
columns; `values` narrows a row to those values of a column (who speaks in a turn).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    ORCHESTRATOR = "orchestrator"
    CONTEXT_ASSEMBLY = "context_assembly"
    NARRATOR = "narrator"
    RESOLVER = "resolver"
    CANON_KEEPER = "canon_keeper"
    MEMORY_MANAGER = "memory_manager"
    INDEXER = "indexer"
    INGEST = "ingest"
    ARCHIVIST = "archivist"


class Store(StrEnum):
    CANON = "canon"
    LOG = "log"
    VECTORS = "vectors"
    WORDS = "words"
    OBJECTS = "objects"


COLLECTIONS: Mapping[Store, tuple[str, ...]] = {
    Store.CANON: (
        "universes",
        "entities",
        "entity_names",
        "facts",
        "involvements",
        "relations",
        "evidence",
        "supports",
        "supersessions",
        "appearances",
        "story_nodes",
        "scene_nodes",
        "source_nodes",
    ),
    Store.LOG: (
        "stories",
        "scenes",
        "turns",
        "line",
        "head_moves",
        "resolutions",
        "proposed_changes",
        "canonizations",
        "transitions",
        "checkpoints",
        "memories",
        "summaries",
        "decisions",
        "sources",
        "source_pages",
        "snippets",
        "jobs",
        "llm_calls",
        "rulings",
        "policies",
        "archived_logs",
        "notes",
        "map_edits",
    ),
    Store.VECTORS: ("turns", "scenes", "memories", "facts", "entities", "snippets"),
    Store.WORDS: ("turns", "snippets", "entities", "facts", "scenes", "memories"),
    Store.OBJECTS: ("originals", "archives", "exports", "backups"),
}
"""Every collection of every store. `line` has the positions of turns on their scene's line."""


class Operation(StrEnum):
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


class Grant(NamedTuple):
    """Permission for some operations in one collection of one store."""

    store: Store
    collection: str
    operations: frozenset[Operation]
    columns: frozenset[str] | None = None
    values: tuple[str, frozenset[str]] | None = None


def _make_grants(
    store: Store,
    *collections: str,
    ops: tuple[Operation, ...] = (Operation.INSERT,),
    columns: tuple[str, ...] | None = None,
    values: tuple[str, tuple[str, ...]] | None = None,
) -> tuple[Grant, ...]:
    unknown_collections = set(collections) - set(COLLECTIONS[store])
    assert not unknown_collections, f"unknown collections of {store}: {unknown_collections}"
    return tuple(
        Grant(
            store,
            name,
            frozenset(ops),
            frozenset(columns) if columns else None,
            (values[0], frozenset(values[1])) if values else None,
        )
        for name in collections
    )


_INSERT_OR_UPDATE = (Operation.INSERT, Operation.UPDATE)
_ALL_OPERATIONS = (Operation.INSERT, Operation.UPDATE, Operation.DELETE)
_LINE_GRANTS = _make_grants(Store.LOG, "line", ops=_ALL_OPERATIONS) + _make_grants(Store.LOG, "head_moves")

WRITE_MATRIX: Mapping[Role, tuple[Grant, ...]] = {
    Role.ORCHESTRATOR: (
        *_make_grants(Store.CANON, "story_nodes", "scene_nodes"),
        *_make_grants(Store.LOG, "transitions", "notes", "map_edits"),
        *_make_grants(Store.LOG, "stories", ops=_INSERT_OR_UPDATE),
        *_make_grants(Store.LOG, "scenes"),
        *_make_grants(Store.LOG, "scenes", ops=(Operation.UPDATE,), columns=("head", "body")),
        *_make_grants(Store.LOG, "turns", values=("speaker", ("player", "oracle", "system"))),
        *_make_grants(Store.LOG, "checkpoints", "jobs", ops=_ALL_OPERATIONS),
        *_LINE_GRANTS,
    ),
    Role.CONTEXT_ASSEMBLY: (),
    Role.NARRATOR: (
        *_make_grants(Store.LOG, "turns", values=("speaker", ("gm", "npc"))),
        *_make_grants(Store.LOG, "scenes", ops=(Operation.UPDATE,), columns=("head",)),
        *_make_grants(Store.LOG, "llm_calls", "decisions"),
        *_LINE_GRANTS,
    ),
    Role.RESOLVER: _make_grants(Store.LOG, "resolutions", "proposed_changes"),
    Role.CANON_KEEPER: (
        *_make_grants(Store.CANON, *COLLECTIONS[Store.CANON], ops=_ALL_OPERATIONS),
        *_make_grants(
            Store.LOG,
            "proposed_changes",
            ops=(Operation.UPDATE,),
            columns=("status", "decision", "error", "canonization_id"),
        ),
        *_make_grants(Store.LOG, "scenes", ops=(Operation.UPDATE,), columns=("canonical_outcomes",)),
        *_make_grants(Store.LOG, "canonizations", "rulings", "policies", ops=_INSERT_OR_UPDATE),
    ),
    Role.MEMORY_MANAGER: (
        *_make_grants(Store.LOG, "memories", "summaries", ops=_INSERT_OR_UPDATE),
        *_make_grants(Store.VECTORS, "memories", ops=_ALL_OPERATIONS),
    ),
    Role.INDEXER: (
        *_make_grants(Store.VECTORS, *COLLECTIONS[Store.VECTORS], ops=_ALL_OPERATIONS),
        *_make_grants(Store.WORDS, *COLLECTIONS[Store.WORDS], ops=_ALL_OPERATIONS),
    ),
    Role.INGEST: (
        *_make_grants(Store.LOG, "sources", "source_pages", "snippets", ops=_INSERT_OR_UPDATE),
        *_make_grants(Store.LOG, "proposed_changes"),
        *_make_grants(Store.LOG, "proposed_changes", ops=(Operation.UPDATE,), columns=("body",)),
        *_make_grants(Store.OBJECTS, "originals", ops=(Operation.INSERT,)),
    ),
    Role.ARCHIVIST: (
        *_make_grants(Store.LOG, "archived_logs", ops=_INSERT_OR_UPDATE),
        *_make_grants(Store.OBJECTS, "archives", ops=_INSERT_OR_UPDATE),
    ),
}


def find_grants(role: Role, store: Store, collection: str, operation: Operation) -> tuple[Grant, ...]:
    """Return the grants under which `role` may do the operation; none means it may not."""
    return tuple(
        g
        for g in WRITE_MATRIX[role]
        if g.store is store and g.collection == collection and operation in g.operations
    )
