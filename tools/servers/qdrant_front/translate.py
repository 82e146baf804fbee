"""Between the JSON of Qdrant's REST API and the engine's own types."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

edge: Any = importlib.import_module("qdrant_edge")

Json = dict[str, Any]


class NotSupported(Exception):
    """A part of Qdrant's API that this stand-in does not have."""


class WrongInput(Exception):
    """A request that Qdrant would refuse as well."""


_MATCHES: Final = (
    ("value", "MatchValue"),
    ("text", "MatchText"),
    ("text_any", "MatchTextAny"),
    ("phrase", "MatchPhrase"),
    ("any", "MatchAny"),
    ("except", "MatchExcept"),
)
_SCHEMAS: Final = ("keyword", "integer", "float", "geo", "text", "bool", "datetime", "uuid")


def make_config(body: Json) -> Any:
    """The engine's configuration for the body of a create-collection request."""
    dense = body.get("vectors") or {}
    dense_vectors = {"": dense} if "size" in dense else dense
    sparse = {name: edge.EdgeSparseVectorParams() for name in body.get("sparse_vectors") or {}}
    if not dense_vectors and not sparse:
        raise WrongInput("a collection needs vectors or sparse_vectors")
    vectors = {name: _vector_params(name, params) for name, params in dense_vectors.items()}
    return edge.EdgeConfig(vectors=vectors or None, sparse_vectors=sparse or None)


def _vector_params(name: str, params: Json) -> Any:
    if params.get("multivector_config"):
        raise NotSupported(f"multivectors (in vector {name!r})")
    distance = getattr(edge.Distance, str(params["distance"]), None)
    if distance is None:
        raise WrongInput(f"unknown distance {params['distance']!r}")
    return edge.EdgeVectorParams(size=params["size"], distance=distance)


def make_points(body: Json) -> list[Any]:
    """The points of an upsert, given one by one or as columns."""
    if "batch" in body:
        batch = body["batch"]
        ids, payloads = batch["ids"], batch.get("payloads") or [None] * len(batch["ids"])
        vectors = _columns(batch["vectors"], len(ids))
        rows = zip(ids, vectors, payloads, strict=True)
        return [edge.Point(id_, make_vector(given), payload or None) for id_, given, payload in rows]
    return [edge.Point(row["id"], make_vector(row["vector"]), row.get("payload")) for row in body["points"]]


def _columns(vectors: Any, count: int) -> list[Any]:
    if not isinstance(vectors, Mapping):
        return list(vectors)
    return [{name: column[i] for name, column in vectors.items()} for i in range(count)]


def make_vector(given: Any) -> Any:
    """A dense vector, a sparse one, or several by name."""
    if isinstance(given, Mapping):
        if set(given) == {"indices", "values"}:
            return edge.SparseVector(given["indices"], given["values"])
        return {name: make_vector(each) for name, each in given.items()}
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise NotSupported("a vector that a model of the server's would have to make")
    return list(given)


def make_filter(given: Json | None) -> Any:
    """A filter; None for none."""
    if not given:
        return None
    clauses: Json = {}
    for name in ("must", "should", "must_not"):
        conditions = given.get(name)
        if conditions is not None:
            conditions = conditions if isinstance(conditions, list) else [conditions]
            clauses[name] = [_condition(each) for each in conditions]
    if minimum := given.get("min_should"):
        conditions = [_condition(each) for each in minimum["conditions"]]
        clauses["min_should"] = edge.MinShould(conditions, minimum["min_count"])
    return edge.Filter(**clauses)


def _condition(given: Json) -> Any:
    if "has_id" in given:
        return edge.HasIdCondition(set(given["has_id"]))
    if "is_empty" in given:
        return edge.IsEmptyCondition(given["is_empty"]["key"])
    if "is_null" in given and isinstance(given["is_null"], dict):
        return edge.IsNullCondition(given["is_null"]["key"])
    if "nested" in given:
        return edge.NestedCondition(given["nested"]["key"], make_filter(given["nested"]["filter"]))
    if "key" in given:
        return _field(given)
    if {"must", "should", "must_not", "min_should"} & set(given):
        return make_filter(given)
    raise NotSupported(f"the condition {sorted(given)}")


def _field(given: Json) -> Any:
    key = given["key"]
    if match := given.get("match"):
        for name, kind in _MATCHES:
            if name in match:
                return edge.FieldCondition(key, match=getattr(edge, kind)(match[name]))
        raise NotSupported(f"the match {sorted(match)}")
    if bounds := given.get("range"):
        range_bounds = {
            name: bounds[name] for name in ("gte", "gt", "lte", "lt") if bounds.get(name) is not None
        }
        kind = (
            edge.RangeDateTime
            if any(isinstance(each, str) for each in range_bounds.values())
            else edge.RangeFloat
        )
        return edge.FieldCondition(key, range=kind(**range_bounds))
    raise NotSupported(f"the field condition {sorted(given)}")


def make_payload_selector(given: Any, *, default: bool) -> Any:
    """Which of the payload to bring."""
    if given is None:
        return default
    if isinstance(given, dict):
        if given.get("include") is not None:
            return edge.PayloadSelector.Include(given["include"])
        return edge.PayloadSelector.Exclude(given.get("exclude") or [])
    return given


def make_query(body: Json, nearest: Any) -> Any:
    """A query request; nearest is its vector, or None for a plain list of points."""
    search = None if nearest is None else edge.Query.Nearest(make_vector(nearest), using=body.get("using"))
    given = body.get("params") or {}
    params = edge.SearchParams(hnsw_ef=given.get("hnsw_ef"), exact=bool(given.get("exact")))
    return edge.QueryRequest(
        limit=body.get("limit") or 10,
        offset=body.get("offset"),
        query=search,
        with_vector=body.get("with_vector") or False,
        with_payload=make_payload_selector(body.get("with_payload"), default=False),
        filter=make_filter(body.get("filter")),
        score_threshold=body.get("score_threshold"),
        params=params,
    )


def make_schema(given: Any) -> tuple[str, Any]:
    """A payload index's type by name, and as the engine takes it."""
    name = given if isinstance(given, str) else given["type"]
    if name not in _SCHEMAS:
        raise WrongInput(f"unknown payload index type {name!r}")
    if isinstance(given, str):
        return name, getattr(edge.PayloadSchemaType, name.capitalize())
    options = {key: value for key, value in given.items() if key != "type" and value is not None}
    if unknown := set(options) - {"is_tenant", "is_principal", "lookup", "range", "on_disk"}:
        raise NotSupported(f"the index option {sorted(unknown)}")
    return name, getattr(edge, f"{name.capitalize()}IndexParams")(**options)


def record_json(record: Any) -> Json:
    """A record or scored point as the API shows it."""
    id_ = record.id if isinstance(record.id, int) else str(record.id)
    record_fields: Json = {"id": id_, "payload": record.payload}
    if record.vector is not None:
        record_fields["vector"] = _vector_json(record.vector)
    if hasattr(record, "score"):
        record_fields |= {"score": record.score, "version": record.version}
    return record_fields


def _vector_json(given: Any) -> Any:
    if isinstance(given, Mapping):
        vectors_json = {name: _vector_json(each) for name, each in given.items()}
        return vectors_json[""] if set(vectors_json) == {""} else vectors_json
    if hasattr(given, "indices"):
        return {"indices": list(given.indices), "values": list(given.values)}
    return list(given)
