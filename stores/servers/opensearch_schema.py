"""MONITOR's indexes in OpenSearch: one per collection, with a strict mapping and an analyzer of its own.

The analyzer finds the words that the embedded index finds (SQLite's unicode61 and porter): words in any script,
without case or accents, with English stemming. It folds somewhat more: "Lodz" finds "Łódź".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stores.authority import COLLECTIONS, WRITE_MATRIX, Operation, Role, Store

FORMAT: Final = 2
"""The version of `index_body`. A newer one is left alone; an older one is added to (`index_additions`)."""

MAX_HITS: Final = 10_000
"""The most hits of one search."""

_VARIANTS: Final = "ς=>σ µ=>μ ϐ=>β ϵ=>ε ϑ=>θ \u1fbe=>ι ϰ=>κ ϖ=>π ϱ=>ρ ϕ=>φ ẛ=>s"
"""Variants of letters that `asciifolding` does not fold (or folds to another letter)."""

_MAX_WORD_LENGTH: Final = 255
"""Characters of a word that count; Lucene refuses a text with a word of more than 32,766 bytes."""

_ANALYSIS: Final[Mapping[str, Any]] = {
    "char_filter": {
        "monitor_marks": {"type": "pattern_replace", "pattern": r"\p{Mn}+", "replacement": ""},
        "monitor_variants": {"type": "mapping", "mappings": _VARIANTS.split()},
    },
    "tokenizer": {"monitor_words": {"type": "pattern", "pattern": r"[^\p{L}\p{N}\p{Co}]+"}},
    "filter": {"monitor_longest": {"type": "truncate", "length": _MAX_WORD_LENGTH}},
    "analyzer": {
        "monitor": {
            "type": "custom",
            "char_filter": ["monitor_marks", "monitor_variants"],
            "tokenizer": "monitor_words",
            # Twice, as some lower-case letters are folded to capitals.
            "filter": ["lowercase", "asciifolding", "lowercase", "monitor_longest", "porter_stem"],
        }
    },
}


def index_body() -> dict[str, Any]:
    """Return settings and mapping of an index.

    The text itself is in log and canon, and is not stored again. One shard, so that the weight of a word is
    computed over all texts.
    """
    return {
        "settings": {
            "index": {"number_of_shards": 1, "auto_expand_replicas": "0-1", "max_result_window": MAX_HITS},
            "analysis": _ANALYSIS,
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": {"monitor_format": FORMAT},
            "_source": {"excludes": ["text"]},
            "properties": {
                "id": {"type": "keyword"},
                "text": {"type": "text", "analyzer": "monitor"},
                "scope": {"type": "keyword"},
                "mark": _FINGERPRINT_MAPPING,
            },
        },
    }


def index_additions() -> dict[str, Any]:
    """Return the mapping that an index of format 1 lacks: its items have no fingerprint."""
    return {"_meta": {"monitor_format": FORMAT}, "properties": {"mark": _FINGERPRINT_MAPPING}}


_FINGERPRINT_MAPPING: Final[Mapping[str, Any]] = {"type": "keyword", "index": False}
"""Read from the doc values, and not searchable."""


_ACTIONS: Final[Mapping[Operation, tuple[str, ...]]] = {
    Operation.INSERT: ("indices:data/write/index*", "indices:data/write/bulk*"),
    Operation.UPDATE: ("indices:data/write/index*", "indices:data/write/update*", "indices:data/write/bulk*"),
    Operation.DELETE: ("indices:data/write/delete*", "indices:data/write/bulk*"),
}


def index_names(prefix: str) -> list[str]:
    """Return the names of all indexes of a library."""
    return [f"{prefix}{collection}" for collection in COLLECTIONS[Store.WORDS]]


def role_permissions(role: Role, prefix: str) -> dict[str, Any]:
    """Return a role's permissions for the security plugin: read all of MONITOR's indexes, write those of its row."""
    write_grants = [grant for grant in WRITE_MATRIX[role] if grant.store is Store.WORDS]
    cluster = ["cluster:monitor/main", *(["indices:data/write/bulk"] if write_grants else [])]
    return {
        "cluster_permissions": cluster,
        "index_permissions": [
            {"index_patterns": index_names(prefix), "allowed_actions": ["read"]},
            *(
                {
                    "index_patterns": [f"{prefix}{grant.collection}"],
                    "allowed_actions": sorted({action for op in grant.operations for action in _ACTIONS[op]}),
                }
                for grant in write_grants
            ),
        ],
    }
