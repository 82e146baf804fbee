"""MONITOR's collections in MongoDB, their keys and indexes, and the privileges of each role.

A document has `_id` (the record's key), `made` (the order of insertion), `body` (the record as JSON) and lookup
fields. MongoDB grants privileges by collection, so what the write matrix separates by column or value has collections
of its own: a scene's head, its outcomes, and the turns that narrate (`told`) besides those that are played (`turns`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stores.authority import COLLECTIONS, WRITE_MATRIX, Grant, Operation, Role, Store

FORMAT: Final = 6
"""The version of `LOOKUP_FIELDS`, `INDEXES` and `VALIDATORS`, and of the JSON of the records."""

LOOKUP_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "stories": ("universe_id",),
    "scenes": ("story_id", "universe_id", "order"),
    "turns": ("scene_id", "parent_id", "exchange_id", "depth", "speaker"),
    "told": ("scene_id", "parent_id", "exchange_id", "depth", "speaker"),
    "resolutions": ("turn_id", "scene_id"),
    "notes": ("story_id", "turn_id"),
    "map_edits": ("universe_id",),
    "decisions": ("universe_id", "scene_id", "turn_id"),
    "llm_calls": (
        "universe_id",
        "story_id",
        "scene_id",
        "turn_id",
        "run_id",
        "persona",
        "model",
        "tokens_in",
        "tokens_out",
    ),
    "proposed_changes": ("universe_id", "story_id", "scene_id", "turn_id", "unless_turn", "source_id"),
    "canonizations": ("universe_id", "state"),
    "transitions": ("loop", "subject_id", "seq"),
    "checkpoints": ("scene_id",),
    "memories": ("entity_id", "universe_id", "scene_id", "turn_id", "linked_fact_id", "importance"),
    "summaries": ("scene_id",),
    "archived_logs": ("universe_id", "scene_id"),
    "jobs": ("universe_id", "state", "kind"),
    "sources": ("universe_id",),
    "source_pages": ("source_id", "edition", "number"),
    "snippets": ("source_id", "ordinal"),
    "rulings": ("universe_id",),
    "policies": ("universe_id",),
}
"""The fields of a record that its document has beside the body."""

KEY_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "transitions": ("loop", "subject_id", "seq"),
    "checkpoints": ("run_id",),
    "head_moves": ("scene_id", "seq"),
}
"""The fields that identify a record without an `id`."""

_Index = tuple[tuple[tuple[str, int], ...], dict[str, Any]]


def _index_on(*fields: str, **options: Any) -> _Index:
    return tuple((field, 1) for field in fields), options


SPENDING_FIELDS: Final = (
    *("universe_id", "story_id", "persona", "model", "moment"),
    *("tokens_in", "tokens_out", "micros", "unpriced"),
)
"""The fields that sums of spending need: all in one index, as the documents of calls are long."""

_TURNS = (_index_on("scene_id", "parent_id", "made"), _index_on("scene_id", "depth"))

INDEXES: Final[Mapping[str, tuple[_Index, ...]]] = {
    "counters": (),
    "stories": (_index_on("universe_id", "created"), _index_on("created")),
    "scenes": (_index_on("story_id", "order"), _index_on("universe_id")),
    "scene_heads": (),
    "scene_outcomes": (),
    "turns": _TURNS,
    "told": _TURNS,
    "line": (_index_on("scene_id", "depth", unique=True),),
    "head_moves": (
        _index_on("scene_id", "seq", unique=True),
        _index_on("scene_id", "to_turn", "kind", "seq"),
    ),
    "resolutions": (_index_on("turn_id"), _index_on("scene_id")),
    "notes": (_index_on("story_id", "made"), _index_on("turn_id")),
    "map_edits": (_index_on("universe_id", "made"),),
    "decisions": (_index_on("scene_id", "made"), _index_on("universe_id", "made")),
    "llm_calls": (
        _index_on(*SPENDING_FIELDS),
        *(_index_on(f"{name}_id", "made") for name in ("universe", "story", "scene", "turn", "run")),
        _index_on("moment"),
        _index_on("made"),
    ),
    "proposed_changes": (
        _index_on("universe_id", "source_id", "status", "made"),
        _index_on("source_id", "status", "made"),
        _index_on("story_id", "status", "made"),
        _index_on("scene_id", "status", "made"),
    ),
    "canonizations": (_index_on("universe_id", "state", "made"), _index_on("state")),
    "transitions": (
        _index_on("loop", "subject_id", "seq", unique=True),
        _index_on("subject_id", "made"),
        _index_on("made"),
    ),
    "checkpoints": (_index_on("scene_id"),),
    "memories": (
        _index_on("entity_id", "importance", "made"),
        *(_index_on(f"{name}_id", "made") for name in ("entity", "universe", "scene", "turn", "linked_fact")),
    ),
    "summaries": (_index_on("scene_id", "made"),),
    "sources": (_index_on("universe_id"),),
    "source_pages": (_index_on("source_id", "edition", "number"),),
    "snippets": (_index_on("source_id", "ordinal"),),
    "rulings": (_index_on("universe_id", "made"),),
    "policies": (_index_on("universe_id"),),
    "archived_logs": (_index_on("universe_id", "made"),),
    "jobs": (_index_on("state", "kind"),),
}

_DOCUMENT_VALIDATOR: Final = {
    "$jsonSchema": {
        "bsonType": "object",
        "required": ["_id", "made", "body"],
        "properties": {"made": {"bsonType": ["int", "long"]}, "body": {"bsonType": "string"}},
    }
}
VALIDATORS: Final[Mapping[str, Any]] = dict.fromkeys(LOOKUP_FIELDS, _DOCUMENT_VALIDATOR)
"""The validators that the server applies to documents."""

PLAYED_SPEAKERS: Final = frozenset({"player", "oracle", "system"})
"""The speakers whose turns are in `turns`; those of the others are in `told`."""

_ACTION_NAMES: Final = {Operation.INSERT: "insert", Operation.UPDATE: "update", Operation.DELETE: "remove"}
_SCENE_PARTS: Final = {"head": "scene_heads", "canonical_outcomes": "scene_outcomes", "body": "scenes"}


def role_privileges(role: Role) -> dict[str, frozenset[str]]:
    """Return MongoDB's actions that a role may do in each collection, besides reading."""
    actions_by_collection: dict[str, set[str]] = {}
    for grant in WRITE_MATRIX[role]:
        if grant.store is Store.LOG:
            for name, operations in _server_collections(grant):
                actions_by_collection.setdefault(name, set()).update(_ACTION_NAMES[op] for op in operations)
    if actions_by_collection:
        actions_by_collection["counters"] = {"insert", "update"}
    return {name: frozenset(actions) for name, actions in actions_by_collection.items()}


def _server_collections(grant: Grant) -> list[tuple[str, frozenset[Operation]]]:
    """Return the server's collections that a grant is for, with its operations."""
    if grant.collection == "turns":
        speakers = grant.values[1] if grant.values else frozenset[str]()
        return [("turns" if speakers <= PLAYED_SPEAKERS else "told", grant.operations)]
    if grant.collection == "scenes" and grant.columns is not None:
        write_operations = frozenset({Operation.INSERT, Operation.UPDATE})
        return [
            (_SCENE_PARTS[c], grant.operations if c == "body" else write_operations) for c in grant.columns
        ]
    if grant.collection == "scenes":
        return [("scenes", grant.operations), ("scene_heads", frozenset({Operation.INSERT}))]
    return [(grant.collection, grant.operations)]


assert {*COLLECTIONS[Store.LOG]} <= {*INDEXES}, "a collection of the log has no place on the server"
