"""What each request on a collection does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tools.servers.qdrant_front import translate
from tools.servers.qdrant_front.collections_folder import Collection
from tools.servers.qdrant_front.translate import (
    Json,
    NotSupported,
    WrongInput,
    edge,
    make_filter,
    record_json,
)

_UPDATE = edge.UpdateOperation


def upsert(collection: Collection, body: Json) -> Json:
    return collection.update(
        _UPDATE.upsert_points(translate.make_points(body), make_filter(body.get("update_filter")))
    )


def delete(collection: Collection, body: Json) -> Json:
    return collection.update(_select_points(body, _UPDATE.delete_points, _UPDATE.delete_points_by_filter))


def set_payload(collection: Collection, body: Json) -> Json:
    rest = (body["payload"], body.get("key"))
    return collection.update(_select_points(body, _UPDATE.set_payload, _UPDATE.set_payload_by_filter, *rest))


def overwrite_payload(collection: Collection, body: Json) -> Json:
    rest = (body["payload"], body.get("key"))
    return collection.update(
        _select_points(body, _UPDATE.overwrite_payload, _UPDATE.overwrite_payload_by_filter, *rest)
    )


def delete_payload(collection: Collection, body: Json) -> Json:
    by_filter = _UPDATE.delete_payload_by_filter
    return collection.update(_select_points(body, _UPDATE.delete_payload, by_filter, body["keys"]))


def update_vectors(collection: Collection, body: Json) -> Json:
    rows = [edge.PointVectors(row["id"], translate.make_vector(row["vector"])) for row in body["points"]]
    return collection.update(_UPDATE.update_vectors(rows))


def _select_points(body: Json, by_ids: Callable[..., Any], by_filter: Callable[..., Any], *rest: Any) -> Any:
    if body.get("points") is not None:
        return by_ids(body["points"], *rest)
    if body.get("filter") is not None:
        return by_filter(make_filter(body["filter"]), *rest)
    raise WrongInput("either points or filter is needed")


def retrieve(collection: Collection, body: Json) -> list[Json]:
    payload_selector = translate.make_payload_selector(body.get("with_payload"), default=True)
    with collection.lock:
        records = collection.shard.retrieve(body["ids"], payload_selector, body.get("with_vector") or False)
    return [record_json(record) for record in records]


def scroll(collection: Collection, body: Json) -> Json:
    order = body.get("order_by")
    request = edge.ScrollRequest(
        offset=body.get("offset"),
        limit=body.get("limit") or 10,
        filter=make_filter(body.get("filter")),
        with_payload=translate.make_payload_selector(body.get("with_payload"), default=True),
        with_vector=body.get("with_vector") or False,
        order_by=None if order is None else _order(order),
    )
    with collection.lock:
        records, next_offset = collection.shard.scroll(request)
    offset = next_offset if next_offset is None or isinstance(next_offset, int) else str(next_offset)
    return {"points": [record_json(record) for record in records], "next_page_offset": offset}


def _order(given: Any) -> Any:
    if isinstance(given, str):
        return edge.OrderBy(given)
    down = str(given.get("direction", "asc")).lower() == "desc"
    direction = edge.Direction.Desc if down else edge.Direction.Asc
    return edge.OrderBy(given["key"], direction, given.get("start_from"))


def count(collection: Collection, body: Json) -> Json:
    request = edge.CountRequest(exact=body.get("exact", True), filter=make_filter(body.get("filter")))
    with collection.lock:
        return {"count": collection.shard.count(request)}


def query(collection: Collection, body: Json) -> Json:
    for absent in ("prefetch", "lookup_from"):
        if body.get(absent):
            raise NotSupported(f"{absent} in a query")
    given = body.get("query")
    if isinstance(given, dict) and "nearest" in given:
        given = given["nearest"]
    elif isinstance(given, dict) and "indices" not in given:
        raise NotSupported(f"the query {sorted(given)}")
    with collection.lock:
        if isinstance(given, int | str):
            given = _vector_of(collection, given, body.get("using"))
        found = collection.shard.query(translate.make_query(body, given))
    return {"points": [record_json(point) for point in found]}


def _vector_of(collection: Collection, id_: int | str, using: str | None) -> Any:
    found = collection.shard.retrieve([id_], False, True)
    if not found:
        raise WrongInput(f"No point with id {id_} found")
    vector = record_json(found[0])["vector"]
    return vector[using] if using else vector


def query_batch(collection: Collection, body: Json) -> list[Json]:
    return [query(collection, search) for search in body["searches"]]


def create_index(collection: Collection, body: Json) -> Json:
    _, kind = translate.make_schema(body["field_schema"])
    return collection.update(_UPDATE.create_field_index(body["field_name"], kind))


def delete_index(collection: Collection, field: str) -> Json:
    return collection.update(_UPDATE.delete_field_index(field))


Operation = Callable[[Collection, Json], Any]

WRITES: Final[dict[tuple[str, str], Operation]] = {
    ("PUT", "points"): upsert,
    ("POST", "points/delete"): delete,
    ("POST", "points/payload"): set_payload,
    ("PUT", "points/payload"): overwrite_payload,
    ("POST", "points/payload/delete"): delete_payload,
    ("PUT", "points/vectors"): update_vectors,
}
READS: Final[dict[tuple[str, str], Operation]] = {
    ("POST", "points"): retrieve,
    ("POST", "points/scroll"): scroll,
    ("POST", "points/count"): count,
    ("POST", "points/query"): query,
    ("POST", "points/query/batch"): query_batch,
}
