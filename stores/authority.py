"""Who may write what: one table, from which the handles, the credentials and the tests are all made.

Source: design/authority.md and AGENT_ORCHESTRATION, "Write Authority Matrix". Anything that is not
granted here is refused by the store itself. `columns` narrows an update to those columns; `values`
narrows a row to those values of a column (who speaks in a turn).
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
        "snippets",
        "jobs",
        "llm_calls",
        "rulings",
        "policies",
        "archived_logs",
        "notes",
    ),
    Store.VECTORS: ("turns", "scenes", "memories", "facts", "entities", "snippets"),
    Store.WORDS: ("turns", "snippets", "entities", "facts", "scenes", "memories"),
    Store.OBJECTS: ("originals", "archives", "exports", "backups"),
}
"""Every collection of every store. `line` is the line's positions, kept beside the turns."""


class Op(StrEnum):
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


class Grant(NamedTuple):
    """Leave to do `ops` in one collection of one store."""

    store: Store
    collection: str
    ops: frozenset[Op]
    columns: frozenset[str] | None = None
    values: tuple[str, frozenset[str]] | None = None


def _grant(
    store: Store,
    *collections: str,
    ops: tuple[Op, ...] = (Op.INSERT,),
    columns: tuple[str, ...] | None = None,
    values: tuple[str, tuple[str, ...]] | None = None,
) -> tuple[Grant, ...]:
    unknown = set(collections) - set(COLLECTIONS[store])
    assert not unknown, f"unknown collections of {store}: {unknown}"
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


_PUT = (Op.INSERT, Op.UPDATE)
_ALL = (Op.INSERT, Op.UPDATE, Op.DELETE)
_LINE = _grant(Store.LOG, "line", ops=_ALL) + _grant(Store.LOG, "head_moves")

MATRIX: Mapping[Role, tuple[Grant, ...]] = {
    Role.ORCHESTRATOR: (
        *_grant(Store.CANON, "story_nodes", "scene_nodes"),
        *_grant(Store.LOG, "transitions", "notes"),
        *_grant(Store.LOG, "stories", ops=_PUT),
        *_grant(Store.LOG, "scenes"),
        *_grant(Store.LOG, "scenes", ops=(Op.UPDATE,), columns=("head", "body")),
        *_grant(Store.LOG, "turns", values=("speaker", ("player", "oracle", "system"))),
        *_grant(Store.LOG, "checkpoints", "jobs", ops=_ALL),
        *_LINE,
    ),
    Role.CONTEXT_ASSEMBLY: (),
    Role.NARRATOR: (
        *_grant(Store.LOG, "turns", values=("speaker", ("gm", "npc"))),
        *_grant(Store.LOG, "scenes", ops=(Op.UPDATE,), columns=("head",)),
        *_grant(Store.LOG, "llm_calls", "decisions"),
        *_LINE,
    ),
    Role.RESOLVER: _grant(Store.LOG, "resolutions", "proposed_changes"),
    Role.CANON_KEEPER: (
        *_grant(Store.CANON, *COLLECTIONS[Store.CANON], ops=_ALL),
        *_grant(
            Store.LOG,
            "proposed_changes",
            ops=(Op.UPDATE,),
            columns=("status", "decision", "error", "canonization_id"),
        ),
        *_grant(Store.LOG, "scenes", ops=(Op.UPDATE,), columns=("canonical_outcomes",)),
        *_grant(Store.LOG, "canonizations", "rulings", "policies", ops=_PUT),
    ),
    Role.MEMORY_MANAGER: (
        *_grant(Store.LOG, "memories", "summaries", ops=_PUT),
        *_grant(Store.VECTORS, "memories", ops=_ALL),
    ),
    Role.INDEXER: (
        *_grant(Store.VECTORS, *COLLECTIONS[Store.VECTORS], ops=_ALL),
        *_grant(Store.WORDS, *COLLECTIONS[Store.WORDS], ops=_ALL),
    ),
    Role.INGEST: (
        *_grant(Store.LOG, "sources", "snippets", ops=_PUT),
        *_grant(Store.LOG, "proposed_changes"),
        *_grant(Store.OBJECTS, "originals", ops=(Op.INSERT,)),
    ),
    Role.ARCHIVIST: (
        *_grant(Store.LOG, "archived_logs", ops=_PUT),
        *_grant(Store.OBJECTS, "archives", ops=_PUT),
    ),
}


def grants(role: Role, store: Store, collection: str, op: Op) -> tuple[Grant, ...]:
    """Return the grants under which `role` may do `op` there; none means it may not."""
    return tuple(g for g in MATRIX[role] if g.store is store and g.collection == collection and op in g.ops)
